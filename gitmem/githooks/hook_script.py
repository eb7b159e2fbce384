"""The script that all hooks source: ``gitmem/hook.sh`` in the common git directory.

It is there, and not in ``.gitmem/``, because a clone, a checkout or an archive can contain any
folder of the worktree, but nothing of the git directory. Other programs and people may write there
too, so the file is compared with what it should be.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import ForeignFile
from gitmem.files import atomic_write, foreign_file
from gitmem.files.foreign_file import FileSnapshot
from gitmem.githooks import shims

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout


def hook_script_path(layout: RepositoryLayout) -> str:
    """The path of the script that all of gitmem's git hooks run, in the common git directory."""
    return os.path.join(layout.common_dir, *shims.SCRIPT.split("/"))


def describe_script_drift(layout: RepositoryLayout, expected: bytes) -> str:
    """What is wrong with the script that gitmem's git hooks run, as a clause; empty if nothing is.

    Such as "PATH is missing": it has to be a file with the bytes ``expected`` that nobody but its
    owner can write.
    """
    place = hook_script_path(layout)
    file, reason = _read_file(place)
    if reason:
        return f"{place} is a symbolic link or not a file"
    if file.content is None:
        return f"{place} is missing"
    if file.mode & 0o022:
        return f"{place} can be written by others"
    return "" if file.content == expected else f"{place} is not what this gitmem writes"


def read_hook_script(layout: RepositoryLayout) -> bytes:
    """The bytes of the script that gitmem's git hooks run; empty if it is no readable file."""
    with suppress(OSError):
        return _read_file(hook_script_path(layout))[0].content or b""
    return b""


def hook_script_has_token(layout: RepositoryLayout, token: str) -> bool:
    """Whether the script that gitmem's git hooks run exists and contains ``token``.

    The token is the secret word with which each line begins that the hooks of one store write.
    """
    content = read_hook_script(layout)
    return bool(content) and token.encode() in content


def _read_file(place: str) -> tuple[FileSnapshot, str]:
    try:
        file, reason = foreign_file.read_file_snapshot(place)
    except PermissionError:
        return FileSnapshot(place, b""), ""
    if file.content is not None and os.path.islink(os.path.dirname(place)):
        reason = "behind a symbolic link"
    return file, reason


def write_hook_script(layout: RepositoryLayout, content: bytes) -> bool:
    """Make ``content`` the script that gitmem's git hooks run; returns whether the file changed.

    Those who may read the git directory may read the script. Raises OSError, and ForeignFile if its
    folder ``gitmem`` in the git directory is a link or a file.
    """
    if not describe_script_drift(layout, content):
        return False
    place = hook_script_path(layout)
    folder = os.path.dirname(place)
    rights = os.stat(layout.common_dir).st_mode
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        os.chmod(folder, 0o700 | rights & 0o055)
        atomic_write.copy_owner(layout.common_dir, folder)
    if os.path.islink(folder) or not os.path.isdir(folder):
        raise ForeignFile(f"The folder {folder} was not made by gitmem.", "Move it away.")
    atomic_write.replace_file(place, content, 0o600 | rights & 0o044, keeps_owner=True)
    return True


def remove_hook_script(layout: RepositoryLayout) -> None:
    """Remove the script that gitmem's git hooks run, and its folder if empty. Raises OSError."""
    place = hook_script_path(layout)
    folder = os.path.dirname(place)
    if os.path.islink(folder):
        return
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(place)
    with suppress(OSError):
        os.rmdir(folder)
