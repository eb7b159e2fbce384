"""What can be set, what it is set to, and where that came from.

The only reader of settings files and of the environment. Later sources win: defaults, the user's
file, the repository's ``.gitmem.toml``, the store's own ``config.toml``, the environment. A file
that a repository ships is a stranger's word: only keys marked ``repository`` are taken from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

Value = str | int | float | bool
_LARGEST = 256 << 10  # bytes of a file: one that came with a clone must not hold up every command


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

# Variables by which an agent's host says that it is the one typing.
AGENT_MARKS = {
    "CLAUDECODE": "claude-code",
    "GEMINI_CLI": "gemini",
    "CURSOR_AGENT": "cursor",
    "CODEX_SANDBOX": "codex",
    "OPENCODE": "opencode",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The value of a setting and its source: ``default``, a file's path or a variable's name."""

    setting: Setting
    value: Value
    source: str


class Settings:
    """All settings as they hold in one place. ``warnings`` tells what was left aside and why."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.warnings: list[str] = []
        self._found = {
            setting.key: Found(setting, setting.default, "default") for setting in SETTINGS
        }
        self._layers: list[tuple[str, str]] = []
        self.add_file(self.user_file, "user")
        self._read_environment()

    @classmethod
    def of_process(cls) -> Settings:
        """The settings of this process, before a repository is known."""
        return cls(os.environ)  # noqa: TID251 - this is the one place

    def text(self, key: str) -> str:
        """A setting that is text."""
        return str(self._found[key].value)

    def number(self, key: str) -> int:
        """A setting that is a whole number."""
        return int(self._found[key].value)

    def real(self, key: str) -> float:
        """A setting that may have a fraction."""
        return float(self._found[key].value)

    def found(self) -> list[Found]:
        """Every setting with its source, in the order of the table."""
        return [self._found[setting.key] for setting in SETTINGS]

    def add_file(self, path: str, level: str) -> None:
        """Take over the settings of a TOML file, if it is there.

        ``level`` is ``user``, ``repository`` or ``store``. Raises InvalidInput where the user's own
        file is wrong; a repository's file is only warned about.
        """
        if not path or not os.path.isfile(path):
            return
        for key, raw in self._understood(path, level):
            try:
                self._take(key, raw, path, level)
            except InvalidInput as error:
                if level != "repository":
                    raise
                self.warnings.append(error.message)
        self._read_environment()

    def _understood(self, path: str, level: str) -> list[tuple[str, object]]:
        try:
            return list(read(path).items())
        except InvalidInput as error:
            if level != "repository":
                raise
            self.warnings.append(error.message)
            return []

    def _take(self, key: str, raw: object, path: str, level: str) -> None:
        setting = BY_KEY.get(key)
        if setting is None:
            self.warnings.append(f"{path}: unknown setting {key!r}.")
            return
        if level == "repository" and not setting.repository:
            self.warnings.append(
                f"{path}: {key} is ignored in a file that comes with a repository."
            )
            return
        if level == "user" and not setting.user:
            self.warnings.append(f"{path}: {key} cannot be set for all repositories at once.")
            return
        self._found[key] = Found(setting, checked(setting, raw, path), path)

    def _read_environment(self) -> None:
        for setting in SETTINGS:
            raw = self.environment.get(setting.variable)
            if raw is not None:
                value = parse(setting, raw, setting.variable)
                self._found[setting.key] = Found(setting, value, setting.variable)

    @property
    def home(self) -> str:
        """The user's home folder, empty where there is none to be found."""
        home = self.environment.get("HOME") or self.environment.get("USERPROFILE") or ""
        if home:
            return home
        found = os.path.expanduser("~")
        return "" if found == "~" else found

    @property
    def user_file(self) -> str:
        """The user's settings file."""
        return self._place("XDG_CONFIG_HOME", ".config", "config.toml")

    @property
    def user_store(self) -> str:
        """The store for memories that hold in every project; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "global/memory.db")

    @property
    def model_folder(self) -> str:
        """Where models that were pulled are kept; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "models")

    @property
    def log_file(self) -> str:
        """Where unexpected errors are written; empty without a home folder."""
        return self._place("XDG_STATE_HOME", ".local/state", "errors.log")

    @property
    def host_agent(self) -> str:
        """The agent whose host started this process, as far as its variables tell."""
        for variable, agent in AGENT_MARKS.items():
            if self.environment.get(variable):
                return agent
        return ""

    def _place(self, variable: str, default: str, name: str) -> str:
        own = self.environment.get("GITMEM_HOME")
        if own:
            return os.path.join(own, name)
        base = self.environment.get(variable) or (
            os.path.join(self.home, default) if self.home else ""
        )
        return os.path.join(base, "gitmem", name) if base else ""


def read(path: str) -> dict[str, object]:
    """A TOML file as dotted keys. Raises InvalidInput where it does not parse or is too large."""
    import tomllib  # noqa: PLC0415 - 16 ms, and most repositories have no such file

    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise InvalidInput(
                f"{path} is larger than {_LARGEST >> 10} KB.",
                "It should hold a few lines of settings.",
            )
        tree = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{path} is not valid TOML: {error}.", "Fix the line or remove it."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{path} is nested too deeply.", "Fix the line or remove it.") from error
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.", "Check its permissions."
        ) from error
    flat: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": item for inner, item in value.items()})
        else:
            flat[key] = value
    return flat


def parse(setting: Setting, raw: str, source: str) -> Value:
    """The value of a setting from text. Raises InvalidInput."""
    kind = type(setting.default)
    try:
        value: object = raw if kind is str else kind(raw)
    except ValueError:
        value = raw
    return checked(setting, value, source)


def checked(setting: Setting, value: object, source: str) -> Value:
    """The value, if it has the setting's type and lies within its bounds. Raises InvalidInput."""
    kind = type(setting.default)
    # A whole number will do where a fraction may stand.
    allowed = int | float if kind is float else kind
    fits = isinstance(value, allowed) and (kind is bool or not isinstance(value, bool))
    size = len(value) if isinstance(value, str) else value
    if fits and isinstance(size, int | float):
        fits = (setting.least is None or size >= setting.least) and (
            setting.most is None or size <= setting.most
        )
    if isinstance(value, str) and setting.key != "store.path":
        # Shown on terminals and to agents: no control or direction-changing characters.
        fits = fits and value.isprintable()
    if not fits or not isinstance(value, str | int | float | bool):
        raise InvalidInput(
            f"{source}: {setting.key} cannot be {value!r:.60}.",
            f"{setting.help}. {_range(setting)}".strip(),
        )
    return float(value) if kind is float else value


def _range(setting: Setting) -> str:
    if setting.least is None or setting.most is None:
        return ""
    return f"It must be between {setting.least:g} and {setting.most:g}."
