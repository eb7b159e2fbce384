"""Usage counts by day and agent: a log that every process appends to, and a table of sums.

A process counts by appending one short line to a log beside the store (``spool.event_log``), and
waits for nobody. Later the lines are added up in one transaction, which also notes how far each
file was read: a process that dies before the commit has counted nothing, one that dies after it
nothing twice. The write lock keeps two processes from reading at once.

Only numbers are stored, no words of a query or a memory, and exports leave them out.
"""

from __future__ import annotations

import os

from gitmem.clock import DAY
from gitmem.spool import event_log
from gitmem.store.db import preflight, seals

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.db.connection import Database

LARGEST = 1 << 20  # bytes of a log: beyond that nothing is counted until it was read
RETAINED_DAYS = 400
MODES = ("hybrid", "semantic", "keyword")
# Upper bounds of the duration of a recall; what took longer counts in the last.
AT_MOST_MS = tuple(1 << power for power in range(14))
WHATS = (
    *("session", "injection", "hook", "tool_call", "store"),
    *("recall", "hit", "miss", "search", "search_hit", "search_miss"),
    "tool_call_ms",  # milliseconds that tool calls took, counted like anything else
    *(f"recall_{mode}_{most}_ms" for mode in MODES for most in AT_MOST_MS),
)
_META = "usage_read"
_DIGITS = 9  # a number with more of them was not written by gitmem
_LONGEST_NAME = 80
_SHORT = 16  # no secret is a word this short; other names are redacted

# Day (since 1970, UTC), agent and what -> how often, tokens, tokens saved.
Sums = tuple[int, int, int]
Counts = dict[tuple[int, str, str], Sums]


def recall_duration_counter_name(recall_mode: str, duration_ms: int) -> str:
    """The name of the counter, ``recall_MODE_MOST_ms``, for a search of memories that took so long.

    The mode is hybrid, semantic or keyword; MOST is the next power of two, up to 8,192 (ms).
    """
    most = next((most for most in AT_MOST_MS if duration_ms <= most), AT_MOST_MS[-1])
    return f"recall_{recall_mode}_{most}_ms"


def redact_agent_name(agent: str) -> str:
    """An agent's name as stored: at most 80 characters, on one line, without secrets."""
    name = " ".join(agent.split())[:_LONGEST_NAME]
    if len(name) <= _SHORT and name.replace("-", "").isalnum():
        return name
    from gitmem.store.db import redaction_gate  # noqa: PLC0415 - readers do not need its rules

    return redaction_gate.redact_text(name)


def format_usage_line(
    day: int,
    agent: str,
    counter: str,
    count: int,
    tokens: int,
    tokens_saved: int,
    log_line_token: str,
) -> bytes:
    """A line of the usage log: on a day (since 1970) an agent used a counter ``count`` times.

    ``counter`` is one of ``WHATS`` (recall, hit ...); ``tokens`` were returned to the agent, and
    ``tokens_saved`` were saved. ``log_line_token`` proves that this store wrote the line
    (``seals.derive_log_line_token``).
    """
    name = redact_agent_name(agent)
    text = f"{log_line_token} {day} {counter} {count} {tokens} {tokens_saved} {name};\n"
    return text.encode("utf-8", "replace")


def append_usage_lines(store_path: str, lines: bytes) -> None:
    """Append lines to the usage log of the store at this path, up to 1 MiB. Raises OSError."""
    folder, name = _spool(store_path)
    event_log.append_lines(folder, lines, max_bytes=LARGEST, log_name=name)


def move_usage_log_to_table(database: Database, *, now_ms: int, pid: int) -> int:
    """Add the usage log to the table of counts; returns the number of valid lines.

    Days more than 400 ago are deleted. ``now_ms`` (milliseconds) and ``pid`` of this process name
    the file that is set aside. Raises OSError, StoreBusy, ReadOnly: then nothing is counted or
    lost.
    """
    oldest = now_ms // DAY - RETAINED_DAYS
    first = database.value("SELECT min(day) FROM usage_days")
    folder, name = _spool(database.path)
    if not event_log.log_files_exist(folder, log_name=name) and (first is None or first >= oldest):
        return 0
    with database.write():
        offsets = _known(database)
        event_log.rotate_log_file(
            folder, now_ms=now_ms, pid=pid, log_name=name, used_file_keys=offsets
        )
        counts: Counts = {}
        token = seals.derive_log_line_token(database.key)
        read: dict[str, int] = {}
        lines = 0
        for part in event_log.read_unread_segments(folder, log_name=name, read_offsets=offsets):
            content = _whole_lines(part.content)
            # An earlier transaction counted all of it.
            if (
                not content
                and event_log.is_log_file_without_writer(part.file_key, now_ms)
                and _removed(folder, part.file_name)
            ):
                continue
            read[part.file_key] = part.start_offset + len(content)
            lines += add_usage_lines_to_counts(content, counts, token)
        _add(database, counts)
        _note_read(database, offsets, read)
        database.run("DELETE FROM usage_days WHERE day < ?", (oldest,))
    return lines


