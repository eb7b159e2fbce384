"""Converting our values into those of Context Engine's answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from gitmem.mcp.compat import argument_names, to_ours
from gitmem.mcp.compat.to_theirs import Rows, engine_kind, first_nonempty, first_word

_HIGHLIGHTS = 3  # of an item
_MESSAGE = 500  # characters of a commit's message
_AROUND = 30  # characters beside a highlighted word
_FEW_WORDS = 2
_MOST_LOCATIONS, _MOST_SYMBOLS = 5, 3
Hits = Sequence[Mapping[str, Any]] | None


def cited_places(sources: Rows, sentences: Rows, include_snippets: bool) -> list[dict[str, Any]]:
    """The places that an answer cites, each with the sentences that cite it, if asked for.

    In the form of Context Engine, another memory system, as all values here.
    """
    drawn = list(sentences or ())
    places = []
    for source in sources or ():
        first, _, last = source["lines"].partition("-")
        places.append(
            {
                "path": source["path"] or source["cite"],
                "start_line": int(first) if first else None,
                "end_line": int(last or first) if first else None,
                "snippet": "\n".join(
                    row["text"]
                    for row in drawn
                    if include_snippets and source["number"] in row["sources"]
                ),
                "relevance": source["score"],
            }
        )
    return places


def commit_message(subject: str, body: str) -> str:
    """A commit's message, at most 500 characters of it."""
    return f"{subject}\n\n{body}".strip()[:_MESSAGE]


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else a list of it alone."""
    return value if isinstance(value, list) else [value]


def search_milliseconds(search_plan: Mapping[str, Any] | None) -> int | None:
    """The milliseconds that all steps of a search took; None if its plan was not asked for."""
    return (
        None
        if search_plan is None
        else round(sum(row["milliseconds"] or 0 for row in search_plan["steps"]))
    )


def was_reranked(reranker_name: str, search_notes: Iterable[str] | None) -> bool:
    """Whether a reranker is set and was used."""
    return bool(reranker_name) and not any(
        note.startswith("Not reranked") for note in search_notes or ()
    )


def seconds_to_milliseconds(number: float) -> int:
    """A number of seconds in milliseconds."""
    return round(number * 1000)


# --- the index ------------------------------------------------------------------------------------


def unix_seconds(iso_time: str) -> int | None:
    """ISO 8601 as seconds since 1970; None if empty."""
    return int(datetime.fromisoformat(iso_time).timestamp()) if iso_time else None


def megabytes(byte_count: int) -> float:
    """Bytes as millions of bytes."""
    return round(byte_count / 1_000_000, 1)


def index_health(index_state: str) -> str:
    """``healthy`` for an index that is current, else gitmem's word: stale or unknown."""
    return "healthy" if index_state == "current" else index_state


def count_vectors_in_use(models: Rows) -> int:
    """The number of vectors of the model in use."""
    return sum(row["vectors"] for row in models or () if row["in_use"])


def vector_dimensions(models: Rows) -> dict[str, int]:
    """The dimension of the vectors of each model in use, by the model's identity."""
    identities = [row["identity"] for row in models or () if row["in_use"]]
    return {identity: int(identity.split(":")[-2]) for identity in identities}


def projects_as_collections(projects: Rows, chunk_count: int, models: Rows) -> list[dict[str, Any]]:
    """The user's projects as Context Engine lists its collections.

    The present one with the numbers of ``chunk_count`` and vectors.
    """
    counts = {
        "points_count": chunk_count,
        "vectors_count": count_vectors_in_use(models),
        "indexed_vectors_count": count_vectors_in_use(models),
    }
    return [
        {
            "name": row["project"],
            "status": "green" if row["state"] == "kept" else "red",
            **(counts if row["here"] else {}),
        }
        for row in projects or ()
    ]


def largest_files(is_current_project: bool, files: Rows) -> list[Any]:
    """The three files with the most chunks; none unless the answer is about the current project."""
    return list(files or ())[:_MOST_SYMBOLS] if is_current_project else []


def cache_statistics(caches: Rows) -> list[dict[str, Any]]:
    """For each cache: its name, hits, misses, rate of hits and size."""
    return [
        {
            "name": row["name"],
            "hits": row["hits"],
            "misses": row["misses"],
            "hit_rate": round(row["hits"] / max(1, row["hits"] + row["misses"]), 3),
            "size": row["kept"],
            "max_size": row["most"],
            "evictions": row["evicted"],
        }
        for row in caches or ()
    ]


def priority_of_weight(weight: int, stored_priority: Any = None) -> int:
    """A memory's priority from 1 to 10, as Context Engine has it, from its weight of 1 to 5.

    ``stored_priority`` is what was stored with it, and counts if it still means this weight.
    """
    still = type(stored_priority) is int and to_ours.weight_of_priority(stored_priority) == weight
    return stored_priority if still else weight * 2


def hit_metadata(
    memory_metadata: Mapping[str, Any] | None,
    memory_kind: str,
    language: str,
    definition_kind: str | None,
    weight: int | None,
) -> dict[str, Any]:
    """The metadata of a hit: a memory's own with its kind, or the language and kind of code."""
    if weight is None or memory_metadata is None:
        return {"language": language, "kind": definition_kind}
    exact = priority_of_weight(weight, memory_metadata.get("priority"))
    return {**memory_metadata, "kind": engine_kind(memory_kind), "priority": exact}


