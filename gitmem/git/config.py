"""Reading the remotes from a repository's configuration, as git does.

dulwich reads the files (system, user, repository, in this order) and follows their includes, which
this module opens for it: only regular files of a bounded size, since the maker of the repository
chose their names. dulwich accepts files that git would refuse (an unknown escape, a variable that
begins with a digit) and reads some spellings differently (a continued line, half a value in quotes,
``Path`` in an include). So it is used only for plain text that both read alike; for the rest, for
``includeIf`` and for ``config.worktree`` (dulwich looks for it in the wrong folder),
``git config --list`` is run.

``dulwich.config`` and not ``dulwich.repo.Repo``, which opens includes without any bound, refuses
partial clones, and costs 25 ms more to import. Nor ``StackedConfig``: it puts the repository's
values before the user's, and git takes the first of several URLs and rules in the other order.
"""

from __future__ import annotations

import os

from gitmem.errors import GitmemError, Unavailable
from gitmem.git import plain_config
from gitmem.git.runner import git_environment, run_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

    from dulwich.config import ConfigDict, ConfigFile, Section

    from gitmem.git.layout import RepositoryLayout


_LARGEST = 1 << 20
_BOM = b"\xef\xbb\xbf"
# The settings that ``identity`` needs: section, number of its parts, variable.
_NEEDED = frozenset(
    {
        (b"remote", 2, b"url"),
        (b"url", 2, b"insteadof"),
        (b"branch", 2, b"remote"),
        (b"gitmem", 1, b"remote"),
    }
)
# One line that dulwich and git read alike: a header, a variable, a comment. Linear: each part
# takes what it can and gives nothing back.
_ALIKE = rb"""
    [ \t]*+
    (?: \[[a-zA-Z0-9-]++ (?:[ ]"(?:[^\x00-\x1f"\\]|\\["\\])*+")? \]
      | [a-zA-Z][a-zA-Z0-9-]*+ [ \t]*+
        (?: = [ \t]*+
            (?: "(?:[^\x00-\x1f"\\]|\\[ntb"\\])*+"
              | (?:[^\x00-\x1f"\\\#;]|\\[ntb"\\])*+
            )
        )?
    )?
    [ \t]*+ (?:[\#;][^\x00\r]*+)? \r?
"""


class _UnusualConfig(Exception):
    """A file that git has to read, since dulwich may read it differently."""


def read_remote_config(layout: RepositoryLayout) -> ConfigDict:
    """dulwich's ConfigDict of git settings about remotes: URLs, insteadOf rules, upstreams.

    Also ``gitmem.remote``. Raises Unavailable if a configuration file is a pipe or device, and
    GitmemError if git fails.
    """
    settings = read_config_by_dulwich(layout)
    return read_config_by_git(layout) if settings is None else settings


def read_config_by_dulwich(layout: RepositoryLayout) -> ConfigDict | None:
    """The git settings about remotes as in ``read_remote_config``, without running git.

    None if the files contain something that only git reads correctly.
    """
    if os.path.lexists(os.path.join(layout.git_dir, "config.worktree")):
        return None
    try:
        return _relevant(entry for path in _files(layout) for entry in _entries(path))
    except GitmemError:
        raise
    except Exception:  # anything that a parser of untrusted files may raise
        return None


def read_config_by_git(layout: RepositoryLayout) -> ConfigDict:
    """The git settings about remotes as in ``read_remote_config``, by running git."""
    listed = run_git(["config", "--list", "-z"], cwd=layout.cwd)
    return _relevant(map(_parse_entry, filter(None, listed.split(b"\0"))))


def remote_names(git_config: ConfigDict) -> list[str]:
    """The names of the remotes that have a URL; ``git_config`` is from ``read_remote_config``."""
    names = [section[1] for section in git_config.sections() if section[0] == b"remote"]
    return [os.fsdecode(name) for name in names if _urls(git_config, name)]


def remote_url(git_config: ConfigDict, name: str) -> str | None:
    """The URL of the remote ``name`` as ``git remote get-url`` prints it; None if it has none.

    It may hold a credential: pass it to ``remotes.canonical_remote``, never show it.
    """
    urls = _urls(git_config, os.fsencode(name))
    return rewrite_url(git_config, os.fsdecode(urls[0])) if urls else None


def rewrite_url(git_config: ConfigDict, url: str) -> str:
    """The URL as changed by git's rules ``url.<base>.insteadOf``: the longest prefix counts."""
    from dulwich.config import apply_instead_of, iter_instead_of  # noqa: PLC0415

    rules = list(iter_instead_of(git_config))
    if any(prefix and url.startswith(prefix) for prefix, _ in rules):
        return apply_instead_of(git_config, url)
    # dulwich does not know an empty prefix, which in git matches every URL.
    return next((base for prefix, base in rules if not prefix), "") + url


def last_config_value(git_config: ConfigDict, *key: str) -> str | None:
    """The value of a git setting, the last if it has several; None if it has none.

    ``key`` is given in parts, such as "gitmem", "remote".
    """
    *section, name = map(os.fsencode, key)
    values = _values(git_config, tuple(section), name)
    return os.fsdecode(values[-1]) if values else None


def commit_user_name(layout: RepositoryLayout) -> str:
    """The user's name that git would write into a commit here; empty where none is set."""
    if name := git_environment().get("GIT_AUTHOR_NAME"):
        return name.strip()
    configs = [plain_config.read_config_file(path) for path in _files(layout)]
    includes = any(key.startswith("include") for settings in configs for key in settings)
    if includes or os.path.lexists(os.path.join(layout.git_dir, "config.worktree")):
        try:
            return os.fsdecode(run_git(["config", "user.name"], cwd=layout.cwd)).strip()
        except GitmemError:
            return ""
    names = [plain_config.last_value_of_key(settings, "user.name") for settings in configs]
    return next((name.strip() for name in reversed(names) if name), "")


