"""Registering the user's own stores in the data folder, out of a repository's reach.

A store has a random id. For each of the user's stores the data folder holds a private folder of
that name, with the key that its rows are sealed with; for a store that came with a clone or an
archive there is none. Another folder records which store is at which place, so that a store that
disappears is noticed (``git clean -fdx`` removes it with the rest).

::

    <data folder>/stores/<store id>/key           32 bytes, hexadecimal
                                    config.toml   the settings of its project
                                    endpoint      which address `ask` may send to, and
                                    embedding-endpoint
                                                  which one an embedding model
    <data folder>/stores/places/<place>           the id of the store at that place, the place,
                                                  whose settings hold there if not its own,
                                                  and the word of its repository
    <git directory>/gitmem-place                  that word: 32 random digits

A path alone does not identify a place: another repository may be unpacked where one of the user's
was. It lacks the word, so the note does not apply to it. A place noted before there were words is
recognised by files of its git directory that are older than the note.

A store that a setting names (``store.path``) is at a place where another store's settings hold.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight, seals
from gitmem.text.digest import blake2b

KEY_BYTES = 32
# An id is 16 random bytes; anything else in its place would be a path of a stranger's choice.
_ID_LENGTH = 32
_DIGITS = frozenset("0123456789abcdef")
_PLACES = "places"
_KEY = "key"
_SETTINGS = "config.toml"
_WORD = "gitmem-place"
# Files that git makes with a repository and seldom touches; an archive cannot set their ctime.
_OLD = ("description", "info/exclude", "refs", "objects")
_PENDING = "key.pending"


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of the user's own stores, by which gitmem tells them from stores of strangers.

    ``stores_folder`` has a folder with a key for each store, empty without a home folder;
    ``environment_key`` is that of GITMEM_STORE_KEY, empty if not set.
    """

    stores_folder: str
    environment_key: bytes = b""

    def key_of_open_store(self, store_id: str, key_proof: str) -> bytes:
        """The 32-byte key of the store with this id; empty if the store is not the user's.

        ``key_proof`` is the text with which the store names its key (``seals.seal_of_store``).
        """
        if known := read_store_key(self.stores_folder, store_id):
            return known
        return (
            self.environment_key
            if self.environment_key
            and seals.seal_of_store(self.environment_key, store_id) == key_proof
            else b""
        )

    def key_of_closed_store(self, store_id: str) -> bytes:
        """The key of the store with this id; empty if unknown.

        A key from the environment is returned too, though it may be another store's.
        """
        return read_store_key(self.stores_folder, store_id) or self.environment_key

    def register_store(self, store_id: str, new_key: bytes) -> bytes:
        """Make the store one of the user's own; returns the key it had, else ``new_key``.

        The environment's key, if set, replaces ``new_key``. Raises Unavailable if none can be
        stored.
        """
        return self._stored_key(store_id, _KEY, new_key)

    def propose_store_key(self, store_id: str, new_key: bytes) -> bytes:
        """The key to seal a store's rows with: the one it has, else the first proposed for it.

        It is valid only after ``confirm_key``, and until then proposed again. Raises Unavailable.
        """
        return read_store_key(self.stores_folder, store_id) or self._stored_key(
            store_id, _PENDING, new_key
        )

    def is_key_pending(self, store_id: str) -> bool:
        """Whether ``propose_store_key`` stored a key for a store that was not confirmed yet."""
        folder = store_data_folder(self.stores_folder, store_id)
        is_proposed = folder and os.path.lexists(os.path.join(folder, _PENDING))
        return bool(is_proposed) and not os.path.lexists(os.path.join(folder, _KEY))

    def confirm_key(self, store_id: str, proposed_key: bytes) -> None:
        """Make a proposed key the store's, once all rows are sealed with it. Raises Unavailable."""
        self._stored_key(store_id, _KEY, proposed_key)
        if folder := store_data_folder(self.stores_folder, store_id):
            with suppress(OSError):
                os.unlink(os.path.join(folder, _PENDING))

    def _stored_key(self, store_id: str, name: str, new_key: bytes) -> bytes:
        try:
            if self.stores_folder:
                return _key_in(self.stores_folder, store_id, name, self.environment_key or new_key)
            reason = "there is no home folder"
        except OSError as error:
            reason = f"{self.stores_folder} cannot be written: {error.strerror}"
        if self.environment_key:
            return self.environment_key
        raise Unavailable(
            f"The key of the store cannot be saved: {reason}.",
            "Set GITMEM_HOME to a folder that you can write and that stays, or GITMEM_STORE_KEY "
            "to a key of your own: 64 hexadecimal digits.",
        )

    def record_store_location(self, root: str, store_id: str, settings_store_id: str = "") -> None:
        """Record that the store is in the folder ``root``, if the record can be written.

        ``settings_store_id`` is as in ``registration.record_store_location``.
        """
        if self.stores_folder:
            with suppress(OSError):
                record_store_location(self.stores_folder, root, store_id, settings_store_id)

    def delete_store_location(self, root: str) -> None:
        """Delete the record of which store is in a folder, if it can be deleted."""
        if self.stores_folder:
            with suppress(OSError):
                delete_store_location(self.stores_folder, root)


