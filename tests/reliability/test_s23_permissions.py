"""Whatever the umask, nobody else can read what gitmem keeps, whichever verb made it (S-23)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitmem.errors import ForeignFile
from tests.reliability.scoring import Score
from tests.reliability.worlds import WORK, World

UMASKS = (0o000, 0o077, 0o027)


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(world: World) -> list[str]:
    """What gitmem made that has other rights than its owner's."""
    wrong = []
    for place in world.places:
        for path in (place, *place.rglob("*")):
            rights = stat.S_IMODE(path.lstat().st_mode)
            if rights != (0o700 if path.is_dir() else 0o600):
                wrong.append(f"{path.relative_to(world.folder)}: {rights:o}")
    return wrong


def test_every_file_of_every_verb_is_its_owner_s_alone(tmp_path: Path, score: Score) -> None:
    tried = UMASKS[: score.size(quick=1, full=len(UMASKS))]
    observed = 0
    for value in tried:
        with umask(value):
            world = World(tmp_path / f"{value:o}", GITMEM_COPY_MODE="plain")
            for work in WORK:
                world.put_back(work)
                world.run(work)
                assert open_to_others(world) == [], f"{work}, umask {value:03o}"
                observed += sum(1 for place in world.places for _ in place.rglob("*"))
    score.report("verbs under an umask", cases=len(tried) * len(WORK), fired=observed)


def test_what_is_a_link_or_open_to_others_is_refused(tmp_path: Path, score: Score) -> None:
    """Each of the store's two names, and each way in which it may not be one's own."""
    world = World(tmp_path)
    refused = 0
    for path in (world.desk.store, world.places[0]):
        for spoil in (linked, writable_for_all):
            world.put_back()
            spoil(path)
            try:
                world.run("list")
            except ForeignFile as error:
                refused += str(path) in error.message
            undone(path)
    score.report("links and open files", cases=4, fired=refused)
    assert refused == 4


def linked(path: Path) -> None:
    aside = path.with_name("aside")
    path.rename(aside)
    path.symlink_to(aside)


def writable_for_all(path: Path) -> None:
    path.chmod(0o777)


def undone(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
        path.with_name("aside").rename(path)
