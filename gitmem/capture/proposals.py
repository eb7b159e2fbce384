"""Proposing a memory that gitmem found itself; a person sees it only in the inbox.

A proposal is a memory with the status ``proposed`` and gitmem as its source, and a suggestion whose
key is made of its text. The same text is never proposed twice, nor if a memory has it already.

At most ``MOST_WAITING`` proposals wait, the surest ones; the others are queued until there is room.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture import pair_suggestions
from gitmem.capture.provenance import writer_name
from gitmem.errors import InvalidInput
from gitmem.memory import draft
from gitmem.memory.draft import MemoryDraft, MemoryOrigin
from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import EVERYWHERE, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memory_writes, suggestions
from gitmem.store.memory.memory_rows import duplicate_detection_hash
from gitmem.text.digest import sha256
from gitmem.text.fence import one_line

SOURCE = "system_auto"
# The key of the metadata for the ids of decisions that a proposal replaces, and the most of them.
SUPERSEDES = "supersedes"
MOST_REPLACED = 10
MOST_WAITING = 50  # nobody reads a longer list
KIND = "memory"


@dataclass(frozen=True, slots=True)
class ProposedMemory:
    """A memory to propose to a person: where it was found, in words (``reason``), and how surely.

    ``confidence`` is 0 to 1. ``identity`` is the text by which it is recognised again; empty: title
    and content. ``commit`` and ``author`` are those of the commit it is from, ``replaces`` the
    names of older decisions.
    """

    draft: MemoryDraft
    reason: str
    confidence: float
    identity: str = ""
    commit: str = ""
    author: str = ""
    session: str = ""
    replaces: tuple[str, ...] = ()


def hash_proposal_text(proposed_memory: ProposedMemory) -> str:
    """A hash of a proposal's text, by which it is recognised again, whatever its commit or file."""
    text = (
        proposed_memory.identity
        or f"{proposed_memory.draft.title}\x1f{proposed_memory.draft.content}"
    )
    folded = " ".join(text.split()).casefold()
    return sha256(f"memory\x1f{folded}".encode("utf-8", "surrogatepass")).hexdigest()


def propose_memory(app: App, database: Database, proposed_memory: ProposedMemory) -> str:
    """Put a memory into the inbox, for a person to accept; returns its id, empty if not stored.

    That is so if its text is known or invalid. Do not call it in a transaction.
    """
    if suggestions.find_suggestion_by_key(database, hash_proposal_text(proposed_memory)):
        return ""
    try:
        proposed = replace(proposed_memory.draft, confidence=proposed_memory.confidence, status="")
        if proposed_memory.replaces:
            targets, unknown = _targets(database, proposed_memory.replaces)
            targets_field = {SUPERSEDES: targets} if targets else {}
            proposed = replace(proposed, metadata={**(proposed.metadata or {}), **targets_field})
            proposed_memory = replace(proposed_memory, reason=proposed_memory.reason + unknown)
        prepared = draft.prepare_memory(
            proposed,
            _origin(app, proposed_memory),
            max_bytes=app.settings.number("memory.max_bytes"),
        )
    except InvalidInput:
        return ""
    memory = replace(prepared.memory, status="proposed")
    cited = _anchors(app, memory)
    with database.write():
        if suggestions.is_memory_text_stored(database, memory):
            return ""
        # Another process may have proposed it meanwhile.
        if not suggestions.add_suggestion(
            database, made := _suggestion(app, proposed_memory, memory.id)
        ):
            return ""
        memory_writes.insert_memory(database, memory)
        anchors.replace_anchors(database, memory.id, cited)
        _make_room(database, made)
    return memory.id


def propose_imported_memory(
    app: App, database: Database, proposed_memory: ProposedMemory
) -> tuple[str, str]:
    """Put a memory found by an import into the inbox; returns (its id or "", what was done).

    The latter is ``proposed``, ``known`` or, if the inbox is full of surer ones, ``queued``.
    """
    id = propose_memory(app, database, proposed_memory)
    if not id:
        return "", "known"
    suggestion = suggestions.find_suggestion_by_key(database, hash_proposal_text(proposed_memory))
    return id, "queued" if suggestion is not None and suggestion.is_queued else "proposed"


