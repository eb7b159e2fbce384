"""The rows of memories: which columns there are, rows to values and back, and their hashes.

Every column but the row number stands in the order of the fields of ``Memory``, so that a field is
named there and nowhere else. Each row carries a hash of its content; a row whose hash does not fit
was damaged on the disk and is reported, never shown as if it were whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from gitmem.errors import StoreDamaged
from gitmem.model.memory import Memory
from gitmem.store.db.columns import columns
from gitmem.store.db.connection import Row
from gitmem.text import json_reader
from gitmem.text.digest import sha256

FIELDS = tuple(name for name in Memory.__slots__ if name != "seq")
_NAMES = columns(FIELDS)
# What is read: a row of these is what ``from_row`` takes.
COLUMNS = ", ".join(("seq", *_NAMES, "hash"))
# What is written: a row of these is what ``to_row`` gives; then device and counter.
WRITTEN = (*_NAMES, "digest", "hash", "device", "counter")

_LISTS = tuple(map(FIELDS.index, ("tags", "paths")))
_REALS = tuple(map(FIELDS.index, ("importance", "confidence")))
_PINNED = FIELDS.index("pinned")
# Fields younger than the first rows count in a hash by name, and only where they say something.
_YOUNGER = {"layer": "layer", "trust": "trust", "valid_from": "from", "valid_until": "until"}
_FIRST = len(FIELDS) - len(_YOUNGER)

_values_of = attrgetter(*FIELDS)


def from_row(row: Row, path: str = "") -> Memory:
    """A memory from a row of ``COLUMNS``, its hash verified. Raises StoreDamaged."""
    try:
        memory = _read(row)
        whole = content_hash(memory) == row[-1]
    except (ValueError, TypeError):
        # Lists that are no JSON any more, a number where text was.
        whole = False
    if not whole:
        raise StoreDamaged(
            f"Memory {row[1]} in {path} does not match its hash: the file was damaged.",
            "Run `gitmem doctor`; `gitmem restore-backup` brings the last backup back.",
        )
    return memory


def _read(row: Row) -> Memory:
    values = [*row[1:-1], row[0]]
    for place in _LISTS:
        values[place] = tuple(json_reader.loads(values[place]))
    values[_PINNED] = bool(values[_PINNED])
    return Memory(*values)


def to_row(memory: Memory) -> list[object]:
    """The values of ``WRITTEN`` that the memory gives: all but device and counter."""
    import json  # noqa: PLC0415 - 2 ms, paid by writers only

    values = list(_values_of(memory))
    for place in _LISTS:
        values[place] = json.dumps(values[place], ensure_ascii=False)
    values[_PINNED] = int(memory.pinned)
    return [*values, digest(memory), content_hash(memory)]


def content_hash(memory: Memory) -> bytes:
    """SHA-256 over everything a memory says (not over its row number)."""
    text = "\x1f".join(map(str, _hashed(memory)))
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _hashed(memory: Memory) -> list[object]:
    values = list(_values_of(memory))
    for place in _REALS:
        # A column of real numbers gives 1 back as 1.0.
        values[place] = float(values[place])
    first, last = _LISTS
    lists = [*memory.tags, "", *memory.paths, ""]
    return [*values[:first], *lists, *values[last + 1 : _FIRST], *_younger(memory)]


def _younger(memory: Memory) -> Iterator[str]:
    for name, shown in _YOUNGER.items():
        value = getattr(memory, name)
        if value not in ("", None):
            yield f"{shown}={value}"


def digest(memory: Memory) -> str:
    """The same for two memories that say the same: case and white space do not count."""
    words = [memory.scope, memory.kind]
    words += [" ".join(text.split()).casefold() for text in (memory.title, memory.content)]
    return sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def to_snapshot(memory: Memory) -> str:
    """A memory as one line of JSON with stable keys, its hash among them."""
    import json  # noqa: PLC0415 - as above

    fields = {name: getattr(memory, name) for name in FIELDS}
    fields["hash"] = content_hash(memory).hex()
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)


def from_snapshot(text: str, path: str = "") -> Memory:
    """The memory written by ``to_snapshot``. Raises StoreDamaged where it was changed since."""
    try:
        fields = json_reader.loads(text)
        expected = fields.pop("hash")
        fields["tags"], fields["paths"] = tuple(fields["tags"]), tuple(fields["paths"])
        memory = Memory(**fields)
        whole = content_hash(memory).hex() == expected
    except (ValueError, TypeError, KeyError, AttributeError):
        whole = False
    if not whole:
        raise StoreDamaged(
            f"An earlier version of a memory in {path} does not match its hash: the file was "
            "damaged.",
            "Run `gitmem doctor`; `gitmem restore-backup` brings the last backup back.",
        )
    return memory
