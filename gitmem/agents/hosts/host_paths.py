"""Where hosts keep their files: their templates become paths.

The system, the home folder and the environment are arguments, so that every system's places can be
computed on any other. Nothing is written here; the disk is only asked whether something is there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitmem.model.frozen import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.agents.hosts.host import Host

LINUX, MAC, WINDOWS = "linux", "darwin", "win32"


@dataclass(frozen=True, slots=True)
class Bases:
    """What templates are filled with; an empty text means that there is no such place.

    ``system`` is as ``sys.platform`` has it; ``local`` is ``.local`` where files are personal.
    ``data`` is gitmem's own folder for this user. ``main`` is the folder of the main worktree where
    the project is a linked one, empty elsewhere; ``folder`` the one in the project that is asked
    about, empty for the project's own.
    """

    system: str
    home: str
    project: str
    environment: Mapping[str, str]
    local: str = ".local"
    data: str = ""
    main: str = ""
    folder: str = ""

    @property
    def values(self) -> dict[str, str]:
        """Every name that any host's templates may use."""
        xdg = self.environment.get("XDG_CONFIG_HOME") or _below(self.home, ".config")
        return {
            "home": self.home,
            "project": self.project,
            "main": self.main or self.project,
            "config": self._config(),
            "xdg": xdg,
            "local": self.local,
        }

    def _config(self) -> str:
        if self.system == WINDOWS:
            return self.environment.get("APPDATA") or _below(self.home, "AppData", "Roaming")
        if self.system == MAC:
            return _below(self.home, "Library", "Application Support")
        return self.environment.get("XDG_CONFIG_HOME") or _below(self.home, ".config")


def _below(folder: str, *names: str) -> str:
    return os.path.join(folder, *names) if folder else ""


def path(bases: Bases, host: Host, template: str) -> str:
    """The path that a template means; empty where its base is not there (no home, no project)."""
    name = template[1 : template.index("}")]
    base = _own(bases, host, name) if name in host.bases else bases.values[name]
    if not base:
        return ""
    rest = template[template.index("}") + 1 :].replace("{local}", bases.local)
    return os.path.join(base, *rest.strip("/").split("/")) if rest else base


def _own(bases: Bases, host: Host, name: str) -> str:
    """The place behind a name that only this host's templates have."""
    own = host.bases[name]
    otherwise = own.on_windows if bases.system == WINDOWS and own.on_windows else own.otherwise
    return bases.environment.get(own.variable) or path(bases, host, otherwise)


def place(bases: Bases, host: Host, part: str, scope: str) -> str:
    """The file of one part; empty where the host has none in this scope or no base is there."""
    templates = host.places.get((part, scope), ())
    paths = [path(bases, host, template) for template in templates]
    return next((one for one in paths if one and os.path.lexists(one)), paths[0] if paths else "")


def all_places(bases: Bases, host: Host, part: str, scope: str) -> list[str]:
    """Every file in which a part may stand: also personal and team's, whichever would be meant."""
    found = []
    templates = host.places.get((part, scope), ()) + host.also_read.get((part, scope), ())
    for template in templates:
        for local in dict.fromkeys((bases.local, "", ".local")):
            if one := path(replace(bases, local=local), host, template):
                found.append(one)
    return list(dict.fromkeys(found))


def is_installed(bases: Bases, host: Host) -> bool:
    """Whether the host's folder is there or its program on the PATH."""
    import shutil  # noqa: PLC0415 - paid by setup only

    if any(
        os.path.exists(one) for one in (path(bases, host, each) for each in host.folders) if one
    ):
        return True
    search = bases.environment.get("PATH", "")
    return any(shutil.which(program, path=search) for program in host.programs)


def short(text: str, project: str, home: str) -> str:
    """A text with paths as people read them: from the project's folder, or from ``~``."""
    for folder, told in ((project, ""), (home, "~" + os.sep)):
        if len(folder) > 1:
            text = text.replace(folder + os.sep, told)
    return text
