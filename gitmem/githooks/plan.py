"""What to do with each hook file, decided from what is there. Nothing is read or written here."""

from __future__ import annotations

from gitmem.githooks import foreign_script
from gitmem.githooks.shims import FIRST_LINE, MARKS
from gitmem.model.frozen import dataclass
from gitmem.text import marked_block

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.githooks.hooks_dir import Place

INSTALLED = "installed"  # written now; of a status: in place and up to date
PRESENT = "present"  # was there already
OUTDATED = "outdated"  # an older or changed form of ours
DECLINED = "declined"
ABSENT = "absent"
REMOVED = "removed"

FILE, LINK, OTHER = "file", "link", "other"


@dataclass(frozen=True, slots=True)
class Hook:
    """One event's hook: where, its state and the reason; where declined also the line to add."""

    event: str
    path: str
    state: str
    reason: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands at a hook's path: ``kind`` is absent, file, link or other.

    ``known_foreign``: the manifest says that the file was there before gitmem came.
    """

    kind: str = ABSENT
    content: bytes = b""
    mode: int = 0
    known_foreign: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should stand there: a file of our own, or lines in another's."""

    script: bytes
    block: bytes
    line: str


@dataclass(frozen=True, slots=True)
class Planned:
    """A hook's state once ``content`` is written; None where nothing is to be written.

    ``foreign``: the file is not ours, only the lines in it are.
    """

    hook: Hook
    content: bytes | None = None
    foreign: bool = False


def decide(event: str, path: str, place: Place, seen: Seen, wanted: Wanted) -> Planned:
    """What to do for one event."""
    if place.reason:
        return _declined(event, path, place.reason, wanted)
    if seen.kind == ABSENT:
        return Planned(Hook(event, path, INSTALLED), wanted.script)
    if seen.kind != FILE:
        reason = "it is a symbolic link" if seen.kind == LINK else "it is not a file"
        return _declined(event, path, reason, wanted)
    if is_ours(seen):
        return _written(event, path, seen, wanted.script, foreign=False)
    if reason := foreign_script.refusal(seen.content):
        return _declined(event, path, reason, wanted)
    if not seen.mode & 0o100:
        return _declined(event, path, "it is not executable, so git skips it", wanted)
    content = marked_block.put(seen.content, wanted.block, MARKS)
    return _written(event, path, seen, content, foreign=True)


def is_ours(seen: Seen) -> bool:
    """Whether the whole file is ours, not only lines in it."""
    if seen.known_foreign or not marked_block.holds(seen.content, MARKS):
        return False
    return marked_block.take(seen.content, MARKS) == FIRST_LINE


def restored(seen: Seen) -> bytes | None:
    """The file without us; None where it goes as a whole."""
    return None if is_ours(seen) else marked_block.take(seen.content, MARKS)


def as_status(planned: Planned, seen: Seen) -> Hook:
    """The state as it is before anything is written."""
    hook = planned.hook
    state = {INSTALLED: ABSENT, PRESENT: INSTALLED}.get(hook.state, hook.state)
    if hook.state == INSTALLED and marked_block.holds(seen.content, MARKS):
        state = OUTDATED
    return Hook(hook.event, hook.path, state, hook.reason, hook.line)


def _written(event: str, path: str, seen: Seen, content: bytes, *, foreign: bool) -> Planned:
    if content == seen.content and seen.mode & 0o100:
        return Planned(Hook(event, path, PRESENT), None, foreign)
    return Planned(Hook(event, path, INSTALLED), content, foreign)


def _declined(event: str, path: str, reason: str, wanted: Wanted) -> Planned:
    return Planned(Hook(event, path, DECLINED, reason, wanted.line))
