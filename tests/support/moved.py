"""Setting gitmem up once and copying what it made: a copy costs a tenth of setting up.

What ``init`` leaves names the folder it ran in at few places: the work tree of each indexed file,
the root of the project, the folder of the hooks. A copy is mended there, gets a name of its own,
and is then what setting up in its own folder would have made; ``test_moved.py`` compares the two
row by row.

    moved.copy(tmp_path / "model", tmp_path / "mine")     # both hold repo/ and home/
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from gitmem.git import identity as git_identity
from gitmem.store.db import projects, seals
from gitmem.store.file import registration
from tests.support import trees
from tests.support.apps import NOW, Desk, copy_of
from tests.support.repos import RepoBuilder

# The options of ``init``, and the settings as variables.
Way = tuple[tuple[tuple[str, Any], ...], tuple[tuple[str, str], ...]]
PLACES = (
    *(("trees", "tree"), ("paths", "tree"), ("graph_trees", "tree"), ("elsewhere_of", "tree")),
    ("projects", "root"),
)
IMAGES = 16  # of a megabyte each


def copy(model: Path, folder: Path, *, now: int = NOW) -> None:
    """Copy a folder with a repository and a home, and whatever gitmem keeps in both."""
    trees.copy(model, folder)
    mend(folder, str(model), now=now)


def mend(folder: Path, old: str, *, now: int = NOW) -> None:
    """Make what was copied here from the folder ``old`` name this one, used ``now`` at last."""
    stores = folder / "home" / "gitmem" / "stores"
    shutil.rmtree(stores / "places", ignore_errors=True)
    if (store := folder / "home/gitmem/global/memory.db").exists():
        _mend_store(store, old, str(folder), stores)
    if (store := folder / "repo/.gitmem/memory.db").exists():
        repo = folder / "repo"
        id = _mend_store(store, old, str(folder), stores, Desk(repo, folder / "home", now=now))
        registration.record_store_location(str(stores), str(repo), id)
    for noted in (folder / "repo/.gitmem/hooks.json", folder / "repo/.git/gitmem/hook.sh"):
        if noted.exists():
            noted.write_text(noted.read_text().replace(old, str(folder)))


def rename_places(database: apsw.Connection, old: str, new: str) -> None:
    """Make a store that was made in the folder ``old`` name the folder ``new``."""
    for table, column in PLACES:
        database.execute(
            f"UPDATE {table} SET {column} = ? || substr({column}, ?) "
            f"WHERE substr({column}, 1, ?) = ?",
            (new, len(old) + 1, len(old), old),
        )
    database.execute("DELETE FROM meta WHERE key = 'identities' OR key GLOB 'differing *'")


def _mend_store(store: Path, old: str, new: str, stores: Path, desk: Desk | None = None) -> str:
    database = apsw.Connection(str(store))
    database.pragma("locking_mode", "exclusive")  # nobody else knows it: no shared memory
    database.pragma("synchronous", "off")
    with database:
        noted = database.execute("SELECT value FROM meta WHERE key = 'identities'").get
        rename_places(database, old, new)
        if desk and noted:
            _recognise(database, noted, desk)
        # Two copies are two stores, as two that were set up would be.
        known, id = database.execute("SELECT value FROM meta WHERE key = 'store'").get, _new_id()
        database.execute("UPDATE meta SET value = ? WHERE key IN ('device', 'store')", (id,))
        # The rows stay sealed with the key they were made with.
        (stores / known).rename(stores / id)
        seal = seals.seal_of_store(registration.read_store_key(str(stores), id), id)
        database.execute("UPDATE meta SET value = ? WHERE key = 'seal'", (seal,))
    database.close()
    return id


def _recognise(database: apsw.Connection, noted: str, desk: Desk) -> None:
    """Note the project's key as the first command would, without asking git for it again."""
    (_, *identity), *_ = json.loads(noted)
    note = json.dumps([[_signature(desk), *identity]])
    database.execute("INSERT INTO meta (key, value) VALUES ('identities', ?)", (note,))
    database.execute("UPDATE projects SET last_at = ?", (desk.clock.now(),))


def _signature(desk: Desk) -> str:
    """What the project's key rests on: files that are copies now, and so are of another inode."""
    app = desk.app()
    signature = git_identity.identity_change_stamp(
        app.layout,
        home_folder=app.settings.home or None,
        xdg_config_home=app.settings.environment.get("XDG_CONFIG_HOME"),
        extra_files=[app.config_file],
    )
    return projects._shortened(signature)


def _new_id() -> str:
    return os.urandom(16).hex()


