"""A store with every kind of row, whose index an older gitmem made: nothing is lost or asked twice.

``python -m tests.reliability.upgrade`` does the same with an older program.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from gitmem.operations.registry import as_json_values
from gitmem.store.db import schema
from tests.store.file.test_migrate import age
from tests.support.apps import Desk

QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list", {"state": "any", "limit": 100}),
    ("inbox", {}),
    ("inbox", {"resolved": True}),
    ("session list", {}),
    ("session show", {}),
    ("feature list", {}),
    ("skill list", {}),
    ("pattern list", {"active": True}),
    ("config", {}),
)
RELATIONS = ("SOLVES", "CAUSES", "REQUIRES", "RELATED_TO", "ADDRESSES", "CONTRADICTS")
NOTED = {"meta", "usage"}  # what each question notes: when it was, and how often
# Filled by other processes and by amended commits alone; transcripts come from hosts' files, shared
# records from a remote, and what is set aside from a review.
ELSEWHERE = {
    *("jobs", "presence", "rewritten", "usage_days", *schema.OF_TRANSCRIPTS),
    *("sync_records", "sync_devices", "review_acceptances"),
}


def saved(desk: Desk, **values: Any) -> str:
    return str(desk.run("remember", duplicates="allow", **values).id)


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A repository in which everything was used that leaves a row."""
    ids = [saved(desk, text=f"The {word} listens on redis") for word in ("till", "shop", "bank")]
    saved(desk, text="Tabs", scope="global", tag=("style",), pin=True)
    saved(desk, text="For now", layer="working")
    saved(desk, text="Kept a week", ttl="7d", valid_from="2020-01-01", metadata='{"a": 1}')
    saved(desk, text="Cited", anchor=("src/b.py:1-2",), path=("src/a.py",), weight=5)
    away = saved(desk, text="Archived")
    desk.run("forget", id=(away,))
    desk.run("purge", id=(saved(desk, text="Deleted"),))
    desk.run("revise", id=ids[0], text="The till listens on valkey")
    for relation in RELATIONS:
        desk.run("link", source=ids[0], target=ids[1], relation=relation)
    desk.run("feedback", id=(ids[0],), useful=True)
    first = desk.run("decide", title="Use redis", why="Fast").id
    desk.run("decide", title="Use valkey", why="Free", supersedes=first)
    desk.run("decide", title="Use cents", why="Exact", status="proposed")
    desk.run("skill create", slug="release", instructions="Push a tag")
    desk.run("pattern learn", text="Never call `eval()`.")
    for name in ("exec", "open", "input"):
        desk.run("pattern learn", text=f"Never call `{name}()`.", by="codex")
    waiting = [row.id for row in desk.run("inbox").items]
    desk.run("inbox", action="accept", id=(waiting[0],))
    desk.run("inbox", action="reject", id=(waiting[1],))
    other = [saved(desk, text=text, by="codex") for text in ("Uploads go slow", "Slow uploads")]
    desk.run("merge", target=other[0], source=(other[1],), by="codex")
    (desk.place / "src" / "sum.py").write_text("eval('1 + 1')\n")
    desk.run("review", accept="pattern/no-eval", why="A calculator")
    desk.run("session start", goal="Round prices")
    desk.run("session note", text="Halfway", file="src/b.py")
    payload = '{"error": "KeyError: price", "fix": "Default it"}'
    desk.run("event", type="error_occurred", payload=payload)
    desk.run("feature set", name="till")
    desk.run("config", key="name", value="shop")  # what was the project's key is another name now
    desk.run("status")
    return desk


def rows(desk: Desk) -> dict[str, set[str]]:
    """The rows of each table that holds what was said, as text."""
    app = desk.app()
    tables = re.findall(r"CREATE TABLE (\w+)", "".join(map(schema.schema_sql, schema.STEPS)))
    held = {
        table: {repr(row) for row in app.store.rows(f"SELECT * FROM {table}")}
        for table in tables
        if table not in {*NOTED, "suggestions_with_versions"}  # renamed in its step
    }
    app.close()
    return held


def answers(desk: Desk) -> list[str]:
    return [json.dumps(as_json_values(desk.run(name, **values))) for name, values in QUESTIONS]


def test_nothing_is_lost_and_nothing_is_asked_twice(used: Desk) -> None:
    before, message = rows(used), answers(used)
    assert {table for table, held in before.items() if not held} <= ELSEWHERE
    age(used.place / ".gitmem" / "memory.db")
    assert answers(used) == message
    assert rows(used) == before
    used.run("index")
    assert answers(used) == message
    assert rows(used) == before


def test_what_is_not_compared_yet_is_reported(desk: Desk) -> None:
    for number in range(25):
        saved(desk, text=f"Port {number} is for till {number}")
    query: dict[str, Any] = {"query": "weather", "mode": "semantic"}
    desk.run("recall", **query)
    desk.run("recall", **query)
    assert not desk.run("recall", **query).notes
    age(desk.place / ".gitmem" / "memory.db")
    (note,) = desk.run("recall", **query).notes
    assert note == "Not compared yet: 5 texts of memories; run `gitmem index`."
    assert not desk.run("recall", **query).notes  # each question catches up with some
