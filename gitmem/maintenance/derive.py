"""Proposing pairs of files that change together, as many commits show.

A job of the ``steward``, once a week. A pair needs eight commits and nine of ten cases. Such pairs
of ten histories held in 81 of 100 cases in the next 300 commits, each in at least 60
(``docs/benchmarks.md``); hence their confidence.
"""

import os
from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture import steward
from gitmem.capture.proposals import ProposedMemory, propose_memory
from gitmem.clock import WEEK
from gitmem.memory.draft import MemoryDraft
from gitmem.store.code import commits
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.timeline import co_change
from gitmem.timeline.co_change import DependentFilePair

KIND, DERIVED_AT = "derive", "derived_at"
# Commits that are looked at, and the fewest from which anything follows.
WINDOW, MIN_WINDOW = 500, 50
MIN_COMMITS, MIN_FRACTION, MAX_NEW_FRACTION = 8, 0.9, 0.2
MAX_PROPOSALS = 3
CONFIDENCE = 0.81


def propose_co_change_conventions(app: App, store: Database) -> int:
    """Propose conventions on files that mostly change together; return how many were proposed.

    A person decides about them in the inbox. Does nothing within a week of the last run.
    """
    last = projects.get_meta(store, DERIVED_AT)
    waits = last is not None and 0 <= app.now - int(last) < WEEK
    if waits or store.read_only or not app.settings.number("capture.every"):
        return 0
    state, made = steward.run_suggestion_job(app, store, KIND, last or "", _propose)
    if state:
        with store.write():
            projects.set_meta(store, DERIVED_AT, str(app.now))
    return made


def _propose(app: App, store: Database) -> int:
    # Twice as many, since merges have no files of their own.
    newest = sorted(
        commits.newest_commit_times_and_changed_paths(store, 2 * WINDOW), key=lambda row: -row[1]
    )
    changes = [paths for _, _, paths in newest if paths][:WINDOW]
    if len(changes) < MIN_WINDOW:
        return 0
    suggested = 0
    for pair in pairs_changed_together(changes):
        if suggested < MAX_PROPOSALS and _are_there(app, pair):
            suggested += bool(propose_memory(app, store, _finding(pair, len(changes))))
    return suggested


def pairs_changed_together(paths_by_commit: Sequence[Sequence[str]]) -> list[DependentFilePair]:
    """Return the pairs of files that mostly change together, the surest first.

    ``paths_by_commit`` has, for each commit, the paths that it changed.
    """
    return co_change.find_dependent_file_pairs(
        paths_by_commit,
        min_commits=MIN_COMMITS,
        min_fraction=MIN_FRACTION,
        min_name_difference=MAX_NEW_FRACTION,
    )


def _are_there(app: App, pair: DependentFilePair) -> bool:
    paths = (os.path.join(app.worktree, path) for path in (pair.path, pair.other))
    return all(map(os.path.isfile, paths))


def _finding(pair: DependentFilePair, looked_at: int) -> ProposedMemory:
    first, other = pair.path, pair.other
    # It cites no code: each change of a file would mark it as outdated.
    draft = MemoryDraft(
        content=f"{pair.both} of the {pair.commits} commits that changed {first} changed {other} "
        f"too (of the last {looked_at}). Who changes the first should look at the second.",
        title=f"{first} changes with {other}",
        kind="convention",
        tags=("derived",),
        importance=0.5,
    )
    pair_key = "\x1f".join(("derived", "co-change", *sorted((first, other))))
    return ProposedMemory(draft, "what the commits show", CONFIDENCE, identity=pair_key)
