"""Choosing a name that no file has, beside files that must not be replaced."""

from __future__ import annotations

import os


def unused_path(base: str, suffix: str) -> str:
    """A path without a file: ``base`` + ``suffix``, else with ``-1``, ``-2``... between these."""
    path, number = base + suffix, 1
    while os.path.lexists(path):
        path, number = f"{base}-{number}{suffix}", number + 1
    return path
