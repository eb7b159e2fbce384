"""Reading the records of a damaged SQLite file without SQLite.

SQLite stops at the first page it cannot follow, and on a badly damaged file it may crash. This
reads each page by itself, without header, schema or tree, and assumes nothing: an invalid page
holds no records, and the others are read.
https://www.sqlite.org/fileformat.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

PAGE = 4096  # the page size of all stores of gitmem; the header that says so may be damaged
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x0A, 0x02
_WHOLE_NUMBERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LOG_HEADER, _FRAME_HEADER = 32, 24
# No record of gitmem has as many columns.
_MOST_COLUMNS = 64

Value = str | bytes | int | float | None


class PageReader:
    """The pages of a database file's bytes, numbered from 1, with its write-ahead log applied."""

    def __init__(self, data: bytes, log: bytes = b"") -> None:
        self._data = data
        self._newer = dict(_committed(log)) if log else {}
        self.count = max(len(data) // PAGE, max(self._newer, default=0))

    def read_page(self, page_number: int) -> bytes:
        """The 4,096 bytes of a page, fewer at the end of a cut file; empty without such a page."""
        newer = self._newer.get(page_number)
        return self._data[(page_number - 1) * PAGE : page_number * PAGE] if newer is None else newer

    @property
    def has_committed_log_pages(self) -> bool:
        """Whether the write-ahead log has any committed page."""
        return bool(self._newer)


def read_table_and_index_records(pages: PageReader) -> Iterator[tuple[int | None, list[Value]]]:
    """Yield every readable record of tables and indexes as (row number, list of values).

    The row number is None in an index. A text that is not UTF-8 comes as bytes.
    """
    for number in range(1, pages.count + 1):
        page = pages.read_page(number)
        if len(page) == PAGE:
            yield from _of_page(pages, page, 100 if number == 1 else 0)


def _of_page(
    pages: PageReader, page: bytes, start: int
) -> Iterator[tuple[int | None, list[Value]]]:
    kind = page[start]
    if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER):
        return
    first = start + (12 if kind == _INDEX_INNER else 8)
    cells = int.from_bytes(page[start + 3 : start + 5], "big")
    for at in range(first, min(first + 2 * cells, PAGE - 1), 2):
        place = int.from_bytes(page[at : at + 2], "big")
        try:
            yield _cell(pages, page, place, kind)
        except (ValueError, IndexError, struct.error):
            continue  # this cell is gone; its neighbours may not be


def _cell(pages: PageReader, page: bytes, place: int, kind: int) -> tuple[int | None, list[Value]]:
    if kind == _INDEX_INNER:
        place += 4
    length, place = _number(page, place)
    row = None
    if kind == _TABLE_LEAF:
        row, place = _number(page, place)
    return row, _values(_payload(pages, page, place, length, table=kind == _TABLE_LEAF))


def _payload(pages: PageReader, page: bytes, place: int, length: int, *, table: bool) -> bytes:
    """The bytes of a record, those on overflow pages too. Raises ValueError."""
    most = PAGE - 35 if table else (PAGE - 12) * 64 // 255 - 23
    if length <= most:
        here = page[place : place + length]
        if len(here) < length:
            raise ValueError("a record that ends beyond its page")
        return here
    if length > pages.count * PAGE:
        raise ValueError("a record larger than the file")
    least = (PAGE - 12) * 32 // 255 - 23
    local = least + (length - least) % (PAGE - 4)
    local = local if local <= most else least
    parts = [page[place : place + local]]
    following = int.from_bytes(page[place + local : place + local + 4], "big")
    remaining = length - local
    while remaining > 0:
        more = pages.read_page(following) if following else b""
        if len(more) < PAGE:
            raise ValueError("a record whose end is missing")
        parts.append(more[4 : 4 + remaining])
        remaining -= PAGE - 4
        following = int.from_bytes(more[:4], "big")
    return b"".join(parts)


def _values(payload: bytes) -> list[Value]:
    """The values of a record. Raises ValueError."""
    end, at = _number(payload, 0)
    if end > len(payload):
        raise ValueError("a header longer than its record")
    kinds = []
    while at < end:
        kind, at = _number(payload, at)
        kinds.append(kind)
        if len(kinds) > _MOST_COLUMNS:
            raise ValueError("too many columns")
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload):
        raise ValueError("a record longer than its values")
    return values


def _value(payload: bytes, offset: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, offset
    if size := _WHOLE_NUMBERS.get(kind):
        return int.from_bytes(_cut(payload, offset, size), "big", signed=True), offset + size
    if kind == 7:
        return float(struct.unpack(">d", _cut(payload, offset, 8))[0]), offset + 8
    if kind in (8, 9):
        return kind - 8, offset
    if kind < 12:
        raise ValueError("a type that nobody writes")
    size = (kind - 12) // 2
    data = _cut(payload, offset, size)
    if kind % 2 == 0:
        return data, offset + size
    try:
        return data.decode(), offset + size
    except UnicodeDecodeError:
        return data, offset + size


def _cut(payload: bytes, offset: int, size: int) -> bytes:
    data = payload[offset : offset + size]
    if len(data) < size:
        raise ValueError("a value beyond the end of its record")
    return data


def _number(data: bytes, offset: int) -> tuple[int, int]:
    """A varint of one to nine bytes, and where it ends. Raises IndexError."""
    value = 0
    for place in range(offset, offset + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    value = value << 8 | data[offset + 8]
    return value - (1 << 64) if value >= 1 << 63 else value, offset + 9


def _committed(log: bytes) -> Iterator[tuple[int, bytes]]:
    """(number, page) of every page in a write-ahead log up to its last whole commit."""
    header = log[:_LOG_HEADER]
    if len(header) < _LOG_HEADER or header[:3] != b"\x37\x7f\x06" or header[3] not in (0x82, 0x83):
        return
    order = ">" if header[3] == 0x83 else "<"
    if int.from_bytes(header[8:12], "big") != PAGE:
        return
    total = _sum(header[:24], order, (0, 0))
    if total != struct.unpack(">II", header[24:32]):
        return
    waiting: list[tuple[int, bytes]] = []
    for at in range(_LOG_HEADER, len(log) - PAGE - _FRAME_HEADER + 1, PAGE + _FRAME_HEADER):
        frame = log[at : at + _FRAME_HEADER]
        page = log[at + _FRAME_HEADER : at + _FRAME_HEADER + PAGE]
        if frame[8:16] != header[16:24]:
            return
        total = _sum(page, order, _sum(frame[:8], order, total))
        if total != struct.unpack(">II", frame[16:24]):
            return
        waiting.append((int.from_bytes(frame[:4], "big"), page))
        if frame[4:8] != bytes(4):  # the last page of a commit
            yield from waiting
            waiting = []


def _sum(data: bytes, order: str, start: tuple[int, int]) -> tuple[int, int]:
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for left, right in zip(words[::2], words[1::2], strict=True):
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF
    return first, second
