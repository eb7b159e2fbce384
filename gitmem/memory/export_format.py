"""Writing and reading memories, their anchors and links as JSON Lines.

Order and keys are stable. A line is an object with ``type`` ``memory``, ``anchors`` or ``link``;
times are ISO 8601 UTC, so that a diff of two exports is readable. Vectors and other derived data
are not exported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from gitmem.clock import format_iso
from gitmem.errors import InvalidInput
from gitmem.git.head import is_commit_id
from gitmem.memory import draft, foreign_record, relations, trust
from gitmem.memory.foreign_record import NewMemoryIdentity, parse_time_field
from gitmem.model import ids, kinds
from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Link, Memory
from gitmem.text import code_fingerprint

FORMAT = 1
MOST_ANCHORS = 50
_LONGEST_PRINT = 16_384
_ENDS = ("expires_at", "archived_at", "valid_from", "valid_until")
_TIMES = (*_ENDS, "created_at", "updated_at", "at")
_JSON = ("metadata", "print")
_LOCAL = ("seq",)
_PROVENANCE = ("project", "agent", "author", "session", "branch", "commit")
_LARGEST = 1 << 62


def export_header(project: str, signatures: Sequence[str] = ()) -> str:
    """The first line of an export, a JSON object.

    ``project`` is the project's key, ``signatures`` those of stores for all the other lines.
    """
    return _line(
        {"type": "gitmem", "format": FORMAT, "project": project, "seals": list(signatures)}
    )


def signed_export_bytes(export_lines: Sequence[str]) -> bytes:
    """The bytes of an export that its signatures cover: all non-empty lines after the header.

    ``export_lines`` are these lines, without the header.
    """
    bare = [line.rstrip("\r") for line in export_lines]
    return "\n".join(line for line in bare if line).encode("utf-8", "surrogatepass")


def signatures_in_header(header_line: str) -> list[object]:
    """The list of signatures in the first line of an export; empty if it has none."""
    try:
        seals = json.loads(header_line)["seals"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
    return seals if isinstance(seals, list) else []


def memory_as_json_line(memory: Memory) -> str:
    """A memory as a line of an export: a JSON object of type ``memory``, without a line feed."""
    return _line({"type": "memory", **fields_for_export(memory)})


@dataclass(frozen=True, slots=True)
class MemoryAnchors:
    """A line of an export: the id of a memory, and its anchors (the code that it is about)."""

    memory: str
    anchors: tuple[CodeAnchor, ...]


def anchors_as_json_line(memory_id: str, anchors: Sequence[CodeAnchor]) -> str:
    """A line of an export, without a line feed: the anchors of the memory ``memory_id``.

    An anchor is code that a memory is about, as it was when it was stored.
    """
    return _line(
        {"type": "anchors", "memory": memory_id, "anchors": [*map(fields_for_export, anchors)]}
    )


def link_as_json_line(link: Link) -> str:
    """A link between two memories as a line of an export: a JSON object without a line feed."""
    return _line({"type": "link", **fields_for_export(link)})


def fields_for_export(value: Memory | CodeAnchor | Link) -> dict[str, Any]:
    """{field: value} of a memory, anchor or link, as an export has them, in a stable order.

    Times become ISO 8601, JSON texts become values; ``seq``, the local order, is left out.
    """
    names = [name for name in value.__slots__ if name not in _LOCAL]
    return {name: _written(name, getattr(value, name)) for name in names}


def _written(name: str, value: Any) -> Any:
    if name in _TIMES and value is not None:
        return format_iso_time(value)
    return json.loads(value or "{}") if name in _JSON else value


def parse_export_line(
    line: str, *, max_bytes: int, new_identity: NewMemoryIdentity | None = None
) -> Memory | MemoryAnchors | Link | None:
    """The Memory, MemoryAnchors or Link in a line of an export; None for the header.

    Everything is checked as for a new memory, whose content has at most ``max_bytes``. With
    ``new_identity``, a line of another program is read, too: it needs only ``content`` or ``text``.
    Raises InvalidInput, naming what is wrong.
    """
    try:
        record = json.loads(line)
    except RecursionError as error:
        raise InvalidInput("The JSON of the line is nested too deeply to be read.") from error
    except ValueError as error:
        raise InvalidInput(f"The line is not valid JSON: {error}.") from error
    if not isinstance(record, dict):
        raise InvalidInput("The line is not a JSON object.")
    if new_identity and foreign_record.is_record_of_other_program(record):
        record = foreign_record.convert_foreign_record(record, new_identity)
    kind = record.get("type", "memory")
    if kind == "gitmem":
        if record.get("format") != FORMAT:
            raise InvalidInput(
                f"The file has the unknown format {str(record.get('format'))[:20]}.",
                "A newer gitmem wrote the file: upgrade gitmem here.",
            )
        return None
    if kind == "link":
        return link_from_json(record)
    if kind == "anchors":
        return MemoryAnchors(_id(record, "memory"), anchors_from_json(record))
    if kind == "memory":
        return memory_from_json(record, max_bytes)
    raise InvalidInput(f"The line has the unknown record type {str(kind)[:40]!r}.")


def memory_from_json(record: dict[str, Any], max_bytes: int) -> Memory:
    """The Memory in a JSON object of an export. Raises InvalidInput, naming what is wrong.

    ``max_bytes`` is the greatest length of its content.
    """
    created = parse_time_field(record, "created_at")
    if created is None:
        raise InvalidInput("The memory has no created_at.")
    metadata = record.get("metadata")
    read = {name: read_field(record, name) for name, read_field in _FIELDS.items()}
    # An unknown kind of another system becomes a note rather than an error.
    kind = kinds.canonical_memory_kind(_text(record, "kind") or "note") or "note"
    # The only status of other kinds than decisions: waiting in the inbox.
    waits = kind != "decision" and read["status"] == "proposed"
    fields = draft.MemoryDraft(
        **(read | {"status": ""} if waits else read),
        kind=kind,
        pinned=record.get("pinned") is True,
        scope=_text(record, "scope") or "project",
        metadata=metadata if isinstance(metadata, dict) else None,
    )
    origin = draft.MemoryOrigin(
        id=_id(record, "id"),
        now=created,
        source=_text(record, "source") or "user_explicit",
        **{name: _text(record, name) for name in _PROVENANCE},
    )
    times: dict[str, Any] = {name: parse_time_field(record, name) for name in _ENDS}
    memory = draft.prepare_memory(fields, origin, max_bytes=max_bytes).memory
    return replace(
        memory,
        status="proposed" if waits else memory.status,
        ttl_ms=_whole(record, "ttl_ms", 0),
        superseded_by=_id(record, "superseded_by") if record.get("superseded_by") else "",
        updated_at=parse_time_field(record, "updated_at") or created,
        version=_whole(record, "version", 1) or 1,
        layer=draft.require_one_of("layer", _text(record, "layer"), ("", "working")),
        trust=draft.require_one_of("trust", _text(record, "trust"), ("", *trust.TIERS)),
        **times,
    )


def anchors_from_json(record: dict[str, Any]) -> tuple[CodeAnchor, ...]:
    """The anchors (code that a memory is about) in an object of an export. Raises InvalidInput."""
    items = record.get("anchors")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidInput(
            "anchors (the places in code that a memory cites) is not a list of objects."
        )
    if len(items) > MOST_ANCHORS:
        raise InvalidInput(
            f"The memory cites {len(items):,} places in code (anchors); at most {MOST_ANCHORS} are "
            "allowed."
        )
    return tuple(_anchor(number, item) for number, item in enumerate(items, 1))


def _anchor(number: int, record: dict[str, Any]) -> CodeAnchor:
    """One anchor of a record. Raises InvalidInput, also for a path outside the repository."""
    (path,) = draft.check_paths([_text(record, "path")])
    (cited,) = draft.check_paths([_text(record, "cited")])
    blob, commit = _text(record, "blob"), _text(record, "commit")
    if not all(not id or is_commit_id(id) for id in (blob, commit)):
        raise InvalidInput(f"The blob or commit of anchor {number} is not an object id of git.")
    first, last = _whole(record, "first_line", 1), _whole(record, "last_line", 1)
    if (first is None) != (last is None) or (first or 0) > (last or 0):
        raise InvalidInput(f"The lines of anchor {number} are not a range.")
    return CodeAnchor(
        number=number,
        cited=cited,
        path=path,
        first_line=first,
        last_line=last,
        symbol=_text(record, "symbol")[: draft.LONGEST_TITLE],
        blob=blob,
        commit=commit,
        print=_print(record.get("print")),
        at=parse_time_field(record, "at") or 0,
    )


def _print(print_value: object) -> str:
    """A fingerprint as it is stored; anything else becomes an empty one."""
    written = code_fingerprint.to_json(code_fingerprint.from_json(json.dumps(print_value)))
    if len(written) > _LONGEST_PRINT:
        raise InvalidInput("The fingerprint of the code that an anchor cites is too long.")
    return written


def link_from_json(record: dict[str, Any]) -> Link:
    """The Link between two memories in a JSON object of an export. Raises InvalidInput."""
    relation = draft.require_one_of("relation", _text(record, "relation"), kinds.EVERY_RELATION)
    created = parse_time_field(record, "created_at")
    return Link(
        id=_id(record, "id"),
        source=_id(record, "source"),
        target=_target(record, relation),
        relation=relation,
        strength=draft.check_bounds("strength", _number(record, "strength"), 0, 1, 0.5),
        context=_text(record, "context"),
        created_at=0 if created is None else created,
    )


def _target(record: dict[str, Any], relation: str) -> str:
    """The memory that a link points to; for IMPLEMENTED_BY it may be a commit."""
    commit = _text(record, "target").removeprefix(relations.COMMIT)
    if relation == "IMPLEMENTED_BY" and is_commit_id(commit):
        return relations.COMMIT + commit
    return _id(record, "target")


def _id(record: dict[str, Any], name: str) -> str:
    id = ids.normalise_id_prefix(_text(record, name))
    if id is None or len(id) != ids.LENGTH:
        raise InvalidInput(f"{name} is not the id of a memory or link.")
    return id


def _text(record: dict[str, Any], name: str) -> str:
    value = record.get(name) or ""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is not a string.")
    return value


def _texts(record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInput(f"{name} is not a list of strings.")
    return tuple(value)


def _number(record: dict[str, Any], name: str) -> Any:
    value = record.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InvalidInput(f"{name} is not a number.")
    return value


# The reader of each field of a draft.
_FIELDS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    **dict.fromkeys(("content", "title", "status"), _text),
    **dict.fromkeys(("tags", "paths"), _texts),
    **dict.fromkeys(("weight", "importance", "confidence"), _number),
}


def _whole(record: dict[str, Any], name: str, least: int) -> int | None:
    """A whole number that a 64-bit column holds."""
    value = _number(record, name)
    if value is None:
        return None
    if not least <= value <= _LARGEST or int(value) != value:
        raise InvalidInput(f"{name} is not an integer of at least {least}.")
    return int(value)


def format_iso_time(timestamp_ms: int) -> str:
    """A time in milliseconds since 1970 as ISO 8601 in UTC: ``2024-05-01T10:00:00.250Z``."""
    return f"{format_iso(timestamp_ms)[:-1]}.{timestamp_ms % 1000:03d}Z"


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(", ", ": "))
