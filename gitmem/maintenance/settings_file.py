"""The settings files that `gitmem config` writes."""

import os

from gitmem import settings
from gitmem.errors import ReadOnly
from gitmem.files import atomic_write
from gitmem.text import toml


def save(path: str, key: str, value: settings.Value | None) -> None:
    """Set one key in a settings file, None takes it out; all else in it stays. Raises ReadOnly."""
    content = toml.with_key(_read(path), key, value).encode("utf-8")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise ReadOnly(
            f"{path} cannot be written: {error.strerror}.", "Check its folder."
        ) from error


def _read(path: str) -> str:
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
