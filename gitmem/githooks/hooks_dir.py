"""Finding the folder of this repository's hooks, and whether gitmem may write there.

It may write only inside the repository's own git directory. A folder in the worktree is tracked and
shared with people who may not have gitmem; one elsewhere serves other repositories too.
"""

from __future__ import annotations

import os

from gitmem.git.runner import git_environment, run_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout

CONFIG_HOOKS = (2, 54)  # https://git-scm.com/docs/git-hook/2.54.0


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """The ``folder`` where git looks for hooks, and the ``reason`` why gitmem may not write there.

    The reason is empty if it may.
    """

    folder: str
    reason: str


def find_hooks_folder(layout: RepositoryLayout) -> HooksFolder:
    """The HooksFolder of a repository: where git looks for hooks, and whether gitmem may write.

    It may not if ``core.hooksPath`` leads out of the git directory. Raises GitmemError if git
    fails.
    """
    # The runner's own override of core.hooksPath (scope "command") does not count.
    query = ["config", "-z", "--show-scope", "--get-all", "core.hooksPath"]
    parts = os.fsdecode(run_git(query, cwd=layout.cwd, allowed_statuses=(0, 1))).split("\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    values = [value for scope, value in pairs if scope != "command"]
    configured = values[-1] if values else None
    if configured is None:
        return resolve_hooks_folder(layout, os.path.join(layout.common_dir, "hooks"))
    home = git_environment().get("HOME", "")
    if configured.startswith("~/") and home:
        configured = os.path.join(home, configured[2:])
    return resolve_hooks_folder(
        layout, os.path.join(layout.cwd, configured) if configured else os.devnull
    )


def resolve_hooks_folder(layout: RepositoryLayout, folder_path: str) -> HooksFolder:
    """Whether gitmem may write hooks into ``folder_path``: only in the repository's git directory.

    Returns a HooksFolder with the folder's real path (links followed), and a reason if it may not.
    """
    if folder_path == os.devnull:
        return HooksFolder(folder_path, "core.hooksPath turns all hooks off")
    real = os.path.realpath(folder_path)
    if _is_below(real, layout.common_dir):
        return HooksFolder(real, "")
    top = layout.worktree
    if top is not None and _is_below(real, os.path.realpath(top)):
        return HooksFolder(
            real, f"{os.path.relpath(real, top)} is in the worktree, shared with others"
        )
    return HooksFolder(real, f"{real} serves other repositories too")


def read_git_version(layout: RepositoryLayout) -> tuple[int, int]:
    """The version of the git on PATH as (major, minor) numbers; (0, 0) if it cannot be read."""
    return parse_git_version(os.fsdecode(run_git(["--version"], cwd=layout.cwd)))


def parse_git_version(text: str) -> tuple[int, int]:
    """The (major, minor) numbers in a text such as ``git version 2.39.5``; (0, 0) without any."""
    words = text.split()
    parts = (words[2] if len(words) > 2 else "").split(".")
    numbers = [int(part) for part in parts[:2] if part.isdecimal()]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
