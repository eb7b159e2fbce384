"""Keys of projects: of a repository, and of its sub-projects.

``github.com/acme/shop//web`` is the sub-project ``web`` of ``github.com/acme/shop``. The mark is
two slashes, which no host, owner or path has, except in a scheme (``https://``). The key holds a
name and no folder, so a folder may be renamed or moved.
"""

from __future__ import annotations

MARK = "//"
# Values of ``--project`` besides the names of sub-projects.
ALL, UPSTREAM = "all", "upstream"
LONGEST = 100


def subproject_key(key: str, name: str) -> str:
    """Return the key of a repository's sub-project, ``KEY//NAME``; without a name ``key``."""
    return f"{key}{MARK}{name}" if name else key


def split_project_key(key: str) -> tuple[str, str]:
    """Return the key of the repository, and the name of the sub-project, in a project's key.

    The name is empty if the key is the repository's own.
    """
    start = key.find("://") + 3 if "://" in key else 0
    place = key.find(MARK, start)
    return (key, "") if place < 0 else (key[:place], key[place + len(MARK) :])


def is_short_project_name(name: str) -> bool:
    """Return whether a project's name is a word or two (``a/b``), neither path nor address."""
    parts = name.split("/")
    return (
        is_valid_subproject_name(name)
        and not name.startswith(("-", "~", "."))
        and len(parts) <= 2
        and all(part.strip(". ") for part in parts)
        and (len(parts) == 1 or "." not in parts[0])
    )


def is_valid_subproject_name(text: str) -> bool:
    """Return whether a text can name a sub-project: up to 100 printable characters on one line.

    Without ``//``, ``:``, ``,``, ``=`` and backslashes, and not "all" or "upstream".
    """
    return (
        0 < len(text) <= LONGEST
        and text.isprintable()
        and text == text.strip().strip("/")
        and not any(mark in text for mark in (MARK, ":", ",", "=", "\\"))
        and text.lower() not in (ALL, UPSTREAM)
    )
