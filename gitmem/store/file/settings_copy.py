"""The settings of a project, stored in its store, so that every copy of the store has them.

The settings in force are in the user's data folder, where ``git clean`` does not reach. A copy
brought to another machine finds no such folder, so the store carries them too, sealed with its key,
which distinguishes them from those in a stranger's file.
"""

from __future__ import annotations

from gitmem.store.db import projects, seals
from gitmem.store.db.connection import Database

_TEXT, _SEAL = "settings", "settings_seal"


def save_settings_file_copy(database: Database, settings_text: str) -> None:
    """Store a copy of the text of the settings file. Raises StoreBusy, DiskFull, ReadOnly."""
    if read_settings_file_copy(database) == (settings_text, True):
        return
    with database.write():
        projects.set_meta(database, _TEXT, settings_text)
        projects.set_meta(database, _SEAL, _seal(database, settings_text))


def read_settings_file_copy(database: Database) -> tuple[str, bool]:
    """(stored text of the settings file, empty for none; whether this store wrote the text)."""
    text = projects.get_meta(database, _TEXT) or ""
    is_sealed = bool(database.key) and projects.get_meta(database, _SEAL) == _seal(database, text)
    return text, is_sealed


def _seal(database: Database, text: str) -> str:
    return seals.make_seal(database.key, _TEXT, text.encode("utf-8", "surrogatepass")).hex()
