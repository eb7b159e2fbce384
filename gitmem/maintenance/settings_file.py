"""Writing settings files, and keeping a copy in the store."""

import os
from contextlib import suppress

from gitmem import setting_table
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, ReadOnly, Unavailable
from gitmem.files import atomic_write
from gitmem.store.file import settings_copy
from gitmem.text import toml, toml_flat

_STORE_PATH = "store.path"  # meaningless on another machine, so it is not copied


def project_settings_path(app: App) -> str:
    """Return the path of this project's settings file. Raises Unavailable without a home folder."""
    if path := app.local_config_file:
        return path
    raise Unavailable(
        "There is no home folder to keep settings in.",
        "Set HOME, or GITMEM_HOME to a folder of yours.",
    )


def save_setting(
    path: str, key: str, value: setting_table.Value | None, *, require_user_owned: bool = False
) -> None:
    """Write one key of the settings file at ``path``, or remove it if ``value`` is None.

    The rest of the file stays. Raises InvalidInput if the file cannot be parsed or, with
    ``require_user_owned``, is not a plain file of this user; ReadOnly if it cannot be written.
    """
    present = (
        toml_flat.read_toml_bytes(path, require_private_file=require_user_owned)
        if os.path.lexists(path)
        else b""
    )
    expected = toml_flat.parse_toml_settings(present, path)
    expected.pop(key, None)
    if value is not None:
        expected[key] = value
    content = toml.set_toml_key(present.decode("utf-8"), key, value).encode("utf-8")
    try:
        done = toml_flat.parse_toml_settings(content, path) == expected
    except InvalidInput:
        done = False
    if not done:
        raise InvalidInput(
            f"{key} cannot be changed in {path}, which is written in an unusual way.",
            "Change it with an editor; the file was left as it is.",
        )
    write_settings_file(path, content)


def write_settings_file(path: str, content: bytes) -> None:
    """Replace the content of a settings file at once. Raises ReadOnly if it cannot be written."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic_write.replace_file(path, content, 0o600)
    except OSError as error:
        raise ReadOnly(
            f"{path} cannot be written: {error.strerror}.", "Make its folder writable."
        ) from error


def save_and_apply_setting(app: App, key: str, value: setting_table.Value | None) -> str:
    """Save a setting of this project and use it from now on; return the file written.

    None as ``value`` removes it. Raises Unavailable, InvalidInput or ReadOnly, as
    ``project_settings_path`` and ``save_setting`` do.
    """
    path = project_settings_path(app)
    save_setting(path, key, value, require_user_owned=True)
    app.settings.add_file(path, "store")
    with suppress(GitmemError):  # the next copy does it otherwise
        copy_settings_into_store(app)
    return path


def copy_settings_into_store(app: App) -> None:
    """Copy the project's settings into the store, so that its backups have them.

    If the settings file is gone, those in the store stay. Raises what
    ``settings_copy.save_settings_file_copy`` raises.
    """
    store = app.store  # opening it makes known which settings file is the project's
    path = app.local_config_file
    if store.read_only or not path or not os.path.lexists(path):
        return
    with suppress(InvalidInput):  # a broken file is not copied
        content = toml_flat.read_toml_bytes(path, require_private_file=True)
        names_store = _STORE_PATH in toml_flat.parse_toml_settings(content, path)
        text = content.decode("utf-8")
        settings_copy.save_settings_file_copy(
            store, toml.set_toml_key(text, _STORE_PATH, None) if names_store else text
        )


def restore_settings_from_store(app: App) -> str:
    """Write the settings file from the store's copy if there is none; return its path, or empty.

    Only settings that were sealed (signed) on this machine are restored. Raises ReadOnly.
    """
    text, own = settings_copy.read_settings_file_copy(app.store)
    path = app.local_config_file
    if not path or not text or not own or os.path.lexists(path):
        return ""
    write_settings_file(path, text.encode("utf-8"))
    app.settings.add_file(path, "store")
    return path


def describe_changed_settings(app: App, previous_settings: str) -> str:
    """Return a sentence if the settings file ``previous_settings`` does not apply any more.

    Else, or if it is gone, the text is empty. It is the path used before a store was replaced.
    """
    if previous_settings in ("", app.local_config_file) or not os.path.lexists(previous_settings):
        return ""
    return f"The settings of the store that stood here do not hold now: {previous_settings}"
