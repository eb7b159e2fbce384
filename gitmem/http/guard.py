"""What a request must pass before anything reads it: where from, with which token, how large.

A web page in the user's own browser can send requests to a server on the user's machine. So the
``Host`` must be a name of this server (DNS rebinding), and an ``Origin`` must be this server or one
that the user allowed.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from gitmem.http import answers, token_file
from gitmem.http.answers import RequestRefused
from gitmem.model.frozen import dataclass

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
# Bytes of a body, and seconds in which all of it must have come.
LARGEST, PATIENCE = 8 << 20, 20.0
_MOST_HEADERS = 100
# Sent with every answer: nothing is cached, framed, sniffed or run.
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
# Paths that tell nothing of the project, for whoever watches whether the server lives.
_OPEN = frozenset(("/health", "/readyz"))


@dataclass(frozen=True, slots=True)
class RequestAccessRules:
    """Which requests the HTTP server accepts.

    ``hosts`` are the host names by which it may be called, ``origins`` the web origins other than
    its own that may read answers. ``digest`` is the SHA-256 hash of the token (empty: no token is
    needed), ``rate`` is in requests a second from one address (0: any number). ``signs_in`` says of
    a URL path whether it asks for the token by itself, as pages with a sign-in do.
    """

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()
    digest: str = ""
    rate: float = 0.0
    signs_in: Callable[[str], bool] = lambda _: False


class RequestGuard:
    """An ASGI application that passes requests to ``application``, or refuses them by ``rules``."""

    def __init__(
        self, application: Application, rules: RequestAccessRules, clock: Callable[[], float]
    ) -> None:
        self._application = application
        self._rules = rules
        self._rate = RateLimiter(rules.rate, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it with a JSON error."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        request_id = _request_id(headers.get(b"x-request-id", ""))
        scope["gitmem.request_id"] = request_id
        more = [*_HEADERS, (b"x-request-id", request_id.encode())]
        origin = headers.get(b"origin", "")
        if origin in self._rules.origins:
            more += [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = {name for name, _ in message.get("headers", ())}
                message = {
                    **message,
                    "headers": [
                        *message.get("headers", ()),
                        *(header for header in more if header[0] not in named),
                    ],
                }
            await send(message)

        try:
            self._check(scope, headers)
            body = LimitedRequestBody(receive, headers.get(b"content-length", ""))
        except RequestRefused as refused:
            await answers.error_response(refused)(scope, receive, send_with_headers)
            return
        await self._application(scope, body, send_with_headers)

    def _check(self, scope: Scope, headers: dict[bytes, str]) -> None:
        rules = self._rules
        if len(scope["headers"]) > _MOST_HEADERS:
            raise RequestRefused("too_large", "The request has too many headers.", "Send fewer.")
        if host_name_in_header(headers.get(b"host", "")) not in rules.hosts:
            raise RequestRefused(
                "forbidden",
                "The Host header is not a name of this server.",
                "Call it by the address that it printed, or allow the name with --allow-host.",
            )
        origin = headers.get(b"origin", "")
        if origin and origin not in rules.origins and not _is_own(origin, headers):
            raise RequestRefused(
                "forbidden",
                "A page of another origin may not use this server.",
                "Allow it with --allow-origin if it is yours.",
            )
        self._rate.count_request(str((scope.get("client") or ("",))[0]))
        open_path = scope["path"] in _OPEN or rules.signs_in(scope["path"])
        if rules.digest and not open_path:
            given = headers.get(b"authorization", "")
            if not token_file.header_has_token(rules.digest, given):
                raise RequestRefused(
                    "unauthorized",
                    "The token is wrong." if given else "A token is needed.",
                    "Send the header Authorization: Bearer TOKEN.",
                )


def host_name_in_header(host_header: str) -> str:
    """The name in a ``Host`` header, without port and brackets, in lower case."""
    try:
        return (urlsplit(f"//{host_header}").hostname or "").lower()
    except ValueError:
        return ""


def _is_own(origin: str, headers: dict[bytes, str]) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == headers.get(b"host", "")


def _request_id(given: str) -> str:
    """The client's id of a request if it is a plain one, else a new one."""
    plain = given.isascii() and given.replace("-", "").isalnum() and len(given) <= 64
    return given if plain else os.urandom(8).hex()


class LimitedRequestBody:
    """An ASGI ``receive`` that raises RequestRefused for a body that is too large or too slow.

    The limits are 8 MiB, and 20 seconds from the first read until all of it has come.
    """

    def __init__(self, receive: Receive, length: str) -> None:
        if length.isdecimal() and int(length) > LARGEST:
            raise _too_large()
        self._receive = receive
        self._left = LARGEST
        self._complete = False
        self._deadline: float | None = None  # on the clock of the event loop

    async def __call__(self) -> Message:
        """The next part. Raises RequestRefused, which the service answers."""
        if self._complete:
            return await self._receive()  # waits until the client has gone
        self._deadline = self._deadline or asyncio.get_running_loop().time() + PATIENCE
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise RequestRefused(
                "timed_out", "The body did not come in time.", f"Send it within {PATIENCE:.0f} s."
            ) from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise _too_large()
            self._complete = not message.get("more_body", False)
        return message


def _too_large() -> RequestRefused:
    return RequestRefused(
        "too_large",
        f"The body is larger than {LARGEST >> 20} MB.",
        "Split the request into several.",
    )


class RateLimiter:
    """Allows each address ``rate`` requests a second (0: any number), five times that at once."""

    _BURST, _MOST = 5, 1000

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        # Of a plain dict, dropping the first costs a look at every place that earlier ones had.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count_request(self, client_address: str) -> None:
        """Count a request of a client's address. Raises RequestRefused if it has sent too many."""
        if not self._rate:
            return
        now, full = self._clock(), self._rate * self._BURST
        left, at = self._buckets.pop(client_address, (full, now))
        left = min(full, left + (now - at) * self._rate)
        self._buckets[client_address] = (max(0.0, left - 1), now)
        while len(self._buckets) > self._MOST:
            self._buckets.popitem(last=False)
        if left < 1:
            raise RequestRefused("too_many", "Too many requests.", "Wait a second between them.")
