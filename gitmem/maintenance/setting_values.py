"""Checking a value before it is written to a settings file: its type, and what it names.

A wrong value in a settings file would break every later command.
"""

import os

from gitmem.errors import GitmemError, InvalidInput, Unavailable
from gitmem.setting_table import Setting, Value, parse_setting_value


def parse_setting_text(setting: Setting, text: str) -> Value:
    """Return the value that a user's text means for a setting.

    Raises InvalidInput, saying what is allowed.
    """
    if setting.key == "timezone" and text:
        from gitmem.clock import zones  # noqa: PLC0415 - for this key only

        zones.load_time_zone(text)  # its error names similar zones
    if setting.key == "store.path" and text:
        _check_store(text)
    value = parse_setting_value(setting, text, "")
    if setting.key == "model":
        _check_model(text)
    return value


def find_setting_problem(setting: Setting, value: Value) -> str:
    """Return what is wrong with a value of the right type, in words; empty if nothing."""
    if setting.key != "store.path" or not value:
        return ""
    try:
        _check_store(str(value))
    except InvalidInput as error:
        return error.message
    return ""


def _check_store(path: str) -> None:
    """Raise InvalidInput unless the path has a store, or one could be created there."""
    hint = "Give the absolute path of a store, or of a new file in a folder that you may write to."
    if not os.path.isabs(path):
        raise InvalidInput(f"store.path cannot be {path!r:.60}: it is not an absolute path.", hint)
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise InvalidInput(f"store.path cannot be {path!r:.200}: there is no such folder.", hint)
    if os.path.lexists(path):
        from gitmem.store.db import preflight  # noqa: PLC0415 - for this key only

        try:
            preflight.check_store_file_owner_and_format(path)
        except GitmemError as error:
            raise InvalidInput(
                f"store.path cannot be {path!r:.200}: {error.message}", hint
            ) from error
    elif not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidInput(
            f"store.path cannot be {path!r:.200}: you may not write to its folder.", hint
        )


def _check_model(name: str) -> None:
    """Raise InvalidInput for a model that is neither in the list nor a folder."""
    _, colon, model = name.partition(":")
    if not colon:
        return
    from gitmem.embedding import fastembed, registry  # noqa: PLC0415 - for this key only

    if registry.is_remote_model(name):
        return  # only its server knows, which is not asked for a setting
    try:
        if fastembed.local_model_folder(model) is not None:
            return
    except Unavailable as error:
        raise InvalidInput(error.message, error.hint) from error
    models = [model.name.lower() for model in registry.known_models()]
    # Without fastembed there is no list to look into.
    if any(name.startswith("fastembed:") for name in models) and name.lower() not in models:
        raise InvalidInput(
            f"There is no embedding model {name[:60]}.",
            "See `gitmem model list` for the available models.",
        )
