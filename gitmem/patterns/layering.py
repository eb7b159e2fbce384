"""Which folder an import leads into: for rules such as "core must not import ui". Pure."""

from __future__ import annotations

import posixpath
import re

_LINKS = re.compile(r"[./]|::")


def modules(path: str, module: str, name: str) -> tuple[str, ...]:
    """The spellings under which an import may be forbidden: as written, and from the root.

    ``module`` and ``name`` are those of the fact; a relative one is taken from the file's folder.
    """
    folder = posixpath.dirname(path)
    whole = _absolute(folder, module)
    found = [module, f"{module}/{name}" if name else module, whole]
    return tuple(dict.fromkeys([*found, f"{whole}/{name}" if name else whole]))


def leads_into(path: str, module: str, name: str, target: str) -> bool:
    """Whether an import in the file at ``path`` takes something below the folder ``target``."""
    folder = posixpath.dirname(path)
    own, wanted = folder.split("/") if folder else [], target.strip("/").split("/")
    whole = _absolute(folder, module)
    if module.startswith((".", "super", "self")):
        return _begins([*_parts(whole), name], wanted)
    have = [*_parts(re.sub(r"^(?:@|~)/", "", module)), name]
    if _within(have, wanted) and "." in module.split("/", 1)[0] and "/" in module:
        return True  # Go: example.com/module/folder
    # What is imported is found below a root, which is a folder above the file.
    return any(
        wanted[:cut] == own[:cut] and _begins(have, wanted[cut:]) for cut in range(len(wanted))
    )


def lies_in(path: str, folder: str) -> bool:
    """Whether a file lies below a folder."""
    bare = folder.strip("/")
    return path.startswith(f"{bare}/") or bare in ("", ".")


def _absolute(folder: str, module: str) -> str:
    """A relative module from the root; ``crate`` of Rust is the ``src`` above the file."""
    if module.startswith(("./", "../")) or module in (".", ".."):
        return posixpath.normpath(posixpath.join(folder, module))
    if module.startswith("."):
        bare = module.lstrip(".")
        up = len(module) - len(bare) - 1
        parts = folder.split("/")[: -up or None] if folder else []
        return "/".join([*parts, *_parts(bare)])
    if module.startswith("super"):
        return posixpath.normpath(posixpath.join(folder, *_parts(module[5:])))
    return module


def _parts(module: str) -> list[str]:
    return [part for part in _LINKS.split(module.removeprefix("crate::")) if part]


def _begins(have: list[str], wanted: list[str]) -> bool:
    return bool(wanted) and have[: len(wanted)] == wanted


def _within(have: list[str], wanted: list[str]) -> bool:
    size = len(wanted)
    return any(have[at : at + size] == wanted for at in range(len(have) - size + 1))
