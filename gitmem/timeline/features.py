"""Features that somebody works on: by default a branch, else named by hand. Pure.

Views and questions belong to the feature that their worktree and branch had at the time, so a
later name does not move them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.clock import MINUTE
from gitmem.model.frozen import dataclass

MOST_FILES, MOST_CHANGES, MOST_QUESTIONS = 20, 50, 20
LISTED = 5
# A feature without a view or a question for so long is idle.
IDLE_MS = 30 * MINUTE

Place = tuple[str, str]  # worktree, branch


@dataclass(frozen=True, slots=True)
class BranchFeatureAssignment:
    """From ``at`` (ms since 1970) on, work in a (worktree, branch) is for the task ``name``.

    An empty name is that of the branch. ``files`` were given with the name.
    """

    at: int
    place: Place
    name: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileViewOrQuestion:
    """A file viewed or a question asked in a (worktree, branch) at a time (ms); one is empty."""

    at: int
    place: Place
    path: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Feature:
    """A task that somebody works on: a branch or, with ``by_hand``, a name that somebody gave.

    ``last_at`` is when it last was (ms since 1970); ``files`` viewed and ``questions`` asked are
    the newest first.
    """

    name: str
    by_hand: bool
    last_at: int
    files: tuple[str, ...]
    questions: tuple[str, ...]

    def is_idle(self, now_ms: int) -> bool:
        """Whether nobody has worked on it for thirty minutes at ``now_ms`` (ms since 1970)."""
        return now_ms - self.last_at > IDLE_MS


def feature_assignment_at(
    assignments: Iterable[BranchFeatureAssignment], worktree_and_branch: Place, time_ms: int
) -> BranchFeatureAssignment:
    """The latest BranchFeatureAssignment of a (worktree, branch) at a time (ms since 1970).

    Without any, or with an empty name, one with the branch as name.
    """
    own = [
        naming
        for naming in assignments
        if naming.place == worktree_and_branch and naming.at <= time_ms
    ]
    last = max(
        own,
        key=lambda naming: naming.at,
        default=BranchFeatureAssignment(0, worktree_and_branch, ""),
    )
    return (
        last
        if last.name
        else BranchFeatureAssignment(last.at, worktree_and_branch, worktree_and_branch[1])
    )


def gather_features(
    assignments: Sequence[BranchFeatureAssignment],
    views_and_questions: Iterable[FileViewOrQuestion],
) -> list[Feature]:
    """The Features that these views and questions belong to, the last worked on first."""
    last: dict[str, int] = {}
    files: dict[str, dict[str, None]] = {}
    questions: dict[str, dict[str, None]] = {}
    for naming in assignments:
        name = naming.name or naming.place[1]
        last[name] = max(naming.at, last.get(name, 0))
    named_files = [
        FileViewOrQuestion(naming.at, naming.place, path)
        for naming in assignments
        for path in naming.files
    ]
    for sighting in sorted((*views_and_questions, *named_files), key=lambda sighting: -sighting.at):
        name = feature_assignment_at(assignments, sighting.place, sighting.at).name
        last[name] = max(sighting.at, last.get(name, 0))
        if sighting.path:
            files.setdefault(name, {})[sighting.path] = None
        else:
            questions.setdefault(name, {})[sighting.question] = None
    by_hand = {
        naming.name for naming in assignments if naming.name and naming.name != naming.place[1]
    }
    features = [
        Feature(
            name,
            name in by_hand,
            at,
            tuple(files.get(name, ()))[:MOST_FILES],
            tuple(questions.get(name, ()))[:MOST_QUESTIONS],
        )
        for name, at in last.items()
        if name
    ]
    return sorted(features, key=lambda feature: (-feature.last_at, feature.name))
