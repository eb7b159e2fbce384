"""Working out what an index run has to do, from what is indexed and what exists. Pure.

Content is known by git's blob id. A path with known content costs one row; only new content is
read, split and embedded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class FilesPlan:
    """The paths of an index run, by what has to be done with them.

    ``added`` paths have new content; those of them that were indexed with other content are also in
    ``updated``. ``moved`` paths have content that was indexed under a path that is gone;
    ``dropped`` paths are gone, ``unchanged`` paths are as they were. ``unread`` are the keys of
    content that must be read; ``keys`` maps each path to its key: git's id of its content, and the
    name of its chunker.
    """

    added: tuple[str, ...]
    moved: tuple[str, ...]
    dropped: tuple[str, ...]
    unchanged: tuple[str, ...]
    unread: frozenset[str]
    keys: Mapping[str, str]
    updated: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether the plan has nothing to do."""
        return not (self.added or self.moved or self.dropped or self.unread)


def plan_files(
    indexed_key_by_path: Mapping[str, str],
    present_key_by_path: Mapping[str, str],
    stored_content_keys: Iterable[str],
) -> FilesPlan:
    """A FilesPlan: for each path whether it is added, updated, moved, dropped or unchanged.

    ``indexed_key_by_path`` maps each indexed path to its key (git's id of its content, and the name
    of its chunker), ``present_key_by_path`` each path that exists now; ``stored_content_keys`` are
    the keys of content that was split already and need not be read.
    """
    gone = {
        path: blob for path, blob in indexed_key_by_path.items() if path not in present_key_by_path
    }
    freed = set(gone.values())
    added, moved, unchanged = [], [], []
    for path, blob in present_key_by_path.items():
        if indexed_key_by_path.get(path) == blob:
            unchanged.append(path)
        elif path not in indexed_key_by_path and blob in freed:
            moved.append(path)
        else:
            added.append(path)
    unread = frozenset(present_key_by_path.values()) - frozenset(stored_content_keys)
    return FilesPlan(
        tuple(sorted(added)),
        tuple(sorted(moved)),
        tuple(sorted(gone)),
        tuple(sorted(unchanged)),
        unread,
        present_key_by_path,
        frozenset(added) & indexed_key_by_path.keys(),
    )
