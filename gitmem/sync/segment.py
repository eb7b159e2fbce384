"""Segments: many records in one text, with a header that says who wrote them.

It is the form of a blob in git, and of a file of ``gitmem export --shared``. The header's seal is
made with the store's key (``store.db.seals``): by it a store recognises what it wrote itself, and
nobody else can.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from gitmem.errors import GitmemError, InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.store.db import seals
from gitmem.sync import record as records
from gitmem.sync.record import SyncRecord

TYPE = "gitmem-records"
_BYTES = 1 << 20
_TABLE = "records"
_NO_RECORDS = "The file contains no shared records of gitmem."


@dataclass(frozen=True, slots=True)
class SegmentProblem:
    """A record that was refused: its line number in the segment (from 1), and why."""

    line: int
    error: str


@dataclass(frozen=True, slots=True)
class RecordSegment:
    """A parsed segment, a text of many records: the valid ones, and the refused ones as problems.

    ``device`` and ``author`` are as its header names them; ``sealed`` says that this store wrote
    it.
    """

    device: str
    author: str
    sealed: bool
    records: tuple[SyncRecord, ...]
    problems: tuple[SegmentProblem, ...]


def make_segments(
    sync_records: Sequence[SyncRecord], *, device: str, author: str, seal_key: bytes
) -> list[bytes]:
    """Return records as texts of about a megabyte each: a header line, then a record a line.

    The header names ``device`` and ``author``, and has a seal made with ``seal_key``, the store's
    key, by which this store recognises the text as its own.
    """
    segments, lines, size = [], list[str](), 0
    for record in sync_records:
        line = records.record_as_line(record)
        if lines and size + len(line) > _BYTES:
            segments.append(_join(lines, device, author, seal_key))
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    return [*segments, _join(lines, device, author, seal_key)] if lines else segments


def _join(lines: Sequence[str], device: str, author: str, key: bytes) -> bytes:
    body = "".join(f"{line}\n" for line in lines).encode("utf-8")
    header = {"type": TYPE, "v": records.VERSION, "device": device, "author": author}
    seal = seals.make_seal(key, _TABLE, body).hex()
    return records.canonical_json({**header, "seal": seal}).encode("utf-8") + b"\n" + body


def parse_segment(content: bytes, seal_key: bytes, *, device: str = "") -> RecordSegment:
    """Return the records in a text that ``make_segments`` made; refused ones are in ``problems``.

    ``seal_key`` is this store's key, to recognise what it wrote itself. If ``device`` is given,
    records of other devices are refused. Raises InvalidInput if ``content`` is no such text.
    """
    first, _, body = content.partition(b"\n")
    header = _header(first)
    sender = str(header.get("device"))
    sealed = header.get("seal") == seals.make_seal(seal_key, _TABLE, body).hex()
    good, bad = list[SyncRecord](), list[SegmentProblem]()
    for number, line in _lines(body):
        try:
            record = records.parse_record_line(line)
        except GitmemError as error:
            bad.append(SegmentProblem(number, error.as_sentences()))
            continue
        if device and record.device != device:
            bad.append(SegmentProblem(number, "The shared record has the name of another device."))
        else:
            good.append(record)
    return RecordSegment(
        sender, str(header.get("author", ""))[:200], sealed, tuple(good), tuple(bad)
    )


def is_segment(text: str) -> bool:
    """Return whether a text begins with the header of a segment (see ``make_segments``)."""
    try:
        _header(text.partition("\n")[0].encode("utf-8", "surrogatepass"))
    except InvalidInput:
        return False
    return True


def _header(line: bytes) -> dict[str, object]:
    try:
        header = json.loads(line[:4096].decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(_NO_RECORDS) from error
    if not isinstance(header, dict) or header.get("type") != TYPE:
        raise InvalidInput(_NO_RECORDS)
    if header.get("v") != records.VERSION:
        raise InvalidInput(
            f"The shared records have the unknown version {str(header.get('v'))[:20]!r}.",
            "A newer gitmem wrote the records: upgrade gitmem here.",
        )
    return header


def _lines(body: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(body.split(b"\n"), 2):
        if line.strip():
            yield number, line
