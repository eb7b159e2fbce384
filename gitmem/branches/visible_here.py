"""Which memories belong to what is checked out here, and which to other branches.

Reads ask ``hidden``: while HEAD, branch and memories are as they were, that is one question to the
store. When HEAD moved, git is asked once what it lost and gained. The drain does ``refresh``: it
also looks whether HEAD's new commits are copies of others (a squash merge, a cherry-pick), and
writes that down, so that it is known when branch and commits are gone.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import replace
from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility
from gitmem.store.memory.branch_visibility import Hidden, Snapshot, State

EVERYTHING = Hidden()


def hidden(app: App, database: Database) -> Hidden:
    """What reads of a store must leave out here, brought up to date. Outside a transaction.

    Never fails and never waits: where git does not answer, what was known last counts; where the
    store cannot be written, the answer carries the memories itself.
    """
    if not _placed(app, database):
        return EVERYTHING
    tree = app.worktree
    state = branch_visibility.state(database, tree)
    if _holds(app, database, state):
        return Hidden(tree)
    # Imported here: nearly always HEAD is where it was.
    from gitmem.branches import visibility_resolver  # noqa: PLC0415

    if not database.read_only:
        with suppress(GitmemError), database.patience(0, durable=False):
            if visibility_resolver.settle(app, database):
                state = branch_visibility.state(database, tree)
    try:
        found = visibility_resolver.look(app, database, state)
    except GitmemError:
        return Hidden(tree) if state.snapshot else EVERYTHING
    if not database.read_only:
        with suppress(GitmemError), database.patience(0, durable=False):
            _keep(app, database, found.seen, found.ids)
            return Hidden(tree)
    return Hidden("", found.ids)


def away(app: App, database: Database, ids: Iterable[str]) -> frozenset[str]:
    """Those of some memories that are elsewhere."""
    out = hidden(app, database)
    return branch_visibility.among(database, out, ids) if out.tree or out.ids else frozenset()


def visible(app: App, database: Database, ids: Sequence[str]) -> dict[str, str]:
    """Memory id -> ``here`` or ``elsewhere``."""
    from gitmem.memory.visibility import ELSEWHERE, HERE  # noqa: PLC0415 - few ask in this way

    out = away(app, database, ids)
    return {id: ELSEWHERE if id in out else HERE for id in ids}


def due(app: App, database: Database) -> bool:
    """Whether ``refresh`` has something to do that ``hidden`` leaves undone.

    Memories are elsewhere, and nobody looked for copies since HEAD moved: no hook tells of it, or
    its drain is still to come. One question to the store.
    """
    if database.read_only or not _placed(app, database):
        return False
    seen = branch_visibility.state(database, app.worktree).snapshot
    if seen is None or seen.sought == app.head.commit:
        return False
    return branch_visibility.any_in(database, app.worktree)


def refresh(app: App, database: Database) -> int:
    """Bring what is known of this worktree up to date, copies included; how many were found.

    For the drain and for upkeep: it may take a second, and waits for the store.
    """
    from gitmem.branches import visibility_resolver  # noqa: PLC0415 - not for those who only read

    if not _placed(app, database):
        return 0
    visibility_resolver.settle(app, database)
    found = visibility_resolver.look(
        app, database, branch_visibility.state(database, app.worktree), thorough=True
    )
    copies = visibility_resolver.seek(app, database, found)
    if copies:
        found = visibility_resolver.look(
            app, database, branch_visibility.state(database, app.worktree), thorough=True
        )
    _keep(app, database, found.seen, found.ids, sought=True)
    return copies


def _placed(app: App, database: Database) -> bool:
    """Whether there is a checked-out history to belong to."""
    if database.scope == "global" or app.layout.plain or app.layout.bare:
        return False
    try:
        return app.head.commit is not None
    except GitmemError:
        return False  # a HEAD that even git cannot read hides nothing


def _holds(app: App, database: Database, state: State) -> bool:
    """Whether what was kept still tells the truth: nearly always."""
    head, branch, seen = app.head.commit or "", app.head.branch or "", state.snapshot
    if seen is None or (state.head, state.branch) != (head, branch) or seen.mark != state.mark:
        return False
    if (seen.seq, seen.id) == (state.seq, state.id):
        return True
    # What was said here since then needs no look.
    return branch_visibility.still_there(database, seen) and not branch_visibility.others(
        database, branch, head, since=seen.seq
    )


def _keep(
    app: App, database: Database, seen: Snapshot, ids: tuple[str, ...], *, sought: bool = False
) -> None:
    head, branch = app.head.commit or "", app.head.branch or ""
    seen = replace(seen, sought=head) if sought else seen
    with database.write():
        branch_visibility.keep(database, app.worktree, head, branch, seen, ids, app.now)
