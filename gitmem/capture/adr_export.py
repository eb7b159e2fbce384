"""Exporting decisions of the store as decision records.

A record that was imported is written byte for byte as it was, but for a changed status. A file that
was edited since is never overwritten: it has to be imported first.
"""

import os
from collections.abc import Iterator
from itertools import count

from gitmem.app import App
from gitmem.capture.adr_import import LARGEST, MARKDOWN, FileOutcome
from gitmem.capture.event_intake import visible_memory_filter
from gitmem.clock import format_iso
from gitmem.errors import InvalidInput
from gitmem.files import atomic_write
from gitmem.git import listing
from gitmem.memory import adr_format
from gitmem.memory.adr_format import DecisionRecord
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.memory.imported_files import imported_file_metadata

FOLDER = "docs/decisions"
INDEX = "index.md"
_PAGE = 1_000
_WRITTEN = ("active", "proposed", "superseded")
_INDEX_MARK = "<!-- gitmem index of decisions -->\n"


def export_decision_records(
    app: App, folder: str, format_name: str, *, write_index: bool = True, dry_run: bool
) -> list[FileOutcome]:
    """Write the decisions of this repository as decision records (ADRs) into a folder.

    Proposed and superseded ones are included, foreign ones (imported, not accepted by a person) and
    those of other branches are not. ``format_name`` is madr, nygard or simple; ``write_index``:
    also write ``index.md``. Returns a FileOutcome for each file. Raises InvalidInput for a folder
    that may not be written to.
    """
    root = _writable(app, folder)
    records_by_name = _read_records(app, folder)
    names = {record.id: name for name, record in reversed(records_by_name.items()) if record.id}
    # Not foreign ones: once written, they would be imported as this project's own.
    filter = replace(visible_memory_filter(app, app.store), kinds=("decision",), states=_WRITTEN)
    decisions = _select_all(app, filter)
    used_numbers = [
        record.number
        for record in (*records_by_name.values(), *map(decision_record_of_memory, decisions))
    ]
    numbers = count(max(used_numbers, default=0) + 1)
    outcomes: list[FileOutcome] = []
    listed: list[tuple[str, DecisionRecord]] = []
    for memory in decisions:
        record, name = _name_file(memory, records_by_name, names, numbers)
        text = adr_format.render_decision_record(record, format_name)
        try:
            outcomes.append(_write_record(app, root, folder, name, memory, text, dry_run))
        except OSError as error:
            outcomes.append(_failed(f"{folder}/{name}", memory.id, error))
        listed.append((name, record))
    if not write_index:
        return outcomes
    try:
        index_outcome = _write_index(root, folder, listed, dry_run)
    except OSError as error:
        index_outcome = _failed(f"{folder}/{INDEX}", "", error)
    return [*outcomes, index_outcome] if index_outcome else outcomes


def _failed(file: str, id: str, error: OSError) -> FileOutcome:
    return FileOutcome(file, id, "failed", f"It cannot be written: {error.strerror}.")


def decision_record_of_memory(memory: Memory) -> DecisionRecord:
    """The DecisionRecord of a decision; if it was imported, with number and text of its file."""
    origin = imported_file_metadata(memory)
    foreign = "head" in origin
    number = origin.get("number", 0)
    return DecisionRecord(
        title=memory.title,
        content=memory.content,
        status=memory.status,
        date=str(origin.get("date", "")) if foreign else format_iso(memory.created_at)[:10],
        number=number if isinstance(number, int) else 0,
        head=str(origin.get("head", "")),
        tail=str(origin.get("tail", "")),
        id="" if foreign else memory.id,
        tags=memory.tags,
        paths=memory.paths,
    )


def _name_file(
    memory: Memory,
    records_by_name: dict[str, DecisionRecord],
    names: dict[str, str],
    numbers: Iterator[int],
) -> tuple[DecisionRecord, str]:
    """The record of a decision and the name of its file, which is new if it has none yet.

    ``records_by_name`` has those in the folder, ``names`` the files of gitmem's own by id.
    """
    record = decision_record_of_memory(memory)
    if not record.id:
        return record, os.path.basename(str(imported_file_metadata(memory)["file"]))
    if name := names.get(memory.id):
        there = records_by_name[name]
        return replace(record, number=there.number, date=there.date or record.date), name
    number = next(numbers)
    return replace(record, number=number), adr_format.decision_record_file_name(
        number, memory.title
    )


