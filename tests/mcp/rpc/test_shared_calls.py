"""Requests for the same that wait at one time are worked on once (CE-24)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gitmem.mcp.rpc.shared_calls import BeginReport, CallDeduplicator


class Queue:
    """Work that begins and ends when the test says so; each piece answers with its number."""

    def __init__(self) -> None:
        self.begun: list[BeginReport] = []
        self.ends: list[asyncio.Future[int]] = []

    async def work(self, begun: BeginReport) -> int:
        self.begun.append(begun)
        self.ends.append(asyncio.get_running_loop().create_future())
        return await self.ends[-1]

    def end(self, number: int) -> None:
        if not self.ends[number].done():
            self.ends[number].set_result(number)


def running(
    test: Callable[[Queue, Callable[[str], asyncio.Task[int]]], Awaitable[CallDeduplicator]],
) -> CallDeduplicator:
    async def main() -> CallDeduplicator:
        shared, queue = CallDeduplicator(), Queue()

        def ask(key: str) -> asyncio.Task[int]:
            return asyncio.ensure_future(shared.run(key, queue.work))

        done = await asyncio.wait_for(test(queue, ask), 20)
        assert done is not None
        done.shared += shared.shared
        return done

    return asyncio.run(main())


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_the_same_is_worked_on_once_and_another_by_itself() -> None:
    async def test(queue: Queue, ask: Callable[[str], asyncio.Task[int]]) -> CallDeduplicator:
        tasks = [ask(key) for key in ("a", "a", "b", "a")]
        await settle()
        assert len(queue.ends) == 2
        queue.end(0)
        queue.end(1)
        assert await asyncio.gather(*tasks) == [0, 0, 1, 0]
        # What was answered is no answer to who asks later.
        later = ask("a")
        await settle()
        queue.end(2)
        assert await later == 2
        return CallDeduplicator()

    assert running(test).shared == 2


def test_work_that_was_begun_is_not_joined_and_nothing_before_a_write_is() -> None:
    async def test(queue: Queue, ask: Callable[[str], asyncio.Task[int]]) -> CallDeduplicator:
        first = ask("a")
        await settle()
        queue.begun[0]()
        second = ask("a")
        await settle()
        write = ask("")
        await settle()
        third, joined = ask("a"), ask("a")
        await settle()
        for number in range(4):
            queue.end(number)
        assert await asyncio.gather(first, second, write, third, joined) == [0, 1, 2, 3, 3]
        return CallDeduplicator()

    assert running(test).shared == 1


def test_who_leaves_takes_the_answer_from_nobody() -> None:
    async def test(queue: Queue, ask: Callable[[str], asyncio.Task[int]]) -> CallDeduplicator:
        first, second, third = ask("a"), ask("a"), ask("a")
        await settle()
        first.cancel()
        await settle()
        # The second leads now, the third has joined it.
        assert len(queue.ends) == 2
        third.cancel()
        await settle()
        queue.end(1)
        assert await second == 1
        return CallDeduplicator()

    assert running(test).shared == 0


def test_an_error_is_reported_to_all() -> None:
    async def test(queue: Queue, ask: Callable[[str], asyncio.Task[int]]) -> CallDeduplicator:
        tasks = [ask("a"), ask("a")]
        await settle()
        queue.ends[0].set_exception(LookupError("gone"))
        for task in tasks:
            with pytest.raises(LookupError, match="gone"):
                await task
        return CallDeduplicator()

    running(test)
