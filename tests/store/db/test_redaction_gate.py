"""No secret enters the store, whichever function writes (CT-27)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.model.memory import Link
from gitmem.model.session import Event, Session
from gitmem.store.db import redaction_gate
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from gitmem.store.session import sessions
from tests.support.secrets import SECRET, leaked
from tests.support.stores import START, edited, keep, said
from tests.support.tables import table

PROSE = f"The key is {SECRET}."
FREE_TEXT = {
    "project": PROSE,
    "title": PROSE,
    "content": PROSE,
    "tags": (SECRET, "fine"),
    "paths": (f"src/{SECRET}.py",),
    "source": PROSE,
    "agent": PROSE,
    "author": PROSE,
    "session": PROSE,
    "branch": f"fix/{SECRET}",
    "commit": PROSE,
    "metadata": json.dumps({"a": [{"deep": PROSE, SECRET: 1, "password": "hunter2hunter2"}]}),
}


def stored_bytes(database: Database) -> bytes:
    """Everything of a store that lies on the disk."""
    return b"".join(found.read_bytes() for found in sorted(Path(database.path).parent.iterdir()))


@pytest.mark.parametrize("field", FREE_TEXT)
def test_a_new_memory_is_cleaned_in_every_field(database: Database, field: str) -> None:
    stored = keep(database, said(**{field: FREE_TEXT[field]}))
    assert not leaked(stored_bytes(database))
    assert "[redacted:" in str(getattr(stored, field))
    assert memories.get_memory(database, stored.id) == stored


@pytest.mark.parametrize("field", FREE_TEXT)
def test_an_edit_is_cleaned_in_every_field_and_so_is_its_history(
    database: Database, field: str
) -> None:
    first = keep(database, said())
    second = edited(database, first, **{field: FREE_TEXT[field]})
    edited(database, second, title="Third")
    assert not leaked(stored_bytes(database))
    assert "[redacted:" in str(
        getattr(memories.earlier_versions(database, first.id)[1].memory, field)
    )


def test_a_secret_under_a_telling_key_goes_although_it_looks_ordinary() -> None:
    assert "hunter2" not in redaction_gate.redact_json(FREE_TEXT["metadata"])


def test_a_link_is_cleaned_when_made_and_when_renewed(database: Database) -> None:
    result, other = keep(database, said(seed=1)), keep(database, said("Other", seed=2))
    for context in (PROSE, PROSE + " again"):
        link = Link("0" * 26, result.id, other.id, "SOLVES", 0.5, context, START)
        with database.write():
            memory_writes.add_link(database, link)
    assert not leaked(stored_bytes(database))
    assert memories.links_of_memory(database, result.id)[0].context.endswith("again")


def test_a_session_is_cleaned(database: Database) -> None:
    session = Session(
        "0" * 26, PROSE, "", "/w", PROSE, "", "", PROSE, PROSE, f"{SECRET}.py", START, START, None
    )
    with database.write():
        sessions.save_session(database, session)
        sessions.record_file_views(database, session.id, [f"src/{SECRET}.py"], START)
        sessions.add_event(
            database,
            Event("1" * 26, START, "note", session.id, PROSE, PROSE, "", "", PROSE),
        )
    assert not leaked(stored_bytes(database))
    found = sessions.find_session(database, session.id)
    assert all("[redacted:" in text for text in (found.goal, found.summary, found.files[0]))


@table(
    ("text", "expected"),
    [("plain", "plain"), ("é", "é"), ("\ud83d\ude00", "😀"), ("\ufeffa", "\ufeffa"), ("", "")],
)
def test_other_text_is_kept(text: str, expected: str) -> None:
    assert redaction_gate.redact_text(text) == expected


def test_half_a_character_becomes_a_mark(database: Database) -> None:
    """JSON escapes and file names that are not UTF-8 bring these in; SQLite takes none."""
    broken = "a\udce9b"
    stored = keep(database, said(content=broken, tags=(broken,), metadata='{"k": "\\udce9"}'))
    assert stored.content == "a\ufffdb"
    assert memories.get_memory(database, stored.id) == stored


def test_sealing_twice_changes_nothing() -> None:
    once = redaction_gate.redact_memory(said(**FREE_TEXT))
    assert redaction_gate.redact_memory(once) == once
