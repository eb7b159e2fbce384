"""Deciding what setup and removal do to each file. Nothing is written here.

A file that is still as gitmem left it gets its former content back, with the fragments of the other
agents put in again, so the order of steps does not matter. In a file that was changed since, only
gitmem's part is replaced or removed.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from gitmem.agents.hosts.host import PROJECT
from gitmem.agents.wiring import file_pieces, impostors, manifest
from gitmem.agents.wiring.manifest import SetupRecord
from gitmem.agents.wiring.templates import SET
from gitmem.errors import GitmemError
from gitmem.files import foreign_file
from gitmem.model.frozen import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from gitmem.agents.wiring.host_targets import SetupTarget
    from gitmem.agents.wiring.impostor_search import Clean, ImpostorEntry, OwnEntryIdentity
    from gitmem.agents.wiring.manifest import Records
    from gitmem.agents.wiring.templates import ConfigFragment
    from gitmem.files.foreign_file import FileSnapshot

WRITTEN, UNCHANGED, REMOVED, GONE = "written", "kept", "removed", "gone"
CHANGED = "it was changed since gitmem wrote it: only gitmem's part was removed"
CLEARED = "entries with gitmem's name that were not gitmem's were removed"


@dataclass(frozen=True, slots=True)
class FileChange:
    """What setup does to a file: from ``file``, as it is now, to ``content`` (None: no file).

    ``state`` is written, kept, removed or gone; ``parts`` are mcp, hooks, rules or skills.
    ``record`` is what is recorded of it for a removal; None: nothing any more.
    """

    path: str
    scope: str
    state: str
    file: FileSnapshot
    content: bytes | None
    record: SetupRecord | None
    agents: tuple[str, ...]
    parts: tuple[str, ...]
    note: str = ""

    @property
    def is_change(self) -> bool:
        """Whether the file's content changes."""
        return self.content != self.file.content


def plan_setup(
    entry_identity: OwnEntryIdentity,
    targets: Iterable[SetupTarget],
    setup_records: Records,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
    *,
    replace: bool = False,
) -> list[FileChange]:
    """The FileChanges that put gitmem's configuration into every target; writes nothing.

    ``setup_records`` (scope -> path -> record) are what setup wrote before, ``read_file_snapshot``
    reads a file by path and scope. Raises Conflict for an impostor (an entry named gitmem that
    gitmem did not write) unless ``replace``, and what ``read_file_snapshot`` and
    ``file_pieces.insert_fragments`` raise.
    """
    targets = list(targets)
    entries = impostors.find_impostors_for_targets(entry_identity, targets, read_file_snapshot)
    if not replace:
        impostors.refuse_impostors(entries)
    clean = partial(impostors.remove_impostors, entry_identity)
    steps = _steps(targets, setup_records, read_file_snapshot, clean)
    written = {(step.scope, step.path) for step in steps}
    beside = [entry for entry in entries if (entry.scope, entry.path) not in written]
    return [*steps, *_clear(beside, setup_records, read_file_snapshot, clean)]


def _steps(
    targets: Iterable[SetupTarget],
    records: Records,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
    clean: Clean,
) -> list[FileChange]:
    files: dict[tuple[str, str], list[SetupTarget]] = {}
    for target in targets:
        files.setdefault((target.scope, target.path), []).append(target)
    steps = []
    for scope, by_path in records.items():
        for path, record in by_path.items():
            moved = _find_moved(files, path, scope, record)
            if moved and (scope, path) not in files:
                steps.append(
                    _take(path, scope, record, read_file_snapshot(path, scope), moved, clean)
                )
    for (scope, path), group in files.items():
        known_here = records.get(scope, {}).get(path)
        moved = _find_moved(files, path, scope, known_here)
        step = _put(path, scope, group, known_here, read_file_snapshot(path, scope), moved, clean)
        steps.append(_sharing_folders(step, records.get(scope, {})))
    return steps


