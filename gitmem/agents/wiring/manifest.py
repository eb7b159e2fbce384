"""The manifest of the files that setup wrote, with their content before; in ``setup``.

The user's data folder has one for the user's files, and ``.gitmem`` one for the project's, with
relative paths, so that the repository may move. It is written before the files, so that a process
that is killed leaves a list of what may exist.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from gitmem.agents.wiring.templates import ConfigFragment
from gitmem.files import atomic_write
from gitmem.files.plain_file import open_regular_file
from gitmem.model.frozen import dataclass

NAME, FOLDER = "manifest.json", "setup"
_MOST = 16 << 20


@dataclass(frozen=True, slots=True)
class SetupRecord:
    """The record of a file that setup wrote or changed, and of gitmem's pieces in it.

    ``before`` is its content before setup, None if it did not exist; ``after`` the SHA-256 (hex) of
    what was written; ``made`` the folders created for it, the innermost last.
    """

    path: str
    before: bytes | None
    after: str
    made: tuple[str, ...]
    fragments: tuple[ConfigFragment, ...]


Records = dict[str, dict[str, SetupRecord]]  # scope -> path -> record


def sha256_hex(content: bytes) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    import hashlib  # noqa: PLC0415 - 2.6 ms, paid by setup only

    return hashlib.sha256(content).hexdigest()


def load_manifest(folder: str, project_root: str) -> dict[str, SetupRecord]:
    """Path -> SetupRecord of what setup wrote, from the list in ``folder``; empty if unreadable.

    ``project_root`` is the project's folder, empty for the user's own files. Files outside the
    project, or in git's own folder, are left out.
    """
    import json  # noqa: PLC0415 - paid by setup only

    try:
        with open_regular_file(os.path.join(folder, NAME)) as file:
            content = json.loads(file.read(_MOST))
        records = [_record(item, folder, project_root) for item in content["files"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
    return {
        record.path: record
        for record in records
        if not project_root or _is_inside(record.path, project_root)
    }


def _record(item: dict[str, Any], folder: str, root: str) -> SetupRecord:
    before = None
    if item["before"] is not None:
        with open_regular_file(os.path.join(folder, os.path.basename(str(item["before"])))) as file:
            before = file.read()
    return SetupRecord(
        path=_absolute(str(item["path"]), root),
        before=before,
        after=str(item["after"]),
        made=tuple(_absolute(str(folder), root) for folder in item["made"]),
        fragments=tuple(
            ConfigFragment(
                str(piece["agent"]),
                str(piece["part"]),
                str(piece["kind"]),
                tuple(map(str, piece["path"])),
                piece["value"],
                str(piece["head"]),
            )
            for piece in item["pieces"]
        ),
    )


def save_manifest(folder: str, project_root: str, records: dict[str, SetupRecord]) -> None:
    """Save the list of what setup wrote (path -> record) in ``folder``; remove it if empty.

    ``project_root`` is the project's folder, empty for the user's own files. Raises OSError.
    """
    import json  # noqa: PLC0415 - paid by setup only

    files, names = [], {NAME} if records else set[str]()
    for record in records.values():
        name = None
        if record.before is not None:
            name = sha256_hex(
                _relative(record.path, project_root).encode("utf-8", "surrogateescape")
            )[:16]
            name += ".before"
            names.add(name)
            _write_new(os.path.join(folder, name), record.before)
        files.append(
            {
                "path": _relative(record.path, project_root),
                "before": name,
                "after": record.after,
                "made": [_relative(folder, project_root) for folder in record.made],
                "pieces": [
                    {name: getattr(piece, name) for name in ConfigFragment.__match_args__}
                    for piece in record.fragments
                ],
            }
        )
    if files:
        content = json.dumps({"version": 1, "files": files}, indent=1).encode()
        atomic_write.replace_file(os.path.join(folder, NAME), content, 0o600)
    with suppress(FileNotFoundError):
        for name in set(os.listdir(folder)) - names:
            if name == NAME or name.endswith(".before"):
                os.unlink(os.path.join(folder, name))


def _write_new(path: str, content: bytes) -> None:
    with suppress(OSError), open(path, "rb") as file:
        if file.read() == content:
            return
    atomic_write.replace_file(path, content, 0o600)


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/") if root else path


def _absolute(path: str, root: str) -> str:
    return os.path.normpath(os.path.join(root, path)) if root else path


def _is_inside(path: str, root: str) -> bool:
    rest = os.path.relpath(path, root).split(os.sep)
    return rest[0] not in ("..", ".", ".git", ".gitmem") and not os.path.isabs(rest[0])
