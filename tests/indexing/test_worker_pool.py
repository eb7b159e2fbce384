"""Files cut by other processes: none of them can take the run with it (CF-35)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitmem.indexing import worker, worker_pool
from gitmem.indexing.syntax import extract
from gitmem.indexing.worker_pool import WorkerLimits
from tests.support import parsing
from tests.support.children import runs
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from gitmem.indexing.worker import Result, Task

SYNTAX = "code/2/python/1"
FINE = "def f():\n    return 1\n"
BAD = "tests.indexing.bad_grammars:parse"
posix = pytest.mark.skipif(sys.platform == "win32", reason="made with POSIX calls")


@pytest.fixture(autouse=True)
def as_users_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here processes are started as the program starts them, not forked as for other tests."""
    monkeypatch.setattr(worker_pool._WorkerProcess, "_started", parsing.ORDINARY)


def task(text: str, number: int = 0, cutter: str = SYNTAX) -> Task:
    return (f"{number:040x}", cutter, "python", f"f{number}.py", text.encode())


def batches(texts: list[str], size: int = 4) -> Iterator[list[Task]]:
    tasks = [task(text, number) for number, text in enumerate(texts)]
    for start in range(0, len(tasks), size):
        yield tasks[start : start + size]


def cut(texts: list[str], *, processes: int = 1, **limits: float | str) -> list[Result]:
    """Results in the order of the texts, whatever order they came in."""
    found: dict[str, Result] = {}
    query = WorkerLimits(**{"parse": BAD, "seconds": 20.0, **limits})  # type: ignore[arg-type]
    for batch, results in worker_pool.split_batches(batches(texts), processes, query):
        found.update({item[0]: result for item, result in zip(batch, results, strict=True)})
    return [found[f"{number:040x}"] for number in range(len(texts))]


def children(of: int | str = "self") -> set[int]:
    """The processes that one, if not told this one, has started and not yet buried."""
    files = Path(f"/proc/{of}/task").glob("*/children")
    return {int(word) for file in files for word in file.read_text().split()}


def parsed(result: Result) -> bool:
    return not result[1] and [item[0] for item in result[3]] == ["found"]


def fell_back(result: Result, text: str) -> bool:
    """Whether a file is there, cut by its lines, and counted."""
    return result[1] and [piece[4] for piece in result[2]] == [text.rstrip("\n") + "\n"]


@pytest.mark.parametrize("processes", [1, 2])
def test_many_files_come_back_whichever_process_had_them(processes: int) -> None:
    texts = [f"name_{number} = {number}\n" for number in range(40)]
    results = cut(texts, processes=processes)
    assert all(map(parsed, results))
    assert [result[2][0][4] for result in results] == [text.strip() for text in texts]


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("CRASH", marks=posix),
        pytest.param("EAT", marks=pytest.mark.skipif(sys.platform != "linux", reason="no limit")),
        "LEAVE",
        "RAISE",
    ],
)
def test_a_file_on_which_the_parser_dies_is_cut_by_lines_and_the_others_are_not(word: str) -> None:
    texts = [FINE, f"{word} = 1\n", FINE, FINE, FINE, FINE]
    results = cut(texts)
    assert fell_back(results[1], texts[1])
    assert [parsed(result) for result in results] == [True, False, True, True, True, True]


@pytest.mark.parametrize(
    "word", ["HANG", pytest.param("PAUSE", marks=posix), pytest.param("SPIN", marks=posix)]
)
def test_a_parser_that_never_comes_back_is_ended(word: str) -> None:
    """PAUSE holds the interpreter's lock: no thread of Python could end it."""
    begin = time.monotonic()
    results = cut([FINE, f"{word} = 1\n", FINE], seconds=0.5)
    assert time.monotonic() - begin < 30
    assert [parsed(result) for result in results] == [True, False, True]
    assert fell_back(results[1], f"{word} = 1\n")


@posix
def test_a_file_that_kills_is_asked_once_even_when_it_comes_first_and_last() -> None:
    results = cut(["CRASH = 1\n", FINE, "CRASH = 2\n", "CRASH = 3\n"], processes=2)
    assert [result[1] for result in results] == [True, False, True, True]


def test_a_library_that_cannot_be_loaded_costs_the_syntax_and_not_the_run() -> None:
    results = cut([FINE] * 9, parse="tests.indexing.broken_grammars:parse")
    assert all(fell_back(result, FINE) for result in results)


def test_where_no_process_starts_files_are_cut_by_lines_and_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A user may be kept from the interpreter that another one runs."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python-that-is-not-there"))
    results = cut([FINE] * 9, processes=2)
    assert all(fell_back(result, FINE) for result in results)


def test_what_a_parser_prints_goes_nowhere() -> None:
    """Were it taken for an answer, that of the next file would be wrong."""
    results = cut(["PRINT = 1\n", FINE], seconds=5.0)
    assert parsed(results[1])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_who_stops_listening_leaves_no_process_behind() -> None:
    before, threads = children(), set(threading.enumerate())
    results = worker_pool.split_batches(
        batches([FINE] * 400), 2, WorkerLimits(parse="tests.indexing.bad_grammars:slow")
    )
    next(results)
    assert children() - before
    results.close()
    assert children() == before
    assert set(threading.enumerate()) <= threads


