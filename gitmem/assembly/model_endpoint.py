"""Sending a prompt to an endpoint with OpenAI's chat completions API, such as a llama.cpp server.

Used only if the user set one; any failure is reported in a few words, and the answer without a
model stands.
"""

from gitmem.embedding import model_server
from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass

# Seconds that one question may take, from the connection to the last byte.
TIMEOUT = 20.0
TEMPERATURE, MOST_TOKENS = 0.3, 500
_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, and how.

    The base address (such as http://127.0.0.1:8080/v1), the model's name, a ``key`` that is sent as
    a bearer token, and the ``temperature`` and most ``tokens`` of a reply where they are not the
    usual ones.
    """

    address: str
    model: str
    key: str = ""
    temperature: float | None = None
    tokens: int | None = None


def ask(endpoint: Endpoint, instructions: str, prompt: str, *, timeout: float = TIMEOUT) -> str:
    """The model's reply. Raises Unavailable with the reason, after at most ``timeout`` seconds."""
    request = _request(endpoint, instructions, prompt)
    reply = model_server.post_json(
        endpoint.address, _PATH, request, seconds=timeout, key=endpoint.key
    )
    try:
        content = reply["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        content = None
    if not isinstance(content, str):
        raise Unavailable("its answer is not a chat completion")
    return content


def _request(endpoint: Endpoint, instructions: str, prompt: str) -> dict[str, object]:
    named = {"model": endpoint.model} if endpoint.model else {}
    return {
        **named,
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": prompt},
        ],
        "temperature": TEMPERATURE if endpoint.temperature is None else endpoint.temperature,
        "max_tokens": endpoint.tokens or MOST_TOKENS,
        "stream": False,
    }
