"""The settings files that `gitmem config` writes."""

import os

from gitmem import settings
from gitmem.errors import ReadOnly
from gitmem.text import toml


def save(path: str, key: str, value: settings.Value | None) -> None:
    """Set one key in a settings file, None takes it out; all else in it stays. Raises ReadOnly."""
    _write(path, toml.with_key(_read(path), key, value))


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
