"""Asking a server that runs a model, at an address from the user's own settings.

One request: no redirects, no proxies, an answer of bounded size, and no longer than a given time.
"""

from __future__ import annotations

from contextlib import suppress

from gitmem.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPConnection
    from typing import Any, TypeVar

    Result = TypeVar("Result")

# Statuses that pass: asked again a little later, such a server may answer.
BUSY = (429, 502, 503, 504)
_OK = 200
_LARGEST = 1_000_000


class HttpStatusError(Unavailable):
    """The server answered with another status than 200.

    ``wait`` is the time to wait before a new request (its Retry-After), in seconds.
    """

    def __init__(self, status: int, wait: float) -> None:
        super().__init__(f"it answered with status {status}")
        self.status = status
        self.wait = wait


def post_json(
    address: str,
    path: str,
    payload: object,
    *,
    timeout_seconds: float,
    bearer_token: str = "",
    max_bytes: int = _LARGEST,
) -> Any:
    """The JSON value that a server answers; None if the answer is not JSON.

    ``path`` is added to the path of the address, unless that ends with it. ``payload`` is posted as
    JSON; None asks with GET. ``bearer_token`` is sent as a bearer token, over TLS or to this
    machine only. Raises Unavailable with a reason in a few words, after at most
    ``timeout_seconds``.
    """
    # Imported here, all of it: few ask a server, and more use ``run_with_timeout``.
    import json  # noqa: PLC0415
    from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415 - loads ssl
    from socket import SHUT_RDWR  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415

    from gitmem.text.web_address import is_loopback_url  # noqa: PLC0415

    if bearer_token and not (address.startswith("https:") or is_loopback_url(address)):
        raise Unavailable("its key may be sent over https only")
    body = None if payload is None else json.dumps(payload).encode()
    place = urlsplit(address)
    kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
    connection = kind(place.hostname or "", place.port, timeout=timeout_seconds)
    path = place.path.rstrip("/").removesuffix(path) + path
    try:
        # A socket's timeout is for each read: a server that sends a byte now and then would never
        # end.
        data = run_with_timeout(
            timeout_seconds, lambda: _exchange(connection, path, body, bearer_token, max_bytes)
        )
    except Unavailable:
        raise
    except TimeoutError as error:
        with suppress(OSError, AttributeError):  # so that the thread ends that still reads
            connection.sock.shutdown(SHUT_RDWR)
        plural = "" if timeout_seconds == 1 else "s"
        raise Unavailable(
            f"it did not answer within {timeout_seconds:.0f} second{plural}"
        ) from error
    except ConnectionRefusedError as error:
        raise Unavailable("nothing answers at its address") from error
    except Exception as error:
        raise Unavailable(f"it could not be asked ({type(error).__name__})") from error
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def run_with_timeout(timeout_seconds: float, function: Callable[[], Result]) -> Result:
    """What ``function()`` returns or raises; TimeoutError if that takes longer than the time-out.

    The function is not stopped then, only left to itself.
    """
    from threading import Thread  # noqa: PLC0415 - a process that forks must have no threads

    results: list[Result] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(function())
        except Exception as error:
            errors.append(error)

    thread = Thread(target=run, name="gitmem-model", daemon=True)
    thread.start()
    thread.join(timeout_seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]


def _exchange(
    connection: HTTPConnection, path: str, body: bytes | None, key: str, largest: int
) -> bytes:
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        with connection.getresponse() as response:
            if response.status != _OK:
                after, date = response.getheader("Retry-After"), response.getheader("Date")
                raise HttpStatusError(response.status, _seconds(after, date))
            data = response.read(largest + 1)
    finally:
        connection.close()
    if len(data) > largest:
        raise Unavailable("its answer was too large")
    return data


def _seconds(header: str | None, date: str | None) -> float:
    """Seconds in a Retry-After header, or to its time by the server's clock; else 0."""
    if not header or (header.isascii() and header.isdigit()):
        return float(header or 0)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few servers name a time

    with suppress(ValueError, TypeError):
        apart = parsedate_to_datetime(header) - parsedate_to_datetime(date or "")
        return max(apart.total_seconds(), 0.0)
    return 0.0