def _files(layout: RepositoryLayout) -> list[str]:
    """The configuration files git reads, least important first."""
    env = git_environment()
    home, xdg = env.get("HOME", ""), env.get("XDG_CONFIG_HOME", "")
    without = plain_config.is_true_value(env.get("GIT_CONFIG_NOSYSTEM", ""))
    files = [] if without else [env.get("GIT_CONFIG_SYSTEM", plain_config.SYSTEM)]
    if "GIT_CONFIG_GLOBAL" in env:
        files.append(env["GIT_CONFIG_GLOBAL"])
    else:
        files += plain_config.user_config_files(home or None, xdg or None)
    return [*files, os.path.join(layout.common_dir, "config")]


def _relevant(entries: Iterable[tuple[Section, bytes, bytes]]) -> ConfigDict:
    """The settings that ``identity`` needs, with names in lower case.

    An entry that is not UTF-8 is left out: dulwich cannot compare it, and no host has such a name.
    """
    from dulwich.config import ConfigDict  # noqa: PLC0415 - 25 ms, paid when an identity changed

    settings = ConfigDict()
    for written, name, value in entries:
        section = (written[0].lower(), *written[1:])
        relevant = (section[0], len(section), name.lower()) in _NEEDED
        if relevant and section[-1] and _is_utf8(b"".join((*section, value))):
            settings.add(section, name.lower(), value)
    return settings


def _entries(path: str) -> Iterator[tuple[Section, bytes, bytes]]:
    """The values in a file and its includes. Raises ``_UnusualConfig`` where git is needed."""
    from dulwich.config import ConfigFile  # noqa: PLC0415

    opened = 0

    def open_included_file(path: str | os.PathLike[str]) -> IO[bytes]:
        nonlocal opened
        opened += 1
        return _open(os.fspath(path))

    if not os.path.isabs(path):
        raise _UnusualConfig
    try:
        text = _open(path)
    except FileNotFoundError:
        return
    # Every condition counts as met: git, which then reads it, must not meet a pipe either.
    parsed = ConfigFile.from_file(
        text,
        config_dir=os.path.dirname(path),
        file_opener=open_included_file,
        condition_matchers={"": lambda _: True},
    )
    _check_includes(parsed, opened)
    for section in parsed.sections():
        for name, value in parsed.items(section):
            yield section, name, value


def _check_includes(parsed: ConfigFile, opened: int) -> None:
    """Raise _UnusualConfig where git would follow other includes than dulwich has.

    dulwich reads a file only once, where git reads it again or reports a circle, and accepts
    ``path`` in lower case only.
    """
    if any(section[0].lower() == b"includeif" for section in parsed.sections()):
        raise _UnusualConfig
    paths = _values(parsed, (b"include",), b"path")
    if len(paths) != opened or any(path.startswith(b"%(") for path in paths):
        raise _UnusualConfig
    same_home = git_environment().get("HOME") == os.path.expanduser("~")
    if not same_home and any(path.startswith(b"~") for path in paths):
        raise _UnusualConfig


def _open(path: str) -> IO[bytes]:
    """A file's text for dulwich. Raises FileNotFoundError where git would skip it silently.

    Raises _UnusualConfig for a text that git has to read: unreadable, large, or unusually spelt.
    Raises Unavailable for a pipe or a device, on which git would block.
    """
    import io  # noqa: PLC0415
    import re  # noqa: PLC0415

    try:
        text = _bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise _UnusualConfig from error
    text = text.removeprefix(_BOM)
    alike = re.compile(_ALIKE, re.VERBOSE).fullmatch
    if len(text) > _LARGEST or not all(map(alike, text.split(b"\n"))):
        raise _UnusualConfig
    return io.BytesIO(text)


def _bounded(path: str) -> bytes:
    """The file's content, at most one byte more than _LARGEST."""
    import stat  # noqa: PLC0415

    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise _UnusualConfig
    if os.path.samestat(status, os.stat(os.devnull)):
        return b""
    if not stat.S_ISREG(status.st_mode):
        raise Unavailable(
            f"The git configuration reads {path!r}, which is not a regular file: git may "
            "hang on it.",
            "Remove that file, or the include that names it, from the configuration.",
        )
    with open(path, "rb", opener=_open_without_blocking) as file:
        return file.read(_LARGEST + 1)


def _open_without_blocking(path: str, flags: int) -> int:
    # Between the check of its type and this call the file can become a pipe.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _parse_entry(entry: bytes) -> tuple[Section, bytes, bytes]:
    """One entry of ``git config --list -z``: ``section.sub.section.name``, newline, value."""
    key, separator, value = entry.partition(b"\n")
    section, _, rest = key.partition(b".")
    subsection, dot, name = rest.rpartition(b".")
    return (section, subsection) if dot else (section,), name, value if separator else b"true"


def _urls(settings: ConfigDict, name: bytes) -> list[bytes]:
    """A remote's URLs. An empty one cancels those before it (git 2.46 and later)."""
    urls = _values(settings, (b"remote", name), b"url")
    resets = [index for index, url in enumerate(urls) if not url]
    return urls[resets[-1] + 1 :] if resets else urls


def _values(settings: ConfigDict, section: Section, name: bytes) -> list[bytes]:
    # Not get_multivar: where [a "b"] is missing it returns the values of [a].
    return list(settings[section].get_all(name)) if section in set(settings.sections()) else []


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
