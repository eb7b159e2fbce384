"""The names of all languages in one module, so that a path costs a start no file of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

import gitmem.languages
from gitmem.languages import plain
from gitmem.languages.record import Language

FOLDER = Path(gitmem.languages.__file__).parent

# Of the modules there those that read what is made here.
_READERS = {"__init__", "index", "registry"}


def records() -> dict[str, Language]:
    """Every record that has a file, by the name of that file."""
    names = sorted({path.stem for path in FOLDER.glob("*.py")} - _READERS)
    found = {name: _record(name) for name in names}
    return {name: one for name, one in found.items() if one is not None}


def page() -> str:
    """``gitmem/languages/index.py``."""
    read = records()
    every = sorted(
        (one for one in (*read.values(), *plain.LANGUAGES) if one.files), key=lambda one: one.name
    )
    families: dict[str, list[str]] = {}
    for one in every:
        if one.family:
            families.setdefault(one.family, []).append(one.name)
    manifests = " ".join(one.manifests for one in every).split()
    return "\n".join(
        (
            '"""The names of the languages, for who does not need their records.',
            "",
            "Generated from the files beside it by `python -m docs.generate`: change these.",
            '"""',
            "",
            "# Language -> extensions and names of its files.",
            *_table("FILES", {one.name: one.files for one in every}),
            "# Other names by which people know some of them.",
            *_table("ALSO", {one.name: one.also for one in every}),
            "# The programs that run its scripts, without their versions.",
            *_table("PROGRAMS", {one.name: one.programs for one in every}),
            "# How languages of code are written.",
            *_table("CODE", {one.name: one.written for one in every}),
            "# Languages that read each other's files.",
            *_table("FAMILIES", {name: " ".join(names) for name, names in families.items()}),
            *_set("PROSE", (one.name for one in every if one.prose)),
            "# Those with a file of their own, and those whose imports and calls are resolved.",
            *_set("READ", read),
            *_set("RESOLVED", (one.name for one in every if one.resolve)),
            "# What decides where imports lead; a change of one may lead any of them elsewhere.",
            *_set("MANIFESTS", manifests),
        )
    )


PAGES = {"index.py": page}


def _record(name: str) -> Language | None:
    found = getattr(import_module(f"gitmem.languages.{name}"), "LANGUAGE", None)
    return found if isinstance(found, Language) else None


def _table(name: str, rows: Mapping[str, str]) -> list[str]:
    lines = [f'    "{key}": "{value}",' for key, value in rows.items() if value]
    return [f"{name}: dict[str, str] = {{", *lines, "}"]


def _set(name: str, words: Iterable[str]) -> list[str]:
    lines = [f'        "{word}",' for word in sorted(set(words))]
    return [f"{name} = frozenset(", "    {", *lines, "    }", ")"]