def suggest_global_visibility(app: App, database: Database, memory: Memory) -> None:
    """Put the question into the inbox whether a memory shall be visible in every project.

    Call it in a transaction. It is asked once for the same text.
    """
    words = MemoryDraft(content=duplicate_detection_hash(memory), title=EVERYWHERE)
    ask = ProposedMemory(
        words, f"{writer_name(app)} asks to keep it for every project", confidence=0.5
    )
    suggestion = replace(_suggestion(app, ask, memory.id), other=EVERYWHERE)
    if suggestions.add_suggestion(database, suggestion):
        _make_room(database, suggestion)


def requeue_imported_proposal(app: App, database: Database, memory: Memory) -> None:
    """Put an imported memory into the inbox if it is an open proposal; call it in a transaction."""
    if not memory.is_unaccepted_proposal or memory.archived_at is not None:
        return
    copy = MemoryDraft(content=memory.content, title=memory.title)
    suggestion = _suggestion(app, ProposedMemory(copy, "imported", memory.confidence), memory.id)
    if suggestions.add_suggestion(database, suggestion):
        _make_room(database, suggestion)


def inbox_has_room(database: Database) -> bool:
    """Whether fewer than 50 proposals wait in the inbox of a store."""
    return suggestions.count_pending_suggestions(database, KIND) < MOST_WAITING


def move_queued_proposals_to_inbox(database: Database) -> None:
    """Move waiting proposals into the inbox while there is room. Call it in a transaction."""
    while (
        inbox_has_room(database)
        and (best := suggestions.next_suggestion_queued_for_inbox(database)) is not None
    ):
        suggestions.reopen_suggestion(database, best.id)


def _make_room(database: Database, added: Suggestion) -> None:
    """Queue the least sure proposal if the inbox is over its limit."""
    if suggestions.count_pending_suggestions(database, KIND) <= MOST_WAITING:
        return
    if (least := suggestions.least_confident_pending_suggestion(database, added)) is not None:
        suggestions.queue_suggestion_for_inbox(database, least.id)


def _anchors(app: App, memory: Memory) -> Sequence[CodeAnchor]:
    if not memory.paths:
        return ()
    from gitmem.freshness import anchoring  # noqa: PLC0415 - most findings cite nothing

    return anchoring.make_code_anchors(app, memory).anchors


def _targets(database: Database, named: Sequence[str]) -> tuple[list[str], str]:
    """The ids of the decisions that a proposal names, and a note on names that match none.

    Each name is a title or the beginning of an id, or several of them separated by commas.
    """
    targets, unknown = list[str](), list[str]()
    for text in named[:MOST_REPLACED]:
        whole = suggestions.find_active_decision(database, text)
        for name in [text] if whole else text.split(",")[:MOST_REPLACED]:
            id = whole or suggestions.find_active_decision(database, name.strip())
            (targets if id else unknown).append(id or name.strip())
    note = f"; no decision in force is called {one_line(', '.join(unknown), 80)}" if unknown else ""
    if len(named) > MOST_REPLACED:
        note += f"; of {len(named):,} that it names the first {MOST_REPLACED} are looked for"
    return list(dict.fromkeys(targets))[:MOST_REPLACED], note


def _origin(app: App, finding: ProposedMemory) -> MemoryOrigin:
    commit = finding.commit or (app.git_head.commit or "")
    return MemoryOrigin(
        id=app.new_id(),
        now=app.now,
        project=subprojects.project_key_for_new_memories(app),
        author=finding.author,
        session=finding.session,
        branch=app.git_head.branch or "",
        commit=commit,
        source=SOURCE,
    )


def _suggestion(app: App, finding: ProposedMemory, memory: str) -> Suggestion:
    return pair_suggestions.make_pair_suggestion(
        app, KIND, hash_proposal_text(finding), memory, "", finding.confidence, finding.reason
    )
