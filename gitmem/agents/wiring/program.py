"""What hosts start: the gitmem that runs now, by a place that an upgrade keeps."""

from __future__ import annotations

import os
import shutil
import sys


def program(environment_path: str, argv0: str) -> tuple[str, ...]:
    """The words that start the gitmem that runs now, the first an absolute path.

    As it stands on the PATH, which an upgrade keeps; else its own place; else this Python.
    """
    found = os.path.abspath(argv0) if os.path.dirname(argv0) else shutil.which(argv0) or ""
    if os.path.basename(found).removesuffix(".exe") == "gitmem" and os.path.isfile(found):
        on_path = shutil.which("gitmem", path=environment_path)
        if on_path and os.path.isabs(on_path) and os.path.samefile(on_path, found):
            return (on_path,)
        return (found,)
    return (sys.executable, "-P", "-m", "gitmem")


def ways(environment_path: str, argv0: str) -> tuple[tuple[str, ...], ...]:
    """The ways to start the gitmem that runs now, the one that setup writes down first.

    The bare name is one: it starts what its user would start.
    """
    found = [program(environment_path, argv0), ("gitmem",)]
    found += [(sys.executable, *flags, "-m", "gitmem") for flags in ((), ("-P",))]
    if on_path := shutil.which("gitmem", path=environment_path):
        found.append((os.path.abspath(on_path),))
    return tuple(dict.fromkeys(found))
