"""Copies outside the work tree: which are kept, what a failure leaves, what purging reaches."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from gitmem.errors import DiskFull, GitmemError, StoreDamaged
from gitmem.store.db import projects
from gitmem.store.file import copies_folder, outside_copy, registration
from gitmem.store.file.copies_folder import ExternalStoreCopy, StoreToCopy
from gitmem.store.memory import memories, memory_writes
from tests.support import children
from tests.support.file_faults import limited
from tests.support.stores import START, entropy, keep, make_store, open_store, said

DAY = 86_400_000


class Bench:
    """A store with four memories, and the data folder that its copies go to."""

    def __init__(self, folder: Path, name: str = "repo") -> None:
        self.root = folder / name
        data = folder / "home" / "gitmem" / "stores"
        data.mkdir(parents=True, exist_ok=True)
        self.stores = str(data)
        self.database = make_store(self.root / ".gitmem" / "memory.db")
        self.id = projects.get_meta(self.database, "store") or ""
        self.add(4)

    def add(self, count: int) -> None:
        known = len(list(memories.all_memories(self.database)))
        for seed in range(known, known + count):
            keep(self.database, said(f"Fact {seed}", seed=seed))

    def lose(self, count: int) -> None:
        with self.database.write():
            for memory in list(memories.all_memories(self.database))[:count]:
                memory_writes.remove_memory(self.database, memory.id)

    def copy(self, now: int = START, root: Path | None = None) -> ExternalStoreCopy:
        place = root or self.root
        origin = str(place / ".gitmem" / "memory.db")
        source = StoreToCopy(self.id, origin, str(place), "example", "Example")
        return outside_copy.make_external_copy(
            self.stores, source, now_ms=now, file_name_timestamp=str(now), random_bytes=entropy()
        )

    def stored(self) -> list[ExternalStoreCopy]:
        return copies_folder.list_copies(self.stores, self.id)

    @property
    def folder(self) -> Path:
        return Path(copies_folder.folder_of_copies(self.stores, self.id))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_it_tells_what_it_is_a_copy_of(bench: Bench) -> None:
    made = bench.copy()
    assert bench.stored() == [made]
    assert (made.memories, made.made_at, made.root) == (4, START, str(bench.root))
    assert (made.project, made.name, made.is_copied_store_present, made.is_set_aside) == (
        "example",
        "Example",
        True,
        False,
    )
    assert stat.S_IMODE(os.stat(made.path).st_mode) == 0o600
    assert stat.S_IMODE(bench.folder.stat().st_mode) == 0o700
    about = json.loads((bench.folder / "about.json").read_text())
    assert (about["project"], about["memories"], about["at"]) == ("example", 4, START)


def test_two_generations_are_kept(bench: Bench) -> None:
    for number in range(4):
        bench.copy(START + number)
    assert [item.made_at for item in bench.stored()] == [START + 2, START + 3]


def test_of_two_in_one_moment_none_takes_the_other_s_name(bench: Bench) -> None:
    assert bench.copy().path != bench.copy().path
    assert len(bench.stored()) == 2


def test_a_store_that_lost_most_keeps_the_copy_of_before_for_thirty_days(bench: Bench) -> None:
    bench.copy()
    bench.lose(3)
    bench.copy(START + DAY)
    for number in range(2, 6):
        bench.copy(START + number * DAY)
    before, *rest = bench.stored()
    assert (before.is_set_aside, before.memories, len(rest)) == (True, 4, 2)
    assert copies_folder.rank_copies(bench.stored(), str(bench.root))[-1] == before
    bench.copy(START + 31 * DAY)
    assert len(bench.stored()) == 3
    bench.copy(START + 32 * DAY)
    assert [item.is_set_aside for item in bench.stored()] == [False, False]


def test_a_store_that_lost_half_is_as_good_as_before(bench: Bench) -> None:
    bench.copy()
    bench.lose(2)
    bench.copy(START + 1)
    assert [item.is_set_aside for item in bench.stored()] == [False, False]


def test_an_empty_store_takes_no_copy_s_place(bench: Bench) -> None:
    bench.copy()
    bench.lose(4)
    for number in range(1, 4):
        bench.copy(START + number)
    assert [item.memories for item in bench.stored() if item.is_set_aside] == [4]


def test_a_twin_with_the_same_id_keeps_to_its_own(bench: Bench, tmp_path: Path) -> None:
    """A project that was copied with its store has two stores with one id."""
    import shutil

    bench.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    twin = tmp_path / "twin"
    shutil.copytree(bench.root, twin)
    first = bench.copy()
    for number in range(1, 4):
        bench.copy(START + number, root=twin)
    assert first in bench.stored()
    assert copies_folder.rank_copies(bench.stored(), str(bench.root))[0] == first
    # However old: its store is there. Nor does a twin that is small set the newest aside.
    newest = bench.copy(START + 30 * DAY)
    os.utime(first.path, (START / 1000, START / 1000))
    small = Bench(tmp_path, "small")
    small.lose(3)
    small.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(small.database.path, twin / ".gitmem" / "memory.db")
    bench.copy(START + 31 * DAY, root=twin)
    assert [item for item in bench.stored() if item.root == str(bench.root)] == [first, newest]
    # One that is removed takes its own copies along, and neither the key nor the other's.
    assert outside_copy.remove_store_data(bench.stores, bench.id, str(twin))
    assert bench.stored() == [first, newest]
    assert registration.read_store_key(bench.stores, bench.id)
    shutil.rmtree(twin)
    assert outside_copy.remove_store_data(bench.stores, bench.id, str(bench.root))
    assert not bench.folder.parent.exists()
    assert not outside_copy.remove_store_data(bench.stores, bench.id, str(bench.root))


def test_the_copies_of_a_place_that_is_gone_stay_thirty_days(bench: Bench, tmp_path: Path) -> None:
    first = bench.copy()
    bench.database.close()
    bench.root.rename(tmp_path / "moved")
    for name in os.listdir(bench.folder):
        os.utime(bench.folder / name, (START / 1000, START / 1000))
    bench.copy(START + DAY, root=tmp_path / "moved")
    assert bench.stored()[0].path == first.path
    bench.copy(START + 31 * DAY, root=tmp_path / "moved")
    assert first.path not in [item.path for item in bench.stored()]


def test_without_about_json_the_files_still_count(bench: Bench) -> None:
    made = bench.copy()
    for text in ("", "[]", json.dumps({"copies": {os.path.basename(made.path): 3}})):
        (bench.folder / "about.json").write_text(text)
        (found,) = bench.stored()
        assert (found.path, found.memories, found.root) == (made.path, -1, ""), text
    bench.copy(START + 1)
    assert len(bench.stored()) == 2


def test_a_store_that_cannot_be_copied_leaves_the_copies_as_they_are(bench: Bench) -> None:
    made = bench.copy()
    bench.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    bench.database.close()
    with open(bench.database.path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)
    with pytest.raises(StoreDamaged):
        bench.copy(START + 1)
    assert bench.stored() == [made]
    assert sorted(os.listdir(bench.folder)) == sorted(
        ["about.json", "lock", os.path.basename(made.path)]
    )


@children.needs_fork
def test_a_full_disk_leaves_the_copies_as_they_are(bench: Bench) -> None:
    made = bench.copy()
    content = Path(made.path).read_bytes()
    bench.database.close()

    def work() -> None:
        limited(20_000)
        with pytest.raises(DiskFull):
            bench.copy(START + 1)

    assert children.run(work) == children.DONE
    assert bench.stored() == [made]
    assert Path(made.path).read_bytes() == content
    assert not [name for name in os.listdir(bench.folder) if name.startswith(".")]


@children.needs_fork
def test_copies_made_at_once_wait_for_each_other(bench: Bench) -> None:
    bench.database.close()
    works = [lambda number=number: bench.copy(START + number) for number in range(3)]
    assert children.run_all(works) == [children.DONE] * 3
    assert len(bench.stored()) == 2
    assert all(item.memories == 4 for item in bench.stored())


def test_what_a_killed_process_left_goes_with_the_next_copy(bench: Bench) -> None:
    bench.copy()
    (bench.folder / ".copy-1.tmp").write_text("half")
    assert len(bench.stored()) == 1
    bench.copy(START + 1)
    assert not (bench.folder / ".copy-1.tmp").exists()


def test_purging_reaches_every_copy_and_keeps_its_age(bench: Bench) -> None:
    for number in range(2):
        bench.copy(START + number)
    paths = [item.path for item in bench.stored()]
    times = [os.stat(path).st_mtime_ns for path in paths]
    done = outside_copy.purge_from_external_copies(
        bench.stores, bench.id, [said(seed=2).id], now_ms=START, get_passphrase=bytes
    )
    assert done == (paths, [])
    assert [item.memories for item in bench.stored()] == [3, 3]
    assert [os.stat(path).st_mtime_ns for path in paths] == times
    assert all(b"Fact 2" not in Path(path).read_bytes() for path in paths)
    copy = open_store(paths[0])
    assert len(list(memories.all_memories(copy))) == 3
    copy.close()


def test_a_stranger_s_id_is_no_folder(bench: Bench) -> None:
    for store in ("", "../x", "zz" * 16):
        assert copies_folder.folder_of_copies(bench.stores, store) == ""
        assert copies_folder.list_copies(bench.stores, store) == []
        assert outside_copy.purge_from_external_copies(
            bench.stores, store, ["x"], now_ms=START, get_passphrase=bytes
        ) == (
            [],
            [],
        )


class TestEncrypted:
    PASSPHRASE = b"correct horse"

    @pytest.fixture(autouse=True)
    def library(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        """All but one with a key that costs a guess next to nothing, not 0.1 s."""
        pytest.importorskip("cryptography")
        if request.function.__name__ != "test_nothing_of_a_memory_can_be_read_and_all_comes_back":
            monkeypatch.setattr(outside_copy, "_COST", 2)

    def sealed(self, bench: Bench, now: int = START) -> ExternalStoreCopy:
        origin = str(bench.root / ".gitmem" / "memory.db")
        source = StoreToCopy(bench.id, origin, str(bench.root), "example", "Example")
        return outside_copy.make_external_copy(
            bench.stores,
            source,
            now_ms=now,
            file_name_timestamp=str(now),
            passphrase=self.PASSPHRASE,
        )

    def test_nothing_of_a_memory_can_be_read_and_all_comes_back(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        made = self.sealed(bench)
        content = Path(made.path).read_bytes()
        assert made.is_encrypted and made.memories == 4
        assert b"Fact" not in content and b"SQLite" not in content
        plain = tmp_path / "plain.db"
        plain.write_bytes(outside_copy.decrypt_copy(made.path, self.PASSPHRASE))
        plain.chmod(0o600)
        copy = open_store(str(plain))
        assert [memory.content for memory in memories.all_memories(copy)] == [
            f"Fact {n}" for n in range(4)
        ]
        copy.close()
        assert outside_copy._COST >= 1 << 15, "what a guess costs"

    def test_no_two_copies_are_sealed_alike(self, bench: Bench) -> None:
        first, second = self.sealed(bench), self.sealed(bench, START + 1)
        assert Path(first.path).read_bytes()[:64] != Path(second.path).read_bytes()[:64]

    def test_what_does_not_fit_is_reported(self, bench: Bench) -> None:
        made = Path(self.sealed(bench).path)
        whole = made.read_bytes()
        with pytest.raises(GitmemError, match="passphrase does not open"):
            outside_copy.decrypt_copy(str(made), b"another")
        # Every part is authenticated: name of the format, salt, nonce, content, end.
        for place in (20, 35, 60, len(whole) - 1):
            changed = bytearray(whole)
            changed[place] ^= 1
            made.write_bytes(bytes(changed))
            with pytest.raises(GitmemError, match="passphrase does not open"):
                outside_copy.decrypt_copy(str(made), self.PASSPHRASE)
        for part in (b"", whole[:30], b"x" + whole):
            made.write_bytes(part)
            with pytest.raises(StoreDamaged, match="not an encrypted copy"):
                outside_copy.decrypt_copy(str(made), self.PASSPHRASE)

    def test_purging_needs_the_passphrase_and_leaves_it_sealed(self, bench: Bench) -> None:
        made = self.sealed(bench)
        ids = [said(seed=2).id]
        assert outside_copy.purge_from_external_copies(
            bench.stores, bench.id, ids, now_ms=START, get_passphrase=lambda: b"another"
        ) == ([], [made.path])
        assert outside_copy.purge_from_external_copies(
            bench.stores, bench.id, ids, now_ms=START, get_passphrase=lambda: self.PASSPHRASE
        ) == ([made.path], [])
        assert b"Fact 2" not in outside_copy.decrypt_copy(made.path, self.PASSPHRASE)
        assert bench.stored()[0].memories == 3
