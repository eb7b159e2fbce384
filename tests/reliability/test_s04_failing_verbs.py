"""Any call to a file that fails under any verb: done, or an error and nothing done (S-04).

The store, its backups and its copies lie on a file system whose n-th call fails, once or from then
on. Afterwards the store holds what it held before or what the whole verb makes of it, and what was
said to be done is.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from dataclasses import dataclass

import apsw
import pytest

from gitmem.errors import DiskFull, GitmemError, Unavailable
from tests.reliability.scoring import Score
from tests.reliability.worlds import WORK, State, World
from tests.support.file_faults import FailingFiles, failing_files

# What fails, and how: the calls of SQLite's file system, and the code they answer.
FAULTS = (
    (("xWrite", "xTruncate"), apsw.SQLITE_FULL),
    (("xWrite",), apsw.SQLITE_IOERR_WRITE),
    (("xSync",), apsw.SQLITE_IOERR_FSYNC),
    (("xRead",), apsw.SQLITE_IOERR_READ),
    (("xOpen",), apsw.SQLITE_CANTOPEN),
    (("xFileSize",), apsw.SQLITE_IOERR_FSTAT),
    (("xLock",), apsw.SQLITE_IOERR_LOCK),
    (("xDelete",), apsw.SQLITE_IOERR_DELETE),
    (("xAccess",), apsw.SQLITE_IOERR_ACCESS),
)
# These take one transaction for each memory, or several: some of what they do may be there.
STEPWISE = ("forget", "remember many", "promote", "upkeep", "drain")


@dataclass(frozen=True)
class Case:
    """One piece of work, and which call of it fails how."""

    work: str
    calls: tuple[str, ...]
    code: int
    lasting: bool
    number: int


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def whole(world: World, work: str) -> tuple[State, State]:
    """What the store holds before the work, and after it where nothing fails."""
    world.put_back(work)
    before = world.state()
    world.run(work)
    after = world.state()
    assert not [item for item in after if isinstance(item, str)], f"{work} leaves damage"
    return before, after


def case_failed(world: World, files: FailingFiles, case: Case, states: tuple[State, State]) -> int:
    """How many calls failed; asserts that the work was done, or told an error and did nothing."""
    world.put_back(case.work)
    files.fail_at(case.number, case.code, lasting=case.lasting, calls=case.calls)
    error: GitmemError | None = None
    whole = False
    try:
        whole = not getattr(world.run(case.work), "failed", 0)
    except GitmemError as told:
        error = told
    except SystemError as told:
        # apsw ends a backup with the code of the error; one that Python raised it cannot hold.
        assert isinstance(told.__cause__, apsw.Error), case
        error = Unavailable(str(told))
    failed = files.stop()
    after = world.state()
    if whole or case.work not in STEPWISE:
        allowed = states[1:] if whole else states
        assert after in allowed, f"{case}: {error!r}: neither as before nor as asked for"
    else:
        assert {*after[0]} <= {*states[0][0], *states[1][0]}, f"{case}: {error!r}: half a memory"
    if error and case.code == apsw.SQLITE_FULL and not isinstance(error, Unavailable):
        assert isinstance(error, DiskFull), f"{case}: {error!r}"
    return failed


def possible(
    world: World, files: FailingFiles, works: Iterable[str]
) -> tuple[list[Case], dict[str, tuple[State, State]]]:
    """Every case there is, and what each piece of work makes of the store where nothing fails."""
    cases, states = [], {}
    for work in works:
        states[work] = whole(world, work)
        world.put_back(work)
        files.seen.clear()
        world.run(work)
        made = dict(files.seen)
        for (calls, code), lasting in itertools.product(FAULTS, (False, True)):
            count = sum(made.get(name, 0) for name in calls)
            cases += [Case(work, calls, code, lasting, number) for number in range(count)]
    return cases, states


def test_a_verb_on_failing_files_is_done_or_tells_an_error(world: World, score: Score) -> None:
    """The nightly tier takes every call of every verb, the others a part of them."""
    fired = 0
    with failing_files(default=True) as files:
        works = random.Random(4).sample([*WORK], score.size(quick=7, full=len(WORK)))
        cases, states = possible(world, files, works)
        most = score.size(quick=16, full=2500, nightly=len(cases))
        tried = random.Random(4).sample(cases, most)
        for case in tried:
            fired += case_failed(world, files, case, states[case.work]) > 0
    score.report("calls that fail under a verb", cases=len(tried), fired=fired, of=len(cases))


def test_a_restore_tells_an_error_whichever_file_cannot_be_looked_at(
    world: World, score: Score
) -> None:
    """It opens five files one after the other: store, backup, copy, copy again, store."""
    with failing_files(default=True) as files:
        states = whole(world, "restore-backup")
        for number in itertools.count(0, 4):
            case = Case("restore-backup", ("xAccess",), apsw.SQLITE_IOERR_ACCESS, True, number)
            if not case_failed(world, files, case, states):
                break
    score.report("restores on failing files", cases=number // 4, fired=number // 4)
