"""When a copy outside the work tree is made, what it costs to do without, and what is said."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitmem.agents.events import dispatch
from gitmem.agents.events.hook_event import HookEvent
from gitmem.errors import InvalidInput, NotFound, StoreDamaged, Unavailable
from gitmem.maintenance.schedule import is_maintenance_due, is_outside_copy_due
from gitmem.settings import Settings
from gitmem.store.file import copies_folder, outside_copy
from tests.support.apps import HOUR, MINUTE, Desk, small_repo
from tests.support.moved import SetUp

PHRASE = "GITMEM_COPY_PASSPHRASE"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    """A small repository whose store holds one memory."""
    ready(bare_desk, no_index=True, no_hooks=True)
    bare_desk.run("remember", text="Redis is on 6380")
    return bare_desk


def query(desk: Desk) -> bool:
    app = desk.app()
    found = is_outside_copy_due(app)
    assert is_maintenance_due(app) or not found
    app.close()
    return found


def copies(desk: Desk) -> list[Path]:
    return [Path(copy.path) for copy in desk.run("backup", list=True).copies]


def gone(desk: Desk) -> None:
    shutil.rmtree(desk.store.parent)


def test_it_is_made_when_something_changed_and_the_interval_is_over(desk: Desk) -> None:
    assert query(desk)
    assert desk.run("upkeep").copy == str(copies(desk)[0])
    desk.clock.advance(2 * HOUR)
    assert not query(desk)  # nothing changed
    desk.run("orient")
    desk.run("recall", query="redis")
    assert not query(desk)  # nor by being read
    assert desk.run("upkeep").copy == ""
    desk.run("remember", text="Tests need GPUS=0")
    assert query(desk)
    desk.run("upkeep")
    desk.run("remember", text="Third")
    desk.clock.advance(59 * MINUTE)
    assert not query(desk)
    desk.clock.advance(MINUTE)
    assert query(desk)
    # A clock that went back must not stop it for as long as it was ahead.
    desk.clock.advance(-3 * HOUR)
    assert query(desk)


def test_a_drain_makes_it_too(desk: Desk) -> None:
    desk.run("drain")
    assert len(copies(desk)) == 1


def test_a_backup_makes_it_at_once(desk: Desk) -> None:
    desk.run("backup")
    desk.run("backup")
    assert len(copies(desk)) == 2
    assert f"1 memory of {desk.place}" in desk.text("backup", list=True)


def test_off_makes_none_and_leaves_what_there_is(desk: Desk) -> None:
    desk.run("upkeep")
    desk.env["GITMEM_COPY_MODE"] = "off"
    desk.run("remember", text="Second")
    desk.clock.advance(2 * HOUR)
    assert not query(desk)
    desk.run("backup")
    assert len(copies(desk)) == 1


def test_a_store_whose_key_lies_in_no_data_folder_gets_none(desk: Desk) -> None:
    """As in a container: the key comes from the environment, and nothing there is kept."""
    stores = desk.home / "gitmem" / "stores"
    (id,) = {path.parent.name for path in stores.glob("*/key")} - {_global_id(desk)}
    desk.env["GITMEM_STORE_KEY"] = (stores / id / "key").read_text()
    shutil.rmtree(stores)
    assert not query(desk)
    assert desk.run("backup").copies == ()
    assert not list(stores.glob("*/copies"))


def _global_id(desk: Desk) -> str:
    app = desk.app()
    try:
        shared = app.global_store()
        return shared.store if shared else ""
    finally:
        app.close()


def test_what_fails_is_reported_by_status_and_not_tried_at_every_command(desk: Desk) -> None:
    desk.env["GITMEM_COPY_MODE"] = "encrypted"
    assert desk.run("upkeep").copy == ""
    assert not query(desk)
    (warning,) = desk.run("status").warnings
    assert "no copy is made outside the work tree" in warning and "passphrase" in warning
    result = desk.run("backup")
    assert Path(result.written).is_file() and "passphrase" in result.note
    del desk.env["GITMEM_COPY_MODE"]
    desk.clock.advance(HOUR)
    assert desk.run("upkeep").copy
    assert desk.run("status").warnings == ()


def test_the_newest_that_is_whole_is_brought_back(desk: Desk) -> None:
    desk.run("backup")
    desk.clock.advance(HOUR)
    desk.run("remember", text="Second")
    desk.run("backup")
    older, newer = copies(desk)
    content = bytearray(newer.read_bytes())
    content[5000:9000] = b"\xff" * 4000
    newer.write_bytes(content)
    gone(desk)
    done = desk.run("restore-backup", copy=True)
    assert (done.source, done.memories) == (str(older), 1)
    for path in (older, newer):
        path.write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreDamaged):
        desk.run("restore-backup", copy=True)
    assert desk.run("list").total == 1


def test_a_copy_is_restored_by_its_path_as_a_backup_is(desk: Desk) -> None:
    desk.run("backup")
    desk.run("remember", text="Second")
    (copy,) = copies(desk)
    done = desk.run("restore-backup", source=str(copy))
    assert done.memories == 1
    assert Path(done.aside).is_file()


def test_what_cannot_be_is_refused(desk: Desk) -> None:
    with pytest.raises(NotFound, match="no copy"):
        desk.run("restore-backup", copy=True)
    with pytest.raises(InvalidInput):
        desk.run("restore-backup", copy=True, source="x.db")
    desk.run("upkeep")
    with pytest.raises(NotFound) as refused:
        desk.run("restore-backup")
    assert "gitmem restore-backup --copy" in refused.value.hint


def test_a_session_of_an_agent_is_reported_at_its_start_only(desk: Desk) -> None:
    desk.run("upkeep")
    gone(desk)

    def said(event: str) -> str:
        app = desk.app(agent="claude-code")
        moment = HookEvent(agent="claude-code", event=event, session="s", cwd=str(desk.place))
        text = dispatch.answer_event(app, moment)
        app.close()
        return text

    assert "1 memory of 2026-11-21 can be brought back" in said("session-start")
    assert said("prompt") == said("stop") == ""
    desk.env["GITMEM_HOOKS_ENABLED"] = "0"
    assert said("session-start") == ""
    assert not desk.store.parent.exists()


def test_where_no_store_was_nothing_is_reported(tmp_path: Path) -> None:
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home)
    assert desk.run("status").lost == ""
    assert "gitmem init" in desk.text("orient")


def test_deinit_keeps_the_copies_and_purge_takes_them(desk: Desk) -> None:
    desk.run("upkeep")
    (copy,) = copies(desk)
    text = desk.text("deinit")
    assert copy.is_file() and str(copy.parent.parent.name) in text
    would = desk.text("deinit", purge=True, dry_run=True)
    assert copy.is_file()
    for text in (would, desk.text("deinit", purge=True)):
        assert "Its copies go with it: " in text and "These stay: your global memories" in text
    assert not copy.parent.parent.exists()
    assert "brought back" not in desk.text("status")
    assert desk.run("init", no_index=True, no_hooks=True).memories == 0


class TestEncrypted:
    @pytest.fixture(autouse=True)
    def library(self) -> None:
        pytest.importorskip("cryptography")

    @pytest.fixture
    def sealed(self, desk: Desk) -> Desk:
        """A copy was made with a passphrase, and the store is gone."""
        desk.env |= {"GITMEM_COPY_MODE": "encrypted", PHRASE: "correct horse"}
        assert desk.run("upkeep").copy.endswith(".db.enc")
        gone(desk)
        return desk

    def test_it_comes_back_with_the_passphrase(self, sealed: Desk) -> None:
        assert sealed.run("init", no_index=True, no_hooks=True).memories == 1
        assert sorted(os.listdir(sealed.store.parent)) == [".gitignore", "memory.db"]

    def test_another_passphrase_says_so_and_changes_nothing(self, sealed: Desk) -> None:
        (copy,) = copies(sealed)
        before = copy.read_bytes()
        for phrase in ("another", ""):
            sealed.env[PHRASE] = phrase
            for verb, values in (("restore-backup", {"copy": True}), ("init", {})):
                with pytest.raises(InvalidInput, match="passphrase"):
                    sealed.run(verb, **values)
                assert not sealed.store.parent.exists(), verb
        assert copy.read_bytes() == before

    def test_a_key_file_is_as_good_and_its_last_line_end_is_none_of_it(
        self, sealed: Desk, tmp_path: Path
    ) -> None:
        key = tmp_path / "key"
        del sealed.env[PHRASE]
        sealed.env["GITMEM_COPY_KEY_FILE"] = str(key)
        with pytest.raises(InvalidInput, match="cannot be read"):
            sealed.run("restore-backup", copy=True)
        key.write_text("\n")
        with pytest.raises(InvalidInput, match="is empty"):
            sealed.run("restore-backup", copy=True)
        key.write_text("correct horse\n")
        assert sealed.run("restore-backup", copy=True).memories == 1

    def test_without_the_library_it_says_what_to_install(
        self, sealed: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(
            __import__("sys").modules, "cryptography.hazmat.primitives.ciphers.aead", None
        )
        with pytest.raises(Unavailable) as refused:
            outside_copy.encrypt_copy_content(b"x", b"y", os.urandom)
        assert "pip install '.[encryption]'" in refused.value.hint
        with pytest.raises(Unavailable):
            sealed.run("restore-backup", copy=True)
        assert not sealed.store.parent.exists()


def test_the_settings_refuse_what_makes_no_sense() -> None:
    for variable, value in (("COPY_MODE", "zip"), ("COPY_KEY_FILE", "relative/key")):
        assert Settings({f"GITMEM_{variable}": value}).mistakes, variable
    assert not Settings({"GITMEM_COPY_MODE": "encrypted"}).mistakes
    assert copies_folder.store_ids_with_folder("") == []
