"""Checking whether the index matches the files: a sample is read again and compared.

A checksum does not reveal a missing row. The sample changes from day to day.
"""

from __future__ import annotations

from contextlib import closing
from random import Random

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.indexing import code_graph, pipeline, refresh
from gitmem.model.frozen import dataclass
from gitmem.store.code import code_integrity, indexed_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.listing import Listing
    from gitmem.indexing.plan import Plan
    from gitmem.indexing.worker import Result

# Files that are read again at most: about a second.
MOST = 200


@dataclass(frozen=True, slots=True)
class Audit:
    """The number of files compared, and those whose pieces, definitions or edges differ."""

    files: int
    differing: tuple[str, ...]
    blobs: tuple[int, ...]
    unlinked: tuple[str, ...]


def audit(app: App, looked: tuple[Listing, Plan] | None = None) -> Audit:
    """Compare a sample of unchanged files with their rows in the index."""
    store, tree, knobs = app.store, app.worktree, refresh.index_settings(app)
    found, todo = looked or refresh.plan_refresh(app)
    paths = sorted(todo.unchanged)
    chosen = sorted(Random(app.now // DAY).sample(paths, min(MOST, len(paths))))
    requests: dict[tuple[str, str], list[str]] = {}
    for path in chosen:
        requests.setdefault((found.blobs[path], knobs.cutter(path)), []).append(path)
    numbers = indexed_files.known_blobs(store)
    wrong: dict[str, int] = {}
    unread: set[str] = set()
    with closing(pipeline.cut(app.layout, found, requests, knobs.largest)) as batches:
        for batch, results in batches:
            for (oid, cutter, *_), result in zip(batch, results, strict=True):
                _, gave_up, *_ = result
                if gave_up:  # no parser here, or not now: its rows may be right
                    unread.update(requests[oid, cutter])
                    continue
                blob = numbers.get((oid, cutter))
                if blob is not None and _expected(result) != code_integrity.rows_of(store, blob):
                    wrong.update(dict.fromkeys(requests[oid, cutter], blob))
    root = app.layout.worktree or tree
    unlinked = code_graph.files_with_other_edges(store, tree, root, chosen)
    return Audit(len(chosen) - len(unread), tuple(wrong), tuple(wrong.values()), tuple(unlinked))


def delete_differing(app: App, audit: Audit) -> None:
    """Delete the rows of files that differ, which the next index run makes again."""
    with app.store.write():
        indexed_files.drop_blobs(app.store, audit.blobs)
    code_graph.forget(app.store, app.worktree)
    refresh.refresh(app)


def _expected(result: Result) -> tuple[list[tuple[int, int]], list[str], list[int]]:
    _, _, pieces, defined, mentioned, imported, used = result
    return (
        sorted((piece[0], piece[1]) for piece in pieces),
        sorted(f"{row[1]} {row[5]}-{row[6]}" for row in defined),
        [len({row[:2] for row in mentioned}), len(imported), len(used)],
    )
