"""Marking memories as useful or wrong: a new version of each, with the mark in its facts."""

from gitmem.app import App
from gitmem.capture.change import change
from gitmem.capture.edit_each import for_each
from gitmem.capture.provenance import by_agent
from gitmem.errors import NotFound
from gitmem.memory import feedback
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids


@dataclass(frozen=True, slots=True)
class Marked:
    """What is known of one memory after a mark, or an error; ``average`` is from -1 to 1."""

    id: str
    action: str
    average: float
    useful: int
    wrong: int
    doubted: bool
    error: str


# What is noted of a mark, by what it says.
_ACTIONS = {mark: f"marked {mark}" for mark in (feedback.USEFUL, feedback.WRONG)}


def _rejected(database: Database, memory: Memory) -> bool:
    """Whether the last that a person said of it is that it is wrong."""
    if not feedback.of(memory.metadata).doubted:
        return False
    earlier = reversed(memories.history(database, memory.id))
    marks = (one.action for one in earlier if not one.agent and one.action in _ACTIONS.values())
    return next(marks, "") == _ACTIONS[feedback.WRONG]


def mark_each(app: App, wanted: tuple[str, ...], mark: str) -> tuple[Marked, ...]:
    """Mark each memory. Raises the error of one that was asked for alone.

    Useful counts as a use. Wrong is a judgement of what it says: where a person said or accepted
    it, only a person may pass that. That it was useful anybody may say; no word of it
    changes, and what a person marked wrong stays doubted until a person says otherwise.
    """

    def apply(text: str) -> Marked:
        database, found = short_ids.find(app.stores(), text)
        with database.write():
            old = memories.get(database, found.id)
            if old is None:
                raise NotFound(f"Memory {found.id} was removed a moment ago.", "Run `gitmem list`.")
            rejected = by_agent(app) and _rejected(database, old)
            new, action = feedback.marked(old, mark, rejected=rejected), _ACTIONS[mark]
            if mark == feedback.WRONG:
                change(app, database, old, new, action)
            else:
                memory_writes.revise(database, old, new, at=app.now, action=action, agent=app.agent)
                memory_writes.count_access(database, [old.id], app.now)
        known = feedback.of(new.metadata)
        return Marked(old.id, action, known.average, known.useful, known.wrong, known.doubted, "")

    return for_each(wanted, apply, lambda text, error: Marked(text, "", 0, 0, 0, False, error))