def _select_all(app: App, filter: MemoryFilter) -> list[Memory]:
    selected: list[Memory] = []
    for offset in range(0, memories.count_filtered_memories(app.store, filter), _PAGE):
        selected += memories.select_memories(app.store, filter, limit=_PAGE, offset=offset)
    return selected[::-1]


def _read_records(app: App, folder: str) -> dict[str, DecisionRecord]:
    """The records in a folder, by file name."""
    place = os.path.join(listing.listed_files_root(app.layout), folder)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    records = {}
    for name in names:
        data = listing.read_worktree_file(
            listing.listed_files_root(app.layout), f"{folder}/{name}", LARGEST
        )
        text = data.decode("utf-8", "replace") if data and name.lower().endswith(MARKDOWN) else ""
        if text and (record := adr_format.parse_decision_record(text)):
            records[name] = record
    return records


def _write_record(
    app: App, root: str, folder: str, name: str, memory: Memory, text: str, dry_run: bool
) -> FileOutcome:
    file = f"{folder}/{name}"
    there = listing.read_worktree_file(listing.listed_files_root(app.layout), file, LARGEST)
    data = text.encode("utf-8", "surrogateescape")
    if there is not None and b"\r\n" in there:  # keep the file's line ends
        data = data.replace(b"\n", b"\r\n")
    if there is not None and there.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n"):
        return FileOutcome(file, memory.id, "unchanged")
    target = os.path.join(root, name)
    if there is None and os.path.lexists(target):
        return FileOutcome(file, memory.id, "left alone", "Something that is no file is there.")
    if there is not None and not _is_unedited(memory, file, there):
        problem = "It was edited since, or is another file: run `gitmem adr import` first."
        return FileOutcome(file, memory.id, "left alone", problem)
    if not dry_run:
        os.makedirs(root, exist_ok=True)
        atomic_write.replace_file(target, data)
    word = "updated" if there is not None else "written"
    return FileOutcome(file, memory.id, f"would be {word}" if dry_run else word)


def _is_unedited(memory: Memory, file: str, there: bytes) -> bool:
    """Whether a file belongs to this decision and nobody edited it since it was imported."""
    origin = imported_file_metadata(memory)
    if "head" in origin:
        blob = str(origin.get("blob", ""))
        return origin.get("file") == file and listing.content_has_blob_id(there, blob)
    text = there.decode("utf-8", "replace").replace("\r\n", "\n")
    record = adr_format.parse_decision_record(text)
    if record is None or record.id != memory.id:
        return False
    # What was edited is in the store by now, and nothing beside it is in the file.
    same = all(
        getattr(record, name) == getattr(memory, name) for name in ("title", "content", "status")
    )
    return not record.edited or (same and adr_format.has_no_text_beyond_record(record, text))


def _write_index(
    root: str, folder: str, records: list[tuple[str, DecisionRecord]], dry_run: bool
) -> FileOutcome | None:
    """Write the index of the folder, unless there is one that gitmem did not write."""
    target, file = os.path.join(root, INDEX), f"{folder}/{INDEX}"
    text = adr_format.render_decision_records_index(records) + "\n" + _INDEX_MARK
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
        atomic_write.replace_file(target, text.encode())
    return FileOutcome(file, "", "would be written" if dry_run else "written")


def _writable(app: App, folder: str) -> str:
    """The path of the folder. Raises InvalidInput where it may not be written to."""
    root = os.path.realpath(listing.listed_files_root(app.layout))
    place = os.path.join(root, folder)
    inside = os.path.realpath(place)
    parts = folder.split("/")
    if inside != os.path.normpath(place) or {".git", ".gitmem"} & set(parts) or folder == ".":
        raise InvalidInput(
            f"Decision records cannot be written to {folder[:80]!r}.",
            "Give a folder in the repository, not a symbolic link, such as docs/decisions.",
        )
    if os.path.lexists(place) and not os.path.isdir(place):
        raise InvalidInput(f"{folder[:80]!r} is a file.", "Give a folder.")
    return place
