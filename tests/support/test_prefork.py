"""A command that is forked is as one that is started: what it says, where it runs, how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from gitmem.store.db.connection import Database
from tests.support import prefork
from tests.support.apps import Desk
from tests.support.cli import environment, run
from tests.support.stores import open_store
from tests.support.waiting import wait_until

QUESTIONS = (("status", "--json"), ("list",), ("nothing",), ("show", "ZZZZ", "--json"), ())


def test_it_answers_as_one_that_is_started(desk: Desk) -> None:
    env = environment(desk.home, GITMEM_TIMEZONE="UTC")
    for words in QUESTIONS:
        forked = run(words, desk.place, env)
        started = run(words, desk.place, env, prefix=("env",))
        for output in ("returncode", "stdout", "stderr"):
            assert getattr(forked, output) == getattr(started, output), words


def test_environment_folder_and_input_are_its_own(desk: Desk) -> None:
    env = environment(desk.home, GITMEM_STORE_PATH=str(desk.home / "elsewhere.db"))
    src = desk.place / "src"
    for words in (("init", "--no-hooks", "--no-index"), ("remember", "-")):
        done = run(words, src, env, b"Said on the input\n")
        assert done.returncode == 0, done
    assert desk.run("list").memories == ()
    assert run(("export", "out.jsonl"), src, env).returncode == 0
    assert b"Said on the input" in (src / "out.jsonl").read_bytes()


def test_a_signal_ends_it_and_is_its_status(desk: Desk) -> None:
    process = prefork.start(("mcp",), desk.place, environment(desk.home))
    assert isinstance(process, prefork.Forked)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL == process.poll()
    process.communicate()


def test_where_python_itself_gets_an_option_it_is_started(desk: Desk) -> None:
    for name, value in (("PYTHONIOENCODING", "latin-1"), ("LC_ALL", "C"), ("TZ", "Asia/Tokyo")):
        env = environment(desk.home, **{name: value})
        process = prefork.start(("--version",), desk.place, env)
        assert isinstance(process, subprocess.Popen), name
        out, err = process.communicate(b"", 60)
        assert out.startswith(b"gitmem ") and not err


def test_what_a_command_leaves_behind_goes_on_though_nobody_waits(desk: Desk) -> None:
    env = environment(desk.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
    database = open_store(str(desk.store))
    before = blob(database)
    (desk.place / "src/cart/cart.py").write_text("x = 333\n")
    payload = '{"path": "src/cart/cart.py"}'
    assert run(("event", "file_opened", "--payload", payload), desk.place, env).returncode == 0
    wait_until(lambda: blob(database) != before)
    database.close()


def test_the_python_that_it_writes_down_starts_gitmem_forked_and_all_else_as_ever(
    desk: Desk,
) -> None:
    env = environment(desk.home, GITMEM_TIMEZONE="UTC")
    assert run(("hooks", "install"), desk.place, env).returncode == 0
    forks = prefork.parent(os.getpid(), prefork.read_at_start(env), False)
    python = Path(forks.address).with_name("python")
    assert f"'{python}' '-P' '-m' 'gitmem'" in (desk.place / ".git/gitmem/hook.sh").read_text()

    def started(*words: str, **more: str) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            [python, *words], cwd=desk.place, env=env | more, capture_output=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    for words in (("list",), ("show", "ZZZZ", "--json")):
        result = run(words, desk.place, env)
        assert started("-P", "-m", "gitmem", *words) == (
            result.returncode,
            result.stdout,
            result.stderr,
        )
    status, version, _ = started("-P", "-m", "gitmem", "--version", TZ="Asia/Tokyo")
    assert (status, version[:7]) == (0, b"gitmem ")
    code = "import sys; print(sys.argv[1:]); sys.exit(3)"
    assert started("-c", code, "a b", "'") == (3, b"['a b', \"'\"]\n", b"")


def blob(database: Database) -> object:
    """What is indexed of a file, by its hash."""
    return database.value("SELECT blob FROM paths WHERE path = 'src/cart/cart.py'")
