"""Models behind an address: Ollama, or any server with OpenAI's embeddings API.

Used only if the user chose one. Texts are redacted before they are sent, in requests of bounded
size. An answer is taken only if it has one vector of finite numbers for each text, of the dimension
that the model had before. A question waits a few seconds and then goes by words; an index run waits
longer and tries again. After a failure the process asks no more for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import isfinite

from gitmem.embedding import model_server
from gitmem.embedding.base import quantise_vector
from gitmem.errors import GitmemError, Unavailable
from gitmem.model.frozen import dataclass
from gitmem.text.digest import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Result = TypeVar("Result")

# Where Ollama listens by itself; of other servers no address is the usual one.
DEFAULT_ADDRESS = {"ollama": "http://127.0.0.1:11434"}
# Texts in a request, and characters of a text; more than any such model reads.
BATCH, LONGEST = 32, 16_000
# Seconds that a question waits at most, and until a server that failed is asked again.
QUESTION_SECONDS, PAUSE = 5.0, 30.0
# Seconds that an index run waits before it asks a server again, and the longest that this may ask.
RETRIES, LONGEST_WAIT = (1.0, 4.0), 30.0
# Statuses by which servers refuse a text that is too long for the model.
_TOO_LONG = (400, 413, 422, 500)
# A text is halved until it has so few characters.
_SHORTEST = 400
# The model at an address may be changed: what it is is asked again after so many seconds.
_KNOWN_FOR = 600.0
_MOST_DIMENSIONS, _BYTES_OF_VALUE, _SMALL = 16_384, 32, 100_000
_SAMPLE = "dimension"
_HINT = "Texts wait for their vectors until the server answers"
_PATHS = {"ollama": "/api/embed", "openai": "/embeddings"}


class EndpointUnavailable(Unavailable):
    """A model server is not there or does not answer properly; texts wait for their vectors."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The address of a model server, and how long to wait for each of its answers.

    ``api_key`` is sent as a bearer token. ``retry_failed``: a request that fails is repeated, as an
    index run can wait and a question cannot.
    """

    address: str
    timeout_seconds: float
    api_key: str = ""
    retry_failed: bool = False


class EndpointEmbedder:
    """An embedding model that a server runs; the first use asks the server for its dimension.

    ``provider`` is ollama or openai, ``model`` the model's name there.
    """

    def __init__(self, provider: str, model: str, server: ModelServer) -> None:
        self.provider = provider
        self.model = model
        self.server = server
        self._dimension = 0
        self._checksum = ""
        self._known_until = self._paused_until = 0.0
        self._failure = ""

    @property
    def dimension(self) -> int:
        """The number of values in a vector; asks the server. Raises EndpointUnavailable."""
        self.load()
        return self._dimension

    @property
    def checksum(self) -> str:
        """A text that changes with the model: Ollama's digest, else one of address and name.

        Raises EndpointUnavailable.
        """
        self.load()
        return self._checksum

    def load(self) -> None:
        """Ask the server which model it has, if that is not known. Raises EndpointUnavailable."""
        if time.monotonic() < self._known_until:
            return
        digest = self._repeated(self._digest)
        (vector,) = self._repeated(lambda: self._vectors([_SAMPLE], 0))
        if len(vector) % 8:
            why = f"its dimension, {len(vector)}, is not a multiple of 8"
            raise EndpointUnavailable(self._sentence(why), _HINT)
        self._dimension, self._checksum = len(vector), digest
        self._known_until = time.monotonic() + _KNOWN_FOR

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
        """The vectors of texts as signed bytes, in order; the server is sent 32 texts a request.

        Secrets are masked, and each text gets the prefix that the model expects for questions
        (``is_query``) or passages. A text without words has zeros, and so has one that the server
        refuses even when it is cut. Raises EndpointUnavailable.
        """
        from gitmem.embedding.fastembed import prefixes_of_model  # noqa: PLC0415 - another provider
        from gitmem.text.redact import redact  # noqa: PLC0415 - not for those who only look

        self.load()
        prefix = prefixes_of_model(self.model)[0 if is_query else 1]
        made = [bytes(self._dimension)] * len(texts)
        full = [at for at, text in enumerate(texts) if text.strip()]
        for start in range(0, len(full), BATCH):
            places = full[start : start + BATCH]
            ready = [prefix + redact(texts[at]).text[:LONGEST] for at in places]
            for at, vector in zip(places, self._batch(ready), strict=True):
                made[at] = vector
        return made

    def _batch(self, texts: list[str]) -> list[bytes]:
        try:
            return self._repeated(lambda: self._vectors(texts, self._dimension))
        except _Refusal as error:
            if error.status not in _TOO_LONG or not self.server.retry_failed:
                raise
        return [self._cut(text) for text in texts]

    def _cut(self, text: str) -> bytes:
        """The vector of a text, or of as much of it as the server takes."""
        while True:
            try:
                return self._vectors([text], self._dimension)[0]
            except _Refusal as error:
                if error.status not in _TOO_LONG:
                    raise
            if len(text) <= _SHORTEST:
                break
            text = text[: len(text) // 2]
        # If the server still answers, it is this text that it cannot take.
        self._repeated(lambda: self._vectors([_SAMPLE], self._dimension))
        return bytes(self._dimension)

    def _repeated(self, work: Callable[[], Result]) -> Result:
        """What ``work`` returns; where patient, it is tried again. Raises EndpointUnavailable."""
        if time.monotonic() < self._paused_until:
            raise EndpointUnavailable(self._failure, _HINT)
        for wait in (*(RETRIES if self.server.retry_failed else ()), None):
            try:
                return work()
            except EndpointUnavailable as error:
                passing = not isinstance(error, _Refusal) or error.status in model_server.BUSY
                if wait is None or not passing:
                    self._note_failure(error)
                    raise
                longer = error.wait if isinstance(error, _Refusal) else 0.0
                time.sleep(min(max(wait, longer), LONGEST_WAIT))
        raise AssertionError

    def _note_failure(self, error: EndpointUnavailable) -> None:
        # A text that is refused says nothing of the next one.
        if not isinstance(error, _Refusal) or error.status in model_server.BUSY:
            self._paused_until, self._failure = time.monotonic() + PAUSE, error.message

    def _ask(self, path: str, content: object, values: int = 0) -> Any:
        try:
            return model_server.post_json(
                self.server.address,
                path,
                content,
                timeout_seconds=self.server.timeout_seconds,
                bearer_token=self.server.api_key,
                max_bytes=_SMALL + values * _BYTES_OF_VALUE,
            )
        except model_server.HttpStatusError as error:
            raise _Refusal(self._sentence(error), error.status, error.wait) from error
        except Unavailable as error:
            raise EndpointUnavailable(self._sentence(error), _HINT) from error

    def _sentence(self, why: GitmemError | str) -> str:
        reason = why if isinstance(why, str) else why.message
        return f"The model {self.model} at {self.server.address} was not used: {reason}."

    def _vectors(self, texts: list[str], dimension: int) -> list[bytes]:
        """Quantised vectors of some texts; ``dimension`` is 0 if it is not known."""
        values = len(texts) * (dimension or _MOST_DIMENSIONS)
        answer = self._ask(
            _PATHS[self.provider], {"model": self.model, "input": texts}, values=values
        )
        vectors = _of_ollama(answer) if self.provider == "ollama" else _of_openai(answer)
        if vectors is None:
            raise EndpointUnavailable(self._sentence("its answer has no embeddings"), _HINT)
        if len(vectors) != len(texts):
            why = f"it gave {len(vectors)} vectors for {len(texts)} texts"
            raise EndpointUnavailable(self._sentence(why), _HINT)
        return [quantise_vector(self._checked(vector, dimension)) for vector in vectors]

    def _checked(self, vector: object, dimension: int) -> list[float]:
        """A vector as floats, if it has this dimension (0: any). Raises EndpointUnavailable."""
        values: list[float] = []
        if isinstance(vector, list) and len(vector) <= _MOST_DIMENSIONS:
            try:
                values = [float(value) for value in vector if type(value) in (int, float)]
            except OverflowError:
                values = []
        if not isinstance(vector, list) or len(values) != len(vector) or not values:
            raise EndpointUnavailable(self._sentence("its answer has no embeddings"), _HINT)
        if not all(map(isfinite, values)):
            raise EndpointUnavailable(
                self._sentence("its vectors have values that are no numbers"), _HINT
            )
        if dimension and len(values) != dimension:
            why = f"it gave {len(values)} values where it gave {dimension} before"
            raise EndpointUnavailable(self._sentence(why), _HINT)
        return values

    def _digest(self) -> str:
        """What tells versions of the model apart. Raises EndpointUnavailable."""
        if self.provider == "openai":
            return _digest(f"{self.server.address}\n{self.model}")
        answer = self._ask("/api/tags", None)
        models = answer.get("models") if isinstance(answer, dict) else None
        for model in models if isinstance(models, list) else ():
            name, digest = (
                (model.get("name"), model.get("digest")) if isinstance(model, dict) else ("", "")
            )
            if name in (self.model, f"{self.model}:latest") and isinstance(digest, str):
                return _digest(digest)
        raise EndpointUnavailable(
            self._sentence("it has no such model"), f"Download it with: ollama pull {self.model}"
        )


class _Refusal(EndpointUnavailable):
    def __init__(self, message: str, status: int, wait: float) -> None:
        super().__init__(message, _HINT)
        self.status = status
        self.wait = wait


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=32).hexdigest()


def _of_ollama(answer: Any) -> list[Any] | None:
    vectors = answer.get("embeddings") if isinstance(answer, dict) else None
    return vectors if isinstance(vectors, list) else None


def _of_openai(answer: Any) -> list[Any] | None:
    """The vectors in the order of their texts, which each one's index says."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    order = [row.get("index", at) for at, row in enumerate(rows)]
    if any(type(at) is not int for at in order) or sorted(order) != list(range(len(rows))):
        return None
    by_place = dict(zip(order, rows, strict=True))
    return [by_place[at].get("embedding") for at in range(len(rows))]
