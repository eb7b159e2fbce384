"""A repository's whole configuration: system, user, repository, work tree, later ones last.

dulwich parses the files while they stand alone. Where one includes another (``includeIf`` depends
on the folder and the branch, and dulwich does not follow it in the user's file), where a file is
odd, or dulwich fails, ``git config --list`` answers: it is the authority.
"""

from __future__ import annotations

import os

from gitmem.git import plain_config
from gitmem.git.runner import environment, run_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git.layout import Layout
    from gitmem.git.plain_config import Settings


def read(layout: Layout) -> Settings:
    """All values of each key, in git's order: the last one counts, of a URL the first.

    Keys as git prints them: ``remote.origin.url``. Raises what ``run_git`` raises, but only where
    git has to be asked.
    """
    texts: list[str] = []
    for path in _files(layout):
        text = plain_config.read_text(path)
        if plain_config.has_includes(text) or (not text and _has_content(path)):
            return by_git(layout)
        texts.append(text)
    try:
        return by_dulwich(texts)
    except Exception:  # whatever a parser of other people's files may raise
        return by_git(layout)


def by_dulwich(texts: Sequence[str]) -> Settings:
    """The settings of some configuration files' texts, in order."""
    import io  # noqa: PLC0415

    from dulwich.config import ConfigFile  # noqa: PLC0415 - 12 ms, paid when an identity changed

    settings: Settings = {}
    for text in texts:
        parsed = ConfigFile.from_file(io.BytesIO(os.fsencode(text)))
        for section in parsed.sections():
            prefix = ".".join([os.fsdecode(section[0]).lower(), *map(os.fsdecode, section[1:])])
            for name, value in parsed.items(section):
                key = f"{prefix}.{os.fsdecode(name).lower()}"
                settings.setdefault(key, []).append(os.fsdecode(value))
    return settings


def by_git(layout: Layout) -> Settings:
    """The same from git, includes and all."""
    listed = os.fsdecode(run_git(["config", "--list", "-z"], cwd=layout.cwd))
    settings: Settings = {}
    for entry in listed.split("\0"):
        key, told, value = entry.partition("\n")
        if key:
            settings.setdefault(key, []).append(value if told else "true")
    return settings


def _files(layout: Layout) -> list[str]:
    """The configuration files git reads, least important first."""
    env = environment()
    home, xdg = env.get("HOME", ""), env.get("XDG_CONFIG_HOME", "")
    files = [] if env.get("GIT_CONFIG_NOSYSTEM") else [env.get("GIT_CONFIG_SYSTEM", SYSTEM)]
    if "GIT_CONFIG_GLOBAL" in env:
        files.append(env["GIT_CONFIG_GLOBAL"])
    else:
        files += user_files(home or None, xdg or None)
    common = os.path.join(layout.common_dir, "config")
    files.append(common)
    if plain_config.truth(plain_config.read(common), "extensions.worktreeconfig"):
        files.append(os.path.join(layout.git_dir, "config.worktree"))
    return files


SYSTEM = "/etc/gitconfig"


def user_files(home: str | None, xdg: str | None) -> list[str]:
    """The user's two configuration files, given HOME and XDG_CONFIG_HOME."""
    base = xdg or (os.path.join(home, ".config") if home else None)
    files = [os.path.join(base, "git", "config")] if base else []
    return [*files, os.path.join(home, ".gitconfig")] if home else files


def _has_content(path: str) -> bool:
    return os.path.isfile(path) and os.stat(path).st_size > 0
