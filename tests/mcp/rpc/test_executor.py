"""Work with an App of its own in one thread, and what a bug in it becomes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.embedding.contextual import ContextualEmbedder
from gitmem.errors import (
    GitmemError,
    InternalError,
    NotARepository,
    ShuttingDown,
    StoreBusy,
)
from gitmem.indexing import contextual_vectors, text_vectors
from gitmem.mcp.rpc import executor
from gitmem.mcp.rpc.executor import CallExecutor, agent_name
from gitmem.mcp.rpc.progress import CallCancelled
from tests.support.tables import table


def at_desk(place: Path, work: Callable[[CallExecutor], Awaitable[object]]) -> object:
    async def main() -> object:
        return await work(CallExecutor(str(place)))

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of this test's own."""
    monkeypatch.setenv("GITMEM_HOME", str(tmp_path / "gitmem"))
    return tmp_path


@table(
    ("client", "agent"),
    [
        ("claude-code", "claude-code"),
        ("Claude Code", "claude-code"),
        ("Visual Studio Code – Insiders", "visual-studio-code-insiders"),
        ("cursor_agent/1.2", "cursor-agent-1.2"),
        ("\u202e\x00\n", ""),
        ("x" * 500, "x" * 64),
    ],
)
def test_clients_name_becomes_a_plain_word(client: str, agent: str) -> None:
    assert agent_name(client) == agent


def test_bug_becomes_an_internal_error_and_its_traceback_goes_to_the_log(home: Path) -> None:
    def broken(app: App) -> None:
        raise ZeroDivisionError("the bug of this test")

    with pytest.raises(InternalError) as caught:
        at_desk(home, lambda desk: desk.run_call("codex", broken))
    log = home / "gitmem" / "errors.log"
    assert str(log) in caught.value.hint
    assert "the bug of this test" not in caught.value.message
    assert "ZeroDivisionError: the bug of this test" in log.read_text()


def test_desk_works_on_after_an_error(home: Path) -> None:
    async def twice(desk: CallExecutor) -> str:
        with pytest.raises(NotARepository):
            await desk.run_call("codex", lambda app: app.layout)
        return await desk.run_call("codex", lambda app: app.agent)

    assert at_desk(home, twice) == "codex"


def test_client_that_calls_itself_a_person_is_an_agent(home: Path) -> None:
    client = agent_name("A Person")
    assert at_desk(home, lambda desk: desk.run_call(client, lambda app: app.agent)) == "an agent"


def test_client_without_a_name_is_still_no_person(home: Path) -> None:
    named = at_desk(home, lambda desk: desk.run_call("", lambda app: (app.agent, app.source)))
    assert isinstance(named, tuple)
    assert named[0]
    assert named[1] == "ai_inferred"


def test_all_work_is_done_in_one_other_thread(home: Path) -> None:
    async def threads(desk: CallExecutor) -> list[int]:
        calls = (desk.run_call("a", lambda _: threading.get_ident()) for _ in range(5))
        return await asyncio.gather(*calls)

    found = at_desk(home, threads)
    assert isinstance(found, list)
    assert len(set(found)) == 1
    assert found[0] != threading.get_ident()


def test_closing_tells_those_who_wait_and_refuses_those_who_come(home: Path) -> None:
    async def closed(desk: CallExecutor) -> list[object]:
        release = threading.Event()
        slow = asyncio.ensure_future(desk.run_call("a", lambda _: release.wait(30)))
        queued = asyncio.ensure_future(desk.run_call("a", lambda _: None))
        while not desk.is_busy:
            await asyncio.sleep(0.001)
        desk.close()
        late = asyncio.ensure_future(desk.run_call("a", lambda _: None))
        output = await asyncio.gather(slow, queued, late, return_exceptions=True)
        release.set()
        return list(output)

    output = at_desk(home, closed)
    assert isinstance(output, list)
    assert [type(item) for item in output] == [ShuttingDown] * 3
    assert {item.code for item in output if isinstance(item, GitmemError)} == {"shutting_down"}


def test_what_is_done_afterwards_is_done_in_the_same_thread_after_the_call(home: Path) -> None:
    done: list[tuple[str, str]] = []

    async def both(desk: CallExecutor) -> None:
        def say(what: str) -> None:
            done.append((what, threading.current_thread().name))

        await desk.run_call("codex", lambda _app: say("call"))
        desk.run_when_idle(lambda: say("afterwards"))
        await desk.run_call("codex", lambda _app: say("next call"))
        desk.close()
        desk.run_when_idle(lambda: say("never"))

    at_desk(home, both)
    assert [what for what, _ in done] == ["call", "afterwards", "next call"]
    assert len({thread for _, thread in done}) == 1


def test_work_may_be_done_in_another_folder(home: Path) -> None:
    (home / "other").mkdir()

    async def both(desk: CallExecutor) -> list[str]:
        return [
            await desk.run_call("codex", lambda app: app.start),
            await desk.run_call("codex", lambda app: app.start, folder=str(home / "other")),
        ]

    assert at_desk(home, both) == [str(home), str(home / "other")]


@pytest.mark.parametrize("how", ["told", "broken", "refused"])
def test_work_whose_caller_is_cancelled_is_stopped_and_no_bug(home: Path, how: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(app: App) -> None:
        begun.set()
        try:
            while True:
                app.progress("files", 1, 2)
        except CallCancelled:
            # What was torn up may fail in its own way.
            if how == "broken":
                raise ZeroDivisionError from None
            if how == "refused":
                raise StoreBusy("The store is busy.") from None
            raise
        finally:
            ended.set()

    async def cancelled(desk: CallExecutor) -> str:
        work = asyncio.ensure_future(desk.run_call("codex", endless))
        await asyncio.to_thread(begun.wait, 30)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert await asyncio.to_thread(ended.wait, 30)
        return await desk.run_call("codex", lambda app: app.agent)

    assert at_desk(home, cancelled) == "codex"
    assert not (home / "gitmem" / "errors.log").exists()


def test_closing_stops_what_is_being_done_and_tells_who_asked_to_know(home: Path) -> None:
    begun = threading.Event()
    output: list[str] = []

    def endless(app: App) -> None:
        begun.set()
        while True:
            app.progress("files", 1, 2)

    async def closed(desk: CallExecutor) -> bool:
        desk.on_close.append(lambda: output.append("closed"))
        work = asyncio.ensure_future(desk.run_call("codex", endless))
        await asyncio.to_thread(begun.wait, 30)
        desk.close()
        with pytest.raises(ShuttingDown):
            await work
        while desk.is_busy:
            await asyncio.sleep(0.001)
        return await desk.close_stores_if_idle()

    assert at_desk(home, closed) is False
    assert output == ["closed"]


def test_a_server_that_sleeps_gives_the_memory_of_the_model_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "ASLEEP", 0.05)
    model = contextual_vectors.open_contextual_model()
    assert isinstance(model, ContextualEmbedder)

    async def wait_for_sleep(desk: CallExecutor) -> bool:
        await desk.run_call("codex", lambda app: model.load())
        assert text_vectors.is_embedder_loaded(model)
        for _ in range(1000):
            if not text_vectors.is_embedder_loaded(model):
                return True
            await asyncio.sleep(0.01)
        return False

    assert at_desk(home, wait_for_sleep)
