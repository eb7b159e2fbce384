"""A small BERT sentence encoder in numpy.

Formula: Devlin et al. 2019 (BERT), post-layer-norm blocks. Texts of like length are read together;
weights become float32 once (42 MB), word vectors row by row as they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gitmem.embedding.base import SCALE
from gitmem.embedding.contextual_file import ContextualFile
from gitmem.embedding.wordpiece import split_words, word_piece_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.contextual_file import Array

# Word pieces that are read of a text, its frame of two included: as the teacher was trained.
LONGEST = 128
# No piece begins after these characters: a line of 50 MB must not take minutes.
_CHARACTERS = 12 * LONGEST
# Word pieces that are read together: more keep no core busier and need more memory.
_TOKENS = 2048
_REMEMBERED = 100_000
_EDGES = (b"[CLS]", b"[SEP]", b"[UNK]")


class BertEncoder:
    """A BERT model that makes vectors of texts, read from the file at ``path``."""

    def __init__(self, path: str) -> None:
        """Read the file; Unavailable when it is damaged."""
        file = ContextualFile(path)
        self.dimension = file.dimension
        self._heads = file.heads
        self._pieces = file.pieces
        self._words = file.matrices["words"]
        self._places = file.matrices["places"].decode_rows()
        self._norm = _Norm(file, "norm")
        names = (name for name in file.matrices if name.endswith(".output.dense.weight"))
        layers = {int(name.partition(".")[0]) for name in names}
        self._blocks = [_Block(file, f"{layer}.") for layer in sorted(layers)]
        self._edges = [self._pieces[edge] for edge in _EDGES]
        self._known: dict[str, list[int]] = {}

    def token_ids(self, text: str) -> list[int]:
        """The numbers of a text's word pieces, at most 128, from that of [CLS] to that of [SEP]."""
        first, last, unknown = self._edges
        known = self._known
        if len(known) >= _REMEMBERED:
            known.clear()
        found: list[int] = []
        for word in split_words(text[:_CHARACTERS]):
            if word not in known:
                known[word] = word_piece_ids(word, self._find) or [unknown]
            found += known[word]
        return [first, *found[: LONGEST - 2], last]

    def _find(self, piece: bytes) -> int:
        return self._pieces.get(piece, -1)

    def quantised_vectors(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts as signed bytes, in order (see ``base.quantise_vector``)."""
        near = np.rint(self.unit_vectors(texts) * np.float32(SCALE)).astype(np.int8)
        return [row.tobytes() for row in near]

    def unit_vectors(self, texts: Sequence[str]) -> Array:
        """The vectors of texts as a float32 matrix, a row of unit length for each text."""
        lists = [self.token_ids(text) for text in texts]
        order = sorted(range(len(lists)), key=lambda place: len(lists[place]))
        found = np.zeros((len(lists), self.dimension), dtype=np.float32)
        while order:
            count = max(1, _TOKENS // len(lists[order[0]]))
            # Padding costs as much as text: a batch ends where lengths have grown by a quarter.
            longest = len(lists[order[0]]) * 5 // 4
            chosen = [place for place in order[:count] if len(lists[place]) <= longest]
            order = order[len(chosen) :]
            found[chosen] = self._encoded([lists[place] for place in chosen])
        return found

    def _encoded(self, lists: Sequence[Sequence[int]]) -> Array:
        lengths = np.array([len(tokens) for tokens in lists])
        ids = np.zeros((len(lists), lengths.max()), dtype=np.int32)
        for row, tokens in enumerate(lists):
            ids[row, : len(tokens)] = tokens
        mask: Array = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.float32)
        # Each different piece is unpacked once.
        different, at = np.unique(ids, return_inverse=True)
        rows = self._words.decode_rows(different)[at.reshape(ids.shape)]
        state = self._norm(rows + self._places[: ids.shape[1]])
        barred = ((mask - 1) * np.float32(1e4))[:, None, None, :]
        for block in self._blocks:
            state = block(state, barred, self._heads)
        mean: Array = (mask[:, None, :] @ state)[:, 0]
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        return mean


class _Linear:
    """x -> x W' + b, of several matrices side by side."""

    def __init__(self, file: ContextualFile, *names: str) -> None:
        parts = [file.matrices[f"{name}.weight"].decode_rows() for name in names]
        self._weight = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self._bias = np.concatenate([file.tensors[f"{name}.bias"] for name in names])

    def __call__(self, x: Array) -> Array:
        made: Array = x @ self._weight.T
        made += self._bias
        return made


class _Norm:
    """Layer normalisation; changes what it is given."""

    def __init__(self, file: ContextualFile, name: str) -> None:
        self._weight, self._bias = file.tensors[f"{name}.weight"], file.tensors[f"{name}.bias"]

    def __call__(self, x: Array) -> Array:
        x -= x.mean(axis=-1, keepdims=True)
        spread = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
        x /= np.sqrt(spread + np.float32(1e-12))
        x *= self._weight
        x += self._bias
        return x


class _Block:
    """A layer: every token looks at all others, then at itself."""

    def __init__(self, file: ContextualFile, at: str) -> None:
        look = (f"{at}attention.self.{name}" for name in ("query", "key", "value"))
        self._look = _Linear(file, *look)
        self._mix = _Linear(file, f"{at}attention.output.dense")
        self._mixed = _Norm(file, f"{at}attention.output.LayerNorm")
        self._widen = _Linear(file, f"{at}intermediate.dense")
        self._narrow = _Linear(file, f"{at}output.dense")
        self._done = _Norm(file, f"{at}output.LayerNorm")

    def __call__(self, state: Array, barred: Array, heads: int) -> Array:
        """(texts, tokens, width) to the same; ``barred`` is far below zero where no token is."""
        texts, length, width = state.shape
        flat = state.reshape(-1, width)
        apart = self._look(flat).reshape(texts, length, 3, heads, -1).transpose(2, 0, 3, 1, 4)
        query, key, value = apart
        weight = query @ key.transpose(0, 1, 3, 2)
        weight *= np.float32((width // heads) ** -0.5)
        weight += barred
        weight -= weight.max(axis=-1, keepdims=True)
        np.exp(weight, out=weight)
        weight /= weight.sum(axis=-1, keepdims=True)
        attended = (weight @ value).transpose(0, 2, 1, 3).reshape(-1, width)
        flat = self._mixed(self._mix(attended) + flat)
        flat = self._done(self._narrow(_gelu(self._widen(flat))) + flat)
        return flat.reshape(state.shape)


def _gelu(x: Array) -> Array:
    """The tanh form (Hendrycks and Gimpel 2016), within 0.001 of the exact one."""
    inner = x * x
    inner *= np.float32(0.044715 * 0.7978845608)
    inner += np.float32(0.7978845608)
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return inner
