"""Exporting skills of the store as SKILL.md folders: all of them, or none.

An imported skill is written byte for byte as it was, but for later changes; the files beside it are
copied if the repository still has them. An edited file is not overwritten; with ``force`` it is
renamed first.
"""

import os
import stat
from contextlib import suppress

from gitmem.app import App
from gitmem.capture.skills import skill_store
from gitmem.capture.skills.skill_import import SkillOutcome
from gitmem.capture.skills.skill_store import StoredSkill
from gitmem.errors import Conflict, InvalidInput
from gitmem.files import atomic_write, free_name
from gitmem.git import listing
from gitmem.memory import trust
from gitmem.memory.skills import skill_format
from gitmem.memory.skills.skill_format import FILE
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight, redaction_gate

LARGEST = 16 << 20


@dataclass(frozen=True, slots=True)
class _PlannedFile:
    """A file to be written: path, content, old content if there is a file, and permissions."""

    target: str
    data: bytes
    before: bytes | None
    mode: int = 0


def export_skills(
    app: App, names: tuple[str, ...], folder: str, *, force: bool, dry_run: bool
) -> list[SkillOutcome]:
    """Write skills as SKILL.md into subfolders of a folder; returns a SkillOutcome for each.

    ``names`` are names or ids; empty: all but foreign ones (imported, not accepted by a person).
    ``force``: an edited file is renamed and written anew, rather than refused. Raises InvalidInput,
    NotFound or Conflict before anything is written.
    """
    place = _writable(app, folder)
    skills = [skill_store.find_skill(app, name) for name in names] or [
        stored
        for stored in skill_store.visible_skills(app)
        if trust.may_show_automatically(stored.memory.trust_tier)
    ]
    files: list[_PlannedFile] = []
    outcomes: dict[str, SkillOutcome] = {}
    for skill in skills:
        slug = skill.skill.slug
        if slug in outcomes:
            if outcomes[slug].id == skill.memory.id or not names:
                continue
            raise Conflict(f"Two of these skills are called {slug!r}.", "Export them one by one.")
        planned, missing = _plan_files(app, skill, os.path.join(place, slug), force)
        files += planned
        action = "written" if planned else "unchanged"
        shown = f"would be {action}" if dry_run and planned else action
        outcomes[slug] = SkillOutcome(
            slug, skill.memory.id, shown, f"{folder}/{slug}/{FILE}", tuple(missing)
        )
    if not dry_run:
        _write(files)
    return list(outcomes.values())


def _plan_files(
    app: App, stored: StoredSkill, place: str, force: bool
) -> tuple[list[_PlannedFile], list[str]]:
    """The files of a skill that have to be written, and the resources that are missing."""
    if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
        raise InvalidInput(
            f"{place} is a symbolic link or a file, not a folder.",
            "Move it away, or choose a folder.",
        )
    # Redacted again: newer rules may know secrets that were stored before.
    sealed = (
        skill_format.skill_of_memory(redaction_gate.redact_memory(stored.memory)) or stored.skill
    )
    text = skill_format.render_skill(sealed).encode("utf-8", "surrogatepass")
    files = [(FILE, text, 0)]
    missing = []
    source = os.path.dirname(stored.skill.file)  # empty where it was not imported
    root = listing.listed_files_root(app.layout)
    for name in sealed.resources if source else ():
        data = (
            listing.read_worktree_file(root, f"{source}/{name}", LARGEST)
            if _stays_inside(name)
            else None
        )
        if data is None or len(data) > LARGEST:
            missing.append(name)
            continue
        mode = stat.S_IMODE(os.stat(os.path.join(root, source, name)).st_mode) & 0o777
        files.append((name, data, mode))
    planned = [_plan_file(place, *file, stored, force) for file in files]
    return [file for file in planned if file is not None], missing


def _stays_inside(name: str) -> bool:
    """Whether a relative path stays inside its folder."""
    return not (name.startswith(("/", "~")) or "\\" in name or {"..", ""} & set(name.split("/")))


def _plan_file(
    place: str, name: str, data: bytes, mode: int, stored: StoredSkill, force: bool
) -> _PlannedFile | None:
    target = os.path.join(place, *name.split("/"))
    for above in _folders(place, target):
        if os.path.islink(above):
            raise InvalidInput(f"{above} is a symbolic link.", "Put a real folder there.")
    if not os.path.lexists(target):
        return _PlannedFile(target, data, None, mode)
    there = listing.read_worktree_file(place, name, LARGEST)
    if there is None:
        raise InvalidInput(
            f"{target} is not a regular file.", "Move it away, or choose another folder."
        )
    if there == data:
        return None
    ours = name == FILE and listing.content_has_blob_id(there, stored.skill.blob or "0" * 40)
    if not (ours or force):
        raise Conflict(
            f"{target} exists and has other contents.",
            "Run `gitmem skill import` if it is newer; --force renames it and writes the skill.",
        )
    return _PlannedFile(target, data, there, mode)


def _folders(place: str, target: str) -> list[str]:
    above = []
    while target != place and (target := os.path.dirname(target)):
        above.append(target)
    return above


def _write(files: list[_PlannedFile]) -> None:
    """Write all files; where one fails, the others are restored. Raises Unavailable."""
    done: list[_PlannedFile] = []
    made: list[str] = []
    try:
        for file in files:
            _make_folders(os.path.dirname(file.target), made)
            if file.before is not None:
                aside = free_name.unused_path(f"{file.target}.before", "")
                atomic_write.replace_file(aside, file.before)
                made.append(aside)
            atomic_write.replace_file(file.target, file.data, file.mode)
            done.append(file)
    except OSError as error:
        _undo(done, made)
        raise preflight.write_failure_error(error, file.target) from error


def _make_folders(folder: str, made: list[str]) -> None:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        made.append(path)


def _undo(done: list[_PlannedFile], made: list[str]) -> None:
    with suppress(OSError):
        for file in reversed(done):
            if file.before is None:
                os.unlink(file.target)
            else:
                atomic_write.replace_file(file.target, file.before, file.mode)
        for path in reversed(made):
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)


def _writable(app: App, folder: str) -> str:
    """The path of the folder. Raises InvalidInput where it may not be written to."""
    root = os.path.realpath(listing.listed_files_root(app.layout))
    place = os.path.normpath(os.path.join(root, folder))
    inside = os.path.commonpath((root, place)) == root
    if (
        not inside
        or os.path.realpath(place) != place
        or {".git", ".gitmem"} & set(folder.split("/"))
    ):
        raise InvalidInput(
            f"Skills cannot be written to {folder[:80]!r}.",
            "Give a folder in the repository, not a symbolic link, such as .agents/skills.",
        )
    if os.path.lexists(place) and not os.path.isdir(place):
        raise InvalidInput(f"{folder[:80]!r} is a file.", "Give a folder.")
    return place
