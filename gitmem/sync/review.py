"""What came from other devices, as one reads a difference: new, changed and gone memories."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from gitmem.app import App
from gitmem.memory import trust
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, sync_rows
from gitmem.store.memory.sync_rows import CONFLICT, CURRENT, SyncRecordRow
from gitmem.sync import link
from gitmem.sync.record import LINK, TOMBSTONE
from gitmem.text.fence import escape_for_model, one_line
from gitmem.text.quantity import quantity

NEW, CHANGED, GONE = "new", "changed", "gone"
_MAX_LINES, _WIDTH, _MAX_CHARACTERS = 40, 300, 20_000


@dataclass(frozen=True, slots=True)
class ReceivedMemory:
    """A memory that another device sent, as ``gitmem sync review`` lists it.

    ``change`` is new, changed or gone; ``lines`` are its text as a diff, each beginning with +, -
    or a space. ``signature`` and ``key`` are how the device signs, ``trust`` is the memory's trust
    here (empty: not stored). ``waits`` says that a person has to decide about it.
    """

    change: str
    id: str
    kind: str
    title: str
    device: str
    author: str
    signature: str
    key: str
    trust: str
    waits: bool
    lines: tuple[str, ...]


def received_memories(app: App, limit: int, offset: int) -> tuple[tuple[ReceivedMemory, ...], int]:
    """Return a page of the memories that came from other devices, and their total number.

    Those that wait for a person's decision come first, then by device. ``offset`` are skipped.
    """
    database, own = app.store, link.read_sync_progress(app.store).device
    rows = [
        row
        for row in sync_rows.sync_records_of_other_devices(database, own)
        if row.kind == TOMBSTONE or (row.kind != LINK and row.state in (CURRENT, CONFLICT))
    ]
    tiers = sync_rows.trust_tiers_by_id(database, {row.id for row in rows})
    rows.sort(key=lambda row: (not _waits(row, tiers), row.device, row.id, row.hash))
    page = rows[offset : offset + limit]
    return tuple(_describe(database, row, tiers) for row in page), len(rows)


def _waits(row: SyncRecordRow, tiers: dict[str, str]) -> bool:
    """Whether a person is to decide about a record."""
    if row.kind == TOMBSTONE:
        return row.id in tiers
    return row.state == CONFLICT or not trust.may_show_automatically(tiers.get(row.id, ""))


def _describe(database: Database, row: SyncRecordRow, tiers: dict[str, str]) -> ReceivedMemory:
    present = memories.get_undamaged_memory(database, row.id)
    shown, old = present, None
    if row.state == CONFLICT:
        shown, old = memories.get_undamaged_memory(database, row.copy), present
    elif present is not None and row.kind != TOMBSTONE:
        old = _earlier(database, present)
    change = GONE if row.kind == TOMBSTONE else CHANGED if old else NEW
    after = None if change == GONE else shown
    before = present if change == GONE else old
    device = next(
        (each for each in sync_rows.list_sync_devices(database) if each.device == row.device), None
    )
    return ReceivedMemory(
        change,
        row.id,
        shown.kind if shown else "",
        one_line(shown.headline, 100) if shown else "",
        row.device,
        one_line(device.author, 80) if device else "",
        device.signature if device else "",
        device.signer if device else "",
        tiers.get(row.id, ""),
        _waits(row, tiers),
        _difference(before, after),
    )


def _earlier(database: Database, present: Memory) -> Memory | None:
    """The last version with other words; None if there is none."""
    words = (present.title, present.content)
    versions = [version.memory for version in memories.earlier_versions(database, present.id)]
    return next((old for old in reversed(versions) if (old.title, old.content) != words), None)


def _difference(before: Memory | None, after: Memory | None) -> tuple[str, ...]:
    old, new = _lines(before), _lines(after)
    if len(old) + len(new) > 2000:  # comparing them would take seconds
        lines = [*(f"- {line}" for line in old), *(f"+ {line}" for line in new)]
    else:
        lines = [line for line in difflib.ndiff(old, new) if line[0] != "?"]
    more = len(lines) - _MAX_LINES
    cut = [one_line(line, _WIDTH) for line in lines[:_MAX_LINES]]
    return (*cut, *([f"… {quantity(more, 'more line')}"] if more > 0 else []))


def _lines(memory: Memory | None) -> Sequence[str]:
    if memory is None:
        return ()
    text = f"{memory.title}\n{memory.content}".strip()[:_MAX_CHARACTERS]
    return escape_for_model(text).splitlines()
