"""Requesting a refresh of the index when a reader finds it behind.

The reader only notes the request; the drain, started after the answer, does the work.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.indexing import index_state
from gitmem.store.code import tree_state
from gitmem.store.code.tree_state import WorktreeIndexState
from gitmem.store.db import seals

# The least time between two refreshes, for users who edit all the time.
REST_MS = 1_000
# With more edited files than this the whole worktree is scanned.
MAX_PATHS = 100


def is_index_refresh_coming(app: App, index_state_name: str) -> bool:
    """Return whether the search index is being refreshed, or will be after this command.

    ``index_state_name`` is the state that the caller found, such as ``current`` or ``stale``. A
    refresh not yet begun is noted in ``app``.
    """
    app.refresh_wanted = False
    if index_state_name == "current" or not app.reads_index or not _may(app):
        return False
    indexed_state = tree_state.worktree_index_state(app.store, app.worktree)
    if index_state.index_run_failed_recently(app, indexed_state):
        return False
    app.refresh_wanted = not index_state.is_index_run_active(app, indexed_state)
    return True


def describe_stale_index(app: App) -> tuple[str, ...]:
    """Return a tuple with one sentence if the index lacks recent changes to files, else ()."""
    state = index_state.index_state(app)
    if state == "current":
        return ()
    action = "indexing now." if is_index_refresh_coming(app, state) else "run `gitmem index`."
    return (f"The index is behind: {action}",)


def is_index_refresh_due(app: App) -> bool:
    """Return whether this worktree's search index is behind and no process refreshes it."""
    if app.refresh_wanted:
        return True
    if not app.has_store or not _may(app):
        return False
    indexed_state = tree_state.worktree_index_state(app.store, app.worktree)
    if _is_current(app, indexed_state):
        return False
    # Not negative: a clock that was put back must not stop refreshes.
    rests = indexed_state is not None and 0 <= app.now - indexed_state.at < REST_MS
    if rests or index_state.index_run_failed_recently(app, indexed_state):
        return False
    return not index_state.is_index_run_active(app, indexed_state)


def _is_current(app: App, known: WorktreeIndexState | None) -> bool:
    if known is None or known.state != "whole" or known.head != (app.git_head.commit or ""):
        return index_state.index_state(app) == "current"
    if index_state.is_git_state_unchanged(app, known):
        return True
    from gitmem.indexing import refresh  # noqa: PLC0415 - only after git wrote its index

    return refresh.mark_index_as_current(app)


def request_index_of_files(app: App, paths: Sequence[str]) -> bool:
    """Request that edited files are indexed; return whether ``gitmem drain`` must be started.

    That is the background process that updates the index. Raises OSError.
    """
    from gitmem.spool import git_events, lease  # noqa: PLC0415 - only where something was edited

    if len(paths) > MAX_PATHS:
        return request_index_refresh(app)
    folder, token = app.spool_folder, seals.derive_log_line_token(app.signing_key)
    name = git_events.worktree_name_in_events(app.layout.git_dir, is_linked=app.layout.linked)
    return git_events.record_edited_files(
        folder, name, paths, token
    ) and not lease.is_spool_lease_held(folder)


def request_index_refresh(app: App) -> bool:
    """Request that this worktree's index is refreshed; return whether to start ``gitmem drain``.

    That is the background process that updates the index. Raises OSError.
    """
    from gitmem.spool import git_events, lease  # noqa: PLC0415 - only where the index is behind

    folder, token = app.spool_folder, seals.derive_log_line_token(app.signing_key)
    name = git_events.worktree_name_in_events(app.layout.git_dir, is_linked=app.layout.linked)
    return git_events.record_outdated_worktree(
        folder, name, token
    ) and not lease.is_spool_lease_held(folder)


def _may(app: App) -> bool:
    enabled = bool(app.settings.number("hooks.enabled"))
    return enabled and app.settings.allows_background and not app.store.read_only
