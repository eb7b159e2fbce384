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


def plan_installation(
    event: str, file: FileSnapshot, reason: str, *, existed_before: bool
) -> PlannedHookFile:
    """The PlannedHookFile: what to do to a file to install gitmem's hook; writes nothing.

    ``event`` is the hook's name, ``file`` its present state. ``reason`` is why nothing may be
    written, usually empty. ``existed_before``: the file is not gitmem's, as it was there before
    gitmem.
    """
    old = file.content
    if not reason and old is None:
        return PlannedHookFile(
            HookState(event, INSTALLED, file.target), file, shims.hook_file_content(event)
        )
    own = old is not None and is_gitmem_hook_file(old, existed_before=existed_before)
    if old is not None and not own:
        reason = reason or reason_lines_refused(old)
        if not reason and not file.mode & 0o100:
            reason = "it is not executable, so git skips it"
    if reason or old is None:
        return PlannedHookFile(
            HookState(event, DECLINED, file.target, reason, shims.shared_hook_line(event)), file
        )
    block = shims.marked_hook_lines(event)
    content = shims.hook_file_content(event) if own else marked_block.put_block(old, block, MARKS)
    state = PRESENT if content == old and file.mode & 0o100 else INSTALLED
    return PlannedHookFile(HookState(event, state, file.target), file, content, not own)


def plan_removal(event: str, file: FileSnapshot, *, existed_before: bool) -> PlannedHookFile:
    """The PlannedHookFile: what to do to a file to remove gitmem's lines, or all that is gitmem's.

    ``event`` is the hook's name, ``file`` its present state. ``existed_before``: the file was there
    before gitmem. Nothing is written yet.
    """
    old = file.content or b""
    if not (MARKS.begin in old or MARKS.end in old):
        return PlannedHookFile(HookState(event, ABSENT, file.target), file)
    if not marked_block.has_block(old, MARKS):
        reason = f"gitmem's lines were damaged; delete them by hand in {file.target}"
        return PlannedHookFile(HookState(event, DECLINED, file.target, reason), file)
    own = is_gitmem_hook_file(old, existed_before=existed_before)
    rest = None if own else marked_block.remove_block(old, MARKS)
    return PlannedHookFile(HookState(event, REMOVED, file.target), file, rest, foreign=True)


def is_gitmem_hook_file(content: bytes, *, existed_before: bool = False) -> bool:
    """Whether a hook file's ``content`` is only gitmem's: its marked lines below ``#!/bin/sh``.

    Never, if the file ``existed_before`` gitmem's hooks.
    """
    has_own_lines = not existed_before and marked_block.has_block(content, MARKS)
    return has_own_lines and marked_block.remove_block(content, MARKS) == FIRST_LINE


def state_before_change(planned: PlannedHookFile) -> HookState:
    """The present HookState of a hook for which an installation is planned: absent, outdated ...

    ``planned`` comes from ``plan_installation``, whose own state is that after the installation.
    """
    hook = planned.hook
    state = {INSTALLED: ABSENT, PRESENT: INSTALLED}.get(hook.state, hook.state)
    if hook.state == INSTALLED and marked_block.has_block(planned.file.content or b"", MARKS):
        state = OUTDATED
    return replace(hook, state=state)


def reason_lines_refused(content: bytes) -> str:
    """Why gitmem's lines may not be added to a hook file of somebody else's; empty if they may.

    A clause for a message, such as "it is a program, not a script".
    """
    if not content or len(content) > _LARGEST:
        return "it is empty" if not content else "it is larger than a megabyte"
    if b"\0" in content:
        return "it is a program, not a script"
    if not content.startswith(b"#!"):
        return "its first line does not name the shell that runs it"
    first = content.partition(b"\n")[0]
    if first.endswith(b"\r"):
        return "its first line ends in a carriage return"
    # Of `#!/usr/bin/env -S bash -e` the shell is bash.
    words = [word.rpartition(b"/")[2] for word in first[2:].split()]
    if words[:1] == [b"env"]:
        words = [word for word in words[1:] if not word.startswith(b"-") and b"=" not in word]
    name = words[0] if words else b""
    if name not in _SHELLS:
        return f"it is run by {name.decode('utf-8', 'replace') or 'nothing'}, not by a shell"
    if marked_block.is_block_damaged(content, MARKS):
        return "gitmem's lines in it were damaged"
    import re  # noqa: PLC0415 - 6 ms, paid when hooks are installed

    # A script that is also read by another program, or reads itself, is left alone.
    if re.search(rb"\b(exec|eval)\b[^\n]*\$\{?0\b", content):
        return "it execs another program"
    if re.search(rb"\b(tail|head|sed|awk)\b[^\n]*\$\{?0\b", content):
        return "it reads its own source"
    return ""
