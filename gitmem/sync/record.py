"""Records: the versions of memories and links that devices share, as canonical JSON.

A record never changes. Its hash is SHA-256 over its canonical JSON (sorted keys, no spaces), and it
names the records that it replaces (``parents``), so that records in any order, or received twice,
give the same result. A record of an unknown version is refused, never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.model import ids
from gitmem.model.frozen import dataclass
from gitmem.text.digest import sha256

VERSION = 1
MEMORY, LINK, TOMBSTONE = "memory", "link", "tombstone"
KINDS = (MEMORY, LINK, TOMBSTONE)
# A line is at most this long, in bytes; a larger one is refused unread.
MAX_LINE_BYTES = 2 << 20
MAX_PARENTS = 64
# JSON numbers up to this are exact everywhere.
MAX_COUNTER = (1 << 53) - 1
_DIGITS = frozenset("0123456789abcdef")
_FIELDS = frozenset(("at", "body", "counter", "device", "hash", "id", "kind", "parents", "v"))
# Fields of a memory's body that are sets or weights: edits of these alone never conflict.
SETS = ("tags", "paths")
WEIGHTS = ("weight", "importance", "confidence")
# Fields that say nothing of the memory itself: where its code lies now, and who believed or
# pinned it.
LOCAL = ("anchors", "pinned", "trust")


@dataclass(frozen=True, slots=True)
class RecordNode:
    """A record (one version of a memory or link) without its content, as merging needs it.

    ``parents`` are hashes of the versions it replaces, ``counter`` orders versions. ``text`` is a
    digest of the words alone, ``content`` of all fields but those in ``LOCAL``.
    """

    hash: str
    kind: str
    id: str
    device: str
    counter: int
    parents: tuple[str, ...]
    text: str
    content: str


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """One version of a memory or link, or its deletion (a tombstone), as devices exchange it.

    ``id`` is that of the memory or link, ``device`` the writer's id (32 hexadecimal digits),
    ``counter`` orders versions, ``parents`` are hashes of the versions replaced, ``at`` is a time
    in milliseconds since 1970, only shown. ``body`` has its fields as JSON, empty for a tombstone.
    """

    kind: str
    id: str
    device: str
    counter: int
    parents: tuple[str, ...]
    at: int
    body: Mapping[str, Any]
    hash: str

    @property
    def without_body(self) -> RecordNode:
        """The same record as a ``RecordNode``, in which digests stand for the body."""
        text, content = text_and_content_digests(self.body)
        fields = (self.kind, self.id, self.device, self.counter, self.parents)
        return RecordNode(self.hash, *fields, text, content)


def make_record(
    kind: str,
    id: str,
    *,
    device: str,
    counter: int,
    parent_hashes: Iterable[str],
    created_ms: int,
    body: Mapping[str, Any],
) -> SyncRecord:
    """Return a new record of a memory or link, with its hash computed.

    ``kind`` is memory, link or tombstone (a deletion, with an empty ``body``); ``parent_hashes``
    are the versions it replaces; ``created_ms`` is in milliseconds since 1970. Raises InvalidInput
    if a field is not valid.
    """
    parent_hashes = tuple(sorted(set(parent_hashes)))
    fields = {
        "v": VERSION,
        "kind": kind,
        "id": id,
        "device": device,
        "counter": counter,
        "parents": list(parent_hashes),
        "at": created_ms,
        "body": body,
    }
    _check(fields)
    return SyncRecord(kind, id, device, counter, parent_hashes, created_ms, body, _hash(fields))


def record_as_line(record: SyncRecord) -> str:
    """Return a record as a line of JSON (see ``canonical_json``), without a line end."""
    fields = {name: getattr(record, name) for name in SyncRecord.__slots__}
    return canonical_json({**fields, "v": VERSION, "parents": list(record.parents)})


def parse_record_line(line: bytes) -> SyncRecord:
    """Return the record in a line of JSON; raise InvalidInput if it is malformed or was changed."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidInput(f"The shared record is larger than {MAX_LINE_BYTES >> 20} MB.")
    try:
        fields = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "The shared record is not valid JSON: it was cut off or damaged."
        ) from error
    if not isinstance(fields, dict):
        raise InvalidInput("The shared record is not a JSON object.")
    if fields.get("v") != VERSION:
        raise InvalidInput(
            f"The shared record has the unknown version {str(fields.get('v'))[:20]!r}.",
            "A newer gitmem wrote the record: upgrade gitmem here.",
        )
    if fields.keys() != _FIELDS:
        raise InvalidInput("The shared record lacks a field, or has one that gitmem does not know.")
    given = fields.pop("hash")
    _check(fields)
    if given != _hash(fields):
        raise InvalidInput(
            "The shared record does not match its hash: it was changed after it was written."
        )
    del fields["v"]
    return SyncRecord(**{**fields, "parents": tuple(fields["parents"])}, hash=given)


def canonical_json(value: object) -> str:
    """Return a value as JSON in one fixed form: sorted keys, no spaces, few escapes."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def text_and_content_digests(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return two digests (32 hexadecimal digits) of a record's body.

    The first is of the words alone, without tags, paths and weights; the second of all fields but
    those in ``LOCAL`` (anchors, pinned, trust).
    """
    rest = {name: value for name, value in body.items() if name not in LOCAL}
    words = {name: value for name, value in rest.items() if name not in (*SETS, *WEIGHTS)}
    return _digest(words), _digest(rest)


def is_device_id(text: object) -> bool:
    """Return whether ``text`` has the form of a device's id: 32 hexadecimal digits, lower case."""
    return isinstance(text, str) and len(text) == 32 and _DIGITS.issuperset(text)


def _digest(value: object) -> str:
    return sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _hash(fields: Mapping[str, Any]) -> str:
    try:
        return sha256(canonical_json(fields).encode("utf-8")).hexdigest()
    except (ValueError, TypeError) as error:
        raise InvalidInput("The shared record contains a value that JSON cannot hold.") from error


def _check(fields: Mapping[str, Any]) -> None:
    """Raise InvalidInput where a field has not the form that it must have."""
    parents: Sequence[object] = fields["parents"]
    whole = {"at": (1 << 62), "counter": MAX_COUNTER}
    checks = {
        "kind": fields["kind"] in KINDS,
        "id": _is_id(fields["id"]),
        "device": is_device_id(fields["device"]),
        "parents": isinstance(parents, list)
        and len(parents) <= MAX_PARENTS
        and all(map(_is_hash, parents))
        and parents == sorted(set(map(str, parents))),
        "body": isinstance(fields["body"], dict)
        and bool(fields["body"]) is not (fields["kind"] == TOMBSTONE),
        **{name: type(fields[name]) is int and 0 <= fields[name] <= most
           for name, most in whole.items()},
    }  # fmt: skip
    if wrong := [name for name, right in checks.items() if not right]:
        raise InvalidInput(f"The field {wrong[0]} of the shared record is not valid.")


def _is_id(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) == ids.LENGTH
        and ids.normalise_id_prefix(value) == value
    )


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and _DIGITS.issuperset(value)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
