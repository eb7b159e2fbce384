"""Plugins: folders that some hosts install as a whole, made from the same templates as setup.

Their files start plain ``gitmem``, found on the PATH of whoever installs them.
"""

from __future__ import annotations

import json
import os

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.table import HOSTS, PLUGIN_HOSTS
from gitmem.agents.wiring import templates
from gitmem.errors import ForeignFile, InvalidInput
from gitmem.files import foreign_file

_ABOUT = "The memory of a git repository: decisions, sessions and orientation for coding agents."


def plugin_files(host_name: str, version: str) -> dict[str, bytes]:
    """The files of gitmem's plugin for an agent program: relative path -> content.

    Raises InvalidInput for a program without plugins.
    """
    plugin = registry.find_host(host_name).plugin
    if plugin is None:
        raise InvalidInput(
            f"There is no plugin format for {host_name}.",
            f"Choose one of: {', '.join(PLUGIN_HOSTS)}.",
        )
    about = {"name": templates.NAME, "version": version, "description": _ABOUT}
    return {
        name: (
            content
            if isinstance(content, str)
            else json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        ).encode()
        for name, content in plugin.files(
            about, templates.read_config_template(host_name), templates.read_template_file
        )
    }


def write_plugin(host_name: str, folder: str, version: str) -> list[tuple[str, bool]]:
    """Write gitmem's plugin for an agent program into a folder; returns (path, whether it changed).

    Files of an earlier gitmem plugin are replaced. Raises ForeignFile if another file is in the
    way, before anything is written; OSError.
    """
    changes, written = [], []
    manifests = [os.path.join(folder, host.plugin.manifest) for host in HOSTS if host.plugin]
    for name, content in plugin_files(host_name, version).items():
        path = os.path.join(folder, *name.split("/"))
        file = foreign_file.snapshot_of_changeable_file(
            path, folder if os.path.isdir(folder) else ""
        )
        if file.content not in (None, content) and not any(map(_is_manifest, manifests)):
            raise ForeignFile(
                f"{path} already exists and is not part of a gitmem plugin.",
                "Name an empty folder; nothing was written.",
            )
        written.append((path, file.content != content))
        if file.content != content:
            new_folders = foreign_file.missing_parent_folders(file.target)
            changes.append(foreign_file.FileEdit(file, content, new_folders))
    foreign_file.write_all_files(changes)
    return written


def _is_manifest(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(1 << 16))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("name") == templates.NAME
