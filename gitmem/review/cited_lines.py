"""The memories that cite what a diff changes: all of them, and no other."""

from gitmem.app import App
from gitmem.freshness import diff_citations, diff_lines
from gitmem.git.display import display_path
from gitmem.model.frozen import dataclass
from gitmem.review.reviewed_diff import ReviewedDiff
from gitmem.store.memory import memories, short_ids


@dataclass(frozen=True, slots=True)
class CitedMemory:
    """A memory that cites code that the diff changes: the place cited, and what happens to it.

    ``lines`` are its line numbers before the diff (of new lines after it); empty for a whole file.
    """

    id: str
    handle: str
    kind: str
    title: str
    cited: str
    path: str
    lines: str
    why: str


def find_cited_memories(app: App, diff: ReviewedDiff) -> tuple[CitedMemory, ...]:
    """Return the memories that cite code that the diff changes, by path; one entry per citation."""
    if not app.has_store:
        return ()
    database = app.store
    hits = diff_citations.find_citations_in_diff(app, database, diff.path_changes, diff.versions)
    judged = diff_lines.citations_touched_by_diff(
        app, diff.sides, hits, diff.versions, diff.hunks_by_path
    )
    cited = []
    for hit, path, lines, why in sorted(judged, key=lambda each: (each[1], each[0].memory)):
        memory = memories.get_undamaged_memory(database, hit.memory)
        if memory is not None:
            handle = short_ids.shortest_unique_prefix(database, memory.id)
            shown = display_path(hit.cited)
            cited.append(
                CitedMemory(
                    memory.id, handle, memory.kind, memory.headline, shown, path, lines, why
                )
            )
    return tuple(cited)
