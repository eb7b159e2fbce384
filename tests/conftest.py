"""One small repository, built once and copied for each test; some packages have their own."""

from __future__ import annotations

import compileall
import gc
import importlib
import os
import shutil
import site
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings, strategies

# What is tested is the installed gitmem; only what is not installed comes from the checkout.
ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

import gitmem
from gitmem.background import follow
from gitmem.embedding.base import limit_numpy_to_one_thread
from gitmem.embedding.fastembed import disable_usage_reports
from gitmem.githooks import hook_status
from tests.support import offline, parsing, prefork
from tests.support.amounts import EXAMPLES
from tests.support.apps import Desk, copy_of, small_repo
from tests.support.cli import Program
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.trees import Kept
from tests.support.waiting import take_time_to_look

MEMORY = "/dev/shm"
# The home of whoever runs the tests, as these see it: nothing may be written there.
HOME = tempfile.mkdtemp(prefix="gitmem-test-home-")
ROOM = 4 << 30  # bytes; a whole run keeps less than a tenth of it at a time

# Machines differ and are busy: no example fails for its time. What fails is told so that it can be
# run again; the runs of CI are alike, all others look for something new.
settings.register_profile(
    "gitmem",
    deadline=None,
    max_examples=EXAMPLES,
    print_blob=True,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gitmem")


def _set_home() -> None:
    """Before any program is started that asks for a home, or for what was installed there."""
    os.environ.setdefault("PYTHONUSERBASE", site.getuserbase())
    os.environ["HOME"] = HOME
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        os.environ.pop(name, None)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: some tests wait for a process or a deadline."""
    return (os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much the rows of the scoreboard try (tests/reliability/scoring.py), and who is told."""
    output = {"choices": ("quick", "full", "nightly"), "default": "quick"}
    parser.addoption("--tier", help="how much the tests of reliability try", **output)
    parser.addoption("--scores", default="", help="a file to which they tell what they tried")


def pytest_configure(config: pytest.Config) -> None:
    """Before the first test: where their folders lie, and no module compiled at every start."""
    if os.environ.get("GITMEM_TEST_INSTALLED") and Path(gitmem.__file__).is_relative_to(ROOT):
        raise pytest.UsageError(f"the tests import {gitmem.__file__}, not what is installed")
    offline.guard()
    _set_home()
    disable_usage_reports()  # as commands do, also for tests that import such a library themselves
    # As commands do: threads of products that wait in a loop cost ten times as much.
    limit_numpy_to_one_thread()
    gc.disable()  # until all is collected: what collection makes stays, nothing is garbage yet
    worker = hasattr(config, "workerinput")
    if not worker and not config.getoption("basetemp") and _keeps_programs(MEMORY):
        # Thousands of small stores, each made safe on the disk: in memory that costs nothing.
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)
    # The folders of single examples, which are not pytest's, are made there too.
    tempfile.tempdir = os.environ.get("PYTEST_DEBUG_TEMPROOT")
    if not worker:
        # A caller may forbid Python to keep what it compiled; the tests start the program hundreds
        # of times, and each start would compile it again.
        compileall.compile_dir(Path(gitmem.__file__).parent, quiet=2)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Each worker reads a part of its own first: pytest compiles a test anew where nobody has.

    All read the tests in one order. In a fresh checkout they would compile each file at the same
    time, once in every worker.
    """
    about = getattr(session.config, "workerinput", None)
    if about is None or session.config.args != [*map(str, session.config.getini("testpaths"))]:
        return
    number, workers = int(about["workerid"].removeprefix("gw")), about["workercount"]
    if number == 0:
        strategies.text().validate()  # a table of all characters, kept beside the checkout too
    for file in sorted(ROOT.glob("tests/**/test_*.py"))[number::workers]:
        # What cannot be imported is told when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def _keeps_programs(folder: str) -> bool:
    """Whether a folder has room for a run and may hold hooks, which are programs."""
    try:
        found = os.statvfs(folder)
    except (OSError, AttributeError):
        return False
    free = found.f_bavail * found.f_frsize
    return os.access(folder, os.W_OK) and free >= ROOM and not found.f_flag & os.ST_NOEXEC


def pytest_collection_finish() -> None:
    """What was collected stays to the end: searching it for garbage is a tenth of the CPU time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """A test during which somebody wanted off the machine fails, whoever swallowed the error."""
    yield
    expected, offline.tried[:] = offline.tried[:], []
    assert not expected, expected


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """A test that writes into the home of whoever runs it fails, its setup and end included."""
    yield
    left = [*Path(HOME).iterdir()]
    for path in left:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert not left, f"written into the home of whoever runs the tests: {left}"


def pytest_unconfigure() -> None:
    """The empty home goes, with what a process left in it that outlived its test."""
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def forked_parsers() -> Iterator[None]:
    """What reads syntax is forked, not started, which was the larger part of most index runs."""
    with parsing.forked():
        yield


@pytest.fixture(scope="session", autouse=True)
def quiet_hooks() -> Iterator[None]:
    """A drain in this process waits for no hook: git has ended when a test goes on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow, "COALESCE_SECONDS", 0.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def forked_hooks() -> Iterator[None]:
    """Hooks that a test installs in this process start what those of a forked command do."""
    ordinary, owner = hook_status.gitmem_start_command, os.getpid()
    python: list[str] = []  # made when it is first asked for; a fork of this process makes none

    def command() -> list[str]:
        if not python and hasattr(os, "fork") and os.getpid() == owner:
            python.append(prefork.own().python)
        return [*python, *ordinary()[len(python) :]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hook_status, "gitmem_start_command", command)
        yield


@pytest.fixture(scope="session", autouse=True)
def time_to_look() -> Iterator[None]:
    """A look at files in this process ends with a verdict; a forked command's does, too."""
    with pytest.MonkeyPatch.context() as patch:
        take_time_to_look(patch.setattr)
        yield


@pytest.fixture(scope="session")
def model_repo(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """The repository that tests copy; nobody writes to it."""
    return small_repo(tmp_path_factory.mktemp("model"))


# What lies in a repository that tests copy, read once. A file has one of its own by its own fixture
# ``model_repo``, with the scope of a module.
kept = cache(Kept)


@pytest.fixture
def repo(model_repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """A repository of three commits, without gitmem."""
    return copy_of(model_repo, tmp_path, kept(model_repo.path))


@pytest.fixture
def bare_desk(repo: RepoBuilder) -> Desk:
    """A desk in the repository, before ``gitmem init``."""
    return Desk(repo.path, repo.home)


@pytest.fixture(scope="session")
def set_ups(tmp_path_factory: pytest.TempPathFactory) -> Callable[[RepoBuilder], SetUp]:
    """One for each repository that tests copy."""
    return cache(lambda repo: SetUp(repo, lambda: tmp_path_factory.mktemp("ready")))


@pytest.fixture
def ready(model_repo: RepoBuilder, set_ups: Callable[[RepoBuilder], SetUp]) -> SetUp:
    """Sets gitmem up at a bare desk, by copying what ``init`` made once."""
    return set_ups(model_repo)


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    """A desk in the repository, gitmem set up."""
    return ready(bare_desk)


@pytest.fixture
def program(desk: Desk) -> Program:
    """The real program where gitmem is set up; no backup and no copy in the background."""
    return Program(desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
