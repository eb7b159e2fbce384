"""What the session hooks note for later: ``.gitmem/sessions/events``, one line of JSON a note.

A hook must not wait for anything, so it writes nothing to the store: it appends one line and
leaves. The drain works the lines off, under a lease of this folder; a drain that was killed leaves
them to the next, with the same keys (``spool.event_log``). Each line ends with a seal under the
store's key: an archive can bring such a file too, and what it says is not believed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial

from gitmem.clock import MINUTE
from gitmem.model.frozen import dataclass
from gitmem.spool import event_log
from gitmem.spool.event_log import Batch
from gitmem.store.db import seals

FOLDER = event_log.SESSIONS
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
# Notes may lie so long, or grow so large, before somebody is started for them alone.
_PATIENCE_MS = MINUTE
_MANY = 40 << 10
_SEAL = b', "seal": "'


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that happened in a session of a host.

    ``what`` is one of ``WHATS``, ``at`` milliseconds, ``session`` the host's own id (empty where it
    gives none), ``tree`` the worktree, ``branch`` and ``commit`` its HEAD then. ``key`` is the
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


def add(folder: str, note: Note, store_key: bytes) -> bool:
    """Append a note to the spool ``folder``; whether it was noted. Never waits, never raises."""
    if not store_key:
        return False
    try:
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        return event_log.append(folder, line(note, store_key), most=LARGEST)
    except OSError:
        return False


def line(note: Note, store_key: bytes) -> bytes:
    """A note as it is written, sealed with the key of the store."""
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
    content = json.dumps(told).encode("ascii")
    seal = seals.of_note(store_key, content).encode("ascii")
    return content[:-1] + _SEAL + seal + b'"}\n'


def take(folder: str, store_key: bytes, *, now: int, pid: int) -> tuple[tuple[Note, ...], Batch]:
    """What waits, as ``spool.event_log.take``; without a key also what is not sealed."""
    return event_log.take(folder, partial(_note, store_key=store_key), now=now, pid=pid)


def peek(folder: str, session: str, agent: str, store_key: bytes) -> list[Note]:
    """Notes of one session that are not in the store yet, oldest first."""
    found: list[Note] = []
    for key, content in event_log.everything(folder):
        found += parse(content, key, store_key)[0]
    whose = (session, "" if known(session) else agent)
    return [one for one in found if (one.session, "" if known(session) else one.agent) == whose]


def known(session: str) -> bool:
    """Whether an id of a host tells a session by itself: hosts read each other's hook files."""
    return len(session) >= 8


def due(folder: str, now: int) -> bool:
    """Whether what waits is worth a process: much of it, or for long."""
    return event_log.due(folder, now, at=_first, patience_ms=_PATIENCE_MS, many=_MANY)


def _first(begin: bytes) -> int:
    """When the first note of a file was made, from how the file begins."""
    _, apart, rest = begin.partition(b'"at": ')
    digits = rest.partition(b",")[0]
    return int(digits) if apart and digits.isdigit() else 0


def parse(content: bytes, key: str, store_key: bytes) -> tuple[list[Note], int]:
    """The notes in a file, and the number of lines that made no sense; as ``take``."""
    return event_log.parse(content, partial(_note, store_key=store_key), key)


def _note(line: bytes, key: str, store_key: bytes) -> Note | None:
    content, _, seal = line.rpartition(_SEAL)
    if not line.startswith(b"{"):
        return None
    if store_key and seal != seals.of_note(store_key, content + b"}").encode("ascii") + b'"}':
        return None
    try:
        told = json.loads(line)
        if told["what"] not in WHATS or type(told["at"]) is not int:
            return None
        if not 0 <= told["at"] < 1 << 53:
            return None
        names = ("agent", "session", "tree", "branch", "commit", "text")
        words = [_text(told.get(name, "")) for name in names]
        files = tuple(map(_text, told.get("files", ())))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    agent, session, tree, branch, commit, text = words
    key = "s" + key  # told apart from those of git's events
    return Note(told["what"], told["at"], agent, session, tree, branch, commit, files, text, key)


def _text(value: object) -> str:
    """A text of a line. Raises TypeError for anything else: no name holds a NUL either."""
    if not isinstance(value, str) or "\0" in value:
        raise TypeError("no text")
    return value[:LONGEST_TEXT]
