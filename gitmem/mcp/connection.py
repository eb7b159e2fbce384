"""What one client's calls share, and how each of them is answered; without the SDK.

``ctx`` is the SDK's context of a request, or what stands in for it (``mcp.early_calls``).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.mcp.rpc import repo_resolver
from gitmem.mcp.rpc.client_log import ClientLog
from gitmem.mcp.rpc.executor import Desk, agent_name
from gitmem.mcp.rpc.progress import Reporter, Watch
from gitmem.mcp.rpc.shared_calls import Begun, SharedCalls
from gitmem.mcp.tools import calls, catalogue, tool_results
from gitmem.mcp.tools.defaults import SET_DEFAULTS, SessionState
from gitmem.mcp.tools.offer import Offered
from gitmem.mcp.tools.tool_results import Answer
from gitmem.model.frozen import replace
from gitmem.operations.registry import READ

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    Context = ServerRequestContext[dict[str, Any], Any]

T = TypeVar("T")


class Connection:
    """One client: its repositories, its defaults, its log."""

    def __init__(self, desk: Desk, profile: str = "default") -> None:
        self.profile = profile
        self.places = repo_resolver.Places(desk)
        self.log = ClientLog()
        self._desk = desk
        self._state = SessionState()
        self._shared = SharedCalls()

    async def call(
        self,
        ctx: Context,
        offer: Offered,
        given: Mapping[str, Any],
        meta: Mapping[str, Any] | None = None,
        responses: Mapping[str, Any] | None = None,
    ) -> Answer:
        """The answer to a call, also to one that failed. Raises RootsWanted."""
        tool, began = offer.name, time.monotonic()

        async def work(begun: Begun) -> Answer:
            def in_turn(app: App) -> Answer:
                begun()
                return calls.perform(app, tool, arguments, self._state, self.profile)

            return await self.do(ctx, asked, responses, in_turn)

        try:
            arguments = catalogue.with_repository(offer, given)
            asked = repo_resolver.named(meta, arguments) or self._state.repository
            key = "" if responses is not None else _key(offer, given, asked)
            answer = await self._shared.run(key, work)
        except GitmemError as error:
            await self.log.tell_call(ctx, tool, time.monotonic() - began, error)
            return _as_listed(offer, tool_results.failure(error))
        self._desk.afterwards(_settle)
        await self.log.tell_call(ctx, tool, time.monotonic() - began)
        if offer.call is not None and offer.call.sticks:
            self._state.repository = asked
        return _as_listed(offer, answer)

    async def do(
        self,
        ctx: Context,
        asked: str,
        responses: Mapping[str, Any] | None,
        work: Callable[[App], T],
    ) -> T:
        """Do a piece of work where a request means it. Raises GitmemError, RootsWanted."""
        place = await self.places.place(ctx.session, asked, responses)
        return await self._desk.do(_agent(ctx), work, place=place, watch=_watch(ctx))


def _as_listed(offer: Offered, answer: Answer) -> Answer:
    """The answer, with data only where the list promises some.

    A host that finds data hands its model nothing else: without the frame, and twice as long.
    """
    return answer if offer.has_data else replace(answer, data=None)


def _key(offer: Offered, arguments: Mapping[str, Any], repository: str) -> str:
    """What two calls have in common that have one answer; empty for a call that may write."""
    # Defaults change what every later call of the session is answered.
    if offer.effect != READ or offer.operation is SET_DEFAULTS:
        return ""
    return json.dumps([offer.name, repository, arguments], sort_keys=True, default=repr)


def _watch(ctx: Context) -> Watch:
    """Whoever gave a token is told how far the work is."""
    wants = ctx.meta is not None and "progress_token" in ctx.meta
    return Watch(Reporter(ctx.session.report_progress) if wants else None)


def _settle() -> None:
    # Only where a call has asked for the meaning of something.
    if meaning := sys.modules.get("gitmem.indexing.text_vectors"):
        meaning.settle()


def _agent(ctx: Context) -> str:
    client = ctx.session.client_params
    return "" if client is None else agent_name(client.client_info.name)
