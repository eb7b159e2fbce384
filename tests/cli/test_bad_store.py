"""Stores that cannot be used: read-only, full, locked, damaged, newer, foreign, tracked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import apsw
import pytest

from tests.support.apps import Desk, small_repo
from tests.support.cli import Done, Program, command, environment

STRANGER = 54_321
READS = (("orient",), ("status",), ("recall", "redis"), ("list",), ("timeline",), ("export",))
WRITES = (
    ("remember", "another"),
    ("decide", "another"),
    ("session", "start"),
    ("session", "note", "x"),
    ("forget", "0"),
)


@cache
def unprivileged() -> tuple[str, ...]:
    """Words that start a program as a user without rights; skips where there is no way."""
    if os.geteuid() != 0:
        return ()
    if not shutil.which("setpriv"):
        pytest.skip("root may write everything, and there is no setpriv to become another user")
    words = ("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups")
    # All that a command loads: an interpreter in a private folder could start and then fail.
    probe = [sys.executable, "-P", "-c", "import apsw, click, dulwich, numpy, gitmem.cli.main"]
    tried = subprocess.run(
        [*words, *probe], env=environment(Path("/tmp")), cwd="/", check=False, capture_output=True
    )
    if tried.returncode:
        pytest.skip("another user cannot read this checkout or its Python")
    return words


# Commands in one process, as a start is most of what each costs: what they said and their status.
ONE_AFTER_ANOTHER = """
import io, json, sys
from gitmem.cli.main import main
done = []
for words in json.load(sys.stdin):
    told = sys.stdout, sys.stderr = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in "12"]
    status = main(words)
    for one in told: one.flush()
    done.append((words, status, *(one.buffer.getvalue().decode() for one in told)))
