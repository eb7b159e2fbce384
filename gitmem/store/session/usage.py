"""How often what was used, by day and agent: a spool that everybody adds to, a table that holds it.

Who counts appends one short line to a file beside the store and waits for nobody. Later the lines
are added up in one transaction, which also notes how far each file was read: a process that dies
before its end has counted nothing, one that dies after it nothing twice. The write lock keeps two
from reading at once. Whoever opened the file just before it was set aside may write to it just
after; so it is kept for some seconds and looked at again.

Only numbers are kept, no words of a question or a memory, and no export takes them along.
"""

from __future__ import annotations

import os

from gitmem.store.db import preflight

TYPE_CHECKING = False  # importing typing costs 10 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.db.connection import Database

LARGEST = 1 << 20  # bytes of a spool; what comes then is not counted until it was worked off
DAY_MS = 86_400_000
KEPT_DAYS = 400
WHATS = (
    *("session", "injection", "hook", "tool_call", "store"),
    *("recall", "hit", "miss", "search", "search_hit", "search_miss"),
)
_WORK = ".work"
_LINGER = 10_000  # milliseconds that a writer may take between opening the file and writing
_META = "usage_read"
_DIGITS = 9  # a number with more of them was not written by gitmem
_LONGEST_NAME = 80
_SHORT = 16  # no secret is that short; longer names, and those that are no word, are looked through
_WRITE = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe in its place must not make anybody wait
)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

# Day (since 1970, UTC), agent and what -> how often, tokens, tokens saved.
Sums = tuple[int, int, int]
Counts = dict[tuple[int, str, str], Sums]


def named(agent: str) -> str:
    """An agent's name as it is kept: on one line, without secrets."""
    name = " ".join(agent.split())[:_LONGEST_NAME]
    if len(name) <= _SHORT and name.replace("-", "").isalnum():
        return name
    from gitmem.store.db import redaction_gate  # noqa: PLC0415 - the rules are not for those who only read

    return redaction_gate.clean(name)


def line(day: int, agent: str, what: str, n: int, tokens: int, saved: int) -> bytes:
    """One line of the spool. The agent may be named with blanks; a line cut off lacks its end."""
    text = f"{day} {what} {n} {tokens} {saved} {named(agent)};\n"
    return text.encode("utf-8", "replace")


def append(store: str, lines: bytes) -> None:
    """Add to the spool of the store at this path. Raises OSError; says nothing where it is full."""
    spool = os.open(store + preflight.USAGE, _WRITE, 0o600)
    try:
        if os.fstat(spool).st_size < LARGEST:
            # Begins with a line's end: a disk that was full may have cut off the line before.
            os.write(spool, b"\n" + lines)
    finally:
        os.close(spool)


def fold(database: Database, *, now: int, pid: int) -> int:
    """Add up what is noted, and forget days long past; the number of lines that made sense.

    ``now`` (milliseconds) and ``pid`` name the file that is set aside. Raises OSError, StoreBusy,
    ReadOnly: then nothing is counted yet and nothing lost.
    """
    oldest = now // DAY_MS - KEPT_DAYS
    first = database.value("SELECT min(day) FROM usage_days")
    nothing = not _files(database.path) and not os.path.lexists(database.path + preflight.USAGE)
    if nothing and (first is None or first >= oldest):
        return 0
    with database.write():
        known = _known(database)
        _set_aside(database.path, now, pid, known)
        counts: Counts = {}
        read: dict[str, int] = {}
        lines = 0
        for path in _files(database.path):
            key = _key(path)
            content = _whole_lines(path, known.get(key, 0))
            # All of it was counted by a transaction before this one.
            if not content and _is_over(key, now) and _removed(path):
                continue
            read[key] = known.get(key, 0) + len(content)
            lines += add_up(content, counts)
        _add(database, counts)
        _note_read(database, known, read)
        database.run("DELETE FROM usage_days WHERE day < ?", (oldest,))
    return lines


def waiting(database: Database) -> Counts:
    """What is noted and not added up yet."""
    known = _known(database)
    counts: Counts = {}
    for path in (*_files(database.path), database.path + preflight.USAGE):
        add_up(_whole_lines(path, known.get(_key(path), 0)), counts)
    return counts


