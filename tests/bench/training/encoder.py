"""The teacher: a small BERT sentence encoder read from a safetensors file and run in numpy.

Enough of BERT for the all-MiniLM family and nothing more: no torch, so anybody with numpy can
make the table again. Formula: Devlin et al. 2019 (BERT), post-layer-norm blocks, exact gelu;
sentence vector = mean over the tokens' last hidden states.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gitmem.errors import InvalidInput

Array = NDArray[np.float32]
CLS, SEP = 101, 102
_KINDS = {"F32": "<f4", "F16": "<f2"}


def read_safetensors(path: Path) -> dict[str, Array]:
    """Every float tensor of the file as float32, by name; InvalidInput when it is no such file."""
    raw = path.read_bytes()
    if len(raw) < 8 or (size := struct.unpack_from("<Q", raw)[0]) > len(raw) - 8:
        raise InvalidInput(f"{path} is not a safetensors file.")
    tensors: dict[str, Array] = {}
    for name, about in json.loads(raw[8 : 8 + size]).items():
        kind = _KINDS.get(about.get("dtype", ""))
        if kind is None:
            continue
        begin, end = about["data_offsets"]
        values = np.frombuffer(raw[8 + size + begin : 8 + size + end], dtype=kind)
        tensors[name.removeprefix("bert.")] = values.reshape(about["shape"]).astype(np.float32)
    return tensors


class Encoder:
    """Mean-pooled sentence vectors of token sequences; one length per call, so no padding."""

    def __init__(self, tensors: dict[str, Array], heads: int = 12) -> None:
        self.tensors = tensors
        self.heads = heads
        self.layers = 1 + max(
            int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer.")
        )

    def encode(self, ids: NDArray[np.int64]) -> Array:
        """(batch, length) token ids, [CLS] and [SEP] included -> (batch, hidden) mean vectors."""
        words = self.tensors["embeddings.word_embeddings.weight"][ids]
        places = self.tensors["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = self.tensors["embeddings.token_type_embeddings.weight"][0]
        state = self._norm(words + places + kind, "embeddings.LayerNorm")
        for layer in range(self.layers):
            state = self._block(state, f"encoder.layer.{layer}.")
        mean: Array = state.mean(axis=1)
        return mean

    def _block(self, state: Array, at: str) -> Array:
        attended = self._linear(self._attention(state, at), at + "attention.output.dense")
        state = self._norm(state + attended, at + "attention.output.LayerNorm")
        wide = _gelu(self._linear(state, at + "intermediate.dense"))
        return self._norm(state + self._linear(wide, at + "output.dense"), at + "output.LayerNorm")

    def _attention(self, state: Array, at: str) -> Array:
        batch, length, hidden = state.shape

        def heads(name: str) -> Array:
            flat = self._linear(state, at + "attention.self." + name)
            apart: Array = flat.reshape(batch, length, self.heads, -1).transpose(0, 2, 1, 3)
            return apart

        query, key, value = heads("query"), heads("key"), heads("value")
        score = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(hidden // self.heads))
        score = np.exp(score - score.max(axis=-1, keepdims=True))
        score /= score.sum(axis=-1, keepdims=True)
        mixed: Array = (score @ value).transpose(0, 2, 1, 3).reshape(batch, length, hidden)
        return mixed

    def _linear(self, state: Array, name: str) -> Array:
        weight, bias = self.tensors[name + ".weight"], self.tensors[name + ".bias"]
        flat: Array = state.reshape(-1, state.shape[-1]) @ weight.T + bias
        result: Array = flat.reshape(*state.shape[:-1], -1)
        return result

    def _norm(self, state: Array, name: str) -> Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        normal: Array = centred / spread
        return normal * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]


def token_vectors(encoder: Encoder, count: int, batch: int = 256) -> Array:
    """(count, hidden): the sentence vector of each vocabulary token standing alone."""
    parts = []
    for start in range(0, count, batch):
        ids = np.arange(start, min(count, start + batch))
        edge = np.ones_like(ids)
        parts.append(encoder.encode(np.stack([edge * CLS, ids, edge * SEP], axis=1)))
    return np.concatenate(parts)


def _gelu(x: Array) -> Array:
    """x * Phi(x), with Abramowitz and Stegun's 7.1.26 for erf (error below 1.5e-7)."""
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    poly = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1 - poly * np.exp(-z * z))
    half: Array = (0.5 * x * (1 + erf)).astype(np.float32)
    return half
