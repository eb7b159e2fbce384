"""The state of a worktree's index in one line, for `gitmem status`.

A current index costs a stat and a count; only one that may be behind is compared with the files.
"""

from __future__ import annotations

from gitmem.app import App
from gitmem.clock import SECOND, durations, format_iso
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.store.code import tree_state
from gitmem.store.code.tree_state import WorktreeIndexState
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The state of a worktree's index.

    ``state``: current, stale (behind) or unknown (not indexed yet), by what git knows: edits that
    were not staged do not count here, a search notices them. ``running``: the index is being made
    or refreshed now. ``commit`` is the commit that was indexed, ``pieces`` how many pieces of files
    the index holds; ``at`` is when the index was last brought up to date (ISO 8601 UTC, empty:
    never), ``age`` how long ago that was, in words. ``lacks`` says what a stale index lacks.
    ``enabled``: whether files are indexed at all.
    """

    state: str = "unknown"
    running: bool = False
    commit: str = ""
    pieces: int = 0
    at: str = ""
    age: str = ""
    lacks: str = ""
    enabled: bool = True


def summarise_index(app: App) -> IndexSummary:
    """The state of this worktree's index as an IndexSummary; empty if there is no store."""
    if not app.has_store:
        return IndexSummary()
    known = tree_state.worktree_index_state(app.store, app.worktree)
    state, lacks = _state(app, known)
    return IndexSummary(
        state=state,
        running=state != "current" and _is_running(app, known),
        commit=known.head if known else "",
        pieces=tree_state.count_chunks(app.store, app.worktree) if known else 0,
        at=format_iso(known.at) if known else "",
        age=_age(app.now - known.at) if known else "",
        lacks=lacks,
        enabled=bool(app.settings.number("index.enabled")),
    )


def describe_index(index: IndexSummary) -> str:
    """The state of the index as a line for people."""
    if index.running:
        pieces = quantity(index.pieces, "piece")
        return f"indexing now, {pieces} so far" if index.pieces else "indexing now"
    if index.state == "unknown":
        return "not indexed yet: run `gitmem index`"
    if index.state == "stale":
        return f"behind{f' by {index.lacks}' if index.lacks else ''}: run `gitmem index`"
    if not index.enabled:
        return f"of commits alone (index.enabled is 0), {index.age}"
    commit = f" at {index.commit[:10]}" if index.commit else ""
    return f"whole{commit}, {quantity(index.pieces, 'piece')}, {index.age}"


def _age(ms: int) -> str:
    # Not `durations.format_relative_time`: for what is some days old it loads the time zones.
    return f"{durations.format_duration(ms)} ago" if ms >= 30 * SECOND else "just now"


def _state(app: App, known: WorktreeIndexState | None) -> tuple[str, str]:
    """The state, and what the index lacks."""
    if known is None or known.state != "whole":
        return index_state.state_of_incomplete_index(known), ""
    if index_state.is_git_state_unchanged(app, known):
        return "current", ""
    if _is_new(app):
        return "stale", "new commits"
    # Imported here: who has an index that is current does not pay for what makes one.
    from gitmem.indexing import index_behind  # noqa: PLC0415

    found = index_behind.measure_lag(app)
    return found.state, found.as_text


def _is_new(app: App) -> bool:
    """Whether HEAD is a commit that is not indexed: then nothing else need be compared."""
    commit = app.git_head.commit
    expected = commit and app.settings.number("index.commits") > 0
    return bool(expected) and not tree_state.is_commit_indexed(app.store, commit or "")


def _is_running(app: App, known: WorktreeIndexState | None) -> bool:
    """Whether an index run is under way, or the drain that may start one."""
    from gitmem.spool import lease  # noqa: PLC0415 - only where something is behind

    return index_state.is_index_run_active(app, known) or lease.is_spool_lease_held(
        app.spool_folder
    )
