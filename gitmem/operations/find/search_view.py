"""What `gitmem search` tells: its hits, how far the index is, and the words to set off."""

from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.retrieval import hit_view
from gitmem.retrieval.hit_view import HitItem

# What stands above hits of which none likely answers.
NEAREST = "No clear answer here; the nearest:"


@dataclass(frozen=True, slots=True)
class IndexState:
    """The commit up to which this worktree is indexed, and current, stale or unknown.

    ``refreshing``: it is behind, and a refresh in the background is under way or about to start. Of
    ``reread`` files the hits were read from the disk, since they were edited after the index;
    ``left_out`` hits are no longer there. ``behind`` says what the index lacks, as far as it was
    looked for: always where there is no good hit.
    """

    commit: str
    state: str
    refreshing: bool = False
    reread: int = 0
    left_out: int = 0
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """The hits, the best first; none of them is a possible answer.

    ``relevance`` is good, weak (none of the best is likely an answer) or none; ``notes`` tell of
    filters that leave nothing to search, and of names like one that nothing here has. ``has_more``:
    the list goes on behind these, with --offset.
    """

    hits: tuple[HitItem, ...]
    relevance: str
    index: IndexState
    notes: tuple[str, ...] = ()
    has_more: bool = False


def view(result: Searched) -> str:
    """A line for each hit, and its snippet below it."""
    lines = [hit_view.paragraph(hit) for hit in result.hits] or ["No relevant results."]
    lines += result.notes
    if result.relevance == "weak":
        lines.insert(0, NEAREST)
    if said := index_told(result.index):
        lines.append(said)
    return "\n".join(lines)


def index_told(index: IndexState) -> str:
    """In a sentence, what the index lacks and what was read from the disk; empty if it is right."""
    parts = []
    if index.reread:
        files = "1 edited file was" if index.reread == 1 else f"{index.reread} edited files were"
        parts.append(f"{files} read from the disk")
    if index.left_out:
        hits = "1 hit is" if index.left_out == 1 else f"{index.left_out} hits are"
        parts.append(f"{hits} left out: changed since the index")
    if index.state != "current":
        told = index_state.sentence(index.state, index.behind)
        parts.append(f"{told}: {'indexing now' if index.refreshing else 'run `gitmem index`'}")
    return f"({'; '.join(parts)})" if parts else ""


def highlights(result: Searched) -> tuple[str, ...]:
    """The words of the question that the hits hold: a terminal sets them off."""
    return tuple({word: None for hit in result.hits for word in hit.matched})
