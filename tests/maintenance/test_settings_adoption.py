"""A settings file beside the store: told of, shown, and taken over just as a person saw it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import (
    Conflict,
    ForeignFile,
    GitmemError,
    InvalidInput,
    NotFound,
    NotInitialized,
    ReadOnly,
    UntrustedStore,
)
from gitmem.operations.maintenance.config import CONFIG, ConfigRequest, show_or_change_settings
from tests.support import children
from tests.support.apps import Desk
from tests.support.cli import Program
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

TEXT = (
    '# mine\nmodel = "hashed"\nlater = 1\n[orient]\nbudget = 901\n[index]\nexclude = ["gen/*"]\n'
    '[ask]\nendpoint = "http://127.0.0.1:1/v1"\n'
)


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    return ready(bare_desk, no_index=True, no_hooks=True)


@pytest.fixture
def old(desk: Desk) -> Path:
    """A settings file of the time when they lay beside the store."""
    path = desk.place / ".gitmem" / "config.toml"
    path.write_text(TEXT)
    return path


def value(desk: Desk, key: str) -> object:
    return desk.run("config", key=key).settings[0].value


def word(desk: Desk) -> str:
    """What stands for the settings that are shown, as the command shows it."""
    (note,) = desk.run("config", adopt=True).notes
    return str(note.rpartition(" ")[2])


def at_terminal(desk: Desk, answer: bool, before: Callable[[], object] = str) -> tuple[str, str]:
    """What a person was shown and asked; ``before`` happens while they read it."""
    shown: list[str] = []
    app = desk.app()
    app.say = shown.append
    app.ask = lambda question, default: (
        (shown.append(question), before(), answer)[2] and not default
    )
    try:
        show_or_change_settings(app, ConfigRequest(adopt=True))
    finally:
        app.close()
    return shown[0], shown[1]


def test_what_nobody_vouched_for_is_not_in_force_and_each_command_says_so(
    desk: Desk, old: Path, program: Program
) -> None:
    assert (value(desk, "orient.budget"), value(desk, "model")) == (1200, "builtin")
    assert value(desk, "ask.endpoint") == ""
    for words in (("status",), ("list",), ("config",)):
        done = program(*words)
        lines = [line for line in (done.out + done.err).splitlines() if f"{old} is" in line]
        assert len(lines) == 1, done
        assert "is not in force" in lines[0] and "`gitmem config --adopt`" in lines[0]
        assert "else delete it" in lines[0]
    assert any(str(old) in finding.message for finding in desk.run("doctor").findings)
    assert old.read_text() == TEXT
    old.unlink()
    assert desk.run("config").warnings == ()


def test_what_it_keeps_out_of_the_index_and_of_plain_copies_stays_out_until_it_is_settled(
    desk: Desk, old: Path
) -> None:
    """A file that was in force before an upgrade: nothing that it hid comes out by itself."""
    old.write_text('[copy]\nmode = "off"\n[index]\nexclude = "gen/*"\nmax_files = 7\nlines = 99\n')
    (desk.place / "gen").mkdir()
    (desk.place / "gen" / "secret.py").write_text("x = 'what is left out'\n")
    (desk.place / "open.py").write_text("y = 1\n")
    desk.run("index")
    paths = {hit.path for hit in desk.run("search", query="left out", mode="keyword").hits}
    assert "gen/secret.py" not in paths
    app = desk.app()
    assert app.layout and app.settings.text("copy.mode") == "off"
    assert (app.settings.number("index.max_files"), app.settings.number("index.lines")) == (7, 20)
    app.close()
    desk.run("config", key="index.max_files", value="5")  # less of the two holds
    old.write_text("[index]\nmax_files = 9\nenabled = 'x'\n")
    app = desk.app()
    assert app.layout and app.settings.number("index.max_files") == 5
    app.close()
    old.write_text("[index]\nmax_files = 2\n")
    RepoBuilder(desk.place, init=False).git("add", "--force", ".gitmem/config.toml")
    app = desk.app()
    assert app.layout and app.settings.number("index.max_files") == 5, "a clone brought it"
    app.close()


def test_settings_are_taken_as_they_were_shown_and_the_old_file_goes(desk: Desk, old: Path) -> None:
    shown = desk.run("config", adopt=True)
    assert shown.changed == "" and old.exists() and not desk.settings_file.exists()
    assert shown.offered == (
        "model = 'hashed'",
        "later = 1",
        "orient.budget = 901",
        "index.exclude = ['gen/*']",
        "ask.endpoint = 'http://127.0.0.1:1/v1'",
    )
    text = CONFIG.view(shown)
    assert all(f"  > {line}" in text for line in shown.offered)
    done = desk.run("config", adopt=True, agree=word(desk))
    assert done.changed == str(desk.settings_file)
    assert desk.settings_file.read_text() == TEXT and not old.exists()
    assert desk.settings_file.stat().st_mode & 0o777 == 0o600
    assert (value(desk, "orient.budget"), value(desk, "model")) == (901, "hashed")
    (left,) = desk.run("config").warnings
    assert "'later'" in left, "what a newer gitmem knows is told, and stays in the file"
    with pytest.raises(NotFound):
        desk.run("config", adopt=True)


def test_other_settings_than_those_that_were_shown_are_not_taken(desk: Desk, old: Path) -> None:
    agreed = word(desk)
    evil = TEXT.replace("127.0.0.1:1", "127.0.0.1:2")
    old.write_text(evil)
    with pytest.raises(Conflict, match="have changed since they were shown"):
        desk.run("config", adopt=True, agree=agreed)
    assert old.read_text() == evil and not desk.settings_file.exists()
    # While a person at the terminal reads: what they saw is what holds.
    observed, question = at_terminal(desk, True, lambda: old.write_text(TEXT))
    assert "127.0.0.1:2" in observed and "yours" in question
    assert desk.settings_file.read_text() == evil
    assert old.read_text() == TEXT, "what came meanwhile was not shown, and is not deleted"


def test_who_says_no_changes_nothing(desk: Desk, old: Path) -> None:
    at_terminal(desk, False)
    assert old.read_text() == TEXT and not desk.settings_file.exists()


def test_no_agent_takes_settings_over(desk: Desk, old: Path, program: Program) -> None:
    agreed = word(desk)
    with pytest.raises(Conflict, match="only a person"):
        desk.run("config", by="codex", adopt=True, agree=agreed)
    marked = program.env | {"CLAUDECODE": "1"}
    refused = program("config", "--adopt", "--agree", agreed, env=marked, status=5)
    assert "only a person" in refused.err and "in a terminal" in refused.err
    assert old.exists() and not desk.settings_file.exists()


def test_settings_that_are_in_force_stay_and_what_they_lack_is_added(desk: Desk, old: Path) -> None:
    desk.run("config", key="orient.budget", value="800")
    done = desk.run("config", adopt=True, agree=word(desk))
    assert "later" in done.notes[0] and "orient.budget" in done.notes[0]
    assert (value(desk, "orient.budget"), value(desk, "index.exclude")) == (800, "gen/*")
    assert value(desk, "ask.endpoint") == "http://127.0.0.1:1/v1" and not old.exists()


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_what_is_no_plain_file_of_ones_own_is_reported_and_left(desk: Desk, old: Path) -> None:
    mine = desk.home / "mine.toml"
    mine.write_text(TEXT)
    kinds: dict[str, tuple[Callable[[], object], str]] = {
        "link": (lambda: old.symlink_to(mine), "symbolic link"),
        "link to nowhere": (lambda: old.symlink_to("/nowhere"), "symbolic link"),
        "folder": (old.mkdir, "not a file"),
        "pipe": (lambda: os.mkfifo(old), "not a file"),
        "no TOML": (lambda: old.write_text("[ask\n"), "at line 1"),
        "no text": (lambda: old.write_bytes(b"\xff\xfe\x00"), "not valid TOML"),
        "too large": (lambda: old.write_text("#" * (300 << 10)), "larger than"),
        "nested": (lambda: old.write_text("a = " + "[" * 9_000), "nested"),
    }
    for name, (make, why) in kinds.items():
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
        make()
        for use in (lambda: desk.run("config", adopt=True), lambda: at_terminal(desk, True)):
            with pytest.raises(InvalidInput, match=why) as refused:
                use()
            assert str(old) in refused.value.message and refused.value.hint, name
        assert old.is_symlink() or old.exists(), name
        assert not desk.settings_file.exists(), name
        assert len(desk.run("config").warnings) == 1, name
        assert desk.run("list").memories == (), "and nothing else is held up"


@children.needs_fork
def test_what_may_not_be_read_or_is_anothers_is_reported_in_a_sentence() -> None:
    with children.open_folder() as folder:
        repo = RepoBuilder(folder / "repo")
        repo.commit("Start", {"a.txt": "a\n"})
        desk = Desk(repo.path, repo.home)
        desk.run("init", no_index=True, no_hooks=True)
        old = desk.place / ".gitmem" / "config.toml"
        old.write_text(TEXT)
        children.give_away(folder)

        def refused(why: str) -> None:
            with pytest.raises(InvalidInput, match=why):
                desk.run("config", adopt=True)
            assert not desk.settings_file.exists()

        old.chmod(0)
        assert children.run(children.as_nobody(lambda: refused("Permission denied"))) == 0
        old.chmod(0o644)
        if os.geteuid() == 0:
            os.chown(old, 0, 0)
            assert children.run(children.as_nobody(lambda: refused("another user"))) == 0


def test_an_old_file_that_cannot_be_deleted_is_reported_and_a_second_try_completes(
    desk: Desk, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed = word(desk)

    unlink = os.unlink

    def refuse(path: str) -> None:
        if path == str(old):
            raise PermissionError(13, "Permission denied")
        unlink(path)

    with monkeypatch.context() as patch:
        patch.setattr("os.unlink", refuse)
        with pytest.raises(ReadOnly, match="cannot be deleted") as refused:
            desk.run("config", adopt=True, agree=agreed)
    assert refused.value.hint == "Delete it yourself."
    assert desk.settings_file.read_text() == TEXT and old.read_text() == TEXT
    desk.run("config", adopt=True, agree=agreed)
    assert desk.settings_file.read_text() == TEXT and not old.exists()


def test_a_store_that_only_the_old_file_names_is_found_again(
    desk: Desk, old: Path, program: Program, tmp_path: Path
) -> None:
    """As an upgrade leaves it: the place is known, and nothing stands where one would look."""
    old.unlink()
    desk.store.rename(tmp_path / "own.db")
    old.write_text(f'[store]\npath = "{tmp_path}/own.db"\n')
    refused = program("list", status=4)
    assert f"{old} is not in force" in refused.err
    assert set(program("list", "--json", status=4).error) == {"code", "message", "hint"}
    agreed = program("config", "--adopt", "--json").json["notes"][0].rpartition(" ")[2]
    program("config", "--adopt", "--agree", agreed)
    program("list")
    assert value(desk, "store.path") == f"{tmp_path}/own.db"


def test_where_there_is_no_store_of_ones_own_nothing_is_taken(
    desk: Desk, bare_desk: Desk, old: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotInitialized):
        bare = RepoBuilder(tmp_path / "bare")
        bare.commit("Start", {"a.txt": "a\n"})
        Desk(bare.path, desk.home).run("config", adopt=True)
    stranger = Desk(desk.place, tmp_path / "another" / "home")
    with pytest.raises(UntrustedStore):
        stranger.run("config", adopt=True)
    RepoBuilder(desk.place, init=False).git("add", "--force", ".gitmem/config.toml")
    with pytest.raises(ForeignFile):
        desk.run("config", adopt=True)
    assert old.read_text() == TEXT


def test_a_store_of_another_machine_brings_settings_only_when_a_person_says_so(
    desk: Desk, tmp_path: Path
) -> None:
    desk.run("config", key="orient.budget", value="901")
    other = Desk(tmp_path / "there" / "repo", tmp_path / "there" / "home")
    shutil.copytree(desk.place, other.place)
    shown = other.run("trust", store=True, dry_run=True).store
    assert shown.settings == ("orient.budget = 901",)
    other.run("trust", store=True, yes=True)
    assert value(other, "orient.budget") == 1200 and not other.settings_file.exists()
    other.run("config", adopt=True, agree=word(other))
    assert value(other, "orient.budget") == 901
    with pytest.raises(GitmemError):
        other.run("config", adopt=True)


def test_a_name_holds_from_when_it_is_set_and_when_it_is_taken_over(desk: Desk, old: Path) -> None:
    def key() -> str:
        return str(desk.run("status").project)

    before = key()
    desk.run("remember", text="Redis is on 6380")
    assert desk.run("config", key="name", value="till").changed and key() == "till"
    assert desk.run("config", key="name", unset=True).changed and key() == before
    old.write_text('name = "shop"\n')
    assert key() == before
    desk.run("config", adopt=True, agree=word(desk))
    assert key() == "shop"
    assert len(desk.run("recall", query="redis").memories) == 1
