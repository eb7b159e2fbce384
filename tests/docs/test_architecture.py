"""The page on the architecture: its walks go where the program goes, its tables are whole."""

from __future__ import annotations

import re

from docs.pages import architecture, program
from docs.pages.walks import COMMAND, IMPORT, TABLE, WALKS, Step, Walk
from gitmem import operations
from tests.support.imports import graph
from tests.support.tables import table

NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)`")
STEPS = [(walk, at) for walk in WALKS for at in range(len(walk.steps))]


def caller(walk: Walk, at: int) -> Step:
    """The earlier room that a step says calls it."""
    step = walk.steps[at]
    if not step.by:
        return walk.steps[at - 1]
    (found,) = (item for item in walk.steps[:at] if item.where == step.by)
    return found


@table("walk", WALKS)
def test_a_walk_is_short_and_passes_each_room_once(walk: Walk) -> None:
    assert 2 <= len(walk.steps) <= 8
    assert len({step.where for step in walk.steps}) == len(walk.steps)


@table(("walk", "at"), STEPS)
def test_every_room_of_a_walk_is_there(walk: Walk, at: int) -> None:
    step = walk.steps[at]
    if step.module:
        assert step.module in program.modules()
    else:
        assert (program.ROOT / step.where).is_file()


@table(("walk", "at"), [(walk, at) for walk, at in STEPS if at])
def test_every_room_of_a_walk_is_called_as_it_says(walk: Walk, at: int) -> None:
    step, before = walk.steps[at], caller(walk, at)
    if step.how == IMPORT:
        assert step.module in graph()[before.module], f"{before.where} does not import it"
    elif step.how == TABLE:
        assert "gitmem.operations" in graph()[before.module], f"{before.where} reads no table"
        places = {place.partition(":")[0] for place in operations.PLACES.values()}
        assert step.where.removeprefix("operations.") in places
    else:
        assert step.how == COMMAND
        assert step.words in (program.ROOT / before.where).read_text(encoding="utf-8")
        verb = step.where.rpartition(".")[2]
        assert verb in step.words
        assert step.where == f"cli.{verb}" or f"internal.{verb}:" in operations.HIDDEN[verb]


@table("walk", WALKS)
def test_rooms_named_in_passing_are_called_there_too(walk: Walk) -> None:
    for step in walk.steps:
        for name in NAMED.findall(step.does):
            assert f"{program.PACKAGE}.{name}" in graph()[step.module], (step.where, name)


def test_every_module_that_the_page_names_is_there() -> None:
    text = architecture.DEPARTURES + architecture.IDEA
    names = {f"{program.PACKAGE}.{name}" for name in NAMED.findall(text) if "." in name}
    assert {name for name in names if not name.endswith(".db")} <= set(program.modules())


def test_every_package_is_on_the_page_with_what_it_is() -> None:
    row = r"^\|(?: \d+ \|)? `([\w.]+)` \| \S.*\| \d+ \|$"
    shown = {name.rpartition(".")[2] for name in re.findall(row, architecture.page(), re.MULTILINE)}
    rooms = [name for name in program.packages() if 0 < name.count(".") < 3]
    assert len(rooms) > 40
    assert [name for name in rooms if name.rpartition(".")[2] not in shown] == []


def test_every_floor_of_the_contract_is_on_the_page() -> None:
    page = architecture.page()
    for number, floor in enumerate(program.layers(), 1):
        assert all(f"\n| {number} | `{name}` | " in page for name in floor)
