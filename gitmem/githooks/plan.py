"""Deciding what to do with each hook file, without reading or writing any."""

from __future__ import annotations

from gitmem.files.foreign_file import FileSnapshot
from gitmem.githooks import shims
from gitmem.githooks.shims import FIRST_LINE, MARKS
from gitmem.model.frozen import dataclass, replace
from gitmem.text import marked_block

INSTALLED = "installed"  # written now; of a status: in place and up to date
PRESENT = "present"  # was there already
OUTDATED = "outdated"  # an older or changed form of gitmem's lines
DECLINED = "declined"
ABSENT = "absent"
REMOVED = "removed"

_SHELLS = frozenset({b"sh", b"bash", b"dash", b"zsh"})
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class HookState:
    """The state of gitmem's hook for a git event such as post-commit, and the path of its file.

    ``state`` is installed, present (was there already), outdated, absent, removed or declined: left
    to the user, with the reason and, where gitmem is to be installed, the ``line`` to add by hand.
    """

    event: str
    state: str
    path: str
    reason: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class PlannedHookFile:
    """What to do to a hook file if ``is_change``: write ``content``, or remove it if that is None.

    ``hook`` is the state afterwards, ``file`` the file as it is now. ``foreign``: the file is
    somebody else's, and only some lines in it are gitmem's.
    """

    hook: HookState
    file: FileSnapshot
    content: bytes | None = None
    foreign: bool = False

    @property
    def is_change(self) -> bool:
        """Whether the hook's file has to be written or removed."""
        return self.hook.state in (INSTALLED, REMOVED)


def plan_hook_installation(
    hook_name: str, file_state: FileSnapshot, refusal_reason: str, *, file_predates_gitmem: bool
) -> PlannedHookFile:
    """The PlannedHookFile: what to do to a file to install gitmem's hook; writes nothing.

    ``hook_name`` is the hook's name, ``file_state`` its present state. ``refusal_reason`` is why
    nothing may be written, usually empty. ``file_predates_gitmem``: the file is not gitmem's, as it
    was there before gitmem.
    """
    old = file_state.content
    if not refusal_reason and old is None:
        return PlannedHookFile(
            HookState(hook_name, INSTALLED, file_state.target),
            file_state,
            shims.hook_file_content(hook_name),
        )
    own = old is not None and is_gitmem_hook_file(old, file_predates_gitmem=file_predates_gitmem)
    if old is not None and not own:
        refusal_reason = refusal_reason or reason_hook_lines_refused(old)
        if not refusal_reason and not file_state.mode & 0o100:
            refusal_reason = "it is not executable, so git skips it"
    if refusal_reason or old is None:
        return PlannedHookFile(
            HookState(
                hook_name,
                DECLINED,
                file_state.target,
                refusal_reason,
                shims.shared_hook_line(hook_name),
            ),
            file_state,
        )
    block = shims.marked_hook_lines(hook_name)
    content = (
        shims.hook_file_content(hook_name) if own else marked_block.put_block(old, block, MARKS)
    )
    state = PRESENT if content == old and file_state.mode & 0o100 else INSTALLED
    return PlannedHookFile(
        HookState(hook_name, state, file_state.target), file_state, content, not own
    )


def plan_hook_removal(
    hook_name: str, file_state: FileSnapshot, *, file_predates_gitmem: bool
) -> PlannedHookFile:
    """The PlannedHookFile: what to do to a file to remove gitmem's lines, or all that is gitmem's.

    ``file_state`` is the present state of the hook's file. ``file_predates_gitmem``: it was there
    before gitmem. Nothing is written yet.
    """
    old = file_state.content or b""
    if not (MARKS.begin in old or MARKS.end in old):
        return PlannedHookFile(HookState(hook_name, ABSENT, file_state.target), file_state)
    if not marked_block.has_block(old, MARKS):
        reason = f"gitmem's lines were damaged; delete them by hand in {file_state.target}"
        return PlannedHookFile(
            HookState(hook_name, DECLINED, file_state.target, reason), file_state
        )
    own = is_gitmem_hook_file(old, file_predates_gitmem=file_predates_gitmem)
    rest = None if own else marked_block.remove_block(old, MARKS)
    return PlannedHookFile(
        HookState(hook_name, REMOVED, file_state.target), file_state, rest, foreign=True
    )


def is_gitmem_hook_file(content: bytes, *, file_predates_gitmem: bool = False) -> bool:
    """Whether a hook file's ``content`` is only gitmem's: its marked lines below ``#!/bin/sh``.

    Never, if the file ``file_predates_gitmem`` gitmem's hooks.
    """
    has_own_lines = not file_predates_gitmem and marked_block.has_block(content, MARKS)
    return has_own_lines and marked_block.remove_block(content, MARKS) == FIRST_LINE


def hook_state_before_change(planned_file: PlannedHookFile) -> HookState:
    """The present HookState of a hook for which an installation is planned: absent, outdated ...

    ``planned_file`` comes from ``plan_hook_installation``, whose own state is that after the
    installation.
    """
    hook = planned_file.hook
    state = {INSTALLED: ABSENT, PRESENT: INSTALLED}.get(hook.state, hook.state)
    if hook.state == INSTALLED and marked_block.has_block(planned_file.file.content or b"", MARKS):
        state = OUTDATED
    return replace(hook, state=state)


def reason_hook_lines_refused(file_content: bytes) -> str:
    """Why gitmem's lines may not be added to a hook file of somebody else's; empty if they may.

    A clause for a message, such as "it is a program, not a script".
    """
    if not file_content or len(file_content) > _LARGEST:
        return "it is empty" if not file_content else "it is larger than a megabyte"
    if b"\0" in file_content:
        return "it is a program, not a script"
    if not file_content.startswith(b"#!"):
        return "its first line does not name the shell that runs it"
    first = file_content.partition(b"\n")[0]
    if first.endswith(b"\r"):
        return "its first line ends in a carriage return"
    # Of `#!/usr/bin/env -S bash -e` the shell is bash.
    words = [word.rpartition(b"/")[2] for word in first[2:].split()]
    if words[:1] == [b"env"]:
        words = [word for word in words[1:] if not word.startswith(b"-") and b"=" not in word]
    name = words[0] if words else b""
    if name not in _SHELLS:
        return f"it is run by {name.decode('utf-8', 'replace') or 'nothing'}, not by a shell"
    if marked_block.is_block_damaged(file_content, MARKS):
        return "gitmem's lines in it were damaged"
    import re  # noqa: PLC0415 - 6 ms, paid when hooks are installed

    # A script that is also read by another program, or reads itself, is left alone.
    if re.search(rb"\b(exec|eval)\b[^\n]*\$\{?0\b", file_content):
        return "it execs another program"
    if re.search(rb"\b(tail|head|sed|awk)\b[^\n]*\$\{?0\b", file_content):
        return "it reads its own source"
    return ""
