"""Each line of a git hook becomes its event, whatever else stands in the file."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gitmem.spool import git_events
from gitmem.spool.git_events import (
    CheckoutEvent,
    CommitEvent,
    EditEvent,
    MergeEvent,
    RewriteEvent,
    WorktreeNamedEvent,
)
from tests.githooks.conftest import Site
from tests.support.tables import table

A, B = "a" * 40, "b" * 64
COMMIT = f"gm1 commit 1700000000 refs/heads/main {A}\n".encode()


def events(content: bytes) -> list[git_events.Event]:
    return git_events.parse_git_events(content, "f", "")[0]


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
        CommitEvent, MergeEvent, CheckoutEvent, RewriteEvent, RewriteEvent,
    ]  # fmt: skip
    committed, merged, checked, rewritten, amended = events(content)
    assert committed == CommitEvent("f:0", 1_700_000_000, "refs/heads/main", A)
    assert merged == MergeEvent(f"f:{len(COMMIT)}", None, "refs/heads/x", A, True)
    assert isinstance(checked, CheckoutEvent)
    assert (checked.ref, checked.old_commit, checked.new_commit, checked.is_branch_checkout) == (
        "",
        A,
        B,
        False,
    )
    assert isinstance(rewritten, RewriteEvent)
    assert rewritten.old_new_pairs == ((A, B), (B, A))
    assert isinstance(amended, RewriteEvent)
    assert amended.old_new_pairs == ()


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
    assert git_events.parse_git_events(line, "f", "") == ([], 1)
    assert git_events.parse_git_events(COMMIT + line, "f", "")[0] == events(COMMIT)


def test_an_edit_names_its_file_as_it_is_called(tmp_path: Path) -> None:
    paths = ["src/a b.py", "gr\u00fcn/\udcff.py", "two\nlines.py", "edit - - -"]
    assert git_events.record_edited_files(str(tmp_path), "side tree", paths, "")
    found, skipped = git_events.parse_git_events((tmp_path / "events").read_bytes(), "f", "")
    messages = [(item.worktree, item.path) for item in found if isinstance(item, EditEvent)]
    assert messages == [("side tree", path) for path in paths if "\n" not in path]
    # Of a name that would be read as two events the worktree is all that is told.
    assert [item.worktree for item in found if isinstance(item, WorktreeNamedEvent)] == [
        "side tree"
    ]
    assert skipped == 0


@table("words", ["./../a", "./a/../b", ".//a", "../a", "/a", ".", "a", "./"])
def test_an_edit_outside_of_a_worktree_makes_no_sense(words: str) -> None:
    assert events(f"gm1 edit - - - {words}\n".encode()) == []


def test_a_line_glued_to_half_a_line_is_still_read() -> None:
    assert [e.at_seconds for e in events(COMMIT[:20] + COMMIT)] == [1_700_000_000]


@given(st.lists(st.sampled_from([COMMIT, b"\n", b"gm1 ", b"\0" * 9]) | st.binary(max_size=40)))
def test_any_bytes_are_read_and_a_whole_line_after_a_line_end_is_never_lost(
    parts: list[bytes],
) -> None:
    found, _ = git_events.parse_git_events(b"\n".join([*parts, COMMIT]), "f", "")
    assert found[-1].at_seconds == 1_700_000_000
    assert len({event.key for event in found}) == len(found)


def test_commits_from_four_work_trees_at_once_are_read_once_each(
    site: Site, tmp_path: Path
) -> None:
    site.install()
    folders = [tmp_path / f"tree{number}" for number in range(4)]
    for folder in folders:
        site.repo.git("worktree", "add", "-q", str(folder))
    site.events()
    loop = "for n in 1 2 3 4 5 6; do git commit -q --allow-empty -m $PWD$n || exit 1; done"
    many = [subprocess.Popen(["sh", "-c", loop], cwd=f, env=site.repo.env) for f in folders]
    read: list[git_events.Event] = []
    while any(process.poll() is None for process in many):
        read += site.events()
    read += site.events()
    assert [process.returncode for process in many] == [0] * 4
    ids = [event.commit for event in read if isinstance(event, CommitEvent)]
    made = site.repo.git("rev-list", "--all", "--not", "main").splitlines()
    assert sorted(ids) == sorted(made)
    assert len(ids) == 24
