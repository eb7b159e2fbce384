"""Finding out which memories were born on commits that HEAD does not have.

From an earlier HEAD's answers where there are some (``_since``), else by asking about every commit
(``_whole``). ``seek`` looks whether HEAD has copies of what it lacks.
"""

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import ancestry
from gitmem.git.head import is_commit_id, is_shallow
from gitmem.memory import visibility
from gitmem.memory.visibility import Checkout
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import WAITING
from gitmem.store.db.connection import Database
from gitmem.store.memory import branch_visibility, rewritten_commits
from gitmem.store.memory.branch_visibility import Seen, State

MOST_SOUGHT = 50  # birth commits of which copies are looked for at a time
MOST_KNOWN = 200


@dataclass(frozen=True, slots=True)
class Look:
    """What was found out for a HEAD: the memories elsewhere, and what the next can go by."""

    ids: tuple[str, ...]
    seen: Seen
    checkout: Checkout


def settle(app: App, database: Database) -> int:
    """Write down which branches got their first commit since something was said on them; how many.

    Reads the logs of those branches; asks git nothing.
    """
    waits = branch_visibility.waiting(database)
    if not waits:
        return 0
    from gitmem.git import branch_log  # noqa: PLC0415 - few notes come before the first commit

    branch = app.head.branch or ""
    former = branch_log.former_names(app.layout, branch)
    steps = {
        born: branch_log.steps(app.layout, branch if born in former else born, gone=True)
        for born in {born for born, _ in waits}
    }
    firsts = {
        birth: branch_log.first_own(steps[born], birth.split(WAITING)[1]) for born, birth in waits
    }
    pairs = [(birth, first) for birth, first in firsts.items() if first]
    if not pairs:
        return 0
    with database.write():
        return rewritten_commits.add(database, pairs, "first", at=app.now)


def look(app: App, database: Database, state: State, *, thorough: bool = False) -> Look:
    """Find out which memories are elsewhere. Reads git and the store, writes nothing.

    While everything was born on this branch there is nothing to ask, unless ``thorough``: then the
    first reader on another branch finds the answers about all these commits.
    """
    head, branch = app.head.commit or "", app.head.branch or ""
    known = state.seen is not None and state.seen.base
    if not (known or thorough or branch_visibility.others(database, branch, head)):
        return Look((), Seen(state.seq, state.id, state.mark), Checkout(branch, frozenset()))
    seen = _since(app, database, state, head) or _whole(app, database, state, head)
    seen = replace(seen, sought=state.seen.sought if state.seen else "")
    edges = rewritten_commits.edges(database, seen.unreached)
    former: frozenset[str] = frozenset()
    if branch and any(commit.startswith(WAITING) for commit in seen.unreached):
        from gitmem.git import branch_log  # noqa: PLC0415 - as in `settle`

        former = branch_log.former_names(app.layout, branch)
    checkout = Checkout(
        branch,
        seen.unreached - visibility.carried(edges, seen.unreached),
        seen.missing,
        ancestry.trunks(app.layout.common_dir) if seen.missing else frozenset(),
        is_shallow(app.layout),
        former,
    )
    rows = branch_visibility.born(database, checkout.unreached)
    out = [id for id, born, commit in rows if not visibility.born_here(checkout, born, commit)]
    return Look(tuple(out), seen, checkout)


def seek(app: App, database: Database, look: Look) -> int:
    """Look for copies of the commits that HEAD lacks, and write them down; how many."""
    unreached = look.checkout.unreached
    rows = branch_visibility.born(database, unreached)
    # What took a commit's place on its branch is squashed or picked in its stead.
    births = [commit for _, _, commit in rows]
    later = [new for _, new in rewritten_commits.edges(database, births) if new in unreached]
    commits = [
        commit
        for commit in dict.fromkeys([*births, *later])
        if commit not in look.checkout.missing and is_commit_id(commit)
    ]
    if not commits:
        return 0
    # Imported here: only the drain looks into patches, and needs `re` for it.
    from gitmem.git import copied_commits  # noqa: PLC0415

    branches = list(dict.fromkeys(branch for _, branch, _ in rows if branch))[:MOST_SOUGHT]
    known = branch_visibility.known_of(database, branches, MOST_KNOWN)
    try:
        copies = copied_commits.copies(
            app.layout.cwd,
            app.head.commit or "",
            commits[:MOST_SOUGHT],
            branches=branches,
            known=filter(is_commit_id, known),
        )
    except GitmemError:
        return 0  # objects are missing or git is slow: the next HEAD is another chance
    with database.write():
        return sum(
            rewritten_commits.add(database, [(copy.old, copy.new)], copy.how, at=app.now)
            for copy in copies
        )


def _since(app: App, database: Database, state: State, head: str) -> Seen | None:
    """What is unreached now, from what was at another HEAD; None where that is no help."""
    seen = state.seen
    if seen is None or not seen.base or seen.mark != state.mark or is_shallow(app.layout):
        return None
    moved = ancestry.between(app.layout.cwd, seen.base, head)
    if moved is None or not branch_visibility.still_there(database, seen):
        return None
    lost, gained = moved
    new = (
        branch_visibility.births(database, seen.seq, state.seq)
        if state.seq > seen.seq
        else frozenset()
    )
    asked = ancestry.reach(app.layout.cwd, _followed(database, new), head)
    return Seen(
        state.seq,
        state.id,
        state.mark,
        head,
        (seen.unreached - gained) | branch_visibility.concerned(database, lost) | asked.unreached
        | asked.missing | _waiting(new),
        (seen.missing - gained) | asked.missing,
    )  # fmt: skip


def _whole(app: App, database: Database, state: State, head: str) -> Seen:
    """What is unreached, all asked anew."""
    births = branch_visibility.births(database, 0, state.seq)
    asked = ancestry.reach(app.layout.cwd, _followed(database, births), head)
    # A shallow clone may be deepened, and then HEAD's history is another.
    base = "" if is_shallow(app.layout) else head
    unreached = asked.unreached | asked.missing | _waiting(births)
    return Seen(state.seq, state.id, state.mark, base, unreached, asked.missing)


def _waiting(births: frozenset[str]) -> frozenset[str]:
    return frozenset(birth for birth in births if birth.startswith(WAITING))


def _followed(database: Database, commits: frozenset[str]) -> frozenset[str]:
    """The commits and all that took their places; what is no commit's id is left out."""
    later = {new for _, new in rewritten_commits.edges(database, commits)} if commits else set()
    return frozenset(filter(is_commit_id, commits | later))
