"""Context Engine's one tool for a question: code by a sentence, explained if asked (CE-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitmem.mcp.compat import argument_names, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each, When
from gitmem.mcp.compat.documented_call import ENGINE, REPOSITORY, Call, Choice, Path, Step, To

# Results by what is asked: of a word or two, of a question, of anything else.
_SHORT, _QUESTION, _OTHER = 15, 8, 10
_FEW_WORDS = 2
_QUESTIONS = ("how does", "what is")
_MOST_LOCATIONS, _MOST_SYMBOLS = 5, 3
_NAMES = ("info_request", "information_request")
_ASKED = tuple(f"asked.{name}" for name in _NAMES)
_FILTERS = ("asked.language", "asked.under", "asked.repo")
Hits = Sequence[Mapping[str, Any]] | None


def _size(arguments: Mapping[str, Any]) -> str:
    """Which of the limits a question has."""
    said = (value for name, value in arguments.items() if argument_names.folded(name) in _NAMES)
    text = str(to_theirs.either(*said) or "")
    if len(text.split()) <= _FEW_WORDS:
        return "short"
    return "question" if any(one in text.lower() for one in _QUESTIONS) else "other"


def _information(context: str, symbol: str, path: str, first: int | None, last: int | None) -> str:
    name = to_theirs.first_word(symbol)
    what = f"{to_theirs.first_word(context)} '{name}'" if name else "code"
    lines = f" (lines {first}-{last})" if first and last else ""
    return f"Found {what.strip()} in {path}{lines}"


def _strategy(language: str | None, under: str | None, repo: Any) -> str:
    parts = {"repo_filtered": repo, f"lang:{language}": language, "path_filtered": under}
    return "+".join(["hybrid", *(name for name, given in parts.items() if given)])


def _locations(hits: Hits) -> list[str]:
    return list(dict.fromkeys(one["path"] for one in hits or ()))


def _summary(hits: Hits, asked: str | None, alias: str | None) -> str:
    files = len(_locations(hits))
    many = "file" if files == 1 else "files"
    return f"Found {len(hits or ())} results related to '{asked or alias}' across {files} {many}"


def _by_file(hits: Hits) -> dict[str, dict[str, Any]]:
    """By path how many results it has, and the names of the best of them."""
    files: dict[str, list[Mapping[str, Any]]] = {}
    for one in hits or ():
        files.setdefault(one["path"], []).append(one)
    return {
        path: {
            "count": len(found),
            "top_symbols": [name for one in found if (name := to_theirs.first_word(one["symbol"]))][
                :_MOST_SYMBOLS
            ],
        }
        for path, found in files.items()
    }


def _symbol_matches(hits: Hits, asked: str | None, alias: str | None) -> int:
    """How many results are named with a word of the question."""
    words = (asked or alias or "").lower().split()
    return sum(any(word in one["symbol"].lower() for word in words) for one in hits or ())


def _first_locations(hits: Hits) -> list[str]:
    return _locations(hits)[:_MOST_LOCATIONS]


def _share(score: int | None) -> float:
    return (score or 0) / 100


def _names_in(steps: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """The names of code that a plan looks up."""
    commands = (one["command"] for one in steps or () if one["command"].endswith("--mode symbol"))
    return [command.split('"')[1] for command in commands]


def _explained(shape: Any) -> When:
    return When("asked.include_explanation", shape)


_STRATEGY = As(_strategy, *_FILTERS)
_ANSWER: dict[str, Any] = {
    "ok": Const(True),
    "results": Each(
        "hits",
        {
            "information": As(
                _information, "context", "symbol", "path", "start_line", "end_line"
            ),
            "relevance_score": "score",
            "score": "score",
            "path": "path",
            "symbol": As(to_theirs.first_word, "symbol"),
            "start_line": "start_line",
            "end_line": "end_line",
            "snippet": "snippet",
        },
    ),
    "total": As(to_theirs.count, "hits"),
    "search_strategy": _STRATEGY,
    "summary": _explained(As(_summary, "hits", *_ASKED)),
    "primary_locations": _explained(As(_first_locations, "hits")),
    "related_concepts": _explained("answer.related"),
    "grouped_results": _explained({"by_file": As(_by_file, "hits")}),
    "confidence": _explained(
        {
            "level": "answer.confidence.level",
            "score": As(_share, "answer.confidence.score"),
            "symbol_matches": As(_symbol_matches, "hits", *_ASKED),
        }
    ),
    "query_understanding": _explained(
        {
            "intent": "answer.plan.kind",
            "detected_language": "asked.language",
            "detected_symbols": As(_names_in, "answer.plan.steps"),
            "search_strategy": _STRATEGY,
        }
    ),
}  # fmt: skip
_WORDS = To("string", "query", why="Under either name.")


def _call(limit: int) -> Call:
    return Call(
        ENGINE,
        (),
        "search",
        {
            **dict.fromkeys(_NAMES, _WORDS),
            "include_explanation": To("boolean"),
            "include_relationships": To(
                "boolean", why="`graph` and `impact` tell what calls and imports a result."
            ),
            "limit": To("integer", "limit", limit),
            "language": To("string", "lang"),
            "under": To("string", "path", change=to_ours.one_glob),
            "path_glob": To("string", "path", change=to_ours.one_glob),
            "repo": To("any", REPOSITORY, why="One repository a call: its folder, name or key."),
            "include_snippet": To("boolean", default=True, why="Always the lines that answer."),
            "context_lines": To(
                "integer", "context_lines", why="Five there; here none unless given."
            ),
            "session": To("string", why="A connection has its own."),
            "output_format": To("string", why="The text of an answer is a table, its data JSON."),
        },
        _ANSWER,
        fixed={"sources": ("code", "notes"), "per_path": 3},
        then={
            "answer": Step(
                "ask", {"question": Path(_ASKED[0], other=_ASKED[1])},
                where="asked.include_explanation",
            )
        },
        page="hits",
        departs="Relationships are not told with a result. Concepts, confidence and intent are "
        "those of `ask`, which is asked as well where an explanation is wanted.",
    )  # fmt: skip


INFO_REQUEST = Choice(
    ENGINE,
    "info_request",
    "",
    {"short": _call(_SHORT), "question": _call(_QUESTION), "other": _call(_OTHER)},
    (),
    "other",
    guess=_size,
    departs="The three differ in their limit: one or two words, a question with how does or what "
    "is, anything else.",
)
