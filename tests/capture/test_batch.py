"""Many memories at once: what is asked of the store for each line stays little."""

from __future__ import annotations

import json

from gitmem.app import App
from gitmem.capture import batch
from gitmem.capture.batch import MemoryBatch
from gitmem.memory.jsonl_input import DraftDefaults
from gitmem.text import redact
from tests.support.apps import Desk


def saved(app: App, words: str, lines: int) -> list[str]:
    """The statements that storing so many lines of different words takes, as SQLite runs them."""
    text = "\n".join(
        json.dumps({"content": f"{words}{at}a {words}{at}b {words}{at}c"}) for at in range(lines)
    )
    run: list[str] = []
    app.store.connection.exec_trace = lambda _cursor, sql, _values: not run.append(sql)
    try:
        results, _ = batch.save_memory_batch(
            app, MemoryBatch(text, DraftDefaults(), "", "", atomic=False)
        )
    finally:
        app.store.connection.exec_trace = None
    assert {result.action for result in results} == {"added"}
    return run


def test_a_line_costs_a_dozen_short_statements(app: App) -> None:
    """Whoever asks the store once more for each line shows here, whatever the machine."""
    few, many = saved(app, "first", 2), saved(app, "second", 42)
    assert (len(many) - len(few)) / 40 <= 11
    # Preparing one with the whole condition for who sees what costs ten times as much.
    assert not [sql for sql in many if "digest = ?" in sql and "status" in sql]


def test_what_all_lines_share_is_searched_for_secrets_once(app: App) -> None:
    saved(app, "warm", 1)
    known = redact._redacted_before.cache_info().misses
    saved(app, "more", 20)
    assert redact._redacted_before.cache_info().misses - known <= 20


def test_a_talk_given_as_text_alone_is_kept_as_one(desk: Desk) -> None:
    """What was said just before an answer finds it, though nobody told of a session."""
    messages = [
        "Ada: Which port does redis use?",
        "Bob: 6380, since last week.",
        "Ada: Ah.",
        "Bob: Yes.",
    ]
    output = "\n".join(json.dumps({"text": item}) for item in [*messages, "Lunch is at noon"])
    ruled = json.dumps({"text": "Bob: Use it.", "kind": "rule"})
    desk.run("remember", text=f"{output}\n{ruled}", piped=True)
    found = desk.run("list").memories
    turns = {item.id for item in found if item.kind == "conversation"}
    assert len(turns) == len(messages) + 1
    (rule,) = (item for item in found if item.content == "Bob: Use it.")
    app = desk.app()
    rows = app.store.rows("SELECT id, session FROM memories ORDER BY seq")
    assert len({session for id, session in rows if id in turns}) == 1
    assert dict(rows)[rule.id] == ""
    app.close()
    answers = desk.run("recall", query="redis port", mode="keyword").memories
    assert "Bob: 6380, since last week." in [answer.content for answer in answers]
    # In a session of an agent they belong to that; and plain notes are no talk.
    desk.run("session start", goal="talk")
    desk.run("remember", text=output.replace("redis", "kafka").replace("Ah", "Oh"), piped=True)
    app = desk.app()
    assert app.store.value("SELECT count(DISTINCT session) FROM memories") == 3
    app.close()
    notes = [json.dumps({"text": f"Dates in ledger {at} are UTC"}) for at in range(5)]
    desk.run("remember", text="\n".join(notes), piped=True)
    kinds = [memory.kind for memory in desk.run("list", limit=5).memories]
    assert "conversation" not in kinds
