"""Files that name this machine's gitmem, kept out of commits: marked lines in ``info/exclude``.

Only files that gitmem itself made stand there, never one that was there before: that one is others'
affair. A text that many agents share, such as AGENTS.md, is left to git as well. The lines follow
what the project's manifest holds, so they go with the last of those files.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitmem.agents.hosts.host import PROJECT
from gitmem.agents.wiring import plan
from gitmem.agents.wiring.edit_text import MARKS
from gitmem.agents.wiring.plan import Step
from gitmem.agents.wiring.templates import BLOCK
from gitmem.errors import GitmemError
from gitmem.files import foreign_file
from gitmem.text import marked_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.agents.wiring.manifest import Record

_NOTE = b" written by `gitmem setup`; `gitmem setup --remove` takes it out\n"
_FIRST = b"# " + MARKS.begin + _NOTE
_LAST = b"# " + MARKS.end + b"\n"
_FORM = ("utf-8", "surrogateescape")  # a name may be any bytes


def step(
    exclude: str,
    project: str,
    known: dict[str, Record],
    steps: Sequence[Step],
    personal: bool,
    elsewhere: Iterable[Record] = (),
) -> list[Step]:
    """The change of ``exclude`` that belongs to some steps; none where nothing is to change.

    ``known`` is the project's manifest of before, ``personal`` whether the steps' files name this
    machine's gitmem, ``elsewhere`` what stands in other worktrees, which share the file. None
    either where the file is not there or may not be changed.
    """
    try:
        seen = foreign_file.look(exclude, os.path.dirname(exclude))
        now = seen.content
        if now is None or marked_block.damaged(now, MARKS) or not _may_change(seen.target):
            return []
        listed = _listed(now)
        names = _names(listed, project, known, steps, personal)
        others = {_name(one.path, project) for one in elsewhere if _is_all_ours(one)}
        names = sorted({*names, *(others & listed)})
        block = _FIRST + "".join(f"/{name}\n" for name in names).encode(*_FORM) + _LAST
        content = marked_block.put(now, block, MARKS) if names else marked_block.take(now, MARKS)
    except GitmemError:
        return []  # it is a convenience: the files are told as ones that git would take
    if content == now:
        return []
    state = plan.WRITTEN if names else plan.REMOVED
    return [Step(exclude, PROJECT, state, seen, content, None, (), ())]


def paths(steps: Iterable[Step], project: str) -> set[str]:
    """The files that git leaves alone after such a step."""
    return {
        os.path.join(project, *name.split("/"))
        for one in steps
        if not one.agents and one.content is not None
        for name in _listed(one.content)
    }


def _names(
    listed: set[str],
    project: str,
    known: dict[str, Record],
    steps: Sequence[Step],
    personal: bool,
) -> list[str]:
    """The names that are to stand there, sorted."""
    after = dict(known)
    for one in steps:
        if one.scope == PROJECT:
            after.pop(one.path, None)
            if one.record is not None:
                after[one.path] = one.record
    made = {_name(path, project) for path, record in after.items() if _is_all_ours(record)}
    touched = {_name(one.path, project) for one in steps if one.scope == PROJECT and one.record}
    return sorted(made & (listed | touched if personal else listed - touched))


def _is_all_ours(record: Record) -> bool:
    shared = any(piece.kind == BLOCK and not piece.head for piece in record.pieces)
    return record.before is None and (record.path.endswith(".js") or not shared)


def _name(path: str, project: str) -> str:
    return os.path.relpath(path, project).replace(os.sep, "/")


def _listed(content: bytes) -> set[str]:
    lines = marked_block.extract(content, MARKS).splitlines()
    return {line[1:].decode(*_FORM) for line in lines if line.startswith(b"/")}


def _may_change(path: str) -> bool:
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
