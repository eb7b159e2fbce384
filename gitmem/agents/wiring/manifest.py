"""What was written where, with the bytes that stood there before: the folder ``setup``.

One lies in the user's data folder, for files of the user, and one in ``.gitmem``, for files of the
project; there paths are kept relative, so the repository may move. It is written before the files,
so that a process that dies half-way leaves a list of what may be there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from gitmem.agents.wiring.templates import Piece
from gitmem.files import atomic_write
from gitmem.files.plain_file import open_plain
from gitmem.model.frozen import dataclass

NAME, FOLDER = "manifest.json", "setup"
_MOST = 16 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One file of ours or with something of ours in it.

    ``before`` is what it held, None where it was not there; ``after`` the SHA-256 of what was
    written; ``made`` the folders that were made for it, the innermost last.
    """

    path: str
    before: bytes | None
    after: str
    made: tuple[str, ...]
    pieces: tuple[Piece, ...]


Records = dict[str, dict[str, Record]]  # scope -> path -> record


def digest(content: bytes) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    import hashlib  # noqa: PLC0415 - 2.6 ms, paid by setup only

    return hashlib.sha256(content).hexdigest()


def load(folder: str, root: str) -> dict[str, Record]:
    """Path to record. ``root`` is the project's folder, empty for the user's own manifest.

    A manifest in a project may have come with an archive: what it says of files outside the project
    or in git's own folder is left out. Nothing where it cannot be read.
    """
    import json  # noqa: PLC0415 - paid by setup only

    try:
        with open_plain(os.path.join(folder, NAME)) as file:
            told = json.loads(file.read(_MOST))
        found = [_record(one, folder, root) for one in told["files"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
    return {one.path: one for one in found if not root or _is_inside(one.path, root)}


def _record(told: dict[str, Any], folder: str, root: str) -> Record:
    before = None
    if told["before"] is not None:
        with open_plain(os.path.join(folder, os.path.basename(str(told["before"])))) as file:
            before = file.read()
    return Record(
        path=_absolute(str(told["path"]), root),
        before=before,
        after=str(told["after"]),
        made=tuple(_absolute(str(one), root) for one in told["made"]),
        pieces=tuple(
            Piece(
                str(one["agent"]),
                str(one["part"]),
                str(one["kind"]),
                tuple(map(str, one["path"])),
                one["value"],
                str(one["head"]),
            )
            for one in told["pieces"]
        ),
    )


def save(folder: str, root: str, records: dict[str, Record]) -> None:
    """Replace the manifest; where nothing is left to tell, it goes. Raises OSError."""
    import json  # noqa: PLC0415 - paid by setup only

    files, kept = [], {NAME} if records else set[str]()
    for record in records.values():
        name = None
        if record.before is not None:
            name = digest(_relative(record.path, root).encode("utf-8", "surrogateescape"))[:16]
            name += ".before"
            kept.add(name)
            _write_new(os.path.join(folder, name), record.before)
        files.append(
            {
                "path": _relative(record.path, root),
                "before": name,
                "after": record.after,
                "made": [_relative(one, root) for one in record.made],
                "pieces": [
                    {name: getattr(piece, name) for name in Piece.__match_args__}
                    for piece in record.pieces
                ],
            }
        )
    if files:
        told = json.dumps({"version": 1, "files": files}, indent=1).encode()
        atomic_write.replace(os.path.join(folder, NAME), told, 0o600)
    with suppress(FileNotFoundError):
        for name in set(os.listdir(folder)) - kept:
            if name == NAME or name.endswith(".before"):
                os.unlink(os.path.join(folder, name))


def _write_new(path: str, content: bytes) -> None:
    with suppress(OSError), open(path, "rb") as file:
        if file.read() == content:
            return
    atomic_write.replace(path, content, 0o600)


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/") if root else path


def _absolute(path: str, root: str) -> str:
    return os.path.normpath(os.path.join(root, path)) if root else path


def _is_inside(path: str, root: str) -> bool:
    rest = os.path.relpath(path, root).split(os.sep)
    return rest[0] not in ("..", ".", ".git", ".gitmem") and not os.path.isabs(rest[0])
