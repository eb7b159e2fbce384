"""How much gitmem tells a session by itself: all of it, or less since it was compacted."""

from gitmem.app import App
from gitmem.branches.subprojects import Conditions
from gitmem.model.frozen import dataclass
from gitmem.model.session import COMPACTED, Event, Session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions


@dataclass(frozen=True, slots=True)
class Injection:
    """``share`` of the usual tokens is told (0 to 1), and nothing of ``out``: ids of memories and
    notes. ``strategy`` is how it was compacted, empty where it was not.
    """

    strategy: str = ""
    share: float = 1.0
    out: tuple[str, ...] = ()

    @property
    def conditions(self) -> Conditions:
        """What may be told, as SQL over ``memories AS m``: what was pinned since is always in."""
        if not self.out:
            return ()
        marks = ",".join("?" * len(self.out))
        return ((f"(m.pinned = 1 OR m.id NOT IN ({marks}))", [*self.out]),)

    def tokens(self, usual: int) -> int:
        """What is left of a budget."""
        return max(1, int(usual * self.share))


WHOLE = Injection()


def of(database: Database, session: Session | None) -> Injection:
    """What a session is told, as it was compacted last."""
    if session is None or session.ended_at is not None:
        return WHOLE
    last = sessions.events(database, session=session.id, types=(COMPACTED,), limit=1)
    if not last or not last[0].subject:
        return WHOLE
    share, *out = last[0].text.split()
    return Injection(last[0].subject, float(share), tuple(out))


def note(app: App, session: Session, injection: Injection) -> None:
    """Tell a session so much from now on. In a transaction."""
    event = Event(
        id=app.new_id(),
        at=app.now,
        type=COMPACTED,
        session=session.id,
        agent=app.agent,
        branch="",
        commit="",
        subject=injection.strategy,
        text=" ".join((str(injection.share), *injection.out)),
    )
    sessions.add_event(app.store, event)
