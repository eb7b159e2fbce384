"""A pair that two sessions merge at once, and a merge that is undone more than once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from gitmem.app import App
from gitmem.capture import consolidate
from gitmem.errors import Conflict, InvalidInput
from gitmem.store.memory import consolidations, memories
from tests.support.apps import SECOND, Desk
from tests.support.cli import Program

FACT = "The integration tests need a Redis on port 6380"
MORE = "The integration tests need a running Redis on port 6380"


def pair(desk: Desk) -> tuple[str, str, str]:
    """Two memories of a person that say the same; their ids, and that of the suggestion."""
    item = desk.run("remember", text=FACT).id
    desk.clock.advance(SECOND)
    two = desk.run("remember", text=MORE).id
    (result,) = desk.run("inbox").items
    return item, two, result.id


def test_two_processes_that_accept_one_pair_merge_it_once(
    desk: Desk, app: App, program: Program
) -> None:
    result, two, query = pair(desk)
    with ThreadPoolExecutor(2) as pool:
        done = [*pool.map(lambda _: program("inbox", "accept", query, status=None), range(2))]
    assert sorted(item.status == 0 for item in done) == [False, True]
    assert len(consolidations.latest_memory_merges(app.store, 5)) == 1
    target, source = (memories.get_memory(app.store, id) for id in (result, two))
    assert target and source
    assert (target.version, source.superseded_by) == (2, result)


def test_an_undone_merge_undone_again_only_waits_again_and_changes_no_memory(
    desk: Desk, app: App
) -> None:
    item, two, query = pair(desk)
    desk.run("inbox", action="accept", id=(query,))
    desk.run("inbox", action="undo", id=(query,))
    before = [*memories.all_memories(app.store)]
    with pytest.raises(Conflict, match="undone already"):
        consolidate.undo_merge(app, app.store, query)
    with pytest.raises(Conflict, match="rejected already"):
        desk.run("inbox", action="accept", id=(query,))
    # What is taken back is that the pair was to be kept apart.
    assert desk.run("inbox", action="undo", id=(query,)).done[0].action == "waits again"
    with pytest.raises(Conflict, match="still pending"):
        desk.run("inbox", action="undo", id=(query,))
    assert [*memories.all_memories(app.store)] == before
    desk.run("inbox", action="accept", id=(query,))
    assert [
        merge.undone_at is None for merge in consolidations.latest_memory_merges(app.store, 5)
    ].count(True) == 1
    assert {memory.id: memory.superseded_by for memory in memories.all_memories(app.store)} == {
        item: "",
        two: item,
    }


def test_flags_that_contradict_each_other_are_refused_and_store_nothing(
    desk: Desk, app: App
) -> None:
    for values in (
        {"fixed": True},
        {"fixed": True, "pin": True, "ttl": "7d"},
        {"duplicates": "sometimes"},
        {"strategy": "append", "duplicates": "allow"},
    ):
        with pytest.raises(InvalidInput):
            desk.run("remember", text=FACT, **values)
    for values in (
        {"action": "accept"},
        {"action": "accept", "id": ("A",), "text": "x"},
        {"action": "edit", "id": ("A",)},
        {"action": "edit", "id": ("A", "B"), "text": "x"},
        {"action": "undo", "id": ("A",), "resolved": True},
        {"action": "list", "id": ("A",)},
    ):
        with pytest.raises(InvalidInput):
            desk.run("inbox", **values)
    assert [*memories.all_memories(app.store)] == []
