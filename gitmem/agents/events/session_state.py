"""What was done and told in a session of an agent, kept in small files beside the store.

Two hosts may read one hook file, so two processes are asked the same thing at once, and neither may
wait for a lock. Whoever creates a file first has the say: creating it is atomic, and it is found by
those who come later. The files are few, small and old ones are removed; a lost one costs no more
than telling something twice.
"""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = "hooks-seen"
KEPT_MS = 7 * 24 * 3_600_000
MOST_FILES = 600
MOST_TOLD = 64 << 10  # bytes of one session's list
# Nothing is followed, and nobody waits for a pipe.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
# The claims after which old files are removed; hosts that tell of no start make the second only.
_PRUNES = ("start", "drain")
_SECRET = "secret"
_SECRET_SIZE = 32
_JUST_NOW = 1 << 62
_LARGEST_STATE = 4096


def claim(
    folder: str,
    session_key: str,
    what: str,
    now: int,
    *,
    every: int | None = None,
    blind: bool = False,
) -> bool:
    """Whether the caller is the first to do ``what`` in this session; True for one of many.

    With ``every`` milliseconds it may be done again that long after it was last done. ``now`` is in
    milliseconds since the epoch. ``blind`` is the answer where nothing can be written down.
    """
    try:
        _enter(folder)
        last, at = _last(folder, session_key, what)
        if last >= 0 and not _is_over(at, now, every):
            return False
        # Numbered, so that of those who saw the same last one only one makes the next.
        path = os.path.join(folder, f"{_stem(session_key, what)}.{last + 1}")
        _create(path, f"{now}\n".encode())
    except FileExistsError:
        return False
    except OSError:
        return blind
    if last >= 0:
        _unlink(os.path.join(folder, f"{_stem(session_key, what)}.{last}"))
    elif what in _PRUNES:
        prune(folder, now)
    return True


def free(folder: str, session_key: str, what: str, now: int, *, every: int | None = None) -> bool:
    """Whether ``claim`` could be the first: a quick look before the work that it is about."""
    try:
        last, at = _last(folder, session_key, what)
    except OSError:
        return True
    return last < 0 or _is_over(at, now, every)


def _is_over(at: int, now: int, every: int | None) -> bool:
    """Whether what was done at a time may be done again; also of a time that is far ahead.

    A clock that went back must not keep all silent for as long as it was ahead.
    """
    return every is not None and at != _JUST_NOW and abs(now - at) >= every


def release(folder: str, session_key: str, what: str) -> bool:
    """Let it be claimed again; True for the one of many callers that released it."""
    with suppress(OSError):
        last, _ = _last(folder, session_key, what)
        if last >= 0:
            os.unlink(os.path.join(folder, f"{_stem(session_key, what)}.{last}"))
            return True
    return False


def count(folder: str, what: str) -> int:
    """In how many sessions of the last days ``what`` was claimed."""
    with suppress(OSError):
        parts = [name.rsplit(".", 2) for name in os.listdir(folder)]
        return sum(len(one) == 3 and one[1] == what and one[2].isdecimal() for one in parts)
    return 0


def told(folder: str, session_key: str) -> frozenset[str]:
    """The ids of what this session was shown."""
    content = _beginning(_told(folder, session_key), MOST_TOLD + 1)
    return frozenset(content.decode("ascii", "replace").split("\n")[:-1])


