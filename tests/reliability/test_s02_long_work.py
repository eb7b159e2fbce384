"""Work of many transactions is killed and repeated, or done by two at once (S-02).

An import of many lines, a change of the embedding model with the contextual one reading beside it,
and two drains of one spool, one of them killed.
"""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.clock import HOUR
from gitmem.spool import git_events
from gitmem.store.memory import memories
from tests.reliability.scoring import Score
from tests.reliability.worlds import World, problems
from tests.support import children
from tests.support.file_faults import CHANGING, FailingFiles, failing_files, python_counts
from tests.support.repos import CONTEXTUAL
from tests.support.stores import open_store

pytestmark = children.needs_fork


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    """What a query tells of a store in which nothing is damaged."""
    database = open_store(str(path))
    try:
        assert problems(database) == []
        return database.rows(sql)
    finally:
        database.close()


def killed(
    files: FailingFiles, work: Callable[[], object], changes: int, rng: random.Random
) -> None:
    files.kill_at(rng.randrange(changes // 10, changes * 9 // 10))
    pid = children.start(work)
    files.stop()
    assert children.finish(pid) == -signal.SIGKILL


def changes_of(files: FailingFiles, work: Callable[[], object]) -> int:
    """How many changes of files the whole work takes."""
    files.seen.clear()
    work()
    return sum(files.seen[name] for name in CHANGING)


def test_an_import_that_is_killed_and_repeated_takes_nothing_twice(
    world: World, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = score.size(quick=60, full=5000)
    contents = [
        f"Imported fact number {n}: the port of service {n * n} is {n}" for n in range(many)
    ]
    lines = "\n".join(json.dumps({"content": content}) for content in contents)

    def take() -> Counter[str]:
        done = world.desk.run("import", source=lines, piped=True)
        return Counter(added=done.added, unchanged=done.unchanged, failed=done.failed)

    left = 0
    kills = score.size(quick=2, full=3, nightly=20)
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        world.put_back()
        changes = changes_of(files, take)
        for number in range(kills):
            world.put_back()
            killed(files, take, changes, random.Random(number))
            half = query(world.desk.store, "SELECT content FROM memories WHERE content LIKE 'Imp%'")
            left += len(half)
            again = take()
            assert again == Counter(added=many - len(half), unchanged=len(half))
            stored = query(
                world.desk.store, "SELECT content FROM memories WHERE content LIKE 'Imp%'"
            )
            assert sorted(str(row[0]) for row in stored) == sorted(contents)
            assert take()["added"] == 0
    score.report("imports killed and repeated", cases=kills, fired=kills, lines=many, there=left)


def vectors(path: Path) -> list[tuple[object, ...]]:
    return query(
        path,
        "SELECT p.model, p.source, hex(v.hash), v.crc FROM vectors v"
        " JOIN vector_parts p ON p.id = v.part ORDER BY 1, 2, 3",
    )


def test_a_change_of_the_model_that_is_killed_goes_on(
    world: World, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put_back()
    world.desk.run("index")
    before = vectors(world.desk.store)
    saved = {path: path.read_bytes() for path in world.places[0].rglob("*") if path.is_file()}
    monkeypatch.setitem(world.desk.env, "GITMEM_MODEL", "builtin")
    monkeypatch.setitem(world.desk.env, CONTEXTUAL, "always")
    kills = score.size(quick=2, full=8, nightly=60)
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        changes = changes_of(files, lambda: world.desk.run("index"))
        after = vectors(world.desk.store)
        assert {row[0] for row in after} > {row[0] for row in before}
        for number in range(kills):
            for path in [item for item in world.places[0].rglob("*") if item.is_file()]:
                path.unlink()
            for path, content in saved.items():
                path.write_bytes(content)
            killed(files, lambda: world.desk.run("index"), changes, random.Random(number))
            assert {*vectors(world.desk.store)} <= {*before, *after}
            assert world.desk.run("recall", query="Which facts are about redis?").memories
            world.desk.clock.advance(HOUR)
            world.desk.run("index")
            assert vectors(world.desk.store) == after
    score.report("changes of the embedding model killed", cases=kills, fired=kills, of=changes)


def test_two_drains_at_once_lose_and_double_no_event(
    world: World, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both take the spool over from a third, which was killed at it."""
    spool = world.places[0] / git_events.SPOOL
    rounds, many = score.size(quick=1, full=10), score.size(quick=8, full=40)
    rng = random.Random(7)
    head = world.desk.place / ".git" / "refs" / "heads" / "main"
    commit = head.read_text().strip()

    def drain() -> None:
        world.desk.run("drain")

    def note(number: int) -> None:
        spool.mkdir(exist_ok=True, mode=0o700)
        token = world.desk.token
        lines = "".join(
            f"{token} gm1 checkout {1_790_000_000 + n} refs/heads/b{n} "
            f"{commit} {commit} {commit} 1\n"
            for n in range(number * many, (number + 1) * many)
        )
        with (spool / "events").open("a") as file:
            file.write(lines)

    switched = "SELECT branch, count(*) FROM events WHERE branch LIKE 'b%' GROUP BY branch"
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        world.put_back()
        note(0)
        changes = changes_of(files, drain)
        assert len(query(world.desk.store, switched)) == many
        for _ in range(rounds):
            world.put_back()
            note(0)
            killed(files, drain, changes, rng)
            note(1)
            assert children.run_all([drain, drain]) == [children.DONE] * 2
            output = query(world.desk.store, switched)
            assert dict(output) == {f"b{n}": 1 for n in range(2 * many)}
    score.report("spools drained by two", cases=rounds, fired=rounds, events=2 * many * rounds)


def test_a_bare_file_copied_without_its_log_is_a_whole_store_of_before(
    world: World, score: Score
) -> None:
    """What stood in the log is missing, and nothing else; the log of the old one brings it back."""
    world.put_back()
    copies = score.size(quick=2, full=10)
    path, log = world.desk.store, Path(f"{world.desk.store}-wal")
    missing = 0
    for number in range(copies):
        world.put_back()
        app = world.desk.app()
        app.store.connection.wal_autocheckpoint(0)
        written = [
            world.desk.run("remember", text=f"In the log {number}.{item}").id
            for item in range(number % 5 + 1)
        ]
        bare, side = path.read_bytes(), log.read_bytes()
        app.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        path.write_bytes(bare)
        path.chmod(0o600)
        there = {str(row[0]) for row in query(path, "SELECT id FROM memories")}
        assert {*world.ids} <= there
        missing += len({*written} - there)
        path.write_bytes(bare)
        log.write_bytes(side)
        Path(f"{path}-shm").unlink(missing_ok=True)
        database = open_store(str(path))
        assert {*written} <= {memory.id for memory in memories.all_memories(database)}
        database.close()
    score.report("files copied without their log", cases=copies, fired=missing)
