"""Proposing a memory that nobody said: kept out of sight until somebody agrees to it.

A proposal is a memory with the status ``proposed`` whose source is gitmem itself, and a suggestion
whose key is made of what was found. What was proposed once, whatever became of it, is not proposed
again, and neither is what a memory says already.

No more than ``MOST_WAITING`` wait at a time, the surest ones; the others are queued behind them and
come up as soon as there is room. Nothing that was found is lost.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture.provenance import who
from gitmem.errors import InvalidInput
from gitmem.memory import draft
from gitmem.memory.draft import Draft, Origin
from gitmem.model.anchor import Anchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import EVERYWHERE, PENDING, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memory_writes, suggestions
from gitmem.store.memory.memory_rows import digest
from gitmem.text.digest import sha256
from gitmem.text.fence import one_line

SOURCE = "system_auto"
# Under which name a proposal's further facts hold the ids of the decisions that it replaces.
SUPERSEDES = "supersedes"
# So many may be named; whoever replaces more is not read to the end by anybody.
MOST_REPLACED = 10
# A longer list would be read by nobody.
MOST_WAITING = 50
KIND = "memory"


@dataclass(frozen=True, slots=True)
class Found:
    """What capture found: the memory it makes, where it was found, and how sure that is (0 to 1).

    ``identity`` is the text by which it is known again; empty: title and content. ``commit`` and
    ``author`` are those of the commit that says it, ``replaces`` how that names older decisions.
    """

    draft: Draft
    reason: str
    confidence: float
    identity: str = ""
    commit: str = ""
    author: str = ""
    session: str = ""
    replaces: tuple[str, ...] = ()


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
    try:
        said = replace(found.draft, confidence=found.confidence, status="")
        if found.replaces:
            targets, unknown = _targets(database, found.replaces)
            held = {SUPERSEDES: targets} if targets else {}
            said = replace(said, metadata={**(said.metadata or {}), **held})
            found = replace(found, reason=found.reason + unknown)
        prepared = draft.prepare(
            said, _origin(app, found), max_bytes=app.settings.number("memory.max_bytes")
        )
    except InvalidInput:
        return ""
    memory = replace(prepared.memory, status="proposed")
    cited = _anchors(app, memory)
    with database.write():
        if suggestions.said_before(database, memory):
            return ""
        # Who looked at the same time may have proposed it meanwhile.
        if not suggestions.add(database, made := _suggestion(app, found, memory.id)):
            return ""
        memory_writes.insert(database, memory)
        anchors.replace(database, memory.id, cited)
        _make_room(database, made)
    return memory.id


def propose_file(app: App, database: Database, found: Found) -> tuple[str, str]:
    """Propose what somebody asked to have proposed: its id, and what became of it.

    That is ``proposed``, ``known``, or ``queued`` where surer ones fill the inbox.
    """
    id = propose(app, database, found)
    if not id:
        return "", "known"
    made = suggestions.with_key(database, key(found))
    return id, "queued" if made is not None and made.queued else "proposed"


def ask_everywhere(app: App, database: Database, memory: Memory) -> None:
    """Let a person decide whether a memory is to hold in every project. In a transaction.

    What was asked of the same words before is not asked again.
    """
    words = Draft(content=digest(memory), title=EVERYWHERE)
    ask = Found(words, f"{who(app)} asks to keep it for every project", confidence=0.5)
    made = replace(_suggestion(app, ask, memory.id), other=EVERYWHERE)
    if suggestions.add(database, made):
        _make_room(database, made)


def wait_again(app: App, database: Database, memory: Memory) -> None:
    """Let a proposal that came with an import wait here as it did there. In a transaction."""
    if memory.status != "proposed" or memory.source != SOURCE or memory.archived_at is not None:
        return
    said = Draft(content=memory.content, title=memory.title)
    made = _suggestion(app, Found(said, "imported", memory.confidence), memory.id)
    if suggestions.add(database, made):
        _make_room(database, made)


def has_room(database: Database) -> bool:
    """Whether one more proposal may wait."""
    return suggestions.count_pending(database, KIND) < MOST_WAITING


def fill_up(database: Database) -> None:
    """Let what is queued come up as far as there is room. In a transaction."""
    while has_room(database) and (best := suggestions.next_queued(database)) is not None:
        suggestions.reopen(database, best.id)


def _make_room(database: Database, added: Suggestion) -> None:
    """Queue the least sure where one too many waits."""
    if suggestions.count_pending(database, KIND) <= MOST_WAITING:
        return
    if (least := suggestions.least_sure(database, added)) is not None:
        suggestions.queue(database, least.id)


def _anchors(app: App, memory: Memory) -> Sequence[Anchor]:
    if not memory.paths:
        return ()
    from gitmem.freshness import anchoring  # noqa: PLC0415 - most findings cite nothing

    return anchoring.anchor_citations(app, memory).anchors


def _targets(database: Database, named: Sequence[str]) -> tuple[list[str], str]:
    """The decisions that it is to replace once somebody agrees, and a word on names of none.

    Each name is a title or how an id begins, or several of these with commas between them.
    """
    targets, unknown = list[str](), list[str]()
    for text in named[:MOST_REPLACED]:
        whole = suggestions.decision_in_force(database, text)
        for name in [text] if whole else text.split(",")[:MOST_REPLACED]:
            id = whole or suggestions.decision_in_force(database, name.strip())
            (targets if id else unknown).append(id or name.strip())
    note = f"; no decision in force is called {one_line(', '.join(unknown), 80)}" if unknown else ""
    if len(named) > MOST_REPLACED:
        note += f"; of {len(named):,} that it names the first {MOST_REPLACED} are looked for"
    return list(dict.fromkeys(targets))[:MOST_REPLACED], note


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
        kind=KIND,
        memory=memory,
        other="",
        similarity=found.confidence,
        reason=found.reason,
        state=PENDING,
        agent=app.agent,
        created_at=app.now,
    )
