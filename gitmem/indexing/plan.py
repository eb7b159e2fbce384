"""What an index run has to do: pure, what is indexed and what is there in, work out.

Content hangs on git's blob id. A path that shows known content costs one row; only content that was
never seen is read, cut and embedded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Paths by what becomes of them.

    ``added`` show new content under a new path or changed content under an old one, ``moved`` show
    content that another path showed before and no longer does, ``dropped`` are gone, ``kept`` are
    as they were. ``unread`` are the blob ids whose content must be read; ``keys`` has the blob and
    the way of cutting of each path that is there.
    """

    added: tuple[str, ...]
    moved: tuple[str, ...]
    dropped: tuple[str, ...]
    kept: tuple[str, ...]
    unread: frozenset[str]
    keys: Mapping[str, str]

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.added or self.moved or self.dropped or self.unread)


def plan(indexed: Mapping[str, str], present: Mapping[str, str], known: Iterable[str]) -> Plan:
    """The plan from path -> blob id as indexed, the same as it is now, and blobs already cut."""
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
    )
