"""The identity of a project: the key to which its memories belong.

In order of preference: a configured name, a remote's host and path, Mercurial's default path, the
first commit, the folder. Two clones of a project get the same key on any machine by all but the
last.

Computing it reads configuration and may walk history; ``identity_change_stamp`` tells in a fraction
of a millisecond whether a cached identity still holds.
"""

from __future__ import annotations

import os

from gitmem.git import plain_config
from gitmem.git.head import is_shallow, read_head
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dulwich.config import ConfigDict

    from gitmem.git.layout import RepositoryLayout

# Folders for worktrees of agents, inside the repository.
_AGENT_WORKTREES = ("/.claude/worktrees/", "/.worktrees/")


@dataclass(frozen=True, slots=True)
class ProjectIdentity:
    """The ``key`` by which a project is known in gitmem's databases, and a short ``name`` to show.

    ``source`` is where the key is from: name (the configured name), remote or hg (both
    ``host/owner/name``), root-commit (``root:<commit>``) or path (``path:<folder>``). No secret in
    it.
    """

    key: str
    source: str
    name: str


def resolve_project_identity(
    layout: RepositoryLayout, *, configured_name: str | None
) -> ProjectIdentity:
    """The ProjectIdentity, from a repository's configured name, remote, first commit or folder.

    The remote is the one that ``gitmem.remote`` names (or the URL it gives), else ``origin``, the
    current branch's upstream, or the only one there is; local paths do not count. The first commit
    is the oldest root of the local branches, unknown in a shallow clone. Raises Unavailable or
    ForeignFile when git has to be asked and fails.
    """
    from gitmem.text.name_secrets import redact_name  # noqa: PLC0415 - stores keep the answer

    name = redact_name((configured_name or "").strip())
    if name:
        return _named(name, "name")
    if remote := _remote(layout):
        return _named(remote, "remote")
    if key := _canonical(_mercurial_default(layout.store_root)):
        return _named(key, "hg")
    place = repository_of_agent_worktree(layout.store_root)
    folder = redact_name(os.path.basename(place.rstrip("/\\")) or place)
    if root := _first_commit(layout):
        return ProjectIdentity(f"root:{root}", "root-commit", folder)
    return ProjectIdentity(f"path:{redact_name(place)}", "path", folder)


def _remote(layout: RepositoryLayout) -> str:
    """The key by the remote, empty without one. A plain folder has no remote."""
    if layout.plain:
        return ""
    from gitmem.git import config  # noqa: PLC0415 - stores keep the answer

    settings = config.read_remote_config(layout)
    keys = map(_canonical, _urls(settings, read_head(layout).branch))
    return next(filter(None, keys), "")


def upstream_project_key(layout: RepositoryLayout, identity: ProjectIdentity) -> str:
    """The key (``host/owner/name``) of the project of which this one is a fork; empty if none.

    It is that of the remote ``upstream``, unless that is this project. Raises as
    ``resolve_project_identity`` does.
    """
    if layout.plain:
        return ""
    from gitmem.git import config  # noqa: PLC0415 - for `doctor` and `init`

    url = config.remote_url(config.read_remote_config(layout), "upstream")
    key = (_canonical(url) if url else None) or ""
    return "" if key == identity.key else key


def _canonical(url: str) -> str | None:
    from gitmem.git import remotes  # noqa: PLC0415 - stores keep the answer; `re` costs 4 ms
    from gitmem.text.name_secrets import redact_name  # noqa: PLC0415 - as above

    key = remotes.canonical_remote(url)
    return key and redact_name(key)


def repository_of_agent_worktree(path: str) -> str:
    """The folder of the repository for a path in an agent's worktree inside that repository.

    ``/p/.claude/worktrees/x/src`` becomes ``/p``; any other path is returned unchanged.
    """
    slashed = path.replace("\\", "/")
    ends = [slashed.find(mark) for mark in _AGENT_WORKTREES]
    return path[: min((end for end in ends if end > 0), default=len(path))]


def identity_change_stamp(
    layout: RepositoryLayout,
    *,
    home_folder: str | None,
    xdg_config_home: str | None,
    extra_files: Sequence[str] = (),
) -> str:
    """A text that changes whenever ``resolve_project_identity`` might return another identity.

    Compare it with an earlier one. ``home_folder`` and ``xdg_config_home`` are HOME and
    XDG_CONFIG_HOME; ``extra_files`` are more files to watch (``.gitmem.toml``, GIT_CONFIG_GLOBAL).
    Not noticed: changes in included files, in a system configuration outside /etc, and an older
    root commit on a new branch.
    """
    files = [
        os.path.join(layout.common_dir, "config"),
        os.path.join(layout.common_dir, "shallow"),
        os.path.join(layout.git_dir, "config.worktree"),
        plain_config.SYSTEM,
        *plain_config.user_config_files(home_folder, xdg_config_home),
        os.path.join(layout.store_root, ".hg", "hgrc"),
        *extra_files,
    ]
    head = read_head(layout)
    born = "" if head.unborn else "+"
    return " ".join([*map(_stamp, files), f"{born}{head.branch or ''}"])


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return "-"
    return f"{status.st_mtime_ns:x}.{status.st_size:x}.{status.st_ino:x}"


def _named(key: str, source: str) -> ProjectIdentity:
    return ProjectIdentity(key, source, key.rstrip("/").rpartition("/")[2] or key)


def _urls(settings: ConfigDict, branch: str | None) -> Iterator[str]:
    """Remote URLs that may name the project, best first."""
    from gitmem.git import config  # noqa: PLC0415 - stores keep the answer

    names = config.remote_names(settings)
    chosen = config.last_config_value(settings, "gitmem", "remote")
    upstream = config.last_config_value(settings, "branch", branch, "remote") if branch else None
    for name in filter(None, [chosen, "origin", upstream, *(names if len(names) == 1 else ())]):
        if url := config.remote_url(settings, name):
            yield url
        elif name != "origin":
            # gitmem.remote and branch.<name>.remote may hold a URL themselves.
            yield config.rewrite_url(settings, name)


def _mercurial_default(folder: str) -> str:
    """``default`` of ``[paths]`` in ``.hg/hgrc``; empty when there is none."""
    section = ""
    for line in plain_config.read_config_text(os.path.join(folder, ".hg", "hgrc")).splitlines():
        if line.startswith("["):
            section = line.strip().strip("[]")
        name, equals, value = line.partition("=")
        if section == "paths" and equals and name.strip() == "default":
            return value.strip()
    return ""


def _first_commit(layout: RepositoryLayout) -> str | None:
    if layout.plain or is_shallow(layout):
        return None
    # Only here: it brings `re` patterns and parsers that the hot path does not need.
    from gitmem.git.history import root_commits  # noqa: PLC0415

    roots = root_commits(layout.cwd)
    return roots[0][1] if roots else None
