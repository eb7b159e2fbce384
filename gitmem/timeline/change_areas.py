"""What changed, by area: commits put together by the folders that they touch. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gitmem.model.frozen import dataclass
from gitmem.store.code.commits import IndexedCommit

DEPTH = 2  # folders that name an area
ROOT = "."
SWEEPING = 100  # a commit of more paths is of every area, and counts in none but "everywhere"
EVERYWHERE = "everywhere"


@dataclass(frozen=True, slots=True)
class Area:
    """A folder, the commits that changed something in it, newest first, and what they changed.

    ``files`` are the most changed first, ``authors`` those of most commits.
    """

    name: str
    commits: tuple[IndexedCommit, ...]
    files: tuple[str, ...]
    authors: tuple[str, ...]


def area_of(path: str, below: str = "") -> str:
    """The area of a path: its first two folders, those below a folder where one is given."""
    inside = path[len(below) + 1 :] if below and path.startswith(f"{below}/") else path
    folders = inside.split("/")[:-1][:DEPTH]
    if inside is path or not below:
        return "/".join(folders) or ROOT
    return "/".join([below, *folders])


def areas(commits: Iterable[IndexedCommit], below: str = "") -> list[Area]:
    """The areas with most commits first; with ``below`` only what lies there counts."""
    made: dict[str, dict[str, IndexedCommit]] = {}
    files: dict[str, Counter[str]] = {}
    for commit in commits:
        own = [path for path in commit.paths if not below or inside(path, below)]
        sweeping = len(own) > SWEEPING
        for path in own:
            name = EVERYWHERE if sweeping else area_of(path, below)
            made.setdefault(name, {})[commit.sha] = commit
            files.setdefault(name, Counter())[path] += 1
    found = [
        Area(
            name,
            tuple(sorted(some.values(), key=lambda one: (-one.at, one.sha))),
            tuple(path for path, _ in _most(files[name])),
            tuple(name for name, _ in _most(Counter(one.author for one in some.values()))),
        )
        for name, some in made.items()
    ]
    return sorted(found, key=lambda area: (-len(area.commits), area.name))


def inside(path: str, below: str) -> bool:
    """Whether a path is a file or folder, or lies in it."""
    return path == below or path.startswith(f"{below}/")


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
