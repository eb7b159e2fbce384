"""Plugin layouts of Claude Code, Codex, Cursor and Gemini CLI, from the same data as setup.

A plugin is a folder that its host installs whole. Its files start plain ``gitmem``, found on the
PATH of whoever installs it, so they are the same everywhere.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput, NotOurs
from gitmem.hooks.agents import shapes, writing
from gitmem.hooks.agents.hosts import HOOKS, MCP

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS = ("claude-code", "codex", "cursor", "gemini")
_ABOUT = "The memory of a git repository: decisions, sessions and orientation for coding agents."


def layout(host: str, version: str) -> dict[str, bytes]:
    """Relative path to content of every file of a plugin. Raises InvalidInput."""
    make = _MAKERS.get(host)
    if make is None:
        raise InvalidInput(
            f"There is no plugin layout for {host}.", f"Choose one of: {', '.join(HOSTS)}."
        )
    return {
        name: told.encode() if isinstance(told, str) else _json(told)
        for name, told in make({"name": shapes.NAME, "version": version, "description": _ABOUT})
    }


def write(host: str, folder: str, version: str) -> list[tuple[str, bool]]:
    """Write a plugin into a folder: each path, and whether it changed.

    Files of an earlier layout of ours are replaced. Raises NotOurs where another's file stands in
    the way, before anything is written; OSError.
    """
    changes, found = [], []
    for name, content in layout(host, version).items():
        path = os.path.join(folder, *name.split("/"))
        seen = writing.look(path, folder if os.path.isdir(folder) else "")
        if seen.content is not None and not _is_ours(folder, seen.content, content):
            raise NotOurs(
                f"{path} is there already and is not part of a gitmem plugin.",
                "Name an empty folder; nothing was written.",
            )
        found.append((path, seen.content != content))
        if seen.content != content:
            made = writing.missing_folders(seen.target)
            changes.append(writing.Change(seen, content, made))
    writing.write_all(changes)
    return found


def _is_ours(folder: str, now: bytes, wanted: bytes) -> bool:
    return now == wanted or any(_is_manifest(os.path.join(folder, name)) for name in _MANIFESTS)


def _is_manifest(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            told = json.loads(file.read(1 << 16))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and told.get("name") == shapes.NAME


_MANIFESTS = (
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
)
Files = list[tuple[str, Any]]


def _claude(about: dict[str, Any]) -> Files:
    told = shapes.shape("claude-code")
    entry = {"source": "./", **about}
    market = {"name": shapes.NAME, "owner": {"name": "The gitmem authors"}, "plugins": [entry]}
    return [
        (_MANIFESTS[0], about | {"author": {"name": "The gitmem authors"}}),
        (".claude-plugin/marketplace.json", market),
        ("hooks/hooks.json", told[HOOKS]),
        (".mcp.json", told[MCP]),
    ]


def _codex(about: dict[str, Any]) -> Files:
    told = shapes.shape("codex")
    servers = {"mcpServers": told[MCP]["mcp_servers"]}
    parts = {"mcpServers": "./.mcp.json", "hooks": "./hooks/codex.json"}
    return [
        (_MANIFESTS[1], about | parts),
        ("hooks/codex.json", told[HOOKS]),
        (".mcp.json", servers),
    ]


def _cursor(about: dict[str, Any]) -> Files:
    told = shapes.shape("cursor")
    rules = shapes.template("cursor.mdc").replace("@RULES@\n", shapes.template("rules.md"))
    parts = {"mcpServers": "./mcp.json", "hooks": "./hooks/cursor.json", "rules": "./rules/"}
    return [
        (_MANIFESTS[2], about | parts),
        ("hooks/cursor.json", told[HOOKS]),
        ("mcp.json", told[MCP]),
        ("rules/gitmem.mdc", rules),
    ]


def _gemini(about: dict[str, Any]) -> Files:
    told = shapes.shape("gemini")
    return [
        (_MANIFESTS[3], about | {"contextFileName": "GEMINI.md"} | told[MCP]),
        ("hooks/hooks.json", told[HOOKS]),
        ("GEMINI.md", shapes.template("rules.md")),
    ]


_MAKERS: dict[str, Callable[[dict[str, Any]], Files]] = {
    "claude-code": _claude,
    "codex": _codex,
    "cursor": _cursor,
    "gemini": _gemini,
}


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
