"""What setup and removal do to each file, decided from what is there. Nothing is written here.

A file that still is as gitmem left it gets back its bytes of before, with what other agents keep
there put in again: the result does not depend on the order of steps. In one that was changed since,
only gitmem's part is exchanged or taken out.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from gitmem.agents.hosts.host import PROJECT
from gitmem.agents.wiring import file_pieces, impostors, manifest
from gitmem.agents.wiring.manifest import Record
from gitmem.agents.wiring.templates import SET
from gitmem.errors import GitmemError
from gitmem.files import foreign_file
from gitmem.model.frozen import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from gitmem.agents.wiring.host_targets import Target
    from gitmem.agents.wiring.impostor_search import Clean, Impostor, Known
    from gitmem.agents.wiring.manifest import Records
    from gitmem.agents.wiring.templates import Piece
    from gitmem.files.foreign_file import Seen

WRITTEN, KEPT, REMOVED, GONE = "written", "kept", "removed", "gone"
CHANGED = "it was changed since gitmem wrote it: only gitmem's part was removed"
CLEARED = "what had gitmem's name and was not gitmem's was taken out"


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one file: from ``seen`` to ``content`` (None: no file), and its record.

    ``record`` None: the manifest forgets the file.
    """

    path: str
    scope: str
    state: str
    seen: Seen
    content: bytes | None
    record: Record | None
    agents: tuple[str, ...]
    parts: tuple[str, ...]
    note: str = ""

    @property
    def is_change(self) -> bool:
        """Whether the file will be another."""
        return self.content != self.seen.content


def setup(
    known: Known,
    targets: Iterable[Target],
    records: Records,
    look: Callable[[str, str], Seen],
    *,
    replace: bool = False,
) -> list[Step]:
    """The steps that put every target in place. Raises what ``look`` and ``pieces.put`` raise.

    Raises Conflict where something only bears gitmem's name, unless it is to be replaced. What was
    taken out of a project's file does not come back with a removal: its host may have approved the
    name meanwhile.
    """
    targets = list(targets)
    strange = impostors.among(known, targets, look)
    if not replace:
        impostors.refuse(strange)
    clean = partial(impostors.cleaned, known)
    steps = _steps(targets, records, look, clean)
    written = {(step.scope, step.path) for step in steps}
    beside = [each for each in strange if (each.scope, each.path) not in written]
    return [*steps, *_cleared(beside, records, look, clean)]


def _steps(
    targets: Iterable[Target], records: Records, look: Callable[[str, str], Seen], clean: Clean
) -> list[Step]:
    files: dict[tuple[str, str], list[Target]] = {}
    for target in targets:
        files.setdefault((target.scope, target.path), []).append(target)
    steps = []
    for scope, known in records.items():
        for path, record in known.items():
            moved = _moved(files, path, scope, record)
            if moved and (scope, path) not in files:
                steps.append(_take(path, scope, record, look(path, scope), moved, clean))
    for (scope, path), each in files.items():
        known_here = records.get(scope, {}).get(path)
        moved = _moved(files, path, scope, known_here)
        step = _put(path, scope, each, known_here, look(path, scope), moved, clean)
        steps.append(_sharing_folders(step, records.get(scope, {})))
    return steps


def _sharing_folders(step: Step, known: dict[str, Record]) -> Step:
    """The step, its record naming folders too that were made for other files of ours.

    Whichever file goes last takes them along.
    """
    if step.record is None:
        return step
    above = {folder for record in known.values() for folder in record.made}
    inside = {folder for folder in above if step.path.startswith(folder + os.sep)}
    made = tuple(sorted(inside | set(step.record.made), key=len))
    return replace(step, record=replace(step.record, made=made))


def _put(
    path: str,
    scope: str,
    targets: Sequence[Target],
    record: Record | None,
    seen: Seen,
    moved: Collection[tuple[str, str]],
    clean: Clean,
) -> Step:
    agents = tuple(dict.fromkeys(one.agent for one in targets))
    parts = tuple(dict.fromkeys(one.part for one in targets))
    if seen.content is None:
        record = None  # deleted since
    theirs = {(one.agent, one.part) for one in targets} | set(moved)
    old = record.pieces if record else ()
    stay = [one for one in old if (one.agent, one.part) not in theirs]
    ours = (*stay, *(piece for one in targets for piece in one.pieces))

    def bare(content: bytes) -> bytes | None:
        return clean(path, scope, content, {(piece.agent, piece.part) for piece in ours})

    content, before = _placed(path, scope, record, seen, ours, bare)
    note = CLEARED if seen.content is not None and bare(seen.content) != seen.content else ""
    if content == seen.content:
        # Nothing to write; a record of what was written stays as true as it was.
        kept = record and replace(record, pieces=ours)
        return Step(path, scope, KEPT, seen, content, kept, agents, parts)
    made = record.made if record else foreign_file.missing_folders(seen.target)
    fresh = Record(path, before, manifest.digest(content), made, ours)
    return Step(path, scope, WRITTEN, seen, content, fresh, agents, parts, note)


