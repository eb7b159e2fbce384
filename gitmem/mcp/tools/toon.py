"""Writing lists as tables in the format TOON, which costs fewer tokens than JSON.

``memories[2]{id,kind,...}:``, then a line for each item with cells separated by tabs, which no cell
contains. A table has about half of the characters of a list for people: no reasons (the data has
them), no padding, no second lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gitmem.retrieval import memory_view
from gitmem.text.fence import join_lines, one_line

if TYPE_CHECKING:  # a server's first call must not load other verbs
    from gitmem.maintenance.verification import VerifiedMemory
    from gitmem.operations.check.verify import VerifyMemoriesResult
    from gitmem.operations.find.list import MemoryList
    from gitmem.operations.find.recall import RecallResult
    from gitmem.operations.find.search_view import SearchResult
    from gitmem.retrieval.hit_view import HitItem

# Characters of a hit's text, of a title or place.
SNIPPET, TITLE = 200, 70
# Characters of memories' texts: of all together, and of each that is cut. Whole ones save a `show`.
TEXTS, LEAST, MOST = 2_400, 120, 320


def toon_table(table_name: str, column_list: str, rows: Sequence[Iterable[str]]) -> str:
    """A table as text: the line ``name[2]{id,kind}:`` with the number of rows, then a line a row.

    ``column_list`` is a text such as ``id,kind``. Cells are separated by tabs; empty ones at the
    end of a row are left out.
    """
    lines = ["\t".join(row).rstrip("\t") for row in rows]
    return "\n".join([f"{table_name}[{len(rows)}]{{{column_list}}}:", *lines])


def recall_table(result: RecallResult) -> str:
    """The memories that ``recall`` found and what they cite, as a table in text; "" for none."""
    width = max(LEAST, min(MOST, TEXTS // (len(result.memories) or 1)))
    texts = [join_lines(_both(memory.title, memory.content)) for memory in result.memories]
    short = [one_line(text, width) for text in texts]
    rows = [
        (
            memory.handle,
            memory.kind,
            memory.created_at[:10],
            text,
            one_line(" ".join(memory.paths), TITLE),
            ", ".join(memory_view.memory_status_labels(memory)),
        )
        for memory, text in zip(result.memories, _fit(texts, short), strict=True)
    ]
    if not rows:
        return ""
    return "\n".join((toon_table("memories", "id,kind,date,text,cites,note", rows), *result.notes))


def list_table(result: MemoryList) -> str:
    """The memories of one page of a list as a table in text; "" if there are none."""
    texts = [join_lines(_both(memory.title, memory.content)) for memory in result.memories]
    titles = [one_line(memory.title or memory.content, TITLE) for memory in result.memories]
    rows = [
        (memory.handle, memory.kind, text, ", ".join(memory_view.memory_status_labels(memory)))
        for memory, text in zip(result.memories, _fit(texts, titles), strict=True)
    ]
    text = toon_table("memories", "id,kind,text,note", rows) if rows else ""
    left = result.total - result.offset - len(rows)
    return f"{text}\n{left} more" if text and left > 0 else text


def hit_table(result: SearchResult) -> str:
    """The hits of a search as a table in text, the best first; "" if there are none."""
    if not result.hits:
        return ""
    from gitmem.operations.find.search_view import NEAREST, describe_index  # noqa: PLC0415

    lines = [toon_table("hits", "score,where,what", [_hit(hit) for hit in result.hits])]
    if result.relevance == "weak":
        lines.insert(0, NEAREST)
    lines += result.notes
    if note := describe_index(result.index):
        lines.append(note)
    return "\n".join(lines)


def _hit(hit: HitItem) -> tuple[str, ...]:
    return f"{hit.score:.2f}", _where(hit), one_line(_what(hit), SNIPPET)


def _where(hit: HitItem) -> str:
    if hit.kind == "commit":
        return one_line(f"{hit.commit[:10]} {(hit.at or '')[:10]} {hit.author}", TITLE)
    if hit.kind in ("memory", "session"):
        return one_line(f"{hit.id} {hit.context} {(hit.at or '')[:10]}".rstrip(), TITLE)
    from gitmem.retrieval import hit_view  # noqa: PLC0415

    return hit_view.format_hit_location(hit, TITLE)


def _what(hit: HitItem) -> str:
    if hit.kind in ("commit", "memory", "session"):
        marked = f"[{hit.note}] " if hit.note else ""
        return marked + _both(hit.title, hit.snippet)
    return hit.snippet or hit.context or hit.symbol


def _fit(texts: Sequence[str], short: Sequence[str]) -> list[str]:
    """Each text whole if there is room beside the short forms of the others, else short.

    Together they have at most ``TEXTS`` characters, or what the short forms take. The first texts,
    which answer best, come first.
    """
    spare = TEXTS - sum(map(len, short))
    cells = []
    for text, cut in zip(texts, short, strict=True):
        more = len(text) - len(cut)
        if more <= max(spare, 0):
            spare -= more
            cut = text
        cells.append(cut)
    return cells


def _both(title: str, text: str) -> str:
    return f"{title}: {text}" if title and text else title or text


def verify_table(result: VerifyMemoriesResult) -> str:
    """Memories, with whether the code that they cite is unchanged, as a table in text.

    "" if a memory was changed or could not be: then the longer view is shown.
    """
    if not result.items or any(item.action or item.error for item in result.items):
        return ""
    rows = [_verified_row(item) for item in result.items]
    counts = ", ".join(f"{count} {word}" for word, count in sorted(result.counts.items()))
    return f"{toon_table('memories', 'id,kind,state,title,cites', rows)}\n{counts}"


def _verified_row(verified: VerifiedMemory) -> tuple[str, ...]:
    cites = "; ".join(
        verdict.cited
        if verdict.verdict == verified.freshness == "fresh"
        else memory_view.format_citation_freshness(verdict)
        for verdict in verified.anchors
    )
    return (
        verified.handle,
        verified.kind,
        verified.freshness,
        one_line(verified.title, TITLE),
        one_line(cites, SNIPPET),
    )


# Tool -> the table of its result; empty for the operation's own view.
TABLES: dict[str, Callable[[Any], str]] = {
    "recall": recall_table,
    "list_memories": list_table,
    "search": hit_table,
    "verify": verify_table,
}
