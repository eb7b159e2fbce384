"""Proposing what follows from many commits and is written nowhere: files that change together.

A job of the ``steward``, once a week. A fact needs eight commits and nine of ten cases.
Such facts of ten histories held in 81 of 100 cases in the next 300 commits, and each in at least
60 of its own (``docs/benchmarks.md``): that is the confidence that they are given.
"""

import json
import os
from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture import steward
from gitmem.capture.proposals import Found, propose
from gitmem.clock import WEEK
from gitmem.memory.draft import Draft
from gitmem.store.code import commits
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.timeline import co_change
from gitmem.timeline.co_change import Bound

KIND, DERIVED_AT = "derive", "derived_at"
# Of so many of the newest commits; from so few nothing follows.
WINDOW, FEWEST = 500, 50
LEAST, SHARE, NOVELTY = 8, 0.9, 0.2
MOST = 3
CONFIDENCE = 0.81


def run(app: App, store: Database) -> int:
    """Propose what is new, where it is due; how many facts. Nothing where another process does."""
    last = projects.meta(store, DERIVED_AT)
    waits = last is not None and 0 <= app.now - int(last) < WEEK
    if waits or store.read_only or not app.settings.number("capture.every"):
        return 0
    found = 0

    def look(app: App, store: Database) -> str:
        nonlocal found
        found = _propose(app, store)
        return json.dumps({"suggested": found})

    if steward.run(app, store, KIND, last or "", look) not in steward.ENDED:
        return 0
    with store.write():
        projects.set_meta(store, DERIVED_AT, str(app.now))
    return found


def _propose(app: App, store: Database) -> int:
    # Merges and the like change no file of their own, and are as many.
    newest = sorted(commits.latest(store, 2 * WINDOW), key=lambda row: -row[1])
    changes = [paths for _, _, paths in newest if paths][:WINDOW]
    if len(changes) < FEWEST:
        return 0
    made = 0
    for pair in bound(changes):
        if made < MOST and _are_there(app, pair):
            made += bool(propose(app, store, _found(pair, len(changes))))
    return made


def bound(changes: Sequence[Sequence[str]]) -> list[Bound]:
    """What the paths of some commits show, the surest first."""
    return co_change.bound(changes, least=LEAST, share=SHARE, novelty=NOVELTY)


def _are_there(app: App, pair: Bound) -> bool:
    paths = (os.path.join(app.worktree, one) for one in (pair.path, pair.other))
    return all(map(os.path.isfile, paths))


def _found(pair: Bound, looked_at: int) -> Found:
    one, other = pair.path, pair.other
    # It cites no code: it would be marked as outdated with each change of a file.
    said = Draft(
        content=f"{pair.both} of the {pair.commits} commits that changed {one} changed {other} too "
        f"(of the last {looked_at}). Who changes the first should look at the second.",
        title=f"{one} changes with {other}",
        kind="convention",
        tags=("derived",),
        importance=0.5,
    )
    pair_key = "\x1f".join(("derived", "co-change", *sorted((one, other))))
    return Found(said, "what the commits show", CONFIDENCE, identity=pair_key)
