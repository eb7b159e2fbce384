"""Power cuts: the writes of a real run are recorded, and a disk is made that lost some of them.

    with recorded_files() as disk:
        ...                          # works on real files
        disk.tell("kept 01H...")     # an acknowledgement, in the order of the writes
    chance = Chance(rng)
    told = disk.cut(rng.randrange(len(disk.events)), chance, folder, root)
    assert chance.lost               # how many changes the cut took away

What was synced stands. Of what was written after a file's last sync each sector of 512 bytes is
there or not, as chance has it; so is a truncation, the removal of a file, and a file that was never
synced. Shared memory does not outlive a power cut. A sync is believed: no disk that lies is tried.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Event:
    """One thing that happened to a file, or (``told``) that somebody was told of."""

    what: str
    path: str = ""
    offset: int = 0
    data: bytes = b""


@dataclass
class Kept:
    """What the disk holds of a file: that for sure, and the changes since its last sync."""

    sure: bytearray = field(default_factory=bytearray)
    there: bool = False
    since: list[Event] = field(default_factory=list)


class RecordedFiles(apsw.VFS):
    """The operating system's files; whatever changes them is noted."""

    def __init__(self) -> None:
        self.name, self.base = f"recorded-{next(_NUMBERS)}", apsw.vfs_names()[0]
        super().__init__(self.name, self.base, makedefault=True)
        self.events: list[Event] = []
        # The files that were there before the recording.
        self.before: dict[str, bytes] = {}

    def tell(self, text: str) -> None:
        """Note that something was acknowledged."""
        self.events.append(Event("told", text))

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path and path not in self.before:
            known = any(event.path == path for event in self.events)
            found = Path(path)
            if not known and found.exists():
                self.before[path] = found.read_bytes()
        return RecordedFile(self, path, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        super().xDelete(name, sync)
        self.events.append(Event("delete", name))
        if sync:
            self.events.append(Event("sync", name))

    def cut(self, moment: int, chance: Chance, folder: Path, root: Path) -> list[str]:
        """Make in ``folder`` what is left below ``root``; what had been told before the cut."""
        files = {path: Kept(bytearray(data), True) for path, data in self.before.items()}
        result = []
        for event in self.events[:moment]:
            if event.what == "told":
                result.append(event.path)
                continue
            saved = files.setdefault(event.path, Kept())
            if event.what == "sync":
                saved.sure, saved.there = settled(saved, None)
                saved.since.clear()
            else:
                saved.since.append(event)
        for path, saved in files.items():
            data, there = settled(saved, chance)
            if there:
                target = folder / Path(path).relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                target.write_bytes(data)
                target.chmod(0o600)
        return result


class Chance:
    """What becomes of what was not synced; ``lost`` counts what did not reach the disk."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lost = 0

    def keeps(self, how_likely: float = 0.5) -> bool:
        """Whether one change reached the disk."""
        saved = self.rng.random() < how_likely
        self.lost += not saved
        return saved

    def of_a_write(self) -> float:
        """How likely each sector of a write is there: none, all, or about half of them."""
        return self.rng.choice((0.0, 1.0, 0.5))


def settled(saved: Kept, chance: Chance | None) -> tuple[bytearray, bool]:
    """A file with its changes: all of them, or those that chance leaves."""
    data, there = bytearray(saved.sure), saved.there
    for event in saved.since:
        if event.what == "write":
            there = there or chance is None or chance.keeps()
            _write(data, event, chance)
        elif chance is not None and not chance.keeps():
            continue
        elif event.what == "delete":
            data, there = bytearray(), False
        else:
            del data[event.offset :]
            there = True
    return data, there


def _write(data: bytearray, event: Event, chance: Chance | None) -> None:
    likely = 1.0 if chance is None else chance.of_a_write()
    for start in range(0, len(event.data), SECTOR):
        if chance is not None and not chance.keeps(likely):
            continue
        part = event.data[start : start + SECTOR]
        at = event.offset + start
        data.extend(bytes(max(0, at + len(part) - len(data))))
        data[at : at + len(part)] = part


class RecordedFile(apsw.VFSFile):
    """One file of ``RecordedFiles``."""

    def __init__(self, files: RecordedFiles, path: str, name: Any, flags: list[int]) -> None:
        super().__init__(files.base, name, flags)
        self.files, self.path = files, path

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self.files.events.append(Event("write", self.path, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self.files.events.append(Event("truncate", self.path, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self.files.events.append(Event("sync", self.path))


@contextmanager
def recorded_files() -> Iterator[RecordedFiles]:
    """Record what happens to every store that is opened within the block."""
    files = RecordedFiles()
    try:
        yield files
    finally:
        files.unregister()
