"""A ``gitmem`` for who starts it by its name, forked as ``tests.support.prefork`` does it.

Something must be started then: a Python without its libraries, which hands streams, folder and
environment on to the process that forks, and ends as the command does.

    on_path.program(tmp_path / "bin" / "gitmem")
    subprocess.run(["sh", "script.sh"], env=env | {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support.prefork import ASK, USUAL, command, own

ROOT = USUAL["PYTHONPATH"]


def words(*words: str, ordinary: bool = False) -> list[str]:
    """What starts a command of gitmem.

    ``ordinary``: by a Python that is started from nothing. So it also is where no process can fork
    and where coverage is measured.
    """
    if ordinary or not hasattr(os, "fork") or "COVERAGE_PROCESS_START" in os.environ:
        return command(*words)
    address = own(server=words[:1] == ("mcp",)).address
    return [sys.executable, "-IS", "-c", ASK, address, ROOT, *words]


def program(path: Path, *, ordinary: bool = False) -> None:
    """Write a program that is gitmem; ``ordinary`` as for ``words``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    starts = " ".join(f"'{word}'" for word in words(ordinary=ordinary))
    path.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec {starts} \"$@\"\n")
    path.chmod(0o755)
