"""The log of hooks' notes for the drain: ``.gitmem/sessions/events``, a line of JSON each.

A hook must not wait, so it does not write to the store: it appends a line and exits. The drain
stores the lines, under a lease of this folder; if it is killed, the next one reads the same lines
with the same keys (``spool.event_log``). Each line ends with a seal made with the store's key: a
file that came with an archive is not believed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial

from gitmem.clock import MINUTE
from gitmem.model.frozen import dataclass
from gitmem.spool import event_log
from gitmem.spool.event_log import LogLineBatch
from gitmem.store.db import seals

FOLDER = event_log.SESSIONS
# The values of ``Note.what``.
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
LARGEST = 1 << 20  # bytes of the file; further notes are dropped
LONGEST_TEXT = 4_000
MOST_FILES = 50
_LONGEST_NAME = 1_000
# How old (ms) or large (bytes) the notes may get before a drain is started for them alone.
_PATIENCE_MS = MINUTE
_MANY = 40 << 10
_SEAL = b', "seal": "'


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event of an agent's session, as a hook recorded it.

    ``what`` is start, prompt, edit, error, ran, commit, snapshot, stop or end; ``at`` milliseconds
    since 1970; ``session`` the agent program's own id of it, or empty; ``tree`` the worktree;
    ``branch`` and ``commit`` those of HEAD then. ``key`` is set when the event is read from the
    log, and the same at each reading.
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


def append_session_event(folder: str, event: RecordedEvent, signing_key: bytes) -> bool:
    """Append an event to the log in ``folder``, with a seal (signature) by the store's key.

    Returns whether that succeeded. Never waits, never raises.
    """
    if not signing_key:
        return False
    try:
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        return event_log.append_lines(
            folder, format_log_line(event, signing_key), max_bytes=LARGEST
        )
    except OSError:
        return False


def format_log_line(event: RecordedEvent, signing_key: bytes) -> bytes:
    """An event as a line of the log: JSON in bytes, with a seal (signature) by the store's key."""
    fields = {
        "at": event.at,
        "what": event.what,
        "agent": event.agent[:_LONGEST_NAME],
        "session": event.session[:_LONGEST_NAME],
        "tree": event.tree,
        "branch": event.branch[:_LONGEST_NAME],
        "commit": event.commit,
        "files": [file for file in event.files if len(file) <= _LONGEST_NAME][:MOST_FILES],
        "text": event.text[:LONGEST_TEXT].replace("\0", " "),
    }
    content = json.dumps(fields).encode("ascii")
    seal = seals.seal_of_session_hook_line(signing_key, content).encode("ascii")
    return content[:-1] + _SEAL + seal + b'"}\n'


def take_logged_events(
    folder: str, signing_key: bytes, *, now_ms: int, process_id: int
) -> tuple[tuple[RecordedEvent, ...], LogLineBatch]:
    """Read the events that wait in ``folder``: (RecordedEvents, a batch to discard them with).

    The batch is for ``spool.event_log.discard_line_batch``. Events without a valid seal (signature)
    by ``signing_key`` are left out; an empty key accepts all. ``now_ms`` (milliseconds since 1970)
    and ``process_id`` name the file that the log is renamed to.
    """
    return event_log.take_line_batch(
        folder, partial(_parse_note, signing_key=signing_key), now_ms=now_ms, pid=process_id
    )


def read_unstored_events(
    folder: str, session_id: str, agent: str, signing_key: bytes
) -> list[RecordedEvent]:
    """The RecordedEvents of a session that the database does not have yet, oldest first.

    Those without a valid seal (signature) by ``signing_key`` are left out; an empty key accepts
    all. ``agent`` counts only if the session's id is too short to identify it.
    """
    notes: list[RecordedEvent] = []
    for key, content in event_log.read_all_log_files(folder):
        notes += parse_logged_events(content, key, signing_key)[0]
    whose = (session_id, "" if is_unique_across_hosts(session_id) else agent)
    return [
        note
        for note in notes
        if (note.session, "" if is_unique_across_hosts(session_id) else note.agent) == whose
    ]


def is_unique_across_hosts(session_id: str) -> bool:
    """Whether a session's id is long enough (8 characters) to identify it in all agent programs.

    They run each other's hook files, so one session may be reported under two agents' names.
    """
    return len(session_id) >= 8


def is_event_log_drain_due(folder: str, now_ms: int) -> bool:
    """Whether the logged events are many (40 KB) or old (a minute) enough to be stored now.

    ``now_ms`` is in milliseconds since 1970.
    """
    return event_log.is_log_processing_due(
        folder, now_ms, parse_line_time_ms=_first_time, max_wait_ms=_PATIENCE_MS, min_bytes=_MANY
    )


def _first_time(begin: bytes) -> int:
    """The time of the first note, read off the beginning of the file; 0 if unreadable."""
    _, apart, rest = begin.partition(b'"at": ')
    digits = rest.partition(b",")[0]
    return int(digits) if apart and digits.isdigit() else 0


def parse_logged_events(
    content: bytes, log_file_key: str, signing_key: bytes
) -> tuple[list[RecordedEvent], int]:
    """The RecordedEvents in the content of a log file, and the number of invalid lines.

    ``log_file_key`` identifies the file, and begins the keys of its events. Lines without a valid
    seal (signature) by ``signing_key`` are invalid; an empty key accepts all.
    """
    return event_log.parse_log_lines(
        content, partial(_parse_note, signing_key=signing_key), log_file_key
    )


def _parse_note(line: bytes, key: str, signing_key: bytes) -> RecordedEvent | None:
    content, _, seal = line.rpartition(_SEAL)
    if not line.startswith(b"{"):
        return None
    if (
        signing_key
        and seal
        != seals.seal_of_session_hook_line(signing_key, content + b"}").encode("ascii") + b'"}'
    ):
        return None
    try:
        fields = json.loads(line)
        if fields["what"] not in WHATS or type(fields["at"]) is not int:
            return None
        if not 0 <= fields["at"] < 1 << 53:
            return None
        names = ("agent", "session", "tree", "branch", "commit", "text")
        words = [_check_text(fields.get(name, "")) for name in names]
        files = tuple(map(_check_text, fields.get("files", ())))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    agent, session, tree, branch, commit, text = words
    key = "s" + key  # git's events have keys without it
    return RecordedEvent(
        fields["what"], fields["at"], agent, session, tree, branch, commit, files, text, key
    )


def _check_text(value: object) -> str:
    """The value if it is a text without NUL, cut to length. Raises TypeError otherwise."""
    if not isinstance(value, str) or "\0" in value:
        raise TypeError("no text")
    return value[:LONGEST_TEXT]
