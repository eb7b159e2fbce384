"""What the hooks add to a commit, against hooks that do nothing (S-10).

In the quick tier a few commits, told and not judged. ``python -m tests.bench.hooks`` shows more.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gitmem.git import layout, runner
from gitmem.githooks import installer
from gitmem.spool import git_events, lease
from tests.bench import hooks
from tests.reliability.scoring import Score
from tests.support.waiting import wait_until


def test_a_commit_with_hooks_takes_hardly_longer(tmp_path: Path, score: Score) -> None:
    pairs = score.size(quick=2, full=100)
    drain = [sys.executable, "-P", "-m", "gitmem"]
    places = {name: hooks.place(tmp_path / name, drain) for name in ("none", "no-op", "ours")}
    try:
        middle, most = hooks.compared(places, pairs, pause=score.size(quick=0, full=2))
        spool = Path(installer.store_folder(layout.find(str(tmp_path / "ours")))) / git_events.SPOOL
        # Nobody set gitmem up there: what the hook noted stays, and shows that it fired.
        noted = sum(path.stat().st_size for path in spool.glob("events*"))
        wait_until(lambda: not lease.is_held(str(spool)))
    finally:
        runner.configure({})
    score.report("commits", cases=3 * pairs, fired=pairs if noted else 0)
    score.limit("added to a commit, middle, ms", middle, at_most=hooks.P50)
    score.limit("added to a commit, 95 of 100, ms", most, at_most=hooks.P95)
