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
    """The base address of the endpoint (such as http://127.0.0.1:8080/v1) and its model's name."""

    address: str
    model: str


def ask(endpoint: Endpoint, instructions: str, prompt: str, *, timeout: float = TIMEOUT) -> str:
    """The model's reply. Raises Unavailable with the reason, after at most ``timeout`` seconds."""
    request = _request(endpoint.model, instructions, prompt)
    reply = model_server.ask(endpoint.address, _PATH, request, seconds=timeout)
    try:
        content = reply["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        content = None
    if not isinstance(content, str):
        raise Unavailable("its answer is no chat completion")
    return content


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
