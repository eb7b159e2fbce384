"""The hosts that gitmem can be wired to, as data.

A place is a template: ``{project}`` is the work tree, ``{home}`` the user's home, ``{config}``
where programs of this system keep settings, ``{local}`` what tells a personal file from the team's;
a variable of a host (``{claude}``) names its own folder. What is written there lies as JSON and
text in the top-level folder ``hooks/agents``.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass

PROJECT, USER = "project", "user"
SCOPES = (PROJECT, USER)
MCP, HOOKS, RULES = "mcp", "hooks", "rules"
PARTS = (MCP, HOOKS, RULES)

# What `gitmem hook AGENT EVENT` is asked for by the files that are written.
EVENTS = (
    "session-start",
    "prompt",
    "post-edit",
    "post-command",
    "post-tool",
    "pre-invocation",
    "pre-compact",
    "stop",
    "session-end",
)


@dataclass(frozen=True, slots=True)
class Host:
    """One host: how it is found, where its parts lie, what a person has to know.

    ``places`` maps (part, scope) to templates; of several the first that exists is meant, else the
    first. ``programs`` are looked for on the PATH, ``folders`` as they are. ``has_cwd``: it starts
    servers in the project's folder. ``notes`` are told where a part is written in a scope.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]
    places: dict[tuple[str, str], tuple[str, ...]]
    has_cwd: bool = True
    notes: dict[tuple[str, str], str] = {}  # noqa: RUF012 - never written to

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that it has in any scope, in the order of ``PARTS``."""
        return tuple(part for part in PARTS if any(known == part for known, _ in self.places))


_APPROVE = "Claude Code asks once whether the project's MCP server may run: approve gitmem."
_TRUST = (
    "Codex silently skips new or changed hooks until you approve them: start codex, type "
    "/hooks and approve gitmem's; files of a project also need the project to be trusted."
)
_LISTED = '`agy -p "/hooks" --output-format json` lists the hooks actually loaded.'
_AGENTS = ("{project}/AGENTS.md",)
_INSTRUCTIONS = ("{project}/.github/instructions/gitmem.instructions.md",)
_SHARED_HOOKS = ("{project}/.github/hooks/gitmem.json",)

HOSTS: tuple[Host, ...] = (
    Host(
        "claude-code",
        "Claude Code",
        ("claude",),
        ("{claude}",),
        {
            (MCP, PROJECT): ("{project}/.mcp.json",),
            (MCP, USER): ("{claude_json}",),
            (HOOKS, PROJECT): ("{project}/.claude/settings{local}.json",),
            (HOOKS, USER): ("{claude}/settings.json",),
        },
        notes={(MCP, PROJECT): _APPROVE},
    ),
    Host(
        "claude-desktop",
        "Claude Desktop",
        (),
        ("{config}/Claude",),
        {(MCP, USER): ("{config}/Claude/claude_desktop_config.json",)},
        has_cwd=False,
        notes={
            (MCP, USER): "Claude Desktop serves one repository, the one named after -C; restart it."
        },
    ),
    Host(
        "codex",
        "Codex",
        ("codex",),
        ("{codex}",),
        {
            (MCP, PROJECT): ("{project}/.codex/config.toml",),
            (MCP, USER): ("{codex}/config.toml",),
            (HOOKS, PROJECT): ("{project}/.codex/hooks.json",),
            (HOOKS, USER): ("{codex}/hooks.json",),
        },
        notes={(HOOKS, PROJECT): _TRUST, (HOOKS, USER): _TRUST},
    ),
    Host(
        "gemini",
        "Gemini CLI",
        ("gemini",),
        ("{home}/.gemini/settings.json",),
        {
            (MCP, PROJECT): ("{project}/.gemini/settings.json",),
            (MCP, USER): ("{home}/.gemini/settings.json",),
            (HOOKS, PROJECT): ("{project}/.gemini/settings.json",),
            (HOOKS, USER): ("{home}/.gemini/settings.json",),
        },
    ),
    Host(
        "antigravity",
        "Antigravity CLI",
        ("agy", "antigravity"),
        ("{home}/.gemini/config", "{home}/.gemini/antigravity-cli", "{home}/.gemini/antigravity"),
        {
            (MCP, PROJECT): ("{project}/.agents/mcp_config.json",),
            (MCP, USER): ("{home}/.gemini/config/mcp_config.json",),
            (HOOKS, PROJECT): ("{project}/.agents/hooks.json",),
            (HOOKS, USER): ("{home}/.gemini/config/hooks.json",),
            (RULES, PROJECT): _AGENTS,
            (RULES, USER): ("{home}/.gemini/GEMINI.md",),
        },
        notes={(HOOKS, PROJECT): _LISTED, (HOOKS, USER): _LISTED},
    ),
    Host(
        "cursor",
        "Cursor",
        ("cursor", "cursor-agent"),
        ("{home}/.cursor",),
        {
            (MCP, PROJECT): ("{project}/.cursor/mcp.json",),
            (MCP, USER): ("{home}/.cursor/mcp.json",),
            (HOOKS, PROJECT): ("{project}/.cursor/hooks.json",),
            (HOOKS, USER): ("{home}/.cursor/hooks.json",),
            (RULES, PROJECT): ("{project}/.cursor/rules/gitmem.mdc",),
        },
    ),
    Host(
        "copilot",
        "Copilot CLI",
        ("copilot",),
        ("{copilot}",),
        {
            (MCP, PROJECT): ("{project}/.github/mcp.json",),
            (MCP, USER): ("{copilot}/mcp-config.json",),
            (HOOKS, PROJECT): _SHARED_HOOKS,
            (HOOKS, USER): ("{copilot}/hooks/gitmem.json",),
            (RULES, PROJECT): _INSTRUCTIONS,
        },
    ),
    Host(
        "vscode",
        "VS Code",
        ("code",),
        ("{config}/Code",),
        {
            (MCP, PROJECT): ("{project}/.vscode/mcp.json",),
            (MCP, USER): ("{config}/Code/User/mcp.json",),
            (HOOKS, PROJECT): _SHARED_HOOKS,
            (RULES, PROJECT): _INSTRUCTIONS,
        },
    ),
    Host(
        "opencode",
        "OpenCode",
        ("opencode",),
        ("{opencode}",),
        {
            (MCP, PROJECT): ("{project}/opencode.json", "{project}/opencode.jsonc"),
            (MCP, USER): ("{opencode}/opencode.json", "{opencode}/opencode.jsonc"),
            (HOOKS, PROJECT): ("{project}/.opencode/plugins/gitmem.js",),
            (HOOKS, USER): ("{opencode}/plugins/gitmem.js",),
        },
    ),
    Host(
        "windsurf",
        "Windsurf",
        ("windsurf",),
        ("{home}/.codeium/windsurf",),
        {
            (MCP, USER): ("{home}/.codeium/windsurf/mcp_config.json",),
            (HOOKS, PROJECT): ("{project}/.windsurf/hooks.json",),
            (HOOKS, USER): ("{home}/.codeium/windsurf/hooks.json",),
            (RULES, PROJECT): ("{project}/.windsurf/rules/gitmem.md",),
        },
        has_cwd=False,
        notes={
            (MCP, USER): "Windsurf has one file for MCP: it serves the repository named after -C."
        },
    ),
    Host(
        "kimi",
        "Kimi Code",
        ("kimi",),
        ("{home}/.kimi-code",),
        {
            (MCP, PROJECT): ("{project}/.kimi-code/mcp.json",),
            (MCP, USER): ("{home}/.kimi-code/mcp.json",),
            (HOOKS, USER): ("{home}/.kimi-code/config.toml",),
        },
    ),
    Host(
        "zed",
        "Zed",
        ("zed", "zeditor"),
        ("{zed}",),
        {
            (MCP, PROJECT): ("{project}/.zed/settings.json",),
            (MCP, USER): ("{zed}/settings.json",),
            (RULES, PROJECT): _AGENTS,
        },
    ),
    Host(
        "generic",
        "any other agent",
        (),
        (),
        {(RULES, PROJECT): _AGENTS},
        notes={(RULES, PROJECT): "Any agent that speaks MCP starts the server with: gitmem mcp"},
    ),
)
BY_NAME = {host.name: host for host in HOSTS}
