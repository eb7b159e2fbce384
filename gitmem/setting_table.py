"""Every setting: its key, default, bounds and what it is for."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One key: its default (whose type it has), bounds, and who may set it."""

    key: str
    default: Value
    help: str
    least: float | None = None
    most: float | None = None
    repository: bool = False
    user: bool = True

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "GITMEM_" + self.key.replace(".", "_").upper()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "name", "", "The project's name and key, instead of its remote", None, 200, True, False
    ),
    Setting("agent", "", "Who is writing, if no --agent is given"),
    Setting(
        "timezone", "", "Time zone for dates shown, such as Europe/Berlin; empty: the system's"
    ),
    Setting("orient.budget", 1200, "Token budget of `gitmem orient`", 200, 20_000, True),
    Setting("orient.commits", 100, "Most commits since the last session to read", 1, 2000),
    Setting("recall.limit", 10, "Number of results of `gitmem recall`", 1, 100, True),
    Setting(
        "search.without",
        "",
        "Parts of the ranking to leave out, joined by commas; for measurements",
    ),
    Setting(
        "usage.enabled", 1, "Whether usage is counted, in this store only (0: no); see stats", 0, 1
    ),
    Setting("hooks.enabled", 1, "Whether git hooks and session hooks do anything (0: no)", 0, 1),
    Setting("model", "builtin", "Embedding model: builtin, or fastembed:<model or folder>"),
    Setting("index.words", 500, "Words in a chunk of a note", 50, 5000, True),
    Setting("index.overlap", 50, "Words that two chunks of a note share", 0, 1000, True),
    Setting("watch.enabled", 1, "Whether files may be watched for changes (0: no)", 0, 1),
    Setting("index.commits", 50_000, "Most commits to index", 0, 1_000_000),
    Setting("memory.max_bytes", 32_768, "Maximum size of a memory, in bytes", 256, 1_048_576),
    Setting(
        "working.ttl_minutes", 60, "Minutes before an unused working memory expires", 1, 10_080
    ),
    Setting(
        "session.context_tokens",
        100_000,
        "Size of the context window, in tokens, for session health",
        1000,
        10_000_000,
    ),
    Setting("working.most", 1000, "Most working memories in one session", 1, 100_000),
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
    Setting("copy.interval_minutes", 60, "Least minutes between two copies outside", 1, 10_080),
    Setting("copy.key_file", "", "File whose content is the passphrase of encrypted copies"),
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


BY_KEY = {setting.key: setting for setting in SETTINGS}
