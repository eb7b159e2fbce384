"""`gitmem watch`: the index follows the files while somebody works (CF-32, CE-31, ML-11)."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.indexing import watch_loop
from tests.support import children
from tests.support.cli import Program, command
from tests.support.repos import RepoBuilder
from tests.support.tables import table
from tests.support.waiting import PATIENCE, wait_until

pytest.importorskip("watchfiles")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a POSIX signal here")


class Watching:
    """The real program, and what it has said so far."""

    def __init__(self, program: Program, repo: RepoBuilder, log: Path, *words: str) -> None:
        self.repo, self._log = repo, log
        self._err = log.with_suffix(".err")
        with log.open("w") as out, self._err.open("w") as err:
            self.child = subprocess.Popen(
                command("watch", *words),
                cwd=repo.path,
                env=program.env,
                stdout=out,
                stderr=err,
                # Tests that run in the background may have been told to ignore Ctrl-C.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )

    @property
    def lines(self) -> list[str]:
        return self._log.read_text("utf-8").splitlines()

    @property
    def errors(self) -> str:
        return self._err.read_text("utf-8")

    @property
    def added(self) -> list[int]:
        """Of each line that tells of them, how many files were added."""
        return [int(line.split()[1]) for line in self.lines if "added" in line]

    def wait(self, pattern: str, *, of: str = "lines") -> str:
        """The first line that matches, when it is there."""

        def matching() -> list[str]:
            ended = self.child.poll() is not None
            message = self.lines if of == "lines" else self.errors.splitlines()
            found = [line for line in message if re.search(pattern, line)]
            assert found or not ended, (pattern, self.lines, self.errors)
            return found

        wait_until(matching)
        return matching()[0]

    def stop(self) -> int:
        """Ctrl-C; the exit status."""
        self.child.send_signal(signal.SIGINT)
        return self.child.wait(PATIENCE)

    def write(self, name: str, content: str) -> None:
        place = self.repo.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)


@pytest.fixture
def watching(program: Program, repo: RepoBuilder, tmp_path: Path) -> Iterator[Watching]:
    """A watch that stands: from here on every change is seen. No hooks: they would be faster.

    It waits a shorter time for silence than that of users.
    """
    program("hooks", "uninstall")
    program.env["GITMEM_WATCH_DEBOUNCE_MS"] = "100"
    started = Watching(program, repo, tmp_path / "said")
    try:
        started.wait("^watching .*press Ctrl-C to stop$")
        yield started
    finally:
        started.child.kill()
        started.child.wait()


def test_a_saved_file_is_found_by_a_search(watching: Watching, program: Program) -> None:
    watching.write("src/till.py", "def count_the_zebras():\n    return 7\n")
    line = watching.wait("added")
    assert re.fullmatch(r"\d\d:\d\d:\d\d 1 file added \(\d+\.\d s\)", line)
    assert "src/till.py" in program("search", "count_the_zebras").out


def test_an_edit_a_removal_and_a_commit_are_followed(watching: Watching, program: Program) -> None:
    watching.write("src/cart/cart.py", "zebra = 1\n")
    watching.wait("1 file updated")
    (watching.repo.path / "README.md").unlink()
    watching.wait("1 file dropped")
    watching.repo.git("commit", "-qam", "Count the zebras")
    watching.wait("1 commit")
    assert program("index", "--json").json["commits"] == 0


def test_a_switched_branch_is_followed(watching: Watching) -> None:
    watching.repo.git("switch", "-qc", "old", "HEAD~2")
    watching.wait("1 file dropped")


def test_ignored_files_are_no_reason_for_a_line(watching: Watching) -> None:
    """By .gitignore, by .gitmemignore (CE-30), by what they are; the store's own writes too."""
    watching.write(".gitignore", "*.log\n")
    watching.write(".gitmemignore", "drafts/\n")
    wait_until(lambda: sum(watching.added) == 2)
    before = watching.lines
    watching.write("debug.log", "zebra\n")
    watching.write("drafts/plan.md", "zebra\n")
    watching.write("node_modules/zebra/index.js", "zebra\n")
    watching.write(".env", "ZEBRA=1\n")
    watching.write("counted.md", "zebra\n")
    wait_until(lambda: sum(watching.added) == 3)
    assert len(watching.lines) == len(before) + 1


