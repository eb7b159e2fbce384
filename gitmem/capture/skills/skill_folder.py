"""Reading skill folders on the disk: a SKILL.md and the files beside it, none of which is run.

Links in a folder or on the way to it are refused, as they may lead out of it.
"""

import os
from collections.abc import Iterable, Iterator

from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import listing
from gitmem.memory.skills import skill_format
from gitmem.memory.skills.skill_format import FILE, Skill
from gitmem.model.frozen import replace
from gitmem.text.digest import sha256

LARGEST = 1 << 20
MOST_FILES = 200
MOST_SKILLS = 500
# Bytes of a file beside a SKILL.md, and of all of them, that are hashed.
LARGEST_BESIDE, MOST_BESIDE = 16 << 20, 64 << 20
_LEFT_OUT = (".git", "__pycache__", "node_modules")


def read_skill_folders(root: str, paths: tuple[str, ...]) -> list[Skill]:
    """The Skills in SKILL.md files of a worktree, each in a given folder or a direct subfolder.

    ``root`` is the worktree. Raises NotFound if a path has none, InvalidInput if one is wrong.
    """
    skills: dict[str, Skill] = {}
    for path in paths:
        files = list(_files(root, path.strip("/") or "."))
        if not files:
            raise NotFound(
                f"There is no {FILE} in {path[:200]!r}.",
                f"Give a folder that holds a {FILE}, or folders with one each.",
            )
        for file in files:
            skills[file] = _read(root, file)
    if len(skills) > MOST_SKILLS:
        raise InvalidInput(
            f"These are {len(skills)} skills; at most {MOST_SKILLS} are imported at a time.",
            "Import them folder by folder.",
        )
    files_by_slug: dict[str, str] = {}
    for file, skill in skills.items():
        other = files_by_slug.setdefault(skill.slug, file)
        if other != file:
            raise InvalidInput(
                f"{other[:200]} and {file[:200]} are both called {skill.slug!r}.",
                "Give one of them another name.",
            )
    return list(skills.values())


def _files(root: str, path: str) -> Iterator[str]:
    place = os.path.normpath(os.path.join(root, path))
    if os.path.basename(path) == FILE:
        yield path
    elif os.path.lexists(os.path.join(place, FILE)):
        yield _join(path, FILE)
    elif os.path.isdir(place):
        _refuse_links(root, _join(path, FILE))
        for name in sorted(os.listdir(place)):
            if os.path.lexists(os.path.join(place, name, FILE)):
                yield _join(_join(path, name), FILE)


def _join(folder: str, name: str) -> str:
    return name if folder in (".", "") else f"{folder}/{name}"


def _read(root: str, file: str) -> Skill:
    """One skill. Raises InvalidInput, naming its file."""
    _refuse_links(root, file)
    data = listing.read_worktree_file(root, file, LARGEST)
    try:
        if data is None:
            raise InvalidInput("The file cannot be read.", "Check its permissions.")
        if len(data) > LARGEST:
            raise InvalidInput(
                "The file is larger than 1 MiB.", "Move parts of it into files beside it."
            )
        text = data.decode("utf-8")
        skill = skill_format.parse_skill(text, file)
        beside = tuple(_resources(root, os.path.dirname(file)))
        sums = _sums(root, os.path.dirname(file), beside)
        return replace(skill, blob=listing.compute_blob_id(data), resources=beside, sums=sums)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file[:200]}: it is not UTF-8 (byte {error.start:,}).", "Save it as UTF-8."
        ) from error
    except GitmemError as error:
        raise InvalidInput(f"{file[:200]}: {error.message}", error.hint) from error


def skill_files_changed_since_import(root: str, skill: Skill) -> list[str]:
    """The paths, relative to the worktree, of a skill's files that changed since their import.

    Files that are gone or cannot be read whole count as changed.
    """
    if not skill.file:
        return []
    folder = os.path.dirname(skill.file)
    text = listing.read_worktree_file(root, skill.file, LARGEST)
    paths = (
        [] if text is not None and listing.content_has_blob_id(text, skill.blob) else [skill.file]
    )
    compared = len(skill.sums) == len(skill.resources)
    before = skill.sums if compared else [""] * len(skill.resources)
    now = _sums(root, folder, skill.resources)
    for name, old, new in zip(skill.resources, before, now, strict=True):
        paths += [] if old and old == new else [_join(folder, name)]
    return paths


def _sums(root: str, folder: str, names: Iterable[str]) -> tuple[str, ...]:
    """The hash of each file; empty for one that is too large or cannot be read."""
    sums, room = [], MOST_BESIDE
    for name in names:
        most = min(LARGEST_BESIDE, room)
        data = listing.read_worktree_file(root, _join(folder, name), most)
        whole = data is not None and len(data) <= most
        sums.append(sha256(data).hexdigest()[:32] if data is not None and whole else "")
        room -= min(len(data or b""), room)
    return tuple(sums)


def _refuse_links(root: str, file: str) -> None:
    parts = file.split("/")
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        if os.path.islink(os.path.join(root, path)):
            raise InvalidInput(
                f"{path[:200]} is a link, and may lead out of the folder.",
                "Put the files themselves there.",
            )


def _resources(root: str, folder: str) -> Iterator[str]:
    """The files beside a SKILL.md, relative to its folder, sorted."""
    top = os.path.join(root, folder)
    files: list[str] = []
    for place, folders, names in os.walk(top):
        below = os.path.relpath(place, top).replace(os.sep, "/")
        for name in (*folders, *names):
            if os.path.islink(os.path.join(place, name)):
                raise InvalidInput(
                    f"{_join(below, name)[:200]} is a link, and may lead out of the folder.",
                    "Put the files themselves there.",
                )
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        files += [_join(below, name) for name in names]
        if len(files) > MOST_FILES + 1:
            raise InvalidInput(
                f"The folder has more than {MOST_FILES} files.", "A skill has a folder of its own."
            )
    yield from sorted(name for name in files if name != FILE)
