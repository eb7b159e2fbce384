"""What killed processes left is found by name and dead owner, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.store.file import leftovers
from tests.support import children

NOW = 1_795_248_222_000
HOURS_AGO, JUST_NOW = NOW / 1000 - 7200, NOW / 1000 - 5


def dead_pid() -> int:
    """The number of a process that has ended."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


@children.needs_fork
def test_which_files_are_left_over(tmp_path: Path) -> None:
    dead, alive = dead_pid(), os.getpid()
    store = tmp_path / ".gitmem"
    (store / "backups").mkdir(parents=True)
    cases = {
        f"backups/.memory-1.db.{dead}.tmp": (JUST_NOW, True),
        f"backups/.auto-1.db.{dead}.tmp-journal": (JUST_NOW, True),
        f"backups/.memory-1.db.{alive}.tmp": (JUST_NOW, False),
        f"backups/.memory-2.db.{alive}.tmp": (HOURS_AGO, True),
        "backups/.memory-2.db.99999999999999999999.tmp": (JUST_NOW, True),
        f".new-{dead}-abc.db": (JUST_NOW, True),
        f".new-{alive}-abc.db": (JUST_NOW, False),
        ".new-abcdefg.db": (HOURS_AGO, True),
        ".new-hijklmn.db": (JUST_NOW, False),
        "memory.db.restoring": (HOURS_AGO, True),
        "memory.db.restoring-wal": (HOURS_AGO, True),
        f"memory.db.{dead}.restoring": (JUST_NOW, True),
        f"memory.db.{dead}.restoring-journal": (JUST_NOW, True),
        f"memory.db.{alive}.restoring": (JUST_NOW, False),
        "config.toml.gitmem-new": (HOURS_AGO, True),
        "memory.db": (HOURS_AGO, False),
        "memory.db-wal": (HOURS_AGO, False),
        "backups/memory-1.db": (HOURS_AGO, False),
        "backups/mine.tmp": (HOURS_AGO, False),
    }
    for name, (at, _) in cases.items():
        (store / name).write_text("copy")
        os.utime(store / name, (at, at))
    (store / ".new-folder.db").mkdir()
    os.utime(store / ".new-folder.db", (HOURS_AGO, HOURS_AGO))
    (store / "link.gitmem-new").symlink_to(store / "memory.db")
    path = str(store / "memory.db")
    expected = {name for name, (_, left) in cases.items() if left}
    assert {
        os.path.relpath(leftover, store) for leftover in leftovers.find_leftover_files(path, NOW)
    } == expected
    assert {
        os.path.relpath(item, store) for item in leftovers.remove_leftover_files(path, NOW)
    } == expected
    assert leftovers.find_leftover_files(path, NOW) == []
    assert all((store / name).exists() != left for name, (_, left) in cases.items())


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert leftovers.find_leftover_files(str(tmp_path / "nowhere" / "memory.db"), NOW) == []
