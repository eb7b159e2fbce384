"""Zig: its files and grammar."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(name="zig", written="Zig", files="zig zon", wheel="tree_sitter_zig")
