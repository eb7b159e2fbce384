"""Killed before each change of a file: no half state, and a second try completes (S-02).

Each piece of work runs in a child that is killed before the n-th change: a write, sync, truncation
or removal of SQLite, or a name that gitmem makes, moves or takes away. Every n is tried in the
nightly tier, a part of them in the others; the quick one takes a few pieces of work.
"""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import GitmemError
from tests.reliability.scoring import Score
from tests.reliability.worlds import WRITING, State, World
from tests.support import children, trees
from tests.support.file_faults import CHANGING, FailingFiles, failing_files, python_counts

pytestmark = children.needs_fork
# These take one transaction for each memory, or several: some of what they do may be there.
STEPWISE = ("forget", "remember many", "promote", "upkeep", "drain")
# What writes files of its own beside the store, each whole by ``files.atomic_write``.
FILES: dict[str, Callable[[World], dict[str, Any]]] = {
    "config": lambda world: {"key": "orient.budget", "value": "700"},
    "export": lambda world: {"target": str(world.desk.place / "out.jsonl"), "force": True},
    "setup": lambda world: {"agents": ("cursor", "gemini")},
}
# These note first that they begin, lest a second process does the same; the next day they go on.
DAILY = ("upkeep", "drain")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@dataclass
class Whole:
    """A piece of work where nothing fails: the states before and after, changes, files left."""

    before: State
    after: State
    changes: int
    files: set[str] = field(default_factory=set)


def whole(world: World, files: FailingFiles, work: str) -> Whole:
    world.put_back(work)
    before = world.state()
    files.seen.clear()
    world.run(work)
    changes = sum(files.seen[name] for name in CHANGING)
    return Whole(before, world.state(), changes, names(world))


def names(world: World) -> set[str]:
    """The files that gitmem has, but those whose names hold a time."""
    return {
        str(path.relative_to(world.folder))
        for place in world.places
        for path in place.rglob("*")
        if not path.name.startswith(("memory-", "schema-"))
    }


def killed_at(world: World, files: FailingFiles, work: str, number: int, output: Whole) -> None:
    """Kill the work there; assert that the store is whole, and that a second try completes."""
    world.put_back(work)
    files.kill_at(number)
    pid = children.start(lambda: world.run(work))
    files.stop()
    assert children.finish(pid) == -signal.SIGKILL, f"{work}: there is no {number}th change"
    left = world.state()
    if work in STEPWISE:
        assert {*left[0]} <= {*output.before[0], *output.after[0]}, f"{work} killed at {number}"
    else:
        assert left in (output.before, output.after), f"{work} killed at {number}: a half state"
    try:
        world.run(work)
    except GitmemError:
        # It was done already, and is told so.
        assert left == output.after, f"{work} killed at {number}: the second try fails"
    if work not in DAILY:
        assert world.state() == output.after, f"{work} killed at {number}: the second try differs"


def test_a_verb_that_is_killed_leaves_no_half_state(
    world: World, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        works = random.Random(1).sample([*WRITING], score.size(quick=6, full=len(WRITING)))
        result = {work: whole(world, files, work) for work in works}
        cases = [(work, number) for work, item in result.items() for number in range(item.changes)]
        most = score.size(quick=10, full=1000, nightly=len(cases))
        tried = random.Random(2).sample(cases, min(most, len(cases)))
        for work, number in tried:
            killed_at(world, files, work, number, result[work])
    score.report("kills before a change", cases=len(tried), fired=len(tried), of=len(cases))


def written(world: World) -> dict[Path, bytes]:
    """What stands in files beside the stores: of the project, of the user and of their agents.

    But for the list of what a setup has written, which grows with each file.
    """
    return {
        path: path.read_bytes()
        for path in world.desk.place.parent.rglob("*")
        if path.is_file() and not {".git", "backups", "copies"} & {*path.parts}
        if not path.name.startswith(("memory", "manifest", "lock")) and path.suffix != ".log"
    }


@pytest.mark.parametrize("verb", FILES)
def test_a_file_is_the_old_one_or_the_new_one_and_a_second_try_completes(
    tmp_path: Path, score: Score, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    world = World(tmp_path)
    (world.desk.place / "out.jsonl").write_text("as it was\n")
    before, values = written(world), FILES[verb](world)
    around, saved = world.desk.place.parent, tmp_path / "kept"
    trees.copy(around, saved)

    def put_back() -> None:
        shutil.rmtree(around)
        trees.copy(saved, around)

    put_back()
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        files.seen.clear()
        world.desk.run(verb, **values)
        changes, after = sum(files.seen[name] for name in CHANGING), written(world)
        assert files.seen["replace"] and after != before
        # The last of them give the file its name.
        some = range(changes)[-score.size(quick=8, full=99) :]
        for number in some:
            put_back()
            files.kill_at(number)
            pid = children.start(lambda: world.desk.run(verb, **values))
            files.stop()
            assert children.finish(pid) == -signal.SIGKILL
            left = written(world)
            for path in before.keys() | after.keys():
                assert left.get(path) in (before.get(path), after.get(path)), (number, path)
            world.desk.run(verb, **values)
            assert written(world) == after, number
    score.report("kills before a change of a file", cases=len(some), fired=len(some), of=changes)
