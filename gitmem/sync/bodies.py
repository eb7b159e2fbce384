"""The bodies of records: what of a memory or a link leaves the device, and how it is read back.

The fields are those of an export (``memory.export_format``), so that the same checks apply. Left
out is what belongs to one machine or session: the row, the session, use, time to live.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gitmem.capture.versions import ORIGIN
from gitmem.memory import draft, export_format
from gitmem.model import project_key
from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.model.session import Session
from gitmem.sync.record import SyncRecord

_LEFT_OUT = (
    *("id", "scope", "project", "session", "ttl_ms", "updated_at", "version", "layer", "number"),
)


def record_body_of_memory(memory: Memory, anchors: Sequence[CodeAnchor]) -> dict[str, Any]:
    """The body of a memory's record, as JSON values; ``part`` is its sub-project, if it has one."""
    body = _filled(export_format.fields_for_export(memory))
    metadata = {name: fact for name, fact in body.pop("metadata", {}).items() if name != ORIGIN}
    part = project_key.split_project_key(memory.project)[1]
    cited = [_filled(export_format.fields_for_export(anchor)) for anchor in anchors]
    return {**body, **_filled({"metadata": metadata, "part": part, "anchors": cited})}


def record_body_of_session(session: Session) -> dict[str, Any]:
    """The body of the record of a session's summary, which other devices take in as a memory."""
    return _filled(
        {
            "kind": "summary",
            "title": session.goal[: draft.LONGEST_TITLE],
            "content": session.summary,
            "tags": ["session"],
            "source": "user_explicit",
            "branch": session.branch,
            "commit": session.head_end,
            "created_at": export_format.format_iso_time(session.ended_at or session.last_at),
        }
    )


def record_body_of_link(link: Link) -> dict[str, Any]:
    """The body of the record of a link between two memories, as JSON values."""
    return _filled(export_format.fields_for_export(link))


def memory_from_record(record: SyncRecord, project: str, max_bytes: int) -> Memory:
    """The memory in a record, of the repository with the key ``project``.

    Raises InvalidInput. Its trust is what the writer had in it, which is for the caller to judge.
    """
    body = dict(record.body)
    part = body.pop("part", "")
    key = (
        project_key.subproject_key(project, part)
        if project_key.is_valid_subproject_name(str(part))
        else project
    )
    memory = export_format.memory_from_json(
        {**body, "id": record.id, "project": key, "scope": "project"}, max_bytes
    )
    return replace(memory, updated_at=max(record.at, memory.created_at))


def anchors_from_record(record: SyncRecord) -> tuple[CodeAnchor, ...]:
    """The places in the code that the memory in a record cites. Raises InvalidInput."""
    return export_format.anchors_from_json({"anchors": record.body.get("anchors") or []})


def link_from_record(record: SyncRecord) -> Link:
    """The link in a record. Raises InvalidInput."""
    return export_format.link_from_json({**record.body, "id": record.id})


def add_sync_origin(memory: Memory, origin_facts: Mapping[str, object]) -> Memory:
    """The memory, with ``origin_facts`` in its metadata on where it came from."""
    metadata = {**json.loads(memory.metadata or "{}"), ORIGIN: dict(origin_facts)}
    return replace(memory, metadata=json.dumps(metadata, ensure_ascii=False, sort_keys=True))


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that travel and hold something; a number always does."""
    return {
        name: value
        for name, value in fields.items()
        if name not in _LEFT_OUT and (value or type(value) in (int, float))
    }
