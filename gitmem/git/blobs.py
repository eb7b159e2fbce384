"""Reading the content of blobs from git's object database, in large batches."""

from __future__ import annotations

import os

from gitmem.errors import Unavailable
from gitmem.git.display import encode_path
from gitmem.git.runner import call_git, run_git, stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BATCH_BYTES = 16 << 20
_BATCH_BLOBS = 2_000
_CHECK = "--batch-check=%(objectname) %(objectsize)"


def blob_sizes(cwd: str, blob_ids: Sequence[str]) -> dict[str, int]:
    """Blob id -> size in bytes, without the blobs that are not here (in a partial clone)."""
    try:
        lines = _ask(cwd, _CHECK, blob_ids).splitlines()
    except Unavailable:
        # Before 2.44 git always tries to fetch a missing object, and dies where it may not. It can
        # still list what is here.
        names = set(blob_ids)
        return {name: size for name, size in _sized(_all_lines(cwd)) if name in names}
    return dict(_sized(lines))


def _sized(lines: Iterable[bytes]) -> Iterator[tuple[str, int]]:
    for line in lines:
        name, _, size = line.decode("ascii").partition(" ")
        if size.isdigit():
            yield name, int(size)


def _all_lines(cwd: str) -> Iterator[bytes]:
    rest = b""
    args = ["cat-file", _CHECK, "--batch-all-objects", "--unordered", "--buffer"]
    for chunk in stream_git(args, cwd=cwd):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def read_file_at_head(cwd: str, path: str, *, max_bytes: int) -> bytes:
    """The bytes of a file in HEAD; empty if there is no such file.

    Raises Unavailable if it is larger than ``max_bytes`` bytes.
    """
    return read_file_at_revision(cwd, "HEAD", path, max_bytes=max_bytes)


def read_file_at_revision(cwd: str, revision: str, path: str, *, max_bytes: int) -> bytes:
    """The bytes of a file in a commit, or in the index if ``revision`` is ":"; empty if none.

    Raises Unavailable if it is larger than ``max_bytes`` bytes.
    """
    args = ["cat-file", "blob", os.fsdecode(encode_path(f"{revision.rstrip(':')}:{path}"))]
    done = call_git(args, cwd=cwd, timeout=1.0, max_bytes=max_bytes)
    return done.out if done.status == 0 else b""


def path_exists_at_revision(cwd: str, revision: str, path: str) -> bool:
    """Whether a commit, or the index if ``revision`` is ":", has a file or folder at ``path``."""
    name = os.fsdecode(encode_path(f"{revision.rstrip(':')}:{path}"))
    return call_git(["cat-file", "-e", name], cwd=cwd, timeout=1.0).status == 0


def read_blobs(cwd: str, sizes_by_blob_id: dict[str, int]) -> Iterator[tuple[str, bytes]]:
    """Yield (blob id, content) of each blob; ``sizes_by_blob_id`` comes from ``blob_sizes``."""
    batch: list[str] = []
    room = _BATCH_BYTES
    for blob, size in sizes_by_blob_id.items():
        if batch and (size > room or len(batch) >= _BATCH_BLOBS):
            yield from _read(cwd, batch)
            batch, room = [], _BATCH_BYTES
        batch.append(blob)
        room -= size
    if batch:
        yield from _read(cwd, batch)


def _read(cwd: str, blobs: list[str]) -> Iterator[tuple[str, bytes]]:
    out = _ask(cwd, "--batch=%(objectname) %(objectsize)", blobs)
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, _, size = out[at:end].decode("ascii").partition(" ")
        if not size.isdigit():  # "<id> missing"
            at = end + 1
            continue
        start = end + 1
        yield name, out[start : start + int(size)]
        at = start + int(size) + 1


def _ask(cwd: str, option: str, blobs: Sequence[str]) -> bytes:
    if not blobs:
        return b""
    lines = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    return run_git(
        ["cat-file", option, "--buffer"],
        cwd=cwd,
        stdin=lines,
        timeout=120.0,
        max_bytes=_BATCH_BYTES * 4,
    )
