"""Input that would cost memory, time or a hang (reliability 2.4): enormous, endless, changing.

What is refused by name or by content has its tests in ``test_pipeline`` and ``test_file_filter``;
here is what it costs.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.indexing.index_settings import IndexSettings
from tests.indexing.conftest import Bench
from tests.support import children
from tests.support.amounts import amount
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

pytestmark = children.needs_fork
MB = 1 << 20
READ = Path("/proc/self/io")


def grown(work: Callable[[], object]) -> tuple[float, float]:
    """What a child needed for ``work``: MB by which its memory grew, MB that it read."""
    reading, output = os.pipe()

    def measured() -> None:
        before, read_before = peak(), bytes_read()
        work()
        os.write(output, f"{peak() - before} {bytes_read() - read_before}".encode())

    assert children.run(measured) == children.DONE
    os.close(output)
    memory, read = os.read(reading, 100).split()
    os.close(reading)
    return int(memory) / MB, int(read) / MB


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def bytes_read() -> int:
    """Bytes that this process has read by any call; 0 where the kernel does not tell."""
    if not READ.exists():
        return 0
    return int(READ.read_text().split("\n")[0].split(" ")[1])


def in_child(bench: Bench, expected: dict[str, int]) -> Callable[[], None]:
    """An index run on a connection of the child's own, with these reasons for what it skips."""

    def work() -> None:
        bench.database = open_store(bench.database.path)
        assert bench.run().skipped_counts == expected

    return work


def sparse(path: Path, size: int) -> None:
    """A file that is long and holds nothing."""
    with path.open("wb") as file:
        file.truncate(size)


def test_a_hundred_megabytes_are_not_read(bench: Bench) -> None:
    bench.repo.commit("First", {"a.py": "a = 1\n"})
    for number in range(3):
        sparse(bench.repo.path / f"huge{number}.py", 100 * MB)
    memory, read = grown(in_child(bench, {"too large": 3}))
    print(f"three sparse files of 100 MB: {memory:.0f} MB more memory, {read:.1f} MB read")
    assert memory < 40
    assert read < 20
    assert bench.paths() == {"a.py"}


def test_a_line_of_fifty_megabytes_is_not_read_by_git_or_by_us(bench: Bench) -> None:
    line = b"x=1;" * (50 * MB // 4)
    (bench.repo.path / "tracked.js").write_bytes(line)
    (bench.repo.path / "short.js").write_bytes(line[: MB + 1000])
    bench.repo.git("-c", "core.compression=0", "add", ".")
    (bench.repo.path / "loose.js").write_bytes(line)
    memory, read = grown(in_child(bench, {"too large": 3}))
    print(f"two lines of 50 MB: {memory:.0f} MB more memory, {read:.1f} MB read")
    assert memory < 40
    assert read < 20


def test_a_line_just_small_enough_to_be_read_is_refused_quickly(bench: Bench) -> None:
    (bench.repo.path / "one.js").write_bytes(b"x" * 900_000)
    (bench.repo.path / "many.js").write_bytes(b"[" * 4_000 + b"\n" + b"({" * 2_000 + b"\n")
    (bench.repo.path / "notes.md").write_bytes(b"# " * 2_000 + b"\n" + b"`" * 4_000 + b"\n")
    begin = time.process_time()
    assert bench.run().skipped_counts == {"minified": 1}
    assert time.process_time() - begin < 5
    assert bench.paths() == {"many.js", "notes.md"}


@pytest.mark.parametrize("content", [b"caf\xe9 = 1\n", b"\xc3\x28 = 1\n", b"\xed\xa0\x80 = 1\n"])
def test_bytes_that_are_no_text_leave_the_rest_searchable(bench: Bench, content: bytes) -> None:
    (bench.repo.path / "latin.py").write_bytes(b"before_word = 1\n" + content + b"after_word = 1\n")
    assert bench.run().added == 1
    assert bench.finds("before_word") == bench.finds("after_word") == 1


def many(folder: Path, count: int) -> RepoBuilder:
    """A bare repository of so many tiny files, made without writing them."""
    repo = RepoBuilder(folder, "--bare")
    parts = ["commit refs/heads/main\ncommitter A <a@b.c> 1700000000 +0000\ndata 4\nmany\n"]
    for number in range(count):
        text = f"x{number} = {number}\n"
        parts.append(f"M 100644 inline d{number % 500}/f{number}.py\ndata {len(text)}\n{text}\n")
    repo.git("fast-import", "--quiet", stdin="".join(parts).encode())
    return repo


def test_very_many_tiny_files_cost_time_and_memory_in_proportion(
    bench: Bench, tmp_path: Path
) -> None:
    """100,000 take the same way; ``index.max_files`` cuts them and says so."""
    count = amount(1_500, thorough=8_000)
    repo = many(tmp_path / "many.git", count)
    other = Bench(repo, bench.database)
    took: list[float] = []

    def work() -> None:
        other.database = open_store(bench.database.path)
        assert other.run(place=repo.path).added == count

    begin = time.monotonic()
    memory, _ = grown(work)
    took.append(time.monotonic() - begin)
    begin = time.monotonic()
    assert other.run(place=repo.path).kept == count
    took.append(time.monotonic() - begin)
    print(f"{count} files: {took[0]:.1f} s, then {took[1]:.1f} s; {memory:.0f} MB more memory")
    assert memory < 40
    assert took[0] < 60


def test_more_files_than_the_most_are_cut_and_stated(bench: Bench, tmp_path: Path) -> None:
    repo = many(tmp_path / "many.git", 1_000)
    done = Bench(repo, bench.database).run(place=repo.path, settings=IndexSettings(most_files=300))
    assert (done.added, done.skipped_counts) == (300, {"too many files": 700})


def test_files_that_change_all_the_time_end_right(bench: Bench, tmp_path: Path) -> None:
    """Another process writes, renames and deletes while index runs go over the same files."""
    bench.repo.commit("First", {f"f{number}.py": f"start_{number} = 1\n" for number in range(30)})

    def restless() -> None:
        for round_ in range(1_000_000):
            path = bench.repo.path / f"f{round_ % 30}.py"
            if round_ % 7 == 3:
                path.unlink(missing_ok=True)
            elif round_ % 7 == 5 and path.exists():
                path.rename(bench.repo.path / f"f{(round_ * 13) % 30}.py")
            else:
                path.write_text(f"word_{round_} = 1\n" * (round_ % 50))
            time.sleep(0.0005)

    pid = children.start(restless)
    try:
        for _ in range(amount(4, thorough=8)):
            bench.run()
    finally:
        os.kill(pid, signal.SIGKILL)
        children.finish(pid)
    bench.run()
    shown = {path: text for path, _, _, _, text in bench.rows()}
    there = {path.name: path.read_text() for path in bench.repo.path.glob("f*.py")}
    assert set(shown) == {name for name, text in there.items() if text.strip()}
    for name in shown:
        assert there[name].split("\n")[0] in str(shown[name])
    assert bench.run().kept == len([text for text in there.values() if text.strip()])
