"""Log messages about calls for a client that set a log level.

Only in revisions with ``logging/setLevel``, and nothing before the client sends it: most hosts show
every message to a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.errors import GitmemError
from gitmem.text.fence import inert

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import EmptyResult, LoggingLevel, SetLevelRequestParams

# From the least severe to the most.
LEVELS: tuple[LoggingLevel, ...] = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)
_NAME = "gitmem"


class ClientLog:
    """The messages of one connection."""

    def __init__(self) -> None:
        self._least: int | None = None

    async def set_level(
        self, _: ServerRequestContext[Any, Any], params: SetLevelRequestParams
    ) -> EmptyResult:
        """From now on send messages of at least this level."""
        from mcp_types import EmptyResult  # noqa: PLC0415 - most calls do not need it

        self._least = LEVELS.index(params.level)
        return EmptyResult()

    async def tell_call(
        self,
        ctx: ServerRequestContext[Any, Any],
        tool: str,
        seconds: float,
        error: GitmemError | None = None,
    ) -> None:
        """Send a message about a finished call: success is debug, a refusal info, a bug error."""
        if error is None:
            level: LoggingLevel = "debug"
        else:
            level = "error" if error.code == "internal" else "info"
        if self._least is None or LEVELS.index(level) < self._least:
            return
        from mcp_types import (  # noqa: PLC0415 - loaded already when a level is set
            LoggingMessageNotification,
            LoggingMessageNotificationParams,
        )

        data: dict[str, Any] = {"tool": tool, "ms": round(seconds * 1000, 1)}
        if error is not None:
            data |= {"code": error.code, "message": inert(error.message)}
        params = LoggingMessageNotificationParams(level=level, logger=_NAME, data=data)
        await ctx.session.send_notification(
            LoggingMessageNotification(params=params), related_request_id=ctx.request_id
        )
