"""What is known of each host beyond the data of the program: how sure it is, its limits.

None of the hosts was run for this. What is said comes from their own sources and documents, from
reports of their users, or is unverified, and says which of the three.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass

SOURCE = "its source or documents"
REPORTS = "reports of users"
OPEN = "unverified"


@dataclass(frozen=True, slots=True)
class Known:
    """``state`` of knowledge in few words; what to approve; known limits, one a line."""

    state: str
    approve: str
    limits: tuple[str, ...]


_RULES = "The rules file says the same in fewer words, for when the hook is not heard."

KNOWN: dict[str, Known] = {
    "claude-code": Known(
        f"{SOURCE}; limits: {REPORTS}",
        "Claude Code asks once, at its next start in this project, whether the MCP server gitmem "
        "may run. Hooks need no approval. Entries of the user (`--scope user`) need none at all.",
        (
            "Of a hook's output above 10,000 characters the model sees a preview only, without a "
            "word. gitmem stays below.",
            "PreCompact cannot speak to the model. SessionStart can, which fires after it with "
            "`compact`.",
            "SessionEnd is cut off after about 1.5 s. gitmem notes the end and leaves.",
            "`--bare` and safe mode skip hooks.",
            "Copilot CLI and VS Code read `.claude/settings.json` too. A session is oriented once, "
            "whichever of them asks first.",
        ),
    ),
    "claude-desktop": Known(
        OPEN,
        "Nothing, but it has to be started anew.",
        (
            "MCP only: there are no hooks, so nothing is told unless the model asks.",
            "It starts its servers in no project. The entry names one repository, the one in which "
            "setup ran last.",
            "Its place on Linux is unverified.",
        ),
    ),
    "codex": Known(
        f"{SOURCE}; limits: {REPORTS}",
        "Every hook: start `codex`, type `/hooks`, approve gitmem's. New and changed hooks are "
        "skipped **without a word** until then. Files of a project also need the project to be "
        "trusted, which Codex asks at its first start there. gitmem reads these approvals, and "
        "never writes one. An upgrade of gitmem needs none: the command holds no version.",
        (
            "About 2,500 tokens of hook output reach the model.",
            "Output is held against a strict schema: one unknown key, and the hook fails.",
            "Hooks in `config.toml` and in `hooks.json` beside it give a warning: where some stand "
            "in `config.toml` already, gitmem's go there too.",
            "An MCP server has about 10 s to start.",
        ),
    ),
    "gemini": Known(
        SOURCE,
        "Nothing that is known.",
        (
            "Time limits are milliseconds here.",
            "A hook must print one JSON object and nothing else.",
            "SessionEnd is best effort: it may be cut off.",
            "No session starts anew after compression: the orientation waits for the next prompt.",
        ),
    ),
    "antigravity": Known(
        f"{REPORTS}, changing monthly; paths: {OPEN}",
        'Nothing. `agy -p "/hooks" --output-format json` lists the hooks actually loaded.',
        (
            "Other places of its files are seen in the wild.",
            "A file of Claude's shape makes the whole file unreadable: the keys at the top are the "
            "names of hooks.",
            "SessionStart may fire at each call of the model, so gitmem does not use it: "
            "PreInvocation speaks once for each conversation.",
            "Tool events came and went between builds. None is used.",
            "Errors go to a log only.",
        ),
    ),
    "cursor": Known(
        f"{SOURCE} and {REPORTS}; the IDE: {OPEN}",
        "Nothing that is known.",
        (
            "The CLI heeds what sessionStart answers. The IDE has dropped it for a race; one "
            f"report says that this is mended: {OPEN}. " + _RULES,
            "beforeSubmitPrompt and stop do not fire in print mode.",
            "preCompact cannot speak to the model.",
            "Cursor can import Claude's hooks. A session is oriented once, whichever asks first.",
        ),
    ),
    "copilot": Known(
        f"{SOURCE}; whether it is heard: {REPORTS}",
        "Nothing that is known.",
        (
            "Version 1.0.8 ignored what sessionStart answers; it is documented now. " + _RULES,
            "What is said at a prompt is dropped, preCompact only tells. There is one event for "
            "all tools.",
            "The cloud agent runs on Linux, takes files from the default branch and has no home "
            "folder: share the files with `--command gitmem` and install gitmem in its setup "
            "steps.",
            "VS Code reads `.github/hooks/` too. A session is oriented once.",
        ),
    ),
    "vscode": Known(
        f"{SOURCE}; whether it is heard: {OPEN}",
        "VS Code asks whether to trust an MCP server before its first start.",
        (
            "It shares `.github/hooks/gitmem.json` with Copilot CLI, so its hooks say `copilot`; "
            "gitmem tells the two apart by what they send.",
            "Whether SessionStart reaches the model: missing in spring 2026, later reported to "
            f"work up to about 10 KB: {OPEN}. " + _RULES,
            "There is no user file for hooks and rules; it also reads Claude Code's.",
        ),
    ),
    "opencode": Known(
        f"{SOURCE}, version 1; version 2: {OPEN}",
        "Nothing.",
        (
            "Hooks are a plugin in JavaScript that starts gitmem and passes its answer on.",
            "The orientation goes into the system prompt, with the same bytes for a whole session: "
            "other bytes would empty the cache of the prompt.",
            "The events are marked experimental by OpenCode.",
            "The plugin does not see the prompt, so no warning is given at one.",
        ),
    ),
    "windsurf": Known(
        SOURCE,
        "Nothing that is known.",
        (
            "No event starts a session and none speaks to the model: hooks note what happened, the "
            "rules file is all that the model reads.",
            "One file for MCP, of the user: it serves the repository in which setup ran last.",
            "Transcripts are encrypted, so `gitmem doctor --live` cannot observe anything here.",
        ),
    ),
    "kimi": Known(
        SOURCE,
        "Nothing that is known.",
        (
            "SessionStart only observes, so the orientation comes with the first prompt.",
            "What PreCompact answers is ignored.",
            "A key too many in `[[hooks]]` stops the whole configuration from loading: there are "
            "four, and gitmem writes no other.",
            "Hooks are in the user's file only: in a folder without gitmem they say nothing.",
            "The older kimi-cli (`~/.kimi`) is not wired.",
        ),
    ),
    "zed": Known(
        OPEN,
        "Zed asks whether to trust a project before it starts the project's servers.",
        ("MCP and rules only: there are no hooks.",),
    ),
    "generic": Known(
        "many agents read `AGENTS.md`",
        "Nothing.",
        (
            "Whether an agent reads `AGENTS.md` is up to it.",
            "Any agent that speaks MCP starts the server with `gitmem mcp`.",
        ),
    ),
}
