"""`gitmem doctor` on index and hooks: what it finds, what --fix does (tests of the store: care)."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import apsw
import pytest

from gitmem.errors import Unavailable
from gitmem.githooks import hook_status, hooks_dir, installer
from gitmem.operations.internal import drain as drain_operation
from gitmem.operations.registry import EmptyRequest
from tests.githooks import older
from tests.githooks.conftest import Site
from tests.support.apps import Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """Set up and indexed, without hooks; the model is the cheap one."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    ready(made, no_hooks=True)
    return made


def report(desk: Desk, check: str, **values: object) -> list[tuple[str, str]]:
    """State and message of the findings of one check."""
    found = desk.run("doctor", **values).findings
    return [(item.state, item.message) for item in found if item.check == check]


def state(desk: Desk, check: str) -> str:
    return report(desk, check)[0][0]


def damage(desk: Desk, statement: str) -> None:
    """Change the store as no command does."""
    database = open_store(str(desk.store))
    database.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    with database.write():
        database.run(statement)
    database.close()


def test_backups_that_are_all_damaged_are_a_problem_and_one_of_two_is_not(desk: Desk) -> None:
    first = desk.run("backup").written
    desk.clock.advance(60_000)
    whole = Path(desk.run("backup").written).read_bytes()
    Path(first).write_bytes(whole[: len(whole) // 2])
    (found,) = report(desk, "backups")
    assert found[0] == "note" and os.path.basename(first) in found[1]
    for path in desk.run("backup", list=True).backups:
        Path(path.path).write_bytes(whole[: len(whole) // 2])
    assert state(desk, "backups") == "problem"


@pytest.mark.parametrize("copied", [True, False])
def test_beside_a_store_that_git_tracks_nothing_is_advised_that_refuses(
    desk: Desk, repo: RepoBuilder, copied: bool
) -> None:
    """One sentence says what to do first; a copy that is there is good to know of."""
    desk.env["GITMEM_COPY_MODE"] = "plain" if copied else "off"
    if copied:
        desk.run("backup")
    for missing in (False, True):
        repo.git("add", "--force", ".gitmem/memory.db")
        if missing:
            desk.store.unlink()
        found = [finding for finding in desk.run("doctor").findings if finding.state != "ok"]
        assert [item.check for item in found] == ["repository"]
        assert "git rm -r --cached .gitmem" in found[0].hint
        assert (report(desk, "copies") != []) is copied or missing
        assert "gitmem init" not in desk.text("doctor")


def test_where_sqlite_vec_is_missing_one_sentence_says_what_works_without(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC-18: as on musl. It is a note: nothing is broken, and no extra is there to be chosen."""
    package = tmp_path / "sqlite_vec"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    ((found, message),) = report(desk, "sqlite-vec")
    assert found == "note"
    assert message == (
        "sqlite-vec is not installed: search and recall compare vectors in Python, with the same "
        "results in about twice the time"
    )


# --- settings that changed since -------------------------------------------------------------


def test_an_index_made_with_the_settings_of_now_has_no_drift(desk: Desk) -> None:
    assert state(desk, "drift") == "ok"
    assert desk.run("doctor").failed == 0


def test_a_fork_is_reported_with_what_makes_it_one_with_its_original(
    desk: Desk, repo: RepoBuilder
) -> None:
    """CT-9."""
    assert "fork" not in report(desk, "repository")[0][1]
    repo.git("remote", "add", "upstream", "https://github.com/origin/shop")
    assert "a fork of github.com/origin/shop" in report(desk, "repository")[0][1]
    repo.git("config", "gitmem.remote", "upstream")
    assert "fork" not in report(desk, "repository")[0][1]


def test_other_sizes_of_notes_are_reported_and_mended_by_an_ordinary_run(desk: Desk) -> None:
    answer = desk.run("config", key="index.words", value="100")
    assert "next `gitmem index`" in answer.effect
    assert answer.effect in desk.text("config", key="index.words", value="100")
    ((found, message),) = report(desk, "drift")
    assert found == "note"
    assert message == "index.words/index.overlap: 1 note was split at 500/50, now 100/50"
    desk.run("index")
    assert state(desk, "drift") == "ok"
    desk.run("config", key="index.overlap", value="10")
    assert report(desk, "index run", fix=True)[0][0] == "fixed"
    assert state(desk, "drift") == "ok"


def test_another_model_is_reported_and_mended(desk: Desk) -> None:
    desk.env["GITMEM_MODEL"] = "builtin"
    assert "model: the index was built with hashed" in report(desk, "drift")[0][1]
    assert state(desk, "vectors") == "problem"
    assert "5 vectors" in report(desk, "index run", fix=True)[0][1]
    assert state(desk, "drift") == "ok"
    assert state(desk, "vectors") == "note"  # those of the old model are still there


def test_more_or_fewer_commits_are_reported(desk: Desk) -> None:
    desk.env["GITMEM_INDEX_COMMITS"] = "1"
    assert "the history was read with 50000, now 1" in report(desk, "drift")[0][1]
    desk.run("index")
    assert "3 commits indexed, 1 wanted" in report(desk, "drift")[0][1]
    desk.run("index", full=True)
    assert state(desk, "drift") == "ok"
    desk.env["GITMEM_INDEX_COMMITS"] = "100"
    assert "now 100" in report(desk, "drift")[0][1]
    assert "2 of 3 commits" in report(desk, "commits")[0][1]
    desk.run("doctor", fix=True)
    assert state(desk, "drift") == state(desk, "commits") == "ok"


def test_a_setting_that_no_index_hangs_on_says_nothing_of_it(desk: Desk) -> None:
    assert desk.run("config", key="recall.limit", value="5").effect == ""
    assert desk.run("config", key="index.words").effect == ""


# --- completeness ------------------------------------------------------------------------------


def test_files_that_are_missing_or_gone_are_counted_and_mended(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.write({"new.py": "n = 1\n"})
    (repo.path / "README.md").unlink()
    assert report(desk, "files") == [("note", "1 file is in the index; missing: 1, gone: 1")]
    assert report(desk, "index run", fix=True)[0][1].startswith("1 file added, 1 dropped")
    assert report(desk, "files") == [("ok", "2 files are in the index; missing: 0, left out: 0")]


def test_the_size_is_compared_with_the_soft_limits(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ML-11, ML-12: files, lines, decisions, and files over 100 KB."""
    repo.write({"big.py": "x = 1\n" * 20_000, "small.py": "x = 1\n" * 16_000})
    desk.run("index")
    for title in ("Keep Redis", "Keep SQLite"):
        desk.run("decide", title=title)
    ((found, message),) = report(desk, "size")
    assert found == "ok" and message.startswith("4 files, 36,00")
    assert message.endswith(" lines, 2 decisions; 1 file over 100 KB (big.py)")
    limits = {"files": 3, "lines": 1_000_000, "decisions": 1}
    monkeypatch.setattr("gitmem.doctor.index_checks.SOFT_LIMITS", limits)
    ((found, message),) = report(desk, "size")
    assert found == "note" and message.endswith(": more than 3 files and 1 decisions")
    assert desk.run("search", query="x", path="big.py").hits  # nothing is left out


def test_a_stale_index_is_brought_up_to_date(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("Next", {"n.py": "n = 1\n"})
    assert state(desk, "search") == "note"
    assert desk.run("doctor", fix=True).failed == 0
    assert state(desk, "search") == "ok"


def test_rows_that_somebody_deleted_are_missed_and_made_again(desk: Desk) -> None:
    damage(desk, "DELETE FROM commits WHERE subject = 'Start'")
    damage(desk, "DELETE FROM vectors")
    damage(desk, "DELETE FROM paths WHERE path = 'README.md'")
    assert "1 of 3 commits" in report(desk, "commits")[0][1]
    assert "missing: 1" in report(desk, "files")[0][1]
    assert desk.run("doctor").failed == 1  # texts without vectors in a whole index
    assert desk.run("doctor", fix=True).failed == 0
    assert {state(desk, name) for name in ("commits", "files", "vectors")} == {"ok"}


def test_vectors_that_another_program_deleted_are_made_over_what_it_left(desk: Desk) -> None:
    """CF-36: without foreign keys, as SQLite has it by default, their bits stay behind."""
    database = apsw.Connection(str(desk.store))
    database.execute("DELETE FROM vectors")
    assert next(database.execute("SELECT count(*) FROM vector_bits"))[0] > 0
    database.close()
    assert state(desk, "vectors") == "problem"
    assert "a row of vector_bits references a missing row" in report(desk, "index")[0][1]
    assert state(desk, "structure") == "ok"  # what is mended by --fix is no case for recover
    desk.run("doctor", fix=True)
    assert desk.run("doctor").failed == 0


def test_without_an_index_one_note_says_so_and_nothing_is_made(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True, no_index=True)
    assert report(desk, "search", fix=True) == [("note", "this worktree is not indexed yet")]


@pytest.mark.parametrize("table", ["memory_text", "chunk_text", "commit_text"])
def test_a_damaged_full_text_index_is_made_again(desk: Desk, table: str) -> None:
    desk.run("remember", text="Redis listens on 6380")
    damage(desk, f"UPDATE {table}_data SET block = zeroblob(9) WHERE id > 10")
    before = state(desk, "index")
    desk.run("doctor", fix=True)
    assert before == "problem"
    assert state(desk, "index") == "ok"
    assert desk.run("doctor").failed == 0
    assert desk.run("recall", query="redis").memories
    assert desk.run("search", query="cart", mode="keyword").hits


# --- hooks --------------------------------------------------------------------------------------


@pytest.fixture
def hooked(desk: Desk) -> Desk:
    desk.run("hooks install")
    return desk


def test_every_hook_fires_and_the_program_answers(hooked: Desk) -> None:
    for event in ("post-commit", "post-merge", "post-checkout", "post-rewrite"):
        assert report(hooked, event) == [("ok", "fires")]
    ((found, message),) = report(hooked, "hooks")
    assert found == "ok"
    assert hook_status.gitmem_start_command()[0] in message


def test_a_hook_that_lost_its_right_to_run_is_a_problem(hooked: Desk, repo: RepoBuilder) -> None:
    hook = repo.path / ".git" / "hooks" / "post-commit"
    if not hook.exists():
        pytest.skip("this git has its hooks in the configuration")
    hook.chmod(0o644)
    ((found, message),) = report(hooked, "post-commit")
    assert found == "problem"
    assert "not executable" in message
    assert hooked.run("doctor").failed == 1


@pytest.mark.parametrize("on_path", [False, True])
def test_an_interpreter_that_is_gone_is_reported(desk: Desk, tmp_path: Path, on_path: bool) -> None:
    app = desk.app()
    installer.install_hooks(app.layout, ["/nonexistent/python", "-m", "gitmem"])
    app.close()
    program = tmp_path / "bin" / "gitmem"
    program.parent.mkdir()
    (program.parent / "git").symlink_to(str(shutil.which("git")))
    desk.env["PATH"] = str(program.parent)
    if on_path:
        program.write_text("#!/bin/sh\necho gitmem 0.0.1\n")
        program.chmod(0o755)
    ((found, message),) = report(desk, "hooks")
    assert "/nonexistent/python cannot be started" in message
    assert found == ("note" if on_path else "problem")


def test_a_script_that_somebody_changed_is_reported_and_mended(
    hooked: Desk, repo: RepoBuilder
) -> None:
    script = repo.path / ".git" / "gitmem" / "hook.sh"
    whole = script.read_bytes()
    script.write_bytes(whole + b"true\n")
    ((found, message),) = report(hooked, "post-commit")
    assert found == "note"
    assert f"{script} is not what this gitmem writes" in message
    script.unlink()
    ((found, message),) = report(hooked, "post-commit")
    assert found == "problem"
    assert str(script) in message
    assert hooked.run("doctor", fix=True).failed == 0
    assert script.read_bytes() == whole


def test_hooks_of_an_older_gitmem_are_renewed(desk: Desk, repo: RepoBuilder) -> None:
    app = desk.app()
    if hooks_dir.read_git_version(app.layout) >= hooks_dir.CONFIG_HOOKS:
        pytest.skip("this git has its hooks in the configuration")
    (repo.path / ".git" / "hooks").mkdir(exist_ok=True)
    older.install(Site(repo, tuple(hook_status.gitmem_start_command())))
    assert report(desk, "post-merge") == [("note", "runs, but in an outdated form")]
    assert desk.run("doctor", fix=True).failed == 0
    assert report(desk, "post-merge") == [("ok", "fires")]
    assert b"hook.sh" in (repo.path / ".git" / "hooks" / "post-merge").read_bytes()
    app.close()


def test_hooks_that_nobody_wanted_are_not_installed(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("doctor", fix=True)
    assert not (repo.path / ".git" / "gitmem").exists()
    assert state(desk, "hooks") == "note"


def test_switches_that_turn_the_hooks_off_are_reported(hooked: Desk) -> None:
    hooked.env["GITMEM_HOOKS"] = "0"
    hooked.env["GITMEM_HOOKS_ENABLED"] = "0"
    messages = [message for found, message in report(hooked, "hooks") if found == "note"]
    assert len(messages) == 2
    assert report(hooked, "post-commit") == [("ok", "fires")]


def test_hooks_that_nobody_wanted_are_only_a_note(desk: Desk) -> None:
    assert state(desk, "hooks") == "note"
    assert desk.run("doctor").failed == 0


def test_a_folder_of_the_work_tree_is_only_a_note_with_the_line_to_add(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.git("config", "core.hooksPath", ".husky")
    app = desk.app()
    if hooks_dir.read_git_version(app.layout) >= hooks_dir.CONFIG_HOOKS:
        pytest.skip("this git has its hooks in the configuration")
    installer.install_hooks(app.layout, ["/usr/bin/env"], known_git_version=(2, 39))
    app.close()
    answer = desk.run("doctor")
    found = {finding.check: finding for finding in answer.findings}["post-commit"]
    assert found.state == "note"
    assert found.hint.startswith("add: ")
    assert answer.failed == 0


def test_firing_leaves_nothing_to_be_read(hooked: Desk) -> None:
    hooked.run("doctor")
    app = hooked.app()
    assert drain_operation.process_recorded_events(app, EmptyRequest()).events == 0
    app.close()


@pytest.mark.parametrize(
    ("call", "place", "check"),
    [
        ("listdir", ".git", "repository"),
        ("lstat", ".gitmem/memory.db", "repository"),
        ("lstat", ".git/gitmem/hook.sh", "hooks"),
    ],
)
def test_a_disk_that_answers_no_more_is_one_more_finding(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, call: str, place: str, check: str
) -> None:
    failing, answers = str(desk.place / place), getattr(os, call)

    def answer(path: object, *more: object, **named: object) -> object:
        if str(path).rstrip("/") == failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO), failing)
        return answers(path, *more, **named)

    desk.run("hooks install")
    monkeypatch.setattr(os, call, answer)
    findings = desk.run("doctor").findings
    failed = next(finding for finding in findings if "Input/output error" in finding.message)
    assert (failed.check, failed.state) == (check, "problem")
    assert failing in failed.message
    assert findings[-1].check == "global store"  # all other checks were made
    if check == "repository":
        with pytest.raises(Unavailable, match="Input/output error"):
            desk.run("recall", query="till")