def _placed(
    path: str,
    scope: str,
    record: Record | None,
    seen: Seen,
    ours: Sequence[Piece],
    clean: Callable[[bytes], bytes | None],
) -> tuple[bytes, bytes | None]:
    """The new content, and what counts as the content of before."""
    if record is None:
        now = None if seen.content is None else clean(seen.content)
        before = now if scope == PROJECT else seen.content
        return file_pieces.put(path, now or b"", ours), before
    base = None if record.before is None else clean(record.before)
    before = base if scope == PROJECT else record.before
    if manifest.digest(seen.content or b"") == record.after:
        return file_pieces.put(path, base or b"", ours), before
    now = clean(seen.content or b"") or b""
    # An entry stays where it is, with what its user added to it.
    keys = [one.path for one in ours if one.kind == SET]
    gone = [one for one in record.pieces if one not in ours and one.path not in keys]
    rest = file_pieces.take(path, now, gone, before) if gone else now
    content = file_pieces.put(path, clean(rest or b"") or b"", ours)
    if content == seen.content:
        return content, before
    return content, file_pieces.take(path, now, record.pieces, before)


def _cleared(
    found: Iterable[Impostor],
    records: Records,
    look: Callable[[str, str], Seen],
    clean: Clean,
) -> list[Step]:
    """The steps that take what only bears gitmem's name out of files that setup does not write."""
    whose: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for one in found:
        whose.setdefault((one.scope, one.path), set()).add((one.agent, one.part))
    steps = []
    for (scope, path), each in whose.items():
        seen = look(path, scope)
        content = None if seen.content is None else clean(path, scope, seen.content, each)
        record = records.get(scope, {}).get(path)
        steps.append(Step(path, scope, REMOVED, seen, content, record, (), (), CLEARED))
    return steps


def _moved(
    files: dict[tuple[str, str], list[Target]], path: str, scope: str, record: Record | None
) -> set[tuple[str, str]]:
    """Agents' parts that a file holds and that now go into another one of the same scope."""
    now = {
        (one.agent, one.part): place
        for (where, place), targets in files.items()
        for one in targets
        if where == scope
    }
    pieces = record.pieces if record else ()
    return {whose for one in pieces if now.get(whose := (one.agent, one.part), path) != path}


def remove(
    known: Known,
    agents: Collection[str],
    records: Records,
    candidates: Iterable[Target],
    look: Callable[[str, str], Seen],
) -> list[Step]:
    """The steps that take some agents out again.

    ``candidates`` are where their parts would be: what stands there without a record, since it came
    with a clone or the manifest was lost, is taken out as well.
    """
    steps, clean = [], partial(impostors.cleaned, known)
    for scope, here in records.items():
        for path, record in here.items():
            gone = {(one.agent, one.part) for one in record.pieces if one.agent in agents}
            if gone:
                steps.append(_take(path, scope, record, look(path, scope), gone, clean))
    unknown: dict[tuple[str, str], list[Target]] = {}
    for target in candidates:
        if target.path not in records.get(target.scope, {}):
            unknown.setdefault((target.scope, target.path), []).append(target)
    for (scope, path), targets in unknown.items():
        if step := _take_unknown(path, scope, targets, look):
            steps.append(step)
    return steps


def _take(
    path: str,
    scope: str,
    record: Record,
    seen: Seen,
    gone: Collection[tuple[str, str]],
    clean: Clean,
) -> Step:
    agents = tuple(dict.fromkeys(agent for agent, _ in sorted(gone)))
    parts = tuple(dict.fromkeys(part for _, part in sorted(gone)))
    stay = tuple(one for one in record.pieces if (one.agent, one.part) not in gone)
    content, note, state = seen.content, "", REMOVED
    fresh: Record | None = None
    before = record.before
    if before is not None and scope == PROJECT:
        before = clean(path, scope, before, {(one.agent, one.part) for one in record.pieces})
        note = CLEARED if before != record.before else ""
    if content is None:
        state, note = GONE, "it no longer exists"
    elif manifest.digest(content) == record.after:
        content = before
        if stay:
            content = file_pieces.put(path, before or b"", stay)
            fresh = replace(record, pieces=stay, after=manifest.digest(content))
    else:
        shared = [(one.kind, one.path, repr(one.value)) for one in stay]
        out = [one for one in record.pieces if (one.kind, one.path, repr(one.value)) not in shared]
        content, note = file_pieces.take(path, content, out, before), CHANGED
        if stay:
            fresh = replace(record, pieces=stay)
    return Step(path, scope, state, seen, content, fresh, agents, parts, note)


def _take_unknown(
    path: str, scope: str, targets: Sequence[Target], look: Callable[[str, str], Seen]
) -> Step | None:
    try:
        seen = look(path, scope)
        if seen.content is None:
            return None
        ours = [
            piece
            for target in targets
            for piece in target.pieces
            if file_pieces.standing(path, seen.content, piece) is not None
        ]
        content = file_pieces.take(path, seen.content, ours, None) if ours else seen.content
    except GitmemError:
        # Nothing says that gitmem ever wrote there.
        return None
    if content == seen.content:
        return None
    agents = tuple(dict.fromkeys(one.agent for one in targets))
    parts = tuple(dict.fromkeys(one.part for one in targets))
    note = "gitmem has no record of it: its part was removed"
    return Step(path, scope, REMOVED, seen, content, None, agents, parts, note)
