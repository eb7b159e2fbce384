"""Which stores are the user's own, as the user's data folder says and no repository can.

A store is known by a random id. For each the data folder holds a folder of that name, private to
the user, with the key that binds what was written to it; whoever unpacks or copies a stranger's
store has no such folder. A second, small folder tells which store stands at which place, so that
a store that is gone is missed (``git clean -fdx`` takes it with the rest).

::

    <data folder>/stores/<store id>/key       32 bytes, hexadecimal
    <data folder>/stores/places/<place>       the id of the store that stands there, and the place
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress

from gitmem.files import atomic_write
from gitmem.store.db import preflight

KEY_BYTES = 32
# An id is 16 random bytes; anything else in its place would be a path of a stranger's choice.
_ID_LENGTH = 32
_DIGITS = frozenset("0123456789abcdef")
_PLACES = "places"


def folder_of(stores: str, store: str) -> str:
    """The folder for what belongs to a store; empty where ``store`` cannot be an id."""
    fits = len(store) == _ID_LENGTH and _DIGITS.issuperset(store)
    return os.path.join(stores, store) if stores and fits else ""


def key(stores: str, store: str) -> bytes:
    """The key of a store that is the user's own; empty for any other."""
    folder = folder_of(stores, store)
    text = _read(os.path.join(folder, "key")) if folder else ""
    return bytes.fromhex(text) if len(text) == 2 * KEY_BYTES and _DIGITS.issuperset(text) else b""


def register(stores: str, store: str, new_key: bytes) -> bytes:
    """Make the store one of the user's own; its key, which is the one it had where it had one.

    Raises OSError where the data folder cannot be written.
    """
    if known := key(stores, store):
        return known
    folder = folder_of(stores, store)
    preflight.make_private(folder)
    atomic_write.replace(os.path.join(folder, "key"), new_key.hex().encode(), 0o600)
    return new_key


def note_place(stores: str, root: str, store: str) -> None:
    """Note that the store stands in the folder ``root``. Raises OSError."""
    if at(stores, root) == store:
        return
    preflight.make_private(os.path.join(stores, _PLACES))
    text = f"{store}\n{root}\n".encode("utf-8", "surrogateescape")
    atomic_write.replace(_place(stores, root), text, 0o600)


def at(stores: str, root: str) -> str:
    """The id of the store that stood in the folder ``root`` when last seen; empty: none did."""
    return _read(_place(stores, root)).partition("\n")[0] if stores else ""


def forget_place(stores: str, root: str) -> None:
    """Forget that a store stands there: it was taken away on purpose. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(_place(stores, root))


def _place(stores: str, root: str) -> str:
    name = hashlib.blake2b(os.fsencode(root), digest_size=16).hexdigest()
    return os.path.join(stores, _PLACES, name)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(65_536).strip()
    except OSError:
        return ""
