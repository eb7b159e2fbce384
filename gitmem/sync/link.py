"""The link of a store to a remote: whether a person agreed, where it leads, and what is read.

The consent is a file in the user's data folder, beside the store's key: no repository and no store
that somebody hands over can bring it. It holds for one address; when that changes, nothing leaves
until a person agrees again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import NotFound, Unavailable
from gitmem.files import atomic_write
from gitmem.files.plain_file import read_user_owned_file
from gitmem.git import record_repository
from gitmem.git.process import hide_credentials
from gitmem.git.record_repository import SharedMemoryRepository
from gitmem.git.runner import call_git
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight, projects
from gitmem.store.db.connection import Database
from gitmem.store.file import registration
from gitmem.text import json_reader
from gitmem.text.digest import sha256

_FILE, _FOLDER = "sync.json", "sync.git"
_NOTE = "sync"
_MAX_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class SyncRemote:
    """A git remote to share memories by: its name, the address to fetch from and to push to.

    ``display_url`` is the push address without credentials; ``mirrors`` says that git is set up to
    mirror to it, so that a ``git push`` deletes refs there that are not here.
    """

    name: str
    url: str
    push_url: str
    display_url: str
    mirrors: bool


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """How far a store has got with sharing its memories.

    ``device`` is the id under which it writes; changes up to the store's change ``counter`` are
    written as records (-1: none), ``rules`` is a digest of the sharing rules then, and ``tip`` the
    id of the last commit of its own ref (empty: none).
    """

    device: str
    counter: int = -1
    rules: str = ""
    tip: str = ""


def find_sync_remote(app: App, name: str = "") -> SyncRemote:
    """Return the git remote to share by: that named, or else agreed on, ``origin`` or the only one.

    Raises NotFound if there is no such remote.
    """
    place = app.layout.cwd
    names = _lines(place, "remote")
    name = (
        name
        or str(read_sharing_agreement(app).get("remote", ""))
        or ("origin" if "origin" in names else "")
    )
    name = name or (names[0] if len(names) == 1 else "")
    if name not in names:
        what = f"There is no remote {name!r}." if name else "There is no remote to share by."
        have = f"Its remotes: {', '.join(names)}. Name one with --remote." if names else ""
        raise NotFound(what, have or "Add one: git remote add origin ADDRESS")
    url = _address(app, _lines(place, "remote", "get-url", "--", name))
    push_url = _address(app, _lines(place, "remote", "get-url", "--push", "--", name))
    mirror = _lines(place, "config", "--type=bool", "--get", f"remote.{name}.mirror") == ["true"]
    return SyncRemote(name, url, push_url, hide_credentials(push_url), mirror)


def _lines(place: str, *args: str) -> list[str]:
    return os.fsdecode(call_git(args, cwd=place).out).splitlines()


def _address(app: App, lines: Sequence[str]) -> str:
    """The address in git's answer; a relative path is taken from the work tree, as git does."""
    url = lines[0] if lines else ""
    path = os.path.join(app.worktree, url)
    return path if url and ":" not in url and os.path.isdir(path) else url


def read_sharing_agreement(app: App) -> Mapping[str, object]:
    """Return the stored agreement to share memories: ``agreed``, ``remote`` (name) and ``address``.

    ``address`` is a digest of the remote's addresses. Empty if no person agreed.
    """
    with suppress(OSError, ValueError):
        noted = json.loads(read_user_owned_file(_path(app, _FILE), _MAX_BYTES))
        if isinstance(noted, dict) and noted.get("agreed") is True:
            return noted
    return {}


def is_sharing_agreed(app: App, remote: SyncRemote) -> bool:
    """Return whether a person agreed that memories go to the present addresses of ``remote``."""
    return read_sharing_agreement(app).get("address") == _digest(remote)


def record_sharing_agreement(app: App, remote: SyncRemote) -> None:
    """Save the fact that a person agreed that memories are sent to ``remote``.

    Raises Unavailable without a home folder, ReadOnly or DiskFull if the file cannot be written.
    """
    _note(app, {"agreed": True, "remote": remote.name, "address": _digest(remote)})


def withdraw_sharing_agreement(app: App) -> None:
    """Save that no person agrees any more, so that no memory is sent. Raises Unavailable."""
    _note(app, {"agreed": False})


def has_record_repository(app: App) -> bool:
    """Return whether this store has its private git repository for sharing memories."""
    return os.path.isdir(_path(app, _FOLDER))


def open_record_repository(app: App) -> SharedMemoryRepository:
    """Return the private git repository that holds this store's shared records, made if need be.

    Raises Unavailable if there is no home folder.
    """
    path, place = _path(app, _FOLDER), app.layout.cwd
    headers = record_repository.read_http_header_settings(place)
    if os.path.isdir(path):
        return SharedMemoryRepository(path, settings=headers)
    preflight.make_private_folder(os.path.dirname(path))
    return SharedMemoryRepository(path, record_repository.read_object_format(place), headers)


def read_sync_progress(database: Database) -> SyncProgress:
    """Return how far the store has got with sharing: no progress if it never shared."""
    unshared = SyncProgress(database.device)
    try:
        fields = json_reader.loads(projects.get_meta(database, _NOTE) or "{}")
        kinds = {name: type(getattr(unshared, name)) for name in SyncProgress.__slots__}
        if {name: type(value) for name, value in fields.items()} == kinds:
            return SyncProgress(**fields)
    except (ValueError, AttributeError):
        pass
    return unshared


def save_sync_progress(database: Database, progress: SyncProgress) -> None:
    """Save how far sharing has got. The caller must have a write transaction open."""
    fields = {name: getattr(progress, name) for name in SyncProgress.__slots__}
    projects.set_meta(database, _NOTE, json.dumps(fields, sort_keys=True))


def _note(app: App, content: Mapping[str, object]) -> None:
    path = _path(app, _FILE)
    try:
        preflight.make_private_folder(os.path.dirname(path))
        atomic_write.replace_file(path, json.dumps(content, sort_keys=True).encode(), 0o600)
    except OSError as error:
        raise preflight.write_failure_error(error, f"The file {path}") from error


def _path(app: App, name: str) -> str:
    folder = registration.store_data_folder(app.keys.stores_folder, app.store.store)
    if not folder:
        raise Unavailable(
            "Your consent cannot be saved: there is no home folder.",
            "Set HOME, or GITMEM_HOME to a folder of yours.",
        )
    return os.path.join(folder, name)


def _digest(remote: SyncRemote) -> str:
    return sha256(f"{remote.url} {remote.push_url}".encode("utf-8", "surrogateescape")).hexdigest()
