"""How full the context of a session is, by its host's own figures, else by an estimate."""

import os

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.errors import InvalidInput
from gitmem.files.plain_file import open_regular_file
from gitmem.memory import session_health, transcript_usage
from gitmem.model.frozen import dataclass
from gitmem.model.session import TOKENS, TRANSCRIPT, Event, Session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.store.session import usage as counted

HOST, ESTIMATE = "host", "estimate"
# Bytes at the end of a transcript that are read; the last answer is in them, or it is estimated.
_TAIL = 4 << 20


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """The tokens in a session's context: in its transcript, injected by gitmem, and in all.

    ``limit`` is how many fit. ``counted_by`` is host if the transcript has the agent program's own
    figures, which include what gitmem injected; estimate if only its size is known; else empty.
    Unknown numbers are null. ``level`` is ok, warn (from 70 % of ``limit`` on), critical (85 %) or
    unknown; ``why`` says why unknown.
    """

    transcript: int | None
    injected: int | None
    tokens: int | None
    limit: int
    level: str
    why: str
    counted_by: str = ""


def measure_context_usage(
    app: App, session: Session, transcript_path: str, token_limit: int
) -> ContextUsage:
    """The ContextUsage: tokens in a session's context, and how full that is of ``token_limit``.

    ``transcript_path`` is the file to read, in the user's home; empty: the one that the agent
    program reported. Raises InvalidInput where that file cannot be used.
    """
    transcript, counted_by, why = _transcript_tokens(app, app.store, session, transcript_path)
    if transcript_path and transcript is None:
        raise InvalidInput(
            f"The transcript cannot be used: {why}.", "Give a file in your home folder."
        )
    injected = _injected(app, session)
    tokens = transcript
    if tokens is not None and counted_by == ESTIMATE:
        tokens += injected or 0
    level = session_health.context_fill_level(tokens, token_limit)
    return ContextUsage(transcript, injected, tokens, token_limit, level, why, counted_by)


def record_context_tokens_at_end(app: App, store: Database, session: Session) -> None:
    """Record how many tokens a session's context had at its end, if its agent reports that.

    ``session`` has ended. To be called in a transaction.
    """
    tokens, counted_by, _ = _transcript_tokens(app, store, session, "")
    if counted_by == HOST:
        event = Event(
            app.new_id(), app.now, TOKENS, session.id, session.agent, "", "", "", str(tokens)
        )
        sessions.add_event(store, event)


def context_tokens_at_session_end(database: Database, session_id: str) -> int | None:
    """The tokens in the context at the end of the session with the id ``session_id``.

    None if its agent did not report them.
    """
    noted = sessions.events_in_period(database, session=session_id, types=(TOKENS,), limit=1)
    return int(noted[0].text) if noted and noted[0].text.isdecimal() else None


def _transcript_tokens(
    app: App, store: Database, session: Session, given: str
) -> tuple[int | None, str, str]:
    """The tokens in the transcript, who counted them, and why they are unknown."""
    path = given
    if not path:
        transcripts = sessions.events_in_period(
            store, session=session.id, types=(TRANSCRIPT,), limit=1
        )
        path = transcripts[0].text if transcripts else ""
    if not path:
        return None, "", "no host reported where its transcript is"
    size, lines, why = _read(app, path)
    if size is None:
        return None, "", why
    tokens = transcript_usage.last_context_tokens(lines)
    if tokens is None:
        return session_health.estimate_tokens(size), ESTIMATE, ""
    return tokens, HOST, ""


def _read(app: App, path: str) -> tuple[int | None, list[bytes], str]:
    """The size and the last lines of a file in the user's home; or None and why.

    A host could name any file: nothing of it but numbers is passed on.
    """
    home = os.path.realpath(app.settings.home) if app.settings.home else ""
    try:
        real = os.path.realpath(os.path.join(app.layout.cwd, path))
        if not home or os.path.commonpath([home, real]) != home:
            return None, [], "it is not in your home folder"
        if os.path.exists(real) and not os.path.isfile(real):
            return None, [], "it is not a file"
        with open_regular_file(real) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            return size, file.read(_TAIL).split(b"\n"), ""
    except (OSError, ValueError):
        return None, [], "it does not exist"


def _injected(app: App, session: Session) -> int | None:
    """Tokens that gitmem gave to this agent since the day on which the session began.

    Usage is counted by day and agent, not by session; None where it is not counted.
    """
    if not app.settings.number("usage.enabled"):
        return None
    day = session.started_at // DAY
    counts = counted.usage_counts_since(app.store, day, include_log=True).get(
        counted.redact_agent_name(session.agent), {}
    )
    return counts.get("injection", (0, 0, 0))[1]
