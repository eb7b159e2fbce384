"""Keeping setup's personal files out of commits.

Files that name this machine's gitmem are listed in marked lines of ``info/exclude``: only files
that gitmem created, and no text that many agents share, such as AGENTS.md. The lines follow the
project's manifest and go with the last of these files.
"""

import os
from collections.abc import Iterable, Sequence

from gitmem.agents.hosts.host import PARTS, PROJECT, RULES
from gitmem.agents.wiring import plan
from gitmem.agents.wiring.apply import SetupFolders
from gitmem.agents.wiring.edit_text import MARKS
from gitmem.agents.wiring.manifest import SetupRecord
from gitmem.agents.wiring.plan import FileChange
from gitmem.agents.wiring.templates import BLOCK, SKILL
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.files import foreign_file
from gitmem.git import status
from gitmem.model.frozen import dataclass
from gitmem.text import marked_block

_NOTE = b" written by `gitmem setup`; `gitmem setup --remove` takes it out\n"
_FIRST = b"# " + MARKS.begin + _NOTE
_LAST = b"# " + MARKS.end + b"\n"
_FORM = ("utf-8", "surrogateescape")  # a name may be any bytes


def exclude_setup_files_from_commits(
    app: App, folders: SetupFolders, changes: list[FileChange], *, personal: bool
) -> list[FileChange]:
    """A list with the FileChange of ``info/exclude`` that keeps setup's files out of commits.

    ``changes`` are the changes that setup makes; the list is empty if no change is needed. Only
    files that are ``personal`` (name this machine's gitmem) are excluded.
    """
    if not folders.project or app.layout.plain:
        return []
    exclude = os.path.join(app.layout.common_dir, "info", "exclude")
    known = folders.setup_records_by_scope().get(PROJECT, {})
    trees = os.path.join(app.layout.common_dir, "worktrees")
    elsewhere = [
        record
        for name, records in folders.other_worktree_setup_records().items()
        if not name or os.path.isdir(os.path.join(trees, name))
        for record in records
    ]
    return _exclude_step(exclude, folders.project, known, changes, personal, elsewhere)


def paths_git_would_add(app: App, changes: Sequence[FileChange], project: str) -> set[str]:
    """The paths of setup's files that ``git add`` would add, once ``changes`` are carried out."""
    mine = [step.path for step in changes if step.scope == PROJECT and step.agents]
    return _not_ignored(app, mine) - _excluded_files(changes, project)


def _not_ignored(app: App, paths: Sequence[str]) -> set[str]:
    if not paths or app.layout.plain or not app.layout.worktree:
        return set()
    top = app.layout.worktree
    names = {path: os.path.relpath(path, top) for path in paths}
    try:
        ignored = status.ignored_paths(top, names.values())
    except GitmemError:
        return set(paths)
    return {path for path, name in names.items() if name not in ignored}


def _exclude_step(
    exclude: str,
    project: str,
    known: dict[str, SetupRecord],
    changes: Sequence[FileChange],
    personal: bool,
    elsewhere: Iterable[SetupRecord] = (),
) -> list[FileChange]:
    """The change of ``exclude`` that goes with some steps; empty if there is nothing to change.

    ``known`` is the project's manifest before the steps, ``personal`` whether the steps' files name
    this machine's gitmem, ``elsewhere`` the records of other worktrees, which share the file. Also
    empty if the file does not exist or cannot be changed.
    """
    try:
        file = foreign_file.snapshot_of_changeable_file(exclude, os.path.dirname(exclude))
        now = file.content
        places = (file.target, os.path.dirname(file.target))
        writable = all(os.access(place, os.W_OK) for place in places)
        if now is None or marked_block.is_block_damaged(now, MARKS) or not writable:
            return []
        listed = _read_names(now)
        names = _names(listed, project, known, changes, personal)
        others = {_name(record.path, project) for record in elsewhere if _is_all_ours(record)}
        names = sorted({*names, *(others & listed)})
        block = _FIRST + "".join(f"/{name}\n" for name in names).encode(*_FORM) + _LAST
        content = (
            marked_block.put_block(now, block, MARKS)
            if names
            else marked_block.remove_block(now, MARKS)
        )
    except GitmemError:
        return []  # only a convenience: the files are then reported as ones that git would commit
    if content == now:
        return []
    state = plan.WRITTEN if names else plan.REMOVED
    return [FileChange(exclude, PROJECT, state, file, content, None, (), ())]


def _excluded_files(changes: Iterable[FileChange], project: str) -> set[str]:
    """The files that the step on ``info/exclude``, if any, lists."""
    return {
        os.path.join(project, *name.split("/"))
        for step in changes
        if not step.agents and step.content is not None
        for name in _read_names(step.content)
    }


def _names(
    listed: set[str],
    project: str,
    known: dict[str, SetupRecord],
    changes: Sequence[FileChange],
    personal: bool,
) -> list[str]:
    """The names to list in ``exclude``, sorted."""
    after = dict(known)
    for step in changes:
        if step.scope == PROJECT:
            after.pop(step.path, None)
            if step.record is not None:
                after[step.path] = step.record
    own_names = {_name(path, project) for path, record in after.items() if _is_all_ours(record)}
    touched = {
        _name(step.path, project) for step in changes if step.scope == PROJECT and step.record
    }
    return sorted(own_names & (listed | touched if personal else listed - touched))


def _is_all_ours(record: SetupRecord) -> bool:
    shared = any(piece.kind == BLOCK and not piece.head for piece in record.fragments)
    return record.before is None and (record.path.endswith(".js") or not shared)


def _name(path: str, project: str) -> str:
    return os.path.relpath(path, project).replace(os.sep, "/")


def _read_names(content: bytes) -> set[str]:
    lines = marked_block.extract_block(content, MARKS).splitlines()
    return {line[1:].decode(*_FORM) for line in lines if line.startswith(b"/")}


@dataclass(frozen=True, slots=True)
class SetupFileSummary:
    """A file that setup writes, as it is shown: its ``state``, and whose it is.

    ``state`` is written, kept, removed or gone; ``scope`` project or user; ``parts`` are mcp,
    hooks, rules or skill. ``committed``: git would commit it; ``personal``: it names this machine's
    gitmem.
    """

    path: str
    scope: str
    state: str
    agents: tuple[str, ...]
    parts: tuple[str, ...]
    committed: bool
    personal: bool
    note: str


def summarise_setup_files(
    app: App, changes: Sequence[FileChange], project: str, *, personal: bool
) -> tuple[SetupFileSummary, ...]:
    """Return a SetupFileSummary, for showing, for each file that ``changes`` change.

    ``personal``: setup writes paths of this machine's programs into the project's files.
    """
    committed = paths_git_would_add(app, changes, project)
    items = []
    for step in changes:
        parts = tuple(part for part in PARTS if part in step.parts)
        parts += ("skill",) if any(part.startswith(SKILL) for part in step.parts) else ()
        # Rules and skills name no program.
        names = personal and step.scope == PROJECT and parts not in ((), (RULES,), ("skill",))
        stays = step.state == plan.REMOVED and step.content is not None
        note = step.note or "the rest of the file is kept" * stays
        whose = (step.path, step.scope, step.state, step.agents, parts)
        items.append(SetupFileSummary(*whose, step.path in committed, names, note))
    return tuple(items)
