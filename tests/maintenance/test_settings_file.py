"""The settings of a project: where they lie, what takes them along, and what copies hold."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import ForeignFile, GitmemError, InvalidInput, UntrustedStore
from gitmem.settings import Settings
from gitmem.store.file import registration
from tests.support import children
from tests.support.apps import HOUR, Desk
from tests.support.cli import Program
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

TEXT = "# what is ours\n[index]\nexclude = 'gen/*'\n[recall]\nlimit = 7\n"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    """A project whose settings keep a folder out of the index."""
    ready(bare_desk, no_index=True, no_hooks=True)
    bare_desk.run("remember", text="Redis is on 6380")
    bare_desk.settings_file.write_text(TEXT)
    return bare_desk


def value(desk: Desk, key: str) -> object:
    return desk.run("config", key=key).settings[0].value


def indexed(desk: Desk) -> set[str]:
    hits = desk.run("search", query="left out", mode="keyword", limit=50).hits
    return {hit.path for hit in hits}


def forgotten(desk: Desk, *, key: bool = True) -> Path:
    """As on a machine that has nothing of this project but its copies, and perhaps its key."""
    folder = desk.settings_file.parent
    (folder / "config.toml").unlink(missing_ok=True)
    if not key:
        shutil.rmtree(desk.home / "gitmem" / "stores")
    return folder


# --- the place ------------------------------------------------------------------------------------


def test_git_clean_takes_the_store_and_no_setting(desk: Desk, repo: RepoBuilder) -> None:
    (repo.path / "gen").mkdir()
    (repo.path / "gen" / "secret.py").write_text("x = 'left out'\n")
    (repo.path / "open.py").write_text("x = 'left out'\n")
    desk.run("index")
    assert indexed(desk) == {"open.py"}
    desk.run("backup")
    repo.git("add", "open.py", "gen")
    repo.git("clean", "-fdx", "--quiet")
    desk.run("restore-backup", copy=True)
    assert desk.settings_file.read_text() == TEXT
    assert indexed(desk) == {"open.py"}


def test_worktrees_share_settings_and_a_folder_that_moved_keeps_them(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.git("worktree", "add", "-q", str(repo.path.parent / "second"))
    second = desk.at(repo.path.parent / "second")
    assert value(second, "recall.limit") == 7
    assert second.run("config", key="recall.limit", value="8").changed == str(desk.settings_file)
    assert value(desk, "recall.limit") == 8
    moved = desk.at(repo.path.rename(repo.path.parent / "moved"))
    moved.run("list")
    assert value(moved, "recall.limit") == 8


def test_hooks_that_are_off_stay_off_in_a_folder_that_moved(desk: Desk, repo: RepoBuilder) -> None:
    program = Program(desk.home, repo.path)
    begin = b'{"session_id": "%d", "hook_event_name": "SessionStart", "source": "startup"}'
    words = ("hook", "claude-code", "session-start")
    assert "6380" in program(*words, stdin=begin % 1).out
    desk.run("config", key="hooks.enabled", value="0")
    program.cwd = repo.path.rename(repo.path.parent / "moved")
    for number in (2, 3):
        assert "6380" not in program(*words, stdin=begin % number).out


def test_another_store_in_a_known_place_brings_its_own_settings(desk: Desk, tmp_path: Path) -> None:
    other = Desk(tmp_path / "other", desk.home)
    other.place.mkdir()
    other.run("init", folder=True)
    other.run("config", key="recall.limit", value="3")
    shutil.rmtree(desk.place / ".gitmem")
    shutil.copytree(other.place / ".gitmem", desk.place / ".gitmem")
    (desk.place / ".gitmem" / "memory.db").chmod(0o600)
    app = desk.app()
    assert app.store and app.settings.number("recall.limit") == 3
    assert app.settings.text("index.exclude") == ""
    app.close()


def test_a_store_elsewhere_has_the_settings_that_name_it(desk: Desk, tmp_path: Path) -> None:
    own = tmp_path / "own.db"
    at_home = desk.settings_file
    desk.run("config", key="store.path", value=str(own))
    desk.run("init", no_index=True, no_hooks=True)
    for text in ("One", "Two"):
        desk.run("remember", text=text)
        assert (value(desk, "store.path"), value(desk, "recall.limit")) == (str(own), 7)
    assert {memory.content for memory in desk.run("list").memories} == {"One", "Two"}
    assert desk.run("config", key="recall.limit", value="8").changed == str(at_home)
    moved = desk.at(desk.place.rename(tmp_path / "moved"))
    assert {memory.content for memory in moved.run("list").memories} == {"One", "Two"}
    written = moved.run("backup").written
    desk = moved.at(moved.place)
    desk.run("config", key="store.path", unset=True)
    assert [memory.content for memory in desk.run("list").memories] == ["Redis is on 6380"]
    assert value(desk, "recall.limit") == 8
    # Brought to another place, the copy does not lead back to that file.
    desk.run("restore-backup", source=written)
    assert desk.settings_file != at_home and value(desk, "recall.limit") == 8
    assert value(desk, "store.path") == ""


def test_a_fresh_store_says_where_the_former_settings_are(desk: Desk) -> None:
    former = desk.settings_file
    shutil.rmtree(desk.place / ".gitmem")
    notes = desk.run("init", fresh=True, no_index=True, no_hooks=True).notes
    assert any(str(former) in note for note in notes)
    assert former.read_text() == TEXT and value(desk, "recall.limit") == 10


def test_taking_gitmem_out_for_good_takes_the_settings(desk: Desk, tmp_path: Path) -> None:
    first = desk.settings_file
    desk.run("config", key="store.path", value=str(tmp_path / "own.db"))
    desk.run("init", no_index=True, no_hooks=True)
    places = registration.store_and_settings_ids_at(
        Settings(desk.env).stores_folder, str(desk.place)
    )
    assert len(set(places)) == 2
    desk.run("deinit")
    assert first.exists()
    desk.run("deinit", purge=True)
    assert not first.parent.exists()
    assert [*(desk.home / "gitmem" / "stores").glob("*/config.toml")] == []


# --- what copies carry ----------------------------------------------------------------------------


def by_backup(desk: Desk) -> str:
    return str(desk.run("backup").written)


def by_itself(desk: Desk) -> str:
    desk.clock.advance(48 * HOUR)
    desk.run("remember", text="Something new")
    desk.run("upkeep")
    (made,) = (desk.place / ".gitmem" / "backups").glob("auto-*.db")
    return str(made)


def by_copy(desk: Desk) -> str:
    desk.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    desk.clock.advance(48 * HOUR)
    desk.run("remember", text="Something new")
    return str(desk.run("upkeep").copy)


def by_sealed_copy(desk: Desk) -> str:
    pytest.importorskip("cryptography")
    desk.env |= {"GITMEM_COPY_MODE": "encrypted", "GITMEM_COPY_PASSPHRASE": "a passphrase"}
    (copy,) = desk.run("backup").copies
    assert copy.path.endswith(".enc") and b"gen/*" not in Path(copy.path).read_bytes()
    return str(copy.path)


@pytest.mark.parametrize("copied", [by_backup, by_itself, by_copy, by_sealed_copy])
def test_every_copy_brings_settings_back_where_there_are_none(
    desk: Desk, copied: Callable[[Desk], str]
) -> None:
    copy = copied(desk)
    forgotten(desk)
    assert value(desk, "recall.limit") == 10
    done = desk.run("restore-backup", source=copy)
    assert done.memories
    assert desk.settings_file.read_text() == TEXT
    assert desk.settings_file.stat().st_mode & 0o777 == 0o600
    assert value(desk, "index.exclude") == "gen/*"


def test_a_store_of_another_project_brings_its_settings_and_says_what_it_leaves(
    desk: Desk, tmp_path: Path
) -> None:
    other = Desk(tmp_path / "other", desk.home)
    other.place.mkdir()
    other.run("init", folder=True)
    other.run("config", key="recall.limit", value="3")
    copy, former = by_backup(other), desk.settings_file
    text = other.settings_file.read_text()
    other.settings_file.unlink()
    program = Program(desk.home, desk.place)
    shown = program("restore-backup", copy, "--yes").out
    assert desk.settings_file == other.settings_file and other.settings_file.read_text() == text
    assert f"brought back: {other.settings_file}" in shown
    assert f"do not hold now: {former}" in shown and former.read_text() == TEXT
    assert value(desk, "recall.limit") == 3


def test_settings_that_are_there_stay_whatever_the_copy_holds(desk: Desk) -> None:
    copy = by_backup(desk)
    desk.run("config", key="recall.limit", value="9")
    desk.run("restore-backup", source=copy)
    assert value(desk, "recall.limit") == 9
    copy = by_backup(desk)  # and what an editor wrote is in the next one
    forgotten(desk)
    desk.run("restore-backup", source=copy)
    assert value(desk, "recall.limit") == 9


def test_nothing_is_brought_back_from_a_file_that_was_not_sealed_here(
    desk: Desk, tmp_path: Path
) -> None:
    copy = by_backup(desk)
    other = Desk(tmp_path / "there" / "repo", tmp_path / "there" / "home")
    shutil.copytree(desk.place, other.place)
    with pytest.raises(UntrustedStore):
        other.run("restore-backup", source=copy)
    assert [*other.home.rglob("config.toml")] == []
    # A stranger who knows the id of the store, but not its key.
    app = desk.app()
    with app.store.write():
        app.store.run("UPDATE meta SET value = 'agent = \"evil\"' WHERE key = 'settings'")
    app.close()
    forgotten(desk)
    shutil.copy(desk.store, tmp_path / "forged.db")
    (tmp_path / "forged.db").chmod(0o600)
    desk.run("restore-backup", source=str(tmp_path / "forged.db"))
    assert not desk.settings_file.exists() and value(desk, "agent") == ""


def test_a_copy_of_a_lost_machine_offers_its_settings(desk: Desk) -> None:
    copy = by_backup(desk)
    forgotten(desk, key=False)
    with pytest.raises(UntrustedStore):
        desk.run("restore-backup", source=copy)
    shown = desk.run("trust", store=True, dry_run=True).store
    assert shown.settings == ("index.exclude = 'gen/*'", "recall.limit = 7")
    desk.run("trust", store=True, yes=True)
    assert value(desk, "recall.limit") == 10
    (note,) = desk.run("config", adopt=True).notes
    desk.run("config", adopt=True, agree=note.rpartition(" ")[2])
    assert desk.settings_file.read_text() == TEXT


# --- what else may stand in the place -------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_what_is_no_plain_file_stops_commands_in_a_sentence_and_is_never_written_through(
    desk: Desk,
) -> None:
    path, mine = desk.settings_file, desk.home / "mine.toml"
    mine.write_text(TEXT)
    kinds: dict[str, tuple[Callable[[], object], str]] = {
        "link": (lambda: path.symlink_to(mine), "symbolic link"),
        "link to nowhere": (lambda: path.symlink_to(desk.home / "new"), "symbolic link"),
        "folder": (path.mkdir, "not a file"),
        "pipe": (lambda: os.mkfifo(path), "not a file"),
        "no TOML": (lambda: path.write_text("[ask\n"), "at line 1"),
        "too large": (lambda: path.write_text("#" * (300 << 10)), "larger than"),
    }
    program = Program(desk.home, desk.place)
    for name, (make, why) in kinds.items():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        make()
        tries: tuple[Callable[[], object], ...] = (
            lambda: desk.run("list"),
            lambda: desk.run("config", key="recall.limit", value="9"),
            lambda: desk.run("config", key="recall.limit", unset=True),
        )
        for use in tries:
            with pytest.raises(InvalidInput, match=why) as refused:
                use()
            assert str(path) in refused.value.message and refused.value.hint, name
        (warning,) = desk.run("config").warnings
        assert why in warning and "None of it is taken" in warning, name
        assert path.is_symlink() or path.exists(), name
    assert mine.read_text() == TEXT and not (desk.home / "new").exists()
    payload = b'{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}'
    assert program("hook", "claude-code", "prompt", stdin=payload).err == ""


@children.needs_fork
def test_settings_that_may_not_be_read_or_written_are_reported_in_a_sentence() -> None:
    with children.open_folder() as folder:
        repo = RepoBuilder(folder / "repo")
        repo.commit("Start", {"a.txt": "a\n"})
        desk = Desk(repo.path, repo.home)
        desk.run("init", no_index=True, no_hooks=True)
        path = desk.settings_file
        path.write_text(TEXT)
        children.give_away(folder)

        def stopped(why: str, **values: str) -> None:
            with pytest.raises(GitmemError, match=why) as refused:
                desk.run("config", **values) if values else desk.run("list")
            assert str(path) in refused.value.message and refused.value.hint

        def run(work: Callable[[], object]) -> None:
            assert children.run(children.as_nobody(work)) == children.DONE

        path.chmod(0)
        run(lambda: stopped("Permission denied"))
        path.chmod(0o600)
        if os.geteuid() == 0:
            os.chown(path, 0, 0)
            path.chmod(0o644)
            run(lambda: stopped("another user"))
            os.chown(path, children.NOBODY, children.NOBODY)
        path.parent.chmod(0o500)
        run(lambda: stopped("cannot be written", key="recall.limit", value="9"))
        path.parent.chmod(0o700)
        assert path.read_text() == TEXT and [*path.parent.glob("*new*")] == []


def test_a_tracked_folder_is_refused_before_a_setting_is_written(
    desk: Desk, repo: RepoBuilder
) -> None:
    (repo.path / ".gitmem" / "config.toml").write_text("agent = 'evil'\n")
    repo.git("add", "--force", ".gitmem/config.toml")
    with pytest.raises(ForeignFile):
        desk.run("config", key="recall.limit", value="9")
    assert desk.settings_file.read_text() == TEXT
    app = desk.app()
    assert app.layout and app.settings.number("recall.limit") == 7
    app.close()


def test_settings_cost_one_small_read_of_each_start(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every command and hook: which store stands here; its settings where there are some."""
    opened: list[str] = []
    plain = open

    def counting(path: str, *more: Any, **named: Any) -> Any:
        opened.append(str(path))
        return plain(path, *more, **named)

    desk.settings_file.unlink()
    app = desk.app()
    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", counting)
        assert app.layout
    app.close()
    data = [path for path in opened if path.startswith(str(desk.home))]
    assert len(data) == 1 and "places" in data[0]
