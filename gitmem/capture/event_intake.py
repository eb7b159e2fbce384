"""What becomes of an event that an agent reports: a memory, an error known again.

What is captured so has an end unless it is used (``memory.lifecycle``). Nothing that gitmem itself
said is kept.
"""

from contextlib import suppress
from functools import partial

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture import known_errors, layer_choice, pipeline
from gitmem.capture.change import edit
from gitmem.capture.known_errors import KnownError
from gitmem.capture.pipeline import Shared, Wanted
from gitmem.capture.provenance import may_change, origin
from gitmem.errors import GitmemError, InvalidInput
from gitmem.files import repository_path
from gitmem.git import history, listing
from gitmem.git.runner import run_git
from gitmem.indexing import file_filter
from gitmem.memory import event_types
from gitmem.memory.draft import Draft, check_paths
from gitmem.memory.event_types import EventDraft, ReportedEvent
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.model.session import Event
from gitmem.sessions import viewed_files
from gitmem.sessions.current_session import current_session
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes
from gitmem.store.memory.filters import Filter
from gitmem.store.session import sessions
from gitmem.text.fence import neutralise
from gitmem.timeline import command_output, error_signature
from gitmem.timeline.error_signature import Signature

MET = "error"  # the type of an event of the timeline: an error was met
LONGEST_TRACE = 3_000
IMPORTANT = 0.8  # of how an error was mended: it lasts


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an event; ``memory`` is empty where nothing was kept.

    ``actions`` are words such as ``stored``, ``known error``, ``reindex``. ``path`` is the file
    that was opened. ``signature`` is that of the error in it, ``seen`` how often it was met before,
    ``known`` what is known of it.
    """

    memory: str
    actions: tuple[str, ...]
    path: str = ""
    signature: Signature | None = None
    seen: int = 0
    known: KnownError | None = None


def take(app: App, event: ReportedEvent, *, session: str = "", at: int | None = None) -> Taken:
    """Keep what an event tells; ``at`` is when it happened, in milliseconds, else now.

    Raises InvalidInput for a path or a commit that is none, and what keeping a memory raises.
    """
    if event.type == event_types.FILE:
        return _opened(app, event, session, at)
    if event.type == event_types.ERROR:
        return _met(app, event, session, at)
    if event.type == event_types.COMMAND and command_output.is_own(event.text):
        return Taken("", ("left out: gitmem's own",))
    assert event.memory is not None
    id, action = _keep(app, event.memory, session, at)
    taken = Taken(id, (action,))
    output = _heard(event.output)
    if event.type == event_types.COMMAND and command_output.failed(output):
        met = _met(app, replace(event, output=output), session, at)
        return replace(met, memory=met.memory or id, actions=(action, *met.actions))
    return taken


def _keep(app: App, memory: EventDraft, session: str, at: int | None) -> tuple[str, str]:
    """Keep a draft; the id of the memory and what was done."""
    said = replace(memory.draft, content=_heard(memory.draft.content))
    if at is not None:
        said = replace(said, metadata={**(said.metadata or {}), "event_at": at})
    scope = "global" if memory.layer == "global" else "project"
    whose = origin(app, scope, session)
    if memory.captured:
        whose = replace(whose, source=layer_choice.CAPTURED)
    wanted = Wanted(said, memory.layer, session, duplicates="" if memory.captured else "skip")
    prepared = pipeline.prepare(app, wanted, Shared({scope: whose}, {}))
    with prepared.ready.database.write():
        done = pipeline.store(app, prepared)
    return done.id, done.action


def _heard(text: str) -> str:
    """A text without colours, and without what gitmem had put into it."""
    return command_output.unframed(neutralise(text))


# --- files --------------------------------------------------------------------------------------


def _path(app: App, said: str) -> str:
    """The path inside the repository. Raises InvalidInput, also for what no disk could hold."""
    try:
        said.encode("utf-8", "surrogateescape")
        return check_paths([repository_path.relative(said, app.worktree, app.start)])[0]
    except UnicodeError:
        raise InvalidInput(f"{said[:80]!r} is no path.", "Give it as it is on the disk.") from None


def _opened(app: App, event: ReportedEvent, session: str, at: int | None) -> Taken:
    path = _path(app, event.path)
    if file_filter.refuse_name(path) == "secret" or _is_ignored(app, path):
        return Taken("", ("left out: secret or ignored",))
    content = event.output or _begin_of(app, path)
    id, action = _keep(app, event_types.opened(path, content), session, at)
    viewed = viewed_files.note_viewed(app, path)
    return Taken(id, (action, *(("viewed",) if viewed else ()), "reindex"), path)


def _begin_of(app: App, path: str) -> str:
    """How a file begins; empty where it cannot be read as text."""
    # No link is followed: it may lead out of the repository.
    data = listing.read_file(app.worktree, path, 4 * event_types.OPENED_LENGTH) or b""
    return "" if b"\0" in data else data.decode("utf-8", "ignore")


def _is_ignored(app: App, path: str) -> bool:
    if app.layout.plain:
        return False
    with suppress(GitmemError):
        args = ["--literal-pathspecs", "ls-files", "-z", "--others", "--ignored"]
        return bool(run_git([*args, "--exclude-standard", "--", path], cwd=app.worktree))
    return False


# --- errors -------------------------------------------------------------------------------------


def _met(app: App, event: ReportedEvent, session: str, at: int | None) -> Taken:
    """Know an error again, or keep it; and what mended it, where that is told."""
    output = _heard(event.output)
    signature = error_signature.read(output) or _plain(output)
    if signature is None:
        if event.type == event_types.ERROR:
            raise InvalidInput(
                "The payload tells of no error.", "Give its message, or the output that shows it."
            )
        return Taken("", ())
    commit = _commit(app, event.commit)
    if event.fix and event.path:
        event = replace(event, path=_path(app, event.path))
    database = app.store
    known = known_errors.find(database, signature, seen_here(app, database))
    before = known.error if known and known.error and _is_here(signature, known.error) else None
    if before is not None:
        seen = sessions.count_about(database, MET, before.id)
        id, actions = before.id, ["known error"]
        _meet_again(app, database, before)
    else:
        id, action = _keep(app, _error(signature, output), session, at)
        seen, actions = 0, ["known error" if known else "new error", action]
    if known is not None and known.fix is not None:
        with database.write():
            memory_writes.count_access(database, [known.fix.id], app.now)
    _note(app, database, signature, id, session, at)
    if event.fix.strip():
        id = _keep_fix(app, database, signature, event, commit, id, session)
        actions.append("fix stored")
    return Taken(id, tuple(actions), signature=signature, seen=seen, known=known)


def _is_here(signature: Signature, error: Memory) -> bool:
    return signature.is_same(known_errors.place_of(error))


def _plain(output: str) -> Signature | None:
    """A message that looks like no error, where somebody says that it is one."""
    line = next((line.strip() for line in output.splitlines() if line.strip()), "")
    return error_signature.of_line(line) if line else None


def seen_here(app: App, database: Database) -> Filter:
    """Which memories may be shown: of this branch and sub-project, and of no stranger."""
    running = current_session(app)
    beside = (*subprojects.seen(app, database), visible_here.hidden(app, database).clause())
    working = "" if running is None else running.id
    return Filter(now=app.now, own=True, working=working, beside=beside)


def _error(signature: Signature, output: str) -> EventDraft:
    half = LONGEST_TRACE // 2
    cut = output if len(output) <= LONGEST_TRACE else f"{output[:half]}\n...\n{output[-half:]}"
    draft = Draft(
        content=cut,
        title=signature.headline[:200],
        kind=known_errors.ERROR,
        tags=(signature.tag,),
        metadata={known_errors.PLACE: signature.place} if signature.place else None,
    )
    return EventDraft(draft, "project")


def _meet_again(app: App, database: Database, error: Memory) -> None:
    """It is in use: its end moves, and out of the archive it comes for as long as a new one."""
    with database.write():
        memory_writes.count_access(database, [error.id], app.now)
        if error.archived_at is not None and may_change(app, error):
            edit(app, database, error, partial(_back, app), "met again")


def _back(app: App, error: Memory) -> Memory:
    length = layer_choice.captured_ms(app)
    return replace(error, archived_at=None, ttl_ms=length, expires_at=app.now + length)


def _note(
    app: App, database: Database, signature: Signature, id: str, session: str, at: int | None
) -> None:
    """A line of the timeline each time, from which the times are counted."""
    running = current_session(app, session)
    event = Event(
        id=app.new_id(),
        # What a clock that is ahead reports happened now at the latest.
        at=app.now if at is None else min(at, app.now),
        type=MET,
        session="" if running is None else running.id,
        agent=app.agent,
        branch=app.head.branch or "",
        commit=app.head.commit or "",
        subject=id,
        text=signature.headline[: command_output.LONGEST],
    )
    with database.write():
        sessions.add_event(database, event)


def _keep_fix(
    app: App,
    database: Database,
    signature: Signature,
    event: ReportedEvent,
    commit: str,
    error: str,
    session: str,
) -> str:
    """Keep what mended an error, linked to it; the id."""
    facts = {known_errors.PLACE: signature.place, known_errors.FIXED_BY: commit}
    draft = Draft(
        content=event.fix,
        title=f"Fixed: {signature.headline}"[:200],
        kind=known_errors.FIX,
        tags=(signature.tag,),
        paths=(event.path,) if event.path else (),
        importance=IMPORTANT,
        metadata={name: value for name, value in facts.items() if value},
    )
    id, _ = _keep(app, EventDraft(draft, "project", captured=False), session, None)
    with database.write():
        memory_writes.add_link(database, Link(app.new_id(), id, error, "SOLVES", 1.0, "", app.now))
    return id


def _commit(app: App, asked: str) -> str:
    """The full id of the commit that is said to have mended it. Raises InvalidInput."""
    if not asked:
        return ""
    found = history.resolve_commit(app.layout.cwd, asked)
    if found is None:
        raise InvalidInput(
            f"There is no commit {asked[:40]!r} here.", "Leave it out, or see git log."
        )
    return found


def subject_of(app: App, commit: str) -> str:
    """The subject of a commit; empty where it is not there any more."""
    with suppress(GitmemError):
        return next((one.subject for one in history.log(app.layout.cwd, until=commit, limit=1)), "")
    return ""