def parse_store_key(hex_text: str) -> bytes:
    """The 32-byte key in a text of 64 hexadecimal digits; empty if the text is invalid."""
    return (
        bytes.fromhex(hex_text)
        if len(hex_text) == 2 * KEY_BYTES and _DIGITS.issuperset(hex_text)
        else b""
    )


def store_data_folder(stores_folder: str, store_id: str) -> str:
    """The path of a store's folder in ``stores_folder``; empty if ``store_id`` is no valid id."""
    is_valid = len(store_id) == _ID_LENGTH and _DIGITS.issuperset(store_id)
    return os.path.join(stores_folder, store_id) if stores_folder and is_valid else ""


def read_store_key(stores_folder: str, store_id: str) -> bytes:
    """The key of one of the user's own stores, 32 bytes; empty for other stores."""
    folder = store_data_folder(stores_folder, store_id)
    return parse_store_key(_read(os.path.join(folder, _KEY))) if folder else b""


def _key_in(stores_folder: str, store_id: str, name: str, new_key: bytes) -> bytes:
    folder = store_data_folder(stores_folder, store_id)
    path = os.path.join(folder, name)
    if known := parse_store_key(_read(path)):
        return known
    preflight.make_private_folder(folder)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    _write_private(temporary, new_key)
    try:
        # Of two processes that register at a time the first wins: both use its key.
        os.link(temporary, path)
    except FileExistsError:
        if not parse_store_key(_read(path)):
            os.replace(path, f"{path}.damaged")
            os.replace(temporary, path)
    except OSError:  # a file system without links
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    from gitmem.files.durable import sync_folder_entry  # noqa: PLC0415 - once in the life of a store

    # Without the sync a power cut could lose the key, and the store would be refused as foreign.
    sync_folder_entry(path)
    return parse_store_key(_read(path))


