"""The table of settings: key, default, bounds, purpose; and checking values."""

from __future__ import annotations

import os

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its key, default (whose type it has), bounds, and who may set it.

    ``minimum`` and ``maximum`` bound a number, or the length of a text. ``repository``: a
    repository's file may set it; with ``tightens`` it may only lower a number (``less``) or extend
    a list (``more``). ``user``: it may hold for all repositories of a user. ``personal``: only the
    user's own file sets it, no environment variable. ``agent``: an agent may set it.
    """

    key: str
    default: Value
    help: str
    minimum: float | None = None
    maximum: float | None = None
    repository: bool = False
    user: bool = True
    tightens: str = ""
    personal: bool = False
    agent: bool = False

    @property
    def environment_variable(self) -> str:
        """The environment variable of the setting, such as ``GITMEM_LOG_LEVEL``; or empty."""
        if self.personal:
            return ""
        return "GITMEM_" + self.key.replace(".", "_").upper()

    @property
    def is_list(self) -> bool:
        """Whether the setting's value is a text that lists several, joined by commas."""
        return self.tightens == "more" or self.personal or self.key == "project.paths"


SETTINGS: tuple[Setting, ...] = (
    Setting("name", "", "Project name and key, instead of its remote", None, 200, True, False),
    Setting("agent", "", "Who is writing, if no --agent is given"),
    Setting(
        "project.paths",
        "",
        "Sub-projects of a monorepo: folders, or name=folder, joined by commas",
        None,
        20_000,
        True,
        False,
    ),
    Setting(
        "timezone",
        "",
        "Time zone for dates shown, such as Europe/Berlin; empty: the system's",
        agent=True,
    ),
    Setting(
        "orient.budget", 1200, "Token budget of `gitmem orient`", 200, 20_000, True, agent=True
    ),
    Setting(
        "orient.commits", 100, "Most commits since the last session to read", 1, 2000, agent=True
    ),
    Setting(
        "context.tokenizer",
        "",
        "A tokenizer.json to count the tokens of `gitmem context` with; empty: an estimate",
    ),
    Setting(
        "context.scores",
        "",
        "Scores of the context without a question, other than the usual ones: file=0.6, term=0.02",
        agent=True,
    ),
    Setting(
        "hooks.reminders",
        "",
        "What a prompt is also told, joined by commas: session_context, command_context, "
        "recent_error; each costs tokens",
        agent=True,
    ),
    Setting(
        "ask.endpoint",
        "",
        "Address of a model that writes answers of `gitmem ask`, as http://127.0.0.1:8080/v1",
    ),
    Setting("ask.model", "", "Name of the model at ask.endpoint; empty: the one it serves"),
    Setting("recall.limit", 10, "Number of results of `gitmem recall`", 1, 100, True, agent=True),
    Setting("search.without", "", "Parts of the ranking left out, joined by commas; to measure"),
    Setting(
        "search.fusion",
        "score",
        "How words and meaning are combined: score, rrf, weighted",
        agent=True,
    ),
    Setting(
        "search.meaning",
        0.5,
        "Weight of meaning in a score; the rest is that of words",
        0,
        1,
        agent=True,
    ),
    Setting("search.rerank", "", "Cross-encoder that reads the best hits: see `model rerank`"),
    Setting("search.rrf_k", 60, "The constant k of `--fusion rrf`", 1, 1000, agent=True),
    Setting("cache.results", 64, "Answers cached for each store by the MCP server", 0, 100_000),
    Setting("cache.expansions", 10_000, "Term counts cached for each store", 0, 1_000_000),
    Setting("cache.embeddings", 1000, "Query vectors cached by the MCP server", 0, 1_000_000),
    Setting(
        "usage.enabled", 1, "Whether usage is counted, in this store only (0: no); see stats", 0, 1
    ),
    Setting(
        "log.level",
        "error",
        "What the logs hold: off, error (bugs), info (also each command), debug (also refusals)",
    ),
    Setting(
        "review.tools",
        "ruff,bandit",
        "Tools whose findings a review shows, joined by commas: ruff, bandit, and eslint and "
        "semgrep, which read the repository's configuration and so may run its code",
    ),
    Setting("hooks.enabled", 1, "Whether git hooks and session hooks do anything (0: no)", 0, 1),
    Setting(
        "transcripts.import",
        0,
        "Whether agents' sessions are read from their hosts' files when they end (1: yes)",
        0,
        1,
    ),
    Setting(
        "transcripts.keep",
        0,
        "Whether sessions stay when their host deletes its file (1: yes)",
        0,
        1,
    ),
    Setting(
        "transcripts.endpoint",
        "",
        "Address of a model that summarises imported sessions; empty: their own sentences",
    ),
    Setting("transcripts.model", "", "Name of the model at transcripts.endpoint"),
    Setting(
        "mcp.projects",
        "",
        "Folders of other projects that an MCP server may be asked about, joined by commas; *: all",
        personal=True,
    ),
    Setting(
        "projects.discover",
        "auto",
        "When repositories without gitmem are listed: auto (asked for, or no project yet), always, "
        "never",
    ),
    Setting(
        "model",
        "builtin",
        "Embedding model: builtin, contextual, fastembed:<model or folder> (as in "
        "fastembed:sentence-transformers/all-MiniLM-L6-v2), ollama:<name> or "
        "openai:<name>",
    ),
    Setting("index.words", 500, "Words in a chunk of a note", 50, 5000, True),
    Setting("index.overlap", 50, "Words that two chunks of a note share", 0, 1000, True),
    Setting(
        "embedding.contextual", "server", "When to use the contextual model: server, always, off"
    ),
    Setting("embedding.tuned", 0, "Version made by `gitmem model tune`", 0, 10**6, False, False),
    Setting("embedding.device", "cpu", "Device of a fastembed model: cpu, or cuda"),
    Setting(
        "embedding.endpoint",
        "",
        "Address of the server of an ollama: or openai: model; empty: Ollama on this machine",
    ),
    Setting(
        "embedding.timeout",
        30,
        "Seconds that an endpoint may take for 32 texts (a question: 5), fastembed for a question",
        1,
        600,
    ),
    Setting(
        "index.enabled",
        1,
        "Whether files are indexed (0: no; memories and commits are found all the same)",
        0,
        1,
        True,
        tightens="less",
    ),
    Setting(
        "index.max_file_bytes",
        1_048_576,
        "Largest file that is indexed, in bytes",
        1024,
        4_194_304,
        True,
        tightens="less",
    ),
    Setting("index.max_files", 50_000, "Most files to index", 1, 1_000_000, True, tightens="less"),
    Setting("index.lines", 20, "Lines in a piece of code; a definition: twice that", 5, 1000, True),
    Setting("index.line_overlap", 0, "Lines shared by pieces cut without grammar", 0, 100, True),
    Setting(
        "index.exclude",
        "",
        "Files to leave out of the index: globs as in .gitignore, joined by commas",
        None,
        4000,
        True,
        tightens="more",
    ),
    Setting("watch.enabled", 1, "Whether files may be watched for changes (0: no)", 0, 1),
    Setting(
        "watch.debounce_ms", 500, "Milliseconds without a change before it indexes", 50, 60_000
    ),
    Setting("index.commits", 50_000, "Most commits to index", 0, 1_000_000),
    Setting("memory.max_bytes", 32_768, "Maximum size of a memory, in bytes", 256, 1_048_576),
    Setting(
        "working.ttl_minutes", 60, "Minutes before an unused working memory expires", 1, 10_080
    ),
    Setting(
        "session.context_tokens",
        100_000,
        "Size of the context window, in tokens",
        1000,
        10_000_000,
        agent=True,
    ),
    Setting("working.most", 1000, "Most working memories in one session", 1, 100_000),
    Setting(
        "captured.ttl_minutes",
        1440,
        "Minutes before an unused, automatically captured memory expires",
        1,
        525_600,
    ),
    Setting("expiry.promote_after", 5, "Uses after which a memory with an end stays", 1, 1_000_000),
    Setting(
        "expiry.extend_by", 0.5, "Share of its time to live by which a use moves an end", 0, 10
    ),
    Setting(
        "inbox.accept_by",
        "",
        "Agents that may accept a kind of suggestion: NAME:merge, joined by commas",
        personal=True,
    ),
    Setting("capture.every", 1, "Commits for each guessed decision (0: never guess)", 0, 10_000),
    Setting(
        "captured.keep_from", 0.8, "Importance from which a captured memory never expires", 0, 1
    ),
    Setting(
        "duplicates.strategy", "smart_merge", "How duplicates are merged: see `remember --strategy`"
    ),
    Setting("duplicates.merge_from", 0.92, "Cosine from which agents' notes are merged", 0, 1.01),
    Setting("duplicates.suggest_from", 0.75, "Cosine from which a merge is suggested", 0, 1.01),
    Setting("duplicates.scan_hours", 24, "Hours between scans for duplicates (0: none)", 0, 8760),
    Setting("decay.enabled", 1, "Whether unused memories are archived once a day (0: no)", 0, 1),
    Setting("decay.days", 14, "Days D in the decay score: how fast unused memories fade", 1, 3650),
    Setting("decay.archive_below", 0.2, "Decay score below which a memory is archived", 0, 1.5),
    Setting(
        "backup.interval_hours", 24, "Hours between automatic backups; 0 turns them off", 0, 8760
    ),
    Setting("backup.keep", 3, "Number of automatic backups to keep", 1, 100),
    Setting(
        "copy.mode",
        "plain",
        "Copies of the store outside the work tree: plain, encrypted, or off",
    ),
    Setting(
        "copy.interval_minutes", 60, "Least minutes between copies outside the work tree", 1, 10_080
    ),
    Setting("copy.key_file", "", "File whose content is the passphrase of encrypted copies"),
    Setting(
        "sync.include",
        "",
        "Share only these memories: kind:NAME, tag:NAME, path:GLOB, joined by commas; empty: all",
    ),
    Setting("sync.exclude", "", "Never share these memories; written as sync.include"),
    Setting(
        "sync.sign",
        "git",
        "Whether git's signing key signs what is shared: git (if it signs your commits), yes or no",
    ),
    Setting(
        "sync.auto",
        0,
        "Whether memories are shared by themselves, in the background, once enabled (0: no)",
        0,
        1,
    ),
    Setting(
        "store.path",
        "",
        "Path of this repository's store, if not the default",
        None,
        None,
        False,
        False,
    ),
)