def test_many_changes_at_once_are_not_many_refreshes(
    program: Program, repo: RepoBuilder, tmp_path: Path
) -> None:
    started = Watching(program, repo, tmp_path / "said")
    try:
        started.wait("^watching")
        for number in range(40):
            started.write(f"src/made{number}.py", f"x = {number}\n")
        wait_until(lambda: sum(started.added) >= 40)
        assert sum(started.added) == 40
        # One, unless the machine was so slow that writing took longer than the silence waited for.
        assert len(started.added) <= 2
    finally:
        started.child.kill()
        started.child.wait()


def test_ctrl_c_ends_it_with_the_sum(watching: Watching) -> None:
    watching.write("src/till.py", "x = 1\n")
    watching.wait("added")
    assert watching.stop() == 0
    assert watching.lines[-1] == "stopped: 1 file added"
    assert watching.errors == ""


@children.needs_fork
def test_a_busy_store_is_reported_and_the_change_is_not_lost(watching: Watching) -> None:
    store = watching.repo.path / ".gitmem/memory.db"
    with children.holding(str(store)):
        watching.write("src/till.py", "x = 1\n")
        watching.wait("not refreshed: .*")
        assert watching.child.poll() is None
    watching.wait("1 file added")


def test_with_json_the_lines_stand_aside(
    program: Program, repo: RepoBuilder, tmp_path: Path
) -> None:
    started = Watching(program, repo, tmp_path / "said", "--json")
    try:
        started.wait("^watching", of="errors")
        started.write("src/till.py", "x = 1\n")
        started.wait("1 file added", of="errors")
        assert started.stop() == 0
        assert json.loads("\n".join(started.lines))["added"] == 1
    finally:
        started.child.kill()
        started.child.wait()


def test_what_changed_before_it_started_is_caught_up_with(
    program: Program, repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.write({"src/before.py": "x = 1\n"})
    started = Watching(program, repo, tmp_path / "said")
    try:
        started.wait("1 file added")
    finally:
        started.child.kill()
        started.child.wait()


def test_it_waits_as_long_as_requested(program: Program, repo: RepoBuilder, tmp_path: Path) -> None:
    """`watch.debounce_ms`: what is written within that time is one refresh."""
    program("config", "watch.debounce_ms", "1500")
    started = Watching(program, repo, tmp_path / "said")
    try:
        started.wait("^watching")
        begin = time.monotonic()
        started.write("src/late.py", "x = 1\n")
        started.wait("1 file added")
        assert time.monotonic() - begin > 1.4
    finally:
        started.child.kill()
        started.child.wait()


def test_where_watching_is_switched_off_it_says_so(program: Program) -> None:
    program("config", "watch.enabled", "0")
    error = program.refused(7, "unavailable", "watch")
    assert "gitmem config watch.enabled 1" in error.error["hint"]


def test_without_a_store_it_is_refused(repo: RepoBuilder) -> None:
    Program(repo.home, repo.path).refused(4, "not_initialized", "watch")


def test_without_watchfiles_it_says_what_to_install(program: Program, tmp_path: Path) -> None:
    """An empty module of that name stands for one that lacks what is needed."""
    (tmp_path / "watchfiles.py").write_text("raise ImportError('not here')\n")
    path = f"{tmp_path}:{program.env['PYTHONPATH']}"
    error = program.refused(7, "unavailable", "watch", env=program.env | {"PYTHONPATH": path})
    assert "pip install watchfiles" in error.error["hint"]


@table(
    ("counts", "line"),
    [
        ((0, 0, 0, 0, 0), ""),
        ((1, 0, 0, 0, 0), "1 file added"),
        ((2, 0, 1, 1, 3), "2 files added, 3 updated, 1 dropped, 1 commit"),
        ((0, 3, 0, 2, 0), "3 files moved, 2 commits"),
        ((0, 0, 0, 1, 0), "1 commit"),
    ],
)
def test_the_line_counts_what_was_new(counts: tuple[int, int, int, int, int], line: str) -> None:
    assert watch_loop.describe_index_changes(*counts) == line
