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


def adopt_older_store(
    path: str,
    root: str,
    keys: Keyring,
    *,
    shared: Callable[[], Database | None],
    entropy: Callable[[int], bytes],
) -> bool:
    """Adopt a store that the user made before stores had keys; False if the store is another.

    ``shared`` opens the user's own store, which must know the folder ``root``. A store that has or
    had a key is not adopted: a file of an older schema would be a way around its seals. Raises
    Unavailable.
    """
    id, version = opening.store_id(path)
    folder = registration.folder_of(keys.stores, id)
    older = version < migrate.FIRST_SEALED and not os.path.lexists(folder)
    if not folder or not (older or keys.is_pending(id)):
        return False
    if os.name == "posix" and os.lstat(path).st_uid != os.geteuid():
        return False
    if not projects.knows_root(shared(), root):
        return False
    adopt_store(path, keys, entropy=entropy, with_index=True)[0].close()
    return True


def adopt_store(
    path: str, keys: Keyring, *, entropy: Callable[[int], bytes], with_index: bool = False
) -> tuple[Database, int]:
    """Make the store at ``path`` the user's own.

    Returns the open store and the number of damaged memories. Seals every undamaged row. Unless
    ``with_index``, rows derived from memories are built anew, and what an index run made is
    dropped. Raises what ``opening.open_store`` raises, and Unavailable where no key can be stored.
    """
    database = opening.open_adopting(path, keys)
    try:
        if not database.key:
            database.key = keys.propose(database.store, entropy(registration.KEY_BYTES))
        with database.write():
            left = sealing.seal_all(database)
            if not with_index:
                # The person vouches for the store, not for the logs beside it.
                for log in (seals.SESSIONS, seals.SPOOL):
                    projects.set_meta(database, log, "1")
                derived_rows.empty_sources(database)
                if not left:
                    derived_rows.rebuild(database)
        # The last step: until then the store is not trusted.
        keys.confirm(database.store, database.key)
    except BaseException:
        database.close()
        raise
    database.unsealed = False
    return database, left
