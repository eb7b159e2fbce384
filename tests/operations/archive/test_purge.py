"""Purging: no byte of a memory stays, in the store or in its backups (S-22)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import NotFound
from gitmem.model.frozen import replace
from gitmem.operations.archive.purge import view
from tests.support.apps import Desk

MARK = "Xylophonquadrat"


def holders(folder: Path) -> list[str]:
    mark = MARK.encode()
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and (mark in (data := path.read_bytes()) or mark.lower() in data)
    ]


@pytest.fixture
def memory(desk: Desk) -> str:
    id = str(desk.run("remember", text=f"about {MARK}", title=MARK, tag=(MARK,)).id)
    desk.run("revise", id=id, text=f"again {MARK}")
    assert holders(desk.store.parent)
    return id


def test_no_byte_stays_in_store_log_or_backups(desk: Desk, memory: str) -> None:
    desk.run("backup")
    desk.run("forget", id=(memory,))
    answer = desk.run("purge", id=(memory,))
    assert answer.purged == (memory,)
    assert len(answer.backups) == 2, "the backup, and the copy outside the work tree"
    assert "also from 2 backups and copies" in view(answer)
    assert "also from 1 backup or copy" in view(replace(answer, backups=answer.backups[:1]))
    assert holders(desk.store.parent) == []
    with pytest.raises(NotFound):
        desk.run("show", id=memory)


def test_a_session_goes_with_what_was_asked_and_noted_in_it(desk: Desk) -> None:
    """What `context` keeps of a question is gone as well, from backups and copies too."""
    desk.run("session start", goal="Keep this one", by="codex")
    desk.run("session start", goal=f"about {MARK}")
    desk.run("session note", text=f"note {MARK}", file=(f"src/{MARK}.py",))
    desk.run("context", query=f"where is {MARK}")
    (id,) = [session.id for session in desk.run("session list").sessions if MARK in session.goal]
    desk.run("backup")
    assert holders(desk.store.parent)
    desk.run("purge", id=(id[:-1],))
    assert holders(desk.store.parent) == []
    assert holders(desk.home / "gitmem") == []
    assert [session.goal for session in desk.run("session list").sessions] == ["Keep this one"]


def test_the_other_memories_stay(desk: Desk, memory: str) -> None:
    other = desk.run("remember", text="Redis is on 6380").id
    desk.run("link", source=memory, target=other)
    desk.run("purge", id=(memory,))
    shown = desk.run("show", id=other)
    assert shown.memory.content == "Redis is on 6380"
    assert shown.links == ()


def test_one_wrong_id_purges_nothing(desk: Desk, memory: str) -> None:
    with pytest.raises(NotFound):
        desk.run("purge", id=(memory, "ZZZZ"))
    assert desk.run("show", id=memory)


def test_the_same_id_twice_is_purged_once(desk: Desk, memory: str) -> None:
    assert desk.run("purge", id=(memory, memory[:-2])).purged == (memory,)


def test_a_global_memory_is_purged_from_the_global_store(desk: Desk) -> None:
    id = desk.run("remember", text=f"I like {MARK}", scope="global").id
    desk.run("purge", id=(id,))
    assert holders(desk.home) == []


def test_what_was_purged_is_not_learnt_again_from_an_export(desk: Desk, memory: str) -> None:
    text = "\n".join(desk.run("export").lines)
    desk.run("purge", id=(memory,))
    answer = desk.run("import", source=text, piped=True)
    assert (answer.purged, answer.added) == (1, 0)
    assert holders(desk.store.parent) == []


def test_a_backup_that_cannot_be_cleaned_is_named(desk: Desk, memory: str) -> None:
    broken = desk.store.parent / "backups" / "mine.db"
    broken.parent.mkdir(mode=0o700, exist_ok=True)
    broken.write_bytes(b"nonsense")
    answer = desk.run("purge", id=(memory,))
    assert answer.remaining == (str(broken),)
    assert broken.read_bytes() == b"nonsense"
