"""Processing the events that git hooks recorded: index, rewritten commits, visibility.

Which memories belong to which worktree is settled first: it is quick, and the next reader needs it.

A hook starts this as a detached process at the lowest priority. At most one works on a repository;
if it is killed, the next one processes the events that are left.
"""

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import commit_capture
from gitmem.errors import GitmemError
from gitmem.freshness import anchor_verdict
from gitmem.git import work_trees
from gitmem.git.history import commit_before_amend
from gitmem.githooks import hook_script
from gitmem.indexing import index_behind, index_state, refresh
from gitmem.maintenance import schedule, usage
from gitmem.model.frozen import replace
from gitmem.model.session import Event as TimelineEvent
from gitmem.spool import event_log as spool
from gitmem.spool import git_events, lease
from gitmem.spool.git_events import (
    MAIN,
    CheckoutEvent,
    EditEvent,
    Event,
    RewriteEvent,
    WorktreeNamedEvent,
)
from gitmem.store.code import commits, indexed_files, tree_state
from gitmem.store.db import projects, seals
from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility, rewritten_commits
from gitmem.store.session import sessions
from gitmem.text.quantity import quantity

# A rebase or a script makes many commits in a row: they are indexed together.
COALESCE_SECONDS = 0.3
# So long it waits for a stream of them at most, since somebody may be searching.
MOST_WAITS = 10
MOST_RECOGNISED = 500
# For looking after an index run whether what memories cite still stands; the rest is looked at by
# whoever is shown it.
LOOK_MS = 5_000


def process_hook_events(app: App) -> tuple[int, int]:
    """Bring the repository's database up to date with what git hooks and agents' hooks recorded.

    Returns the number of events, and of worktrees whose search tables were updated.
    """
    if app.has_store:
        app.refuse_tracked_store()  # folders in it may lead anywhere
    # What was noted of sessions first: it is quick, and the next orientation asks for it.
    ended: set[str] = set()
    events, trees = process_agent_hook_events(app, ended)
    text, behind = _of_git(app)
    events, trees = events + text, trees + behind
    if app.has_store:
        if projects.get_meta(app.store, seals.SESSIONS) is None:
            from gitmem.agents.events import replay  # noqa: PLC0415 - once in a store's life

            replay.require_event_signatures(app)
        if app.settings.number("hooks.enabled"):
            commit_capture.propose_decisions_ignoring_errors(app)
        usage.store_pending_usage_counts(app)
        if schedule.is_maintenance_due(app):
            from gitmem.background import upkeep  # noqa: PLC0415 - most drains are not due

            upkeep.run_due_maintenance(app)
            ended.add("")  # those of any host whose end nobody heard
    if ended and app.settings.number("transcripts.import"):
        from gitmem.transcripts import importer  # noqa: PLC0415 - only for users who want it

        importer.import_recent_sessions(app, ended - {""})
    return events, trees


def process_events_after_indexing(app: App) -> None:
    """Process the waiting events and find which stored notes belong here, after an index run.

    An index run, started by the user, read changed files into the search tables. Copies of commits
    are looked for too, so that a squash merge is recognised at once.
    """
    _of_git(app, drains=False)
    refresh_memory_visibility(app)
    refresh_unverified_memories(app)


def _of_git(app: App, *, drains: bool = True) -> tuple[int, int]:
    """Process the events of git hooks; how many, and how many worktrees were behind.

    With ``drains``, first waits until hooks are quiet, and settles which memories belong where;
    other callers do that themselves.
    """
    folder = app.spool_folder
    events = trees = 0
    while os.path.isdir(folder):
        held = lease.try_take_spool_lease(folder, os.getpid())
        if held is None:
            break  # another one is at work, and will look again
        try:
            if drains:
                _wait_for_quiet(folder)
            token, sealed = _sealed_with(app)
            taken, batch = git_events.take_git_events(
                folder, token, now_ms=app.now, pid=os.getpid()
            )
            if taken and app.settings.number("hooks.enabled"):
                trees += _deal_with(app, taken, visibility=drains)
            events += len(taken)
            spool.discard_line_batch(folder, batch, now_ms=app.now)
            if sealed and not token:
                projects.require_sealed_log_lines(app.store, seals.SPOOL)
        finally:
            held.release()
        if not spool.count_unread_log_bytes(folder):
            break
    return events, trees


def _sealed_with(app: App) -> tuple[str, bool]:
    """By which word lines of the spool are known, and whether all hooks write it by now.

    Empty where an older gitmem of the user's wrote some of what waits: then every line counts.
    """
    token = seals.derive_log_line_token(app.store.key)
    sealed = False
    with suppress(GitmemError):  # a git folder that cannot be written: doctor tells
        sealed = hook_script.hook_script_has_token(app.layout, token) or _renew_hooks(app, token)
    return ("" if projects.get_meta(app.store, seals.SPOOL) is None else token), sealed


