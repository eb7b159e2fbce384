"""The program as its own files tell it: modules, their first docstrings, the floors of imports.

Read from the text of the files, so that nothing is imported and a page costs little.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = "gitmem"
# Beside the program and not beside these pages: a test copies the pages to another place.
ROOT = Path(__file__).resolve().parents[2]
_DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


@cache
def modules() -> dict[str, Path]:
    """Dotted name -> file; a package stands under its own name."""
    return {_dotted(path): path for path in sorted((ROOT / PACKAGE).rglob("*.py"))}


@cache
def packages() -> dict[str, tuple[str, ...]]:
    """Dotted name of a package -> its modules, without those of packages inside it."""
    inside: dict[Path, list[str]] = {}
    for name, path in modules().items():
        inside.setdefault(path.parent, []).append(name)
    return {
        name: tuple(other for other in inside[path.parent] if other != name)
        for name, path in modules().items()
        if path.name == "__init__.py"
    }


def docstring(name: str) -> str:
    """The docstring at the top of a module, "" where it does not begin with one."""
    found = _DOCSTRING.match(modules()[name].read_text(encoding="utf-8"))
    return found.group(1) if found else ""


def lines(name: str) -> int:
    """How many lines a module has."""
    return len(modules()[name].read_text(encoding="utf-8").splitlines())


def layers(container: str = PACKAGE) -> tuple[tuple[str, ...], ...]:
    """The floors inside a package from top to bottom, each with its rooms; () without a contract.

    Raises ValueError where several contracts speak of one package.
    """
    found = [one["layers"] for one in _contracts() if one.get("containers") == [container]]
    if not found:
        return ()
    (floors,) = found
    return tuple(tuple(re.split(r"\s*\|\s*", floor)) for floor in floors)


def promises() -> tuple[str, ...]:
    """The names of the contracts that are no floors: which library stays where, no circles."""
    return tuple(one["name"] for one in _contracts() if one["type"] != "layers")


@cache
def _contracts() -> tuple[dict[str, Any], ...]:
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tuple(tomllib.load(file)["tool"]["importlinter"]["contracts"])


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
