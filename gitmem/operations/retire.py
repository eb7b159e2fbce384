"""Putting memories away and bringing them back: nothing is deleted."""

from collections.abc import Callable
from typing import Annotated

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.memory import edit
from gitmem.model.memory import Memory
from gitmem.model.value import dataclass
from gitmem.operations.registry import DELETE, WRITE, Arg, Operation
from gitmem.operations.revise import change
from gitmem.store import lookup, memories


@dataclass(frozen=True, slots=True)
class Ids:
    """Which memories."""

    id: Annotated[tuple[str, ...], Arg("Ids or beginnings of ids.", positional=True)]


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


def forget(app: App, request: Ids) -> Outcomes:
    """Archive memories; `gitmem restore` brings them back.

    To remove one for good, with its history, use `gitmem purge`.
    """
    return edit_each(app, request.id, "archived", lambda memory: edit.archived(memory, app.now))


def restore(app: App, request: Ids) -> Outcomes:
    """Bring archived memories back."""
    return edit_each(app, request.id, "restored", edit.restored)


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
    database, memory = lookup.find(app.stores(), text)
    with database.write():
        current = memories.get(database, memory.id) or memory
        new = make(current)
        if new != current:
            change(app, database, current, new, action)
    return memory.id


def view(result: Outcomes) -> str:
    """A line for each memory."""
    return "\n".join(one.error or f"{one.action} {one.id}" for one in result.items)


def failures(result: Outcomes) -> int:
    """How many could not be done."""
    return result.failed


FORGET = Operation(
    name="forget",
    request=Ids,
    run=forget,
    view=view,
    effect=DELETE,
    example="gitmem forget 01M6ZK3P",
    tool="forget",
    failures=failures,
)

RESTORE = Operation(
    name="restore",
    request=Ids,
    run=restore,
    view=view,
    effect=WRITE,
    example="gitmem restore 01M6ZK3P",
    tool="restore",
    failures=failures,
)
