"""Writers, readers and real commits whose hooks start real drains, all at once (S-06)."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from gitmem.githooks import installer
from gitmem.spool import event_log, lease
from gitmem.store.code import commits
from gitmem.store.db import seals
from gitmem.store.file import integrity
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.apps import Desk
from tests.support.cli import environment
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store
from tests.support.waiting import wait_until

pytestmark = children.needs_fork
WRITERS = 8


@pytest.fixture
def desk(repo: RepoBuilder) -> Desk:
    """Set up and indexed; the hooks start this interpreter's gitmem."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    app = made.app()
    command = [sys.executable, "-P", "-m", "gitmem"]
    installer.install_hooks(app.layout, command, token=seals.derive_log_line_token(app.signing_key))
    app.close()
    return made


def write(desk: Desk, writer: int, each: int) -> None:
    """Remember one by one, each time as a command of its own."""
    for number in range(each):
        desk.run("remember", text=f"Fact {number} of process {writer}")


def read(desk: Desk, until: Path) -> None:
    """Search and list until the others are done; what is seen only grows."""
    observed = 0
    while not until.exists():
        desk.run("search", query="fact process", mode="keyword")
        total = desk.run("list").total
        assert total >= observed
        observed = total


def commit(repo: RepoBuilder, home: Path, commits_made: int) -> None:
    """Commit as a user does, every hook firing."""
    env = environment(home, GITMEM_MODEL="hashed")
    for number in range(commits_made):
        (repo.path / f"n{number}.py").write_text(f"number_{number} = {number}\n")
        repo.git("add", ".", env=env)
        repo.git("commit", "-q", "-m", f"Commit {number}", env=env)


def settled(desk: Desk) -> bool:
    folder = str(desk.store.parent / "spool")
    return not lease.is_spool_lease_held(folder) and not event_log.count_unread_log_bytes(folder)


def test_writers_readers_and_commits_lose_and_double_nothing(
    desk: Desk, repo: RepoBuilder, tmp_path: Path, score: Score
) -> None:
    each, made = score.size(quick=6, full=100), score.size(quick=8, full=50)
    done = tmp_path / "done"
    readers = [children.start(lambda: read(desk, done)) for _ in range(2)]
    writers = [children.start(lambda w=number: write(desk, w, each)) for number in range(WRITERS)]
    commit(repo, desk.home, made)
    # A process that met "locked" would end with another status than this.
    assert [children.finish(pid) for pid in writers] == [children.DONE] * WRITERS
    done.touch()
    assert [children.finish(pid) for pid in readers] == [children.DONE] * 2
    wait_until(lambda: settled(desk))
    desk.run("drain")  # whatever a hook noted after the last drain had looked
    database = open_store(str(desk.store))
    texts = Counter(text for (text,) in database.rows("SELECT content FROM memories"))
    assert texts == Counter(f"Fact {n} of process {w}" for w in range(WRITERS) for n in range(each))
    assert commits.indexed_commit_ids(database) == set(repo.git("rev-list", "HEAD").split())
    shown = database.value("SELECT count(*) FROM paths WHERE path LIKE 'n%.py'")
    assert shown == made
    assert integrity.structure_problems(database) == integrity.index_problems(database) == []
    database.close()
    assert not list(desk.home.rglob("errors.log"))
    wal = f"{desk.store}-wal"
    assert not os.path.exists(wal) or os.path.getsize(wal) < 64 << 20
    score.report(
        "writes beside commits", cases=WRITERS * each, fired=WRITERS * each, commits_with_hooks=made
    )
