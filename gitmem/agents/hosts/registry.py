"""Finding a host by name; only the file of that host is imported."""

from __future__ import annotations

from gitmem.agents.hosts.host import Host

# In the order of lists for people; each is a file beside this one that defines ``HOST``.
_FILES = (
    *("claude_code", "claude_desktop", "codex", "gemini", "antigravity", "cursor", "copilot"),
    *("vscode", "opencode", "windsurf", "kimi", "qwen", "zed", "generic"),
)
NAMES = tuple(file.replace("_", "-") for file in _FILES)
_UNKNOWN = Host("", "")
# Other names that people use, in lower case with hyphens.
ALIASES = {
    **dict.fromkeys(("claude", "claudecode"), "claude-code"),
    **dict.fromkeys(("codex-cli", "openai-codex"), "codex"),
    **dict.fromkeys(("copilot-cli", "github-copilot"), "copilot"),
    **dict.fromkeys(("kimi-code", "kimi-cli"), "kimi"),
    **dict.fromkeys(("vs-code", "visual-studio-code"), "vscode"),
    "gemini-cli": "gemini",
    "open-code": "opencode",
    "qwen-code": "qwen",
}
# Agents that cannot be connected, and why.
OUT_OF_REACH = {
    "claude-chat": "Claude Chat runs in a browser and takes no server on this machine; "
    "claude-desktop does."
}


def resolve_host_name(text: str) -> str:
    """The name of the agent program that a person's word means; an unknown word is returned."""
    word = "-".join(text.lower().replace("_", " ").split())
    name = ALIASES.get(word, word)
    return name if name in NAMES else text


def find_host(name: str) -> Host:
    """The Host (description of an agent program) with this name; an empty Host if it is unknown."""
    if name not in NAMES:
        return _UNKNOWN
    # Not importlib, which costs a hook 1 ms.
    file = __import__(f"{__package__}.{name.replace('-', '_')}", fromlist=("HOST",))
    host: Host = file.HOST
    return host
