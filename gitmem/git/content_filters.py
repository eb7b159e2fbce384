"""Disabling the content filters of a repository's own configuration.

``git status`` hashes a file whose time stamp changed, and runs the clean filter named by the
attributes first. Git has no switch for that, so each filter of the repository's configuration is
overridden by name. Filters of the user's own configuration (git-lfs) stay: the user chose them.
"""

from __future__ import annotations

import os

from gitmem.git import plain_config
from gitmem.git.runner import run_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout

_OFF = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))


def settings_disabling_filters(layout: RepositoryLayout) -> tuple[tuple[str, str], ...]:
    """(key, value) settings for ``run_git(config=...)`` that disable the repository's own filters.

    Content filters are programs that git runs on files; those of the user's settings stay. Usually
    empty.
    """
    files = (
        os.path.join(layout.common_dir, "config"),
        os.path.join(layout.common_dir, "config.worktree"),
        os.path.join(layout.git_dir, "config.worktree"),
    )
    if not any(_may_define_filters(path) for path in files):
        return ()
    listed = run_git(["config", "--list", "-z", "--show-scope"], cwd=layout.cwd)
    names = sorted(parse_local_filters(listed))
    return tuple((f"filter.{name}.{part}", value) for name in names for part, value in _OFF)


def parse_local_filters(config_list: bytes) -> set[str]:
    """The names of a repository's content filters, from ``git config --list -z --show-scope``."""
    parts = os.fsdecode(config_list).split("\0")
    keys = {
        entry.partition("\n")[0]
        for scope, entry in zip(parts[::2], parts[1::2], strict=False)
        if scope in ("local", "worktree")
    }
    return {key[len("filter.") :].rpartition(".")[0] for key in keys if key.startswith("filter.")}


def _may_define_filters(path: str) -> bool:
    text = plain_config.read_config_text(path).lower()
    # An unreadable or huge file may say anything.
    return "filter" in text or "include" in text or (not text and os.path.isfile(path))
