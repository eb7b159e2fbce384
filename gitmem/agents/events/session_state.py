"""Small files beside the store: what each agent session claimed and was shown.

Two hosts may run one hook file, so two processes get the same event at once, and neither may wait
for a lock. Creating a file is atomic: the process that creates it first has the claim. Old files
are removed; a lost file costs no more than showing something twice.
"""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = "hooks-seen"
EDITED = "unreviewed"  # claimed at an edit, released by the review at the end of a turn
RETENTION_MS = 7 * 24 * 3_600_000
MOST_FILES = 600
MOST_SHOWN = 64 << 10  # bytes of one session's list
# Links are not followed, and opening a pipe does not block.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
# The claims that remove old files; hosts without a start event make only the second.
_PRUNES = ("start", "drain")
_SECRET = "secret"
_SECRET_SIZE = 32
_JUST_NOW = 1 << 62
_LARGEST_STATE = 4096


def acquire_claim(
    folder: str,
    session_key: str,
    claim_name: str,
    now_ms: int,
    *,
    interval_ms: int | None = None,
    result_if_unwritable: bool = False,
) -> bool:
    """Claim ``claim_name`` for this session; True for exactly one of several processes that try.

    A claim is for ever, or may be made again ``interval_ms`` milliseconds after the last.
    ``folder`` and ``session_key`` are from ``session_state_folder_and_key``, ``now_ms`` is in
    milliseconds since 1970. ``result_if_unwritable`` is returned if no file can be written.
    """
    try:
        _make_folder(folder)
        last, at = _last_claim(folder, session_key, claim_name)
        if last >= 0 and not _is_over(at, now_ms, interval_ms):
            return False
        # Numbered: of the callers that read the same last claim only one creates the next.
        path = os.path.join(folder, f"{_stem(session_key, claim_name)}.{last + 1}")
        _create(path, f"{now_ms}\n".encode())
    except FileExistsError:
        return False
    except OSError:
        return result_if_unwritable
    if last >= 0:
        _unlink(os.path.join(folder, f"{_stem(session_key, claim_name)}.{last}"))
    elif claim_name in _PRUNES:
        remove_old_session_files(folder, now_ms)
    return True


def is_claim_available(
    folder: str, session_key: str, claim_name: str, now_ms: int, *, interval_ms: int | None = None
) -> bool:
    """Whether ``acquire_claim`` with the same arguments would probably be True; claims nothing."""
    try:
        last, at = _last_claim(folder, session_key, claim_name)
    except OSError:
        return True
    return last < 0 or _is_over(at, now_ms, interval_ms)


def _is_over(at: int, now: int, every: int | None) -> bool:
    """Whether a claim made ``at`` has expired; also one far in the future.

    After a clock was set back, its old claims must not silence the hooks until it catches up.
    """
    return every is not None and at != _JUST_NOW and abs(now - at) >= every


def release_claim(folder: str, session_key: str, claim_name: str) -> bool:
    """Give a claim up, so that it can be made again; True for the one process that did."""
    with suppress(OSError):
        last, _ = _last_claim(folder, session_key, claim_name)
        if last >= 0:
            os.unlink(os.path.join(folder, f"{_stem(session_key, claim_name)}.{last}"))
            return True
    return False


def count_sessions_with_claim(folder: str, claim_name: str) -> int:
    """The number of sessions that have claimed ``claim_name`` in about the last week."""
    with suppress(OSError):
        parts = [name.rsplit(".", 2) for name in os.listdir(folder)]
        return sum(
            len(part) == 3 and part[1] == claim_name and part[2].isdecimal() for part in parts
        )
    return 0


def read_shown_ids(folder: str, session_key: str) -> frozenset[str]:
    """The ids of the memories that this session was shown, and hashes of other lines, as a set."""
    content = _read_beginning(_shown_path(folder, session_key), MOST_SHOWN + 1)
    return frozenset(content.decode("ascii", "replace").split("\n")[:-1])


def record_shown_ids(folder: str, session_key: str, ids: Iterable[str]) -> None:
    """Record that this session was shown memories (ids) and other lines (hashes); never raises."""
    lines = "".join(f"{id}\n" for id in ids if id.isascii() and id.isalnum())
    if not lines:
        return
    with suppress(OSError):
        _make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_LINK
        handle = os.open(_shown_path(folder, session_key), flags, 0o600)
        try:
            if os.fstat(handle).st_size < MOST_SHOWN:
                os.write(handle, lines.encode())
        finally:
            os.close(handle)


def forget_shown_ids(folder: str, session_key: str) -> None:
    """Forget what was shown in this session, since its context was compacted."""
    _unlink(_shown_path(folder, session_key))


def save_session_texts(folder: str, session_key: str, texts_by_name: dict[str, str]) -> None:
    """Save texts of one line (name -> text) for this session in place of all earlier ones.

    Never raises; texts with a line end are left out.
    """
    lines = "".join(
        f"{name}={value}\n" for name, value in texts_by_name.items() if "\n" not in value
    )
    _write(folder, session_key, "state", lines)


