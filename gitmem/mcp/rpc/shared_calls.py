"""Running equal requests that wait at the same time only once.

A request joins only one that has not begun, so that no answer is older than its request. A request
after a call that writes does not join one from before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")
# Called by the working thread when it begins.
BeginReport = Callable[[], None]


class _WaitingCall:
    __slots__ = ("answer", "begun", "joined")

    def __init__(self) -> None:
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.begun = False
        self.joined = 0

    def mark_begun(self) -> None:
        self.begun = True


class _Left(Exception):
    """The first caller was cancelled, and its work with it."""


class CallDeduplicator:
    """Runs equal calls that wait at the same time only once, and gives each the result.

    ``shared`` counts the calls that got the result of another.
    """

    def __init__(self) -> None:
        self.shared = 0
        self._waiting: dict[str, _WaitingCall] = {}

    async def run(self, call_key: str, function: Callable[[BeginReport], Awaitable[T]]) -> T:
        """Await ``function``, or a waiting call with an equal key; returns the result.

        ``function`` gets a callback to call when its work begins: from then on no other call joins
        it. A call with an empty key always runs. An error is raised in all calls that share it.
        """
        if not call_key:
            self._waiting.clear()
            return await function(lambda: None)
        while (waiting := self._waiting.get(call_key)) is not None and not waiting.begun:
            try:
                answer: T = await self._join(waiting)
            except _Left:
                continue
            return answer
        return await self._run_and_share(call_key, function)

    async def _join(self, waiting: _WaitingCall) -> Any:
        waiting.joined += 1
        # A cancelled caller must not cancel the answer for the others.
        answer: Any = await asyncio.shield(waiting.answer)
        self.shared += 1
        return answer

    async def _run_and_share(self, key: str, work: Callable[[BeginReport], Awaitable[T]]) -> T:
        waiting = self._waiting[key] = _WaitingCall()
        try:
            answer = await work(waiting.mark_begun)
        except BaseException as error:
            self._forget(key, waiting)
            if waiting.joined:
                left = isinstance(error, asyncio.CancelledError)
                waiting.answer.set_exception(_Left() if left else error)
            raise
        self._forget(key, waiting)
        waiting.answer.set_result(answer)
        return answer

    def _forget(self, key: str, waiting: _WaitingCall) -> None:
        if self._waiting.get(key) is waiting:
            del self._waiting[key]
