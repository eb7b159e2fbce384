"""One edit applied to each of several memories; one that fails does not stop the others."""

from collections.abc import Callable

from gitmem.app import App
from gitmem.capture.change import change
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.memory import memories, short_ids


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one memory: its id and action, or an error."""

    id: str
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of each memory asked for."""

    items: tuple[Outcome, ...]
    failed: int


def edit_each(
    app: App, wanted: tuple[str, ...], action: str, make: Callable[[Memory], Memory]
) -> Outcomes:
    """Apply an edit to each memory; one that cannot be edited does not stop the others.

    Where only one was asked for its error is raised.
    """
    results = []
    for text in wanted:
        try:
            results.append(Outcome(_edit(app, text, action, make), action, ""))
        except GitmemError as error:
            if len(wanted) == 1:
                raise
            results.append(Outcome(text, "", error.message))
    return Outcomes(tuple(results), sum(1 for one in results if one.error))


def _edit(app: App, text: str, action: str, make: Callable[[Memory], Memory]) -> str:
    database, memory = short_ids.find(app.stores(), text)
    with database.write():
        current = memories.get(database, memory.id) or memory
        new = make(current)
        if new != current:
            change(app, database, current, new, action)
    return memory.id
