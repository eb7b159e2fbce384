"""Which memories belong to the checked-out branch, and which to other branches.

Readers ask ``hidden_memories``: one query while HEAD, branch and memories are unchanged. When HEAD
moved, git is asked once which commits were lost and gained. The drain calls
``refresh_hidden_memories``, which also looks for copies of commits (squash merges, cherry-picks)
and notes them for the time when the branch and its commits are gone.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import replace
from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility
from gitmem.store.memory.branch_visibility import (
    HiddenMemories,
    VisibilitySnapshot,
    VisibilityState,
)

EVERYTHING = HiddenMemories()


def hidden_memories(app: App, database: Database) -> HiddenMemories:
    """The memories of other branches, for readers to leave out, as HiddenMemories.

    Do not call it in a transaction. Never waits and never raises GitmemError: if git does not
    answer, the last known answer counts.
    """
    if not _has_history(app, database):
        return EVERYTHING
    tree = app.worktree
    state = branch_visibility.read_visibility_state(database, tree)
    if _is_current(app, database, state):
        return HiddenMemories(tree)
    from gitmem.branches import visibility_resolver  # noqa: PLC0415 - HEAD seldom moves

    if not database.read_only:
        with suppress(GitmemError), database.lock_timeout(0, sync_commits=False):
            if visibility_resolver.record_first_commits_of_branches(app, database):
                state = branch_visibility.read_visibility_state(database, tree)
    try:
        resolved = visibility_resolver.find_memories_hidden_at_head(app, database, state)
    except GitmemError:
        return HiddenMemories(tree) if state.snapshot else EVERYTHING
    if not database.read_only:
        with suppress(GitmemError), database.lock_timeout(0, sync_commits=False):
            _keep(app, database, resolved.snapshot, resolved.hidden_ids)
            return HiddenMemories(tree)
    return HiddenMemories("", resolved.hidden_ids)


def memories_of_other_branches(
    app: App, database: Database, memory_ids: Iterable[str]
) -> frozenset[str]:
    """Those of the given ids of memories that belong to other branches."""
    hidden = hidden_memories(app, database)
    return (
        branch_visibility.hidden_memory_ids(database, hidden, memory_ids)
        if hidden.worktree or hidden.ids
        else frozenset()
    )


def visibility_by_id(app: App, database: Database, memory_ids: Sequence[str]) -> dict[str, str]:
    """{id: ``here`` or ``elsewhere``} for memories of this branch and of other branches."""
    from gitmem.memory.visibility import ELSEWHERE, HERE  # noqa: PLC0415 - few ask in this way

    hidden = memories_of_other_branches(app, database, memory_ids)
    return {id: ELSEWHERE if id in hidden else HERE for id in memory_ids}


def is_visibility_refresh_due(app: App, database: Database) -> bool:
    """Whether HEAD moved since ``refresh_hidden_memories`` last ran, and memories are hidden."""
    if database.read_only or not _has_history(app, database):
        return False
    snapshot = branch_visibility.read_visibility_state(database, app.worktree).snapshot
    if snapshot is None or snapshot.sought == app.git_head.commit:
        return False
    return branch_visibility.has_hidden_memories(database, app.worktree)


def refresh_hidden_memories(app: App, database: Database) -> int:
    """Find and store which memories belong to other branches; returns how many commits were copies.

    It may take a second, and waits for a locked store.
    """
    from gitmem.branches import visibility_resolver  # noqa: PLC0415 - not needed by readers

    if not _has_history(app, database):
        return 0
    visibility_resolver.record_first_commits_of_branches(app, database)

    def find_hidden() -> visibility_resolver.HiddenMemoriesAtHead:
        state = branch_visibility.read_visibility_state(database, app.worktree)
        find = visibility_resolver.find_memories_hidden_at_head
        return find(app, database, state, always_query_git=True)

    resolved = find_hidden()
    if copies := visibility_resolver.record_copied_commits(app, database, resolved):
        resolved = find_hidden()
    _keep(app, database, resolved.snapshot, resolved.hidden_ids, sought=True)
    return copies


def _has_history(app: App, database: Database) -> bool:
    if database.scope == "global" or (layout := app.layout).plain or layout.bare:
        return False
    try:
        return app.git_head.commit is not None
    except GitmemError:
        return False  # an unreadable HEAD hides nothing


def _is_current(app: App, database: Database, state: VisibilityState) -> bool:
    head, branch, snapshot = app.git_head.commit or "", app.git_head.branch or "", state.snapshot
    if (
        snapshot is None
        or (state.head, state.branch) != (head, branch)
        or snapshot.mark != state.mark
    ):
        return False
    if (snapshot.seq, snapshot.id) == (state.seq, state.id):
        return True
    # Memories made here since then are visible anyway.
    return branch_visibility.is_newest_memory_unchanged(
        database, snapshot
    ) and not branch_visibility.has_memory_of_other_branch(
        database, branch, head, after_row_number=snapshot.seq
    )


def _keep(
    app: App,
    database: Database,
    snapshot: VisibilitySnapshot,
    ids: tuple[str, ...],
    *,
    sought: bool = False,
) -> None:
    head, branch = app.git_head.commit or "", app.git_head.branch or ""
    snapshot = replace(snapshot, sought=head) if sought else snapshot
    with database.write():
        branch_visibility.save_hidden_memories(
            database, app.worktree, head, branch, snapshot, ids, app.now
        )
