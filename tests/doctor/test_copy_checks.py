"""Doctor on the copies outside the work tree: where they are, how old, and what is wrong."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.maintenance.test_outside_copies import PHRASE
from tests.support.apps import HOUR, Desk, small_repo
from tests.support.moved import SetUp


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    """A small repository whose store holds one memory."""
    ready(bare_desk, no_index=True, no_hooks=True)
    bare_desk.run("remember", text="Redis is on 6380")
    return bare_desk


def report(desk: Desk) -> list[tuple[str, str]]:
    return [
        (finding.state, finding.message)
        for finding in desk.run("doctor").findings
        if finding.check == "copies"
    ]


def made(desk: Desk, count: int = 1) -> list[Path]:
    """The copies after so many more backups, an hour apart, oldest first."""
    for number in range(count):
        desk.run("remember", text=f"Memory {number} of {desk.clock.now()}")
        desk.run("backup")
        desk.clock.advance(HOUR)
    return [Path(copy.path) for copy in desk.run("backup", list=True).copies]


def test_where_they_are_and_how_old_the_newest_is(desk: Desk) -> None:
    ((state, message),) = report(desk)
    assert state == "note" and "none yet" in message
    (copy,) = made(desk)
    assert report(desk) == [
        ("ok", f"1 outside the work tree, the newest made 1 hour ago, in {copy.parent}")
    ]
    # Those that made room for newer ones are not missed.
    made(desk, 3)
    ((state, message),) = report(desk)
    assert state == "ok" and message.startswith("2 outside the work tree, the newest made 1 hour")


def test_the_backups_beside_the_store_are_counted(desk: Desk) -> None:
    def counted() -> list[str]:
        return [each.message for each in desk.run("doctor").findings if each.check == "backups"]

    made(desk)
    assert counted() == ["1 backup, all whole and yours"]
    made(desk)
    assert counted() == ["2 backups, all whole and yours"]


def test_what_is_wrong_with_each_is_reported(desk: Desk, tmp_path: Path) -> None:
    older, newer = made(desk, 2)
    whole = newer.read_bytes()
    newer.write_bytes(whole[:5000] + b"\xff" * 4000 + whole[9000:])
    ((state, message),) = report(desk)
    assert state == "note" and f"unusable: {newer.name}: " in message
    older.write_bytes(b"garbage" * 1000)
    ((state, message),) = report(desk)
    assert state == "problem" and older.name in message and newer.name in message
    newer.write_bytes(whole)
    older.unlink()
    os.symlink(tmp_path / "nowhere", older)
    ((state, message),) = report(desk)
    assert state == "note" and f"{older} is a symbolic link" in message
    older.unlink()
    ((_, message), (state, missing)) = report(desk)
    assert message.startswith("1 outside") and state == "note"
    assert missing == f"1 that was made is gone: {older.name} in {older.parent}"


def test_a_copy_of_another_store_is_distinguished_from_ones_own(desk: Desk, tmp_path: Path) -> None:
    (copy,) = made(desk)
    other = Desk(small_repo(tmp_path / "other").path, desk.home)
    other.run("init", no_index=True, no_hooks=True)
    (theirs,) = made(other)
    shutil.copyfile(theirs, copy)
    ((state, message),) = report(desk)
    assert state == "problem" and message.endswith("it is a copy of another store")


def test_why_none_is_made_is_reported(desk: Desk) -> None:
    desk.env["GITMEM_COPY_MODE"] = "off"
    assert report(desk) == [("note", "none outside the work tree: copy.mode is off")]
    desk.env["GITMEM_COPY_MODE"] = "encrypted"
    desk.run("upkeep")
    (_, (state, message)) = report(desk)
    assert state == "problem" and "could not be made" in message and "passphrase" in message
    desk.env["GITMEM_HOME"] = str(desk.home / "elsewhere")
    ((state, message),) = report(desk)
    assert state == "note" and "no data folder of yours holds the key" in message


def test_an_encrypted_one_is_opened_with_the_passphrase(desk: Desk) -> None:
    pytest.importorskip("cryptography")
    desk.env["GITMEM_COPY_MODE"] = "encrypted"
    desk.env[PHRASE] = "quiet river"
    (copy,) = made(desk)
    assert report(desk)[0][0] == "ok"
    desk.env[PHRASE] = "loud river"
    ((state, message),) = report(desk)
    assert state == "problem" and "does not open" in message
    desk.env[PHRASE] = "quiet river"
    copy.write_bytes(copy.read_bytes()[:20])
    assert "not an encrypted copy" in report(desk)[0][1]


def test_they_are_reported_where_the_store_is_damaged_and_where_it_is_gone(desk: Desk) -> None:
    (copy,) = made(desk)
    desk.store.write_bytes(b"garbage" * 1000)
    assert report(desk)[0] == (
        "ok",
        f"1 outside the work tree, the newest made 1 hour ago, in {copy.parent}",
    )
    shutil.rmtree(desk.store.parent)
    ((state, message),) = report(desk)
    assert state == "problem" and "restore-backup --copy" in message


def test_a_link_among_them_neither_hides_the_others_nor_stops_the_way_back(
    desk: Desk, tmp_path: Path
) -> None:
    (copy,) = made(desk)
    os.symlink(tmp_path / "nowhere", copy.with_name("copy-99991231T235959Z-00000000.db"))
    shutil.rmtree(desk.store.parent)
    assert desk.run("restore-backup", copy=True).source == str(copy)
