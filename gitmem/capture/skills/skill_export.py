"""Skills in the store become SKILL.md folders: all of them, or none.

A skill that was read from a file is written as it stood there, byte for byte, but for what changed
since; the files beside it are copied where they still lie in the repository. A file that somebody
edited is not written over; with ``force`` it is set aside first.
"""

import os
import stat
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.skills import skill_store
from gitmem.capture.skills.skill_import import SkillOutcome, exported_from
from gitmem.capture.skills.skill_store import Stored
from gitmem.errors import Conflict, InvalidInput
from gitmem.files import atomic_write, free_name
from gitmem.git import listing
from gitmem.memory import skill_format, trust
from gitmem.memory.skill_format import FILE
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight, redaction_gate

LARGEST = 16 << 20


@dataclass(frozen=True, slots=True)
class _Planned:
    """A file to be written: its place, its bytes, what stood there, and its permissions."""

    target: str
    data: bytes
    before: bytes | None
    mode: int = 0


def export_skills(
    app: App, wanted: tuple[str, ...], folder: str, *, force: bool, dry_run: bool
) -> list[SkillOutcome]:
    """Write some skills, else all that are trusted here, as folders of a folder.

    Raises InvalidInput, NotFound or Conflict before anything is written.
    """
    place = _writable(app, folder)
    skills = [skill_store.find(app, one) for one in wanted] or [
        one for one in skill_store.every(app) if trust.injected(one.memory.tier)
    ]
    files: list[_Planned] = []
    done: dict[str, SkillOutcome] = {}
    for skill in skills:
        slug = skill.skill.slug
        if slug in done:
            if done[slug].id == skill.memory.id or not wanted:
                continue
            raise Conflict(f"Two of these skills are called {slug!r}.", "Export them one by one.")
        planned, missing = _planned(app, skill, os.path.join(place, slug), force)
        files += planned
        action = "written" if planned else "unchanged"
        told = f"would be {action}" if dry_run and planned else action
        done[slug] = SkillOutcome(
            slug, skill.memory.id, told, f"{folder}/{slug}/{FILE}", tuple(missing)
        )
    if not dry_run:
        _write(files)
    return list(done.values())


def _planned(app: App, stored: Stored, place: str, force: bool) -> tuple[list[_Planned], list[str]]:
    """The files of a skill that are not there as they should be; resources that are gone."""
    if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
        raise InvalidInput(f"{place} is a link or a file.", "Move it away, or choose a folder.")
    # What was stored before a kind of secret was known does not leave the store with it.
    sealed = skill_format.of_memory(redaction_gate.seal(stored.memory)) or stored.skill
    text = skill_format.render(sealed).encode("utf-8", "surrogatepass")
    wanted = [(FILE, text, 0)]
    missing = []
    source = exported_from(stored)
    root = listing.root(app.layout)
    for name in sealed.resources if source else ():
        data = listing.read_file(root, f"{source}/{name}", LARGEST) if _inside(name) else None
        if data is None or len(data) > LARGEST:
            missing.append(name)
            continue
        mode = stat.S_IMODE(os.stat(os.path.join(root, source, name)).st_mode) & 0o777
        wanted.append((name, data, mode))
    planned = [_checked(place, *file, stored, force) for file in wanted]
    return [file for file in planned if file is not None], missing


def _inside(name: str) -> bool:
    """Whether a name that a store holds stays in its folder."""
    return not (name.startswith(("/", "~")) or "\\" in name or {"..", ""} & set(name.split("/")))


def _checked(
    place: str, name: str, data: bytes, mode: int, stored: Stored, force: bool
) -> _Planned | None:
    target = os.path.join(place, *name.split("/"))
    for above in _folders(place, target):
        if os.path.islink(above):
            raise InvalidInput(f"{above} is a link.", "Put a folder there.")
    if not os.path.lexists(target):
        return _Planned(target, data, None, mode)
    there = listing.read_file(place, name, LARGEST)
    if there is None:
        raise InvalidInput(f"{target} is no file.", "Move it away, or choose another folder.")
    if there == data:
        return None
    ours = name == FILE and listing.is_blob(there, stored.skill.blob or "0" * 40)
    if not (ours or force):
        raise Conflict(
            f"{target} holds something else.",
            "Run `gitmem skill import` if it is newer; --force sets it aside and writes ours.",
        )
    return _Planned(target, data, there, mode)


def _folders(place: str, target: str) -> list[str]:
    found = []
    while target != place and (target := os.path.dirname(target)):
        found.append(target)
    return found


def _write(files: list[_Planned]) -> None:
    """Write all files; where one cannot be, the others are as before. Raises Unavailable."""
    done: list[_Planned] = []
    made: list[str] = []
    try:
        for file in files:
            _make_folders(os.path.dirname(file.target), made)
            if file.before is not None:
                aside = free_name.free(f"{file.target}.before", "")
                atomic_write.replace(aside, file.before)
                made.append(aside)
            atomic_write.replace(file.target, file.data, file.mode)
            done.append(file)
    except OSError as error:
        _undo(done, made)
        raise preflight.refused(error, file.target) from error


def _make_folders(folder: str, made: list[str]) -> None:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        os.mkdir(one)
        made.append(one)


def _undo(done: list[_Planned], made: list[str]) -> None:
    with suppress(OSError):
        for file in reversed(done):
            if file.before is None:
                os.unlink(file.target)
            else:
                atomic_write.replace(file.target, file.before, file.mode)
        for path in reversed(made):
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)


def _writable(app: App, folder: str) -> str:
    """The folder's place. Raises InvalidInput where it is none that may be written to."""
    root = os.path.realpath(listing.root(app.layout))
    place = os.path.normpath(os.path.join(root, folder))
    inside = os.path.commonpath((root, place)) == root
    if (
        not inside
        or os.path.realpath(place) != place
        or {".git", ".gitmem"} & set(folder.split("/"))
    ):
        raise InvalidInput(
            f"{folder[:80]!r} is no folder that skills may be written to.",
            "Give one inside the repository that is not a link, such as .agents/skills.",
        )
    if os.path.lexists(place) and not os.path.isdir(place):
        raise InvalidInput(f"{folder[:80]!r} is a file.", "Give a folder.")
    return place
