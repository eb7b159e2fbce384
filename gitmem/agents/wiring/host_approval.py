"""Whether a host would run what was written: it asks its user first, and skips until then.

Only read. gitmem never writes down an approval in the user's name.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.table import HOOKS, MCP, PROJECT
from gitmem.agents.wiring import file_pieces
from gitmem.agents.wiring.safe_write import MOST_BYTES
from gitmem.agents.wiring.templates import NAME, marks
from gitmem.errors import GitmemError
from gitmem.text import jsonc, toml

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.hosts.host_paths import Bases


def doubts(bases: Bases, agent: str, part: str, scope: str, path: str) -> list[str]:
    """Why the host would not run a part that stands in ``path``; empty where nothing says so."""
    if agent == "codex":
        found = _codex_project(bases) if scope == PROJECT else []
        return found + (_codex_hooks(bases, path) if part == HOOKS else [])
    if agent == "claude-code" and part == MCP and scope == PROJECT:
        return _claude_server(bases)
    return []


def _codex_project(bases: Bases) -> list[str]:
    told = _read(host_paths.path(bases, "{codex}/config.toml"), toml.parse)
    level = jsonc.value_at(told, ("projects", bases.project, "trust_level"))
    if level == "trusted":
        return []
    return ["Codex does not trust this project yet: start codex in it and say yes"]


def _codex_hooks(bases: Bases, path: str) -> list[str]:
    """Codex keeps a hash for each approved hook, by file, event, group and handler."""
    told = _read(host_paths.path(bases, "{codex}/config.toml"), toml.parse)
    state = jsonc.value_at(told, ("hooks", "state"))
    approved = {
        key
        for key, value in (state.items() if isinstance(state, dict) else ())
        if isinstance(value, dict) and value.get("trusted_hash")
    }
    parse = toml.parse if path.endswith(".toml") else jsonc.parse
    events = jsonc.value_at(_read(path, parse), ("hooks",))
    missing = [key for key in _codex_keys(path, events) if key not in approved]
    return [f"{len(missing)} hooks wait for approval: type /hooks in codex"] if missing else []


def _codex_keys(path: str, events: Any) -> list[str]:
    found = []
    for event, groups in events.items() if isinstance(events, dict) else ():
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
        for place, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for inner, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if "codex" in marks(handler):
                    found.append(f"{path}:{snake}:{place}:{inner}")
    return found


def _claude_server(bases: Bases) -> list[str]:
    user = _read(host_paths.path(bases, "{claude_json}"), jsonc.parse)
    sources = [jsonc.value_at(user, ("projects", bases.project))]
    for template in (
        "{claude}/settings.json",
        "{project}/.claude/settings.json",
        "{project}/.claude/settings.local.json",
    ):
        sources.append(_read(host_paths.path(bases, template), jsonc.parse))
    told = [one for one in sources if isinstance(one, dict)]
    if any(NAME in _words(one.get("disabledMcpjsonServers")) for one in told):
        return ["the MCP server gitmem was refused in Claude Code: approve it under /mcp"]
    for one in told:
        if one.get("enableAllProjectMcpServers") is True:
            return []
        if NAME in _words(one.get("enabledMcpjsonServers")):
            return []
    return ["the MCP server waits for approval: start claude here and say yes"]


def _words(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read(path: str, parse: Callable[[str], Any]) -> Any:
    """A host's file; nothing where it cannot be read."""
    try:
        # A link that came with a clone may lead to a pipe or a device, which never ends.
        if not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
            return {}
        with open(path, "rb") as file:
            return parse(file_pieces.decoded(file.read()).text)
    except (OSError, GitmemError):
        return {}
