"""Making an orientation: the last visit, the facts since then, the text, the record of this visit.

The command, the start of an agent's session and the MCP resource all take these steps.
"""

from contextlib import suppress

from gitmem.app import App
from gitmem.assembly import orientation_facts, token_budget
from gitmem.branches import subprojects
from gitmem.errors import GitmemError
from gitmem.git import layout
from gitmem.model.frozen import dataclass, replace
from gitmem.model.section import AnswerSection, PackedSections
from gitmem.model.session import LastWorktreeVisit, Session
from gitmem.sessions import injection
from gitmem.sessions.current_session import current_session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.timeline import orientation_sections, visits
from gitmem.timeline.orientation_sections import OrientationFacts
from gitmem.timeline.visits import WorktreeVisit


@dataclass(frozen=True, slots=True)
class Orientation:
    """What a reader is told at the start of a session: facts on the repository, in sections.

    ``store`` is None where gitmem is not set up; ``budget`` is the usual length in tokens.
    """

    store: Database | None
    facts: OrientationFacts
    sections: tuple[AnswerSection, ...]
    budget: int

    def pack_to_budget(
        self, budget: int | None = None, *, markdown: bool = False
    ) -> PackedSections:
        """Return the sections as text within ``budget`` tokens (None: the usual length)."""
        return token_budget.pack_sections(self.sections, budget or self.budget, markdown=markdown)


def prepare_orientation(
    app: App,
    visit: WorktreeVisit | None = None,
    clock_line: str = "",
    session: Session | None = None,
    host_session_id: str = "",
) -> Orientation:
    """Gather what is new in the repository since the reader's last visit, as a session begins.

    ``visit`` says when that was and what was checked out (None: read from the store).
    ``clock_line`` replaces the line with the present time. ``session`` is the reader's (None: the
    one running here); after a compaction the text is shorter. ``host_session_id`` is that session's
    id in the agent program, whose own work is not news.
    """
    store = app.store if app.has_store else None
    if visit is None:
        last = (
            sessions.last_worktree_visit(
                store, subprojects.worktree_and_subproject_key(app), app.agent
            )
            if store
            else None
        )
        visit = visits.begin_visit(last, app.now, _elsewhere(app, last))
    cut = injection.NO_LIMITS
    if store is not None:
        cut = injection.limits_for_session(store, session or current_session(app))
    facts = orientation_facts.gather_orientation_facts(
        app, store, visit, clock_line, cut.memory_sql_conditions, host_session_id
    )
    sections = tuple(orientation_sections.write_orientation_sections(facts))
    if cut.strategy:
        sections = tuple(
            replace(section, required=section.required or section.name == "pinned")
            for section in sections
        )
    return Orientation(
        store, facts, sections, cut.token_limit(app.settings.number("orient.budget"))
    )


def _elsewhere(app: App, last: LastWorktreeVisit | None) -> str:
    """The root of the other worktree of this repository where the reader was; empty if in none.

    A repository that was moved or copied still names its old folder, which is no worktree of it.
    """
    # What follows ``//`` is a sub-project (see ``project_key``).
    root = last.worktree.partition("//")[0] if last else app.worktree
    if root != app.worktree:
        with suppress(GitmemError):
            other_layout = layout.find_repository(root)
            if (other_layout.worktree, other_layout.common_dir) == (root, app.layout.common_dir):
                return root
    return ""


def record_visit(app: App, orientation: Orientation, *, wait_ms: int) -> None:
    """Save that the reader saw the repository now: what comes later is news to the reader.

    Each person and agent has visits of their own in each sub-project. Waits at most ``wait_ms`` for
    the store; if it is busy or read-only, nothing is saved.
    """
    store = orientation.store
    if store is None or store.read_only:
        return
    presence = visits.last_visit_after(
        orientation.facts.visit,
        worktree=subprojects.worktree_and_subproject_key(app),
        head=app.git_head.commit or "",
        branch=app.git_head.branch or "",
        now_ms=app.now,
    )
    with suppress(GitmemError), store.lock_timeout(wait_ms, sync_commits=False), store.write():
        sessions.save_worktree_visit(store, presence, app.agent)
