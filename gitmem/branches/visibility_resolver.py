"""Finding the memories that were made on commits that HEAD does not contain.

An answer for an earlier HEAD is updated (``_update_earlier``), else git is asked about every commit
(``_resolve_all``). ``record_copied_commits`` looks for copies of the missing commits in HEAD's
history.
"""

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import ancestry
from gitmem.git.head import is_commit_id, is_shallow
from gitmem.memory import visibility
from gitmem.memory.visibility import CheckoutState
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import WAITING
from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility, rewritten_commits
from gitmem.store.memory.branch_visibility import VisibilitySnapshot, VisibilityState

MOST_SOUGHT = 50  # birth commits of which copies are looked for at a time
MOST_KNOWN = 200


@dataclass(frozen=True, slots=True)
class HiddenMemoriesAtHead:
    """The ids of memories that belong to other branches than HEAD, and how that was found.

    ``checkout`` says which commits HEAD lacks, ``snapshot`` is what the next search starts from.
    """

    hidden_ids: tuple[str, ...]
    snapshot: VisibilitySnapshot
    checkout: CheckoutState


def record_first_commits_of_branches(app: App, database: Database) -> int:
    """Store the first commits of branches that had memories before any commit; returns how many.

    They are read from git's logs of these branches.
    """
    waits = branch_visibility.branches_awaiting_first_commit(database)
    if not waits:
        return 0
    from gitmem.git import branch_log  # noqa: PLC0415 - few memories precede the first commit

    branch = app.git_head.branch or ""
    former = branch_log.former_branch_names(app.layout, branch)
    steps = {
        born: branch_log.read_branch_reflog(
            app.layout, branch if born in former else born, is_branch_deleted=True
        )
        for born in {born for born, _ in waits}
    }
    firsts = {
        birth: branch_log.first_commit_made_after(steps[born], birth.split(WAITING)[1])
        for born, birth in waits
    }
    pairs = [(birth, first) for birth, first in firsts.items() if first]
    if not pairs:
        return 0
    with database.write():
        return rewritten_commits.add_rewritten_commits(database, pairs, "first", at_ms=app.now)


def find_memories_hidden_at_head(
    app: App, database: Database, state: VisibilityState, *, always_query_git: bool = False
) -> HiddenMemoriesAtHead:
    """The HiddenMemoriesAtHead: memories of other branches, by the commits where they were made.

    ``state`` is what the store has on that. While all memories are from this branch git is not
    asked, unless ``always_query_git``. Nothing is stored.
    """
    head, branch = app.git_head.commit or "", app.git_head.branch or ""
    has_base = state.snapshot is not None and state.snapshot.base
    if not (
        has_base
        or always_query_git
        or branch_visibility.has_memory_of_other_branch(database, branch, head)
    ):
        return HiddenMemoriesAtHead(
            (),
            VisibilitySnapshot(state.seq, state.id, state.mark),
            CheckoutState(branch, frozenset()),
        )
    current = _update_earlier(app, database, state, head) or _resolve_all(
        app, database, state, head
    )
    current = replace(current, sought=state.snapshot.sought if state.snapshot else "")
    edges = rewritten_commits.replacement_chain(database, current.unreached)
    former: frozenset[str] = frozenset()
    if branch and any(commit.startswith(WAITING) for commit in current.unreached):
        from gitmem.git import branch_log  # noqa: PLC0415 - as in `settle`

        former = branch_log.former_branch_names(app.layout, branch)
    checkout = CheckoutState(
        branch,
        current.unreached - visibility.commits_reached_by_rewrite(edges, current.unreached),
        current.missing,
        ancestry.main_branch_names(app.layout.common_dir) if current.missing else frozenset(),
        is_shallow(app.layout),
        former,
    )
    rows = branch_visibility.memories_saved_at_commits(database, checkout.unreached)
    hidden_ids = [
        id
        for id, born, commit in rows
        if not visibility.memory_belongs_to_checkout(checkout, born, commit)
    ]
    return HiddenMemoriesAtHead(tuple(hidden_ids), current, checkout)


