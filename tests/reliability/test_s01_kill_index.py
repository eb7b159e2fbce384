"""Killed while it indexes and drains: what is left ends as if nothing had happened (S-01).

``test_s01_kill`` does the same to memories. Here each generation makes files, commits and branch
switches with the hooks in place; a child then drains, indexes and remembers until it is killed.
"""

from __future__ import annotations

import os
import random
import select
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from gitmem.background import follow
from gitmem.githooks import installer
from gitmem.store.db import seals
from gitmem.store.file import integrity
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

pytestmark = children.needs_fork
NOBODY = ("/nonexistent/gitmem-for-tests",)


@pytest.fixture
def desk(repo: RepoBuilder) -> Desk:
    """Set up; the hooks note, and start nothing but the test's own children."""
    made = Desk(
        repo.path,
        repo.home,
        GITMEM_MODEL="hashed",
        GITMEM_BACKUP_INTERVAL_HOURS="0",
        GITMEM_COPY_MODE="off",
    )
    made.run("init", no_index=True, no_hooks=True)
    app = made.app()
    installer.install_hooks(app.layout, NOBODY, token=seals.derive_log_line_token(app.signing_key))
    app.close()
    repo.git("branch", "side")
    return made


def change(repo: RepoBuilder, generation: int) -> None:
    """Files and a commit, and a switch to the other branch."""
    repo.switch("side" if generation % 2 else "main")
    names = [f"src/{generation}_{number}.py" for number in range(12)]
    repo.commit(f"Change {generation}", {name: f"def {name[4:-3]}_(): ...\n" for name in names})


def work(desk: Desk, generation: int, output: int) -> None:
    """Drain, index and remember for ever; each memory is told when it is kept."""
    follow.COALESCE_SECONDS = 0.0
    for number in range(1_000_000):
        desk.run("drain")
        desk.run("index", full=(generation + number) % 5 == 0)
        saved = desk.run("remember", text=f"Fact {generation}.{number} of {os.getpid()}").id
        os.write(output, f"{saved}\n".encode())


def killed(desk: Desk, generation: int, rng: random.Random) -> list[str]:
    """The memories that a child had told of when it was killed, most often half-way."""
    reading, output = os.pipe()
    pid = children.start(lambda: work(desk, generation, output))
    os.close(output)
    if generation % 4 == 0:
        select.select([reading], [], [], 30)  # the first round is whole
    time.sleep(rng.random() * 0.15)
    os.kill(pid, signal.SIGKILL)
    heard = b""
    while chunk := os.read(reading, 65536):
        heard += chunk
    os.close(reading)
    assert children.finish(pid) == -signal.SIGKILL
    return heard.decode().split()


def indexed(desk: Desk) -> dict[str, list[tuple[Any, ...]]]:
    database = open_store(str(desk.store))
    found = {
        "pieces": database.rows(
            "SELECT p.path, c.start_line, c.text FROM paths p "
            "JOIN chunks c ON c.blob = p.blob ORDER BY 1, 2"
        ),
        "state": database.rows("SELECT head, state FROM trees"),
    }
    database.close()
    return found


def test_kills_in_index_and_drain_lose_nothing_and_double_nothing(
    desk: Desk, repo: RepoBuilder, score: Score
) -> None:
    kills = score.size(quick=8, full=150)
    rng = random.Random(1)
    saved: list[str] = []
    for generation in range(kills):
        change(repo, generation + 1)
        saved += killed(desk, generation, rng)
        database = open_store(str(desk.store))
        assert integrity.structure_problems(database) == []
        database.close()
    before = time.monotonic()
    desk.run("drain")
    assert time.monotonic() - before < 10  # no lock is left behind
    desk.run("index")
    whole = indexed(desk)
    desk.run("index", full=True)
    assert indexed(desk) == whole  # what is left of so many stops is what one run makes
    # Half of them were said on the other branch.
    known = {memory.id for memory in desk.run("list", limit=10_000, all_branches=True).memories}
    assert set(saved) <= known
    entries = desk.run("timeline", since="2001-01-01", limit=1000).entries
    messages = [entry for entry in entries if entry.type == "checkout"]
    assert len(messages) == kills  # each switch once, whatever was read twice
    assert not list(Path(desk.place, ".gitmem", "spool").glob("events"))
    found = {finding.check: finding.state for finding in desk.run("doctor").findings}
    assert {found[name] for name in ("structure", "index", "files", "commits", "vectors")} == {"ok"}
    assert saved
    score.report("kills while indexing", cases=kills, fired=kills, memories=len(saved))
