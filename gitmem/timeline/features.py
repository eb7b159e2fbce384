"""What somebody works on: a feature, by default the branch, else as it was named by hand.

Pure. What was viewed and asked belongs to the feature that its worktree and branch had at that
moment, so that a name given later moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.clock import MINUTE
from gitmem.model.frozen import dataclass

MOST_FILES, MOST_CHANGES, MOST_QUESTIONS = 20, 50, 20
LISTED = 5
# After so long without a view or a question a feature is not what somebody is at.
IDLE_MS = 30 * MINUTE

Place = tuple[str, str]  # worktree, branch


@dataclass(frozen=True, slots=True)
class Naming:
    """From ``at`` on (ms) what is done at a place belongs to ``name``; empty: to its branch."""

    at: int
    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A file viewed or a question asked at a place; the other of the two is empty."""

    at: int
    place: Place
    path: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature: when it was last worked on (ms), its files and questions, newest first.

    ``by_hand`` says that somebody named it; else it is a branch.
    """

    name: str
    by_hand: bool
    last_at: int
    files: tuple[str, ...]
    questions: tuple[str, ...]

    def idle(self, now: int) -> bool:
        """Whether nothing was done in it for ``IDLE_MS``."""
        return now - self.last_at > IDLE_MS


def current(namings: Iterable[Naming], place: Place, at: int) -> Naming:
    """What a place was called at a moment; its branch, where nobody named it."""
    own = [naming for naming in namings if naming.place == place and naming.at <= at]
    last = max(own, key=lambda one: one.at, default=Naming(0, place, ""))
    return last if last.name else Naming(last.at, place, place[1])


def gather(namings: Sequence[Naming], seen: Iterable[Seen]) -> list[Feature]:
    """All features of which something is known, the last worked on first."""
    last: dict[str, int] = {}
    files: dict[str, dict[str, None]] = {}
    questions: dict[str, dict[str, None]] = {}
    for naming in namings:
        name = naming.name or naming.place[1]
        last[name] = max(naming.at, last.get(name, 0))
    for one in sorted(seen, key=lambda one: -one.at):
        name = current(namings, one.place, one.at).name
        last[name] = max(one.at, last.get(name, 0))
        if one.path:
            files.setdefault(name, {})[one.path] = None
        else:
            questions.setdefault(name, {})[one.question] = None
    by_hand = {naming.name for naming in namings if naming.name and naming.name != naming.place[1]}
    found = [
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
    return sorted(found, key=lambda one: (-one.last_at, one.name))
