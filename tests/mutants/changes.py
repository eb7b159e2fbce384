"""The changes as they are kept, and where their texts stand in the program now.

A text that was renamed is found by its form: the same marks, numbers and strings, the same names
but for some that have another one throughout. What was rewritten has to be kept anew.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = sorted(Path(__file__).parent.glob("*.toml"))
# Tests of a package beside its own mirror: it is seen through what uses it.
_THROUGH = {
    "agents": ("agents/events", "operations/sessions", "operations/internal"),
    "assembly": (
        *("operations/find/test_ask.py", "operations/find/test_context.py"),
        *("operations/find/test_context_now.py", "operations/find/test_file.py"),
        *("operations/find/test_similar_bugs.py", "operations/start/test_orient.py"),
        *("mcp/tools/test_resources.py", "journeys/test_assembled.py"),
    ),
    "capture": ("operations/remember", "operations/internal", "journeys/test_inbox.py"),
    "history": ("operations/find",),
    "impact": ("graph", "operations/find/test_graph.py", "operations/check/test_check.py"),
    "patterns": ("operations/check/test_patterns.py",),
    "retrieval": ("operations/find", "operations/check"),
}
_TOKEN = re.compile(
    r"""[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\n[ ]*|[^\w\s]"""
)
_NAME = re.compile(r"[A-Za-z_]\w*")
# More than these may have another name in one text, but for half of all.
_RENAMED = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A text of a file that is replaced by another, and ``what`` a user has of it.

    ``noticed_by`` is a test that fails then; ``equivalent`` says why none can.
    """

    name: str
    file: str
    what: str
    old: str
    new: str
    noticed_by: str = ""
    equivalent: str = ""

    @property
    def package(self) -> str:
        """The package of the program that is changed."""
        return self.file.split("/")[1]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a change is made now: the file, its text, and what stands there instead."""

    file: str
    old: str
    new: str


def read() -> list[Change]:
    """All changes that are kept, in their order."""
    saved = (tomllib.loads(file.read_text())["change"] for file in FILES)
    return [Change(**fields) for each in saved for fields in each]


def mirror(change: Change) -> tuple[str, ...]:
    """The tests of the package that is changed."""
    own = ROOT / "tests" / change.package
    found = _THROUGH.get(change.package, ())
    folders = found if change.package in found or change.package == "agents" else (
        *((change.package,) if own.is_dir() else ()), *found,
    )  # fmt: skip
    return tuple(f"tests/{folder}" for folder in folders)


@cache
def located(change: Change) -> Place | None:
    """Where the text of a change stands, once; in another file or with other names if need be."""
    text = _text(change.file)
    if text.count(change.old) == 1:
        return Place(change.file, change.old, change.new)
    package = ROOT / "gitmem" / change.package
    files = [str(path.relative_to(ROOT)) for path in sorted(package.rglob("*.py"))]
    exact = [file for file in files if _text(file).count(change.old) == 1]
    if len(exact) == 1:
        return Place(exact[0], change.old, change.new)
    for some in ([change.file], files):
        alike = [place for file in some for place in _alike(change, file)]
        if len(alike) == 1:
            return alike[0]
    return None


def renew() -> int:
    """Write down the texts that have other names now as they stand; how many."""
    renewed = 0
    for file in FILES:
        text = file.read_text()
        for change in (Change(**fields) for fields in tomllib.loads(text)["change"]):
            place = located(change)
            if place is None or (place.file, place.old) == (change.file, change.old):
                continue
            head, mark, rest = text.partition(f'name = "{change.name}"\n')
            own, begin, others = rest.partition("[[change]]")
            for before, now in (
                (f'"{change.file}"', f'"{place.file}"'),
                (f"old = '''{change.old}'''", f"old = '''{place.old}'''"),
                (f"new = '''{change.new}'''", f"new = '''{place.new}'''"),
            ):
                own = own.replace(before, now)
            text = head + mark + own + begin + others
            renewed += 1
        file.write_text(text)
    return renewed


@cache
def _text(file: str) -> str:
    path = ROOT / file
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _alike(change: Change, file: str) -> Iterator[Place]:
    """The places of a file that differ from a change's text in names alone."""
    for text, names in occurrences(change.old, _text(file)):
        yield Place(file, text, _renamed(change.new, names))


def occurrences(old: str, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Where a text stands with other names: as it stands there, and what each name became. Pure."""
    expected, found = _TOKEN.findall(old), list(_TOKEN.finditer(text))
    tokens = [token[0] for token in found]
    for at in range(len(tokens) - len(expected) + 1):
        names = _names(expected, tokens[at : at + len(expected)])
        if names is not None:
            yield text[found[at].start() : found[at + len(expected) - 1].end()], names


def _names(old: list[str], new: list[str]) -> dict[str, str] | None:
    """What each name is called now where two texts differ in few names alone; else None."""
    names: dict[str, str] = {}
    for before, now in zip(old, new, strict=True):
        if _NAME.fullmatch(before) and _NAME.fullmatch(now):
            if names.setdefault(before, now) != now:
                return None
        elif before != now:
            return None
    changed = {before: now for before, now in names.items() if before != now}
    return changed if len(changed) <= max(_RENAMED, len(names) // 2) else None


def _renamed(text: str, names: dict[str, str]) -> str:
    return _NAME.sub(lambda name: names.get(name[0], name[0]), text)