def _write_private(path: str, new_key: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(new_key.hex().encode())
        file.flush()
        os.fsync(file.fileno())


def record_store_location(
    stores_folder: str, root: str, store_id: str, settings_store_id: str = ""
) -> None:
    """Record that the store is in the folder ``root``. Raises OSError.

    ``settings_store_id`` is the id of the store whose settings apply there; if empty, the recorded
    one stays, or else it is ``store_id``.
    """
    previous = read_store_location(stores_folder, root)
    settings_store_id = settings_store_id or (
        previous.settings if _is_of(previous, stores_folder, root) else store_id
    )
    location = StoreLocation(store_id, settings_store_id, _word(root, make=True))
    if location == previous:
        return
    from gitmem.files import atomic_write  # noqa: PLC0415 - once in the life of a place

    preflight.make_private_folder(os.path.join(stores_folder, _PLACES))
    extra_lines = [settings_store_id] if settings_store_id != store_id else []
    extra_lines += [f"{_WORD} {location.token}"] if location.token else []
    text = "\n".join([store_id, root, *extra_lines, ""]).encode("utf-8", "surrogateescape")
    atomic_write.replace_file(_place(stores_folder, root), text, 0o600)


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """What is recorded of a folder: the id of its ``store``, and of the store whose settings apply.

    ``token`` is a random text that is also stored in the folder's git directory, so that another
    repository in its place is noticed; empty where it could not be written. All are empty without a
    record.
    """

    store: str
    settings: str
    token: str


def store_id_at(stores_folder: str, root: str) -> str:
    """The id of the store last opened in the folder ``root``; empty if none was recorded."""
    return store_and_settings_ids_at(stores_folder, root)[0]


def store_and_settings_ids_at(stores_folder: str, root: str) -> tuple[str, str]:
    """(id of the store last opened in ``root``, id of the store whose settings apply there).

    Both are empty where no store was recorded, or where another repository is there now.
    """
    place = read_store_location(stores_folder, root)
    return (place.store, place.settings) if _is_of(place, stores_folder, root) else ("", "")


def read_store_location(stores_folder: str, root: str) -> StoreLocation:
    """What is recorded of the folder ``root``, even if another repository is there now."""
    text = _read(_place(stores_folder, root)) if stores_folder else ""
    # The name of a folder may hold line breaks.
    store, _, rest = text.partition("\n")
    other, word = "", ""
    for line in rest.removeprefix(root).split("\n"):
        if line.startswith(f"{_WORD} "):
            word = line.removeprefix(f"{_WORD} ")
        elif store_data_folder(stores_folder, line):
            other = line
    return StoreLocation(store, other or store, word)


def _is_of(note: StoreLocation, stores_folder: str, root: str) -> bool:
    """Whether the repository at ``root`` is the one of the note."""
    if note.token or not note.store:
        return bool(note.store) and _word(root) == note.token
    folder = _git_folder(root)
    if not folder:  # a plain folder has no git directory for a word
        return True
    for name in _OLD:
        with suppress(OSError):
            written = os.stat(_place(stores_folder, root)).st_mtime_ns
            if os.lstat(os.path.join(folder, name)).st_ctime_ns <= written:
                return True
    return False


def _word(root: str, *, make: bool = False) -> str:
    """The word in the git directory of ``root``, with ``make`` a new one; empty: it has none."""
    folder = _git_folder(root)
    path = os.path.join(folder, _WORD)
    word = _read_word(path) if folder else ""
    if word or not folder or not make:
        return word
    temporary = f"{path}.{os.getpid()}"
    with suppress(OSError):  # of two processes at a time both take the word of the first
        # Nothing that came with the repository is overwritten or written through.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            _write_private(temporary, os.urandom(_ID_LENGTH // 2))
            os.link(temporary, path)
        finally:
            os.unlink(temporary)
    return _read_word(path)


def _read_word(path: str) -> str:
    """The word in a file of the git directory, which may be anything; empty: none."""
    # Follows no link and waits for no pipe.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with suppress(OSError), open(os.open(path, flags), "rb", buffering=0) as file:
        word = (file.read(_ID_LENGTH) or b"").decode("utf-8", "replace")
        return word if store_data_folder(".", word) else ""
    return ""


def _git_folder(root: str) -> str:
    """The git directory that belongs to a store root; empty for a plain folder."""
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path
    if os.path.isfile(path):
        return os.path.join(root, _read(path).removeprefix("gitdir:").strip())
    return root if os.path.isfile(os.path.join(root, "HEAD")) else ""


def project_settings_path(stores_folder: str, store_id: str) -> str:
    """The path of the settings file of a store's project; empty without a data folder."""
    folder = store_data_folder(stores_folder, store_id)
    return os.path.join(folder, _SETTINGS) if folder else ""


def registered_store_roots(stores_folder: str) -> list[str]:
    """The folders, sorted, in which stores of the user are recorded."""
    folder = os.path.join(stores_folder, _PLACES)
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder) if stores_folder else []
    roots = []
    for name in names:
        lines = _read(os.path.join(folder, name)).split("\n")[1:]
        while len(lines) > 1 and (
            lines[-1].startswith(f"{_WORD} ") or store_data_folder(".", lines[-1])
        ):
            lines.pop()
        roots.append("\n".join(lines))
    return sorted(root for root in roots if os.path.isabs(root))


def delete_store_location(stores_folder: str, root: str) -> None:
    """Delete the record of which store is in a folder, with its token. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(_place(stores_folder, root))
    delete_repository_token_file(root)


def delete_repository_token_file(root: str) -> None:
    """Delete the token in a folder's git directory that shows it is the recorded one, if possible.

    Until its store is opened there again, the folder then counts as having no recorded store.
    """
    if folder := _git_folder(root):
        with suppress(OSError):
            os.unlink(os.path.join(folder, _WORD))


def _place(stores_folder: str, root: str) -> str:
    name = blake2b(os.fsencode(root), digest_size=16).hexdigest()
    return os.path.join(stores_folder, _PLACES, name)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(65_536).strip()
    except OSError:
        return ""
