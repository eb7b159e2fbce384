"""Converting our values into those of Context Engine's answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from gitmem.mcp.compat import argument_converters, argument_names
from gitmem.mcp.compat.answer_converters import Rows, engine_kind, first_nonempty, first_word

_HIGHLIGHTS = 3  # of an item
_MESSAGE = 500  # characters of a commit's message
_AROUND = 30  # characters beside a highlighted word
_FEW_WORDS = 2
_MOST_LOCATIONS, _MOST_SYMBOLS = 5, 3
Hits = Sequence[Mapping[str, Any]] | None


def cited_code_places(
    answer_sources: Rows, answer_sentences: Rows, include_snippets: bool
) -> list[dict[str, Any]]:
    """The places that an answer cites, as dicts: path, start_line, end_line, snippet, relevance.

    ``answer_sources`` and ``answer_sentences`` are those in the result of `gitmem ask`. ``snippet``
    is the text of the sentences that cite the place, if ``include_snippets``.
    """
    drawn = list(answer_sentences or ())
    places = []
    for source in answer_sources or ():
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
    """A commit's subject and body as one text, cut to 500 characters."""
    return f"{subject}\n\n{body}".strip()[:_MESSAGE]


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else a list of it alone."""
    return value if isinstance(value, list) else [value]


def search_milliseconds(search_plan: Mapping[str, Any] | None) -> int | None:
    """The milliseconds that the ``steps`` of a search plan took together; None without a plan."""
    return (
        None
        if search_plan is None
        else round(sum(row["milliseconds"] or 0 for row in search_plan["steps"]))
    )


def was_reranked(reranker_name: str, search_notes: Iterable[str] | None) -> bool:
    """Whether a reranker (model that sorts hits) is set and no note says ``Not reranked``."""
    return bool(reranker_name) and not any(
        note.startswith("Not reranked") for note in search_notes or ()
    )


def seconds_to_milliseconds(seconds: float) -> int:
    """A number of seconds in milliseconds."""
    return round(seconds * 1000)


# --- the index ------------------------------------------------------------------------------------


def unix_seconds(iso_time: str) -> int | None:
    """A time in ISO 8601 as whole seconds since 1970; None if the text is empty."""
    return int(datetime.fromisoformat(iso_time).timestamp()) if iso_time else None


def megabytes(byte_count: int) -> float:
    """A number of bytes in millions of bytes, rounded to one decimal."""
    return round(byte_count / 1_000_000, 1)


def index_health(index_state: str) -> str:
    """``healthy`` for an index that is current, else gitmem's word: stale or unknown."""
    return "healthy" if index_state == "current" else index_state


def count_vectors_in_use(models: Rows) -> int:
    """The number of vectors stored for the embedding models whose row has ``in_use``."""
    return sum(row["vectors"] for row in models or () if row["in_use"])


def vector_dimensions(models: Rows) -> dict[str, int]:
    """A dict: identity of each embedding model in use -> length of its vectors."""
    identities = [row["identity"] for row in models or () if row["in_use"]]
    return {identity: int(identity.split(":")[-2]) for identity in identities}


def projects_as_collections(projects: Rows, chunk_count: int, models: Rows) -> list[dict[str, Any]]:
    """The user's projects as dicts: name, status (``green`` or, without a database, ``red``).

    The current project has counts too: ``points_count`` is ``chunk_count``, pieces of files; the
    others are the stored vectors of the ``models`` in use.
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


def largest_files_if_current_project(is_current_project: bool, files: Rows) -> list[Any]:
    """The first three of ``files`` (those with most chunks); [] for another project."""
    return list(files or ())[:_MOST_SYMBOLS] if is_current_project else []


def cache_statistics(caches: Rows) -> list[dict[str, Any]]:
    """A dict for each cache: name, hits, misses, hit_rate (0 to 1), size (entries), max_size ..."""
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
    """A priority from 1 to 10 for a memory's weight from 1 to 5: double, or ``stored_priority``.

    ``stored_priority`` was given when it was stored; it counts if it means the same weight.
    """
    still = (
        type(stored_priority) is int
        and argument_converters.weight_of_priority(stored_priority) == weight
    )
    return stored_priority if still else weight * 2


def hit_metadata(
    memory_metadata: Mapping[str, Any] | None,
    memory_kind: str,
    language: str,
    definition_kind: str | None,
    weight: int | None,
) -> dict[str, Any]:
    """Metadata of a search hit, as a dict: a memory's own, or the language and kind of code.

    It is code if ``weight`` or ``memory_metadata`` is None; a memory's has its kind and priority (1
    to 10) too.
    """
    if weight is None or memory_metadata is None:
        return {"language": language, "kind": definition_kind}
    exact = priority_of_weight(weight, memory_metadata.get("priority"))
    return {**memory_metadata, "kind": engine_kind(memory_kind), "priority": exact}


def distinct_hit_kinds(hits: Rows) -> list[str]:
    """The kinds of the hits (code, memory ...), each once."""
    return list(dict.fromkeys(hit["kind"] for hit in hits or ()))


def paths_of_graph_results(graph_results: Rows) -> list[list[str]]:
    """For each result with a path in the code graph, the list of names from start to result."""
    return [list(item["way"]) for item in graph_results or () if item["way"]]


def highlighted_excerpts(text: str | None, query: Any, is_enabled: bool | None) -> list[str]:
    """Up to three parts of a text with a query's ``<<word>>``; [] if ``is_enabled`` is False."""
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


