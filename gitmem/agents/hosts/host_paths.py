"""Turning the path templates of hosts into the paths of their files.

System, home folder and environment are arguments, so that the paths of any system can be computed
on any other. The disk is only asked whether files exist.
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
class PathTemplateFolders:
    """The folders that stand for the names in path templates; empty if there is no such folder.

    ``system`` is as in ``sys.platform``. ``project`` is a worktree's folder, ``main`` that of the
    main worktree if the project is a linked one, else empty. ``local`` is ".local" for personal
    files, else empty. ``data`` is the user's folder of gitmem. ``folder`` is a folder in the
    project in which an agent program would be started, empty for the project's own.
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
    def folders_by_name(self) -> dict[str, str]:
        """The folders that path templates may begin with, by name (``home`` for ``{home}``)."""
        xdg = self.environment.get("XDG_CONFIG_HOME") or _join(self.home, ".config")
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
            return self.environment.get("APPDATA") or _join(self.home, "AppData", "Roaming")
        if self.system == MAC:
            return _join(self.home, "Library", "Application Support")
        return self.environment.get("XDG_CONFIG_HOME") or _join(self.home, ".config")


def _join(folder: str, *names: str) -> str:
    return os.path.join(folder, *names) if folder else ""


def expand_path_template(bases: PathTemplateFolders, host: Host, path_template: str) -> str:
    """The path that a template such as ``{home}/.zed`` stands for.

    Empty if its folder is not known, without a home or a project for instance. ``host`` is the
    agent program, which may have folder names of its own; ``bases`` holds the folders.
    """
    name = path_template[1 : path_template.index("}")]
    base = _own(bases, host, name) if name in host.bases else bases.folders_by_name[name]
    if not base:
        return ""
    rest = path_template[path_template.index("}") + 1 :].replace("{local}", bases.local)
    return os.path.join(base, *rest.strip("/").split("/")) if rest else base


def _own(bases: PathTemplateFolders, host: Host, name: str) -> str:
    """The folder behind a name that only this host's templates use."""
    own = host.bases[name]
    otherwise = own.on_windows if bases.system == WINDOWS and own.on_windows else own.otherwise
    return bases.environment.get(own.variable) or expand_path_template(bases, host, otherwise)


def file_of_setup_part(bases: PathTemplateFolders, host: Host, setup_part: str, scope: str) -> str:
    """The file to which a part (mcp, hooks, rules) of a host's setup is to be written.

    A host is an agent program. Empty if it has none in this ``scope`` (project or user), or its
    folder is not known.
    """
    templates = host.places.get((setup_part, scope), ())
    paths = [expand_path_template(bases, host, template) for template in templates]
    return next(
        (path for path in paths if path and os.path.lexists(path)), paths[0] if paths else ""
    )


def all_files_of_setup_part(
    bases: PathTemplateFolders, host: Host, setup_part: str, scope: str
) -> list[str]:
    """The paths of all files in which a host may read a part, both personal and team files.

    A host is an agent program, a part mcp, hooks or rules; ``scope`` is project or user.
    """
    places = []
    templates = host.places.get((setup_part, scope), ()) + host.also_read.get(
        (setup_part, scope), ()
    )
    for template in templates:
        for local in dict.fromkeys((bases.local, "", ".local")):
            if candidate := expand_path_template(replace(bases, local=local), host, template):
                places.append(candidate)
    return list(dict.fromkeys(places))


def is_installed(bases: PathTemplateFolders, host: Host) -> bool:
    """Whether a folder of the host (agent program) exists, or its program is on the PATH."""
    import shutil  # noqa: PLC0415 - paid by setup only

    if any(
        os.path.exists(folder)
        for folder in (expand_path_template(bases, host, template) for template in host.folders)
        if folder
    ):
        return True
    search = bases.environment.get("PATH", "")
    return any(shutil.which(program, path=search) for program in host.programs)


def shorten_paths(text: str, project: str, home: str) -> str:
    """The text with paths below ``project`` made relative, those below ``home`` with ``~``."""
    for folder, shown in ((project, ""), (home, "~" + os.sep)):
        if len(folder) > 1:
            text = text.replace(folder + os.sep, shown)
    return text