def usage_counts_in_log(database: Database) -> Counts:
    """A dict: (day, agent, counter) -> (count, tokens, tokens saved), of the log alone."""
    folder, name = _spool(database.path)
    counts: Counts = {}
    token = seals.derive_log_line_token(database.key)
    for part in event_log.read_unread_segments(
        folder, log_name=name, read_offsets=_known(database)
    ):
        add_usage_lines_to_counts(_whole_lines(part.content), counts, token)
    add_usage_lines_to_counts(
        _whole_lines(event_log.read_current_log_file(folder, log_name=name)), counts, token
    )
    return counts


def usage_counts_since(
    database: Database, first_day: int, *, include_log: bool = False
) -> dict[str, dict[str, Sums]]:
    """A dict: agent -> counter -> (count, tokens, tokens saved), summed from a day (since 1970) on.

    ``include_log`` adds what is still in the log and not in the table.
    """
    with database.connection:  # one view of the table and of how far the files are in it
        rows = database.rows(
            "SELECT agent, what, sum(n), sum(tokens), sum(saved) FROM usage_days WHERE day >= ? "
            "GROUP BY agent, what",
            (first_day,),
        )
        unread = usage_counts_in_log(database) if include_log else {}
    rows += [(agent, what, *sums) for (on, agent, what), sums in unread.items() if on >= first_day]
    totals: dict[str, dict[str, Sums]] = {}
    for agent, what, *sums in rows:
        counters = totals.setdefault(agent, {})
        before = counters.get(what, (0, 0, 0))
        counters[what] = (before[0] + sums[0], before[1] + sums[1], before[2] + sums[2])
    return totals


def session_counts_by_agent(database: Database, since_ms: int) -> dict[str, int]:
    """A dict: agent ("": a person) -> number of sessions started since ``since_ms``."""
    return dict(
        database.rows(
            "SELECT agent, count(*) FROM sessions WHERE started_at >= ? GROUP BY agent", (since_ms,)
        )
    )


def add_usage_lines_to_counts(log_content: bytes, counts: Counts, log_line_token: str) -> int:
    """Add the lines in the usage log's content to ``counts``; returns the number of valid lines.

    Only lines that begin with ``log_line_token`` and end with ``;`` are valid.
    """
    valid, begin = 0, f"{log_line_token} ".encode()
    for text in log_content.splitlines():
        if not text.startswith(begin):
            continue
        words = text[len(begin) :].removesuffix(b";").split(b" ", 5)
        numbers = [words[0], *words[2:5]]
        if len(words) != 6 or not text.endswith(b";"):
            continue
        if not all(word.isdigit() and len(word) <= _DIGITS for word in numbers):
            continue
        what = words[1].decode("ascii", "replace")
        if what not in WHATS:
            continue
        day, n, tokens, saved = map(int, numbers)
        key = day, words[5].decode("utf-8", "replace"), what
        before = counts.get(key, (0, 0, 0))
        counts[key] = before[0] + n, before[1] + tokens, before[2] + saved
        valid += 1
    return valid


def _add(database: Database, counts: Counts) -> None:
    database.connection.executemany(
        "INSERT INTO usage_days (day, agent, what, n, tokens, saved) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (day, agent, what) DO UPDATE SET n = n + excluded.n, "
        "tokens = tokens + excluded.tokens, saved = saved + excluded.saved",
        [
            (day, redact_agent_name(agent), what, *sums)
            for (day, agent, what), sums in counts.items()
        ],
    )


def _known(database: Database) -> dict[str, int]:
    """Key of a file that was set aside -> how far it was read, in bytes."""
    noted = database.value("SELECT value FROM meta WHERE key = ?", (_META,)) or ""
    pairs = [word.partition(":") for word in noted.split()]
    return {key: int(end) for key, _, end in pairs if end.isdigit()}


def _note_read(database: Database, known: dict[str, int], read: dict[str, int]) -> None:
    if read == known:
        return
    value = " ".join(f"{key}:{end}" for key, end in read.items())
    database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_META, value))


def _spool(store: str) -> tuple[str, str]:
    """The folder and the name of the log."""
    folder, name = os.path.split(store)
    return folder, name + preflight.USAGE


def _removed(folder: str, name: str) -> bool:
    try:
        os.unlink(os.path.join(folder, name))
    except OSError:
        return False
    return True


def _whole_lines(content: bytes) -> bytes:
    """The complete lines: the last may still be being written."""
    return content[: content.rfind(b"\n") + 1]
