"""The settings in force: their values, and where each comes from.

The only reader of settings files and of the environment. Later sources win: defaults, the user's
file, the name in the repository's ``.contextify.yml``, its ``.gitmem.toml``, the project's
``config.toml`` in the user's data folder, the environment, where our own variables win over those
of another system. A file that a repository ships may be a stranger's: only keys marked
``repository`` are taken from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.setting_table import (
    BY_KEY,
    BY_VARIABLE,
    FOREIGN_VARIABLES,
    GONE_VARIABLES,
    SETTINGS,
    Setting,
    Value,
    combine_with_repository_value,
    parse_setting_value,
    validate_setting_value,
)

# Variables by which an agent's host shows that it started the process.
AGENT_MARKS = {
    "CLAUDECODE": "claude-code",
    "GEMINI_CLI": "gemini",
    "CURSOR_AGENT": "cursor",
    "CODEX_SANDBOX": "codex",
    "OPENCODE": "opencode",
}
_STORE_KEY = "GITMEM_STORE_KEY"
_NOTES = "CONTEXT_CACHE_KB_PATH"
# Names that no agent may use: its memories would seem to be a person's.
_NO_AGENTS = frozenset(
    ["person", "human", "user", "me", "myself", "you", "nobody", "someone", "somebody", "gitmem"]
)
_ARTICLES = ("a", "an", "the")


@dataclass(frozen=True, slots=True)
class SettingValue:
    """The value of a setting, and its source: ``default``, a file's path or a variable's name."""

    setting: Setting
    value: Value
    source: str


# Made once: a process has several Settings, and each reads the variables twice.
_DEFAULTS = {setting.key: SettingValue(setting, setting.default, "default") for setting in SETTINGS}


class Settings:
    """The settings in force at a folder, from files and ``environment`` (its variables).

    Wrong values are ignored: ``warnings`` are sentences about them, ``mistakes`` those about the
    user's own values. ``notes`` say which settings were given by another system's name, ``gone``
    are pairs of what replaced a removed setting and how to delete it. A file of the user's that
    does not parse raises InvalidInput; with ``lenient``, for commands that repair it, it is only a
    mistake.
    """

    def __init__(self, environment: Mapping[str, str], *, lenient: bool = False) -> None:
        self.environment = environment
        self.lenient = lenient
        self.reload_user_settings()

    def reload_user_settings(self) -> None:
        """Drop the settings of a project's files, and read those of the user again.

        Raises InvalidInput if the user's file does not parse.
        """
        self.warnings: list[str] = []
        self.mistakes: list[str] = []
        self.notes: list[str] = []
        self.gone: list[tuple[str, str]] = []
        self._found = dict(_DEFAULTS)
        self._layers: list[tuple[str, str]] = []
        for variable, key in GONE_VARIABLES.items():
            if variable in self.environment:
                self._note_gone(key, variable, "environment")
        self.add_file(self.user_file, "user")
        self._read_environment()

    @classmethod
    def of_process(cls, *, lenient: bool = False) -> Settings:
        """Return the user's settings with the environment of this process, no repository's.

        ``lenient`` is as in the class.
        """
        return cls(os.environ, lenient=lenient)  # noqa: TID251 - this is the one place

    def text(self, key: str) -> str:
        """Return the value of the setting ``key`` as text. Raises KeyError if there is none."""
        return str(self._found[key].value)

    def number(self, key: str) -> int:
        """Return the value of the setting ``key`` as a whole number; on and off are 1 and 0."""
        return int(self._found[key].value)

    def float_number(self, key: str) -> float:
        """Return the value of the setting ``key`` as a number that may have a fraction."""
        return float(self._found[key].value)

    def source(self, key: str) -> str:
        """Return where a setting's value is from: ``default``, a file's path or a variable."""
        return self._found[key].source

    def all_values(self) -> list[SettingValue]:
        """Return every setting with its value and source, in the order of the table of settings."""
        return [self._found[setting.key] for setting in SETTINGS]

    def add_file(self, path: str, level: str) -> None:
        """Add the settings of a TOML file, if it exists; wrong ones are ignored with a warning.

        ``level`` says whose file it is: ``user`` (for all projects), ``repository`` (part of it, so
        only harmless settings are taken) or ``store`` (the user's, for one project). Raises
        InvalidInput if a file of the user's does not parse.
        """
        own = level == "store"  # in the user's data folder it must be a regular file of their own
        if not path or not (os.path.lexists(path) if own else os.path.isfile(path)):
            return
        from gitmem.text import toml_flat  # noqa: PLC0415 - most repositories have no such file

        root = os.path.dirname(path) if level == "repository" else ""
        try:
            given = list(
                toml_flat.read_toml_settings(
                    path, require_private_file=own, allowed_folder=root
                ).items()
            )
        except InvalidInput as error:
            if level != "repository" and not self.lenient:
                raise
            given = []
            self._leave_aside(f"{error.message} None of it is taken.", level)
        # Our own names last, since they override.
        for key, raw in sorted(given, key=lambda pair: pair[0] in BY_KEY):
            try:
                self._take(key, raw, path, level)
            except InvalidInput as error:
                self._leave_aside(f"{error.message} It is left aside.", level)
        self._read_environment()

    def add_contextify_project_name(self, path: str) -> None:
        """Add the project's name from ``.contextify.yml``, a file of Contextify, if it exists.

        Nothing else of it is read. A name that is not letters, digits, dots and dashes is ignored.
        """
        if not os.path.lexists(path):
            return
        from gitmem.model import project_key  # noqa: PLC0415 - few repositories have such a file
        from gitmem.text import front_matter  # noqa: PLC0415 - as above

        name = front_matter.read_yaml_field(path, "name")
        if isinstance(name, str) and name.strip():
            try:
                if not project_key.is_short_project_name(name.strip()):
                    hint = "A name is letters, digits, dots and dashes, such as acme-shop."
                    raise InvalidInput(f"{path}: name cannot be {name!r:.60}. {hint}")
                self._take("name", name.strip(), path, "repository")
            except InvalidInput as error:
                self._leave_aside(f"{error.message} It is left aside.", "repository")
        else:
            self._leave_aside(
                f"{path} has no `name:`, and nothing else of it is read.", "repository"
            )
        self._read_environment()

    def warn_of_unconfirmed_file(
        self, path: str, warning: str, *, apply_restrictions: bool
    ) -> None:
        """Add a warning about a settings file that may not be the user's; it is not used.

        With ``apply_restrictions`` it may still exclude files from the index and forbid unencrypted
        copies.
        """
        self._leave_aside(warning, "store")
        if not apply_restrictions:
            return
        from gitmem.text import toml_flat  # noqa: PLC0415 - few have such a file

        values: dict[str, object] = {}
        with suppress(InvalidInput):
            values = toml_flat.read_toml_settings(path, require_private_file=True)
        for key, raw in values.items():
            setting = BY_KEY.get(key)
            if setting is not None and (setting.tightens or key == "copy.mode"):
                with suppress(InvalidInput):
                    value = combine_with_repository_value(
                        setting, self._found[key].value, validate_setting_value(setting, raw, path)
                    )
                    self._found[key] = SettingValue(setting, value, path)
        self._read_environment()

    def _read_variable(self, variable: str, raw: str, setting: Setting, level: str) -> None:
        try:
            value = parse_setting_value(setting, raw, variable)
        except InvalidInput as error:
            self._leave_aside(f"{error.message} It is left aside.", level)
        else:
            self._found[setting.key] = SettingValue(setting, value, variable)

    def _knows_key(self) -> bool:
        from gitmem.store.file.registration import parse_store_key  # noqa: PLC0415 - seldom set

        return bool(parse_store_key(self.store_key_from_environment))

    def _leave_aside(self, warning: str, level: str) -> None:
        if warning not in self.warnings:  # variables are read again after each file
            self.warnings.append(warning)
            self.mistakes += [warning] if level not in ("repository", "foreign") else []

    def _take(self, key: str, raw: object, path: str, level: str) -> None:
        setting = BY_KEY.get(key)
        if key in GONE_VARIABLES.values():
            self._note_gone(key, path, level)
        elif setting is None and (named := self._by_other_name(key, raw, path)):
            self._take(*named, path, level)
        elif setting is None:
            # Finding the nearest name takes 10 ms, which a stranger's file is not worth.
            hint = "" if level == "repository" else did_you_mean(key)
            self._leave_aside(f"{path}: there is no setting {key!r:.60}.{hint}", level)
        elif level == "repository" and not setting.repository:
            self._leave_aside(
                f"{path}: {key} is ignored in a file that comes with a repository.", level
            )
        elif setting.personal and level != "user":
            self._leave_aside(f"{path}: {key} holds only from your own settings file.", level)
        elif level == "user" and not setting.user:
            self._leave_aside(f"{path}: {key} cannot be set for all repositories at once.", level)
        else:
            value = validate_setting_value(setting, raw, path)
            if level == "repository":
                value = combine_with_repository_value(setting, self._found[key].value, value)
                if value == self._found[key].value:
                    return
            self._found[key] = SettingValue(setting, value, path)

    def _by_other_name(self, name: str, raw: object, path: str) -> tuple[str, object] | None:
        """Our key and value for a setting of another system; None for an unknown name."""
        from gitmem import setting_aliases  # noqa: PLC0415 - for a name that is not ours

        alias = setting_aliases.find_setting_alias(name)
        if alias is None:
            return None
        warning = f"{path}: {setting_aliases.describe_alias(alias)}"
        value = (
            setting_aliases.convert_alias_value(alias, raw) if alias.key and alias.taken else None
        )
        if value is None:
            raise InvalidInput(warning)
        setting = BY_KEY[alias.key]
        self.notes += [warning] if warning not in self.notes else []
        return alias.key, parse_setting_value(setting, value, path)

    def _note_gone(self, key: str, source: str, level: str) -> None:
        from gitmem import setting_aliases  # noqa: PLC0415 - for a name that is not ours

        alias = setting_aliases.find_setting_alias(key)
        assert alias is not None
        delete = f"To delete it: gitmem config {key} --unset{' --user' * (level == 'user')}"
        if level not in ("user", "store"):
            delete = "Take it out: nothing reads it."
        pair = f"{source}: {setting_aliases.describe_alias(alias)}", delete
        self.gone += [pair] if pair not in self.gone else []

    def _read_environment(self) -> None:
        for variable, key in FOREIGN_VARIABLES.items():
            if raw := self.environment.get(variable):
                # Another system's user made no mistake with us: a warning is enough.
                self._read_variable(variable, raw, BY_KEY[key], "foreign")
        for variable, setting in BY_VARIABLE.items():
            if (raw := self.environment.get(variable)) is not None:
                self._read_variable(variable, raw, setting, "environment")
        if self.store_key_from_environment and not self._knows_key():
            warning = f"{_STORE_KEY} is left aside: a key has 64 hexadecimal digits, in lower case."
            self._leave_aside(warning, "environment")

    @property
    def is_plain_terminal(self) -> bool:
        """Whether to print without bold letters: NO_COLOR is set, or TERM is "dumb" or missing."""
        return bool(self.environment.get("NO_COLOR")) or (
            self.environment.get("TERM", "dumb") == "dumb"
        )

    @property
    def home(self) -> str:
        """The user's home folder, empty if there is none."""
        home = self.environment.get("HOME") or self.environment.get("USERPROFILE") or ""
        if home:
            return home
        folder = os.path.expanduser("~")
        return "" if folder == "~" else folder

    @property
    def user_file(self) -> str:
        """The path of the user's own settings file; empty without a home folder."""
        return self._place("XDG_CONFIG_HOME", ".config", "config.toml")

    @property
    def contextual_embedding_use(self) -> str:
        """When to use the embedding model ``contextual``: server (in servers only), always or off.

        Always off unless the setting ``model`` is "builtin".
        """
        return self.text("embedding.contextual") if self.text("model") == "builtin" else "off"

    @property
    def allows_background(self) -> bool:
        """Whether gitmem may start processes of its own; GITMEM_NO_BACKGROUND=1 forbids it."""
        return self.environment.get("GITMEM_NO_BACKGROUND", "0") in ("", "0")

    @property
    def user_store(self) -> str:
        """The path of the database of memories for all projects; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "global/memory.db")

    @property
    def model_folder(self) -> str:
        """The folder of downloaded models; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "models")

    @property
    def stores_folder(self) -> str:
        """The folder with keys and copies of the user's stores; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "stores")

    @property
    def store_key_from_environment(self) -> str:
        """The key of this user's stores in GITMEM_STORE_KEY, 64 hexadecimal digits; usually empty.

        For machines whose home folder does not last. It is never read from a file.
        """
        return self.environment.get(_STORE_KEY, "")

    @property
    def encrypted_copy_passphrase(self) -> str:
        """The passphrase for encrypted copies, from GITMEM_COPY_PASSPHRASE; empty if not set."""
        return self.environment.get("GITMEM_COPY_PASSPHRASE") or ""

    @property
    def ask_endpoint_key(self) -> str:
        """The key for the server at ``ask.endpoint``, from GITMEM_ASK_KEY; empty if not set."""
        return self.environment.get("GITMEM_ASK_KEY") or ""

    @property
    def transcripts_endpoint_key(self) -> str:
        """The key for ``transcripts.endpoint``, from GITMEM_TRANSCRIPTS_KEY; empty if not set."""
        return self.environment.get("GITMEM_TRANSCRIPTS_KEY") or ""

    @property
    def embedding_endpoint_key(self) -> str:
        """The key for ``embedding.endpoint``, from GITMEM_EMBEDDING_KEY; empty if not set."""
        return self.environment.get("GITMEM_EMBEDDING_KEY") or ""

    @property
    def log_file(self) -> str:
        """The path of the log of unexpected errors; empty without a home folder."""
        return self._place("XDG_STATE_HOME", ".local/state", "errors.log")

    @property
    def command_log(self) -> str:
        """The path of the log of commands; empty without a home folder.

        It is written for `log.level` info and debug.
        """
        return self._place("XDG_STATE_HOME", ".local/state", "commands.log")

    @property
    def audit_log(self) -> str:
        """The path of the log of writes over HTTP; empty without a home folder."""
        return self._place("XDG_STATE_HOME", ".local/state", "audit.log")

    @property
    def detected_host_agent(self) -> str:
        """The agent whose program started this process, by its environment; empty for none."""
        for variable, agent in AGENT_MARKS.items():
            if self.environment.get(variable):
                return agent
        return ""

    def _place(self, variable: str, default: str, name: str) -> str:
        gitmem_home = self.environment.get("GITMEM_HOME")
        if gitmem_home:
            return os.path.join(gitmem_home, name)
        base = self.environment.get(variable) or (
            os.path.join(self.home, default) if self.home else ""
        )
        return os.path.join(base, "gitmem", name) if base else ""


def agent_name_to_record(requested_name: str, host_agent: str = "") -> str:
    """Return the name under which an agent writes: ``requested_name``, if it may be one.

    A name that looks like a person's (``user``, ``me``) or is invisible is replaced by
    ``host_agent`` (the name that the agent's program goes by), else "an agent"; empty stays empty.
    """
    plain = requested_name
    if not requested_name.isascii():
        import unicodedata  # noqa: PLC0415 - names beyond ASCII are rare

        plain = unicodedata.normalize("NFKC", requested_name)
    letters = "".join(letter for letter in plain.casefold() if letter.isalnum())
    bare = [letters, *(letters.removeprefix(article) for article in _ARTICLES)]
    if requested_name and not (letters and _NO_AGENTS.isdisjoint(bare)):
        return host_agent or "an agent"
    return requested_name


def context_cache_notes_folder() -> str:
    """Return the folder that the variable CONTEXT_CACHE_KB_PATH names; empty if it is not set."""
    return os.path.expanduser(os.environ.get(_NOTES) or "")  # noqa: TID251 - as ``of_process``


def did_you_mean(key: str) -> str:
    """Return a text such as `` Did you mean 'orient.budget'?`` for a misspelt key, else empty."""
    import difflib  # noqa: PLC0415 - only for an unknown name

    close = difflib.get_close_matches(key[:60].lower(), BY_KEY, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