@dataclass(frozen=True)
class Image:
    """What setting up made in one folder, to be written into others whose name is as long.

    What differs there is as long, too, so the bytes of a store are changed where they stand:
    opening both stores was the larger part of a copy. The marks are the folder, the signature of
    the project, and the id and the seal of each store.
    """

    marks: tuple[str, ...]
    keys: tuple[bytes, ...]
    own: str
    # Path from the folder, what the system knew of it, content, and where which mark stands.
    entries: tuple[tuple[str, os.stat_result, bytes, tuple[tuple[int, int], ...]], ...]

    @classmethod
    def of(cls, desk: Desk, made: tuple[str, ...]) -> Image:
        """Take it of a desk that was just set up; ``made`` are the paths of its model."""
        folder, places = desk.place.parent, "home/gitmem/stores/places"
        marks, keys, own = [str(folder)], [], ""
        for store in ("home/gitmem/global/memory.db", "repo/.gitmem/memory.db"):
            if (folder / store).exists():
                database = apsw.Connection(str(folder / store))
                meta = dict(database.execute("SELECT key, value FROM meta"))
                database.close()
                marks += [meta["store"], meta["seal"]]
                keys.append(
                    registration.read_store_key(str(folder / "home/gitmem/stores"), meta["store"])
                )
                if store.startswith("repo"):
                    own = meta["store"]
                    signatures = (
                        [json.loads(meta["identities"])[0][0]] if "identities" in meta else []
                    )
                    marks += signatures
        paths = [path for path in made if not path.startswith("home/")]
        paths += [str(path.relative_to(folder)) for path in sorted((folder / "home").rglob("*"))]
        find = re.compile("|".join(map(re.escape, marks)).encode())
        entries = []
        for path in paths:
            if not path.startswith(places):
                about = os.stat(folder / path)
                data = b"" if stat.S_ISDIR(about.st_mode) else (folder / path).read_bytes()
                found = [
                    (item.start(), marks.index(item[0].decode())) for item in find.finditer(data)
                ]
                entries.append((path, about, data, tuple(found)))
        return cls(tuple(marks), tuple(keys), own, tuple(entries))

    def write(self, desk: Desk) -> None:
        """Leave in the desk's folder what setting up there would leave."""
        folder = str(desk.place.parent)
        new = [folder]
        for key in self.keys:
            id = _new_id()
            new += [id, seals.seal_of_store(key, id)]
        if len(new) < len(self.marks):
            new.append(_signature(desk))
        assert [*map(len, new)] == [*map(len, self.marks)]
        renamed = dict(zip(self.marks, new, strict=True))
        for path, about, data, marked in self.entries:
            target = "/".join([folder, *(renamed.get(name, name) for name in path.split("/"))])
            if stat.S_ISDIR(about.st_mode):
                Path(target).mkdir(mode=about.st_mode & 0o777, exist_ok=True)
                continue
            content = bytearray(data)
            for at, mark in marked:
                content[at : at + len(self.marks[mark])] = new[mark].encode()
            trees.write_file(content, target, about)
        if self.own:
            stores = f"{folder}/home/gitmem/stores"
            registration.record_store_location(stores, str(desk.place), renamed[self.own])


class SetUp:
    """Sets gitmem up in copies of one repository: really once per way, then by copying.

    ``ready(desk, no_index=True)`` leaves what ``desk.run("init", no_index=True)`` leaves, with the
    settings that the desk has of its own.
    """

    def __init__(self, repo: RepoBuilder, new_folder: Callable[[], Path]) -> None:
        self.repo = repo
        self._new_folder = new_folder
        self._models: dict[Way, tuple[Path, tuple[str, ...]]] = {}
        self._images: dict[tuple[Way, int, int], Image] = {}

    def __call__(self, desk: Desk, **how: Any) -> Desk:
        """Set up at a desk in a fresh copy of the repository, as the options of ``init`` say."""
        folder = desk.place.parent
        assert desk.home == folder / "home" and desk.place.name == "repo"
        assert _tip(desk.place) == _tip(self.repo.path), "not a copy of the repository"
        way = tuple(sorted(how.items())), _own_settings(desk)
        known = way, len(str(folder)), desk.clock.now()
        if image := self._images.get(known):
            image.write(desk)
            return desk
        model, made = self._model(way)
        for path in made:
            source, target = f"{model}/{path}", f"{folder}/{path}"
            about = os.stat(source)
            if stat.S_ISDIR(about.st_mode):
                Path(target).mkdir(mode=about.st_mode & 0o777, exist_ok=True)
            else:
                trees.copy_file(source, target, about)
        mend(folder, str(model), now=desk.clock.now())
        if len(self._images) < IMAGES:
            self._images[known] = Image.of(desk, made)
        return desk

    def _model(self, how: Way) -> tuple[Path, tuple[str, ...]]:
        """A folder that gitmem was set up in, and the paths that this made, parents first."""
        if how not in self._models:
            model = self._new_folder()
            repo = copy_of(self.repo, model)
            before = set(model.rglob("*"))
            options, variables = how
            Desk(repo.path, repo.home, **dict(variables)).run("init", **dict(options))
            made = sorted(set(model.rglob("*")) - before)
            self._models[how] = model, tuple(str(path.relative_to(model)) for path in made)
        return self._models[how]


def _own_settings(desk: Desk) -> tuple[tuple[str, str], ...]:
    """The variables that a desk has beyond those of every desk."""
    usual = Desk(desk.place, desk.home).env.items()
    own = tuple(sorted(desk.env.items() - usual))
    assert all(name.startswith("GITMEM_") for name, _ in own), "a setting is all that may differ"
    return own


def _tip(repo: Path) -> str:
    return (repo / ".git" / "refs" / "heads" / "main").read_text()
