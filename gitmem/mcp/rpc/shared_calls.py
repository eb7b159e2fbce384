"""Requests for the same that wait at one time are worked on once, and all get that answer.

Only one that was not begun is joined: what it reads is read after the question was asked, so nobody
gets an answer that is older than his question. What is asked after a call that writes does not join
what waited before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")
# Told by the thread that does the work, as it begins.
Begun = Callable[[], None]


class _Waiting:
    __slots__ = ("answer", "begun", "joined")

    def __init__(self) -> None:
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.begun = False
        self.joined = 0

    def begin(self) -> None:
        self.begun = True


class _Left(Exception):
    """Whoever asked first no longer waits, and took the work along."""


class SharedCalls:
    """Joins requests of one connection by their key. ``shared`` counts those that were joined."""

    def __init__(self) -> None:
        self.shared = 0
        self._waiting: dict[str, _Waiting] = {}

    async def run(self, key: str, work: Callable[[Begun], Awaitable[T]]) -> T:
        """The answer of ``work``, or of the same that waits already; without a key its own.

        ``work`` calls what it is given once its turn has come. What it raises all are told.
        """
        if not key:
            self._waiting.clear()
            return await work(lambda: None)
        while (one := self._waiting.get(key)) is not None and not one.begun:
            try:
                answer: T = await self._join(one)
            except _Left:
                continue
            return answer
        return await self._lead(key, work)

    async def _join(self, waiting: _Waiting) -> Any:
        waiting.joined += 1
        # Who leaves does not take the answer from the others.
        answer: Any = await asyncio.shield(waiting.answer)
        self.shared += 1
        return answer

    async def _lead(self, key: str, work: Callable[[Begun], Awaitable[T]]) -> T:
        one = self._waiting[key] = _Waiting()
        try:
            answer = await work(one.begin)
        except BaseException as error:
            self._forget(key, one)
            if one.joined:
                left = isinstance(error, asyncio.CancelledError)
                one.answer.set_exception(_Left() if left else error)
            raise
        self._forget(key, one)
        one.answer.set_result(answer)
        return answer

    def _forget(self, key: str, waiting: _Waiting) -> None:
        if self._waiting.get(key) is waiting:
            del self._waiting[key]
