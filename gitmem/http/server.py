"""``gitmem serve``: from the start of the process to its end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress

from gitmem.clock import SystemClock
from gitmem.errors import InvalidInput, Unavailable
from gitmem.http.guard import LOOPBACK, RequestAccessRules, RequestGuard, host_name_in_header
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.settings import Settings

# Seconds in which requests under way may end.
ENDING = 5
# Requests a second by each address where others than this machine can ask.
_RATE = 50.0


def serve(
    start_folder: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8420,
    read_only: bool = False,
    token_file: str = "",
    allowed_origins: Sequence[str] = (),
    host_names: Sequence[str] = (),
    profile: str = "default",
    open_page: bool = False,
) -> int:
    """Run the HTTP server until SIGINT or SIGTERM; returns the exit status, 0.

    ``start_folder`` is the folder of the repository; ``port`` 0 takes a free one. ``token_file`` is
    the file of the token that requests must send, ``allowed_origins`` are web origins that may read
    answers, ``host_names`` those by which a proxy lets others call it. ``profile`` names the set of
    MCP tools; ``open_page`` opens a browser. Raises InvalidInput for a server that others can reach
    without a token, Unavailable for an address that is taken or not this machine's.
    """
    for name in host_names:
        if not name or host_name_in_header(name) != name.lower():
            raise InvalidInput(
                f"{name[:80]!r} is not a host name.",
                "Give the name without scheme, port and path: --allow-host api.example",
            )
    alone = host in LOOPBACK and not host_names
    if not alone and not token_file:
        who = host_names[0] if host_names else host
        raise InvalidInput(
            f"A server at {who} can be reached from other machines, so it must ask for a token.",
            f"Add --token-file FILE, or leave --{'allow-host' if host_names else 'host'} out.",
        )
    digest = token = ""
    if token_file:
        from gitmem.http.token_file import load_or_create_token  # noqa: PLC0415 - only with a token

        digest, token = load_or_create_token(os.path.abspath(token_file), os.urandom)
    listener = _listen(host, port)
    address = _address(host, listener)
    hosts = LOOPBACK | {host.lower(), *map(str.lower, host_names)} | _own_names(host)
    rules = RequestAccessRules(hosts, frozenset(allowed_origins), digest, 0.0 if alone else _RATE)
    key = "" if read_only else os.urandom(16).hex()
    _announce(address, token, key, alone=host in LOOPBACK)
    place = os.path.abspath(start_folder)
    signal.signal(signal.SIGTERM, _interrupt)
    # uvicorn ends in order, and then repeats the signal that ended it.
    with suppress(KeyboardInterrupt):
        asyncio.run(
            _serve(
                place,
                listener,
                rules,
                profile,
                read_only=read_only,
                behind_proxy=bool(host_names),
                key=key,
                opened=f"{address}/open/{key}" if key and open_page else address * open_page,
            )
        )
    return 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol: asyncio turns Nagle's algorithm off only for a socket that names it.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        raise Unavailable(
            f"The server cannot listen on {host}:{port}: {error.strerror}.",
            "Name another port: gitmem serve --port 0 takes a free one.",
        ) from error
    return listener


def _address(host: str, listener: socket.socket) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


def _own_names(host: str) -> frozenset[str]:
    """The names of this machine, for a server on all of its addresses."""
    if host not in ("0.0.0.0", "::"):
        return frozenset()
    name = socket.gethostname().lower()
    addresses = set[str]()
    with suppress(OSError):
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    return frozenset({name, *addresses})


def _announce(address: str, token: str, key: str, *, alone: bool) -> None:
    lines = [f"gitmem serves {'' if key else 'for reading '}at {address}; Ctrl-C ends it."]
    if key:
        lines.append(f"Pages where you can change memories: {address}/open/{key}")
    if token:
        lines.append(f"Token, shown this once: {token}")
    if not alone:
        lines.append(
            "Warning: other machines can reach this address. Nothing is encrypted: put a proxy "
            "with TLS before it."
        )
    sys.stderr.write("".join(line + "\n" for line in lines))
    sys.stderr.flush()


async def _serve(
    start: str,
    listener: socket.socket,
    rules: RequestAccessRules,
    profile: str,
    *,
    read_only: bool,
    behind_proxy: bool,
    key: str,
    opened: str,
) -> None:
    import uvicorn  # noqa: PLC0415 - after the address was taken

    from gitmem.http.header_timeout import HeaderTimeoutProtocol  # noqa: PLC0415
    from gitmem.http.mcp_transports import McpHttpTransports  # noqa: PLC0415 - with Starlette
    from gitmem.http.pages.routes import WebPages  # noqa: PLC0415 - with the templates
    from gitmem.http.service import HttpService, ServerLimits  # noqa: PLC0415

    settings = Settings.of_process()
    clock = SystemClock()
    limits = ServerLimits(read_only, bool(rules.digest), settings.audit_log)
    service = HttpService(start, limits, lambda: ids.new_ulid(clock.now(), os.urandom(10)))
    transports = McpHttpTransports(service.executor, "readonly" if read_only else profile)
    service.on_leave.append(transports.end_sessions)
    pages = WebPages(service, rules.digest, listener.getsockname()[1], key or os.urandom(16).hex())
    rules = replace(rules, signs_in=pages.is_page_path)
    routes = [*transports.routes(), *pages.routes()]
    application = RequestGuard(service.asgi_application(routes), rules, time.monotonic)
    config = uvicorn.Config(
        application,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        http=HeaderTimeoutProtocol,
        # Only then is the address in X-Forwarded-For believed, and only from this machine.
        proxy_headers=behind_proxy,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=ENDING,
        h11_max_incomplete_event_size=64 << 10,
        limit_concurrency=1000,
    )
    server = uvicorn.Server(config)
    if opened:
        # The listener takes connections already; they are answered as soon as the server runs.
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, opened)
    await server.serve(sockets=[listener])
