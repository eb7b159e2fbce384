"""Whether the index matches the checked-out commit; cheap, since every search reports it.

Where HEAD and git's index file are as at the last run, nothing was checked out, staged or committed
since: that costs a stat. Otherwise ``index_behind`` compares: a changed timestamp alone does not
make an index stale.
"""

from gitmem.app import App
from gitmem.clock import MINUTE
from gitmem.git.mtimes import index_file_stamp
from gitmem.store.code import tree_state
from gitmem.store.code.tree_state import WorktreeIndexState

# A run that began so shortly ago (ms) is still at work; one that failed then would fail again.
PATIENCE_MS = MINUTE
# A state, in words for people.
STATE_TEXTS = {
    "current": "the index is up to date",
    "stale": "the index is out of date",
    "unknown": "this worktree is not indexed yet",
}


def index_run_started_ms(worktree_state: WorktreeIndexState | None) -> int:
    """When the last index run over all files began, in milliseconds since 1970; 0 if not known.

    By the system's clock, so that the times of files can be compared with it.
    """
    began_at = (
        worktree_state.stamp.partition("@")[2]
        if worktree_state is not None and worktree_state.state == "whole"
        else ""
    )
    return int(began_at, 16) if began_at else 0


def state_of_incomplete_index(worktree_state: WorktreeIndexState | None) -> str:
    """The state of an index that a run has not completed: ``stale`` or ``unknown``.

    ``stale``: an earlier run was completed, so that it can be searched; ``unknown``: none was.
    """
    return "stale" if worktree_state is not None and worktree_state.head else "unknown"


def describe_index_state(state: str, missing_data: str) -> str:
    """A sentence on the state of the index; ``missing_data`` is what it lacks, in words."""
    return f"{STATE_TEXTS[state]}: {missing_data}" if missing_data else STATE_TEXTS[state]


def is_git_state_unchanged(app: App, worktree_state: WorktreeIndexState) -> bool:
    """Whether HEAD and git's index file are unchanged since the last index run."""
    stamp = worktree_state.stamp.partition("@")[0]
    return worktree_state.head == (app.git_head.commit or "") and stamp == index_file_stamp(
        app.layout
    )


def is_index_run_active(app: App, worktree_state: WorktreeIndexState | None) -> bool:
    """Whether an index run began less than a minute ago and has not ended."""
    if worktree_state is None or worktree_state.state != "building":
        return False
    return 0 <= app.now - worktree_state.at < PATIENCE_MS


def index_run_failed_recently(app: App, worktree_state: WorktreeIndexState | None) -> bool:
    """Whether an index run failed less than a minute ago, so that another one would fail too."""
    if worktree_state is None or worktree_state.state != "failed":
        return False
    return 0 <= app.now - worktree_state.at < PATIENCE_MS


def index_state(app: App) -> str:
    """The state of the index, ``current``, ``stale`` or ``unknown``, without regard to edits.

    Edits that were not staged are not looked for.
    """
    known = tree_state.worktree_index_state(app.store, app.worktree) if app.has_store else None
    if known is None or known.state != "whole":
        return state_of_incomplete_index(known)
    if is_git_state_unchanged(app, known):
        return "current"
    # Imported here: who has an index that is current does not pay for what makes one.
    from gitmem.indexing import index_behind  # noqa: PLC0415

    return index_behind.measure_lag(app).state
