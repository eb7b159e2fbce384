"""Choosing a name that no file has, beside files that must not be replaced."""

from __future__ import annotations

import os


def unused_path(base_path: str, suffix: str) -> str:
    """A path without a file: ``base_path`` + ``suffix``, else with ``-1``, ``-2``... between."""
    path, number = base_path + suffix, 1
    while os.path.lexists(path):
        path, number = f"{base_path}-{number}{suffix}", number + 1
    return path
