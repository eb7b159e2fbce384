"""What was written where, so that it can be taken back: ``.gitmem/hooks.json``.

It is written before the first hook, so that a process that dies half-way leaves a list of what may
be there. Taking our lines out of a script needs no list; the list knows what the text cannot say:
which folder was made, and what a file was like before.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.files import atomic_write
from gitmem.files.plain_file import open_plain
from gitmem.model.frozen import dataclass
from gitmem.text import json_reader

NAME = "hooks.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """``method`` is files or config; ``folder`` is where the hook files are.

    ``made_folder``: the hooks folder was made. ``bare_end``: the configuration file had no line
    end at its end. ``foreign``: events whose file was there before.
    """

    method: str
    folder: str
    made_folder: bool = False
    bare_end: bool = False
    foreign: tuple[str, ...] = ()


def read(store_folder: str) -> Manifest | None:
    """The manifest; None where there is none that can be read."""
    try:
        with open_plain(os.path.join(store_folder, NAME)) as file:
            told = json_reader.loads(file.read(1 << 16).decode("utf-8-sig"))
        return Manifest(
            method=str(told["method"]),
            folder=str(told["folder"]),
            made_folder=told["made_folder"] is True,
            bare_end=told["bare_end"] is True,
            foreign=tuple(str(event) for event in told["foreign"]),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write(store_folder: str, manifest: Manifest) -> None:
    """Replace the manifest. Raises OSError."""
    import json  # noqa: PLC0415 - 7 ms, paid by the hooks commands
    from dataclasses import asdict  # noqa: PLC0415

    path = os.path.join(store_folder, NAME)
    told = json.dumps({"version": 1, **asdict(manifest)}, indent=1).encode()
    atomic_write.replace(path, told, 0o600, keeps_owner=True)


def remove(store_folder: str) -> None:
    """Forget it."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(store_folder, NAME))
