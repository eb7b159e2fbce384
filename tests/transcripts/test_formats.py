"""CC-10: each host's sessions are read as the host wrote them."""

from __future__ import annotations

import json
from collections import Counter
from io import BytesIO
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.agents.hosts import registry
from gitmem.model.exchange import ToolCall
from gitmem.store.db.connection import Database
from gitmem.store.session import exchanges
from gitmem.text.digest import blake2b
from gitmem.transcripts import gemini, json_lines, opencode
from gitmem.transcripts.formats import FORMATS, HOSTS
from gitmem.transcripts.importer import _MISREAD
from gitmem.transcripts.record import ConversationRecord
from tests.transcripts.homes import ANSWER, FIRST, SAMPLES, SECOND, furnished, imported

EDITED = ("httpx/_config.py",)
CALLS = {
    "claude-code": [
        ToolCall("Read", EDITED, "ok"),
        ToolCall("Edit", EDITED, "ok"),
        ToolCall("Bash", (), "failed"),
        ToolCall("Bash", (), "ok"),
        ToolCall("mcp__gitmem__recall", (), "ok"),
    ],
    "codex": [
        ToolCall("exec_command", (), "failed"),
        ToolCall("apply_patch", EDITED, "ok"),
        ToolCall("mcp__gitmem__recall", (), "ok"),
    ],
    "gemini": [
        ToolCall("replace", EDITED, "ok"),
        ToolCall("run_shell_command", (), "failed"),
        ToolCall("mcp_gitmem_recall", (), "ok"),
    ],
    "opencode": [
        ToolCall("read", EDITED, "ok"),
        ToolCall("edit", EDITED, "ok"),
        ToolCall("bash", (), "failed"),
        ToolCall("gitmem_recall", (), "ok"),
    ],
    "copilot": [
        ToolCall("edit", EDITED, "ok"),
        ToolCall("bash", (), "failed"),
        ToolCall("gitmem-recall", (), "ok"),
    ],
    "kimi": [
        ToolCall("Read", EDITED, "ok"),
        ToolCall("Edit", EDITED, "ok"),
        ToolCall("Bash", (), "failed"),
        ToolCall("mcp__gitmem__recall", (), "failed"),
    ],
}
MODELS = {"claude-code": "claude-sonnet-4-5", "codex": "gpt-5.5", "gemini": "gemini-2.5-pro"}


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_that_the_host_wrote_is_read(host: str, tmp_path: Path) -> None:
    app, paths = furnished(tmp_path, host)
    result = imported(app)
    assert (result.conversations, result.exchanges, result.left_out) == (1, 2, ())
    assert result.versions == ()
    (conversation,) = exchanges.recent_conversations(app.store, 9)
    assert (conversation.host, conversation.folder) == (host, app.worktree)
    assert conversation.session
    assert conversation.source.partition("#")[0] == str(paths[host])
    assert conversation.started_at < conversation.ended_at
    first, second = exchanges.read_exchanges(app.store, conversation.id)
    # OpenCode's own command line adds the quotes.
    assert (first.user.strip('"'), first.assistant) == (FIRST, "All done.")
    assert (second.user.strip('"'), second.assistant) == (SECOND, ANSWER)
    assert list(first.tools) == CALLS[host]
    assert second.tools == ()
    assert first.model == MODELS.get(host, first.model) != ""
    assert conversation.started_at <= first.at < second.at <= conversation.ended_at


def read_all(host: str, content: bytes) -> ConversationRecord:
    """What a host's reader makes of some bytes."""
    record = ConversationRecord(registry.find_host(host).tags, lambda path, _folder: path)
    counts, content_hash = record.counts, blake2b(digest_size=16)
    format = FORMATS[host]
    for row in json_lines.read_json_objects(BytesIO(content), len(content), counts, content_hash):
        try:
            format.read(row, record)
        except _MISREAD:
            record.counts["misread"] += 1
    format.finish(record)
    return record


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("host", FORMATS)
@given(st.data())
def test_a_line_with_any_value_in_any_place_harms_nobody(host: str, data: st.DataObject) -> None:
    lines = (SAMPLES / f"{host}.jsonl").read_bytes().splitlines()
    row = json.loads(lines[data.draw(st.integers(0, len(lines) - 1))])
    inner = row
    for _ in range(data.draw(st.integers(0, 4))):
        if isinstance(inner, dict) and inner:
            key = data.draw(st.sampled_from(sorted(inner)))
            if not isinstance(inner[key], dict | list) or data.draw(st.booleans()):
                inner[key] = data.draw(VALUES)
                break
            inner = inner[key]
        elif isinstance(inner, list) and inner:
            inner = inner[0]
    changed = b"\n".join([*lines[:3], json.dumps(row).encode(), *lines[3:]])
    for exchange in read_all(host, changed).finish_exchanges("x"):
        assert isinstance(exchange.user + exchange.assistant + exchange.model, str)
        assert all(isinstance(path, str) for call in exchange.tools for path in call.paths)