json.dump(done, sys.__stdout__)
"""


def several(program: Program, prefix: tuple[str, ...], *commands: tuple[str, ...]) -> list[Done]:
    """What commands say to a user without rights, one after another."""
    ended = subprocess.run(
        [*prefix, sys.executable, "-P", "-c", ONE_AFTER_ANOTHER],
        cwd=program.cwd,
        env=program.env,
        input=json.dumps(commands).encode(),
        capture_output=True,
        check=True,
    )
    done = [Done(*load) for load in json.loads(ended.stdout)]
    assert not any("Traceback" in item.out + item.err for item in done), done
    return done


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder that other users can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="gitmem-test-"))
    folder.chmod(0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=True)
    shutil.rmtree(folder)


def give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


def store_bytes(desk: Desk) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in desk.store.parent.iterdir() if path.is_file()}


def test_a_read_only_folder_is_read_and_every_write_is_one_sentence(open_folder: Path) -> None:
    """P7."""
    prefix = unprivileged()
    repo = small_repo(open_folder)
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    desk.run("remember", text="Redis is on 6380")
    give_away(open_folder)
    desk.store.chmod(0o400)
    desk.store.parent.chmod(0o500)
    before = store_bytes(desk)
    program = Program(desk.home, desk.place)
    for done in several(program, prefix, *READS):
        assert done.status == 0 and ("6380" in done.out or done.words[0] in ("status", "timeline"))
    for done in several(program, prefix, *((*words, "--json") for words in WRITES)):
        assert (done.status, done.out, done.error["code"]) == (7, "", "read_only"), done
        assert done.error["hint"]
        assert ".gitmem" in done.err
    error = program.refused(
        7, "read_only", *WRITES[0], prefix=prefix
    )  # from nothing, as it is used
    assert ".gitmem" in error.err
    checked, changed = several(program, prefix, ("doctor",), ("config", "recall.limit", "5"))
    assert checked.status == 0 and checked.out
    assert changed.status == 0, "settings lie elsewhere"
    assert store_bytes(desk) == before


def test_a_repository_that_cannot_be_written_gets_no_store(open_folder: Path) -> None:
    prefix = unprivileged()
    repo = small_repo(open_folder)
    give_away(open_folder)
    repo.path.chmod(0o500)
    program = Program(repo.home, repo.path)
    program.refused(7, "read_only", "init", prefix=prefix)
    assert "gitmem init" in program("orient", prefix=prefix).out
    assert not (repo.path / ".gitmem").exists()


def test_without_any_home_all_but_global_memories_works_with_a_key(open_folder: Path) -> None:
    prefix = unprivileged()
    if not prefix:
        pytest.skip("the present user has a home folder in the system's list of users")
    repo = small_repo(open_folder)
    give_away(open_folder)
    program = Program(repo.home, repo.path)
    program.env = {"PATH": program.env["PATH"], "PYTHONPATH": program.env["PYTHONPATH"]}
    refused = program("init", "--json", prefix=prefix, status=7)
    assert "GITMEM_STORE_KEY" in refused.error["hint"]
    program.env["GITMEM_STORE_KEY"] = "ab" * 32
    assert "no home folder" in program("init", prefix=prefix).out
    saved, *found = several(
        program, prefix, ("remember", "Redis is on 6380"), ("orient",), ("recall", "redis")
    )
    assert saved.status == 0 and all("6380" in item.out for item in found)
    refused = several(
        program,
        prefix,
        ("remember", "x", "--scope", "global", "--json"),
        ("config", "recall.limit", "5", "--user", "--json"),
    )
    for item in refused:
        assert (item.status, item.out, item.error["code"]) == (7, "", "unavailable"), item
        assert item.error["hint"]


def test_a_file_that_may_not_be_read_is_named(open_folder: Path) -> None:
    prefix = unprivileged()
    repo = small_repo(open_folder)
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    secret = repo.path / "secret.jsonl"
    secret.write_text("{}")
    give_away(open_folder)
    secret.chmod(0)
    program = Program(desk.home, desk.place)
    error = program.refused(7, "unavailable", "import", "secret.jsonl", prefix=prefix)
    assert "secret.jsonl" in error.err


def test_another_users_store_is_not_opened(open_folder: Path) -> None:
    prefix = unprivileged()
    if not prefix:
        pytest.skip("only root can make a file of another user")
    repo = small_repo(open_folder)
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    give_away(open_folder)
    desk.store.chmod(0o644)
    os.chown(desk.store, 0, 0)
    program = Program(desk.home, desk.place)
    program.refused(8, "not_ours", "list", prefix=prefix)


def test_a_full_disk_stores_nothing_and_breaks_nothing(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    blocks = desk.store.stat().st_size // 1024 + 40
    prefix = ("bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash")
    program = Program(
        desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    lines = "\n".join('{"content": "%s"}' % (f"{n} " + "word " * 4000) for n in range(40))
    result = program("remember", "-", "--json", status=7, stdin=lines.encode(), prefix=prefix)
    assert result.error["code"] in ("disk_full", "unavailable")
    assert result.error["hint"]
    program("export", "big.jsonl", status=0)
    assert [memory.content for memory in desk.run("list").memories] == ["Redis is on 6380"]
    assert desk.run("doctor").failed == 0
    tight = ("bash", "-c", 'ulimit -f 1; exec "$@"', "bash")
    program("backup", status=7, prefix=tight)
    assert not list(desk.store.parent.glob("backups/*"))
    desk.run("remember", text="after the disk was cleaned")


def test_an_init_on_a_full_disk_leaves_no_half_store(bare_desk: Desk) -> None:
    program = Program(bare_desk.home, bare_desk.place)
    tight = ("bash", "-c", 'ulimit -f 8; exec "$@"', "bash")
    program("init", status=7, prefix=tight)
    assert not bare_desk.store.exists()
    assert program("init").out.startswith("Set up")


def test_an_export_that_fails_half_way_leaves_no_file(desk: Desk) -> None:
    desk.run("remember", text="word " * 4000)
    program = Program(
        desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    tight = ("bash", "-c", 'ulimit -f 8; exec "$@"', "bash")
    program("export", "out.jsonl", status=7, prefix=tight)
    assert not list(desk.place.glob("*out.jsonl*"))


def test_a_locked_store_lets_readers_through_and_writers_wait_or_give_up(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    program = Program(
        desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    holder = apsw.Connection(str(desk.store))
    holder.execute("BEGIN IMMEDIATE")
    refused: list[object] = []
    writer = threading.Thread(
        target=lambda: refused.append(program("remember", "too late", "--json", status=7))
    )
    writer.start()
    for words in READS:
        start = time.monotonic()
        program(*words)
        assert time.monotonic() - start < 5, words
    writer.join()
    error = refused[0].error  # type: ignore[attr-defined]
    assert error["code"] == "busy"
    assert "again" in error["hint"]
    release = threading.Timer(1.0, lambda: None)
    waiting = subprocess.Popen(
        command("remember", "in time"), cwd=program.cwd, env=program.env, stdout=subprocess.DEVNULL
    )
    release.start()
    release.join()
    holder.execute("ROLLBACK")
    holder.close()
    assert waiting.wait(timeout=20) == 0
    assert {memory.content for memory in desk.run("list").memories} == {
        "Redis is on 6380",
        "in time",
    }


def spoil(desk: Desk, how: str) -> tuple[int, str]:
    """Make the store unusable in one way; the status and code every command must end with."""
    path = desk.store
    data = bytearray(path.read_bytes())
    if how == "garbage":
        data[:] = b"garbage" * 2000
    elif how == "empty":
        data.clear()
    elif how == "page":
        data[4096 : 4096 * 3] = b"\xff" * (4096 * 2)
    elif how == "newer":
        data[60:64] = (99_000).to_bytes(4, "big")
    elif how == "foreign":
        path.unlink()
        other = apsw.Connection(str(path))
        other.execute("CREATE TABLE theirs (x); INSERT INTO theirs VALUES ('precious')")
        other.close()
        path.chmod(0o600)
        return 8, "not_ours"
    elif how == "link":
        path.rename(path.with_name("real.db"))
        path.symlink_to("real.db")
        return 8, "not_ours"
    path.write_bytes(data)
    return 9, "too_new" if how == "newer" else "damaged"


@pytest.mark.parametrize("how", ["garbage", "empty", "newer", "foreign", "link"])
def test_a_store_that_is_not_right_is_refused_and_left_as_it_is(desk: Desk, how: str) -> None:
    """P6."""
    desk.run("remember", text="Redis is on 6380")
    status, code = spoil(desk, how)
    before = store_bytes(desk)
    program = Program(
        desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    for words in (("orient",), ("recall", "redis"), ("remember", "x"), ("init",)):
        program.refused(status, code, *words)
    for words in (("list",), ("status",), ("session", "start"), ("backup",), ("stats",)):
        program(*words, status=status)
    done = program("doctor", status=1)
    assert "problem" in done.out
    assert store_bytes(desk) == before


def test_a_store_with_broken_pages_is_reported_and_never_a_crash(desk: Desk) -> None:
    for number in range(50):
        desk.run("remember", text=f"fact {number} " + "word " * 50)
    spoil(desk, "page")
    program = Program(
        desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    for words in (("orient",), ("recall", "fact"), ("list",), ("remember", "x"), ("export",)):
        assert program(*words, status=None).status in (0, 9), words
    assert program("doctor", status=1).out


def test_a_store_that_git_tracks_is_refused(desk: Desk) -> None:
    program = Program(
        desk.home, desk.place, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    subprocess.run(
        ["git", "add", "-f", ".gitmem/memory.db"], cwd=desk.place, env=desk.env, check=True
    )
    before = store_bytes(desk)
    for words in (("orient",), ("recall", "x"), ("remember", "x"), ("init",), ("list",)):
        error = program.refused(8, "not_ours", *words)
        assert "git rm" in error.err
    assert store_bytes(desk) == before
