"""The settings files that `gitmem config` and `gitmem model` write."""

import os

from gitmem import setting_table
from gitmem.app import App
from gitmem.errors import InvalidInput, ReadOnly
from gitmem.files import atomic_write
from gitmem.text import toml, toml_flat


def save(path: str, key: str, value: setting_table.Value | None) -> None:
    """Set one key in a settings file, None takes it out; all else in it stays.

    A file that does not parse, or is written in a way that this cannot change, stays as it is.
    Raises InvalidInput, ReadOnly.
    """
    wanted = toml_flat.read(path) if os.path.isfile(path) else {}
    wanted.pop(key, None)
    if value is not None:
        wanted[key] = value
    content = toml.with_key(_read(path), key, value).encode("utf-8")
    try:
        done = toml_flat.parsed(content, path) == wanted
    except InvalidInput:
        done = False
    if not done:
        raise InvalidInput(
            f"{key} cannot be changed in {path}, which is written in an unusual way.",
            "Change it with an editor; the file was left as it is.",
        )
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise ReadOnly(
            f"{path} cannot be written: {error.strerror}.", "Check its folder."
        ) from error


def use(app: App, key: str, value: setting_table.Value | None) -> None:
    """Save a setting of this repository, and follow it from now on. Raises as ``save`` does."""
    save(app.local_config_file, key, value)
    app.settings.add_file(app.local_config_file, "store")


def _read(path: str) -> str:
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