def source_kinds(hits: Rows) -> list[str]:
    """The kinds of the hits (code, memory ...), each once."""
    return list(dict.fromkeys(hit["kind"] for hit in hits or ()))


def graph_paths(graph_results: Rows) -> list[list[str]]:
    """For each result the path in the code graph that leads to it, if paths were requested."""
    return [list(item["way"]) for item in graph_results or () if item["way"]]


def highlighted_excerpts(text: str | None, query: Any, is_enabled: bool | None) -> list[str]:
    """Parts of a text with a word of the query, as in ``<<word>>``; none if not ``is_enabled``."""
    if is_enabled is False:
        return []
    question = " ".join(query) if isinstance(query, list) else str(query or "")
    words = [re.escape(word) for word in re.findall(r"\w{3,}", question)]
    if not words:
        return []
    matches = re.finditer(rf"\b(?:{'|'.join(words)})\w*", text or "", re.IGNORECASE)
    return [
        _marked(text or "", match.start(), match.end())
        for match, _ in zip(matches, range(_HIGHLIGHTS), strict=False)
    ]


def _marked(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return " ".join(f"{before}<<{text[start:end]}>>{after}".split())


# --- the tool that answers a question with code --------------------------------------------------


def request_category(arguments: Mapping[str, Any]) -> str:
    """Which limit of results applies to a request: ``short``, ``question`` or ``other``.

    ``short`` is a request of a word or two, ``question`` one that asks what is or how does
    something.
    """
    names = ("info_request", "information_request")
    given = (
        value for name, value in arguments.items() if argument_names.to_snake_case(name) in names
    )
    text = str(first_nonempty(*given) or "")
    if len(text.split()) <= _FEW_WORDS:
        return "short"
    asks = any(words in text.lower() for words in ("how does", "what is"))
    return "question" if asks else "other"


def describe_result(
    definition: dict[str, Any] | None,
    symbol: str,
    path: str,
    first_line: int | None,
    last_line: int | None,
) -> str:
    """A sentence that names a result: its kind, name, path and lines."""
    name = first_word((definition or {}).get("name"), symbol)
    what = f"{(definition or {}).get('kind') or ''} '{name}'" if name else "code"
    lines = f" (lines {first_line}-{last_line})" if first_line and last_line else ""
    return f"Found {what.strip()} in {path}{lines}"


def joined_filter_names(language: str | None, path_filter: str | None, repository: Any) -> str:
    """The names of the filters that a search used, joined by ``+``."""
    filters = {
        "repo_filtered": repository,
        f"lang:{language}": language,
        "path_filtered": path_filter,
    }
    return "+".join(["hybrid", *(name for name, given in filters.items() if given)])


def _locations(hits: Hits) -> list[str]:
    return list(dict.fromkeys(hit["path"] for hit in hits or ()))


def best_hit_paths(hits: Hits) -> list[str]:
    """The paths of the files of the best results."""
    return _locations(hits)[:_MOST_LOCATIONS]


def describe_hit_counts(hits: Hits, query: str | None, query_alias: str | None) -> str:
    """A sentence with the number of results and of their files."""
    files = len(_locations(hits))
    noun = "file" if files == 1 else "files"
    return (
        f"Found {len(hits or ())} results related to '{query or query_alias}' across {files} {noun}"
    )


def symbols_by_file(hits: Hits) -> dict[str, dict[str, Any]]:
    """For each path the number of results, and the names of the best ones."""
    files: dict[str, list[str]] = {}
    for hit in hits or ():
        name = first_word((hit["definition"] or {}).get("name"), hit["symbol"])
        files.setdefault(hit["path"], []).append(name)
    return {
        path: {"count": len(names), "top_symbols": list(filter(None, names))[:_MOST_SYMBOLS]}
        for path, names in files.items()
    }


def count_symbol_matches(hits: Hits, query: str | None, query_alias: str | None) -> int:
    """The number of results whose name contains a word of the query."""
    words = (query or query_alias or "").lower().split()
    return sum(any(word in hit["symbol"].lower() for word in words) for hit in hits or ())


def source_relationships(import_relations: Rows, sources: Rows) -> list[dict[str, Any]]:
    """The relations between cited places, such as ``imports``: source, type, target, symbol."""
    places = {row["number"]: row for row in sources or ()}
    return [
        {
            "source": places[row["source"]]["cite"],
            "type": row["relation"],
            "target": places[row["target"]]["cite"],
            "symbol": row["name"],
            "line": row["line"],
        }
        for row in import_relations or ()
    ]


def percent_to_fraction(score: int | None) -> float:
    """A percentage as a fraction of 1."""
    return (score or 0) / 100


def symbols_in_plan(plan_steps: Hits) -> list[str]:
    """The names of code that the steps of a plan look up."""
    commands = (step["command"] for step in plan_steps or ())
    return [command.split('"')[1] for command in commands if command.endswith("--mode symbol")]