def _renew_hooks(app: App, token: str) -> bool:
    from gitmem.githooks import hook_status  # noqa: PLC0415 - once for each key of a store

    return hook_status.set_hook_token(app, token)


def _deal_with(app: App, taken: tuple[Event, ...], *, visibility: bool) -> int:
    """Process some events; how many worktrees were behind."""
    trees = 0
    named = _named(
        app, [event.worktree for event in taken if isinstance(event, WorktreeNamedEvent)]
    )
    _wire(app, taken)
    if not all(isinstance(event, EditEvent) for event in taken):
        save_events(app, app.store, taken)
        if visibility:
            refresh_memory_visibility(app)
        trees = update_worktrees(app, named)
        if visibility:
            refresh_unverified_memories(app)
    edited: dict[str, dict[str, None]] = {}
    for event in taken:
        if isinstance(event, EditEvent):
            edited.setdefault(event.worktree, {})[event.path] = None
    for name, paths in edited.items():
        # Those of the named worktrees were all looked at.
        for tree in _named(app, [name]):
            trees += tree not in named and _follow_edits(app, tree, list(paths))
    return trees


def _wire(app: App, taken: Sequence[Event]) -> None:
    """Wire agents in worktrees that were just added: git tells of no commit before the first."""
    name = MAIN
    for event in taken:
        if name != MAIN and isinstance(event, CheckoutEvent) and not event.old_commit.strip("0"):
            from gitmem.agents.wiring import checkouts  # noqa: PLC0415 - few drains see one

            for tree in _named(app, [name]):
                checkouts.connect_new_worktree(app, tree)
        name = event.worktree if isinstance(event, WorktreeNamedEvent) else MAIN


def _follow_edits(app: App, tree: str, paths: Sequence[str]) -> bool:
    """Bring what was edited in a worktree up to date; whether it was behind."""
    with suppress(GitmemError):  # the next search finds it, and asks for the whole worktree
        done = refresh.refresh_index_of_paths(app.for_worktree(tree), paths)
        return bool(done.added or done.updated or done.moved or done.dropped)
    return False


def _wait_for_quiet(folder: str) -> None:
    """Wait until hooks are quiet, so that a rebase is followed once, at its end."""
    before = spool.count_unread_log_bytes(folder)
    for _ in range(MOST_WAITS):
        time.sleep(COALESCE_SECONDS)
        now = spool.count_unread_log_bytes(folder)
        if now == before:
            return
        before = now


def process_agent_hook_events(
    app: App, agents_with_ended_session: set[str] | None = None
) -> tuple[int, int]:
    """Store the events that agents' hooks logged; returns (events, worktrees updated) as counts.

    Agents with a session that ended are added to ``agents_with_ended_session``.
    """
    folder = os.path.join(os.path.dirname(app.store_path), spool.SESSIONS)
    if not app.has_store or not spool.count_unread_log_bytes(folder):
        return 0, 0
    # Most drains follow a commit, and find nothing of a session.
    from gitmem.agents.events import event_log, replay  # noqa: PLC0415

    dealt = replay.save_logged_events(app)
    if dealt:
        replay.end_inactive_sessions(app)
    if agents_with_ended_session is not None:
        agents_with_ended_session |= {note.agent for note in dealt if note.what == event_log.END}
    if not any(note.what == event_log.COMMIT for note in dealt):
        return len(dealt), 0
    # Without git hooks nobody else tells of a commit.
    refresh_memory_visibility(app)
    behind = update_worktrees(app)
    refresh_unverified_memories(app)
    return len(dealt), behind


def save_events(app: App, store: Database, events: tuple[Event, ...]) -> None:
    """Store events of git hooks in the database: rewritten commits, and checkouts for the timeline.

    Storing them twice is harmless.
    """
    events = tuple(add_amended_commit_pair(app, event) for event in events)
    with store.write():
        for event in events:
            if isinstance(event, RewriteEvent):
                commits.delete_commits(store, [old for old, _ in event.old_new_pairs])
                how = "amend" if event.command == "amend" else "rebase"
                rewritten_commits.add_rewritten_commits(
                    store, event.old_new_pairs, how, at_ms=app.now
                )
            line = _line(event)
            if line and _is_news(store, event, line[0]):
                sessions.add_event(store, _timeline(app, event, *line))


def add_amended_commit_pair(app: App, event: Event) -> Event:
    """An amend's event with its pair of old and new commit; any other event unchanged.

    A pair that the event lacks is read from git's reflog.
    """
    if not isinstance(event, RewriteEvent) or event.old_new_pairs or event.command != "amend":
        return event
    if not event.commit:
        return event
    with suppress(GitmemError):
        old = commit_before_amend(app.layout.cwd, event.ref or "HEAD", event.commit)
        if old is not None:
            return replace(event, old_new_pairs=((old, event.commit),))
    return event


