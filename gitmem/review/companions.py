"""Files that usually change together with those of the diff, and are missing from it."""

from collections import Counter

from gitmem.app import App
from gitmem.git import history
from gitmem.git.display import display_path
from gitmem.model.review_finding import NOTE, WARNING, ReviewFinding
from gitmem.review.reviewed_diff import PATCH, ReviewedDiff
from gitmem.review.time_limit import TimeLimit
from gitmem.search import file_kinds
from gitmem.store.code import commits
from gitmem.timeline.co_change import SWEEPING

_COMMITS = 300  # of a file, the newest
_NOTED = (0.6, 4)  # the share and the number of common commits
# Hardly ever without the other; both were in one commit every time of late.
_WARNED, _MIN_TOGETHER, _LATELY = 0.95, 12, 8
_MAX_FILES, _MAX_NOTES = 40, 3


def find_missing_co_changes(app: App, diff: ReviewedDiff, limit: TimeLimit) -> list[ReviewFinding]:
    """Return a finding for each file that usually changes with those in the diff, but did not.

    The surest come first: warnings, and at most three notes.
    """
    present = diff.paths
    if not app.has_store or len(present) > SWEEPING:
        return []
    until = diff_time_ms(app, diff)
    best: dict[str, tuple[float, ReviewFinding]] = {}
    changed = [file for file in diff.files[:_MAX_FILES] if file.change.status in "MR"]
    for file in limit.items_while_time_left(changed, "files that change together"):
        log = [
            commit.paths
            for commit in commits.commits_of_path(app.store, file.change.old, _COMMITS)
            if commit.at < until and len(commit.paths) <= SWEEPING
        ]
        counts = Counter(path for paths in log for path in set(paths))
        for other, together in counts.items():
            share = together / len(log)
            if other in present or share < _NOTED[0] or together < _NOTED[1]:
                continue
            if not diff.unchanged_path_exists(
                app, other
            ) or "generated" in file_kinds.kinds_of_file(other, ""):
                continue
            always = all(other in paths for paths in log[:_LATELY])
            sure = share >= _WARNED and together >= _MIN_TOGETHER and always
            finding = ReviewFinding(
                "change/incomplete",
                WARNING if sure else NOTE,
                file.path,
                0,
                f"{display_path(other)} changed in {together} of the {len(log)} commits that "
                "changed this file, and is not in the diff",
            )
            if share > best.get(other, (0.0,))[0]:
                best[other] = (share, finding)
    ranked = sorted(best.values(), key=lambda pair: (-pair[0], pair[1].path, pair[1].message))
    notes = [finding for _, finding in ranked if finding.level == NOTE][:_MAX_NOTES]
    return [*(finding for _, finding in ranked if finding.level == WARNING), *notes]


def diff_time_ms(app: App, diff: ReviewedDiff) -> int:
    """Return the time, in milliseconds since 1970, before which commits are older than the diff."""
    if diff.sides.new in ("", ":", PATCH):
        return app.now + 1
    at = history.commit_time(app.layout.cwd, diff.sides.old)
    return app.now if at is None else at * 1000 + 1
