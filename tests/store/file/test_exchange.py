"""A store is exchanged for a backup: killed at any moment there is one store, and it is whole."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile, GitmemError, NotInitialized, ReadOnly, StoreDamaged
from gitmem.store.db import preflight
from gitmem.store.file import backup, exchange, leftovers, restore
from gitmem.store.memory import memories
from tests.support import children, trees
from tests.support.amounts import amount
from tests.support.file_faults import failing_files, python_counts
from tests.support.stores import START, keep, keys_of, make_store, open_store, said

RUINS, LOG = b"ruins" * 1000, b"what the log of the old store holds " * 100


class Place:
    """A store of which one backup was made and which was damaged then, with its log."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "own" / ".gitmem" / "memory.db"
        self.model = folder / "model"
        database = make_store(self.path)
        keep(database, said("Of the backup"))
        self.saved = backup.write_backup(database, str(self.path.parent / "backups" / "saved.db"))
        database.close()
        self.path.write_bytes(RUINS)
        self.log.write_bytes(LOG)
        self.keys = keys_of(self.path)
        trees.copy(self.path.parent, self.model)

    @property
    def log(self) -> Path:
        return Path(f"{self.path}-wal")

    @property
    def incoming(self) -> Path:
        return Path(self.path.with_name("memory.db.incoming"))

    @property
    def aside(self) -> Path:
        return self.path.parent / "backups" / "before-restore-1.db"

    def put_back(self) -> None:
        shutil.rmtree(self.path.parent)
        trees.copy(self.model, self.path.parent)
        self.path.parent.chmod(0o700)

    def restore(self) -> None:
        restore.restore_store(self.saved, str(self.path), str(self.aside), self.keys)

    def contents(self) -> list[str]:
        database = open_store(str(self.path))
        try:
            return [memory.content for memory in memories.all_memories(database)]
        finally:
            database.close()

    def kept(self) -> dict[Path, bytes]:
        """Where the ruins are, and where their log."""
        places = [path for path in self.path.parent.rglob("*") if path.is_file()]
        return {path: found for path in places if (found := path.read_bytes()) in (RUINS, LOG)}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@children.needs_fork
def test_killed_at_any_moment_leaves_one_store_and_nothing_lost(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    fired, rolled, step = 0, 0, amount(2, thorough=1)
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        while True:
            place.put_back()
            files.kill_at(fired)
            pid = children.start(place.restore)
            files.stop()
            if children.finish(pid) != -signal.SIGKILL:
                break
            fired += step
            there = place.path.exists()
            try:
                assert place.contents() == ["Of the backup"], fired
                rolled += not there
            except StoreDamaged:
                assert place.path.read_bytes() == RUINS, fired
                assert place.log.read_bytes() == LOG, f"{fired}: the old store without its log"
            assert set(place.kept().values()) == {RUINS, LOG}, fired
            again = Path(f"{place.aside}-again.db")
            restore.restore_store(place.saved, str(place.path), str(again), place.keys)
            assert place.contents() == ["Of the backup"]
            leftovers.remove_leftover_files(str(place.path), START)
            left = {item.name for item in place.path.parent.rglob("*")}
            assert not [name for name in left if "restoring" in name or "incoming" in name], fired
            logs = [name for name in left if name.endswith(".db-wal") and "before" in name]
            assert all(name.removesuffix("-wal") in left for name in logs), f"{fired}: {left}"
            assert set(place.kept().values()) == {RUINS, LOG}, fired
    assert fired > 20
    assert rolled > 0, "no kill was between the two renames"


def interrupted(place: Place) -> None:
    """As a kill leaves it before the last rename."""
    place.path.unlink()
    shutil.copy(place.saved, place.incoming)
    place.incoming.chmod(0o600)


def test_a_folder_that_cannot_be_written_is_reported_in_a_sentence(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(place)

    def refuse(source: str, target: str) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as within:
        within.setattr(os, "rename", refuse)
        with pytest.raises(ReadOnly, match="was interrupted") as output:
            place.contents()
    assert "memory.db.incoming" in output.value.hint
    assert place.contents() == ["Of the backup"]


@children.needs_fork
def test_who_comes_while_an_exchange_goes_on_waits_for_it(place: Place) -> None:
    ready, output = os.pipe()
    going_on, go = os.pipe()

    def exchanging() -> None:
        with exchange.lock_store_folder(str(place.path)):
            interrupted(place)
            os.write(output, b".")
            os.read(going_on, 1)
            place.log.unlink()
            place.incoming.rename(place.path)

    def impatient() -> None:
        exchange._WAIT_SECONDS = -1.0
        place.contents()

    writer = children.start(exchanging)
    os.read(ready, 1)
    reader = children.start(place.contents)
    assert children.run(impatient) == children.EXPECTED, "it took the store out of others' hands"
    assert place.log.exists()
    os.write(go, b".")
    assert [children.finish(pid) for pid in (writer, reader)] == [children.DONE] * 2
    for end in (ready, output, going_on, go):
        os.close(end)


def test_a_link_in_the_place_of_the_new_content_is_not_followed(place: Place) -> None:
    place.path.unlink()
    place.incoming.symlink_to(place.saved)
    with pytest.raises(ForeignFile, match="symbolic link"):
        place.contents()
    assert place.incoming.is_symlink()


def test_what_an_exchange_left_beside_a_store_in_its_place_is_deleted(place: Place) -> None:
    place.restore()
    shutil.copy(place.saved, place.incoming)
    assert leftovers.remove_leftover_files(str(place.path), START) == [str(place.incoming)]
    place.path.unlink()
    shutil.copy(place.saved, place.incoming)
    assert leftovers.remove_leftover_files(str(place.path), START) == [], "it is the only one"
    assert preflight.store_exists(str(place.path))


def test_a_log_without_its_store_is_kept_with_an_empty_one(place: Place) -> None:
    place.path.unlink()
    with pytest.raises(NotInitialized):
        place.contents()
    place.restore()
    assert Path(f"{place.aside}-wal").read_bytes() == LOG
    assert leftovers.remove_leftover_files(str(place.path), START) == []


def test_the_rollback_journal_of_the_old_store_never_meets_the_new_one(place: Place) -> None:
    """Where memory cannot be shared there is a journal in the place of the log."""
    place.restore()
    database = open_store(str(place.path))
    for seed in range(2, 9):
        keep(database, said(f"Later {seed} " * 99, seed=seed))
    database.connection.pragma("journal_mode", "delete")
    with database.write():
        database.run("UPDATE memories SET content = 'Half written'")
        database.connection.cache_flush()
        old, journal = place.path.read_bytes(), Path(f"{place.path}-journal").read_bytes()
    database.close()
    place.put_back()
    place.log.unlink()
    place.path.write_bytes(RUINS + old[len(RUINS) :])
    Path(f"{place.path}-journal").write_bytes(journal)
    place.restore()
    whole = place.path.stat().st_size
    assert place.contents() == ["Of the backup"]
    assert place.path.stat().st_size == whole, "pages of the old store were written into it"
    assert Path(f"{place.aside}-journal").read_bytes() == journal
    with pytest.raises(GitmemError):
        open_store(str(place.aside))
