"""MCP over HTTP: streamable at ``/mcp``, the older server-sent events at ``/sse``.

The SDK takes most of a second to import, so both are made at their first request.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from gitmem.http.guard import Receive, Scope, Send
from gitmem.http.projects import NO_ROOTS
from gitmem.mcp.rpc.executor import CallExecutor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.routing import BaseRoute

    Serving = Callable[["_SdkTransports", Scope, Receive, Send], Awaitable[None]]

# Sessions whose defaults are kept.
_MOST_SESSIONS = 1000
PATH, SSE_PATH, MESSAGES_PATH = "/mcp", "/sse", "/messages/"


class McpHttpTransports:
    """Serves MCP over HTTP: streamable at ``/mcp``, and with server-sent events at ``/sse``.

    Calls run in its ``executor``; ``profile`` names the set of tools on offer.
    """

    def __init__(self, executor: CallExecutor, profile: str) -> None:
        self._executor = executor
        self._profile = profile
        self._making = asyncio.Lock()
        self._made: _SdkTransports | None = None
        self._ended = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None

    def routes(self) -> list[BaseRoute]:
        """The Starlette routes of both; the MCP SDK is loaded at the first request."""
        from starlette.routing import Mount, Route  # noqa: PLC0415 - for a server alone

        return [
            Route(
                PATH,
                _Endpoint(self, _SdkTransports.handle_streamable),
                methods=["GET", "POST", "DELETE"],
            ),
            Route(SSE_PATH, _Endpoint(self, _SdkTransports.handle_sse), methods=["GET"]),
            Mount(MESSAGES_PATH, _Endpoint(self, _SdkTransports.handle_message)),
        ]

    async def serve(self, handler: Serving, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an ASGI request by ``handler``, called with the SDK's transports and the rest."""
        transports = await self._load()
        await handler(transports, scope, receive, send)

    async def _load(self) -> _SdkTransports:
        async with self._making:
            if self._made is None:
                ready: asyncio.Future[_SdkTransports] = asyncio.get_running_loop().create_future()
                self._runner = asyncio.create_task(self._run(ready))
                self._made = await ready
        return self._made

    async def _run(self, ready: asyncio.Future[_SdkTransports]) -> None:
        """Keep the SDK's session manager open, in the task that opened it, until the end."""
        try:
            transports = await asyncio.to_thread(_make, self._executor, self._profile)
            async with transports.manager.run():
                ready.set_result(transports)
                await self._ended.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    async def end_sessions(self) -> None:
        """End all sessions, and wait for that a second at most."""
        self._ended.set()
        if self._runner is not None:
            await asyncio.wait([self._runner], timeout=1.0)


class _Endpoint:
    """An ASGI application, since Starlette would take a function for one of requests."""

    def __init__(self, transports: McpHttpTransports, by: Serving) -> None:
        self._transports = transports
        self._by = by

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._transports.serve(self._by, scope, receive, send)


class _SdkTransports:
    """The SDK's objects."""

    def __init__(self, server: Any, manager: Any, events: Any) -> None:
        self._server = server
        self.manager = manager
        self._events = events

    async def handle_streamable(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.manager.handle_request(scope, receive, send)

    async def handle_sse(self, scope: Scope, receive: Receive, send: Send) -> None:
        options = self._server.create_initialization_options()
        async with self._events.connect_sse(scope, receive, send) as (incoming, outgoing):
            await self._server.run(incoming, outgoing, options)

    async def handle_message(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._events.handle_post_message(scope, receive, send)


def _make(executor: CallExecutor, profile: str) -> _SdkTransports:
    from mcp.server.sse import SseServerTransport  # noqa: PLC0415 - see above
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415

    from gitmem.mcp.handlers import build_server  # noqa: PLC0415 - as above

    server = build_server(_clients(executor, profile))
    return _SdkTransports(
        server, StreamableHTTPSessionManager(server), SseServerTransport(MESSAGES_PATH)
    )


def _clients(executor: CallExecutor, profile: str) -> Any:
    from gitmem.mcp.connection import ClientConnection  # noqa: PLC0415 - as above

    class SessionConnections(ClientConnection):
        """The connections of all clients: each session has its own defaults."""

        def __init__(self) -> None:
            super().__init__(executor, profile)
            self.places.roots = NO_ROOTS
            # By the id of a session, the least recently used first.
            self._sessions: OrderedDict[str, ClientConnection] = OrderedDict()

        def _of(self, request: Any) -> ClientConnection:
            """The connection of a request; a new one where the protocol has no sessions."""
            id = request.headers.get("mcp-session-id") or request.query_params.get("session_id")
            connection = self._sessions.pop(id, None) if id else None
            if connection is None:
                connection = ClientConnection(executor, profile)
                connection.places.roots = NO_ROOTS
            if id:
                self._sessions[id] = connection
                while len(self._sessions) > _MOST_SESSIONS:
                    self._sessions.popitem(last=False)
            return connection

        async def call_tool(self, ctx: Any, *args: Any, **kwargs: Any) -> Any:
            return await self._of(ctx.request).call_tool(ctx, *args, **kwargs)

    return SessionConnections()
