"""The second look at sign bits: what differs, weighed by the question."""

from __future__ import annotations

import sys

import pytest

from gitmem.embedding import weighted_bits
from gitmem.embedding.base import (
    cosine,
    nearest_by_sign_bits,
    quantise_vector,
    sign_bits,
)
from tests.embedding.test_base import random_vectors


def apart(query: bytes, row: bytes) -> int:
    values, own = memoryview(query).cast("b"), memoryview(row).cast("b")
    return sum(abs(a) for a, b in zip(values, own, strict=True) if (a > 0) != (b > 0))


@pytest.mark.parametrize("numpy", [True, False])
def test_the_rows_that_differ_least_in_order(numpy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if numpy:
        pytest.importorskip("numpy")
    else:
        monkeypatch.setitem(sys.modules, "numpy", None)
    query, *rows = random_vectors(501, 256)
    # One that differs wherever the question says anything: more than a byte can say; and equals.
    rows += [bytes(-byte & 255 for byte in query), rows[0], query]
    packed = b"".join(map(sign_bits, rows))
    expected = sorted(range(503), key=lambda at: apart(query, rows[at]))
    assert expected[0] == 502
    assert expected[-1] == 500
    for count in (1, 40, 503, 900):
        assert weighted_bits.nearest_by_weighted_bits(query, packed, count) == expected[:count]
    for nothing in (
        weighted_bits.nearest_by_weighted_bits(query, b"", 5),
        weighted_bits.nearest_by_weighted_bits(query, packed, 0),
    ):
        assert nothing == []


def test_a_question_of_few_large_values_is_weighed_as_well() -> None:
    query = quantise_vector([1.0, -1.0, 0.5, 1.0] + [0.0] * 4)
    rows = [
        quantise_vector([a, b, c, d, 0, 0, 0, 0])
        for a, b, c, d in ((1, -1, -1, 1), (1, 1, 1, 1), (-1, 1, -1, -1), (1, -1, 1, 1))
    ]
    packed = b"".join(map(sign_bits, rows))
    assert weighted_bits.nearest_by_weighted_bits(query, packed, 4) == [3, 0, 1, 2]
    largest = bytes([127, 129] * 4)
    assert weighted_bits.nearest_by_weighted_bits(largest, sign_bits(largest) + bytes(1), 2) == [
        0,
        1,
    ]


def test_weighing_brings_more_of_the_nearest_than_counting() -> None:
    """ML-14: of 300 rows, how many of the true ten nearest are among twenty; 8 questions."""
    rows = random_vectors(300, 256)
    packed = b"".join(map(sign_bits, rows))
    counted = weighed = 0
    for vector in random_vectors(8, 256, seed=2):
        best = set(sorted(range(300), key=lambda at: -cosine(vector, rows[at]))[:10])
        counted += len(best & set(nearest_by_sign_bits(sign_bits(vector), packed, 20)))
        weighed += len(best & set(weighted_bits.nearest_by_weighted_bits(vector, packed, 20)))
    assert weighed > 1.1 * counted