def since(database: Database, day: int, *, more: bool = False) -> dict[str, dict[str, Sums]]:
    """By agent and what: how often, tokens and tokens saved, from a day on.

    With ``more`` what waits is added, for those who cannot write or would have to wait.
    """
    with database.connection:  # one view of the table and of how far the files are in it
        rows = database.rows(
            "SELECT agent, what, sum(n), sum(tokens), sum(saved) FROM usage_days WHERE day >= ? "
            "GROUP BY agent, what",
            (day,),
        )
        waits = waiting(database) if more else {}
    rows += [(agent, what, *sums) for (on, agent, what), sums in waits.items() if on >= day]
    found: dict[str, dict[str, Sums]] = {}
    for agent, what, *sums in rows:
        own = found.setdefault(agent, {})
        before = own.get(what, (0, 0, 0))
        own[what] = (before[0] + sums[0], before[1] + sums[1], before[2] + sums[2])
    return found


def sessions(database: Database, at: int) -> dict[str, int]:
    """By agent how many sessions were started from a moment on (milliseconds)."""
    return dict(
        database.rows(
            "SELECT agent, count(*) FROM sessions WHERE started_at >= ? GROUP BY agent", (at,)
        )
    )


def add_up(content: bytes, counts: Counts) -> int:
    """Add whole lines to ``counts``; how many made sense. Any program may have written there."""
    made_sense = 0
    for text in content.splitlines():
        words = text.removesuffix(b";").split(b" ", 5)
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
        made_sense += 1
    return made_sense


def _add(database: Database, counts: Counts) -> None:
    database.connection.executemany(
        "INSERT INTO usage_days (day, agent, what, n, tokens, saved) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (day, agent, what) DO UPDATE SET n = n + excluded.n, "
        "tokens = tokens + excluded.tokens, saved = saved + excluded.saved",
        [(day, named(agent), what, *sums) for (day, agent, what), sums in counts.items()],
    )


def _known(database: Database) -> dict[str, int]:
    """How far each file that was set aside is read, by its key."""
    kept = database.value("SELECT value FROM meta WHERE key = ?", (_META,)) or ""
    pairs = [word.partition(":") for word in kept.split()]
    return {key: int(end) for key, _, end in pairs if end.isdigit()}


def _note_read(database: Database, known: dict[str, int], read: dict[str, int]) -> None:
    if read == known:
        return
    value = " ".join(f"{key}:{end}" for key, end in read.items())
    database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_META, value))


def _set_aside(store: str, now: int, pid: int, known: dict[str, int]) -> None:
    """Give the spool a name of its own, so that writers begin a new one."""
    spool = store + preflight.USAGE
    if not os.path.isfile(spool) or os.path.islink(spool):
        return
    taken = {*known, *map(_key, _files(store))}
    while (key := f"{now:015d}-{pid}") in taken:
        now += 1
    os.rename(spool, f"{spool}.{key}{_WORK}")


def _files(store: str) -> list[str]:
    """What was set aside and not yet forgotten, oldest first."""
    folder, name = os.path.split(store)
    begin = name + preflight.USAGE + "."
    with os.scandir(folder) as entries:
        # Never a link, and no pipe, which would make the reader wait.
        names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    found = [os.path.join(folder, n) for n in names if n.startswith(begin) and n.endswith(_WORK)]
    return sorted(path for path in found if _key(path).partition("-")[0].isdecimal())


def _key(path: str) -> str:
    """The part of a file's name that tells when it was set aside, and by whom."""
    return path.removesuffix(_WORK).rpartition(".")[2]


def _is_over(key: str, now: int) -> bool:
    """Whether nobody writes to the file any more, also where the clock went back since."""
    return abs(now - int(key.partition("-")[0])) > _LINGER


def _removed(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _whole_lines(path: str, start: int) -> bytes:
    """The lines of a file from ``start`` on that have an end; nothing where it cannot be read."""
    try:
        with open(os.open(path, _READ), "rb") as file:
            file.seek(start)
            content = file.read(4 * LARGEST)
    except OSError:
        return b""
    return content[: content.rfind(b"\n") + 1]
