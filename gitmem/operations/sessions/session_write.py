"""Starting a session, noting what happens in it, ending it."""

from gitmem.app import App
from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft
from gitmem.model.frozen import dataclass, replace
from gitmem.model.session import Event, Session
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.sessions.current_session import begin_session, close_session, current_session
from gitmem.sessions.session_view import SessionItem, session_item
from gitmem.store.session import sessions

LONGEST = 4000


@dataclass(frozen=True, slots=True)
class StartSessionRequest:
    """Arguments of `gitmem session start`: a goal, and the agent's own id of the session."""

    goal: Annotated[str, positional_arg("Goal of the session, in a sentence")] = ""
    client_id: Annotated[str, Arg("The host's own session id", metavar="ID")] = ""


@dataclass(frozen=True, slots=True)
class SessionNoteRequest:
    """Arguments of `gitmem session note`: a note, files viewed, a new goal; empty ones are ignored.

    ``end`` ends the session with the note as its summary; ``session`` is its id (empty: the
    running).
    """

    text: Annotated[str, positional_arg("The note", max_stdin_mb=1)] = ""
    file: Annotated[
        Texts,
        Arg("A file viewed or worked on; the last one becomes the active file", path_kind="path"),
    ] = ()
    goal: Annotated[str, Arg("A new goal")] = ""
    end: Annotated[bool, Arg("End the session; the note is its summary")] = False
    session: shared.WhichSession = ""


@dataclass(frozen=True, slots=True)
class EndSessionRequest:
    """Arguments of `gitmem session end`: a summary (empty: what is known) and a session's id."""

    summary: Annotated[str, positional_arg("What was done and what is left", max_stdin_mb=1)] = ""
    session: shared.WhichSession = ""


@dataclass(frozen=True, slots=True)
class SessionChange:
    """The session after it was written to; ``action`` is started, continued, noted or ended."""

    action: str
    session: SessionItem


def start_session(app: App, request: StartSessionRequest) -> SessionChange:
    """Start a session. If this agent has one running here, it is continued instead.

    New memories belong to it, and the next orientation mentions it. The result is the session, and
    whether it is new.
    """
    session, begun = begin_session(app, _check_length("goal", request.goal), request.client_id)
    return SessionChange(
        "started" if begun else "continued",
        session_item(sessions.find_session(app.store, session.id)),
    )


def note_in_session(app: App, request: SessionNoteRequest) -> SessionChange:
    """Record what happens in the running session: a note, files viewed, a new goal, its end.

    Starts a session if none is running. The result is the session, and what was done.
    """
    if request.end:
        return _note_and_end(app, request)
    if not (request.text.strip() or request.file or request.goal):
        raise InvalidInput(
            "There is nothing to note.",
            'Give a text: gitmem session note "the cache is per worker"',
        )
    files = draft.check_paths(request.file)
    text = _check_length("note", request.text)
    session = current_session(app, request.session)
    if session is None:
        session = sessions.find_session(
            app.store, start_session(app, StartSessionRequest(request.goal)).session.id
        )
    now = max(app.now, session.last_at)
    changed = replace(
        session,
        goal=_check_length("goal", request.goal) or session.goal,
        active_file=files[-1] if files else session.active_file,
        last_at=now,
    )
    with app.store.write():
        sessions.save_session(app.store, changed)
        if files:
            sessions.record_file_views(app.store, session.id, files, now)
        if text:
            sessions.add_event(app.store, _event(app, session.id, "note", text))
    return SessionChange("noted", session_item(sessions.find_session(app.store, session.id)))


def _note_and_end(app: App, request: SessionNoteRequest) -> SessionChange:
    """Note files and goal, then end the session. Raises Conflict if none is running."""
    with app.store.write():
        ended = end_session(app, EndSessionRequest(request.text, request.session))
        if request.file or request.goal:
            note_in_session(app, replace(request, text="", end=False, session=ended.session.id))
    return replace(ended, session=session_item(sessions.find_session(app.store, ended.session.id)))


def end_session(app: App, request: EndSessionRequest) -> SessionChange:
    """End the running session with a summary of what was done and what is left.

    If no summary is given, it lists what is known: decisions, commits, files, the last error,
    uncommitted changes.
    """
    session = current_session(app, request.session)
    if session is None:
        raise Conflict("No session is running here.", "`gitmem session start` starts one.")
    if session.ended_at is not None:
        raise Conflict(
            f"Session {session.id} has already ended.",
            "`gitmem session list` shows the sessions; `gitmem session start` starts one.",
        )
    summary = (
        _check_length("summary", request.summary) or session.summary or _work_summary(app, session)
    )
    close_session(app, session, summary)
    return SessionChange("ended", session_item(sessions.find_session(app.store, session.id)))


def _work_summary(app: App, session: Session) -> str:
    from gitmem.agents.events import work_summary  # noqa: PLC0415 - only without a summary

    return work_summary.session_summary_sentence(app, app.store, session)


def _event(app: App, session: str, type: str, text: str) -> Event:
    return Event(
        id=app.new_id(),
        at=app.now,
        type=type,
        session=session,
        agent=app.agent,
        branch=app.git_head.branch or "",
        commit=app.git_head.commit or "",
        subject="",
        text=text,
    )


def _check_length(name: str, text: str) -> str:
    clean = text.replace("\x00", " ").strip()
    if len(clean) > LONGEST:
        raise InvalidInput(
            f"The {name} has {len(clean):,} characters; at most {LONGEST:,} are allowed.",
            "Shorten it, or save it with `gitmem remember`.",
        )
    return clean


def view(result: SessionChange) -> str:
    """Return the text to print: whether the session was started, continued, noted or ended."""
    return f"{result.action} session {result.session.id}"


START = Operation(
    "session start",
    start_session,
    view,
    WRITE,
    '"Make the import idempotent"',
    tool="session_start",
)

NOTE = Operation(
    "session note",
    note_in_session,
    view,
    WRITE,
    '"the cache is per worker" --file src/cache.py',
    tool="session_note",
)

END = Operation(
    "session end",
    end_session,
    view,
    WRITE,
    '"Import works; tests for Windows line ends are missing"',
    tool="session_end",
)
