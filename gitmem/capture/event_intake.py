"""Storing an event that an agent reports: as a memory, or as another occurrence of an error.

Captured memories end unless they are used (``memory.lifecycle``). Output of gitmem is left out.
"""

from contextlib import suppress

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture import known_errors, layer_choice, pipeline
from gitmem.capture.change import edit_memory
from gitmem.capture.known_errors import KnownError
from gitmem.capture.pipeline import BatchSharedContext, SaveMemoryRequest
from gitmem.capture.provenance import may_change, memory_origin
from gitmem.errors import GitmemError, InvalidInput
from gitmem.files import repository_path
from gitmem.git import history, listing
from gitmem.git.runner import run_git
from gitmem.indexing import file_filter
from gitmem.memory import event_types
from gitmem.memory.draft import MemoryDraft, check_paths
from gitmem.memory.event_types import EventDraft, ReportedEvent
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.model.session import Event
from gitmem.sessions import viewed_files
from gitmem.sessions.current_session import current_session
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.fence import make_printable
from gitmem.timeline import command_output, error_signature
from gitmem.timeline.error_signature import ErrorSignature

MET = "error"  # the type of the timeline's events about errors
LONGEST_TRACE = 3_000  # characters
IMPORTANT = 0.8  # of a fix, which therefore does not expire


@dataclass(frozen=True, slots=True)
class EventOutcome:
    """What was done with an event that an agent reported; ``memory`` is the id of what was stored.

    ``actions`` are words such as ``stored`` or ``known error``; ``path`` is the opened file. For an
    error, ``count`` is how often it occurred before, ``known`` the memories about it.
    """

    memory: str
    actions: tuple[str, ...]
    path: str = ""
    signature: ErrorSignature | None = None
    count: int = 0
    known: KnownError | None = None


def store_event(
    app: App, event: ReportedEvent, *, session: str = "", reported_at_ms: int | None = None
) -> EventOutcome:
    """Store an event that an agent reported, as a memory or as another occurrence of an error.

    ``session`` is the id of its session, or empty; ``reported_at_ms`` when it happened, by default
    now. Returns the EventOutcome. Raises InvalidInput, and what storing a memory raises.
    """
    if event.type == event_types.FILE:
        return _take_file(app, event, session, reported_at_ms)
    if event.type == event_types.ERROR:
        return _take_error(app, event, session, reported_at_ms)
    if event.type == event_types.COMMAND and command_output.is_gitmem_command(event.text):
        return EventOutcome("", ("left out: gitmem's own",))
    assert event.memory is not None
    id, action = _keep(app, event.memory, session, reported_at_ms)
    outcome = EventOutcome(id, (action,))
    output = _clean(event.output)
    if event.type == event_types.COMMAND and command_output.is_failure_output(output):
        error_outcome = _take_error(app, replace(event, output=output), session, reported_at_ms)
        return replace(
            error_outcome,
            memory=error_outcome.memory or id,
            actions=(action, *error_outcome.actions),
        )
    return outcome


def _keep(app: App, memory: EventDraft, session: str, at: int | None) -> tuple[str, str]:
    """Store a draft; the id of the memory and what was done."""
    draft = replace(memory.draft, content=_clean(memory.draft.content))
    if at is not None:
        draft = replace(draft, metadata={**(draft.metadata or {}), "event_at": at})
    scope = "global" if memory.layer == "global" else "project"
    whose = memory_origin(app, scope, session)
    if memory.captured:
        whose = replace(whose, source=layer_choice.CAPTURED)
    request = SaveMemoryRequest(
        draft, memory.layer, session, duplicates="" if memory.captured else "skip"
    )
    prepared = pipeline.prepare_memory(app, request, BatchSharedContext({scope: whose}, {}))
    with prepared.ready.database.write():
        saved = pipeline.store_prepared_memory(app, prepared)
    return saved.id, saved.action


def _clean(text: str) -> str:
    """A text without colours and without output of gitmem in it."""
    return command_output.remove_gitmem_frames(make_printable(text))


def _path(app: App, path: str) -> str:
    """The path inside the repository. Raises InvalidInput, also where it is no file name at all."""
    try:
        path.encode("utf-8", "surrogateescape")
        return check_paths([repository_path.to_repository_path(path, app.worktree, app.start)])[0]
    except UnicodeError:
        raise InvalidInput(
            f"{path[:80]!r} cannot be a path.", "Give the file's name as it is on the disk."
        ) from None


def _take_file(app: App, event: ReportedEvent, session: str, at: int | None) -> EventOutcome:
    path = _path(app, event.path)
    if file_filter.name_refusal_reason(path) == "secret" or _is_ignored(app, path):
        return EventOutcome("", ("left out: secret or ignored",))
    content = event.output or _read_beginning(app, path)
    id, action = _keep(app, event_types.event_draft_of_opened_file(path, content), session, at)
    viewed = viewed_files.record_viewed_file(app, path)
    return EventOutcome(id, (action, *(("viewed",) if viewed else ()), "reindex"), path)


def _read_beginning(app: App, path: str) -> str:
    """The beginning of a file; empty where it is not text, is missing or is a link."""
    data = listing.read_worktree_file(app.worktree, path, 4 * event_types.OPENED_LENGTH) or b""
    return "" if b"\0" in data else data.decode("utf-8", "ignore")


def _is_ignored(app: App, path: str) -> bool:
    if app.layout.plain:
        return False
    with suppress(GitmemError):
        args = ["--literal-pathspecs", "ls-files", "-z", "--others", "--ignored"]
        return bool(run_git([*args, "--exclude-standard", "--", path], cwd=app.worktree))
    return False


