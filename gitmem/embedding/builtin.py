"""The built-in model: each word piece has a vector, a text is their weighted sum.

No network, no numpy needed, nothing read that a query does not touch. Names are cut at case changes
first (``HTTPServer`` -> http, server), as the search index does. Repeated pieces count with the
square root of how often they come. The table is made by ``tests.bench.training``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from gitmem.embedding import wordpiece
from gitmem.embedding.base import SCALE, limit_numpy_to_one_thread, quantise_vector
from gitmem.embedding.table import ModelTable
from gitmem.text.identifiers import split_identifiers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

TABLE = __file__.removesuffix("builtin.py") + "data/static-256.bin"
# Longer texts are cut: a mean over more says nothing, and one 50 MB line must not take minutes.
LONGEST = 20_000
_WORD = re.compile(r"[\w\u0300-\u036f]+")
_LONGEST_WORD = 200
_REMEMBERED = 200_000
# Of more the rows leave the processor's cache.
_BATCH = 32
_WORTH_NUMPY = 128


class BuiltinEmbedder:
    """The built-in embedding model, a table of word vectors; the words used are cached."""

    provider = "builtin"

    def __init__(self, table: ModelTable | None = None) -> None:
        """Map the shipped table; Unavailable when it is damaged or absent."""
        self.table = table if table is not None else ModelTable(TABLE)
        self.model = "static"
        self.dimension = self.table.dimension
        self.checksum = self.table.checksum
        self._known: dict[str, tuple[int, ...]] = {}

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:  # noqa: ARG002
        """The vectors of texts as signed bytes, in order; ``is_query`` makes no difference.

        Give all texts at once, since batches are made here. A value may differ by one step with and
        without numpy.
        """
        numpy = _numpy_for(len(texts))
        if numpy is None:
            return [quantise_vector(self._sum(self.token_ids(text))) for text in texts]
        found: list[bytes] = []
        for start in range(0, len(texts), _BATCH):
            found += self._embed_many(numpy, texts[start : start + _BATCH])
        return found

    def token_ids(self, text: str) -> list[int]:
        """The numbers of a text's word pieces (words or their parts) in the table, with repeats."""
        names = _WORD.findall(text[:LONGEST])
        found = list(map(self._known.get, names))
        if None in found:
            known = dict(zip(names, found, strict=True))
            known |= self._learn([name for name, numbers in known.items() if numbers is None])
            found = [known[name] for name in names]
        return [number for numbers in found if numbers for number in numbers]

    def _learn(self, words: list[str]) -> dict[str, tuple[int, ...]]:
        """Word -> numbers of its pieces."""
        parts = [split_identifiers(word[:_LONGEST_WORD]) for word in words]
        learnt = dict(
            zip(
                words,
                wordpiece.piece_ids_of_texts(parts, self.table.find_piece_number),
                strict=True,
            )
        )
        self._known |= learnt
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        return learnt

    def _sum(self, numbers: list[int]) -> list[float]:
        """Sum of sqrt(count) * scale * row over the different pieces."""
        counts: dict[int, int] = {}
        for number in numbers:
            counts[number] = counts.get(number, 0) + 1
        total = [0.0] * self.dimension
        scaled = self.table.scaled_rows(counts)
        for count, (scale, row) in zip(counts.values(), scaled, strict=True):
            factor = count**0.5 * scale
            total = [a + factor * b for a, b in zip(total, row, strict=True)]
        return total

    def _embed_many(self, numpy: ModuleType, texts: Sequence[str]) -> list[bytes]:
        """The same sums over all texts: a row for each of a text's pieces, added up by text.

        No product of matrices: most of it would be zeros, and its threads burn another core.
        """
        lists = [self.token_ids(text) for text in texts]
        lengths = [len(numbers) for numbers in lists]
        flat = numpy.array([number for numbers in lists for number in numbers], "i8")
        # Numbers of pieces fit into 32 bits, so do those of the texts of a batch.
        at = numpy.repeat(numpy.arange(len(texts)) << 32, lengths) + flat
        pairs, counts = numpy.unique(at, return_counts=True)
        owners, numbers = pairs >> 32, pairs & ((1 << 32) - 1)
        rows = self._rows(numpy, numbers)
        rows *= numpy.sqrt(counts, dtype="f4")[:, None]
        sums = numpy.zeros((len(texts), self.dimension), dtype="f4")
        ends = numpy.searchsorted(owners, numpy.arange(len(texts) + 1)).tolist()
        for text, begin in enumerate(ends[:-1]):
            # A sixth of what one ``reduceat`` over all of them takes.
            numpy.add.reduce(rows[begin : ends[text + 1]], axis=0, out=sums[text])
        return self._quantised(numpy, sums)

    def _rows(self, numpy: ModuleType, numbers: NDArray[np.intp]) -> NDArray[np.float32]:
        scales, rows = self.table.all_scales_and_rows()
        table = numpy.frombuffer(rows, "i1").reshape(-1, self.dimension)
        found: NDArray[np.float32] = table[numbers].astype("f4")
        found *= numpy.frombuffer(scales, "<f4")[numbers, None]
        return found

    @staticmethod
    def _quantised(numpy: ModuleType, sums: NDArray[np.float32]) -> list[bytes]:
        lengths = numpy.sqrt(numpy.einsum("ij,ij->i", sums, sums))[:, None]
        lengths[lengths == 0] = 1
        units = numpy.rint(sums * (SCALE / lengths)).astype("i1")
        return [row.tobytes() for row in units]


def _numpy_for(count: int) -> ModuleType | None:
    """numpy where it is loaded or worth the 90 ms of loading; None where it is absent."""
    if count < 2:
        return None
    if count < _WORTH_NUMPY:
        return sys.modules.get("numpy")
    limit_numpy_to_one_thread()
    try:
        import numpy  # noqa: PLC0415
    except ImportError:
        return None
    return numpy
