"""Formatting a session as JSON and as a line of text."""

from gitmem.clock import format_iso
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.session import Session
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class SessionItem:
    """A session as results and their JSON show it; ``ended_at`` is null while it runs.

    Times are ISO 8601. ``head_start`` and ``head_end`` are the commits of HEAD then; ``client_id``
    is the id that its agent gave; ``files`` are those viewed.
    """

    id: str
    agent: str
    client_id: str
    worktree: str
    branch: str
    head_start: str
    head_end: str
    goal: str
    summary: str
    active_file: str
    files: tuple[str, ...]
    started_at: str
    last_at: str
    ended_at: str | None


def session_item(session: Session) -> SessionItem:
    """The session as a SessionItem, the form that results and their JSON have."""
    ended = None if session.ended_at is None else format_iso(session.ended_at)
    begun, last = format_iso(session.started_at), format_iso(session.last_at)
    return copy_fields(SessionItem, session, started_at=begun, last_at=last, ended_at=ended)


def format_session_line(session: SessionItem) -> str:
    """A session as a line of text: id, start, agent, state, and summary or goal."""
    state = "running" if session.ended_at is None else f"ended {session.ended_at[:16]}"
    text = one_line(session.summary or session.goal, 50)
    agent = one_line(session.agent, 12) or "person"
    return f"{session.id}  {session.started_at[:16]}  {agent:<12} {state:<22} {text}"
