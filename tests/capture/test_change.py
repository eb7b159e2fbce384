"""Edits of memories: as they are now, one by one or many, and only where something differs."""

from __future__ import annotations

import pytest

from gitmem.app import App
from gitmem.capture import change
from gitmem.capture.edit_each import apply_to_each_id_prefix
from gitmem.errors import GitmemError, NotFound
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memories, memory_writes
from tests.support.stores import edited, keep, said


def pinned(memory: Memory) -> Memory:
    return replace(memory, pinned=True)


def test_an_edit_starts_from_what_is_there_now(app: App) -> None:
    observed = keep(app.store, said())
    edited(app.store, observed, title="Meanwhile")
    with app.store.write():
        old, new = change.edit_memory(app, app.store, observed, pinned, "pinned")
    assert (old.title, new.title, new.pinned, new.version) == ("Meanwhile", "Meanwhile", True, 3)
    assert memories.earlier_versions(app.store, observed.id)[-1].action == "pinned"


def test_an_edit_that_changes_nothing_is_no_version(app: App) -> None:
    saved = keep(app.store, said(pinned=True))
    with app.store.write():
        old, new = change.edit_memory(app, app.store, saved, pinned, "pinned")
    assert old is new
    assert memories.earlier_versions(app.store, saved.id) == []


def test_what_was_purged_meanwhile_cannot_be_edited(app: App) -> None:
    saved = keep(app.store, said())
    with app.store.write():
        memory_writes.purge_memory(app.store, saved.id, at_ms=app.now)
    with pytest.raises(NotFound), app.store.write():
        change.edit_memory(app, app.store, saved, pinned, "pinned")


def test_a_sweep_goes_on_behind_what_is_damaged_archived_or_gone(app: App) -> None:
    saved = [keep(app.store, said(f"Fact {number}", seed=number)) for number in range(4)]
    edited(app.store, saved[1], archived_at=1)
    app.store.run("UPDATE memories SET content = 'x' WHERE id = ?", (saved[2].id,))
    ids = [*(memory.id for memory in saved), "0" * 26]

    def run(**options: bool) -> change.EditedMemories:
        make = lambda memory, _used: pinned(memory)  # noqa: E731
        return change.edit_memories(app, app.store, ids, make, "pinned", **options)

    output = run(dry_run=True)
    done = run()
    assert output == done
    assert ([memory.id for memory in done.changed], done.failed) == ([saved[0].id, saved[3].id], 1)
    assert run() == change.EditedMemories((), 1)


def test_of_several_each_is_reported_and_one_alone_is_raised() -> None:
    def apply(text: str) -> str:
        if text == "bad":
            raise NotFound("There is none.")
        return text.upper()

    def failed(text: str, error: str) -> str:
        return f"{text}: {error}"

    assert apply_to_each_id_prefix(("a", "bad", "b"), apply, failed) == (
        "A",
        "bad: There is none.",
        "B",
    )
    with pytest.raises(GitmemError):
        apply_to_each_id_prefix(("bad",), apply, failed)
