"""Sessions of Kimi Code: ``sessions/<project>/<session>/agents/main/wire.jsonl``.

The user's words are those of ``turn.prompt``: the messages beside it also hold what the host and
hooks say. Sub-agents have folders beside ``main``, which are not read.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from gitmem.transcripts.record import Record, moment


def begin(path: str, record: Record) -> None:
    """Note the session's id, which only its folder has."""
    record.began(session=PurePath(path).parts[-4])


def read(row: dict[str, Any], record: Record) -> None:
    """Take in a line."""
    kind, at = row.get("type"), moment(row.get("time"))
    if kind == "metadata":
        record.began(version=row.get("protocol_version"))
    elif kind == "profile.bind":
        record.began(folder=row["environmentDisclosure"]["cwd"])
    elif kind == "llm.request":
        if isinstance(row.get("model"), str):
            record.model = row["model"][:100]
    elif kind == "turn.prompt":
        if row["origin"]["kind"] == "user":
            record.user(row.get("input"), at)
    elif kind == "context.append_loop_event":
        _event(row["event"], record, at)


def _event(event: dict[str, Any], record: Record, at: int) -> None:
    kind = event.get("type")
    if kind == "content.part":
        record.assistant([event["part"]], at)
    elif kind == "tool.call":
        record.call(event.get("toolCallId"), event.get("name"), event.get("args"), at)
    elif kind == "tool.result":
        record.result(event.get("toolCallId"), bool(event["result"].get("isError")))
