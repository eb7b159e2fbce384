"""The settings files that `gitmem config` and `gitmem model` write, and what copies hold."""

import os
from contextlib import suppress

from gitmem import setting_table
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, ReadOnly, Unavailable
from gitmem.files import atomic_write
from gitmem.store.file import settings_copy
from gitmem.text import toml, toml_flat

_STORE_PATH = "store.path"  # means nothing where a copy is brought to


def own_file(app: App) -> str:
    """The settings file of this project, whose store was seen. Raises Unavailable."""
    if path := app.local_config_file:
        return path
    raise Unavailable(
        "There is no home folder to keep settings in.",
        "Set HOME, or GITMEM_HOME to a folder of yours.",
    )


def save(path: str, key: str, value: setting_table.Value | None, *, own: bool = False) -> None:
    """Set one key in a settings file, None takes it out; all else in it stays.

    A file that does not parse, or is written in a way that this cannot change, stays as it is; so
    does with ``own`` what is not the user's plain file. Raises InvalidInput, ReadOnly.
    """
    present = toml_flat.content(path, own=own) if os.path.lexists(path) else b""
    expected = toml_flat.parsed(present, path)
    expected.pop(key, None)
    if value is not None:
        expected[key] = value
    content = toml.with_key(present.decode("utf-8"), key, value).encode("utf-8")
    try:
        done = toml_flat.parsed(content, path) == expected
    except InvalidInput:
        done = False
    if not done:
        raise InvalidInput(
            f"{key} cannot be changed in {path}, which is written in an unusual way.",
            "Change it with an editor; the file was left as it is.",
        )
    write(path, content)


def write(path: str, content: bytes) -> None:
    """Give a settings file this content, whole. Raises ReadOnly; then it is as it was."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise ReadOnly(
            f"{path} cannot be written: {error.strerror}.", "Check its folder."
        ) from error


def use(app: App, key: str, value: setting_table.Value | None) -> str:
    """Save a setting of this project, and follow it from now on; the file that was written.

    Raises as ``save`` and ``own_file`` do.
    """
    path = own_file(app)
    save(path, key, value, own=True)
    app.settings.add_file(path, "store")
    with suppress(GitmemError):  # at the latest the next copy does it
        note(app)
    return path


def note(app: App) -> None:
    """Have the store carry the project's settings before it is copied.

    Of a file that is gone the store carries what it held. Raises as ``settings_copy.note`` does.
    """
    store = app.store  # first: with it is known whose settings they are
    path = app.local_config_file
    if store.read_only or not path or not os.path.lexists(path):
        return
    with suppress(InvalidInput):  # what cannot be read here would not be read elsewhere either
        content = toml_flat.content(path, own=True)
        names_store = _STORE_PATH in toml_flat.parsed(content, path)
        text = content.decode("utf-8")
        settings_copy.note(store, toml.with_key(text, _STORE_PATH, None) if names_store else text)


def bring_back(app: App) -> str:
    """Put the settings that the store carries where there are none; the file written, or empty.

    Only those that were sealed here. Raises ReadOnly.
    """
    text, own = settings_copy.read(app.store)
    path = app.local_config_file
    if not path or not text or not own or os.path.lexists(path):
        return ""
    write(path, text.encode("utf-8"))
    app.settings.add_file(path, "store")
    return path


def left_behind(app: App, former: str) -> str:
    """That settings do not hold any more since another store stands here; empty where they do.

    ``former`` is the settings file of before.
    """
    if former in ("", app.local_config_file) or not os.path.lexists(former):
        return ""
    return f"The settings of the store that stood here do not hold now: {former}"
