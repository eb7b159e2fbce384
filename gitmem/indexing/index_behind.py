"""By what an index is behind: the plan of an index run, counted and not carried out.

Since it is the same plan, neither a touched file nor a tag, a fetch or a checkout there and back
makes it stale, and an index run always finds what it says. Loaded only where something may be.
"""

from collections.abc import Container

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.indexing import refresh
from gitmem.indexing.plan import Plan
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import indexed_files, tree_state
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class Behind:
    """By what an index is behind: ``state`` is ``current``, ``stale`` or ``unknown``.

    ``commits``: HEAD is at a commit that is not indexed. Files whose content is another than what
    is indexed are ``edited``, those that are not indexed ``new``, indexed ones that are no longer
    there ``gone``.
    """

    state: str
    commits: bool = False
    edited: int = 0
    new: int = 0
    gone: int = 0

    @property
    def told(self) -> str:
        """What it lacks, in words: ``2 edited files, 1 new file``; empty where that is nothing."""
        counts = ((self.edited, "edited"), (self.new, "new"), (self.gone, "deleted"))
        parts = ["new commits"] if self.commits else []
        parts += [quantity(n, f"{what} file") for n, what in counts if n]
        return ", ".join(parts)


def behind(app: App, plan: Plan | None = None) -> Behind:
    """By what the index is behind, exactly as an index run would find it.

    Asks git what is tracked, edited and untracked (about 15 ms), and reads edited files, unless the
    caller did and has the ``plan``. Where git cannot say it, by HEAD alone.
    """
    known = indexed_files.state(app.store, app.worktree) if app.has_store else None
    whole = known is not None and known.state == "whole"
    if known is None or not (whole or known.head):
        return Behind("unknown")
    store, now = app.store, app.head.commit or ""
    has_new_commit = now and now != known.head and app.settings.number("index.commits") > 0
    lacking = bool(has_new_commit) and not tree_state.holds_commit(store, now)
    try:
        todo = plan or refresh.look_at(app, everything=False).todo
    except GitmemError:
        return Behind("current" if whole and now == known.head else "stale", lacking)
    # Of few files each is asked for: reading all there are costs by the size of the repository.
    few = todo.added if len(todo.added) <= refresh.MOST_PATHS else None
    before = indexed_files.indexed(store, app.worktree, few) if todo.added else ()
    found = counted(todo, before, lacking)
    # A run that did not end leaves more to do than its plan shows.
    return found if whole else replace(found, state="stale")


def counted(todo: Plan, before: Container[str], lacking: bool) -> Behind:
    """A plan in numbers; ``before`` are the indexed paths. Pure."""
    edited = sum(path in before for path in todo.added)
    new = len(todo.added) - edited + len(todo.moved)
    stale = lacking or not todo.idle
    return Behind("stale" if stale else "current", lacking, edited, new, len(todo.dropped))
