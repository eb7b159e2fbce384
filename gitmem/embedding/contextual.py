"""The contextual model: a text is read as a whole, so word order and sense count.

all-MiniLM-L6-v2 (Apache-2.0) in four bits a weight, run in numpy: no download, no torch. It finds
what a question means where the table of ``builtin`` finds its words, and costs hundreds of times as
much: some 12 ms of CPU for a question, 26 for a memory of 60 word pieces. So it is for memories,
not for code. What is here opens the file's header only; numpy is loaded with the first text.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.embedding import contextual_header
from gitmem.embedding.base import limit_numpy_to_one_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.bert import BertEncoder

FILE = __file__.removesuffix("contextual.py") + "data/contextual-384.bin"


class ContextualEmbedder:
    """The contextual embedding model, a small BERT shipped with gitmem; loaded when first used."""

    provider = "contextual"
    model = "minilm-l6"

    def __init__(self, path: str = FILE) -> None:
        """Read the header; Unavailable when the file is absent or no such model."""
        self.path = path
        self.dimension, _, _, _, self.checksum = contextual_header.read_contextual_header(path)
        self._bert: BertEncoder | None = None

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:  # noqa: ARG002
        """The vectors of texts as signed bytes, in order; ``is_query`` makes no difference.

        Give all texts at once: those of like length are read together. A value may differ by one
        step between machines and batches. Raises Unavailable when the file is damaged.
        """
        return self._loaded().quantised_vectors(texts) if texts else []

    @property
    def is_loaded(self) -> bool:
        """Whether the model is loaded, so that a text is read at once."""
        return self._bert is not None

    def load(self) -> None:
        """Load the model, which takes a second. Raises Unavailable if it is damaged."""
        self._loaded()

    def _loaded(self) -> BertEncoder:
        bert = self._bert
        if bert is None:
            limit_numpy_to_one_thread()
            from gitmem.embedding.bert import BertEncoder  # noqa: PLC0415 (numpy: 130 ms)

            bert = self._bert = BertEncoder(self.path)
        return bert

    def unload(self) -> None:
        """Free the model's memory until the next text."""
        self._bert = None
