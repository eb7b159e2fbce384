"""Quantised vectors: error bounds, sign bits, and the nearest of many (CC-3, CE-40)."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib.machinery import ModuleSpec
from math import inf, nan, sqrt
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding import base
from gitmem.embedding.base import (
    cosine,
    model_identity,
    nearest_by_sign_bits,
    quantise_vector,
    rank_by_cosine,
    sign_bits,
)
from gitmem.embedding.hashed import HashedEmbedder

VALUES = st.lists(st.floats(-1e3, 1e3, width=32), min_size=8, max_size=64)


def length(vector: bytes) -> float:
    return sqrt(sum(value * value for value in memoryview(vector).cast("b")))


def exact_cosine(first: list[float], other: list[float]) -> float:
    dot = sum(a * b for a, b in zip(first, other, strict=True))
    return dot / sqrt(sum(a * a for a in first)) / sqrt(sum(b * b for b in other))


def random_vectors(count: int, dimension: int = 64, seed: int = 1) -> list[bytes]:
    chance = random.Random(seed)
    return [quantise_vector([chance.gauss(0, 1) for _ in range(dimension)]) for _ in range(count)]


def vector_values(vector: bytes) -> list[int]:
    return memoryview(vector).cast("b").tolist()


@given(VALUES)
def test_each_quantised_value_is_off_by_half_a_step_at_most(values: list[float]) -> None:
    norm = sqrt(sum(value * value for value in values))
    stored = vector_values(quantise_vector(values))
    if norm == 0:
        assert not any(stored)
    else:
        assert all(
            abs(saved - 127 * value / norm) <= 0.5 + 1e-6
            for saved, value in zip(stored, values, strict=True)
        )


@given(VALUES.filter(lambda values: sum(value * value for value in values) > 1e-6))
def test_a_quantised_vector_is_127_long_within_its_rounding(values: list[float]) -> None:
    assert abs(length(quantise_vector(values)) - 127) <= 0.5 * sqrt(len(values)) + 1e-6


@given(st.integers(0, 10_000))
def test_the_cosine_of_quantised_vectors_is_close_to_the_exact_one(seed: int) -> None:
    chance = random.Random(seed)
    item = [chance.gauss(0, 1) for _ in range(256)]
    other = [a * 0.6 + chance.gauss(0, 1) for a in item]
    assert (
        abs(cosine(quantise_vector(item), quantise_vector(other)) - exact_cosine(item, other))
        < 0.02
    )


@pytest.mark.parametrize("values", [[0.0] * 8, [inf] + [0.0] * 7, [nan] + [0.0] * 7])
def test_a_vector_without_a_length_becomes_zeros_and_is_like_nothing(values: list[float]) -> None:
    empty = quantise_vector(values)
    assert empty == bytes(8)
    assert cosine(empty, quantise_vector([1.0] * 8)) == 0


def test_cosine_tells_same_opposite_and_unrelated_apart() -> None:
    item = quantise_vector([1.0, 2.0] * 8)
    assert cosine(item, item) == pytest.approx(1)
    assert cosine(item, quantise_vector([-1.0, -2.0] * 8)) == pytest.approx(-1)
    assert cosine(quantise_vector([1.0, 0.0] * 8), quantise_vector([0.0, 1.0] * 8)) == 0


@given(VALUES.map(lambda values: (values * 8)[: len(values) // 8 * 8]))
def test_a_bit_is_set_exactly_where_the_value_is_above_zero(values: list[float]) -> None:
    vector = quantise_vector(values)
    text = f"{int.from_bytes(sign_bits(vector), 'big'):0{len(vector)}b}"
    assert [mark == "1" for mark in text] == [value > 0 for value in vector_values(vector)]


@pytest.mark.parametrize("count", [1, 10, 500, 900])
def test_prefilter_gives_the_fewest_differing_bits_in_order(count: int) -> None:
    rows = [sign_bits(vector) for vector in random_vectors(700)]
    query = sign_bits(random_vectors(1, seed=2)[0])
    apart = [(int.from_bytes(a) ^ int.from_bytes(query)).bit_count() for a in rows]
    expected = sorted(range(700), key=lambda at: (apart[at], at))[:count]
    assert nearest_by_sign_bits(query, b"".join(rows), count) == expected


@pytest.mark.parametrize("dimension", [64, 256, 1024])
def test_prefilter_is_the_same_with_and_without_numpy(
    dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    packed = random.Random(1).randbytes(501 * dimension // 8)
    query = sign_bits(random_vectors(1, dimension, seed=2)[0])
    # One that differs in every bit: more than a byte can say.
    packed += bytes(255 - byte for byte in query)
    fast = nearest_by_sign_bits(query, packed, 502)
    assert fast[-1] == 501
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert nearest_by_sign_bits(query, packed, 502) == fast


def test_rescore_is_the_same_with_and_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    rows = [*enumerate(random_vectors(300, 256)), (300, bytes(256))]
    query = random_vectors(1, 256, seed=2)[0]
    fast = rank_by_cosine(query, rows, 301)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert rank_by_cosine(query, rows, 301) == fast
    assert dict(fast)[300] == 0


def test_a_vector_of_another_length_is_never_compared() -> None:
    query = random_vectors(1, 64, seed=2)[0]
    assert rank_by_cosine(query, [(1, bytes(32)), (2, query)], 5) == [(2, pytest.approx(1))]


def test_nothing_to_search_gives_nothing() -> None:
    query = random_vectors(1)[0]
    assert nearest_by_sign_bits(sign_bits(query), b"", 5) == []
    assert nearest_by_sign_bits(sign_bits(query), sign_bits(query), 0) == []


def test_rescore_is_the_exact_order_with_similarities() -> None:
    rows = list(enumerate(random_vectors(200)))
    query = random_vectors(1, seed=2)[0]
    expected = sorted(((key, cosine(query, v)) for key, v in rows), key=lambda pair: -pair[1])
    assert rank_by_cosine(query, rows, 20) == expected[:20]


def test_identity_names_provider_model_dimension_and_checksum() -> None:
    assert model_identity(HashedEmbedder(64)) == "hashed:words:64:1"


def test_importing_the_floor_brings_nothing_heavy() -> None:
    code = """
import sys
import gitmem.embedding.base, gitmem.embedding.builtin, gitmem.embedding.hashed
import gitmem.embedding.fastembed, gitmem.embedding.registry
heavy = {"numpy", "fastembed", "onnxruntime", "tokenizers", "typing", "json", "dataclasses",
         "pathlib", "unicodedata", "hashlib"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-I", "-c", PATH + code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


PATH = f"import sys; sys.path.insert(0, {str(Path(base.__file__).parents[2])!r})\n"


def test_numpy_that_another_thread_is_loading_is_not_there_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    half = ModuleType("numpy")
    half.__spec__ = ModuleSpec("numpy", None)
    monkeypatch.setitem(sys.modules, "numpy", half)
    assert base.numpy_if_loaded() is half
    monkeypatch.setattr(half.__spec__, "_initializing", True, raising=False)
    assert base.numpy_if_loaded() is None
