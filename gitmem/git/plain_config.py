"""Reading the simple part of git's configuration files.

It reads sections, subsections, values, comments, quotes and continued lines, which is all that git
itself writes, and does not follow ``include``. Every command needs it to find its repository, and
importing ``dulwich.config`` would cost much more (25 ms of CPU against 1); what is needed only when
an identity has changed, dulwich reads (``config``). Keys are as git prints them: section and name
in lower case, the subsection as written.
"""

from __future__ import annotations

import os
import stat

ConfigValues = dict[str, list[str]]
SYSTEM = "/etc/gitconfig"

_LARGEST = 1 << 20
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


def user_config_files(home_folder: str | None, xdg_config_home: str | None) -> list[str]:
    """The paths of the user's two git configuration files; the last one counts more."""
    base = xdg_config_home or (os.path.join(home_folder, ".config") if home_folder else None)
    files = [os.path.join(base, "git", "config")] if base else []
    return [*files, os.path.join(home_folder, ".gitconfig")] if home_folder else files


def read_config_file(path: str) -> ConfigValues:
    """Key (``remote.origin.url``) -> its values in a git configuration file; empty without file."""
    return parse_config(read_config_text(path))


def read_config_text(path: str, max_bytes: int = _LARGEST) -> str:
    """The text of a file; empty if it is no regular file or larger than ``max_bytes`` bytes."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return ""
        with open(path, "rb") as file:
            return os.fsdecode(file.read()).removeprefix("\ufeff")
    except (OSError, ValueError):
        return ""


def parse_config(text: str) -> ConfigValues:
    """Key (``remote.origin.url``) -> its values in a git configuration; skips invalid lines."""
    settings: ConfigValues = {}
    section = ""
    for line in text.replace("\r\n", "\n").replace("\\\n", "").split("\n"):
        line = line.strip()
        if line.startswith("["):
            header, _, line = line.partition("]") if '"' not in line else _quoted_header(line)
            section = _section(header[1:])
            line = line.strip()
        if line and line[0] not in "#;" and section:
            name, equals, value = line.partition("=")
            key = f"{section}.{name.strip().lower()}"
            settings.setdefault(key, []).append(_value(value.strip()) if equals else "true")
    return settings


def last_value_of_key(git_config: ConfigValues, key: str) -> str | None:
    """The value of a git setting such as ``core.bare``, the last of several; None without any."""
    values = git_config.get(key)
    return values[-1] if values else None


def read_bool_value(git_config: ConfigValues, key: str) -> bool:
    """Whether a git setting such as ``core.bare`` is true, as git reads it; false if not set."""
    return is_true_value(last_value_of_key(git_config, key) or "")


def is_true_value(value: str) -> bool:
    """Whether a setting's value means true for git: true, yes, on, or a number other than zero."""
    value = value.lower()
    return value in ("true", "yes", "on") or (value.isdigit() and int(value) != 0)


def _quoted_header(line: str) -> tuple[str, str, str]:
    """Split ``[section "sub]section"] rest`` where the quoted part ends."""
    end, escaped, opened = len(line), False, False
    for index, char in enumerate(line):
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            opened = not opened
        elif char == "]" and not opened:
            end = index
            break
    return line[:end], "]", line[end + 1 :]


def _section(header: str) -> str:
    """``remote "Origin"`` becomes ``remote.Origin``."""
    name, quote, rest = header.partition('"')
    name = name.strip().lower()
    if not quote:
        return name
    subsection = rest.rpartition('"')[0]
    return f"{name}.{_unescape(subsection)}"


def _value(raw: str) -> str:
    """A value without its comment, quotes and escapes."""
    if not any(char in raw for char in '"\\#;'):
        return raw
    out, length, quoted = "", 0, False  # `length`: up to the last character that must stay
    chars = iter(raw)
    for char in chars:
        if char == '"':
            quoted = not quoted
            length = len(out)
        elif char == "\\":
            out += _ESCAPES.get(next(chars, ""), "")
            length = len(out)
        elif char in "#;" and not quoted:
            break
        else:
            out += char
            length = len(out) if quoted or not char.isspace() else length
    return out[:length]


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out, chars = "", iter(text)
    for char in chars:
        out += next(chars, "") if char == "\\" else char
    return out
