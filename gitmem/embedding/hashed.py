"""A model without training: words and groups of letters are hashed to positions.

Weinberger et al. 2009. For tests and as the last resort: the same text gives the same vector on
every machine, texts that share words lie close, nothing is loaded. It knows no synonyms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from zlib import crc32

from gitmem.embedding.base import quantise_vector
from gitmem.text.identifiers import split_identifiers

_GRAM = 3
_GRAM_WEIGHT = 0.3


class HashedEmbedder:
    """A model for tests, without a file: each word is hashed to places in the vector."""

    provider = "hashed"
    model = "words"
    # The version of the recipe below: another recipe gives other vectors.
    checksum = "1"

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:  # noqa: ARG002
        """The vectors of texts as signed bytes, in order; ``is_query`` makes no difference."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        values = [0.0] * self.dimension
        for word, count in Counter(split_identifiers(text)).items():
            for feature, weight in _features(word):
                number = crc32(feature.encode("utf-8", "surrogatepass"))
                signed = weight if number & 0x8000_0000 else -weight
                values[(number & 0x7FFF_FFFF) % self.dimension] += signed * count**0.5
        return quantise_vector(values)


def _features(word: str) -> Iterator[tuple[str, float]]:
    yield word, 1.0
    framed = f"<{word}>"
    for start in range(len(framed) - _GRAM + 1):
        yield "#" + framed[start : start + _GRAM], _GRAM_WEIGHT
