"""The folder for copies of a store outside the work tree, where ``git clean`` does not reach.

::

    <data folder>/stores/<store id>/copies/about.json                facts about each copy
                                           copy-<time>-<place>.db    two for each place
                                           before-<time>-<place>.db  kept when memories went missing
                                           *.db.enc                  the same, encrypted

``place`` is a hash of the folder of the store that was copied: a project that was copied with its
store has two stores with one id, whose copies must not replace each other.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gitmem.errors import StoreBusy
from gitmem.files import atomic_write, lock
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight
from gitmem.store.file import registration

FOLDER, ABOUT = "copies", "about.json"
UNKNOWN = -1
COPY, BEFORE = "copy-", "before-"
PLAIN, SEALED = ".db", ".db.enc"
TEMPORARY = ".copy-"
_TRIES, _PAUSE_SECONDS = 600, 0.1  # of waiting for another process that is copying


@dataclass(frozen=True, slots=True)
class ExternalStoreCopy:
    """A copy of a store, kept outside the work tree: its file (``path``) and what is known of it.

    ``store`` is the id of the copied store, ``origin`` the path of its file, ``root`` the folder it
    belongs to. ``made_at`` is in milliseconds, ``bytes`` a size. The number of ``memories`` is -1
    and texts are empty where they are not recorded.
    """

    path: str
    store: str
    root: str
    origin: str
    project: str
    name: str
    memories: int
    made_at: int
    bytes: int

    @property
    def is_encrypted(self) -> bool:
        """Whether the copy is encrypted."""
        return is_encrypted_copy(self.path)

    @property
    def is_set_aside(self) -> bool:
        """Whether the copy was set aside because the next one had far fewer memories."""
        return os.path.basename(self.path).startswith(BEFORE)

    @property
    def is_copied_store_present(self) -> bool:
        """Whether the folder of the copied store has a store now."""
        return bool(self.origin) and os.path.lexists(self.origin)


@dataclass(frozen=True, slots=True)
class StoreToCopy:
    """The store to copy: its id, file, and root folder, and the key and name of its project."""

    store: str
    path: str
    root: str
    project: str
    name: str


def folder_of_copies(stores_folder: str, store_id: str) -> str:
    """The folder for copies of the store with this id; empty without a data folder or valid id."""
    folder = registration.store_data_folder(stores_folder, store_id)
    return os.path.join(folder, FOLDER) if folder else ""


def list_copies(stores_folder: str, store_id: str) -> list[ExternalStoreCopy]:
    """The copies of the store with this id, oldest first; empty if there is no folder of copies."""
    folder = folder_of_copies(stores_folder, store_id)
    with suppress(OSError):
        about = read_copies_metadata(folder)
        copies = []
        for name in os.listdir(folder):
            if name.startswith((COPY, BEFORE)) and name.endswith((PLAIN, SEALED)):
                with suppress(FileNotFoundError):  # another process has just pruned it
                    copies.append(_read(folder, store_id, name, about))
        return sorted(copies, key=lambda copy: (copy.made_at, copy.path))
    return []


def names_of_deleted_copies(folder: str) -> list[str]:
    """The file names of copies recorded in this folder that are no longer there, sorted."""
    entries = copy_metadata_by_file_name(read_copies_metadata(folder))
    return sorted(name for name in entries if not os.path.lexists(os.path.join(folder, name)))


def store_ids_with_folder(stores_folder: str) -> list[str]:
    """The ids of the stores that have a folder in ``stores_folder``, sorted."""
    with suppress(OSError):
        return sorted(
            name
            for name in os.listdir(stores_folder)
            if registration.store_data_folder(stores_folder, name)
        )
    return []


def rank_copies(copies: list[ExternalStoreCopy], root: str) -> list[ExternalStoreCopy]:
    """The copies to restore at ``root``, best first: first those made there, then newer ones.

    Copies that were set aside because memories went missing come last.
    """

    def copy_rank(outside_copy: ExternalStoreCopy) -> tuple[bool, bool, int, str]:
        return (
            not outside_copy.is_set_aside,
            outside_copy.root == root,
            outside_copy.made_at,
            outside_copy.path,
        )

    return sorted(copies, key=copy_rank, reverse=True)


def is_encrypted_copy(path: str) -> bool:
    """Whether a file is an encrypted copy, by its name."""
    return path.endswith(SEALED)


@contextmanager
def lock_copies_folder(folder: str) -> Iterator[None]:
    """Within the block no other process changes a folder of copies; deletes unfinished files first.

    Raises StoreBusy after a minute of waiting, ReadOnly or DiskFull.
    """
    try:
        preflight.make_private_folder(folder)
        handle = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The folder {folder}") from error
    try:
        for _ in range(_TRIES):
            if lock.try_lock_file(handle):
                break
            time.sleep(_PAUSE_SECONDS)
        else:
            raise StoreBusy(
                f"Another process has been copying to {folder} for a minute.",
                "Try again when it has finished.",
            )
        for name in os.listdir(folder):
            if name.startswith(TEMPORARY) or name.endswith(".gitmem-new"):
                os.unlink(os.path.join(folder, name))
        yield
    finally:
        os.close(handle)


def _read(folder: str, store_id: str, name: str, about: dict[str, object]) -> ExternalStoreCopy:
    path = os.path.join(folder, name)
    status = os.lstat(path)  # a dangling link is listed, and does not stop the listing
    entry = copy_metadata_by_file_name(about).get(name, {})
    count, at = entry.get("memories"), entry.get("at")
    return ExternalStoreCopy(
        path=path,
        store=store_id,
        root=_text(entry.get("root")),
        origin=_text(entry.get("origin")),
        project=_text(about.get("project")),
        name=_text(about.get("name")),
        memories=count if isinstance(count, int) else UNKNOWN,
        made_at=at if isinstance(at, int) else status.st_mtime_ns // 1_000_000,
        bytes=status.st_size,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_copies_metadata(folder: str) -> dict[str, object]:
    """The JSON object in a folder's about.json, which describes the copies; empty if unreadable."""
    with suppress(OSError, ValueError):
        with open(os.path.join(folder, ABOUT), encoding="utf-8", errors="surrogateescape") as file:
            about = json.load(file)
        if isinstance(about, dict):
            return about
    return {}


def write_copies_metadata(folder: str, metadata: dict[str, object]) -> None:
    """Write the JSON object that describes a folder's copies to its about.json, if possible.

    The entries of copies that are gone are left out.
    """
    entries = copy_metadata_by_file_name(metadata)
    metadata["copies"] = {
        name: entries[name] for name in entries if os.path.lexists(os.path.join(folder, name))
    }
    content = json.dumps(metadata, indent=1, sort_keys=True).encode()
    with suppress(OSError):
        atomic_write.replace_file(os.path.join(folder, ABOUT), content + b"\n", 0o600)


def copy_metadata_by_file_name(metadata: dict[str, object]) -> dict[str, dict[str, object]]:
    """A dict: copy's file name -> its entry (root, origin, memories, at) in about.json's object."""
    copies = metadata.get("copies")
    entries = copies if isinstance(copies, dict) else {}
    return {name: entry for name, entry in entries.items() if isinstance(entry, dict)}


def restore_hint(stores_folder: str, store_root: str) -> str:
    """A sentence, with a blank before it, on how to restore the store last known at ``store_root``.

    Empty where there is no copy of it.
    """
    copies = list_copies(
        stores_folder, registration.read_store_location(stores_folder, store_root).store
    )
    return " To have your own back after that: gitmem restore-backup --copy." if copies else ""
