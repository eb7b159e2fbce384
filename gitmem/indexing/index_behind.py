"""Counting how far an index is behind, by the plan of an index run that is not carried out.

Because it is the same plan, a touched file, a tag, a fetch or a checkout there and back does not
make the index stale. Loaded only where something may be behind.
"""

from collections.abc import Container

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.indexing import refresh
from gitmem.indexing.plan import FilesPlan
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import indexed_files, tree_state
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class IndexLag:
    """How far an index is behind: ``state`` is ``current``, ``stale`` or ``unknown``.

    ``commits``: HEAD is a commit that is not indexed. ``edited``, ``new`` and ``gone`` are numbers
    of files: those that changed since they were indexed, are not indexed, or are indexed but do not
    exist any more.
    """

    state: str
    commits: bool = False
    edited: int = 0
    new: int = 0
    gone: int = 0

    @property
    def as_text(self) -> str:
        """What the index lacks, as text: ``2 edited files, 1 new file``; empty if it is current."""
        counts = ((self.edited, "edited"), (self.new, "new"), (self.gone, "deleted"))
        parts = ["new commits"] if self.commits else []
        parts += [quantity(n, f"{what} file") for n, what in counts if n]
        return ", ".join(parts)


def measure_lag(app: App, plan: FilesPlan | None = None) -> IndexLag:
    """How far the index is behind, as an IndexLag; what an index run would have to do.

    Asks git for tracked, edited and untracked files and reads the edited ones, unless the caller
    has the ``plan``. Where git cannot answer, HEAD alone decides.
    """
    known = indexed_files.worktree_index_state(app.store, app.worktree) if app.has_store else None
    whole = known is not None and known.state == "whole"
    if known is None or not (whole or known.head):
        return IndexLag("unknown")
    store, now = app.store, app.git_head.commit or ""
    has_new_commit = now and now != known.head and app.settings.number("index.commits") > 0
    lacking = bool(has_new_commit) and not tree_state.is_commit_indexed(store, now)
    try:
        todo = plan or refresh.plan_index_update(app, all_files=False).todo
    except GitmemError:
        return IndexLag("current" if whole and now == known.head else "stale", lacking)
    # Few files are looked up one by one: reading all rows costs by the size of the repository.
    few = todo.added if len(todo.added) <= refresh.MOST_PATHS else None
    before = (
        indexed_files.blob_ids_and_chunkers_by_path(store, app.worktree, few) if todo.added else ()
    )
    found = index_lag_of_plan(todo, before, lacking)
    # A run that did not end leaves more to do than its plan shows.
    return found if whole else replace(found, state="stale")


def index_lag_of_plan(
    plan: FilesPlan, indexed_paths: Container[str], is_head_unindexed: bool
) -> IndexLag:
    """How far the index is behind, as an IndexLag, by the plan of an index run.

    ``indexed_paths`` are the indexed paths; ``is_head_unindexed``: HEAD is a commit that is not
    indexed.
    """
    edited = sum(path in indexed_paths for path in plan.added)
    new = len(plan.added) - edited + len(plan.moved)
    stale = is_head_unindexed or not plan.is_empty
    return IndexLag(
        "stale" if stale else "current", is_head_unindexed, edited, new, len(plan.dropped)
    )