def _sharing_folders(step: FileChange, known: dict[str, SetupRecord]) -> FileChange:
    """The step, its record including the folders above it that were made for other files.

    The file that is removed last then removes them.
    """
    if step.record is None:
        return step
    above = {folder for record in known.values() for folder in record.made}
    inside = {folder for folder in above if step.path.startswith(folder + os.sep)}
    folders = tuple(sorted(inside | set(step.record.made), key=len))
    return replace(step, record=replace(step.record, made=folders))


def _put(
    path: str,
    scope: str,
    targets: Sequence[SetupTarget],
    record: SetupRecord | None,
    file: FileSnapshot,
    moved: Collection[tuple[str, str]],
    clean: Clean,
) -> FileChange:
    agents = tuple(dict.fromkeys(target.agent for target in targets))
    parts = tuple(dict.fromkeys(target.part for target in targets))
    if file.content is None:
        record = None  # deleted since
    replaced_parts = {(target.agent, target.part) for target in targets} | set(moved)
    old = record.fragments if record else ()
    stay = [piece for piece in old if (piece.agent, piece.part) not in replaced_parts]
    fragments = (*stay, *(piece for target in targets for piece in target.fragments))

    def content_without_setup(content: bytes) -> bytes | None:
        return clean(path, scope, content, {(piece.agent, piece.part) for piece in fragments})

    content, before = _place(path, scope, record, file, fragments, content_without_setup)
    note = (
        CLEARED
        if file.content is not None and content_without_setup(file.content) != file.content
        else ""
    )
    if content == file.content:
        # Nothing to write; a record of an earlier write stays valid.
        updated = record and replace(record, fragments=fragments)
        return FileChange(path, scope, UNCHANGED, file, content, updated, agents, parts)
    new_folders = record.made if record else foreign_file.missing_parent_folders(file.target)
    fresh = SetupRecord(path, before, manifest.sha256_hex(content), new_folders, fragments)
    return FileChange(path, scope, WRITTEN, file, content, fresh, agents, parts, note)


def _place(
    path: str,
    scope: str,
    record: SetupRecord | None,
    file: FileSnapshot,
    fragments: Sequence[ConfigFragment],
    clean: Callable[[bytes], bytes | None],
) -> tuple[bytes, bytes | None]:
    """The new content, and the content to restore at a removal."""
    if record is None:
        now = None if file.content is None else clean(file.content)
        before = now if scope == PROJECT else file.content
        return file_pieces.insert_fragments(path, now or b"", fragments), before
    base = None if record.before is None else clean(record.before)
    before = base if scope == PROJECT else record.before
    if manifest.sha256_hex(file.content or b"") == record.after:
        return file_pieces.insert_fragments(path, base or b"", fragments), before
    now = clean(file.content or b"") or b""
    # A ``SET`` entry stays where it is, with what the user added to it.
    keys = [piece.path for piece in fragments if piece.kind == SET]
    out = [piece for piece in record.fragments if piece not in fragments and piece.path not in keys]
    rest = file_pieces.remove_fragments(path, now, out, before) if out else now
    content = file_pieces.insert_fragments(path, clean(rest or b"") or b"", fragments)
    if content == file.content:
        return content, before
    return content, file_pieces.remove_fragments(path, now, record.fragments, before)


def _clear(
    strange: Iterable[ImpostorEntry],
    records: Records,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
    clean: Clean,
) -> list[FileChange]:
    """The steps that remove impostors from files that setup does not write."""
    whose: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for impostor in strange:
        whose.setdefault((impostor.scope, impostor.path), set()).add(
            (impostor.agent, impostor.part)
        )
    steps = []
    for (scope, path), pairs in whose.items():
        file = read_file_snapshot(path, scope)
        content = None if file.content is None else clean(path, scope, file.content, pairs)
        record = records.get(scope, {}).get(path)
        steps.append(FileChange(path, scope, REMOVED, file, content, record, (), (), CLEARED))
    return steps


def _find_moved(
    files: dict[tuple[str, str], list[SetupTarget]],
    path: str,
    scope: str,
    record: SetupRecord | None,
) -> set[tuple[str, str]]:
    """The (agent, part) pairs of a record that now go into another file of the same scope."""
    now = {
        (target.agent, target.part): place
        for (where, place), targets in files.items()
        for target in targets
        if where == scope
    }
    pieces = record.fragments if record else ()
    return {whose for piece in pieces if now.get(whose := (piece.agent, piece.part), path) != path}


