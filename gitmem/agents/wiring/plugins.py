"""Plugin layouts of Claude Code, Codex, Cursor and Gemini CLI, from the same data as setup.

A plugin is a folder that its host installs whole. Its files start plain ``gitmem``, found on the
PATH of whoever installs it, so they are the same everywhere.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts.table import HOOKS, MCP
from gitmem.agents.wiring import safe_write, templates
from gitmem.errors import InvalidInput, NotOurs

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS = ("claude-code", "codex", "cursor", "gemini")
_ABOUT = "The memory of a git repository: decisions, sessions and orientation for coding agents."


def layout(host: str, version: str) -> dict[str, bytes]:
    """Relative path to content of every file of a plugin. Raises InvalidInput."""
    make = _MAKERS.get(host)
    if make is None:
        raise InvalidInput(
            f"There is no plugin format for {host}.", f"Choose one of: {', '.join(HOSTS)}."
        )
    return {
        name: told.encode() if isinstance(told, str) else _json(told)
        for name, told in make({"name": templates.NAME, "version": version, "description": _ABOUT})
    }


def write(host: str, folder: str, version: str) -> list[tuple[str, bool]]:
    """Write a plugin into a folder: each path, and whether it changed.

    Files of an earlier layout of ours are replaced. Raises NotOurs where another's file stands in
    the way, before anything is written; OSError.
    """
    changes, found = [], []
    for name, content in layout(host, version).items():
        path = os.path.join(folder, *name.split("/"))
        seen = safe_write.look(path, folder if os.path.isdir(folder) else "")
        if seen.content is not None and not _is_ours(folder, seen.content, content):
            raise NotOurs(
                f"{path} already exists and is not part of a gitmem plugin.",
                "Name an empty folder; nothing was written.",
            )
        found.append((path, seen.content != content))
        if seen.content != content:
            made = safe_write.missing_folders(seen.target)
            changes.append(safe_write.Change(seen, content, made))
    safe_write.write_all(changes)
    return found


def _is_ours(folder: str, now: bytes, wanted: bytes) -> bool:
    return now == wanted or any(_is_manifest(os.path.join(folder, name)) for name in _MANIFESTS)


def _is_manifest(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            told = json.loads(file.read(1 << 16))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and told.get("name") == templates.NAME


_MANIFESTS = (
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
)
Files = list[tuple[str, Any]]


def _claude(about: dict[str, Any]) -> Files:
    told = templates.shape("claude-code")
    entry = {"source": "./", **about}
    market = {"name": templates.NAME, "owner": {"name": "The gitmem authors"}, "plugins": [entry]}
    return [
        (_MANIFESTS[0], about | {"author": {"name": "The gitmem authors"}}),
        (".claude-plugin/marketplace.json", market),
        ("hooks/hooks.json", told[HOOKS]),
        (".mcp.json", told[MCP]),
    ]


def _codex(about: dict[str, Any]) -> Files:
    told = templates.shape("codex")
    servers = {"mcpServers": told[MCP]["mcp_servers"]}
    parts = {"mcpServers": "./.mcp.json", "hooks": "./hooks/codex.json"}
    return [
        (_MANIFESTS[1], about | parts),
        ("hooks/codex.json", told[HOOKS]),
        (".mcp.json", servers),
    ]


def _cursor(about: dict[str, Any]) -> Files:
    told = templates.shape("cursor")
    rules = templates.template("cursor.mdc").replace("@RULES@\n", templates.template("rules.md"))
    parts = {"mcpServers": "./mcp.json", "hooks": "./hooks/cursor.json", "rules": "./rules/"}
    return [
        (_MANIFESTS[2], about | parts),
        ("hooks/cursor.json", told[HOOKS]),
        ("mcp.json", told[MCP]),
        ("rules/gitmem.mdc", rules),
    ]


def _gemini(about: dict[str, Any]) -> Files:
    told = templates.shape("gemini")
    return [
        (_MANIFESTS[3], about | {"contextFileName": "GEMINI.md"} | told[MCP]),
        ("hooks/hooks.json", told[HOOKS]),
        ("GEMINI.md", templates.template("rules.md")),
    ]


_MAKERS: dict[str, Callable[[dict[str, Any]], Files]] = {
    "claude-code": _claude,
    "codex": _codex,
    "cursor": _cursor,
    "gemini": _gemini,
}


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
