"""Opening the user's own stores: a repository's, and the one in the user's data folder."""

from __future__ import annotations

from gitmem.errors import StoreDamaged, Unavailable, UntrustedStore
from gitmem.store.db.connection import BUSY_MS, Database
from gitmem.store.file.opening import open_store
from gitmem.store.file.registration import Keyring

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

MEND_SHARED = "`gitmem recover --scope global` makes a new store of what can be read."


def open_repository_store(
    path: str,
    root: str,
    keyring: Keyring,
    get_user_store: Callable[[], Database | None],
    random_bytes: Callable[[int], bytes],
    *,
    lock_timeout_ms: int = BUSY_MS,
    settings_store_id: str = "",
) -> Database:
    """Open the store of the repository at ``root``, and record that it is there; returns it.

    ``settings_store_id`` is the id of the store whose settings named ``path``, empty where none
    did. A store that the user made before stores had keys gets one, if their own store
    (``get_user_store``) records ``root``. Raises what ``opening.open_store`` raises.
    """
    try:
        store = open_store(path, keyring, lock_timeout_ms=lock_timeout_ms)
    except UntrustedStore:
        from gitmem.store.file import adoption  # noqa: PLC0415 - once in the life of a store

        if not adoption.adopt_store_without_key(
            path, root, keyring, get_user_store=get_user_store, random_bytes=random_bytes
        ):
            raise
        store = open_store(path, keyring, lock_timeout_ms=lock_timeout_ms)
    keyring.record_store_location(root, store.store, settings_store_id or store.store)
    return store


def open_user_store(path: str, keyring: Keyring, random_bytes: Callable[[int], bytes]) -> Database:
    """Open the store in the user's data folder; returns it. One without a key gets one.

    ``random_bytes(n)`` returns n random bytes. Raises what ``opening.open_store`` raises.
    """
    try:
        return open_store(path, keyring)
    except UntrustedStore:
        from gitmem.store.file import adoption  # noqa: PLC0415 - once in the life of a store

        return adoption.adopt_store_as_own(
            path, keyring, random_bytes=random_bytes, keep_index=True
        )[0]
    except StoreDamaged as error:
        raise StoreDamaged(error.message, MEND_SHARED) from error


def create_user_store(
    path: str, keyring: Keyring, random_bytes: Callable[[int], bytes], *, now_ms: int
) -> Database:
    """Create the store in the user's data folder; returns it open.

    Raises Unavailable for an empty ``path`` (no data folder) or without a key, ReadOnly, DiskFull.
    """
    if not path:
        raise Unavailable(
            "There is no home folder to keep global memories in.",
            "Set HOME, or GITMEM_HOME to a folder of yours.",
        )
    from gitmem.store.file.create import create_store  # noqa: PLC0415 - once in a lifetime

    return create_store(path, keyring, now_ms=now_ms, random_bytes=random_bytes)
