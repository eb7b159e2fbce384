"""What a process and all that it starts ask of the system, by strace: what they make and reach.

subprocess.run(traced(command("status"), folder))
seen(folder).reached            # calls with addresses of other machines
seen(folder).outside(home)      # paths made elsewhere
"""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STRACE = shutil.which("strace")
_REACH = ("connect", "sendto", "sendmsg", "sendmmsg")
_MAKE = (
    *("open", "openat", "creat", "mkdir", "mkdirat", "mknod", "mknodat", "rename", "renameat"),
    *("renameat2", "link", "linkat", "symlink", "symlinkat"),
)
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+)")
_ADDRESS = re.compile(r'inet_(?:addr\("|pton\(AF_INET6, ")([^"]+)"')
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Made:
    """Paths of files and folders that were made; calls that name an address off the machine."""

    made: frozenset[str]
    reached: tuple[str, ...]

    def outside(self, *folders: Path) -> list[str]:
        """What was made and lies in none of these folders, nor is on the way to one of them."""
        inside = tuple(f"{folder}/" for folder in folders)
        return sorted(
            path
            for path in self.made - {os.devnull}
            if not f"{path}/".startswith(inside)
            and not any(folder.startswith(f"{path}/") for folder in inside)
        )


@cache
def can() -> bool:
    """Whether a process may be traced here."""
    words = [STRACE or "false", "-o", os.devnull, "true"]
    return bool(STRACE) and subprocess.run(words, capture_output=True, check=False).returncode == 0


def traced(words: Sequence[str], folder: Path) -> list[str]:
    """The words that start it so that ``seen`` can tell; makes the folder."""
    folder.mkdir()
    calls = ",".join((*_REACH, *_MAKE))
    # A file for each process: lines of two of them are never mixed up.
    options = ["-f", "-ff", "--seccomp-bpf", "-y", "-qq", "-e", f"trace={calls}"]
    return [STRACE or "", *options, "-o", str(folder / "of"), *words]


def seen(folder: Path) -> Made:
    """By the traces in a folder."""
    made: set[str] = set()
    reached: list[str] = []
    for trace in folder.iterdir():
        for line in trace.read_text(errors="replace").splitlines():
            call = _CALL.match(line)
            if call and call[1] in _REACH:
                # Whether it was answered or not: a name is asked for before anything is connected.
                reached += [line for to in _ADDRESS.findall(line) if not _here(to)]
            elif call and not call[3].startswith("-"):
                made |= _made(call[1], call[2])
    return Made(frozenset(made), tuple(reached))


def _here(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback


def _made(call: str, arguments: str) -> set[str]:
    if call.startswith("open") and "O_CREAT" not in arguments and "O_TMPFILE" not in arguments:
        return set()
    found = [os.path.normpath(os.path.join(*pair)) for pair in _PATH.findall(arguments)]
    return set(found[-1:])  # of a rename or a link the new name
