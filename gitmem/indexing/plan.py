"""Working out what an index run has to do, from what is indexed and what exists. Pure.

Content is known by git's blob id. A path with known content costs one row; only new content is
read, split and embedded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """The paths of an index run by what has to be done with them.

    ``added`` paths show new content (a new path, or an old one, ``updated``), ``moved`` ones
    content that another path had before and no longer has; ``dropped`` are gone, ``unchanged`` are
    as they were. ``unread``: blob ids of content to read. ``keys``: path -> blob and cutter.
    """

    added: tuple[str, ...]
    moved: tuple[str, ...]
    dropped: tuple[str, ...]
    unchanged: tuple[str, ...]
    unread: frozenset[str]
    keys: Mapping[str, str]
    updated: frozenset[str] = frozenset()

    @property
    def idle(self) -> bool:
        """Whether the plan has nothing to do."""
        return not (self.added or self.moved or self.dropped or self.unread)


def plan(indexed: Mapping[str, str], present: Mapping[str, str], known: Iterable[str]) -> Plan:
    """What an index run has to do for each path.

    ``indexed`` is path -> blob id in the index, ``present`` the same as it is now, ``known`` the
    blobs that were split already.
    """
    gone = {path: blob for path, blob in indexed.items() if path not in present}
    freed = set(gone.values())
    added, moved, unchanged = [], [], []
    for path, blob in present.items():
        if indexed.get(path) == blob:
            unchanged.append(path)
        elif path not in indexed and blob in freed:
            moved.append(path)
        else:
            added.append(path)
    unread = frozenset(present.values()) - frozenset(known)
    return Plan(
        tuple(sorted(added)),
        tuple(sorted(moved)),
        tuple(sorted(gone)),
        tuple(sorted(unchanged)),
        unread,
        present,
        frozenset(added) & indexed.keys(),
    )
