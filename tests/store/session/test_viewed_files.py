"""The files that a session viewed lately."""

from __future__ import annotations

from pathlib import Path

from gitmem.model.session import Session
from gitmem.store.session import sessions
from tests.support.stores import START, make_store

SESSION = Session("S" * 26, "", "", "/tree", "main", "", "", "", "", "", START, START, None)


def test_the_newest_come_first_and_old_ones_not_at_all(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    with database.write():
        sessions.save_session(database, SESSION)
        for at, path in enumerate(("old.py", "a.py", "b.py")):
            sessions.record_file_views(database, SESSION.id, [path], START + 1000 * at)
    found = sessions.files_viewed_since(database, SESSION.id, START + 1000, 20)
    assert found == [("b.py", START + 2000), ("a.py", START + 1000)]
    assert sessions.files_viewed_since(database, SESSION.id, START, 1) == [("b.py", START + 2000)]
    assert sessions.files_viewed_since(database, "T" * 26, START, 20) == []
