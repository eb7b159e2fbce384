"""Writing the file of a contextual model; ``gitmem.embedding.contextual_file`` reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from zlib import crc32

import numpy as np

from gitmem.embedding.contextual_file import GROUP
from gitmem.embedding.contextual_header import HEADER, MAGIC, VERSION
from tests.bench.training.encoder import Array

HEADS = 12
# Smaller matrices gain nothing from four bits.
_LARGE = 100_000


def rounded(weight: Any) -> bool:
    """Whether a tensor is stored in less than 32 bits a value: every matrix is."""
    return bool(weight.ndim == 2)


def pack(weights: Mapping[str, Array], vocabulary: Sequence[str], bits: int = 4) -> bytes:
    """The file; large matrices at ``bits`` (4 or 8) a value, small ones at 8."""
    listing, parts = [], []
    for name, weight in sorted(weights.items()):
        kind = (8 if weight.size < _LARGE else bits) if rounded(weight) else 32
        listing.append(" ".join(map(str, [name, kind, *weight.shape])))
        parts.append({4: _nibbles, 8: _bytes, 32: _floats}[kind](weight))
    about, words = "\n".join(listing).encode(), "\n".join(vocabulary).encode()
    body = about + words + b"".join(parts)
    sizes = (weights["words"].shape[1], HEADS, len(about), len(words))
    head = HEADER.pack(MAGIC, VERSION, *sizes, sha256(body).digest(), 0)[:-4]
    return head + crc32(head).to_bytes(4, "little") + body


def _floats(weight: Array) -> bytes:
    return weight.astype("<f4").tobytes()


def _bytes(weight: Array) -> bytes:
    scale = (np.abs(weight).max(axis=1) / 127 + 1e-12).astype("<f4")
    near = np.clip(np.rint(weight / scale[:, None]), -127, 127).astype("i1")
    return bytes(near.tobytes() + scale.tobytes())


def _nibbles(weight: Array) -> bytes:
    """Each group's scale is the one of five that loses least: clipping the largest often does."""
    groups = weight.reshape(-1, GROUP)
    most = np.abs(groups).max(axis=1, keepdims=True) + 1e-6
    least = np.full(len(groups), np.inf)
    values = np.zeros(groups.shape, dtype=np.int8)
    scales = np.zeros((len(groups), 1), dtype="<f2")
    for share in (1.0, 0.93, 0.86, 0.8, 0.74):
        scale = (most * share / 7).astype("<f2")
        near = np.clip(np.rint(groups / scale.astype(np.float32)), -8, 7)
        lost = ((near * scale.astype(np.float32) - groups) ** 2).sum(axis=1)
        better = lost < least
        least[better], values[better], scales[better] = lost[better], near[better], scale[better]
    halves = (values.reshape(-1, 2) + 8).astype(np.uint8)
    packed: bytes = (halves[:, 0] | halves[:, 1] << 4).tobytes()
    return packed + scales.tobytes()
