"""Cross-encoders of the fastembed library, which read question and text together.

Loading one costs seconds and a score some milliseconds, so only the best of a ranking are read, and
nobody waits longer than ``LONGEST``: an answer in time counts for much, a better order for little.
Nothing is downloaded here unless ``gitmem model rerank --pull`` allows it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from gitmem.embedding import fastembed
from gitmem.embedding.model_server import run_with_timeout
from gitmem.errors import InvalidInput, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

# Seconds until a ranking goes on without the scores.
LONGEST = 2.0
# Characters of a text that are read: code beyond tells little and costs as much.
READ = 600
PROVIDER = "fastembed"


class Reranker:
    """A model that scores how well texts answer a question (a cross-encoder), run by fastembed.

    It is given by hub name or by folder; the first use loads it.
    """

    def __init__(self, model: str, *, cache: str | None = None, allow_download: bool = False):
        self.model = model
        self._cache = cache
        self._allow_download = allow_download
        # Imported here: few have a reranker, and a process that forks must have no threads.
        from threading import Lock  # noqa: PLC0415

        self._loaded: Any = None
        self._lock = Lock()

    def score_texts(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, in order, for how well it answers the question; higher is better.

        Only the first 600 characters of a text are read; scores are of any scale. Raises
        Unavailable.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            try:
                found = self._loaded.rerank(question, [text[:READ] for text in texts])
                return [float(score) for score in found]
            except Exception as error:  # a library that raises anything
                raise Unavailable(
                    f"The reranker {self.model} failed: {error}.",
                    "To search without a reranker: gitmem model rerank off",
                ) from error

    def score_texts_with_timeout(
        self, question: str, texts: Sequence[str], timeout_seconds: float = LONGEST
    ) -> list[float] | None:
        """The scores of ``score_texts``, or None if they take longer than ``timeout_seconds``.

        The model is then loaded in the background. Raises Unavailable.
        """
        try:
            return run_with_timeout(timeout_seconds, lambda: self.score_texts(question, texts))
        except TimeoutError:
            return None

    def _open(self) -> Any:
        folder = fastembed.local_model_folder(self.model)
        fastembed.load_fastembed()
        from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415 (a second)

        name = self.model
        there = [str(model["model"]) for model in TextCrossEncoder.list_supported_models()]
        listed = {name.lower() for name in there}
        if folder is not None:
            name = _registered(TextCrossEncoder, listed, folder)
        elif name.lower() not in listed:
            raise InvalidInput(
                f"fastembed has no reranker {name}.", f"Available: {', '.join(there)}"
            )
        try:
            return TextCrossEncoder(
                name,
                cache_dir=self._cache,
                providers=["CPUExecutionProvider"],
                local_files_only=not self._allow_download,
                specific_model_path=None if folder is None else str(folder),
            )
        except Exception as error:  # it raises everything from OSError to bare Exception
            raise self._not_here(folder) from error

    def _not_here(self, folder: Path | None) -> Unavailable:
        if folder is not None:
            return Unavailable(
                f"The reranker in {folder} cannot be loaded.",
                "The folder must contain model.onnx, tokenizer.json and tokenizer_config.json.",
            )
        return Unavailable(
            f"The reranker {self.model} is not on this machine.",
            f"Download it with: gitmem model rerank {PROVIDER}:{self.model} --pull",
        )


def _registered(library: Any, listed: set[str], folder: Path) -> str:
    """Tell the library of a folder, once a process; the name it goes by."""
    from fastembed.common.model_description import ModelSource  # noqa: PLC0415

    name = f"gitmem-local-reranker:{folder}"
    if name.lower() not in listed:
        library.add_custom_model(
            model=name, sources=ModelSource(hf=name), model_file=fastembed.onnx_file_name(folder)
        )
    return name


_opened: dict[tuple[str, str | None], Reranker] = {}


def open_reranker(name: str, cache_folder: str | None = None) -> Reranker:
    """The reranker that a setting names (``fastembed:<hub model or folder>``), made once.

    ``cache_folder`` is the folder of downloaded models. Raises InvalidInput for another name.
    """
    key = (name, cache_folder)
    if key not in _opened:
        _opened[key] = Reranker(parse_reranker_name(name), cache=cache_folder)
    return _opened[key]


def parse_reranker_name(name: str) -> str:
    """The hub model or folder in ``fastembed:<model>``. Raises InvalidInput for another form."""
    provider, _, model = name.partition(":")
    if provider != PROVIDER or not model:
        raise InvalidInput(
            f"There is no reranker {name}.", "Name one: fastembed:<cross-encoder or folder>"
        )
    return os.path.expanduser(model)