_FOR_EVER = """
import itertools, os, sys
sys.path.insert(0, os.getcwd())  # the processes are told of folders by their full names only
from gitmem.indexing import worker_pool

def batches():
    for number in itertools.count():
        yield [("%040x" % number, "code/2/python/1", "python", "a.py", b"x = 1")]

if __name__ == "__main__":
    limits = worker_pool.WorkerLimits(parse="tests.indexing.bad_grammars:slow")
    for _batch in worker_pool.split_batches(batches(), 2, limits):
        print("cut", flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_who_is_killed_leaves_no_process_behind() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", _FOR_EVER], cwd=root, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        for _ in range(4):
            assert parent.stdout.readline() == b"cut\n"
        # The first may have cut before the second stands, and one may just be replaced.
        started: set[int] = set()

        def two_stand() -> bool:
            started.update(children(parent.pid))
            return len(started) >= 2

        wait_until(two_stand)
        parent.kill()
    wait_until(lambda: not any(map(runs, started)))


def test_an_error_of_the_reader_comes_through() -> None:
    def reading() -> Iterator[list[Task]]:
        yield [task(FINE)]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(worker_pool.split_batches(reading(), 2, WorkerLimits(parse=BAD)))


def test_reading_does_not_run_far_ahead_of_writing() -> None:
    """Else a large repository would stand in memory as a whole."""
    read = 0

    def reading() -> Iterator[list[Task]]:
        nonlocal read
        for number in range(200):
            read = number
            yield [task(FINE, number)]

    results = worker_pool.split_batches(reading(), 2, WorkerLimits(parse=BAD))
    for taken, _ in zip(range(60), results, strict=False):
        assert read < taken + 20
    results.close()


def test_a_module_in_the_folder_of_the_user_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository may hold a marshal.py or a tree_sitter folder: nothing of it is run (P5)."""
    trap = tmp_path / "marked"
    for name in ("bisect", "contextlib", "re", "tree_sitter", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(trap)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    (result,) = cut([FINE])
    assert parsed(result)
    assert not trap.exists()


def test_without_a_process_the_same_comes_out() -> None:
    tasks = [task("# A\n\none\n", 1, "note/2/500/50"), task("x = 1\n", 2, "code/1"), task("", 3)]
    there = next(iter(worker_pool.split_batches(iter([tasks]), 1, WorkerLimits(parse=BAD))))
    assert next(iter(worker_pool.split_in_process([tasks]))) == there
    assert [(result[0], result[1]) for result in there[1]] == [
        ("", False),
        ("", False),
        ("empty", False),
    ]


def test_mentions_are_gathered_by_name_and_kind() -> None:
    from gitmem.indexing.syntax.values import Import, ParsedFile, Reference

    def parse(_language: str, _path: str, _data: bytes) -> ParsedFile:
        found = [("run", "call", 9), ("run", "call", 2), ("run", "type", 2), ("run", "call", 9)]
        references = tuple(Reference(*item) for item in found)
        return ParsedFile((), references, (Import("os", ("path", "sep"), 1),), False)

    result = worker.split_file(task(FINE), parse)
    assert result[4] == [("run", "call", "2,9"), ("run", "type", "2")]
    assert result[5] == [("os", "path sep", 1)]


def test_a_frame_that_was_cut_off_is_the_end() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as out:
        worker.send_frame(out, ("one", 1))
        out.write((100).to_bytes(8, "little") + b"half")
    with os.fdopen(reading, "rb") as coming:
        assert list(worker.receive_frames(coming)) == [("one", 1)]


# --- files that cost on purpose -----------------------------------------------------------------


def test_a_file_of_very_many_pieces_is_refused() -> None:
    text = "# A\n\nb\n\n" * (worker.PIECES + 1)
    fine = "# A\n\nb\n\n" * worker.PIECES
    results = [
        worker.split_file(("a", "note/2/500/50", "", "a.md", item.encode()), None)
        for item in (text, fine)
    ]
    assert [(result[0], len(result[2])) for result in results] == [
        ("too many pieces", 0),
        ("", worker.PIECES),
    ]


def test_what_is_kept_of_one_file_is_bounded() -> None:
    lines = [f"import m{number}\ndef f{number}():\n    g{number}()\n" for number in range(10_100)]
    text = "".join(lines)[:390_000]
    result = worker.split_file(task(text), extract.parse_source_file)
    assert [len(rows) for rows in result[3:]] == [
        worker.DEFINITIONS,
        min(text.count("g"), worker.NAMES),
        worker.IMPORTS,
        extract.MOST_USES,
    ]


@pytest.mark.parametrize(("letters", "at_once"), [(worker_pool.LARGE + 1, 1), (9, 2)])
def test_only_one_large_file_is_read_at_a_time(
    monkeypatch: pytest.MonkeyPatch, letters: int, at_once: int
) -> None:
    """Two that were made to cost much would take twice the memory."""
    asking: set[int] = set()
    most = 0
    both = threading.Event()
    ordinary = worker_pool._WorkerProcess.results

    def counted(hand: worker_pool._WorkerProcess, batch: list[Task]) -> list[Result]:
        nonlocal most
        asking.add(id(hand))
        most = max(most, len(asking))
        if len(asking) == 2:
            both.set()
        both.wait(0.05)  # the other could begin meanwhile
        found = ordinary(hand, batch)
        asking.remove(id(hand))
        return found

    monkeypatch.setattr(worker_pool._WorkerProcess, "results", counted)
    text = f"# {'x' * letters}\n"
    query = ([task(text, number)] for number in range(8))
    with parsing.forked():
        assert len(list(worker_pool.split_batches(query, 2))) == 8
    assert most == at_once


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_a_process_that_holds_much_memory_makes_room_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At once, so that two never hold much at the same time."""
    started = []
    start = worker_pool._WorkerProcess._started

    def counted(hand: worker_pool._WorkerProcess) -> object:
        started.append(start(hand))
        return started[-1]

    monkeypatch.setattr(worker_pool._WorkerProcess, "_started", counted)
    for _ in worker_pool.split_batches(
        batches([FINE] * 12), 1, WorkerLimits(parse=BAD, resident=1)
    ):
        assert all(child.poll() is not None for child in started[:-1])
    assert len(started) > 1
