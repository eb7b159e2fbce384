"""Proposing the lessons of a session at its end: fixed errors, working commands, central files.

They are read from what hooks recorded, never from a person's prompts or gitmem's own output.
"""

from gitmem.app import App
from gitmem.capture.proposals import ProposedMemory, propose_memory
from gitmem.memory.decision_finder import lines_without_gitmem_output
from gitmem.memory.draft import MemoryDraft
from gitmem.model.session import Session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.timeline import command_output, learnt
from gitmem.timeline.learnt import SessionLesson

_MOST_EVENTS = 200


def propose_lessons(
    app: App, database: Database, session: Session, commits: tuple[str, ...] = ()
) -> int:
    """Propose memories from what an agent did in a session that just ended; returns how many.

    They wait in the inbox for a person. ``commits`` are the ids of the commits made in it.
    """
    if not app.settings.number("capture.every"):
        return 0
    noted = sessions.events_in_period(
        database, session=session.id, types=(learnt.ERROR, learnt.COMMAND), limit=_MOST_EVENTS
    )
    events = []
    for event in reversed(noted):
        lines = lines_without_gitmem_output(command_output.remove_gitmem_frames(event.text))
        if text := "\n".join(lines).strip():
            events.append((event.type, text))
    files = sessions.files_viewed_in_session(database, session.id)
    recent = sessions.recent_sessions(database, learnt.RECENT_SESSIONS, worktree=session.worktree)
    earlier = [other.files for other in recent if other.id != session.id]
    lessons = learnt.find_session_lessons(events, files, earlier, commits)
    return sum(bool(propose_memory(app, database, _finding(session, lesson))) for lesson in lessons)


def _finding(session: Session, lesson: SessionLesson) -> ProposedMemory:
    who = session.agent or "you"
    return ProposedMemory(
        draft=MemoryDraft(
            content=lesson.content,
            title=lesson.title,
            kind=lesson.kind,
            tags=("learnt",),
            paths=lesson.paths,
            importance=lesson.confidence,
        ),
        reason=f"what a session of {who} showed",
        confidence=lesson.confidence,
        identity=lesson.identity,
        session=session.id,
    )
