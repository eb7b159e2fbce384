"""How full a session's context is, by its host's own figures in a transcript. Pure.

A transcript is JSON Lines. Claude Code notes with each answer of the model what it read and wrote
(``message.usage``), Codex the same of the last request (``payload.info.last_token_usage``). Answers
of sub-agents are skipped, since their context is their own. After a compaction nothing is known
until the next answer. What a host counts as written is not added up over a session: Claude Code
notes it while the answer is still being written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

# A line without any of these is neither an answer nor a compaction, and need not be parsed.
_SIGNS = (b'"usage"', b'"last_token_usage"', b'"compact_boundary"', b'"compacted"')
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def last_context_tokens(transcript_lines: Iterable[bytes]) -> int | None:
    """The number of tokens in an agent's context after the last answer in its transcript, or None.

    ``transcript_lines`` are JSON Lines as Claude Code and Codex write them. None if none states it.
    """
    tokens: int | None = None
    for line in transcript_lines:
        if not any(sign in line for sign in _SIGNS):
            continue
        try:
            row = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue  # the end of a line that is cut, or one still being written
        if not isinstance(row, Mapping) or row.get("isSidechain"):
            continue
        if row.get("subtype") == "compact_boundary" or row.get("type") == "compacted":
            tokens = None
        else:
            # An answer that an error replaced used nothing.
            tokens = _used(row) or tokens
    return tokens


def _used(row: Mapping[str, Any]) -> int:
    """The tokens that a line tells of; 0 if it tells of none."""
    usage = _inside(row, "message", "usage")
    if usage:
        return sum(_count(usage.get(name)) for name in _READ)
    return _count(_inside(row, "payload", "info", "last_token_usage").get("total_tokens"))


def _inside(row: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    value: Any = row
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value < 1 << 40 else 0