def category_of_info_request(arguments: Mapping[str, Any]) -> str:
    """Which limit of results applies to a request: ``short``, ``question`` or ``other``.

    The request is the argument ``info_request``: ``short`` if it has one or two words, ``question``
    if it has "how does" or "what is".
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


def describe_code_hit(
    definition: dict[str, Any] | None,
    symbol: str,
    path: str,
    first_line: int | None,
    last_line: int | None,
) -> str:
    """A sentence such as ``Found function 'load' in src/app.py (lines 3-9)``."""
    name = first_word((definition or {}).get("name"), symbol)
    what = f"{(definition or {}).get('kind') or ''} '{name}'" if name else "code"
    lines = f" (lines {first_line}-{last_line})" if first_line and last_line else ""
    return f"Found {what.strip()} in {path}{lines}"


def describe_search_filters(language: str | None, path_filter: str | None, repository: Any) -> str:
    """The filters that a search used, as text such as ``hybrid+repo_filtered+lang:python``.

    It begins with ``hybrid``; filters that are None or empty add nothing.
    """
    filters = {
        "repo_filtered": repository,
        f"lang:{language}": language,
        "path_filtered": path_filter,
    }
    return "+".join(["hybrid", *(name for name, given in filters.items() if given)])


def _locations(hits: Hits) -> list[str]:
    return list(dict.fromkeys(hit["path"] for hit in hits or ()))


def best_hit_paths(hits: Hits) -> list[str]:
    """The paths of the first five files among the hits, each once."""
    return _locations(hits)[:_MOST_LOCATIONS]


def describe_hit_counts(hits: Hits, query: str | None, fallback_query: str | None) -> str:
    """``Found N results related to 'X' across M files``: X is ``query`` or ``fallback_query``."""
    files = len(_locations(hits))
    noun = "file" if files == 1 else "files"
    text = query or fallback_query
    return f"Found {len(hits or ())} results related to '{text}' across {files} {noun}"


def symbols_by_file(hits: Hits) -> dict[str, dict[str, Any]]:
    """A dict: path -> ``count`` of its hits and ``top_symbols``, at most three names."""
    files: dict[str, list[str]] = {}
    for hit in hits or ():
        name = first_word((hit["definition"] or {}).get("name"), hit["symbol"])
        files.setdefault(hit["path"], []).append(name)
    return {
        path: {"count": len(names), "top_symbols": list(filter(None, names))[:_MOST_SYMBOLS]}
        for path, names in files.items()
    }


def count_symbol_matches(hits: Hits, query: str | None, fallback_query: str | None) -> int:
    """The number of hits whose symbol contains a word of ``query``, or else ``fallback_query``."""
    words = (query or fallback_query or "").lower().split()
    return sum(any(word in hit["symbol"].lower() for word in words) for hit in hits or ())


def imports_between_sources(import_relations: Rows, sources: Rows) -> list[dict[str, Any]]:
    """Imports between an answer's sources, as dicts: source, type, target, symbol, line."""
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


def percent_to_fraction(percent: int | None) -> float:
    """A percentage (0 to 100) as a fraction from 0 to 1; 0 for None."""
    return (percent or 0) / 100


def symbols_in_plan(plan_steps: Hits) -> list[str]:
    """The names that the steps of a search plan look up as symbols, as a list."""
    commands = (step["command"] for step in plan_steps or ())
    return [command.split('"')[1] for command in commands if command.endswith("--mode symbol")]
