"""What the transcripts of hosts say of a session's context (ML-31)."""

from __future__ import annotations

import json
from typing import Any

from gitmem.memory import transcript_usage


def answer(read: int, cached: int, written: int, **more: Any) -> bytes:
    """An answer as Claude Code notes it."""
    usage = {
        "input_tokens": read,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": written,
    }
    message = {"role": "assistant", "usage": usage}
    return json.dumps({"type": "assistant", "message": message, **more}).encode()


def turn(total: int) -> bytes:
    """A turn as Codex notes it."""
    info = {"total_token_usage": {"total_tokens": 10 * total}, "model_context_window": 272_000}
    last = {"last_token_usage": {"input_tokens": total - 5, "total_tokens": total}}
    return json.dumps(
        {"type": "event_msg", "payload": {"type": "token_count", "info": info | last}}
    ).encode()


BOUNDARY = json.dumps({"type": "system", "subtype": "compact_boundary"}).encode()
COMPACTED = json.dumps({"type": "compacted", "payload": {"message": "so far"}}).encode()
USER = json.dumps({"type": "user", "message": {"content": 'the "usage" of it'}}).encode()


def test_the_last_answer_of_the_main_agent_counts() -> None:
    lines = [USER, answer(4, 30_000, 200), answer(6, 88_000, 994), USER]
    assert transcript_usage.last_context_tokens(lines) == 89_000
    aside = answer(9, 150_000, 9, isSidechain=True)
    assert transcript_usage.last_context_tokens([*lines, aside]) == 89_000
    assert transcript_usage.last_context_tokens([*lines, answer(0, 0, 0)]) == 89_000


def test_codex_has_the_last_request_and_not_the_sum_of_all() -> None:
    assert transcript_usage.last_context_tokens([turn(20_000), turn(38_325)]) == 38_325


def test_after_a_compaction_the_next_answer_counts() -> None:
    for compaction in (BOUNDARY, COMPACTED):
        before = [answer(4, 150_000, 200), compaction]
        assert transcript_usage.last_context_tokens(before) is None
        assert transcript_usage.last_context_tokens([*before, answer(1, 9_000, 99)]) == 9_100


def test_what_is_no_figure_is_none() -> None:
    for line in (
        b"",
        b"x" * 100,
        b'{"usage": ',
        b'{"message": {"usage": {"input_tokens": "many", "output_tokens": -3}}}',
        b'{"message": {"usage": {"input_tokens": 1e400, "output_tokens": true}}}',
        b'{"message": "usage", "usage": 3}',
        b'["usage"]',
        b'{"usage": ' + b"[" * 100_000,
        b'{"usage": "\xff"}',
    ):
        assert transcript_usage.last_context_tokens([line]) is None
