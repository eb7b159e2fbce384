"""Grouping commits by the folders that they change. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gitmem.model.frozen import dataclass
from gitmem.store.code.commits import IndexedCommit

DEPTH = 2  # folders that name an area
ROOT = "."
SWEEPING = 100  # a commit with more paths counts in the area "everywhere" only
EVERYWHERE = "everywhere"


@dataclass(frozen=True, slots=True)
class ChangedArea:
    """A folder (at most two levels), the commits that changed it, newest first, and their files.

    ``authors`` are those of the commits, the most frequent first. The name is ``.`` for the root,
    ``everywhere`` for commits of more than 100 files.
    """

    name: str
    commits: tuple[IndexedCommit, ...]
    files: tuple[str, ...]
    authors: tuple[str, ...]


def area_of_path(path: str, base_folder: str = "") -> str:
    """The first two folders of a path (``.`` if none), counted from ``base_folder`` if in it."""
    inside = (
        path[len(base_folder) + 1 :] if base_folder and path.startswith(f"{base_folder}/") else path
    )
    folders = inside.split("/")[:-1][:DEPTH]
    if inside is path or not base_folder:
        return "/".join(folders) or ROOT
    return "/".join([base_folder, *folders])


def group_commits_by_area(
    commits: Iterable[IndexedCommit], base_folder: str = ""
) -> list[ChangedArea]:
    """The ChangedAreas of some commits, those with most commits first.

    With ``base_folder``, only changed files in that folder count.
    """
    commits_by_area: dict[str, dict[str, IndexedCommit]] = {}
    files: dict[str, Counter[str]] = {}
    for commit in commits:
        own = [
            path for path in commit.paths if not base_folder or is_path_inside(path, base_folder)
        ]
        sweeping = len(own) > SWEEPING
        for path in own:
            name = EVERYWHERE if sweeping else area_of_path(path, base_folder)
            commits_by_area.setdefault(name, {})[commit.sha] = commit
            files.setdefault(name, Counter())[path] += 1
    areas = [
        ChangedArea(
            name,
            tuple(sorted(commits_by_sha.values(), key=lambda commit: (-commit.at, commit.sha))),
            tuple(path for path, _ in _most(files[name])),
            tuple(
                name
                for name, _ in _most(Counter(commit.author for commit in commits_by_sha.values()))
            ),
        )
        for name, commits_by_sha in commits_by_area.items()
    ]
    return sorted(areas, key=lambda area: (-len(area.commits), area.name))


def is_path_inside(path: str, folder: str) -> bool:
    """Whether a path is the file or folder ``folder``, or inside it."""
    return path == folder or path.startswith(f"{folder}/")


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