def record_copied_commits(
    app: App, database: Database, hidden_memories: HiddenMemoriesAtHead
) -> int:
    """Store copies (such as cherry-picks) in HEAD's history of commits it lacks; returns how many.

    ``hidden_memories`` says which commits it lacks.
    """
    unreached = hidden_memories.checkout.unreached
    rows = branch_visibility.memories_saved_at_commits(database, unreached)
    # A rewritten commit may be squashed or picked instead of the original.
    births = [commit for _, _, commit in rows]
    later = [
        new for _, new in rewritten_commits.replacement_chain(database, births) if new in unreached
    ]
    commits = [
        commit
        for commit in dict.fromkeys([*births, *later])
        if commit not in hidden_memories.checkout.missing and is_commit_id(commit)
    ]
    if not commits:
        return 0
    from gitmem.git import copied_commits  # noqa: PLC0415 - for the drain only

    branches = list(dict.fromkeys(branch for _, branch, _ in rows if branch))[:MOST_SOUGHT]
    branch_commits = branch_visibility.commits_of_branches(database, branches, MOST_KNOWN)
    try:
        copies = copied_commits.find_copied_commits(
            app.layout.cwd,
            app.git_head.commit or "",
            commits[:MOST_SOUGHT],
            branch_names=branches,
            tip_commits=filter(is_commit_id, branch_commits),
        )
    except GitmemError:
        return 0  # objects are missing or git is slow; the next HEAD is another chance
    with database.write():
        return sum(
            rewritten_commits.add_rewritten_commits(
                database, [(copy.old, copy.new)], copy.how, at_ms=app.now
            )
            for copy in copies
        )


def _update_earlier(
    app: App, database: Database, state: VisibilityState, head: str
) -> VisibilitySnapshot | None:
    """Update the answer for an earlier HEAD; None where that is not possible."""
    snapshot = state.snapshot
    if (
        snapshot is None
        or not snapshot.base
        or snapshot.mark != state.mark
        or is_shallow(app.layout)
    ):
        return None
    moved = ancestry.commits_lost_and_gained(app.layout.cwd, snapshot.base, head)
    if moved is None or not branch_visibility.is_newest_memory_unchanged(database, snapshot):
        return None
    lost, gained = moved
    new = (
        branch_visibility.commits_of_saved_memories(database, snapshot.seq, state.seq)
        if state.seq > snapshot.seq
        else frozenset()
    )
    reach = ancestry.find_commits_outside_history(
        app.layout.cwd, _with_rewritten(database, new), head
    )
    missing = (snapshot.missing - gained) | reach.missing
    unreached = (snapshot.unreached - gained) | reach.unreached | reach.missing | _waiting(new)
    unreached |= branch_visibility.commits_with_memories(database, lost)
    return VisibilitySnapshot(state.seq, state.id, state.mark, head, unreached, missing)


def _resolve_all(
    app: App, database: Database, state: VisibilityState, head: str
) -> VisibilitySnapshot:
    """The answer from asking git about every commit."""
    births = branch_visibility.commits_of_saved_memories(database, 0, state.seq)
    reach = ancestry.find_commits_outside_history(
        app.layout.cwd, _with_rewritten(database, births), head
    )
    # A shallow clone may be deepened, which changes HEAD's history.
    base = "" if is_shallow(app.layout) else head
    unreached = reach.unreached | reach.missing | _waiting(births)
    return VisibilitySnapshot(state.seq, state.id, state.mark, base, unreached, reach.missing)


def _waiting(births: frozenset[str]) -> frozenset[str]:
    return frozenset(birth for birth in births if birth.startswith(WAITING))


def _with_rewritten(database: Database, commits: frozenset[str]) -> frozenset[str]:
    """The commits with their rewritten forms; anything that is not a commit id is left out."""
    later = (
        {new for _, new in rewritten_commits.replacement_chain(database, commits)}
        if commits
        else set()
    )
    return frozenset(filter(is_commit_id, commits | later))
