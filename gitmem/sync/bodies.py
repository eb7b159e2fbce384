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
    """Return what leaves this machine of a memory and the code it cites, as a JSON object.

    Empty fields and those of one machine or session are left out; ``part`` is the sub-project's
    name.
    """
    body = _filled(export_format.fields_for_export(memory))
    metadata = {name: fact for name, fact in body.pop("metadata", {}).items() if name != ORIGIN}
    part = project_key.split_project_key(memory.project)[1]
    cited = [_filled(export_format.fields_for_export(anchor)) for anchor in anchors]
    return {**body, **_filled({"metadata": metadata, "part": part, "anchors": cited})}


def record_body_of_session(session: Session) -> dict[str, Any]:
    """Return the summary of a session as a JSON object, which is shared as a memory."""
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
    """Return what leaves this machine of a link between two memories, as a JSON object."""
    return _filled(export_format.fields_for_export(link))


def memory_from_record(record: SyncRecord, project: str, max_bytes: int) -> Memory:
    """Return the memory that a received record holds, with ``project`` as its project key.

    ``max_bytes`` limits its size. Raises InvalidInput if a field is not valid. The trust is what
    the sender gave it: the caller has to judge that.
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
    """Return the places in code that a received record's memory cites. Raises InvalidInput."""
    return export_format.anchors_from_json({"anchors": record.body.get("anchors") or []})


def link_from_record(record: SyncRecord) -> Link:
    """Return the link between memories that a received record holds. Raises InvalidInput."""
    return export_format.link_from_json({**record.body, "id": record.id})


def add_sync_origin(memory: Memory, origin_facts: Mapping[str, object]) -> Memory:
    """Return the memory with ``origin_facts`` (device, author, remote) stored in its metadata."""
    metadata = {**json.loads(memory.metadata or "{}"), ORIGIN: dict(origin_facts)}
    return replace(memory, metadata=json.dumps(metadata, ensure_ascii=False, sort_keys=True))


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that travel and hold something; a number always does."""
    return {
        name: value
        for name, value in fields.items()
        if name not in _LEFT_OUT and (value or type(value) in (int, float))
    }