def _is_news(store: Database, event: Event, type: str) -> bool:
    """Whether the timeline lacks it; checking out the same branch again is no news."""
    if sessions.is_event_recorded(store, event.key):
        return False
    if type != "checkout":
        return True
    return sessions.last_recorded_branch(store, type) != event.ref.removeprefix("refs/heads/")


def _line(event: Event) -> tuple[str, str, str] | None:
    """Type, commit and text for the timeline; None for what git's own log covers."""
    branch = event.ref.removeprefix("refs/heads/")
    if isinstance(event, CheckoutEvent) and event.is_branch_checkout:
        return "checkout", event.new_commit, f"switched to {branch or event.new_commit[:10]}"
    if isinstance(event, RewriteEvent) and event.old_new_pairs:
        text = f"{event.command} rewrote {quantity(len(event.old_new_pairs), 'commit')}"
        return "rewrite", event.old_new_pairs[-1][1], text
    return None


def _timeline(app: App, event: Event, type: str, commit: str, text: str) -> TimelineEvent:
    return TimelineEvent(
        id=event.key,
        at=app.now if event.at_seconds is None else event.at_seconds * 1000,
        type=type,
        session="",
        agent="",
        branch=event.ref.removeprefix("refs/heads/"),
        commit=commit,
        subject="",
        text=text,
    )


def refresh_memory_visibility(app: App) -> None:
    """Find and store which memories each worktree shows, by the branch and commit it has now."""
    store = app.store
    for tree in _trees(app):
        with suppress(GitmemError):  # a worktree that is gone or broken keeps no other waiting
            visible_here.refresh_hidden_memories(app.for_worktree(tree), store)
    removed = [
        tree
        for tree in branch_visibility.worktrees_with_hidden_memories(store)
        if not os.path.isdir(tree)
    ]
    if removed:
        with store.write():
            branch_visibility.delete_hidden_memories(store, removed)


def refresh_unverified_memories(app: App) -> None:
    """Check memories of other branches: are the lines of code that they cite in this worktree too?

    To be called after the search tables were updated, which tell where lines have gone.
    """
    store = app.store
    for tree in _trees(app):
        with suppress(GitmemError):
            ids = branch_visibility.ids_of_unverified_hidden_memories(store, tree, MOST_RECOGNISED)
            if ids:
                anchor_verdict.refresh_cited_code_freshness(app.for_worktree(tree), store, ids)


def _trees(app: App) -> list[str]:
    """The worktrees that are indexed or were read in, and this one."""
    return sorted(
        {
            app.worktree,
            *indexed_files.indexed_worktrees(app.store),
            *branch_visibility.worktrees_with_hidden_memories(app.store),
        }
    )


def _named(app: App, names: Iterable[str]) -> list[str]:
    """The worktrees of these names (``WorktreeNamedEvent.worktree``) that are still there."""
    main = app.layout.store_root
    unique = dict.fromkeys(names)
    worktrees = [
        main if name == MAIN else work_trees.find_linked_worktree(app.layout, name)
        for name in unique
    ]
    return [tree for tree in worktrees if tree]


def update_worktrees(app: App, worktrees: Sequence[str] = ()) -> int:
    """Update the search tables of worktrees whose files changed; returns how many needed it.

    ``worktrees`` are folders; empty: all that have search tables. In the given ones unstaged edits
    are looked for too.
    """
    behind = 0
    for tree in dict.fromkeys(
        worktrees or indexed_files.indexed_worktrees(app.store) or [app.worktree]
    ):
        try:
            # An App knows the HEAD of its beginning, and this one may have drained before.
            other = app.for_worktree(tree)
            is_behind, looked = _is_behind(other, look=tree in worktrees)
            if is_behind or refresh.are_missing_vectors_due(other):
                refresh.refresh_index(other, looked)
                anchor_verdict.refresh_cited_code_freshness(other, other.store, deadline_ms=LOOK_MS)
                behind += 1
        except GitmemError:
            continue  # a worktree that is gone or broken must not keep the others waiting
    return behind


def _is_behind(app: App, *, look: bool) -> tuple[bool, refresh.IndexPlan | None]:
    """Whether the index is behind, and the look at a whole one; ``look``: at unstaged edits too."""
    recorded = tree_state.worktree_index_state(app.store, app.worktree)
    if recorded is None or recorded.state != "whole":
        return True, None
    if not look and index_state.is_git_state_unchanged(app, recorded):
        return False, None
    looked = refresh.plan_index_update(app, all_files=False)
    return index_behind.measure_lag(app, looked.todo).state != "current", looked
