"""What the session hooks note for later: ``.gitmem/sessions/events``, one line of JSON a note.

A hook must not wait for anything, so it writes nothing to the store: it appends one line and
leaves. The drain works the lines off, under a lease of this folder; a drain that was killed leaves
them to the next, with the same keys. The files are handled as those of the git hooks (``spool``).

A line begins with a line end as well: half a line, of a process that was cut off, spoils no other.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress

from gitmem.model.frozen import dataclass
from gitmem.spool import git_events
from gitmem.spool.git_events import Batch

FOLDER = "sessions"
# What happened: the words that a note may have.
START, PROMPT, EDIT, ERROR, RAN, COMMIT, SNAPSHOT, STOP, END = WHATS = (
    "start",
    "prompt",
    "edit",
    "error",
    "ran",
    "commit",
    "snapshot",
    "stop",
    "end",
)
LARGEST = 1 << 20  # bytes that may wait; what comes then is not noted
LONGEST_TEXT = 4_000
MOST_FILES = 50
_LONGEST_NAME = 1_000
_EVENTS = "events"
# Notes may lie so long, or grow so large, before somebody is started for them alone.
_PATIENCE_MS = 60_000
_MANY = 32 << 10
_FIRST = 64
_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that happened in a session of a host.

    ``what`` is one of ``WHATS``, ``at`` milliseconds, ``session`` the host's own id (empty where it
    gives none), ``tree`` the work tree, ``branch`` and ``commit`` its HEAD then. ``key`` is the
    same each time the note is read, empty before that.
    """

    what: str
    at: int
    agent: str
    session: str
    tree: str
    branch: str = ""
    commit: str = ""
    files: tuple[str, ...] = ()
    text: str = ""
    key: str = ""


def add(folder: str, note: Note) -> bool:
    """Append a note to the spool ``folder``; whether it was noted. Never waits, never raises."""
    try:
        return _append(folder, line(note))
    except OSError:
        return False


def line(note: Note) -> bytes:
    """A note as it is written."""
    told = {
        "at": note.at,
        "what": note.what,
        "agent": note.agent[:_LONGEST_NAME],
        "session": note.session[:_LONGEST_NAME],
        "tree": note.tree,
        "branch": note.branch[:_LONGEST_NAME],
        "commit": note.commit,
        "files": [one for one in note.files if len(one) <= _LONGEST_NAME][:MOST_FILES],
        "text": note.text[:LONGEST_TEXT].replace("\0", " "),
    }
    return b"\n" + json.dumps(told).encode("ascii") + b"\n"


def _append(folder: str, content: bytes) -> bool:
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    # Whoever put a link or a pipe in its place gets nothing, and no hook waits for it.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_WAIT
    handle = os.open(os.path.join(folder, _EVENTS), flags, 0o600)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size + len(content) > LARGEST:
            return False
        return os.write(handle, content) == len(content)
    finally:
        os.close(handle)


def take(folder: str, *, now: int, pid: int) -> tuple[tuple[Note, ...], Batch]:
    """What waits, oldest first, and what to give to ``spool.done`` when it was dealt with.

    For the holder of the lease. The batch counts the lines that made no sense. Raises OSError.
    """
    notes: list[Note] = []
    read, skipped = [], 0
    for name, key, start, content in git_events.set_aside(folder, now=now, pid=pid):
        found, missed = parse(content, key, start)
        notes += found
        skipped += missed
        read.append((name, start + len(content)))
    return tuple(notes), Batch((), skipped, tuple(read))


def peek(folder: str, session: str, agent: str) -> list[Note]:
    """Notes of one session that are still there, oldest first, dealt with or not."""
    found: list[Note] = []
    for key, content in git_events.everything(folder):
        found += parse(content, key)[0]
    whose = (session, "" if known(session) else agent)
    return [one for one in found if (one.session, "" if known(session) else one.agent) == whose]


def known(session: str) -> bool:
    """Whether an id of a host tells a session by itself: hosts read each other's hook files."""
    return len(session) >= 8


def due(folder: str, now: int) -> bool:
    """Whether what waits is worth a process: much of it, or for long. One small read."""
    try:
        # As it is written: nobody waits for a pipe in its place.
        handle = os.open(os.path.join(folder, _EVENTS), os.O_RDONLY | _NO_WAIT)
        with os.fdopen(handle, "rb") as file:
            begin = file.read(_FIRST)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    _, apart, rest = begin.partition(b'"at": ')
    digits = rest.partition(b",")[0]
    first = int(digits) if apart and digits.isdigit() else 0
    # A clock that went back must not keep notes for as long as it was ahead.
    return size >= _MANY or (size > 0 and not 0 <= now - first < _PATIENCE_MS)


def parse(content: bytes, key: str, start: int = 0) -> tuple[list[Note], int]:
    """The notes in a file, and the number of lines that made no sense.

    ``key`` names the file, in which the content begins at ``start``.
    """
    notes: list[Note] = []
    skipped, at = 0, start
    lines = content.split(b"\n")
    for number, one in enumerate(lines):
        # What has no end was cut off.
        note = _note(one, f"s{key}:{at}") if number < len(lines) - 1 else None
        at += len(one) + 1
        if note is not None:
            notes.append(note)
        elif one.strip(b"\0 \t\r"):
            skipped += 1
    return notes, skipped


def _note(line: bytes, key: str) -> Note | None:
    if not line.startswith(b"{"):
        return None
    try:
        told = json.loads(line)
        if told["what"] not in WHATS or type(told["at"]) is not int or not _times(told["at"]):
            return None
        names = ("agent", "session", "tree", "branch", "commit", "text")
        words = [_text(told.get(name, "")) for name in names]
        files = tuple(map(_text, told.get("files", ())))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    agent, session, tree, branch, commit, text = words
    return Note(told["what"], told["at"], agent, session, tree, branch, commit, files, text, key)


def _times(at: int) -> bool:
    return 0 <= at < 1 << 53


def _text(value: object) -> str:
    """A text of a line. Raises TypeError for anything else: no name holds a NUL either."""
    if not isinstance(value, str) or "\0" in value:
        raise TypeError("no text")
    return value[:LONGEST_TEXT]
