"""Choosing a name that no file has, beside files that must not be replaced."""

from __future__ import annotations

import os


def free_path(base: str, end: str) -> str:
    """A path without a file: ``base`` + ``end``, with ``-1``, ``-2``... between if needed."""
    path, number = base + end, 1
    while os.path.lexists(path):
        path, number = f"{base}-{number}{end}", number + 1
    return path
