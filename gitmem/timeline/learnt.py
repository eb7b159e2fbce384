"""Finding lessons in an agent's session, from what its hooks recorded; only sure ones. Pure.

An error is fixed if the command that showed it passed later. A command works if it passed after a
failure, or twice. A file is central if many sessions in a row worked on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.frozen import dataclass
from gitmem.timeline.command_output import LONGEST, is_generic_error

ERROR, COMMAND = "error", "command"
# A central file was in so many (the second number) of the latest sessions.
RECENT_SESSIONS, MANY_SESSIONS = 8, 4
_LEAST_PASSES = 2
_MOST_FILES = 5


@dataclass(frozen=True, slots=True)
class SessionLesson:
    """Something learnt in an agent's session, to propose as a memory of this ``kind``.

    ``identity`` is the text by which it is recognised again, ``confidence`` is 0 to 1.
    """

    kind: str
    title: str
    content: str
    identity: str
    confidence: float
    paths: tuple[str, ...] = ()


def find_session_lessons(
    errors_and_passed_checks: Sequence[tuple[str, str]],
    changed_files: Sequence[str],
    files_of_earlier_sessions: Sequence[Sequence[str]],
    commits: Sequence[str] = (),
) -> list[SessionLesson]:
    """The SessionLessons of an agent's session: a fixed error, a working command, a central file.

    ``errors_and_passed_checks`` are ("error", "COMMAND: message") and ("command", COMMAND), oldest
    first. ``changed_files`` are the files of the session, ``files_of_earlier_sessions`` those of
    each earlier session, both latest first. ``commits`` are the ids of commits made in the session.
    """
    candidates = [
        _fixed_error(errors_and_passed_checks, changed_files, commits),
        _working_command(errors_and_passed_checks),
        _central_file(changed_files, files_of_earlier_sessions),
    ]
    return [lesson for lesson in candidates if lesson is not None]


def _fixed_error(
    events: Sequence[tuple[str, str]], files: Sequence[str], commits: Sequence[str]
) -> SessionLesson | None:
    """The last error whose command passed later, if files were changed."""
    changed = tuple(files[:_MOST_FILES])
    if not changed:
        return None
    for number in range(len(events) - 1, -1, -1):
        type, text = events[number]
        later = [command for what, command in events[number + 1 :] if what == COMMAND]
        command = next((passed for passed in later if text.startswith(f"{passed}: ")), "")
        line = text[len(command) + 2 :][:LONGEST]
        if type != ERROR or not command or not line.strip() or is_generic_error(line.strip()):
            continue
        where = f" It was committed as {commits[0][:10]}." if commits else ""
        content = (
            f"`{command}` failed with: {line}\nIt passed after changes to "
            f"{', '.join(changed)}.{where}"
        )
        return SessionLesson(
            "fix", f"Mended: {line}"[:160], content, f"mended {line}", 0.74, changed
        )
    return None


def _working_command(events: Sequence[tuple[str, str]]) -> SessionLesson | None:
    """The command that passed most often, of those that failed before or passed twice."""
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
    return SessionLesson("command", command[:160], content, f"command {command}", 0.7)


def _central_file(files: Sequence[str], earlier: Sequence[Sequence[str]]) -> SessionLesson | None:
    """The file of this session that most of the latest sessions worked on."""
    recent = [set(paths) for paths in earlier[: RECENT_SESSIONS - 1]]
    counted = [(1 + sum(path in paths for paths in recent), path) for path in files]
    many, path = max(counted, key=lambda pair: pair[0], default=(0, ""))
    if many < MANY_SESSIONS:
        return None
    content = f"{many} of the last {len(recent) + 1} sessions had to do with {path}."
    return SessionLesson("file_context", f"{path} matters", content, f"file {path}", 0.7, (path,))