# Variables of other systems that are read like ours, which win over them. Only names that cannot be
# anything else's, and no value that has something downloaded or opened.
FOREIGN_VARIABLES = {
    "CONTEXT_CACHE_CHUNK_SIZE": "index.words",
    "CONTEXT_CACHE_CHUNK_OVERLAP": "index.overlap",
    "CONTEXT_CACHE_SEARCH_LIMIT": "recall.limit",
    "CONTEXT_CACHE_RRF_K": "search.rrf_k",
}
# Variables of settings that went; ``setting_aliases`` says what took their place.
GONE_VARIABLES = {
    "GITMEM_CACHE_POLICY": "cache.policy",
    "GITMEM_CACHE_TTL_SECONDS": "cache.ttl_seconds",
}
BY_KEY = {setting.key: setting for setting in SETTINGS}
BY_VARIABLE = {name: setting for setting in SETTINGS if (name := setting.environment_variable)}
# The triggers of ``hooks.reminders``.
REMINDERS = ("session_context", "command_context", "recent_error")
# What ``search.without`` may name: the parts of a file's score, how its kind counts, what code
# calls the words of the question, and commits by the issue they name.
PARTS = (
    *("text", "together", "phrase", "asked_path", "usual", "history", "length", "stem", "folder"),
    *("path", "names", "name", "defines", "defines_only", "defines_loosely", "own_file"),
    *("kind", "related", "issues"),
)
# The texts that some settings may be, and no others.
CHOICES = {
    "copy.mode": ("plain", "encrypted", "off"),
    "duplicates.strategy": ("smart_merge", "latest_wins", "append"),
    "embedding.contextual": ("server", "always", "off"),
    "embedding.device": ("cpu", "cuda"),
    "log.level": ("off", "error", "info", "debug"),
    "projects.discover": ("auto", "always", "never"),
    "search.fusion": ("score", "rrf", "weighted"),
    "sync.sign": ("git", "yes", "no"),
}

