"""How a session looks in a result."""

from gitmem.clock import iso
from gitmem.model.frozen import dataclass
from gitmem.model.session import Session
from gitmem.text.fence import one_line

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

_TIMES = ("started_at", "last_at", "ended_at")


@dataclass(frozen=True, slots=True)
class SessionItem:
    """A session in a result; ``ended_at`` is null while it runs."""

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


def item(session: Session) -> SessionItem:
    """The session as an item of a result."""
    fields: dict[str, Any] = {name: getattr(session, name) for name in SessionItem.__slots__}
    for name in _TIMES:
        fields[name] = None if fields[name] is None else iso(fields[name])
    return SessionItem(**fields)


def line(session: SessionItem) -> str:
    """One line: id, when, who, what for."""
    state = "running" if session.ended_at is None else f"ended {session.ended_at[:16]}"
    what = one_line(session.summary or session.goal, 50)
    who = one_line(session.agent, 12) or "person"
    return f"{session.id}  {session.started_at[:16]}  {who:<12} {state:<22} {what}"
