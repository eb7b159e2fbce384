"""Proposing what a session taught when it ends: an error mended, a command that works, a file.

From what its hooks noted, never from what a person typed; nothing that gitmem said itself.
"""

from gitmem.app import App
from gitmem.capture.proposals import Found, propose
from gitmem.memory.decision_finder import own_words_out
from gitmem.memory.draft import Draft
from gitmem.model.session import Session
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.timeline import command_output, learnt
from gitmem.timeline.learnt import Lesson

_MOST_EVENTS = 200


def propose_lessons(
    app: App, database: Database, session: Session, commits: tuple[str, ...] = ()
) -> int:
    """Propose what a session that just ended taught; how many proposals were made.

    ``commits`` are the ids of what was committed in it.
    """
    if not app.settings.number("capture.every"):
        return 0
    told = sessions.events(
        database, session=session.id, types=(learnt.ERROR, learnt.COMMAND), limit=_MOST_EVENTS
    )
    events = [(one.type, text) for one in reversed(told) if (text := _own_out(one.text))]
    files = sessions.files(database, session.id)
    recent = sessions.recent(database, learnt.RECENT_SESSIONS, worktree=session.worktree)
    earlier = [one.files for one in recent if one.id != session.id]
    found = learnt.lessons(events, files, earlier, commits)
    return sum(bool(propose(app, database, _found(session, one))) for one in found)


def _own_out(text: str) -> str:
    return "\n".join(own_words_out(command_output.unframed(text))).strip()


def _found(session: Session, lesson: Lesson) -> Found:
    who = session.agent or "you"
    return Found(
        draft=Draft(
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
