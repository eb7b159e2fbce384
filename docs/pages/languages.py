"""The names of all languages in one module, so that a path costs a start no file of each."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import gitmem.languages
from gitmem.languages import plain
from gitmem.languages.record import Language

FOLDER = Path(gitmem.languages.__file__).parent

# Of the modules there those that read what is made here.
_READERS = {"__init__", "index", "registry"}

_PAGE = '''"""The names of the languages, for code that does not need their records.

Generated from the files beside it by `python -m docs.generate`: change these.
"""

_ROWS = """\\
@@
"""  # noqa: E501 - each language has its row
_TABLE = [row.split("|") for row in _ROWS.splitlines()]


def _having(*marks: str) -> frozenset[str]:
    return frozenset(row[0] for row in _TABLE if row[1] in marks)


# Language -> how it is written (code alone), extensions and names of its files, other names by
# which people know it, the programs that run its scripts, what it shares files with.
CODE = {row[0]: row[2] for row in _TABLE if row[2] and row[3]}
FILES = {row[0]: row[3] for row in _TABLE if row[3]}
ALSO = {row[0]: row[4] for row in _TABLE if row[4]}
PROGRAMS = {row[0]: row[5] for row in _TABLE if row[5]}
FAMILY = {row[0]: row[7] for row in _TABLE if row[7]}
# What decides where imports lead; a change of one may lead any of them elsewhere.
MANIFESTS = frozenset(" ".join(row[6] for row in _TABLE).split())
# Grammar -> its wheel. Those with a file of their own (-), and of them those whose imports and
# calls are resolved (+).
WHEELS = {row[0]: f"tree_sitter_{row[8] or row[0]}" for row in _TABLE if row[1] in ("-", "+")}
READ, RESOLVED, PROSE = _having("-", "+"), _having("+"), _having("prose")
# Those that are read by patterns of lines (~).
PATTERNED = _having("~")
'''


def records() -> dict[str, Language]:
    """Every record that has a file, by the name of that file."""
    names = sorted({path.stem for path in FOLDER.glob("*.py")} - _READERS)
    found = {name: _record(name) for name in names}
    return {name: one for name, one in found.items() if one is not None}


def page() -> str:
    """``gitmem/languages/index.py``."""
    read = records()
    every = (*read.values(), *plain.LANGUAGES)
    rows = (_row(one, one.name in read) for one in sorted(every, key=lambda one: one.name))
    return _PAGE.replace("@@", "\n".join(rows))


PAGES = {"index.py": page}


def _record(name: str) -> Language | None:
    found = getattr(import_module(f"gitmem.languages.{name}"), "LANGUAGE", None)
    return found if isinstance(found, Language) else None


def _row(one: Language, read: bool) -> str:
    mark = "+" if one.resolve and one.files else "-" if read else "~" if one.patterns else ""
    mark = "prose" if one.prose else mark
    other = one.wheel.removeprefix("tree_sitter_")
    wheel = other if other != one.name else ""
    names = (one.written, one.files, one.also, one.programs, one.manifests, one.family, wheel)
    return "|".join((one.name, mark, *names))