@pytest.mark.parametrize("host", FORMATS)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_counted(host: str, content: bytes) -> None:
    record = read_all(host, content)
    lines = [line for line in content.split(b"\n") if line.strip()]
    parsed = [line for line in lines if json_lines.parse_json_object(line) is not None]
    assert len(parsed) + record.counts["damaged"] + record.counts["unfinished"] == len(lines)


@pytest.mark.parametrize("host", FORMATS)
@given(cut=st.integers(0, 20_000))
def test_a_session_still_being_written_is_read_up_to_its_last_line(host: str, cut: int) -> None:
    content = (SAMPLES / f"{host}.jsonl").read_bytes()[:cut]
    record = read_all(host, content)
    assert record.counts["damaged"] == 0
    assert record.counts["unfinished"] <= 1
    whole = [
        e.user
        for e in read_all(host, (SAMPLES / f"{host}.jsonl").read_bytes()).finish_exchanges("")
    ]
    assert [e.user for e in record.finish_exchanges("")] == whole[
        : len(record.finish_exchanges(""))
    ]


def test_a_line_that_is_too_long_is_skipped_without_being_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 100)
    content = b'{"a":1}\n{"b":"' + b"x" * 1000 + b'"}\n{"c":2}\n{"d":"' + b"y" * 500
    counts: Counter[str] = Counter()
    hash = blake2b(digest_size=16)
    rows = list(json_lines.read_json_objects(BytesIO(content), len(content), counts, hash))
    assert rows == [{"a": 1}, {"c": 2}]
    assert counts == {"oversized": 2}
    assert hash.digest() == blake2b(content, digest_size=16).digest()


DATA = st.one_of(
    st.text(max_size=20),
    st.dictionaries(
        st.sampled_from(["type", "role", "text", "tool", "state", "callID", "modelID"]),
        VALUES | st.sampled_from(["user", "assistant", "text", "tool"]),
    ).map(json.dumps),
)


@given(st.lists(st.tuples(DATA, DATA), max_size=6))
def test_any_row_of_a_database_is_read_or_counted(rows: list[tuple[str, str]]) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute((SAMPLES / "opencode.sql").read_text())
    (session,) = connection.execute("SELECT id FROM session").fetchone() or ("",)
    for number, (message, part) in enumerate(rows):
        connection.execute(
            "INSERT INTO message VALUES (?, ?, 0, 0, ?)", (f"m{number}", session, message)
        )
        connection.execute(
            "INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)",
            (f"p{number}", f"m{number}", session, part),
        )
    record = ConversationRecord((), lambda path, _folder: path)
    opencode.add_session_messages(Database("", connection, read_only=True), session, record)
    spoken = [exchange.user for exchange in record.finish_exchanges("")]
    assert any(FIRST in text for text in spoken)
    assert record.counts["damaged"] <= len(rows)


def test_of_a_very_long_session_of_gemini_the_newest_messages_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gemini, "_MAX_MESSAGES", 3)
    record = ConversationRecord((), lambda path, _folder: path)
    for number in (*range(6), 5, 4):  # the last two are written again
        kind = "gemini" if number % 2 else "user"
        gemini.add_transcript_row(
            {"id": f"m{number}", "type": kind, "content": f"text {number}"}, record
        )
    gemini.add_read_messages(record)
    pairs = [(each.user, each.assistant) for each in record.finish_exchanges("c")]
    assert pairs == [("", "text 3"), ("text 4", "text 5")]
    assert record.counts["dropped"] == 3
