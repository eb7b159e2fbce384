"""Text that nothing shows any more leaves the store, byte for byte, with the next index run."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from gitmem.clock import DAY
from gitmem.indexing import refresh, worker_pool
from gitmem.store.db import projects
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

WORD = "zanzibarine"


@pytest.fixture
def desk(repo: RepoBuilder) -> Desk:
    repo.commit("Start", {"README.md": "# Shop\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    return made


def on_disk(desk: Desk) -> bytes:
    folder = desk.store.parent
    return b"".join(path.read_bytes() for path in folder.glob("memory.db*"))


def saved(desk: Desk) -> bool:
    return WORD.encode() in on_disk(desk).lower()


def counts(desk: Desk) -> dict[str, int]:
    tables = ("blobs", "chunks", "symbols", "refs", "imports", "chunk_text_docsize")
    with closing(desk.app()) as app:
        return {table: app.store.value(f"SELECT count(*) FROM {table}") for table in tables}


def test_a_deleted_file_is_gone_from_every_byte(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("index")
    before = counts(desk)
    repo.commit("Add", {"gone.py": f"import {WORD}\ndef {WORD}_go():\n    {WORD}()\n"})
    desk.run("index")
    assert saved(desk)
    repo.git("rm", "-q", "gone.py")
    repo.git("commit", "-q", "-m", "Remove")
    with closing(desk.app()) as reader:
        reader.store.value("SELECT count(*) FROM blobs")  # somebody else has it open
        desk.run("index")
        assert not saved(desk)
    assert counts(desk) == before


def test_what_a_file_stated_before_an_edit_is_gone(desk: Desk, repo: RepoBuilder) -> None:
    repo.write({"note.md": f"# Note\n\nThe {WORD} is untracked.\n"})
    desk.run("index")
    assert saved(desk)
    repo.write({"note.md": "# Note\n\nNothing.\n"})
    desk.run("index")
    assert not saved(desk)


def test_a_local_branch_keeps_its_text_until_it_is_deleted(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.branch("side")
    repo.commit("Side", {"src/deep/side.py": f"{WORD} = 1\n"})
    desk.run("index")
    repo.switch("main")
    desk.run("index")
    assert saved(desk)
    repo.switch("side")
    with monkeypatch.context() as patch:
        patch.setattr(worker_pool, "split_batches", None)  # nothing is read again
        assert desk.run("index").added == 1
    repo.switch("main")
    repo.git("branch", "-q", "-D", "side")
    desk.run("index")
    assert not saved(desk)


def test_branches_are_kept_up_to_a_number(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BRANCHES", 1)
    repo.branch("old")
    repo.commit("Old", {"old.py": f"{WORD} = 1\n"})
    desk.run("index")
    repo.switch("main")
    repo.commit("Newer")
    desk.run("index")
    assert not saved(desk)


def test_another_work_tree_keeps_its_text_until_it_is_gone(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "feature")
    linked.git("checkout", "-q", "--detach")
    linked.commit("Detached", {"there.py": f"{WORD} = 1\n"})
    desk.at(linked.path).run("index")
    desk.run("index")
    assert saved(desk)
    shutil.rmtree(linked.path)
    desk.run("index")
    assert not saved(desk)


def test_a_plain_folder_has_no_branches(tmp_path: Path, repo: RepoBuilder) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.txt").write_text(f"{WORD}\n")
    desk = Desk(folder, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", folder=True)
    assert saved(desk)
    (folder / "a.txt").unlink()
    desk.run("index")
    assert not saved(desk)


def test_a_large_index_is_merged_once_a_day(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "MERGED_AT_ONCE", 0)
    merged = []
    for step in (0, 1, DAY):
        desk.clock.advance(step)
        repo.write({"note.md": f"# {WORD}{step}\n"})
        desk.run("index")
        repo.write({"note.md": "# Other\n"})
        desk.run("index")
        with closing(desk.app()) as app:
            merged.append(projects.get_meta(app.store, refresh.MERGED))
    first, second, third = merged
    assert first == second
    assert int(third) - int(second) == DAY + 1
