"""Embedding models of the fastembed library: from its list, or a folder with an ONNX file.

The library costs a second to import, so making a ``FastembedEmbedder`` costs nothing and the first
use loads. Nothing is ever downloaded unless ``allow_download`` is given, which only an explicit
``gitmem model pull`` does: a hook or a handshake must not wait for a network. What the library is
made of reports its use to its makers: ``load_fastembed`` switches that off, so it goes before every
import of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from gitmem.embedding.base import quantise_vector
from gitmem.embedding.model_server import run_with_timeout
from gitmem.errors import InvalidInput, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any, TypeVar

    Result = TypeVar("Result")

BATCH = 32
_ASK = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
# (part of the model's name, before a query, before a passage), as the models' own cards ask for;
# the first that fits. Families that are not named (MiniLM, mpnet, gte, jina v2) take none.
PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("bge-m3", "", ""),
    ("bge-small-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-", _ASK, ""),
    ("mxbai-embed", _ASK, ""),
    ("arctic-embed-m-v2", "query: ", ""),
    ("arctic-embed-l-v2", "query: ", ""),
    ("arctic-embed", _ASK, ""),
    ("e5-", "query: ", "passage: "),
    ("nomic-embed", "search_query: ", "search_document: "),
    ("qwen3-embedding", _INSTRUCT, ""),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
)
# Read by the libraries when they are imported: no report of use, no identifier of this machine.
_NO_REPORTS = {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
# The same for a download, where the user says nothing else: their token is not sent, and nothing is
# written but beside the model (the faster protocol keeps logs and pieces below ``~/.cache``).
_PLAIN_DOWNLOADS = {"HF_HUB_DISABLE_IMPLICIT_TOKEN": "1", "HF_HUB_DISABLE_XET": "1"}


class FastembedEmbedder:
    """An embedding model run by the library fastembed, by the hub's name or by its folder."""

    provider = "fastembed"

    def __init__(
        self,
        model: str,
        *,
        cache: str | None = None,
        allow_download: bool = False,
        cuda: bool = False,
        threads: int | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        """``cache`` is the folder of downloaded models (None: the library's own).

        ``timeout_seconds`` is how long loading, and a question, may take; None for as long as they
        do.
        """
        if not model.strip():
            raise InvalidInput("No embedding model is named.", "See: gitmem model list")
        self.source = model
        # A folder goes by its last name: where it lies must not matter, its checksum tells.
        self.model = _last_name(model) if os.path.isdir(os.path.expanduser(model)) else model
        self.cache = cache
        self.allow_download = allow_download
        self.cuda = cuda
        self.threads = threads
        self.seconds = timeout_seconds
        # Imported here: few have such a model, and a process that forks must have no threads.
        from threading import Lock  # noqa: PLC0415

        self._lock = Lock()
        self._loaded: Any = None
        self._dimension = 0
        self._checksum = ""
        self._prefixes = ("", "")

    @property
    def dimension(self) -> int:
        """The number of values in a vector; loads the model."""
        self.load()
        return self._dimension

    @property
    def checksum(self) -> str:
        """The SHA-256 of the model and its tokenizer; loads the model."""
        self.load()
        return self._checksum

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
        """The vectors of texts as signed bytes, in order.

        Each text gets the prefix that the model expects for questions (``is_query``) or passages.
        Raises Unavailable, also for a question that takes too long.
        """
        self.load()
        ready = [self._prefixes[0 if is_query else 1] + text for text in texts]
        return self._in_time(lambda: self._embed(ready)) if is_query else self._embed(ready)

    def _embed(self, texts: list[str]) -> list[bytes]:
        try:
            found = self._loaded.embed(texts, batch_size=BATCH)
            made = [quantise_vector(vector.tolist()) for vector in found]
        except Exception as error:  # whatever onnxruntime raises in the midst of it
            raise self._failed(str(error)) from error
        if len(made) != len(texts) or any(len(vector) != self._dimension for vector in made):
            raise self._failed("its vectors differ in number or length from those it gave before")
        return made

    def _failed(self, why: str) -> Unavailable:
        return Unavailable(
            f"The model {self.model} failed: {why.strip().partition(chr(10))[0][:200]}",
            "Run `gitmem index` to go on from here, or `gitmem model use builtin` to use the "
            "built-in model again.",
        )

    def _in_time(self, work: Callable[[], Result]) -> Result:
        if self.seconds is None:
            return work()
        try:
            return run_with_timeout(self.seconds, work)
        except TimeoutError as error:
            raise Unavailable(
                f"The model {self.model} did not answer within {self.seconds:g} seconds.",
                "To wait longer: gitmem config embedding.timeout 120",
            ) from error

    def load(self) -> None:
        """Load the model, if it is not loaded.

        Raises Unavailable if the library or the model is missing, or loading takes too long; then
        it goes on in the background.
        """
        if self._loaded is None:
            self._in_time(self.load_and_wait)

    def load_and_wait(self) -> None:
        """Load the model once, however long it takes. Raises Unavailable as ``load``."""
        with self._lock:
            if self._loaded is None:
                self._read()

    def _read(self) -> None:
        folder = local_model_folder(self.source)
        self._prefixes = (folder and read_declared_prefixes(folder)) or prefixes_of_model(
            self.model
        )
        model = self._open(folder)
        vector = next(iter(model.embed(["dimension"])))
        if len(vector.shape) != 1 or len(vector) % 8:
            raise InvalidInput(
                f"The model {self.model} has a dimension that is not a multiple of 8.",
                "Choose another one: gitmem model list",
            )
        self._dimension = len(vector)
        self._checksum = _file_digest(folder or _downloaded_to(model))
        self._loaded = model

    def _open(self, folder: Path | None) -> Any:
        fast = load_fastembed()
        options: dict[str, Any] = {
            "cache_dir": self.cache,
            "threads": self.threads,
            "local_files_only": not self.allow_download,
        }
        options |= {"cuda": True} if self.cuda else {"providers": ["CPUExecutionProvider"]}
        name = self.model
        if folder is not None:
            name = _register(fast, folder)
            options["specific_model_path"] = str(folder)
        elif not _listed(fast, name):
            raise InvalidInput(f"fastembed has no model {name}.", "See: gitmem model list")
        try:
            return fast.TextEmbedding(name, **options)
        except Exception as error:  # The library raises everything from OSError to bare Exception.
            if self.cuda and "CUDA" in str(error):
                raise _without_cuda(self.model) from error
            raise self._not_here(folder) from error

    def _not_here(self, folder: Path | None) -> Unavailable:
        if folder is not None:
            return Unavailable(
                f"The model in {folder} cannot be loaded.",
                "The folder must contain model.onnx, tokenizer.json and tokenizer_config.json.",
            )
        if self.allow_download:
            return Unavailable(
                f"The model {self.model} could not be downloaded.",
                "Check the network, or give a local folder.",
            )
        return Unavailable(
            f"The model {self.model} is not on this machine.",
            f"Download it with: gitmem model pull fastembed:{self.model}",
        )


def _without_cuda(model: str) -> Unavailable:
    return Unavailable(
        f"The model {model} is set to run on CUDA, which is not available here.",
        "Install fastembed-gpu, or: gitmem config embedding.device cpu",
    )


def prefixes_of_model(model: str) -> tuple[str, str]:
    """(prefix of a question, prefix of a passage) that a model expects, by its name; often ""."""
    # Only the last part of a name or path says the family; a parent folder may say anything.
    name = _last_name(model).lower()
    for part, question, passage in PREFIXES:
        if part in name:
            return question, passage
    return "", ""


def read_declared_prefixes(folder: Path) -> tuple[str, str] | None:
    """The (query, passage) prefixes that a sentence-transformers folder declares, or None."""
    import json  # noqa: PLC0415 (7 ms, only for local folders)

    try:
        about = json.loads((folder / "config_sentence_transformers.json").read_text("utf-8"))
        prompts = about.get("prompts") or {}
        question, passage = (
            prompts.get("query", ""),
            prompts.get("document", prompts.get("passage", "")),
        )
    except (OSError, ValueError, AttributeError):
        return None
    return (str(question), str(passage)) if question or passage else None


def local_model_folder(model: str) -> Path | None:
    """The folder that a model's name stands for; None for a model of Hugging Face's hub.

    Raises Unavailable for a path that is no folder with a model.
    """
    from pathlib import Path  # noqa: PLC0415 (10 ms)

    path = Path(model).expanduser()
    if path.is_dir() and (path / "tokenizer.json").exists():
        _refuse_pipes(path)
        return path.resolve()
    if path.is_absolute() or model.startswith((".", "~")):
        raise Unavailable(
            f"{model} is not a folder with a tokenizer.json.",
            "Name a hub model or a folder with an ONNX model and its tokenizer.",
        )
    return None


def _refuse_pipes(folder: Path) -> None:
    """Raise Unavailable where the library would wait for ever for what it opens."""
    for path in folder.rglob("*"):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise Unavailable(f"{path} is neither a file nor a folder.", "Remove it.")


def list_hub_models() -> list[tuple[str, int, str, float]]:
    """The models that fastembed can download: (name, dimension, licence, gigabytes).

    Raises Unavailable without the library.
    """
    listed = load_fastembed().TextEmbedding.list_supported_models()
    rows = [
        (model["model"], model["dim"], model["license"], model["size_in_GB"]) for model in listed
    ]
    return sorted(row for row in rows if not row[0].startswith(_LOCAL))


_LOCAL = "gitmem-local:"


def _last_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def load_fastembed() -> Any:
    """The fastembed library, with its usage reports off. Raises Unavailable without it."""
    disable_usage_reports()
    try:
        import fastembed  # noqa: PLC0415 (a second)
    except ImportError as error:
        raise Unavailable(
            "The package fastembed is not installed.", "Install it: pip install fastembed"
        ) from error
    with suppress(KeyError, AttributeError):
        # For its older way on Windows, which does not read the variable.
        sys.modules["onnxruntime"].disable_telemetry_events()
    with suppress(ImportError):
        # The library logs errors to the screen; ours are reported once, in a sentence.
        from loguru import logger  # noqa: PLC0415

        logger.disable("fastembed")
    return fastembed


def disable_usage_reports() -> None:
    """Switch off the usage reports of the libraries, before they are imported."""
    os.environ.update(_NO_REPORTS)  # noqa: TID251 - libraries read it
    for name, value in _PLAIN_DOWNLOADS.items():
        os.environ.setdefault(name, value)  # noqa: TID251 - as above


def _listed(library: Any, name: str) -> bool:
    listed = library.TextEmbedding.list_supported_models()
    return any(model["model"].lower() == name.lower() for model in listed)


def _register(library: Any, folder: Path) -> str:
    """Tell the library of the folder, once a process; returns the name it goes by."""
    from fastembed.common.model_description import (  # noqa: PLC0415
        ModelSource,
        PoolingType,
    )

    name = f"{_LOCAL}{folder}"
    if not _listed(library, name):
        library.TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.CLS if _pools_first(folder) else PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=1,  # Not known before the first vector; the library does not look at it.
            model_file=onnx_file_name(folder),
        )
    return name


def onnx_file_name(folder: Path) -> str:
    """The name of the ONNX file in a model's folder. Raises Unavailable if there is none."""
    for name in ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "model_quantized.onnx"):
        if (folder / name).exists():
            return name
    raise Unavailable(f"There is no model.onnx in {folder}.", "Export the model to ONNX first.")


def _pools_first(folder: Path) -> bool:
    """Whether the folder's own configuration takes the first token's state as the vector."""
    import json  # noqa: PLC0415 (7 ms, only for local folders)

    try:
        about = json.loads((folder / "1_Pooling" / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return bool(isinstance(about, dict) and about.get("pooling_mode_cls_token"))


def _downloaded_to(model: Any) -> Path:
    folder: Path = model.model._model_dir
    return folder


def _file_digest(folder: Path) -> str:
    """Over the ONNX files and the tokenizer, so that a changed model is another model."""
    from hashlib import file_digest, sha256  # noqa: PLC0415 (2.6 ms)

    total = sha256()
    for path in sorted([*folder.rglob("*.onnx*"), folder / "tokenizer.json"]):
        if path.is_file():
            with path.open("rb") as file:
                total.update(file_digest(file, "sha256").digest())
    return total.hexdigest()
