"""The settings of a project as its store carries them, so that every copy of the store does.

They are in force from the user's data folder, where ``git clean`` does not reach. A copy that is
brought to another machine finds no such folder: it brings them along, sealed with the key of the
store, so that those in a stranger's file are told from the user's own.
"""

from __future__ import annotations

from gitmem.store.db import projects, seals
from gitmem.store.db.connection import Database

_TEXT, _SEAL = "settings", "settings_seal"


def note(database: Database, text: str) -> None:
    """Have the store carry the text of a settings file. Raises StoreBusy, DiskFull, ReadOnly."""
    if read(database) == (text, True):
        return
    with database.write():
        projects.set_meta(database, _TEXT, text)
        projects.set_meta(database, _SEAL, _seal(database, text))


def read(database: Database) -> tuple[str, bool]:
    """The text that the store carries, empty for none, and whether it was written here."""
    text = projects.meta(database, _TEXT) or ""
    own = bool(database.key) and projects.meta(database, _SEAL) == _seal(database, text)
    return text, own


def _seal(database: Database, text: str) -> str:
    return seals.seal(database.key, _TEXT, text.encode("utf-8", "surrogatepass")).hex()
