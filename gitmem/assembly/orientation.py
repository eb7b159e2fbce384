"""The orientation of an arrival: who comes back, the facts since then, the text, the trace left.

Every door to it (the command, the start of an agent's session, the MCP resource) takes these steps.
"""

from contextlib import suppress

from gitmem.app import App
from gitmem.assembly import orientation_facts, token_budget
from gitmem.branches import subprojects
from gitmem.errors import GitmemError
from gitmem.git import layout
from gitmem.model.frozen import dataclass, replace
from gitmem.model.section import Pack, Section
from gitmem.model.session import Presence, Session
from gitmem.sessions import injection
from gitmem.sessions.current_session import current_session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.timeline import orientation_sections, visits
from gitmem.timeline.orientation_sections import Facts
from gitmem.timeline.visits import Visit


@dataclass(frozen=True, slots=True)
class Orientation:
    """The facts of an arrival; ``store`` is None where gitmem is not set up."""

    store: Database | None
    facts: Facts
    sections: tuple[Section, ...]
    budget: int

    def pack(self, budget: int | None = None, *, markdown: bool = False) -> Pack:
        """The text within so many tokens, those of the settings if not given."""
        return token_budget.pack(self.sections, budget or self.budget, markdown=markdown)


def prepare(
    app: App,
    visit: Visit | None = None,
    clock: str = "",
    session: Session | None = None,
    teller: str = "",
) -> Orientation:
    """Gather what an orientation tells, of a new arrival unless a ``visit`` is told again.

    ``clock`` replaces the line of the present time, for whoever has to repeat an earlier text.
    ``session`` is the one that is told (default: the one that runs here); where it was compacted,
    the budget is less, and what is pinned comes before everything else. ``teller`` is the host's id
    of a session whose own work is no news to it.
    """
    store = app.store if app.has_store else None
    if visit is None:
        last = (
            None if store is None else sessions.presence(store, subprojects.place(app), app.agent)
        )
        visit = visits.arrive(last, app.now, _elsewhere(app, last))
    cut = injection.WHOLE
    if store is not None:
        cut = injection.of(store, session or current_session(app))
    facts = orientation_facts.gather(app, store, visit, clock, cut.conditions, teller)
    sections = tuple(orientation_sections.sections(facts))
    if cut.strategy:
        sections = tuple(replace(section, required=_first(section)) for section in sections)
    return Orientation(store, facts, sections, cut.tokens(app.settings.number("orient.budget")))


def _elsewhere(app: App, last: Presence | None) -> str:
    """The root of the other worktree of this repository where a reader was; empty if in none.

    A repository that was moved or copied still names the old folder, which is no worktree of it.
    """
    # Behind the mark of ``project_key`` stands a sub-project.
    root = last.worktree.partition("//")[0] if last else app.worktree
    if root != app.worktree:
        with suppress(GitmemError):
            there = layout.find(root)
            if (there.worktree, there.common_dir) == (root, app.layout.common_dir):
                return root
    return ""


def _first(section: Section) -> bool:
    """Whether a compacted session is told a section whole."""
    return section.required or section.name == "pinned"


def note_presence(app: App, orientation: Orientation, *, wait_ms: int) -> None:
    """Note that this reader is here now, so that their next orientation begins here.

    A person and each agent have a place of their own, and one in each sub-project: what one was
    told is news to the others.

    Best effort: on a busy or read-only store the next orientation tells a longer stretch.
    """
    store = orientation.store
    if store is None or store.read_only:
        return
    seen = visits.leave(
        orientation.facts.visit,
        worktree=subprojects.place(app),
        head=app.head.commit or "",
        branch=app.head.branch or "",
        now=app.now,
    )
    with suppress(GitmemError), store.patience(wait_ms, durable=False), store.write():
        sessions.set_presence(store, seen, app.agent)
