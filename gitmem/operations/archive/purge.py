"""Deleting memories or sessions permanently, from the store and its backups."""

from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.errors import Conflict, NotFound
from gitmem.maintenance import purged_copies, summaries
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import DELETE, Operation
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes, short_ids
from gitmem.store.session import exchanges, sessions
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class PurgeMemoriesRequest:
    """Arguments of `gitmem purge`: ids, or beginnings of ids, of memories and sessions (``id``)."""

    id: shared.Ids


@dataclass(frozen=True, slots=True)
class PurgeMemoriesResult:
    """What `gitmem purge` deleted, what it cleaned, and where the text may still be.

    ``purged`` are ids, ``backups`` the files that were cleaned, ``remaining`` those that could not
    be; ``held`` are logs of the store that another process still reads, which are emptied when it
    ends.
    """

    purged: tuple[str, ...]
    backups: tuple[str, ...]
    remaining: tuple[str, ...]
    held: tuple[str, ...]


def purge_memories(app: App, request: PurgeMemoriesRequest) -> PurgeMemoriesResult:
    """Delete memories permanently.

    For the id of a session it deletes the notes and questions of that session and the list of its
    files, and what was said in it if it was read from a host's files. History and links are
    deleted too, from the store, its backups and its copies. Nothing of the text remains; only the
    id is kept, so that an import does not bring it back. You are asked first; --yes skips that, and
    is needed without a terminal. Only a person can do it. Copies that you made elsewhere (exports,
    other backups) are yours to delete.
    """
    require_person(app, "delete memories permanently")
    named = [_locate(app, text) for text in request.id]
    named += [(app.store, id) for _, session in named for id in _recorded(app, session)]
    pairs = list({id: (database, id) for database, id in named}.values())
    _check_summaries(pairs)
    held: list[str] = []
    for database in {id(database): database for database, _ in pairs}.values():
        with database.write():
            for holder, pair in pairs:
                if holder is database:
                    memory_writes.purge_memory(database, pair, at_ms=app.now)
                    exchanges.delete_conversations(database, [pair])
            exchanges.merge_exchange_text_index(database)
        if not memory_writes.erase_deleted_text_from_file(database):
            held.append(database.path + "-wal")
    ids = [pair for _, pair in pairs]
    cleaned: list[str] = []
    remaining: list[str] = []
    for database in {id(database): database for database, _ in pairs}.values():
        done, left = purged_copies.purge_memories_from_all_copies(app, database, ids)
        cleaned += done
        remaining += left
    return PurgeMemoriesResult(tuple(ids), tuple(cleaned), tuple(remaining), tuple(held))


def _check_summaries(pairs: list[tuple[Database, str]]) -> None:
    """Raise Conflict if a summary that stays quotes a memory that is to be deleted."""
    named = {id for _, id in pairs}
    for database, id in pairs:
        left = [
            summary
            for summary in summaries.ids_of_summaries_quoting(database, id)
            if summary not in named
        ]
        if left:
            raise Conflict(
                f"Summary {left[0]} quotes sentences of memory {id}.",
                f"First undo the summary (`gitmem summarize --undo {left[0]}`), or purge both.",
            )


def _locate(app: App, text: str) -> tuple[Database, str]:
    """The memory with this id, else the session, here or as its host recorded it, with its store.

    Raises NotFound or AmbiguousReference.
    """
    try:
        return short_ids.find_memory_id(app.stores(), text)
    except NotFound as none:
        try:
            return app.store, sessions.find_session(app.store, text).id
        except NotFound:
            recorded = exchanges.conversations_by_prefix(app.store, text)
            if len(recorded) == 1:
                return app.store, recorded[0].id
            raise none from None


def _recorded(app: App, id: str) -> list[str]:
    """The conversations that hosts recorded of a session."""
    clients = [session.client_id for session in sessions.sessions_by_ids(app.store, [id])]
    return [
        conversation.id
        for client in filter(None, clients)
        for conversation in exchanges.recent_conversations(app.store, -1, session=client)
    ]


def view(result: PurgeMemoriesResult) -> str:
    """Return the text to print: a line for each deleted memory, cleaned backup and cleaned copy."""
    lines = [f"purged {id}" for id in result.purged]
    if result.backups:
        lines.append(
            f"also from {quantity(len(result.backups), 'backup or copy', 'backups and copies')}"
        )
    lines += [f"not purged, delete it yourself: {path}" for path in result.remaining]
    lines += [
        f"still in {path} until the other processes that use the store have exited"
        for path in result.held
    ]
    return "\n".join(lines)


PURGE = Operation(
    "purge",
    purge_memories,
    view,
    DELETE,
    "01M6ZK3P",
    confirm="Permanently delete, with history and backups?",
)
