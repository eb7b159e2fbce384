"""The script that all hooks source, on the disk: ``gitmem/hook.sh`` in the common git directory.

It lies there, and not in ``.gitmem/``, because a clone, a checkout or an archive can bring any
folder of the worktree and nothing of the git directory. What stands there is compared with what
should: other programs and people can write to a git directory too.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import NotOurs
from gitmem.files import atomic_write, foreign_file
from gitmem.files.foreign_file import FileState
from gitmem.githooks import shims

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.git.layout import Layout


def path(layout: Layout) -> str:
    """Where it lies, the same for every worktree of a repository."""
    return os.path.join(layout.common_dir, *shims.SCRIPT.split("/"))


def drift(layout: Layout, wanted: bytes) -> str:
    """How what is there differs from ``wanted``, as a clause; empty where it does not."""
    place = path(layout)
    seen, strange = _stand(place)
    if strange:
        return f"{place} is a symbolic link or not a file"
    if seen.content is None:
        return f"{place} is missing"
    if seen.mode & 0o022:
        return f"{place} can be written by others"
    return "" if seen.content == wanted else f"{place} is not what this gitmem writes"


def read(layout: Layout) -> bytes:
    """What is there; empty where nothing can be read. Never through a link or from a pipe."""
    with suppress(OSError):
        return _stand(path(layout))[0].content or b""
    return b""


def _stand(place: str) -> tuple[FileState, str]:
    try:
        seen, strange = foreign_file.read_state(place)
    except PermissionError:
        return FileState(place, b""), ""
    if seen.content is not None and os.path.islink(os.path.dirname(place)):
        strange = "behind a symbolic link"
    return seen, strange


def write(layout: Layout, content: bytes) -> bool:
    """Put it in place whole, readable for whoever may read the git directory; whether it changed.

    Raises OSError, NotOurs where something else has the folder's name.
    """
    if not drift(layout, content):
        return False
    place = path(layout)
    folder = os.path.dirname(place)
    rights = os.stat(layout.common_dir).st_mode
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        os.chmod(folder, 0o700 | rights & 0o055)
        atomic_write.keep_owner(layout.common_dir, folder)
    if os.path.islink(folder) or not os.path.isdir(folder):
        raise NotOurs(f"{folder} is not gitmem's folder.", "Move it away.")
    atomic_write.replace(place, content, 0o600 | rights & 0o044, keeps_owner=True)
    return True


def remove(layout: Layout) -> None:
    """Remove it and its folder; a folder with anything else in it stays. Raises OSError."""
    place = path(layout)
    folder = os.path.dirname(place)
    if os.path.islink(folder):
        return
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(place)
    with suppress(OSError):
        os.rmdir(folder)
