"""Proposing a memory that nobody said: kept out of sight until somebody agrees to it.

A proposal is a memory with the status ``proposed`` whose source is gitmem itself, and a suggestion
whose key is made of what was found. What was proposed once, whatever became of it, is not proposed
again, and neither is what a memory says already.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft
from gitmem.memory.draft import Draft, Origin
from gitmem.model.anchor import Anchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import PENDING, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memory_writes, suggestions
from gitmem.text.digest import sha256

SOURCE = "system_auto"
# Under which name a proposal's further facts hold the id of the decision that it replaces.
SUPERSEDES = "supersedes"
# What nobody looks at is not made longer.
MOST_WAITING = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What capture found: the memory it makes, where it was found, and how sure that is (0 to 1).

    ``identity`` is the text by which it is known again; empty: title and content. ``commit`` and
    ``author`` are those of the commit that says it, ``replaces`` how that names an older decision.
    """

    draft: Draft
    reason: str
    confidence: float
    identity: str = ""
    commit: str = ""
    author: str = ""
    session: str = ""
    replaces: str = ""


def key(found: Found) -> str:
    """What a finding is known by, whatever commit, file or id it comes back with."""
    text = found.identity or f"{found.draft.title}\x1f{found.draft.content}"
    folded = " ".join(text.split()).casefold()
    return sha256(f"memory\x1f{folded}".encode("utf-8", "surrogatepass")).hexdigest()


def propose(app: App, database: Database, found: Found) -> str:
    """Keep a finding as a proposal; its memory's id, empty where it is known.

    Also empty where it is no memory: too long, without a title, with a path outside. Outside of a
    transaction: the files that it cites are read before the store is locked.
    """
    if suggestions.with_key(database, key(found)):
        return ""
    if suggestions.count_pending(database) >= MOST_WAITING:
        return ""
    try:
        said = replace(found.draft, confidence=found.confidence, status="")
        if found.replaces:
            said = replace(said, metadata=_with_target(database, found))
        made = draft.prepare(
            said, _origin(app, found), max_bytes=app.settings.number("memory.max_bytes")
        )
    except InvalidInput:
        return ""
    memory = replace(made.memory, status="proposed")
    cited = _anchors(app, memory)
    with database.write():
        if suggestions.said_before(database, memory):
            return ""
        # Who looked at the same time may have proposed it meanwhile.
        if not suggestions.add(database, _suggestion(app, found, memory.id)):
            return ""
        memory_writes.insert(database, memory)
        anchors.replace(database, memory.id, cited)
    return memory.id


def propose_file(app: App, database: Database, found: Found) -> tuple[str, str]:
    """Propose what somebody asked to have proposed: its id, and ``proposed`` or ``known``.

    Raises Conflict where the inbox takes no more, so that nobody believes that it waits there.
    """
    id = propose(app, database, found)
    full = suggestions.count_pending(database) >= MOST_WAITING
    if not id and full and suggestions.with_key(database, key(found)) is None:
        raise Conflict(
            f"The inbox is full: {MOST_WAITING} suggestions wait.", "See `gitmem inbox`."
        )
    return id, "proposed" if id else "known"


def _anchors(app: App, memory: Memory) -> Sequence[Anchor]:
    if not memory.paths:
        return ()
    from gitmem.freshness import anchoring  # noqa: PLC0415 - most findings cite nothing

    return anchoring.anchor_citations(app, memory).anchors


def _with_target(database: Database, found: Found) -> dict[str, object]:
    """The further facts with the decision that it is to replace once somebody agrees."""
    known = dict(found.draft.metadata or {})
    target = suggestions.decision_in_force(database, found.replaces)
    return known | ({SUPERSEDES: target} if target else {})


def _origin(app: App, found: Found) -> Origin:
    commit = found.commit or (app.head.commit or "")
    return Origin(
        id=app.new_id(),
        now=app.now,
        project=subprojects.key(app),
        author=found.author,
        session=found.session,
        branch=app.head.branch or "",
        commit=commit,
        source=SOURCE,
    )


def _suggestion(app: App, found: Found, memory: str) -> Suggestion:
    return Suggestion(
        id=app.new_id(),
        key=key(found),
        kind="memory",
        memory=memory,
        other="",
        similarity=found.confidence,
        reason=found.reason,
        state=PENDING,
        agent=app.agent,
        created_at=app.now,
    )