def load_session_texts(folder: str, session_key: str) -> dict[str, str]:
    """Name -> text, as ``save_session_texts`` saved it for this session; empty if it saved none."""
    content = _read(folder, session_key, "state")
    pairs = (line.partition("=") for line in content.split("\n") if "=" in line)
    return {name: value for name, _, value in pairs}


def defer_text(folder: str, session_key: str, text: str) -> None:
    """Keep a text for a later event of this session, below earlier ones; never raises.

    Dropped if all of them together would have 4 KB.
    """
    earlier = _read(folder, session_key, "later")
    if len(earlier) + len(text.encode("utf-8", "replace")) < _LARGEST_STATE:
        _write(folder, session_key, "later", "\n".join(filter(None, (earlier, text))))


def take_deferred_text(folder: str, session_key: str) -> str:
    """Return what is to be told at the session's next prompt and forget it; "" if there is nothing.

    ``folder`` holds the files of sessions, ``session_key`` names the session.
    """
    text = _read(folder, session_key, "later")
    if text:
        _unlink(os.path.join(folder, _file_name(session_key) + ".later"))
    return text


def _write(folder: str, session_key: str, what: str, text: str) -> None:
    path = os.path.join(folder, f"{_file_name(session_key)}.{what}")
    with suppress(OSError):
        _make_folder(folder)
        _unlink(path)
        _create(path, text.encode("utf-8", "replace"))


def _read(folder: str, session_key: str, what: str) -> str:
    """The beginning of one of this session's files; empty if there is none."""
    path = os.path.join(folder, f"{_file_name(session_key)}.{what}")
    return _read_beginning(path, _LARGEST_STATE).decode("utf-8", "replace")


def _read_beginning(path: str, most: int) -> bytes:
    """The first bytes of a file; empty if it cannot be read."""
    with suppress(OSError), os.fdopen(os.open(path, os.O_RDONLY | _NO_LINK), "rb") as file:
        return file.read(most)
    return b""


def quoted_text_delimiter(
    folder: str, session_key: str, make_random_bytes: Callable[[int], bytes]
) -> str:
    """16 hexadecimal digits that nobody can guess, to mark quoted text in this session.

    The same in the whole session. ``make_random_bytes`` returns that many random bytes, for a
    secret that is kept in ``folder``.
    """
    secret = _secret(folder, make_random_bytes)
    from gitmem.text.digest import blake2b  # noqa: PLC0415 - only when something is said

    digest = blake2b(session_key.encode("utf-8", "replace"), key=secret, digest_size=8)
    return digest.hexdigest()


def _secret(folder: str, entropy: Callable[[int], bytes]) -> bytes:
    path = os.path.join(folder, _SECRET)
    fresh = entropy(_SECRET_SIZE)
    with suppress(OSError):
        _make_folder(folder)
        if secret := _read_secret(path):
            return secret
        # Written whole or not at all: a part, left by a full disk, would stay for ever.
        beside = f"{path}.{fresh[:8].hex()}"
        try:
            _create(beside, fresh)
            os.replace(beside, path)
        except OSError:
            _unlink(beside)
            raise
        return _read_secret(path) or fresh  # another process may have been quicker
    return fresh  # the folder cannot be written: new bytes each time are as safe


def _read_secret(path: str) -> bytes:
    """The saved secret; empty if there is none or only a part of one."""
    secret = _read_beginning(path, _SECRET_SIZE)
    return secret if len(secret) == _SECRET_SIZE else b""


def remove_old_session_files(folder: str, now_ms: int) -> None:
    """Remove files of sessions older than a week, and the oldest beyond 600."""
    files = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name != _SECRET and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    files.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
    files.sort()
    extra = max(0, len(files) - MOST_FILES)
    for place, (changed, path) in enumerate(files):
        if place < extra or now_ms - changed // 1_000_000 > RETENTION_MS:
            _unlink(path)


def _make_folder(folder: str) -> None:
    """Make the folder if needed; its parent must exist. Raises OSError."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        return
    if os.path.islink(folder):
        raise NotADirectoryError(folder)


def _last_claim(folder: str, session_key: str, what: str) -> tuple[int, int]:
    """The number and the time (ms) of the last claim; -1 and 0 if there was none."""
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
        return max(numbers), _JUST_NOW  # another process made the next one meanwhile
    with os.fdopen(handle, "rb") as file:
        content = file.read(32).strip()
        # Empty: the process that created it has not written the time yet, or was killed.
        at = int(content) if content.isdigit() else os.fstat(handle).st_mtime_ns // 1_000_000
    return max(numbers), at


def _create(path: str, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
    try:
        if os.write(handle, content) < len(content):
            raise OSError("a part of it was written")
    finally:
        os.close(handle)


def _stem(session_key: str, what: str) -> str:
    return f"{_file_name(session_key)}.{what}"


def _shown_path(folder: str, session_key: str) -> str:
    return os.path.join(folder, _file_name(session_key) + ".told")


def _file_name(session_key: str) -> str:
    """The beginning of a session's file names: its id if it is a valid name, else a hash."""
    if 8 <= len(session_key) <= 100 and _SAFE.issuperset(session_key):
        return session_key
    from gitmem.text.digest import blake2b  # noqa: PLC0415 - most ids are names already

    return blake2b(session_key.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
