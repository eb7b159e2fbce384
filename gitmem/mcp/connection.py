"""The state that one client's calls share, and the answering of calls; without the SDK.

``ctx`` is the SDK's context of a request, or its stand-in (``mcp.early_calls``).
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
from gitmem.mcp.rpc.executor import CallExecutor, agent_name
from gitmem.mcp.rpc.progress import CallProgress, ProgressNotifier
from gitmem.mcp.rpc.shared_calls import BeginReport
from gitmem.mcp.tools import calls, catalogue, tool_results
from gitmem.mcp.tools.defaults import SET_DEFAULTS, SessionState
from gitmem.mcp.tools.offer import OfferedTool
from gitmem.mcp.tools.tool_results import ToolAnswer
from gitmem.model.frozen import replace
from gitmem.operations.registry import READ
from gitmem.text.fence import escape_for_model

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import EmptyResult, LoggingLevel, SetLevelRequestParams

    Context = ServerRequestContext[dict[str, Any], Any]

T = TypeVar("T")
# From the least severe to the most.
_LEVELS: tuple[LoggingLevel, ...] = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)


class ClientConnection:
    """An MCP client's connection: performs its tool calls and keeps its state between them."""

    def __init__(self, executor: CallExecutor, profile: str = "default") -> None:
        self.profile = profile
        self.places = repo_resolver.FolderResolver(executor)
        self.log = ClientLog()
        self._desk = executor
        self._state = SessionState()

    async def call_tool(
        self,
        ctx: Context,
        offered_tool: OfferedTool,
        given_arguments: Mapping[str, Any],
        request_meta: Mapping[str, Any] | None = None,
        client_responses: Mapping[str, Any] | None = None,
    ) -> ToolAnswer:
        """Call a tool and return its answer; if the call fails, the answer contains the error.

        ``ctx`` is the SDK's context of the request, ``request_meta`` its ``_meta``,
        ``client_responses`` the client's answers to questions of an earlier try. Raises
        RootsRequired if the client must first be asked for its roots (the folders that it has
        open).
        """
        tool, began = offered_tool.name, time.monotonic()

        async def run_deduplicated_call(
            report_begin: BeginReport,
        ) -> tuple[ToolAnswer, SessionState]:
            def perform_call(app: App) -> tuple[ToolAnswer, SessionState]:
                report_begin()
                app.request = str(ctx.request_id or "")
                answer = calls.perform_tool_call(app, tool, arguments, self._state, self.profile)
                return answer, self._state

            return await self.run_in_repository(ctx, repository, client_responses, perform_call)

        try:
            arguments = catalogue.normalise_repository_argument(offered_tool, given_arguments)
            # Other systems' tools say themselves which argument names the repository.
            fields = (
                (repo_resolver.ALIAS,)
                if offered_tool.call or offered_tool.parts
                else offered_tool.fields
            )
            repository = (
                repo_resolver.pop_requested_repository(request_meta, arguments, fields)
                or self._state.repository
            )
            key = (
                ""
                if client_responses is not None
                else _sharing_key(offered_tool, given_arguments, repository)
            )
            if key:
                key += self._state.settings_comparison_key + self.profile + _agent(ctx)
            answer, state = await self._desk.shared.run(key, run_deduplicated_call)
            if state is not self._state:
                self._state.copy_answer_memory_ids(state, given_arguments.get("query"))
        except GitmemError as error:
            await self.log.send_call_message(ctx, tool, time.monotonic() - began, error)
            return _fit_to_list(offered_tool, tool_results.failed_answer(error))
        self._desk.run_when_idle(_load_awaited_model)
        await self.log.send_call_message(ctx, tool, time.monotonic() - began)
        if offered_tool.call is not None and offered_tool.call.sticks:
            self._state.repository = repository
        return _fit_to_list(offered_tool, answer)

    async def run_in_repository(
        self,
        ctx: Context,
        repository: str,
        client_responses: Mapping[str, Any] | None,
        function: Callable[[App], T],
    ) -> T:
        """Call ``function`` with an App (state of a command) for a repository; returns its result.

        ``repository`` is a folder or a project's name, or "" for the default. Raises GitmemError,
        and RootsRequired if the client must first be asked for its roots (the folders it has open).
        """
        place = await self.places.folder_for_call(ctx.session, repository, client_responses)
        # A client that wants progress reports gives a token for them.
        wants = ctx.meta is not None and "progress_token" in ctx.meta
        watch = CallProgress(ProgressNotifier(ctx.session.report_progress) if wants else None)
        return await self._desk.run_call(_agent(ctx), function, folder=place, progress=watch)


def _agent(ctx: Context) -> str:
    client = ctx.session.client_params
    return "" if client is None else agent_name(client.client_info.name)


def _fit_to_list(offer: OfferedTool, answer: ToolAnswer) -> ToolAnswer:
    """The answer, with data only if the tool list promises some.

    A host that finds data gives its model nothing else: without the frame, and twice as long.
    """
    return answer if offer.has_data else replace(answer, data=None)


def _sharing_key(offer: OfferedTool, arguments: Mapping[str, Any], repository: str) -> str:
    """A key that is equal for calls with the same answer; empty for a call that may write."""
    # Defaults change the answers of all later calls of the session.
    if offer.effect != READ or offer.operation is SET_DEFAULTS:
        return ""
    return json.dumps([offer.name, repository, arguments], sort_keys=True, default=repr)


def _load_awaited_model() -> None:
    if "gitmem.indexing.text_vectors" in sys.modules:  # only if a call needed vectors
        from gitmem.indexing import text_vectors  # noqa: PLC0415 - as above

        text_vectors.load_contextual_model_in_background()


class ClientLog:
    """Sends log messages about finished calls to a client, once the client has set a log level."""

    def __init__(self) -> None:
        self._least: int | None = None

    async def set_level(self, _: Context, params: SetLevelRequestParams) -> EmptyResult:
        """Send messages of at least ``params.level`` from now on; returns an empty result."""
        from mcp_types import EmptyResult  # noqa: PLC0415 - most calls do not need it

        self._least = _LEVELS.index(params.level)
        return EmptyResult()

    async def send_call_message(
        self,
        ctx: Context,
        tool: str,
        seconds: float,
        error: GitmemError | None = None,
    ) -> None:
        """Send a log message about a finished call, if its level is at least that of the client.

        The level is debug for a successful call, info for a refused one, and error for a fault of
        gitmem; ``seconds`` is how long the call took.
        """
        if error is None:
            level: LoggingLevel = "debug"
        else:
            level = "error" if error.code == "internal" else "info"
        if self._least is None or _LEVELS.index(level) < self._least:
            return
        from mcp_types import (  # noqa: PLC0415 - loaded already when a level is set
            LoggingMessageNotification,
            LoggingMessageNotificationParams,
        )

        data: dict[str, Any] = {"tool": tool, "ms": round(seconds * 1000, 1)}
        if error is not None:
            data |= {"code": error.code, "message": escape_for_model(error.message)}
        params = LoggingMessageNotificationParams(level=level, logger="gitmem", data=data)
        await ctx.session.send_notification(
            LoggingMessageNotification(params=params), related_request_id=ctx.request_id
        )
