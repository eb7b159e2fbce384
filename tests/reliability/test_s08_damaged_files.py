"""Files damaged in every way: noticed or harmless, and what was whole comes back by `recover`.

Noticed: a command fails with one of our errors, leaves a memory out, or doctor finds a problem.
Harmless: every canonical row is as it was. Nothing is neither.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.doctor import store_checks
from gitmem.doctor.finding import run_check_guarded
from gitmem.errors import GitmemError, NotFound
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.operations.find.list import ListMemoriesRequest, list_memories
from gitmem.operations.find.recall import RecallRequest, recall_memories
from gitmem.operations.maintenance.recover import RecoverRequest, recover_store
from gitmem.store.file import integrity, page_reader
from gitmem.store.file.page_reader import PageReader
from gitmem.store.memory import memories
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.stores import edited, keep, make_app, make_repo, make_store, open_store, said

PAGE = 4096
Truth = dict[str, Memory]
NEWEST = said("The newest", seed=1000).id


def flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 3, 30])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def overwrite(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 3, 30])):
        at = rng.randrange(len(data) - 64)
        data[at : at + 64] = rng.choice([bytes(64), rng.randbytes(64)])


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def zero_page(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 1, 4])):
        at = rng.randrange(len(data) // PAGE) * PAGE
        data[at : at + PAGE] = bytes(PAGE)


def swap_pages(data: bytearray, rng: random.Random) -> None:
    item, other = (at * PAGE for at in rng.sample(range(len(data) // PAGE), 2))
    first, second = data[item : item + PAGE], data[other : other + PAGE]
    data[item : item + PAGE], data[other : other + PAGE] = second, first


def header(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(100)
    data[at] = rng.randrange(256)


INSIDE = (flip, overwrite, truncate, zero_page, swap_pages, header)


def other_log(path: Path, folder: Path) -> None:
    """The log of another store, copied beside this one."""
    shutil.copy(folder / "other" / "memory.db-wal", f"{path}-wal")


def flipped_log(path: Path, folder: Path) -> None:
    """A store whose newest memories stand in a log with one bit changed."""
    shutil.copy(folder / "logged" / "memory.db", path)
    data = bytearray((folder / "logged" / "memory.db-wal").read_bytes())
    data[random.Random(str(path)).randrange(len(data))] ^= 4
    Path(f"{path}-wal").write_bytes(data)


def without_shared_memory(path: Path, folder: Path) -> None:
    """A store with a log and no file of shared memory, as a copy is."""
    shutil.copy(folder / "logged" / "memory.db", path)
    shutil.copy(folder / "logged" / "memory.db-wal", f"{path}-wal")


BESIDE: tuple[Callable[[Path, Path], None], ...] = (other_log, flipped_log, without_shared_memory)


def prepare(folder: Path) -> Truth:
    """A repository; a store of 50 memories in ``whole``, with a log in ``logged`` and ``other``."""
    make_repo(folder)
    (folder / "home" / "gitmem" / "stores").mkdir(parents=True)  # where the app has its keys
    truth = fill(folder / "whole" / "memory.db", 50)
    (folder / "logged").mkdir(mode=0o700)
    (folder / "other").mkdir(mode=0o700)
    shutil.copy(folder / "whole" / "memory.db", folder / "logged" / "memory.db")

    def crash_with_a_log(path: Path, text: str) -> None:
        database = open_store(str(path)) if path.exists() else make_store(path, seed=7)
        keep(database, said(text, seed=1000))
        os._exit(children.DONE)

    for name, text in (("logged", "The newest"), ("other", "A stranger's")):
        path = folder / name / "memory.db"
        status = children.run(lambda path=path, text=text: crash_with_a_log(path, text))
        assert status == children.DONE
    return truth


def fill(path: Path, count: int) -> Truth:
    database = make_store(path)
    for seed in range(count):
        text = f"Fact {seed} about redis and the cache. " * (1 + 30 * (seed % 7 == 0))
        stored = keep(database, said(text, seed=seed, title=f"T{seed}", tags=(f"t{seed % 5}",)))
        if seed % 2:
            edited(database, stored, content=text + "Edited.")
    truth = {memory.id: memory for memory in memories.all_memories(database)}
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return truth


def damaged_copy(folder: Path, path: Path, number: int) -> str:
    """Put a damaged store at ``path``; the name of how."""
    path.parent.mkdir(parents=True, mode=0o700)
    ways = len(INSIDE) + len(BESIDE)
    shutil.copy(folder / "whole" / "memory.db", path)
    if number % ways < len(INSIDE):
        how = INSIDE[number % ways]
        data = bytearray(path.read_bytes())
        how(data, random.Random(number))
        path.write_bytes(data)
        path.chmod(0o600)
        return how.__name__
    beside = BESIDE[number % ways - len(INSIDE)]
    beside(path, folder)
    path.chmod(0o600)
    return beside.__name__


def readable(folder: Path, path: Path, truth: Truth) -> set[str]:
    """The memories whose pages are all where they were, byte for byte."""
    if path.read_bytes() == (folder / "logged" / "memory.db").read_bytes():
        return set(truth)
    data = (folder / "whole" / "memory.db").read_bytes()
    now = PageReader(path.read_bytes())
    return {
        id
        for id, numbers in pages_of(data).items()
        if id in truth
        and all(now.read_page(number) == PageReader(data).read_page(number) for number in numbers)
    }


@cache
def pages_of(data: bytes) -> dict[str, set[int]]:
    """Memory id -> the numbers of the pages of a whole file that hold its row."""
    found: dict[str, set[int]] = {}
    for number in range(1, len(data) // PAGE + 1):
        observed = Seen(data)
        page = observed.read_page(number)
        for row, values in page_reader._of_page(observed, page, 100 if number == 1 else 0):
            if row is not None and len(values) > 30:
                found[str(values[1])] = {number, *observed.numbers}
            observed.numbers.clear()
    return found


class Seen(PageReader):
    """Pages that know which of them were read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.numbers: set[int] = set()

    def read_page(self, page_number: int) -> bytes:
        self.numbers.add(page_number)
        return super().read_page(page_number)


