"""One damaged row: every verb serves the others, says so once, and lets the row be removed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gitmem.errors import MemoryDamaged
from tests.support.apps import DAY, Desk, copy_of, small_repo
from tests.support.cli import Program
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

NOTE = "1 memory is damaged and was left out: `gitmem recover`"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """A repository with a store of three memories; the first of them is damaged."""
    repo = small_repo(tmp_path_factory.mktemp("damaged"))
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="Redis listens on 6380", path=("src/cart/cart.py",), pin=True)
    desk.run("remember", text="Redis needs a password", path=("src/cart/cart.py",))
    desk.run("decide", title="Use Redis", why="It is there", path=("src/cart/cart.py",))
    ids = [memory.id for memory in desk.run("list").memories]
    desk.run("link", source=ids[0], target=ids[2])
    damage(desk, "content = 'x'")
    return repo


@pytest.fixture
def desk(prepared: RepoBuilder, tmp_path: Path) -> Desk:
    repo = copy_of(prepared, tmp_path)
    shutil.copytree(prepared.home / "gitmem", repo.home / "gitmem")  # the keys of the stores
    return Desk(repo.path, repo.home)


def damage(desk: Desk, how: str) -> None:
    database = open_store(str(desk.store))
    database.run(f"UPDATE memories SET {how} WHERE seq = 1")
    database.close()


def first_id(desk: Desk) -> str:
    database = open_store(str(desk.store))
    try:
        return str(database.value("SELECT id FROM memories WHERE seq = 1"))
    finally:
        database.close()


def saved(desk: Desk) -> int:
    database = open_store(str(desk.store))
    try:
        return int(database.value("SELECT count(*) FROM memories"))
    finally:
        database.close()


def test_every_reading_verb_serves_the_others(desk: Desk, tmp_path: Path) -> None:
    assert sorted(memory.title for memory in desk.run("list").memories) == ["", "Use Redis"]
    assert len(desk.run("recall", query="redis").memories) == 2
    assert desk.run("timeline").entries
    assert "password" in desk.text("orient")
    assert "password" in desk.text("search", query="redis password")
    assert len(desk.run("check", plan="Use Redis", file=("src/cart/cart.py",)).citing) == 2
    desk.run("verify")
    for name in ("affected", "status", "stats", "decay", "related"):
        desk.run(name, **({"id": first_other(desk)} if name == "related" else {}))
    target = tmp_path / "out.jsonl"
    desk.run("export", target=str(target))
    assert target.read_text().count('"content"') == 2


def first_other(desk: Desk) -> str:
    return str(desk.run("list").memories[0].id)


def test_writing_goes_on_beside_it(desk: Desk) -> None:
    desk.run("remember", text="Redis listens on 6380")
    desk.run("remember", text="Something new")
    desk.clock.advance(400 * DAY)
    desk.run("upkeep")
    desk.run("drain")
    assert saved(desk) == 5


@pytest.mark.parametrize("how", ["content = 'x'", "title = CAST(x'ff41' AS TEXT)", "tags = '7'"])
def test_show_says_which_one_and_forget_and_purge_take_it_away(desk: Desk, how: str) -> None:
    damage(desk, how)
    id = first_id(desk)
    with pytest.raises(MemoryDamaged, match=id) as caught:
        desk.run("show", id=id)
    assert "gitmem recover" in caught.value.hint
    desk.run("forget", id=(id,))
    assert len(desk.run("list", state=("any",)).memories) == 2
    assert desk.run("purge", id=(id,)).purged == (id,)
    assert saved(desk) == 2
    doctor = {finding.check: finding.state for finding in desk.run("doctor").findings}
    assert doctor["memories"] == "ok"


def test_a_command_that_met_it_ends_well_and_says_so_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = Program(desk.home, desk.place)
    result = program.here("list", monkeypatch=monkeypatch, capsys=capsys)
    assert result.err.count("left out") == 1
    assert NOTE in result.err
    assert NOTE not in result.out
    data = program.here("list", "--json", monkeypatch=monkeypatch, capsys=capsys).json
    assert data["left_out"] == [{"id": first_id(desk), "reason": "damaged"}]
    assert "left_out" not in json.loads(
        program.here("time", "--json", monkeypatch=monkeypatch, capsys=capsys).out
    )
