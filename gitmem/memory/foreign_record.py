"""Reading a line of another program as a record of an export. Pure.

Names may be in camel case, times and layers numbers, tags and metadata JSON in a text, as in a
dump of a database. What has no place in a memory goes to its metadata.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from gitmem.clock import parse_iso
from gitmem.errors import InvalidInput
from gitmem.model import ids
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory

# The id that a memory has in the other program, in the metadata.
ORIGINAL_ID = "original_id"
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Fields of a memory that other programs keep in its metadata.
_FACTS = ("title", "tags", "weight", "importance", "confidence")
_LAYERS = {"1": "working", "2": "", "3": "", "project": "", "global": ""}
_PINNED = {"0": False, "false": False, "1": True, "true": True}
# The least number that means seconds since 1970, the least that means milliseconds, and the end.
_SECONDS, _MILLISECONDS, _BEYOND = 1e8, 1e11, 1e15


@dataclass(frozen=True, slots=True)
class NewMemoryIdentity:
    """What a memory from another program gets if its line does not say it: id, time and project.

    ``now`` is in milliseconds since 1970, ``project`` the key of the project.
    """

    id: str
    now: int
    project: str


def is_record_of_other_program(record: dict[str, Any]) -> bool:
    """Whether a JSON object of an import is another program's memory, by its type or its id."""
    kind = record.get("type", "memory")
    if kind in ("gitmem", "anchors", "link") or (kind == "memory" and "version" in record):
        return False
    return kind != "memory" or not _is_id(record.get("id"))


def convert_foreign_record(
    record: dict[str, Any], new_identity: NewMemoryIdentity
) -> dict[str, Any]:
    """Another program's memory, a JSON object, as one with the fields of gitmem's export.

    Its ``type`` may be the kind of memory. An id that is not gitmem's stays in the metadata, and
    with a time of creation gives the same new id at every import. Raises InvalidInput.
    """
    present_fields = {name: value for name, value in record.items() if value is not None}
    ours = {_CAPITALS.sub("_", name).lower(): value for name, value in present_fields.items()}
    metadata = _parsed(ours, "metadata", dict)
    lifted = {name: metadata.pop(name) for name in _FACTS if name in metadata and name not in ours}
    ours |= {name: value for name, value in lifted.items() if value is not None}
    fields = (*Memory.__slots__, "type", "text")
    rest = {
        name: value
        for name, value in present_fields.items()
        if _CAPITALS.sub("_", name).lower() not in fields and isinstance(value, str | int | float)
    }
    id, created = ours.get("id"), parse_time_field(ours, "created_at")
    if id and not _is_id(id):
        rest[ORIGINAL_ID] = str(id)
    layer, pinned = str(ours.get("layer", "")), str(ours.get("pinned", False)).lower()
    if pinned not in _PINNED:
        raise InvalidInput("pinned is not true or false.")
    scope = ours.get("scope") or ("global" if layer in ("3", "global") else "project")
    kind = ours.get("kind") or ours.get("type")
    return {
        "content": ours.get("text"),
        "project": "" if scope == "global" else new_identity.project,
        **ours,
        "created_at": new_identity.now if created is None else created,
        "type": "memory",
        "kind": "note" if kind == "memory" else kind,
        "id": new_identity.id if not id or created is None else _id_for(str(id), created),
        "scope": scope,
        "layer": _LAYERS.get(layer, layer),
        "pinned": _PINNED[pinned],
        "tags": _parsed(ours, "tags", list),
        "metadata": rest | metadata,
    }


def parse_time_field(record: dict[str, Any], field_name: str) -> int | None:
    """The time in a JSON object's field ``field_name``, in milliseconds since 1970, or None.

    It may be ISO 8601, or a number of seconds or milliseconds since 1970; else InvalidInput.
    """
    value = record.get(field_name)
    if isinstance(value, int | float) and _SECONDS <= value < _BEYOND:
        return int(value if value >= _MILLISECONDS else value * 1000)
    if value and not isinstance(value, str):
        raise InvalidInput(f"{field_name} is not a time: ISO 8601, or milliseconds since 1970.")
    try:
        return parse_iso(value) if value else None
    except InvalidInput as error:
        raise InvalidInput(f"{field_name}: {error.message}", error.hint) from error


def _is_id(id: object) -> bool:
    return (
        isinstance(id, str)
        and len(id.strip()) == ids.LENGTH
        and ids.normalise_id_prefix(id) is not None
    )


def _id_for(id: str, created: int) -> str:
    if _is_id(id):
        return id
    entropy = hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()[:10]
    return ids.new_ulid(created, entropy)


def _parsed(record: dict[str, Any], name: str, form: type) -> Any:
    """A list or an object, also from JSON in a text."""
    value = record.get(name) or form()
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, form):
        raise InvalidInput(f"{name} is not {'a list' if form is list else 'an object'}.")
    return value
