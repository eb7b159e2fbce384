"""Making a store the user's own: one that is older than keys, or one that a person vouches for.

A store in the user's data folder is always theirs. A store in a repository that was made before
there were keys is theirs if their own store knows its place: nobody else writes there.
"""

from __future__ import annotations

import os

from gitmem.store.db import projects, seals
from gitmem.store.db.connection import Database
from gitmem.store.file import migrate, opening, registration, sealing
from gitmem.store.file.registration import Keyring
from gitmem.store.memory import derived_rows

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable


def adopt_store_without_key(
    path: str,
    root: str,
    keyring: Keyring,
    *,
    get_user_store: Callable[[], Database | None],
    random_bytes: Callable[[int], bytes],
) -> bool:
    """Make a repository's store the user's own if they made it before stores had keys; else False.

    It is theirs if it never had a key (or its adoption was interrupted), their file, and their own
    store, which ``get_user_store`` opens, records the folder ``root``. ``random_bytes(n)`` returns
    n random bytes. Raises what ``opening.open_store`` raises, and Unavailable.
    """
    id, version = opening.read_store_id(path)
    folder = registration.store_data_folder(keyring.stores_folder, id)
    older = version < migrate.FIRST_SEALED and not os.path.lexists(folder)
    if not folder or not (older or keyring.is_key_pending(id)):
        return False
    if os.name == "posix" and os.lstat(path).st_uid != os.geteuid():
        return False
    if not projects.is_root_registered(get_user_store(), root):
        return False
    adopt_store_as_own(path, keyring, random_bytes=random_bytes, keep_index=True)[0].close()
    return True


def adopt_store_as_own(
    path: str, keyring: Keyring, *, random_bytes: Callable[[int], bytes], keep_index: bool = False
) -> tuple[Database, int]:
    """Make the store at ``path`` the user's own; returns (open store, number of damaged memories).

    Every undamaged row gets a seal (proof of origin) with the store's key, a new one from
    ``random_bytes(n)`` if it has none. Unless ``keep_index``, the index of memories is built anew,
    and the index of files and commits deleted. Raises what ``opening.open_store`` raises, and
    Unavailable where no key can be stored.
    """
    database = opening.open_store_for_adoption(path, keyring)
    try:
        if not database.key:
            database.key = keyring.propose_store_key(
                database.store, random_bytes(registration.KEY_BYTES)
            )
        with database.write():
            damaged_count = sealing.seal_all_rows(database)
            if not keep_index:
                # The person vouches for the store, not for the logs beside it.
                for log in (seals.SESSIONS, seals.SPOOL):
                    projects.set_meta(database, log, "1")
                derived_rows.delete_indexed_files_and_commits(database)
                if not damaged_count:
                    derived_rows.rebuild_derived_rows(database)
        # The last step: until then the store is not trusted.
        keyring.confirm_key(database.store, database.key)
    except BaseException:
        database.close()
        raise
    database.unsealed = False
    return database, damaged_count
