"""Sending a prompt to an endpoint with OpenAI's chat completions API, such as a llama.cpp server.

Used only if the user set one. One request, no redirects, no proxies; any failure is reported in a
few words, and the answer without a model stands.
"""

import json
from collections.abc import Callable
from time import monotonic
from urllib.parse import urlsplit

from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass

# Seconds that one question may take, from the connection to the last byte.
TIMEOUT = 20.0
TEMPERATURE, MOST_TOKENS = 0.3, 500
_LARGEST = 1_000_000
_PATH = "/chat/completions"
_OK = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The base address of the endpoint (such as http://127.0.0.1:8080/v1) and its model's name."""

    address: str
    model: str


def ask(endpoint: Endpoint, instructions: str, prompt: str, *, timeout: float = TIMEOUT) -> str:
    """The model's reply to a prompt.

    Raises Unavailable with the reason, after at most ``timeout`` seconds.
    """
    from threading import Thread  # noqa: PLC0415 - only if an endpoint is set

    replies: list[str | Exception] = []
    # A socket's timeout is for each read: a server that sends a byte now and then would never end.
    thread = Thread(
        target=_into(replies, lambda: _reply(endpoint, instructions, prompt, timeout)),
        daemon=True,
    )
    began = monotonic()
    thread.start()
    thread.join(timeout)
    if not replies:
        raise Unavailable(f"it did not answer within {monotonic() - began:.0f} seconds")
    if isinstance(replies[0], Unavailable):
        raise replies[0]
    if isinstance(replies[0], Exception):
        raise Unavailable(_why(replies[0])) from replies[0]
    return replies[0]


def _into(replies: list[str | Exception], reply: Callable[[], str]) -> Callable[[], None]:
    def run() -> None:
        try:
            replies.append(reply())
        except Exception as error:
            replies.append(error)

    return run


def _reply(endpoint: Endpoint, instructions: str, prompt: str, timeout: float) -> str:
    from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415 - loads ssl

    place = urlsplit(endpoint.address)
    kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
    connection = kind(place.hostname or "", place.port, timeout=timeout)
    try:
        body = json.dumps(_request(endpoint.model, instructions, prompt)).encode()
        path = place.path.rstrip("/").removesuffix(_PATH) + _PATH
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        with connection.getresponse() as response:
            if response.status != _OK:
                raise Unavailable(f"it answered with status {response.status}")
            data = response.read(_LARGEST + 1)
    finally:
        connection.close()
    if len(data) > _LARGEST:
        raise Unavailable("its answer was too large")
    return _content(data)


def _request(model: str, instructions: str, prompt: str) -> dict[str, object]:
    named = {"model": model} if model else {}
    return {
        **named,
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": prompt},
        ],
        "temperature": TEMPERATURE,
        "max_tokens": MOST_TOKENS,
        "stream": False,
    }


def _content(data: bytes) -> str:
    try:
        content = json.loads(data)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        content = None
    if not isinstance(content, str):
        raise Unavailable("its answer is not a chat completion")
    return content


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "nothing answers there"
    return f"it could not be asked ({type(error).__name__})"
