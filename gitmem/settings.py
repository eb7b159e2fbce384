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
from gitmem.setting_table import BY_KEY, SETTINGS, Setting, Value

# Variables by which an agent's host says that it is the one typing.
AGENT_MARKS = {
    "CLAUDECODE": "claude-code",
    "GEMINI_CLI": "gemini",
    "CURSOR_AGENT": "cursor",
    "CODEX_SANDBOX": "codex",
    "OPENCODE": "opencode",
}
_STORE_KEY = "GITMEM_STORE_KEY"
COPY_MODES = ("plain", "encrypted", "off")


@dataclass(frozen=True, slots=True)
class Found:
    """The value of a setting and its source: ``default``, a file's path or a variable's name."""

    setting: Setting
    value: Value
    source: str


class Settings:
    """All settings as they hold in one place. ``warnings`` tells what was left aside and why.

    A wrong value is left aside, and what would hold without it holds; ``mistakes`` are the warnings
    about the user's own. A file of theirs that does not parse is an error, since nobody knows what
    it turns off, but a mistake like any other where it is to be mended (``lenient``).
    """

    def __init__(self, environment: Mapping[str, str], *, lenient: bool = False) -> None:
        self.environment = environment
        self.lenient = lenient
        self.warnings: list[str] = []
        self.mistakes: list[str] = []
        self._found = {
            setting.key: Found(setting, setting.default, "default") for setting in SETTINGS
        }
        self._layers: list[tuple[str, str]] = []
        self.add_file(self.user_file, "user")
        self._read_environment()

    @classmethod
    def of_process(cls, *, lenient: bool = False) -> Settings:
        """The settings of this process, before a repository is known."""
        return cls(os.environ, lenient=lenient)  # noqa: TID251 - this is the one place

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

        ``level`` is ``user``, ``repository`` or ``store``. Raises InvalidInput as told above.
        """
        if not path or not os.path.isfile(path):
            return
        from gitmem.text import toml_flat  # noqa: PLC0415 - most repositories have no such file

        try:
            given = list(toml_flat.read(path).items())
        except InvalidInput as error:
            if level != "repository" and not self.lenient:
                raise
            given = []
            self._leave_aside(f"{error.message} None of it is taken.", level)
        for key, raw in given:
            try:
                self._take(key, raw, path, level)
            except InvalidInput as error:
                self._leave_aside(f"{error.message} It is left aside.", level)
        self._read_environment()

    def _leave_aside(self, told: str, level: str) -> None:
        if told not in self.warnings:  # variables are read again after each file
            self.warnings.append(told)
            self.mistakes += [told] if level != "repository" else []

    def _take(self, key: str, raw: object, path: str, level: str) -> None:
        setting = BY_KEY.get(key)
        if setting is None:
            # Finding the nearest name takes 10 ms: a stranger's file is not worth it.
            hint = "" if level == "repository" else nearest(key)
            self._leave_aside(f"{path}: there is no setting {key!r:.60}.{hint}", level)
        elif level == "repository" and not setting.repository:
            self._leave_aside(
                f"{path}: {key} is ignored in a file that comes with a repository.", level
            )
        elif level == "user" and not setting.user:
            self._leave_aside(f"{path}: {key} cannot be set for all repositories at once.", level)
        else:
            self._found[key] = Found(setting, checked(setting, raw, path), path)

    def _read_environment(self) -> None:
        for setting in SETTINGS:
            raw = self.environment.get(setting.variable)
            if raw is None:
                continue
            try:
                value = parse(setting, raw, setting.variable)
            except InvalidInput as error:
                self._leave_aside(f"{error.message} It is left aside.", "environment")
                continue
            self._found[setting.key] = Found(setting, value, setting.variable)
        if self.store_key and not _is_key(self.store_key):
            told = f"{_STORE_KEY} is left aside: a key has 64 hexadecimal digits, in lower case."
            self._leave_aside(told, "environment")

    @property
    def plain_terminal(self) -> bool:
        """Whether a terminal is to get no bold letters (https://no-color.org), or has none."""
        return bool(self.environment.get("NO_COLOR")) or (
            self.environment.get("TERM", "dumb") == "dumb"
        )

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
    def background(self) -> bool:
        """Whether gitmem may start processes of its own: GITMEM_NO_BACKGROUND=1 forbids it."""
        return self.environment.get("GITMEM_NO_BACKGROUND", "0") in ("", "0")

    @property
    def user_store(self) -> str:
        """The store for memories that hold in every project; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "global/memory.db")

    @property
    def model_folder(self) -> str:
        """Where models that were pulled are kept; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "models")

    @property
    def stores_folder(self) -> str:
        """Where keys and copies of the user's own stores lie; empty without a home folder."""
        return self._place("XDG_DATA_HOME", ".local/share", "stores")

    @property
    def store_key(self) -> str:
        """A key for the stores of this environment, in hexadecimal; mostly empty.

        For places whose home folder is not kept. Never from a file, which could be anybody's.
        """
        return self.environment.get(_STORE_KEY, "")

    @property
    def copy_passphrase(self) -> str:
        """The passphrase of encrypted copies; only a variable tells it, no settings file."""
        return self.environment.get("GITMEM_COPY_PASSPHRASE") or ""

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


def _is_key(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def nearest(key: str) -> str:
    """`` Did you mean 'orient.budget'?`` for a name that is nearly a key, or nothing."""
    import difflib  # noqa: PLC0415 - for a name that is wrong

    close = difflib.get_close_matches(key[:60].lower(), BY_KEY, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


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
    if fits and isinstance(value, str) and value:
        fits = _makes_sense(setting.key, value)
    if not fits or not isinstance(value, str | int | float | bool):
        raise InvalidInput(
            f"{source}: {setting.key} cannot be {value!r:.60}.",
            f"{setting.help}. {_range(setting)}".strip(),
        )
    return float(value) if kind is float else value


def _makes_sense(key: str, value: str) -> bool:
    """Whether the text can mean what the key is for, as far as a look at it tells."""
    if key == "timezone":
        from gitmem.clock.local_zone import is_zone  # noqa: PLC0415 - for whoever has set it

        return is_zone(value)
    if key == "model":
        from gitmem.embedding import registry  # noqa: PLC0415 - most keep the default

        return value == BY_KEY[key].default or registry.is_name(value)
    if key == "copy.mode":
        return value in COPY_MODES
    if key == "copy.key_file":
        return os.path.isabs(value)
    # Whether it is a store is judged before it is opened, and told in full there.
    return key != "store.path" or (os.path.isabs(value) and not os.path.isdir(value))


def _range(setting: Setting) -> str:
    if setting.least is None or setting.most is None:
        return ""
    return f"It must be between {setting.least:g} and {setting.most:g}."
