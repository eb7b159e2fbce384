"""Many memories at once: what is asked of the store for each line stays little."""

from __future__ import annotations

import json

from gitmem.app import App
from gitmem.capture import batch
from gitmem.capture.batch import Batch
from gitmem.memory.jsonl_input import Defaults
from gitmem.text import redact


def kept(app: App, words: str, lines: int) -> list[str]:
    """The statements that storing so many lines of different words takes, as SQLite runs them."""
    text = "\n".join(
        json.dumps({"content": f"{words}{at}a {words}{at}b {words}{at}c"}) for at in range(lines)
    )
    run: list[str] = []
    app.store.connection.exec_trace = lambda _cursor, sql, _values: not run.append(sql)
    try:
        results, _ = batch.keep_all(app, Batch(text, Defaults(), "", "", atomic=False))
    finally:
        app.store.connection.exec_trace = None
    assert {one.action for one in results} == {"added"}
    return run


def test_a_line_costs_a_dozen_short_statements(app: App) -> None:
    """Whoever asks the store once more for each line shows here, whatever the machine."""
    few, many = kept(app, "first", 2), kept(app, "second", 42)
    assert (len(many) - len(few)) / 40 <= 11
    # Preparing one with the whole condition for who sees what costs ten times as much.
    assert not [sql for sql in many if "digest = ?" in sql and "status" in sql]


def test_what_all_lines_share_is_searched_for_secrets_once(app: App) -> None:
    kept(app, "warm", 1)
    known = redact._redacted_before.cache_info().misses
    kept(app, "more", 20)
    assert redact._redacted_before.cache_info().misses - known <= 20