def examine(folder: Path, path: Path, truth: Truth) -> None:
    """In a child: never a wrong row nor a raw error; noticed or harmless; the rest comes back."""
    there = readable(folder, path, truth)
    app = make_app(folder, seed=-1, ready=False, GITMEM_STORE_PATH=str(path))
    planned = set(dry(app))
    noticed = not served(app, truth) or problems(app)
    app.close_stores()
    assert noticed or as_it_was(path, truth), "damage that nobody noticed"
    recovered = recover_store(app, RecoverRequest())
    after = {memory.id: memory for memory in memories.all_memories(app.store)}
    assert all(
        memory == replace(truth[id], seq=memory.seq) for id, memory in after.items() if id in truth
    ), "a wrong row came back"
    assert set(after) - set(truth) <= {NEWEST}, "a stranger's memory came back"
    assert there <= set(after), f"{len(there - set(after))} readable memories did not come back"
    assert planned >= there - set(after)
    assert not set(recovered.lost) & set(after), "told as lost, and there"
    assert integrity.structure_problems(app.store) == integrity.damaged_memories(app.store) == []
    app.close()


def dry(app: App) -> tuple[str, ...]:
    """What a dry run says is lost; it changes no byte."""
    path = Path(app.store_path)
    before = {item: item.read_bytes() for item in path.parent.iterdir() if item.is_file()}
    try:
        output = recover_store(app, RecoverRequest(dry_run=True)).lost
    except NotFound:
        output = ()
    assert {name: item.read_bytes() for name in before if (item := name).exists()} == before
    return output


def served(app: App, truth: Truth) -> bool:
    """Whether commands answered all there is; what they answered was never wrong."""
    try:
        output = list_memories(app, ListMemoriesRequest(state=("any",), limit=1000)).memories
        recall_memories(app, RecallRequest("redis cache", limit=100))
    except GitmemError:
        return False
    for item in output:
        if item.id in truth:
            assert item.content == truth[item.id].content, "a wrong row was shown"
        else:
            assert item.id == NEWEST, "a stranger's memory was shown"
    return {item.id for item in output} >= set(truth)


def problems(app: App) -> bool:
    """Whether doctor finds any."""
    found = run_check_guarded(
        "store", app, lambda app: store_checks.check_project_store(app, False)
    )
    return any(item.state == "problem" for item in found)


def as_it_was(path: Path, truth: Truth) -> bool:
    database = open_store(str(path))
    try:
        return all(memories.get_memory(database, id) == memory for id, memory in truth.items())
    finally:
        database.close()


@children.needs_fork
def test_damage_is_noticed_or_harmless_and_what_is_whole_comes_back(
    tmp_path_factory: pytest.TempPathFactory, score: Score
) -> None:
    files = score.size(quick=9, full=500)
    folder = tmp_path_factory.mktemp("damaged")
    truth = prepare(folder)
    wrong = []
    for number in range(files):
        path = folder / "files" / str(number) / "memory.db"
        how = damaged_copy(folder, path, number)
        status = children.run(lambda path=path: examine(folder, path, truth))
        if status != children.DONE:
            wrong.append((number, how, status))
        else:
            shutil.rmtree(path.parent)
    assert not wrong, f"{len(wrong)} of {files}: see standard error"
    score.report("damaged files, recovered", cases=files, fired=files)
