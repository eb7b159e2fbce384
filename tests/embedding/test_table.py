"""The model file: what is packed is read back, and damage is told in a sentence."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding.builtin import TABLE
from gitmem.embedding.table import ModelTable
from gitmem.errors import Unavailable
from tests.bench.training.table_file import pack

HEADER = 80


def written(folder: Path, data: bytes) -> Path:
    path = folder / "table.bin"
    path.write_bytes(data)
    return path


def small() -> bytes:
    return pack([b"a", "é".encode(), b"##b"], [0.5, 1.0, 2.0], bytes(range(24)), 8)


def test_pieces_scales_and_rows_come_back(tmp_path: Path) -> None:
    table = ModelTable(written(tmp_path, small()))
    queries = [b"a", "é".encode(), b"##b", b"b", b""]
    assert [table.find_piece_number(piece) for piece in queries] == [0, 1, 2, -1, -1]
    scales, rows = zip(*table.scaled_rows(range(3)), strict=True)
    assert scales == (0.5, 1.0, 2.0)
    assert rows[1].tolist() == list(range(8, 16))
    del rows
    table.verify_checksum()
    table.close()


def test_rows_are_signed(tmp_path: Path) -> None:
    table = ModelTable(written(tmp_path, pack([b"a"], [1.0], b"\xff" * 8, 8)))
    ((_, row),) = table.scaled_rows([0])
    assert row.tolist() == [-1] * 8


@given(st.lists(st.binary(min_size=1, max_size=6), unique=True, min_size=1, max_size=300))
def test_every_piece_is_found_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("table")
    path = written(folder, pack(pieces, [1.0] * len(pieces), bytes(8 * len(pieces)), 8))
    table = ModelTable(path)
    assert [table.find_piece_number(piece) for piece in pieces] == list(range(len(pieces)))
    assert table.find_piece_number(b"longer than six") == -1


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "is empty"),
        (small()[:40], "is truncated"),
        (small()[:-1], "wrong length"),
        (small() + b"x", "wrong length"),
        (b"NOTAMODEL" + small()[9:], "not a model"),
        (small()[:8] + b"\x02" + small()[9:], "not a model"),
        (small()[:12] + b"\x09" + small()[13:], "damaged header"),
    ],
    ids=["empty", "cut in the header", "cut", "longer", "other file", "other version", "bit flip"],
)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path, data: bytes, text: str) -> None:
    with pytest.raises(Unavailable, match=text) as caught:
        ModelTable(written(tmp_path, data))
    assert caught.value.hint


def test_an_absent_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="is missing"):
        ModelTable(tmp_path / "no.bin")


def test_one_changed_byte_fails_the_checksum(tmp_path: Path) -> None:
    data = bytearray(small())
    data[random.Random(3).randrange(HEADER, len(data))] ^= 1
    table = ModelTable(written(tmp_path, bytes(data)))
    with pytest.raises(Unavailable, match="checksum"):
        table.verify_checksum()


def test_the_shipped_table_is_whole() -> None:
    table = ModelTable(TABLE)
    table.verify_checksum()
    assert table.dimension == 256
    assert table.pieces > 41_000
    assert Path(TABLE).stat().st_size < 12 * 1024 * 1024
