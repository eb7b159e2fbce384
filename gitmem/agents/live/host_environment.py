"""The environment in which a host starts what it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.agents.hosts import host_paths
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.agents.hosts.host import Host

# What programs started from a desktop find on their PATH; a terminal's is much longer.
_DESKTOP = {host_paths.MAC: "/usr/bin:/bin:/usr/sbin:/sbin"}


_DESKTOP_PATH = "/usr/local/bin:/usr/bin:/bin"


_KEPT = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ", "SHELL"),
        *("USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "TEMP", "TMP", "PATHEXT"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where calls are made: a repository, gitmem's data folder for it, and the canary phrase."""

    folder: str
    data: str
    phrase: str


def environment(
    given: Mapping[str, str], place: Place, host: Host, *, desktop: str = ""
) -> dict[str, str]:
    """What a host gives what it starts; ``desktop`` names the system if it came from there.

    gitmem's own variables are left out, so that nothing leads to a store of the user's.
    """
    kept = {k: v for k, v in given.items() if not k.startswith(("GIT_", "GITMEM_"))}
    if desktop:
        kept = {k: v for k, v in kept.items() if k in _KEPT}
        kept["PATH"] = desktop_path(desktop, given)
    own = host.live.environment
    theirs = {name: value.replace("{project}", place.folder) for name, value in own.items()}
    return kept | theirs | {"GITMEM_HOME": place.data}


def desktop_path(system: str, given: Mapping[str, str]) -> str:
    """The PATH of programs started from a desktop; Windows has one for all."""
    if system == host_paths.WINDOWS:
        return given.get("PATH", "")
    return _DESKTOP.get(system, _DESKTOP_PATH)