# Addresses that something is sent to.
ENDPOINTS = ("ask.endpoint", "embedding.endpoint", "transcripts.endpoint")

# How else people say that something is on or off.
_SWITCH = {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0"}


def combine_with_repository_value(
    setting: Setting, current_value: Value, repository_value: Value
) -> Value:
    """Return the value in force where a repository's file sets one too.

    If the setting can only be restricted: the smaller number, or both lists joined; else the
    file's.
    """
    if setting.tightens == "less" and isinstance(current_value, int | float):
        return (
            min(current_value, repository_value)
            if isinstance(repository_value, int | float)
            else current_value
        )
    if setting.tightens == "more" and current_value:
        return f"{current_value},{repository_value}" if repository_value else current_value
    return repository_value


def parse_setting_value(setting: Setting, raw: str, source: str) -> Value:
    """Return the value of a setting that is written in a text.

    Raises InvalidInput, which names ``source`` (a file or variable, "" for a command), for a wrong
    type or bounds.
    """
    kind = type(setting.default)
    if _is_switch(setting):
        raw = _SWITCH.get(raw.lower(), raw)
    try:
        value: object = raw if kind is str else kind(raw)
    except ValueError:
        value = raw
    return validate_setting_value(setting, value, source)


def validate_setting_value(setting: Setting, value: object, source: str) -> Value:
    """Return a value if it has the setting's type and bounds; lists are joined by commas.

    Raises InvalidInput otherwise; the message names ``source``, a file or variable, if any.
    """
    kind = type(setting.default)
    if isinstance(value, list) and setting.is_list:  # an array of a TOML file
        value = ",".join(value) if all(isinstance(item, str) for item in value) else value
    if isinstance(value, bool) and _is_switch(setting):
        value = int(value)
    # A whole number will do where a fraction may stand.
    allowed = int | float if kind is float else kind
    fits = isinstance(value, allowed) and (kind is bool or not isinstance(value, bool))
    size = len(value) if isinstance(value, str) else value
    if fits and isinstance(size, int | float):
        fits = (setting.minimum is None or size >= setting.minimum) and (
            setting.maximum is None or size <= setting.maximum
        )
    if isinstance(value, str) and setting.key != "store.path":
        # Shown on terminals and to agents: no control or direction-changing characters.
        fits = fits and value.isprintable()
    if fits and isinstance(value, str) and value:
        fits = _makes_sense(setting.key, value)
    if not fits or not isinstance(value, str | int | float | bool):
        prefix = f"{source}: " if source else ""
        raise InvalidInput(
            f"{prefix}{setting.key} cannot be {value!r:.60}.",
            f"{setting.help}. {_range(setting)}".strip(),
        )
    return float(value) if kind is float else value


def _makes_sense(key: str, value: str) -> bool:
    """Whether the text can mean what the key is for, as far as a look at it tells."""
    if key == "name":
        from gitmem.model import project_key  # noqa: PLC0415 - most go by their remote

        return not project_key.split_project_key(value)[1]
    if key == "timezone":
        from gitmem.clock.local_zone import is_zone_name  # noqa: PLC0415 - for whoever has set it

        return is_zone_name(value)
    if key == "model":
        from gitmem.embedding import registry  # noqa: PLC0415 - most keep the default

        return value == BY_KEY[key].default or registry.is_model_name(value)
    if key == "search.rerank":
        return value.startswith("fastembed:") and len(value) > len("fastembed:")
    if key == "index.exclude":
        from gitmem.text import globs  # noqa: PLC0415 - most exclude nothing

        return not any(globs.is_malformed_glob(item.strip()) for item in value.split(","))
    if key in CHOICES:
        return value in CHOICES[key]
    if key == "context.scores":
        from gitmem.timeline import current_scores  # noqa: PLC0415 - for whoever has set it

        try:
            return bool(current_scores.parse_score_boosts(value))
        except ValueError:
            return False
    if key == "hooks.reminders":
        return {item.strip() for item in value.split(",")} <= set(REMINDERS)
    if key == "search.without":
        return {item.strip() for item in value.split(",")} <= set(PARTS)
    if key == "inbox.accept_by":
        from gitmem.model.suggestion import KINDS  # noqa: PLC0415 - for whoever has set it

        pairs = [item.strip().rpartition(":") for item in value.split(",")]
        return all(agent and kind in KINDS for agent, _, kind in pairs)
    if key in ENDPOINTS:
        from gitmem.text.web_address import is_http_address  # noqa: PLC0415 - for whoever has set it

        return is_http_address(value)
    if key == "mcp.projects":
        return value == "*" or all(os.path.isabs(item.strip()) for item in value.split(","))
    if key == "copy.key_file":
        return os.path.isabs(value)
    # Whether it is a store is judged before it is opened, and told in full there.
    return key != "store.path" or (os.path.isabs(value) and not os.path.isdir(value))


def _is_switch(setting: Setting) -> bool:
    """Whether the setting is on or off."""
    return (type(setting.default), setting.minimum, setting.maximum) == (int, 0, 1)


def _range(setting: Setting) -> str:
    if setting.key in CHOICES:
        return f"It must be one of {', '.join(CHOICES[setting.key])}."
    if setting.key == "search.without":
        return f"Parts: {', '.join(PARTS)}."
    if setting.minimum is None or setting.maximum is None:
        return ""
    return f"It must be between {setting.minimum:g} and {setting.maximum:g}."
