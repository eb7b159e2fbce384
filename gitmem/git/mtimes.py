"""When files of a worktree were last written: a stat each, for a few."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress


def written(root: str, paths: Iterable[str]) -> dict[str, int]:
    """Path -> milliseconds since 1970; those that cannot be looked at are left out."""
    found = {}
    for path in paths:
        with suppress(OSError, ValueError):
            found[path] = os.lstat(os.path.join(root, path)).st_mtime_ns // 1_000_000
    return found
