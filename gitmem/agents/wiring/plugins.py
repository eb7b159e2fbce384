"""Plugin layouts of the hosts that install a folder whole, from the same data as setup.

A plugin is a folder that its host installs whole. Its files start plain ``gitmem``, found on the
PATH of whoever installs it, so they are the same everywhere.
"""

from __future__ import annotations

import json
import os

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.table import HOSTS, PLUGIN_HOSTS
from gitmem.agents.wiring import templates
from gitmem.errors import InvalidInput, NotOurs
from gitmem.files import foreign_file

_ABOUT = "The memory of a git repository: decisions, sessions and orientation for coding agents."


def layout(host: str, version: str) -> dict[str, bytes]:
    """Relative path to content of every file of a plugin. Raises InvalidInput."""
    plugin = registry.find(host).plugin
    if plugin is None:
        raise InvalidInput(
            f"There is no plugin format for {host}.", f"Choose one of: {', '.join(PLUGIN_HOSTS)}."
        )
    about = {"name": templates.NAME, "version": version, "description": _ABOUT}
    return {
        name: (
            told if isinstance(told, str) else json.dumps(told, indent=2, ensure_ascii=False) + "\n"
        ).encode()
        for name, told in plugin.files(about, templates.shape(host), templates.template)
    }


def write(host: str, folder: str, version: str) -> list[tuple[str, bool]]:
    """Write a plugin into a folder: each path, and whether it changed.

    Files of an earlier layout of ours are replaced. Raises NotOurs where another's file stands in
    the way, before anything is written; OSError.
    """
    changes, found = [], []
    manifests = [os.path.join(folder, host.plugin.manifest) for host in HOSTS if host.plugin]
    for name, content in layout(host, version).items():
        path = os.path.join(folder, *name.split("/"))
        seen = foreign_file.look(path, folder if os.path.isdir(folder) else "")
        if seen.content not in (None, content) and not any(map(_is_manifest, manifests)):
            raise NotOurs(
                f"{path} already exists and is not part of a gitmem plugin.",
                "Name an empty folder; nothing was written.",
            )
        found.append((path, seen.content != content))
        if seen.content != content:
            made = foreign_file.missing_folders(seen.target)
            changes.append(foreign_file.Change(seen, content, made))
    foreign_file.write_all(changes)
    return found


def _is_manifest(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            told = json.loads(file.read(1 << 16))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and told.get("name") == templates.NAME
