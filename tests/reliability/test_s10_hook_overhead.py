"""What the hooks add to a commit, against hooks that do nothing (S-10).

In the quick tier a few commits, told and not judged. ``python -m tests.bench.hooks`` shows more.
"""

from __future__ import annotations

import sys
from pathlib import Path

import apsw

from gitmem.git import layout, runner
from gitmem.githooks import installer
from gitmem.spool import git_events, lease
from tests.bench import hooks
from tests.reliability.scoring import Score
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until

DRAIN = [sys.executable, "-P", "-m", "gitmem"]
NOISE = 3.0  # milliseconds by which the middle of twenty commits differs from the next twenty


def spool(repo: RepoBuilder) -> Path:
    return (
        Path(installer.store_folder_path(layout.find_repository(str(repo.path)))) / git_events.SPOOL
    )


def noted(repo: RepoBuilder) -> int:
    """Bytes of what the hook noted and no drain has taken."""
    return sum(path.stat().st_size for path in spool(repo).glob("events*"))


def test_a_commit_with_hooks_takes_hardly_longer(tmp_path: Path, score: Score) -> None:
    pairs = score.size(quick=2, full=100)
    places = {name: hooks.place(tmp_path / name, DRAIN) for name in ("none", "no-op", "ours")}
    try:
        middle, most = hooks.compared(places, pairs, pause=score.size(quick=0, full=2))
        # Nobody set gitmem up there: what the hook noted stays, and shows that it fired.
        fired = pairs if noted(places["ours"]) else 0
        wait_until(lambda: not lease.is_spool_lease_held(str(spool(places["ours"]))))
    finally:
        runner.configure_git_environment({})
    score.report("commits", cases=3 * pairs, fired=fired)
    score.limit("added to a commit, middle, ms", middle, at_most=hooks.P50)
    score.limit("added to a commit, 95 of 100, ms", most, at_most=hooks.P95)


def test_a_locked_or_corrupt_store_costs_a_commit_nothing_more(
    tmp_path: Path, score: Score
) -> None:
    """Against the same hooks beside a store that is sound and that nobody writes."""
    count = score.size(quick=1, full=20)
    places, stores = {}, {}
    for name in ("sound", "locked", "corrupt"):
        places[name] = repo = hooks.place(tmp_path / name / "ours", DRAIN)
        desk = Desk(repo.path, repo.home)
        desk.run("init", no_index=True, no_hooks=True)
        stores[name] = desk.store
    stores["corrupt"].write_bytes(b"\0garbage" * 999)
    held = apsw.Connection(str(stores["locked"]))
    held.execute("BEGIN IMMEDIATE")
    try:
        table = hooks.commits(places, count, pause=score.size(quick=0, full=1))
        # Neither drain can take what the hook noted: it stays until the store can be written.
        fired = sum(count for name in ("locked", "corrupt") if noted(places[name]))
        for repo in places.values():
            wait_until(lambda repo=repo: not lease.is_spool_lease_held(str(spool(repo))))
    finally:
        held.close()
        runner.configure_git_environment({})
    score.report("commits beside such a store", cases=3 * count, fired=fired)
    for name in ("locked", "corrupt"):
        more = table[name][0] - table["sound"][0]
        score.limit(f"more where the store is {name}, middle, ms", more, at_most=NOISE)
