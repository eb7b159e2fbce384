"""What a session of an agent taught, from what its hooks noted: only what is sure. Pure.

An error counts as mended where the command that showed it passed later on, a command as one that
works where it did so after failing, or twice; a file matters where session after session comes back
to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.frozen import dataclass
from gitmem.timeline.command_output import LONGEST, generic

ERROR, COMMAND = "error", "command"
# Of so many ended sessions, the latest, a file has to have been in so many.
RECENT_SESSIONS, MANY_SESSIONS = 8, 4
_LEAST_PASSES = 2
_MOST_FILES = 5


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something learnt: ``kind`` is that of a memory, ``identity`` the same when learnt again."""

    kind: str
    title: str
    content: str
    identity: str
    confidence: float
    paths: tuple[str, ...] = ()


def lessons(
    events: Sequence[tuple[str, str]],
    files: Sequence[str],
    earlier: Sequence[Sequence[str]],
    commits: Sequence[str] = (),
) -> list[Lesson]:
    """At most one of each kind.

    ``events`` are (type, text) of errors and of checks that passed, oldest first; ``files`` those
    of the session, the latest first; ``earlier`` those of the sessions before, the latest first;
    ``commits`` the ids of what was committed in it.
    """
    found = [_mended(events, files, commits), _works(events), _matters(files, earlier)]
    return [one for one in found if one is not None]


def _mended(
    events: Sequence[tuple[str, str]], files: Sequence[str], commits: Sequence[str]
) -> Lesson | None:
    """The last error that was mended: its command passed later, and something was changed."""
    changed = tuple(files[:_MOST_FILES])
    if not changed:
        return None
    for number in range(len(events) - 1, -1, -1):
        type, text = events[number]
        later = [said for what, said in events[number + 1 :] if what == COMMAND]
        command = next((one for one in later if text.startswith(f"{one}: ")), "")
        line = text[len(command) + 2 :][:LONGEST]
        if type != ERROR or not command or not line.strip() or generic(line.strip()):
            continue
        where = f" It was committed as {commits[0][:10]}." if commits else ""
        content = (
            f"`{command}` failed with: {line}\nIt passed after changes to "
            f"{', '.join(changed)}.{where}"
        )
        return Lesson("fix", f"Mended: {line}"[:160], content, f"mended {line}", 0.74, changed)
    return None


def _works(events: Sequence[tuple[str, str]]) -> Lesson | None:
    """The command that passed most, after it had failed or more than once."""
    passed = [text for type, text in events if type == COMMAND]
    best: tuple[int, str] = (0, "")
    for command in dict.fromkeys(passed):
        failed = any(type == ERROR and text.startswith(f"{command}: ") for type, text in events)
        if failed or passed.count(command) >= _LEAST_PASSES:
            best = max(best, (passed.count(command), command))
    command = best[1]
    if not command:
        return None
    content = f"`{command}` works here: it checks this project."
    return Lesson("command", command[:160], content, f"command {command}", 0.7)


def _matters(files: Sequence[str], earlier: Sequence[Sequence[str]]) -> Lesson | None:
    """The file that most of the latest sessions had to do with, this one too."""
    recent = [set(one) for one in earlier[: RECENT_SESSIONS - 1]]
    counted = [(1 + sum(path in one for one in recent), path) for path in files]
    many, path = max(counted, key=lambda pair: pair[0], default=(0, ""))
    if many < MANY_SESSIONS:
        return None
    content = f"{many} of the last {len(recent) + 1} sessions had to do with {path}."
    return Lesson("file_context", f"{path} matters", content, f"file {path}", 0.7, (path,))
