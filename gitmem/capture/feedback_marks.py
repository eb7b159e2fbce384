"""Marking memories as useful or wrong: each gets a new version with the mark."""

from gitmem.app import App
from gitmem.capture.change import store_memory_version
from gitmem.capture.edit_each import apply_to_each_id_prefix
from gitmem.capture.provenance import is_agent
from gitmem.errors import NotFound
from gitmem.memory import feedback
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids


@dataclass(frozen=True, slots=True)
class FeedbackMarkOutcome:
    """A memory's feedback after it was marked as useful or wrong, or the error message.

    ``average`` is from -1 (wrong) to 1 (useful), ``useful`` and ``wrong`` count the marks.
    ``doubted``: readers are warned that it was called wrong.
    """

    id: str
    action: str
    average: float
    useful: int
    wrong: int
    doubted: bool
    error: str


# Mark -> the action of the new version.
_ACTIONS = {mark: f"marked {mark}" for mark in (feedback.USEFUL, feedback.WRONG)}


def _is_rejected(database: Database, memory: Memory) -> bool:
    """Whether the last mark of a person was "wrong"."""
    if not feedback.read_feedback(memory.metadata).doubted:
        return False
    earlier = reversed(memories.earlier_versions(database, memory.id))
    marks = (
        version.action
        for version in earlier
        if not version.agent and version.action in _ACTIONS.values()
    )
    return next(marks, "") == _ACTIONS[feedback.WRONG]


def save_feedback_marks(
    app: App, id_prefixes: tuple[str, ...], feedback_mark: str
) -> tuple[FeedbackMarkOutcome, ...]:
    """Mark memories, each named by how its id begins, as ``useful`` or ``wrong``.

    Returns a FeedbackMarkOutcome for each; an error is part of it, but raised if there is a single
    memory. Only a person may call a memory wrong that a person wrote or accepted. What a person
    called wrong stays doubted until a person calls it useful.
    """

    def mark_by_prefix(id_prefix: str) -> FeedbackMarkOutcome:
        database, memory = short_ids.find_memory(app.stores(), id_prefix)
        with database.write():
            old = memories.get_memory(database, memory.id)
            if old is None:
                raise NotFound(
                    f"Memory {memory.id} was removed a moment ago.",
                    "`gitmem list` shows the memories that exist.",
                )
            rejected = is_agent(app) and _is_rejected(database, old)
            new, action = (
                feedback.add_mark_to_memory(old, feedback_mark, rejected_by_person=rejected),
                _ACTIONS[feedback_mark],
            )
            if feedback_mark == feedback.WRONG:
                store_memory_version(app, database, old, new, action)
            else:
                memory_writes.revise_memory(
                    database, old, new, at_ms=app.now, action=action, agent=app.agent
                )
                memory_writes.increment_access_counts(database, [old.id], app.now)
        total = feedback.read_feedback(new.metadata)
        return FeedbackMarkOutcome(
            old.id, action, total.average, total.useful, total.wrong, total.doubted, ""
        )

    return apply_to_each_id_prefix(
        id_prefixes,
        mark_by_prefix,
        lambda text, error: FeedbackMarkOutcome(text, "", 0, 0, 0, False, error),
    )
