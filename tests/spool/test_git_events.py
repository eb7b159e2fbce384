"""What the hooks noted is handed over once, whatever else stands in the file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.spool import git_events
from gitmem.spool.git_events import CheckedOut, Committed, Merged, Rewritten
from tests.githooks.conftest import Site
from tests.support.tables import table

A, B = "a" * 40, "b" * 64
COMMIT = f"gm1 commit 1700000000 refs/heads/main {A}\n".encode()


def events(content: bytes) -> list[git_events.Event]:
    return git_events.parse(content, "f")[0]


def test_each_kind_of_line_becomes_its_event() -> None:
    content = (
        COMMIT
        + (
            f"gm1 merge - refs/heads/x {A} 1\n"
            f"gm1 checkout - - {B} {A} {B} 0\n"
            f"gm1 rewrite - - - rebase {A} {B} {B} {A}\n"
            "gm1 rewrite - - - amend\n"
        ).encode()
    )
    assert [type(e) for e in events(content)] == [
        Committed, Merged, CheckedOut, Rewritten, Rewritten,
    ]  # fmt: skip
    committed, merged, checked, rewritten, amended = events(content)
    assert committed == Committed("f:0", 1_700_000_000, "refs/heads/main", A)
    assert merged == Merged(f"f:{len(COMMIT)}", None, "refs/heads/x", A, True)
    assert isinstance(checked, CheckedOut)
    assert (checked.ref, checked.old, checked.new, checked.branch) == ("", A, B, False)
    assert isinstance(rewritten, Rewritten)
    assert rewritten.pairs == ((A, B), (B, A))
    assert isinstance(amended, Rewritten)
    assert amended.pairs == ()


@table(
    "line",
    [
        b"gm1 commit - - xyz\n",
        b"gm1 commit -\n",
        b"gm2 commit - - -\n",
        b"gm1 dance - - -\n",
        b"gm1 checkout - - - 1 2 3\n",
        f"gm1 rewrite - - - rebase {A}\n".encode(),
        COMMIT[:-3] + b"\0\0\n",
        COMMIT[:-1],
        b"\xff\xfe\n",
    ],
)
def test_a_line_that_makes_no_sense_is_counted_and_skipped(line: bytes) -> None:
    assert git_events.parse(line, "f") == ([], 1)
    assert git_events.parse(COMMIT + line, "f")[0] == events(COMMIT)


def test_a_line_glued_to_half_a_line_is_still_read() -> None:
    assert [e.at for e in events(COMMIT[:20] + COMMIT)] == [1_700_000_000]


@given(st.lists(st.sampled_from([COMMIT, b"\n", b"gm1 ", b"\0" * 9]) | st.binary(max_size=40)))
def test_any_bytes_are_read_and_a_whole_line_after_a_line_end_is_never_lost(
    parts: list[bytes],
) -> None:
    found, _ = git_events.parse(b"\n".join([*parts, COMMIT]), "f")
    assert found[-1].at == 1_700_000_000
    assert len({event.key for event in found}) == len(found)


def take(folder: Path, now: int = 5) -> git_events.Batch:
    return git_events.take(str(folder), now=now, pid=7)


def finish(folder: Path, batch: git_events.Batch) -> None:
    git_events.done(str(folder), batch, now=9)


def test_events_are_handed_over_once(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(COMMIT * 2)
    assert git_events.waiting(str(tmp_path)) == 2 * len(COMMIT)
    batch = take(tmp_path)
    assert len(batch.events) == 2
    finish(tmp_path, batch)
    finish(tmp_path, batch)
    assert take(tmp_path).events == ()
    assert git_events.waiting(str(tmp_path)) == 0


def test_two_takes_in_the_same_millisecond_are_two(tmp_path: Path) -> None:
    batches = []
    for _ in range(3):
        (tmp_path / "events").write_bytes(COMMIT)
        batches.append(take(tmp_path))
        finish(tmp_path, batches[-1])
    assert [len(batch.events) for batch in batches] == [1, 1, 1]
    assert len({batch.events[0].key for batch in batches}) == 3


def test_a_file_that_was_read_is_removed_some_seconds_later(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(COMMIT)
    finish(tmp_path, take(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1
    git_events.done(str(tmp_path), take(tmp_path, now=20_000), now=20_000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("waits", [True, False])
def test_a_spool_is_cleared_only_when_nothing_waits(tmp_path: Path, waits: bool) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    (folder / "drain").write_text("1")
    (folder / "events").write_bytes(COMMIT)
    finish(folder, take(folder))
    if waits:
        (folder / "events").write_bytes(COMMIT)
    git_events.clear(str(folder))
    assert folder.exists() == waits


def test_what_a_dead_drain_left_comes_again_with_the_same_keys(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(COMMIT)
    first = take(tmp_path, now=5)
    (tmp_path / "events").write_bytes(COMMIT)
    again = take(tmp_path, now=6)
    assert again.events[0].key == first.events[0].key
    assert len(again.events) == 2


def test_a_hook_that_writes_late_loses_nothing(tmp_path: Path) -> None:
    late = os.open(tmp_path / "events", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(late, COMMIT)
    batch = take(tmp_path)
    os.write(late, COMMIT)
    os.close(late)
    finish(tmp_path, batch)
    assert git_events.waiting(str(tmp_path)) == len(COMMIT)
    (event,) = take(tmp_path, now=10).events
    assert event.key.endswith(f":{len(COMMIT)}")


def test_an_event_noted_later_than_any_hook_should_take_is_not_removed_unread(
    tmp_path: Path,
) -> None:
    late = os.open(tmp_path / "events", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(late, COMMIT)
    batch = take(tmp_path)
    os.write(late, COMMIT)
    os.close(late)
    git_events.done(str(tmp_path), batch, now=20_000)
    assert git_events.waiting(str(tmp_path)) == len(COMMIT)
    assert len(take(tmp_path, now=20_001).events) == 1


def test_no_spool_holds_nothing(tmp_path: Path) -> None:
    assert take(tmp_path / "nowhere").events == ()
    assert git_events.waiting(str(tmp_path / "nowhere")) == 0


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(COMMIT)
    (tmp_path / "events").symlink_to("secret")
    (tmp_path / "events.1.work").symlink_to("secret")
    os.mkfifo(tmp_path / "events.2.work")
    (tmp_path / "events.3.work").mkdir()
    assert take(tmp_path).events == ()
    assert (tmp_path / "secret").read_bytes() == COMMIT


def test_commits_from_four_work_trees_at_once_are_read_once_each(
    site: Site, tmp_path: Path
) -> None:
    site.install()
    folders = [tmp_path / f"tree{number}" for number in range(4)]
    for folder in folders:
        site.repo.git("worktree", "add", "-q", str(folder))
    site.events()
    loop = "for n in 1 2 3 4 5 6 7 8 9 10; do git commit -q --allow-empty -m $PWD$n || exit 1; done"
    many = [subprocess.Popen(["sh", "-c", loop], cwd=f, env=site.repo.env) for f in folders]
    read: list[git_events.Event] = []
    while any(process.poll() is None for process in many):
        read += site.events()
    read += site.events()
    assert [process.returncode for process in many] == [0] * 4
    ids = [event.commit for event in read if isinstance(event, Committed)]
    made = site.repo.git("rev-list", "--all", "--not", "main").splitlines()
    assert sorted(ids) == sorted(made)
    assert len(ids) == 40