def tell(folder: str, session_key: str, ids: Iterable[str]) -> None:
    """Note that this session was shown these; never raises."""
    lines = "".join(f"{one}\n" for one in ids if one.isascii() and one.isalnum())
    if not lines:
        return
    with suppress(OSError):
        _enter(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_LINK
        handle = os.open(_told(folder, session_key), flags, 0o600)
        try:
            if os.fstat(handle).st_size < MOST_TOLD:
                os.write(handle, lines.encode())
        finally:
            os.close(handle)


def forget(folder: str, session_key: str) -> None:
    """After a compaction: all may be told again."""
    _unlink(_told(folder, session_key))


def keep(folder: str, session_key: str, state: dict[str, str]) -> None:
    """Keep a few words of this session's own, in place of those kept before; never raises."""
    lines = "".join(f"{name}={value}\n" for name, value in state.items() if "\n" not in value)
    _write(folder, session_key, "state", lines)


def kept(folder: str, session_key: str) -> dict[str, str]:
    """What ``keep`` kept; empty where there is nothing."""
    content = _read(folder, session_key, "state")
    pairs = (line.partition("=") for line in content.split("\n") if "=" in line)
    return {name: value for name, _, value in pairs}


def put_off(folder: str, session_key: str, text: str) -> None:
    """Keep a text for later in this session, below those that wait; never raises.

    What would make them longer than a state may be is dropped: newer things will be said.
    """
    kept = _read(folder, session_key, "later")
    if len(kept) + len(text.encode("utf-8", "replace")) < _LARGEST_STATE:
        _write(folder, session_key, "later", "\n".join(filter(None, (kept, text))))


def waiting(folder: str, session_key: str) -> str:
    """What was put off in this session, once; empty where there is nothing."""
    text = _read(folder, session_key, "later")
    if text:
        _unlink(os.path.join(folder, _name(session_key) + ".later"))
    return text


def _write(folder: str, session_key: str, what: str, text: str) -> None:
    path = os.path.join(folder, f"{_name(session_key)}.{what}")
    with suppress(OSError):
        _enter(folder)
        _unlink(path)
        _create(path, text.encode("utf-8", "replace"))


def _read(folder: str, session_key: str, what: str) -> str:
    """The beginning of a small file of this session's; empty where there is none."""
    path = os.path.join(folder, f"{_name(session_key)}.{what}")
    return _beginning(path, _LARGEST_STATE).decode("utf-8", "replace")


def _beginning(path: str, most: int) -> bytes:
    """The first bytes of a file; empty where there is none that can be read."""
    with suppress(OSError), os.fdopen(os.open(path, os.O_RDONLY | _NO_LINK), "rb") as file:
        return file.read(most)
    return b""


def delimiter(folder: str, session_key: str, entropy: Callable[[int], bytes]) -> str:
    """The delimiter of frames in this session: 16 letters and digits that nobody can guess.

    The same each time, so that the same state gives the same bytes and a host's prompt cache
    holds: made of the session and of a secret that never leaves ``folder``.
    """
    secret = _secret(folder, entropy)
    from gitmem.text.digest import blake2b  # noqa: PLC0415 - only when something is said

    digest = blake2b(session_key.encode("utf-8", "replace"), key=secret, digest_size=8)
    return digest.hexdigest()


def _secret(folder: str, entropy: Callable[[int], bytes]) -> bytes:
    path = os.path.join(folder, _SECRET)
    fresh = entropy(_SECRET_SIZE)
    with suppress(OSError):
        _enter(folder)
        if kept := _kept_secret(path):
            return kept
        # Whole or not at all: what a full disk cut off would be in the way for ever.
        beside = f"{path}.{fresh[:8].hex()}"
        try:
            _create(beside, fresh)
            os.replace(beside, path)
        except OSError:
            _unlink(beside)
            raise
        return _kept_secret(path) or fresh  # another one may have been quicker
    return fresh  # nothing can be kept here: other bytes each time, as safe


def _kept_secret(path: str) -> bytes:
    """The secret that is kept; empty where none is, or only a part of one."""
    kept = _beginning(path, _SECRET_SIZE)
    return kept if len(kept) == _SECRET_SIZE else b""


def prune(folder: str, now: int) -> None:
    """Remove what is older than a week, and the oldest of too many files."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name != _SECRET and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    found.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
    found.sort()
    extra = max(0, len(found) - MOST_FILES)
    for place, (changed, path) in enumerate(found):
        if place < extra or now - changed // 1_000_000 > KEPT_MS:
            _unlink(path)


def _enter(folder: str) -> None:
    """The folder, made if needed; its parent has to be there. Raises OSError."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        return
    if os.path.islink(folder):
        raise NotADirectoryError(folder)


def _last(folder: str, session_key: str, what: str) -> tuple[int, int]:
    """The number and the time of the last claim; -1 where there was none."""
    start = _stem(session_key, what) + "."
    numbers = [
        int(name[len(start) :])
        for name in os.listdir(folder)
        if name.startswith(start) and name[len(start) :].isdecimal()
    ]
    if not numbers:
        return -1, 0
    path = os.path.join(folder, f"{start}{max(numbers)}")
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK)
    except FileNotFoundError:
        return max(numbers), _JUST_NOW  # somebody made the next one meanwhile
    with os.fdopen(handle, "rb") as file:
        said = file.read(32).strip()
        # Empty: its maker is about to write the time, or was killed before it could.
        at = int(said) if said.isdigit() else os.fstat(handle).st_mtime_ns // 1_000_000
    return max(numbers), at


def _create(path: str, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
    try:
        if os.write(handle, content) < len(content):
            raise OSError("a part of it was written")
    finally:
        os.close(handle)


def _stem(session_key: str, what: str) -> str:
    return f"{_name(session_key)}.{what}"


def _told(folder: str, session_key: str) -> str:
    return os.path.join(folder, _name(session_key) + ".told")


def _name(session_key: str) -> str:
    """A file name for a session: its id where every file system takes it as it is."""
    if 8 <= len(session_key) <= 100 and _SAFE.issuperset(session_key):
        return session_key
    from gitmem.text.digest import blake2b  # noqa: PLC0415 - most ids are names already

    return blake2b(session_key.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
