"""The manifest of installed git hooks, for their removal: ``.gitmem/hooks.json``.

It is written before the first hook, so that a process that is killed leaves it. gitmem's lines in a
script are found by their marks; the manifest has what the text cannot say: which folder was
created, and which files existed before.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.files import atomic_write
from gitmem.files.plain_file import open_regular_file
from gitmem.githooks.shims import REVIEWS
from gitmem.model.frozen import dataclass
from gitmem.text import json_reader

NAME = "hooks.json"


@dataclass(frozen=True, slots=True)
class HookManifest:
    """What gitmem recorded when it installed its git hooks, to remove them later.

    ``method`` is files or config (git's configuration); ``folder`` is where the hook files are.
    ``made_folder``: gitmem created that folder. ``bare_end``: git's configuration file had no line
    end at its end. ``foreign``: the names of hooks whose file existed before. ``review``: the hook
    that runs a review, pre-commit or pre-push, or empty.
    """

    method: str
    folder: str
    made_folder: bool = False
    bare_end: bool = False
    foreign: tuple[str, ...] = ()
    review: str = ""


def read_hook_manifest(store_folder: str) -> HookManifest | None:
    """The HookManifest (record of git hooks) in ``store_folder`` (``.gitmem``), or None."""
    try:
        with open_regular_file(os.path.join(store_folder, NAME)) as file:
            fields = json_reader.loads(file.read(1 << 16).decode("utf-8-sig"))
        return HookManifest(
            method=str(fields["method"]),
            folder=str(fields["folder"]),
            made_folder=fields["made_folder"] is True,
            bare_end=fields["bare_end"] is True,
            foreign=tuple(str(event) for event in fields["foreign"]),
            review=next((event for event in REVIEWS if event == fields.get("review")), ""),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_hook_manifest(store_folder: str, manifest: HookManifest) -> None:
    """Save the record of installed git hooks in ``store_folder`` (``.gitmem``). Raises OSError."""
    import json  # noqa: PLC0415 - 7 ms, paid by the hooks commands
    from dataclasses import asdict  # noqa: PLC0415

    path = os.path.join(store_folder, NAME)
    content = json.dumps({"version": 1, **asdict(manifest)}, indent=1).encode()
    atomic_write.replace_file(path, content, 0o600, keeps_owner=True)


def remove_hook_manifest(store_folder: str) -> None:
    """Delete the record of installed git hooks in ``store_folder`` (``.gitmem``), if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(store_folder, NAME))
