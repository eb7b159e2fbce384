"""Sending a prompt to an endpoint with OpenAI's chat completions API, such as a llama.cpp server.

Used only if the user set one; any failure is reported in a few words, and the answer without a
model stands.
"""

from collections.abc import Callable

from gitmem.embedding import model_server
from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass

# Seconds that one question may take, from the connection to the last byte.
TIMEOUT = 20.0
TEMPERATURE, MAX_TOKENS = 0.3, 500
# How often a busy server is asked again, and the seconds in between, which double each time.
RETRIES, FIRST_WAIT, MAX_WAIT = 3, 1.0, 60.0
_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class LanguageModelEndpoint:
    """The server and the name of a language model, and how to ask it.

    ``address`` is the base, such as http://127.0.0.1:8080/v1; ``key`` is sent as a bearer token
    (empty: none). ``temperature`` and ``tokens`` (most of a reply) are None for the usual ones.
    """

    address: str
    model: str
    key: str = ""
    temperature: float | None = None
    tokens: int | None = None


def ask_language_model(
    endpoint: LanguageModelEndpoint, instructions: str, prompt: str, *, timeout: float = TIMEOUT
) -> str:
    """Return a language model's reply to a prompt, as text.

    Raises Unavailable with the reason, after at most ``timeout`` seconds.
    """
    request = _request(endpoint, instructions, prompt)
    reply = model_server.post_json(
        endpoint.address, _PATH, request, timeout_seconds=timeout, bearer_token=endpoint.key
    )
    try:
        content = reply["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        content = None
    if not isinstance(content, str):
        raise Unavailable("its answer is not a chat completion")
    return content


def ask_language_model_with_retries(
    endpoint: LanguageModelEndpoint,
    instructions: str,
    prompt: str,
    *,
    timeout: float,
    sleep: Callable[[float], None],
) -> str:
    """Return the model's reply as text; a busy server is asked up to three times more.

    ``sleep`` waits in between: 1, 2 and 4 seconds, or as long as the server's Retry-After says, at
    most 60. ``timeout`` is in seconds for each try. Raises Unavailable with the reason.
    """
    for attempt in range(RETRIES + 1):
        try:
            return ask_language_model(endpoint, instructions, prompt, timeout=timeout)
        except model_server.HttpStatusError as error:
            if error.status not in model_server.BUSY or attempt == RETRIES:
                raise
            sleep(min(max(FIRST_WAIT * 2**attempt, error.wait), MAX_WAIT))
    raise AssertionError


def _request(endpoint: LanguageModelEndpoint, instructions: str, prompt: str) -> dict[str, object]:
    model = {"model": endpoint.model} if endpoint.model else {}
    return {
        **model,
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": prompt},
        ],
        "temperature": TEMPERATURE if endpoint.temperature is None else endpoint.temperature,
        "max_tokens": endpoint.tokens or MAX_TOKENS,
        "stream": False,
    }
