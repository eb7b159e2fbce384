"""Canonical names of repositories from the URLs of their remotes.

``https://user:token@GitHub.com:443/a/b.git/``, ``ssh://git@github.com/a/b`` and
``git@github.com:a/b.git`` are all ``github.com/a/b``. Parts that could be a credential (user,
query, fragment) are dropped, and a URL that might hide one elsewhere has no name at all.

A local path or ``file://`` has no name either: it says where a copy is on one machine, not which
repository it is. The caller then tries something else (another remote, the root commit).
"""

from __future__ import annotations

import re

_SCHEMES = frozenset({"https", "http", "ssh", "git", "git+ssh", "ssh+git", "git+https", "git+http"})

# Other hosts of the same service.
_HOSTS = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "www.gitlab.com": "gitlab.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
_AZURE_SSH = frozenset({"ssh.dev.azure.com", "vs-ssh.visualstudio.com"})
_AZURE_OLD = ".visualstudio.com"


def canonical_remote(url: str) -> str | None:
    """A remote's URL as ``host/owner/name``, without credentials; None where it names no host.

    The host is in lower case without port, the path keeps its case (and all of a nested group),
    without ``.git``.
    """
    parts = _split(url.strip())
    if parts is None:
        return None
    host, path, is_web = parts
    segments = _segments(path)
    if segments is None or not (host := _host(host)):
        return None
    host, segments = _at_azure(host, segments)
    if is_web and len(segments) == 3 and segments[0] == "scm":
        del segments[0]  # Bitbucket Server has this folder in HTTP URLs, not in ssh ones
    return "/".join([host, *segments])


def _split(url: str) -> tuple[str, str, bool] | None:
    """(host with port, path, whether http) of any URL that names a host."""
    if not url.isprintable():
        return None
    scheme, separator, rest = url.partition("://")
    if separator:
        if scheme.lower() not in _SCHEMES:
            return None
        authority, _, path = rest.partition("/")
        return authority.rpartition("@")[2], path, "http" in scheme.lower()
    return _split_scp(url)


def _split_scp(url: str) -> tuple[str, str, bool] | None:
    """``user@host:path``, with brackets around an address or ``[user@host:port]:path``.

    A slash before the colon makes it a local path, a single letter a Windows drive, a second
    colon a remote helper such as ``ext::``.
    """
    bracketed = re.match(r"(?:[^@/:\[\]]*@)?\[([^\[\]/]+)\]:(.*)", url)
    if bracketed:
        inner, path = bracketed.groups()
        inner = inner.rpartition("@")[2]
        return (f"[{inner}]" if inner.count(":") > 1 else inner), path, False
    host, colon, path = url.partition(":")
    host = host.rpartition("@")[2]
    if not colon or "/" in host or len(host) < 2 or path.startswith(":"):
        return None
    return host, path, False


def _host(authority: str) -> str:
    """A host in lower case without port; empty when it is invalid."""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d*)?", authority)
    host = match[1].lower().rstrip(".") if match else ""
    return _HOSTS.get(host, host)


def _segments(path: str) -> list[str] | None:
    """The path's parts; None when it is empty, has ``..``, or may hide a credential."""
    # Of a password with a slash the end, up to the @, would be in the path.
    if "@" in path or "\\" in path:
        return None
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    path = re.sub(r"(?:%[0-9A-Fa-f]{2})+", _decoded, path)
    segments = [part for part in path.split("/") if part not in ("", ".")]
    while segments and segments[-1].endswith(".git"):
        segments[-1] = segments[-1].removesuffix(".git")
        segments = segments if segments[-1] else segments[:-1]
    return segments if segments and ".." not in segments else None


def _decoded(run: re.Match[str]) -> str:
    """Percent codes as text, unless that would change how the path is split."""
    try:
        text = bytes.fromhex(run[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return run[0].upper()
    safe = text.isprintable() and not any(char in "/%?#\\@:." or char.isspace() for char in text)
    return text if safe else run[0].upper()


def _at_azure(host: str, segments: list[str]) -> tuple[str, list[str]]:
    """Azure DevOps' four forms of URL as ``dev.azure.com/organisation/project/name``."""
    if host in _AZURE_SSH and segments[0] == "v3":
        return "dev.azure.com", segments[1:] or segments
    if host.endswith(_AZURE_OLD) and "_git" in segments and host not in _AZURE_SSH:
        path = [part for part in segments if part != "DefaultCollection"]
        host, segments = "dev.azure.com", [host.removesuffix(_AZURE_OLD), *path]
    if host == "dev.azure.com" and "_git" in segments:
        at = segments.index("_git")
        # Without a project, it has the name of the repository.
        project = segments[:at] if at > 1 else [*segments[:at], *segments[at + 1 :]]
        return host, [*project, *segments[at + 1 :]]
    return host, segments
