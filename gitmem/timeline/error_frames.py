"""Where an error was raised: the innermost function of a trace that is no library's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FOREIGN = (
    r"site-packages|dist-packages|/lib/python3|<frozen|node_modules|^node:|<anonymous>$"
    r"|/go/src/|/pkg/mod/|^(?:runtime|testing|panic|reflect|net/http|sync)\b"
    r"|^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|springframework|apache"
    r"|gradle|hibernate|eclipse|mockito)|com\.fasterxml|com\.zaxxer|io\.netty|reactor|feign)\."
)


def place(frames: Sequence[tuple[str, str]], *, surely: bool) -> str:
    """A function, else the name of a file; empty where none is known.

    ``frames`` are functions with their files, the innermost first; either may be empty. A
    library's function counts only where not ``surely``: it comes and goes with versions.
    """
    own = [one for one in frames if not any(re.search(_FOREIGN, part) for part in one)]
    known = own if own or surely else frames
    places = (_function(function) or file_name(file) for function, file in known)
    return next((one for one in places if one), "")


def _function(name: str) -> str:
    """A function's name without numbers that a compiler gives, and without its package's path."""
    name = re.sub(r"::h[0-9a-f]{16}$|\$\$Lambda.*|0x[0-9a-f]+", "", name.strip())
    name = re.sub(r"(?:\$|\bfunc|/)\d+(?=\.|$|\$)", "", name)
    if name.endswith((">", "Module._compile")):  # <module>, <genexpr>, Object.<anonymous>
        return ""
    return re.sub(r"@v?\d[\w.-]*", "", name.rpartition("/")[2])


def file_name(path: str) -> str:
    """The name of a file without its folders, however they are separated."""
    return path.replace("\\", "/").rpartition("/")[2]
