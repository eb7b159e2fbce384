"""Decisions in the store become decision records in files (ML-35).

A record that was read and is written again is the same file, byte for byte, but for a status that
changed since. A file that somebody edited is never written over: it has to be imported first.
"""

import os
from collections.abc import Iterator
from itertools import count

from gitmem.app import App
from gitmem.capture.adr_import import LARGEST, MARKDOWN, FileOutcome
from gitmem.capture.event_intake import seen_here
from gitmem.clock import iso
from gitmem.errors import InvalidInput
from gitmem.files import atomic_write
from gitmem.git import listing
from gitmem.memory import adr_format
from gitmem.memory.adr_format import Record
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.store.memory.imported_files import origin_of

FOLDER = "docs/decisions"
INDEX = "index.md"
_PAGE = 1_000
_WRITTEN = ("active", "proposed", "superseded")
_INDEX_MARK = "<!-- gitmem index of decisions -->\n"


def export_records(app: App, folder: str, form: str, *, dry_run: bool) -> list[FileOutcome]:
    """Write the decisions that are or were in force here as files of a folder, with an index.

    Strangers' are left out, and those of branches that are not merged.

    Raises InvalidInput for a folder that may not be written to.
    """
    root = _writable(app, folder)
    known = _present(app, folder)
    names = {one.id: name for name, one in reversed(known.items()) if one.id}
    # No stranger's: written here, it would read as this project's and be imported as such.
    wanted = replace(seen_here(app, app.store), kinds=("decision",), states=_WRITTEN)
    found = _every(app, wanted)
    taken = [one.number for one in (*known.values(), *map(record_of, found))]
    numbers = count(max(taken, default=0) + 1)
    done: list[FileOutcome] = []
    index: list[tuple[str, Record]] = []
    for memory in found:
        record, name = _named(memory, known, names, numbers)
        text = adr_format.render(record, form)
        try:
            done.append(_written(app, root, folder, name, memory, text, dry_run))
        except OSError as error:
            done.append(_failed(f"{folder}/{name}", memory.id, error))
        index.append((name, record))
    try:
        told = _index(root, folder, index, dry_run)
    except OSError as error:
        told = _failed(f"{folder}/{INDEX}", "", error)
    return [*done, told] if told else done


def _failed(file: str, id: str, error: OSError) -> FileOutcome:
    return FileOutcome(file, id, "failed", f"It cannot be written: {error.strerror}.")


def record_of(memory: Memory) -> Record:
    """A decision as a record."""
    origin = origin_of(memory)
    foreign = "head" in origin
    number = origin.get("number", 0)
    return Record(
        title=memory.title,
        content=memory.content,
        status=memory.status,
        date=str(origin.get("date", "")) if foreign else iso(memory.created_at)[:10],
        number=number if isinstance(number, int) else 0,
        head=str(origin.get("head", "")),
        tail=str(origin.get("tail", "")),
        id="" if foreign else memory.id,
        tags=memory.tags,
        paths=memory.paths,
    )


def _named(
    memory: Memory, known: dict[str, Record], names: dict[str, str], numbers: Iterator[int]
) -> tuple[Record, str]:
    """The record of a decision and the name of its file: the one that it has, or a new one.

    ``known`` are the records that lie there by name, ``names`` those of gitmem's own by id.
    """
    record = record_of(memory)
    if not record.id:
        return record, os.path.basename(str(origin_of(memory)["file"]))
    if name := names.get(memory.id):
        there = known[name]
        return replace(record, number=there.number, date=there.date or record.date), name
    number = next(numbers)
    return replace(record, number=number), adr_format.file_name(number, memory.title)


def _every(app: App, filter: Filter) -> list[Memory]:
    """The memories that pass a filter, the oldest first."""
    found: list[Memory] = []
    for offset in range(0, memories.count(app.store, filter), _PAGE):
        found += memories.select(app.store, filter, limit=_PAGE, offset=offset)
    return found[::-1]


def _present(app: App, folder: str) -> dict[str, Record]:
    """The records that lie in a folder, by name."""
    place = os.path.join(listing.root(app.layout), folder)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    found = {}
    for name in names:
        data = listing.read_file(listing.root(app.layout), f"{folder}/{name}", LARGEST)
        text = data.decode("utf-8", "replace") if data and name.lower().endswith(MARKDOWN) else ""
        if text and (record := adr_format.parse(text)):
            found[name] = record
    return found


def _written(
    app: App, root: str, folder: str, name: str, memory: Memory, text: str, dry_run: bool
) -> FileOutcome:
    file = f"{folder}/{name}"
    there = listing.read_file(listing.root(app.layout), file, LARGEST)
    data = text.encode("utf-8", "surrogateescape")
    if there is not None and b"\r\n" in there:  # as the file has them, or the checkout made them
        data = data.replace(b"\n", b"\r\n")
    if there == data or (there is not None and _plain(there) == _plain(data)):
        return FileOutcome(file, memory.id, "unchanged")
    target = os.path.join(root, name)
    if there is None and os.path.lexists(target):
        return FileOutcome(file, memory.id, "left alone", "Something that is no file is there.")
    if there is not None and not _ours(memory, file, there):
        problem = "It was edited since, or is another file: run `gitmem adr import` first."
        return FileOutcome(file, memory.id, "left alone", problem)
    if not dry_run:
        os.makedirs(root, exist_ok=True)
        atomic_write.replace(target, data)
    word = "updated" if there is not None else "written"
    return FileOutcome(file, memory.id, f"would be {word}" if dry_run else word)


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _ours(memory: Memory, file: str, there: bytes) -> bool:
    """Whether a file is what this decision was written to, or made of, and nobody edited it."""
    origin = origin_of(memory)
    if "head" in origin:
        blob = str(origin.get("blob", ""))
        return origin.get("file") == file and listing.is_blob(there, blob)
    record = adr_format.parse(there.decode("utf-8", "replace"))
    return record is not None and record.id == memory.id and not record.edited


def _index(
    root: str, folder: str, records: list[tuple[str, Record]], dry_run: bool
) -> FileOutcome | None:
    """The index of the folder, unless somebody has one of their own there."""
    target, file = os.path.join(root, INDEX), f"{folder}/{INDEX}"
    text = adr_format.index(records) + "\n" + _INDEX_MARK
    there = b""
    if os.path.lexists(target):
        if os.path.islink(target) or not os.path.isfile(target):
            return FileOutcome(file, "", "left alone", "Something that is no file is there.")
        with open(target, "rb") as opened:
            there = opened.read()
        if not there.endswith(_INDEX_MARK.encode()):
            return FileOutcome(file, "", "left alone", "It is not an index that gitmem wrote.")
    if there == text.encode() or not records:
        return None
    if not dry_run:
        os.makedirs(root, exist_ok=True)
        atomic_write.replace(target, text.encode())
    return FileOutcome(file, "", "would be written" if dry_run else "written")


def _writable(app: App, folder: str) -> str:
    """The folder's place. Raises InvalidInput where it is none that may be written to."""
    root = os.path.realpath(listing.root(app.layout))
    place = os.path.join(root, folder)
    inside = os.path.realpath(place)
    parts = folder.split("/")
    if inside != os.path.normpath(place) or {".git", ".gitmem"} & set(parts) or folder == ".":
        raise InvalidInput(
            f"{folder[:80]!r} is no folder that records may be written to.",
            "Give one inside the repository that is not a link, such as docs/decisions.",
        )
    if os.path.lexists(place) and not os.path.isdir(place):
        raise InvalidInput(f"{folder[:80]!r} is a file.", "Give a folder.")
    return place
