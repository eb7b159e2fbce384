"""Limiting what gitmem injects into a session after the session was compacted."""

from gitmem.app import App
from gitmem.branches.subprojects import Conditions
from gitmem.model.frozen import dataclass
from gitmem.model.session import COMPACTED, Event, Session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions


@dataclass(frozen=True, slots=True)
class SessionInjectionLimits:
    """What gitmem gives to a session unasked: a part of the usual tokens, without some memories.

    ``token_fraction`` is 0 to 1; ``excluded_ids`` are those of memories and notes. ``strategy`` is
    how the session's context was compacted (summarise, selective, aggressive), empty if it was not.
    """

    strategy: str = ""
    token_fraction: float = 1.0
    excluded_ids: tuple[str, ...] = ()

    @property
    def memory_sql_conditions(self) -> Conditions:
        """SQL conditions (text, values) on ``memories AS m`` for the memories that may be given.

        Pinned memories always may.
        """
        if not self.excluded_ids:
            return ()
        marks = ",".join("?" * len(self.excluded_ids))
        return ((f"(m.pinned = 1 OR m.id NOT IN ({marks}))", [*self.excluded_ids]),)

    def token_limit(self, default_tokens: int) -> int:
        """The number of tokens to use in place of ``default_tokens``: its part, at least 1."""
        return max(1, int(default_tokens * self.token_fraction))


NO_LIMITS = SessionInjectionLimits()


def limits_for_session(database: Database, session: Session | None) -> SessionInjectionLimits:
    """The SessionInjectionLimits on what a running session is given, by its last compaction.

    No limits without a compaction, or if the session is None or has ended.
    """
    if session is None or session.ended_at is not None:
        return NO_LIMITS
    last = sessions.events_in_period(database, session=session.id, types=(COMPACTED,), limit=1)
    if not last or not last[0].subject:
        return NO_LIMITS
    share, *out = last[0].text.split()
    return SessionInjectionLimits(last[0].subject, float(share), tuple(out))


def save_limits(app: App, session: Session, limits: SessionInjectionLimits) -> None:
    """Apply limits on what gitmem gives unasked to a session from now on. Call in a transaction."""
    event = Event(
        id=app.new_id(),
        at=app.now,
        type=COMPACTED,
        session=session.id,
        agent=app.agent,
        branch="",
        commit="",
        subject=limits.strategy,
        text=" ".join((str(limits.token_fraction), *limits.excluded_ids)),
    )
    sessions.add_event(app.store, event)