def plan_removal(
    entry_identity: OwnEntryIdentity,
    agents: Collection[str],
    setup_records: Records,
    candidate_targets: Iterable[SetupTarget],
    read_file_snapshot: Callable[[str, str], FileSnapshot],
) -> list[FileChange]:
    """The FileChanges that remove gitmem's setup for some agents; writes nothing.

    ``setup_records`` (scope -> path -> record) are what setup wrote, ``read_file_snapshot`` reads a
    file by path and scope. ``candidate_targets`` are places where unrecorded pieces of gitmem's are
    removed as well.
    """
    steps, clean = [], partial(impostors.remove_impostors, entry_identity)
    for scope, by_path in setup_records.items():
        for path, record in by_path.items():
            pairs = {
                (piece.agent, piece.part) for piece in record.fragments if piece.agent in agents
            }
            if pairs:
                steps.append(
                    _take(path, scope, record, read_file_snapshot(path, scope), pairs, clean)
                )
    unknown: dict[tuple[str, str], list[SetupTarget]] = {}
    for target in candidate_targets:
        if target.path not in setup_records.get(target.scope, {}):
            unknown.setdefault((target.scope, target.path), []).append(target)
    for (scope, path), targets in unknown.items():
        if step := _take_unknown(path, scope, targets, read_file_snapshot):
            steps.append(step)
    return steps


def _take(
    path: str,
    scope: str,
    record: SetupRecord,
    file: FileSnapshot,
    gone: Collection[tuple[str, str]],
    clean: Clean,
) -> FileChange:
    agents = tuple(dict.fromkeys(agent for agent, _ in sorted(gone)))
    parts = tuple(dict.fromkeys(part for _, part in sorted(gone)))
    stay = tuple(piece for piece in record.fragments if (piece.agent, piece.part) not in gone)
    content, note, state = file.content, "", REMOVED
    fresh: SetupRecord | None = None
    before = record.before
    if before is not None and scope == PROJECT:
        before = clean(
            path, scope, before, {(piece.agent, piece.part) for piece in record.fragments}
        )
        note = CLEARED if before != record.before else ""
    if content is None:
        state, note = GONE, "it no longer exists"
    elif manifest.sha256_hex(content) == record.after:
        content = before
        if stay:
            content = file_pieces.insert_fragments(path, before or b"", stay)
            fresh = replace(record, fragments=stay, after=manifest.sha256_hex(content))
    else:
        shared = [(piece.kind, piece.path, repr(piece.value)) for piece in stay]
        out = [
            piece
            for piece in record.fragments
            if (piece.kind, piece.path, repr(piece.value)) not in shared
        ]
        content, note = file_pieces.remove_fragments(path, content, out, before), CHANGED
        if stay:
            fresh = replace(record, fragments=stay)
    return FileChange(path, scope, state, file, content, fresh, agents, parts, note)


def _take_unknown(
    path: str,
    scope: str,
    targets: Sequence[SetupTarget],
    read_file_snapshot: Callable[[str, str], FileSnapshot],
) -> FileChange | None:
    try:
        file = read_file_snapshot(path, scope)
        if file.content is None:
            return None
        pieces = [
            piece
            for target in targets
            for piece in target.fragments
            if file_pieces.find_fragment_value(path, file.content, piece) is not None
        ]
        content = (
            file_pieces.remove_fragments(path, file.content, pieces, None)
            if pieces
            else file.content
        )
    except GitmemError:
        # There is no sign that gitmem ever wrote this file.
        return None
    if content == file.content:
        return None
    agents = tuple(dict.fromkeys(target.agent for target in targets))
    parts = tuple(dict.fromkeys(target.part for target in targets))
    note = "gitmem has no record of it: its part was removed"
    return FileChange(path, scope, REMOVED, file, content, None, agents, parts, note)
