"""What a server of embedding models answers, in Ollama's words and in OpenAI's; see `chat_server`.

with serving(embeddings()) as server:
    Endpoint("ollama", "small", Server(f"http://127.0.0.1:{server.port}", 5.0))
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from tests.support.chat_server import Reply

DIGEST = "d1" * 32
DIMENSION = 256


def vector(text: str, dimension: int = DIMENSION) -> list[float]:
    """A value for each word, at a place by its digest: texts are alike as far as words are."""
    values = [0.0] * dimension
    for word in text.lower().replace(".", " ").split():
        values[int.from_bytes(sha256(word.encode()).digest()[:4], "big") % dimension] += 1.0
    return values if any(values) else [1.0] * dimension


def embeddings(
    dimension: int = DIMENSION, *, digest: str = DIGEST, name: str = "small:latest"
) -> Callable[[str, str], Reply]:
    """A function that answers as both protocols do, for `serving`."""

    def reply(path: str, body: str) -> Reply:
        if path == "/api/tags":
            return as_json({"models": [{"name": "other:latest"}, {"name": name, "digest": digest}]})
        vectors = [vector(text, dimension) for text in json.loads(body)["input"]]
        return of_vectors(path, vectors)

    return reply


def of_vectors(path: str, vectors: list[Any]) -> Reply:
    """An answer with these vectors, in the words of the protocol of the path."""
    if path == "/api/embed":
        return as_json({"model": "small", "embeddings": vectors})
    rows = [{"index": at, "embedding": values} for at, values in enumerate(vectors)]
    # OpenAI promises no order.
    return as_json({"object": "list", "data": rows[::-1]})


def as_json(content: object) -> Reply:
    """An answer with this content."""
    return Reply(json.dumps(content).encode())
