"""Estimating how full the context of a session is."""

import os
import stat

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.errors import InvalidInput
from gitmem.memory import session_health
from gitmem.model.frozen import dataclass
from gitmem.model.session import TRANSCRIPT, Session
from gitmem.store.session import sessions
from gitmem.store.session import usage as counted


@dataclass(frozen=True, slots=True)
class Fill:
    """Estimated tokens: of the transcript, injected by gitmem, in total, and the limit.

    Unknown numbers are null. ``level`` is ok, warn, critical or unknown; ``why`` says why.
    """

    transcript: int | None
    injected: int | None
    tokens: int | None
    limit: int
    level: str
    why: str


def fill(app: App, session: Session, given: str, limit: int) -> Fill:
    """How full a session's context is; ``given`` is the path of its transcript, if named.

    Raises InvalidInput where that file cannot be used.
    """
    path = given
    if not path:
        transcripts = sessions.events(app.store, session=session.id, types=(TRANSCRIPT,), limit=1)
        path = transcripts[0].text if transcripts else ""
    size, why = _size(app, path) if path else (None, "no host reported where its transcript is")
    if given and size is None:
        raise InvalidInput(
            f"The transcript cannot be used: {why}.", "Give a file in your home folder."
        )
    transcript = None if size is None else session_health.tokens(size)
    injected = _injected(app, session)
    tokens = None if transcript is None else transcript + (injected or 0)
    level = session_health.level(tokens, limit)
    return Fill(transcript, injected, tokens, limit, level, why)


def _size(app: App, path: str) -> tuple[int | None, str]:
    """The size of a file in the user's home, as a host could name any file; or None and why."""
    home = os.path.realpath(app.settings.home) if app.settings.home else ""
    try:
        real = os.path.realpath(os.path.join(app.layout.cwd, path))
        if not home or os.path.commonpath([home, real]) != home:
            return None, "it is not in your home folder"
        status = os.stat(real)
    except (OSError, ValueError):
        return None, "it does not exist"
    if not stat.S_ISREG(status.st_mode):
        return None, "it is not a file"
    return status.st_size, ""


def _injected(app: App, session: Session) -> int | None:
    """Tokens that gitmem gave to this agent since the day on which the session began.

    Usage is counted by day and agent, not by session; None where it is not counted.
    """
    if not app.settings.number("usage.enabled"):
        return None
    day = session.started_at // DAY
    own = counted.counts_since(app.store, day, more=True).get(
        counted.stored_name(session.agent), {}
    )
    return own.get("injection", (0, 0, 0))[1]
