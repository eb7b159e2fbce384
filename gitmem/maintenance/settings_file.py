"""The settings files that `gitmem config` writes."""

import os

from gitmem import settings
from gitmem.errors import InvalidInput, ReadOnly
from gitmem.text import toml_flat, toml_key


def save(path: str, key: str, value: settings.Value | None) -> None:
    """Set one key in a settings file, None takes it out; all else in it stays.

    A file that does not parse, or is written in a way that this cannot change, stays as it is.
    Raises InvalidInput, ReadOnly.
    """
    wanted = toml_flat.read(path) if os.path.isfile(path) else {}
    wanted.pop(key, None)
    if value is not None:
        wanted[key] = value
    text = toml_key.changed(_read(path), key, value)
    try:
        done = toml_flat.parsed(text.encode(), path) == wanted
    except InvalidInput:
        done = False
    if not done:
        raise InvalidInput(
            f"{key} cannot be changed in {path}, which is written in an unusual way.",
            "Change it with an editor; the file was left as it is.",
        )
    _write(path, text)


def _read(path: str) -> str:
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise ReadOnly(
            f"{path} cannot be written: {error.strerror}.", "Check its folder."
        ) from error
