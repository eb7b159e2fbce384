"""The hosts that gitmem can be wired to. Asking for one imports that host's file and no other."""

from __future__ import annotations

from gitmem.agents.hosts.host import Host

# In the order in which they are told; each is a file beside this one that holds ``HOST``.
_FILES = (
    *("claude_code", "claude_desktop", "codex", "gemini", "antigravity", "cursor", "copilot"),
    *("vscode", "opencode", "windsurf", "kimi", "qwen", "zed", "generic"),
)
NAMES = tuple(file.replace("_", "-") for file in _FILES)
_UNKNOWN = Host("", "")


def find(name: str) -> Host:
    """The host of this name; one that takes nothing and has no places for any other name."""
    if name not in NAMES:
        return _UNKNOWN
    # Not importlib, which costs a hook 1 ms.
    file = __import__(f"{__package__}.{name.replace('-', '_')}", fromlist=("HOST",))
    found: Host = file.HOST
    return found