def _take_error(app: App, event: ReportedEvent, session: str, at: int | None) -> EventOutcome:
    """Count an error that is known, or store it; also its fix if the event has one."""
    output = _clean(event.output)
    signature = error_signature.read_error_signature(output) or _signature_of_message(output)
    if signature is None:
        if event.type == event_types.ERROR:
            raise InvalidInput(
                "The payload has no error in it.",
                "Give the error's message, or the output with the error.",
            )
        return EventOutcome("", ())
    commit = _commit(app, event.commit)
    if event.fix and event.path:
        event = replace(event, path=_path(app, event.path))
    database = app.store
    known_error = known_errors.find_known_error(
        database, signature, visible_memory_filter(app, database)
    )
    before = (
        known_error.error
        if known_error and known_error.error and _is_same_place(signature, known_error.error)
        else None
    )
    if before is not None:
        count = sessions.count_events_about_memory(database, MET, before.id)
        id, actions = before.id, ["known error"]
        _meet_again(app, database, before)
    else:
        id, action = _keep(app, _error(signature, output), session, at)
        count, actions = 0, ["known error" if known_error else "new error", action]
    if known_error is not None and known_error.fix is not None:
        with database.write():
            memory_writes.increment_access_counts(database, [known_error.fix.id], app.now)
    _record_meeting(app, database, signature, id, session, at)
    if event.fix.strip():
        id = _keep_fix(app, database, signature, event, commit, id, session)
        actions.append("fix stored")
    return EventOutcome(id, tuple(actions), signature=signature, count=count, known=known_error)


def _is_same_place(signature: ErrorSignature, error: Memory) -> bool:
    return signature.may_be_raised_in(known_errors.code_location_of_error(error))


def _signature_of_message(output: str) -> ErrorSignature | None:
    """The signature of a message that does not look like an error but was reported as one."""
    line = next((line.strip() for line in output.splitlines() if line.strip()), "")
    return error_signature.signature_of_error_line(line) if line else None


def visible_memory_filter(app: App, database: Database) -> MemoryFilter:
    """A MemoryFilter for the memories visible on this branch, in this sub-project and session.

    Foreign memories (imported, not yet accepted by a person) do not pass.
    """
    running = current_session(app)
    beside = (
        *subprojects.visible_memory_sql_conditions(app, database),
        visible_here.hidden_memories(app, database).visible_sql_condition(),
    )
    working = "" if running is None else running.id
    return MemoryFilter(
        now=app.now, trusted_only=True, working_session=working, extra_conditions=beside
    )


def _error(signature: ErrorSignature, output: str) -> EventDraft:
    half = LONGEST_TRACE // 2
    cut = output if len(output) <= LONGEST_TRACE else f"{output[:half]}\n...\n{output[-half:]}"
    draft = MemoryDraft(
        content=cut,
        title=signature.as_line[:200],
        kind=known_errors.ERROR,
        tags=(signature.memory_tag,),
        metadata={known_errors.PLACE: signature.place} if signature.place else None,
    )
    return EventDraft(draft, "project")


def _meet_again(app: App, database: Database, error: Memory) -> None:
    """Count a use of the error, and restore it from the archive with a new end."""
    with database.write():
        memory_writes.increment_access_counts(database, [error.id], app.now)
        if error.archived_at is not None and may_change(app, error):
            length = layer_choice.captured_memory_ttl_ms(app)
            end = app.now + length
            edit_memory(
                app,
                database,
                error,
                lambda now: replace(now, archived_at=None, ttl_ms=length, expires_at=end),
                "met again",
            )


def _record_meeting(
    app: App, database: Database, signature: ErrorSignature, id: str, session: str, at: int | None
) -> None:
    """Add an event to the timeline, from which occurrences are counted."""
    running = current_session(app, session)
    event = Event(
        id=app.new_id(),
        # Never in the future, even if the reporter's clock is ahead.
        at=app.now if at is None else min(at, app.now),
        type=MET,
        session="" if running is None else running.id,
        agent=app.agent,
        branch=app.git_head.branch or "",
        commit=app.git_head.commit or "",
        subject=id,
        text=signature.as_line[: command_output.LONGEST],
    )
    with database.write():
        sessions.add_event(database, event)


def _keep_fix(
    app: App,
    database: Database,
    signature: ErrorSignature,
    event: ReportedEvent,
    commit: str,
    error: str,
    session: str,
) -> str:
    """Store the fix of an error, linked to it; the id."""
    facts = {known_errors.PLACE: signature.place, known_errors.FIXED_BY: commit}
    draft = MemoryDraft(
        content=event.fix,
        title=f"Fixed: {signature.as_line}"[:200],
        kind=known_errors.FIX,
        tags=(signature.memory_tag,),
        paths=(event.path,) if event.path else (),
        importance=IMPORTANT,
        metadata={name: value for name, value in facts.items() if value},
    )
    id, _ = _keep(app, EventDraft(draft, "project", captured=False), session, None)
    with database.write():
        memory_writes.add_link(database, Link(app.new_id(), id, error, "SOLVES", 1.0, "", app.now))
    return id


def _commit(app: App, text: str) -> str:
    """The full id of the fixing commit; empty where none is given. Raises InvalidInput."""
    if not text:
        return ""
    commit = history.resolve_commit(app.layout.cwd, text)
    if commit is None:
        raise InvalidInput(
            f"There is no commit {text[:40]!r} here.",
            "Leave the commit out, or find its id with: git log",
        )
    return commit


def read_commit_subject(app: App, commit: str) -> str:
    """The first line of a commit's message; empty if git no longer has the commit."""
    with suppress(GitmemError):
        return next(
            (
                commit.subject
                for commit in history.list_commits(app.layout.cwd, until=commit, limit=1)
            ),
            "",
        )
    return ""
