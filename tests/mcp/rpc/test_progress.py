"""How far long work is, and that it stops when nobody waits for it: alone, and over stdio."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.mcp.rpc.progress import PAUSE, QUIET, CallCancelled, CallProgress, ProgressNotifier
from tests.mcp.conftest import Site, make_site
from tests.mcp.peers import FULL, Raw, connected
from tests.support.waiting import wait_until


class Heard:
    """What a watch told, at times that the test decides."""

    def __init__(self) -> None:
        self.now = 0.0
        self.told: list[tuple[float, float | None, str]] = []
        self.watch = CallProgress(lambda *what: self.told.append(what), lambda: self.now)


def test_first_step_is_reported_at_once_and_the_next_ones_after_a_pause() -> None:
    heard = Heard()
    for number in range(1, 6):
        heard.watch.report("files", number, 10)
        heard.now += PAUSE / 2
    assert [item[0] for item in heard.told] == [1, 3, 5]
    assert heard.told[0] == (1, 10, "files: 1 of 10")


def test_next_stage_counts_on_where_the_last_one_ended() -> None:
    heard = Heard()
    for stage, done, total in (("files", 10, 10), ("commits", 3, 0), ("vectors", 2, 8)):
        heard.watch.report(stage, done, total)
        heard.now += 1
    assert heard.told == [
        (10, 10, "files: 10 of 10"),
        (13, None, "commits: 3"),
        (15, 21, "vectors: 2 of 8"),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 50), st.integers(0, 50), st.floats(0, 0.3))
    )
)
def test_what_is_reported_only_grows_and_never_passes_its_total(
    steps: list[tuple[str, int, int, float]],
) -> None:
    heard = Heard()
    moments = []
    for stage, done, total, pause in steps:
        before = len(heard.told)
        heard.watch.report(stage, done, total)
        moments += [heard.now] * (len(heard.told) - before)
        heard.now += pause
    values = [item[0] for item in heard.told]
    assert values == sorted(set(values))
    assert all(total is None or total >= at for at, total, _ in heard.told)
    assert all(later >= earlier + PAUSE for earlier, later in pairwise(moments))


def test_work_that_is_quiet_for_long_is_instructed_to_go_on_and_what_is_reported_still_grows() -> (
    None
):
    heard = Heard()
    heard.watch.report_if_silent()
    assert heard.told == []
    for beats in range(3):
        heard.now += QUIET
        heard.watch.report_if_silent()
        heard.watch.report_if_silent()
        assert len(heard.told) == beats + 1
    heard.now += QUIET / 2
    heard.watch.report("files", 4, 4)
    heard.now += QUIET / 2
    heard.watch.report_if_silent()
    heard.now += QUIET / 2
    heard.watch.report_if_silent()
    assert [item[2] for item in heard.told] == [
        *["waiting, still"] * 3,
        "files: 4 of 4",
        "files, still",
    ]
    values = [item[0] for item in heard.told]
    assert values == sorted(set(values))
    assert heard.told[-1][1] is None


def test_nobody_is_informed_who_gave_no_token() -> None:
    now = iter(range(0, 100, 10))
    watch = CallProgress(clock=lambda: next(now))
    watch.report_if_silent()
    asyncio.run(asyncio.wait_for(watch.report_until_cancelled(), 1))


def test_stopped_work_is_reported_as_such_where_it_next_looks() -> None:
    watch = CallProgress()
    watch.report("files", 1, 2)
    watch.request_stop()
    with pytest.raises(CallCancelled):
        watch.report("files", 2, 2)


def test_while_a_client_does_not_read_only_one_notification_waits() -> None:
    sent: list[float] = []

    async def main() -> None:
        free = asyncio.Event()

        async def send(progress: float, _total: float | None, _message: str) -> None:
            sent.append(progress)
            await free.wait()

        report = ProgressNotifier(send)
        for number in range(5):
            await asyncio.to_thread(report, number, None, "")
            await asyncio.sleep(0)
        free.set()
        await asyncio.sleep(0.01)
        await asyncio.to_thread(report, 9, None, "")
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert sent == [0, 9]


def test_client_that_is_gone_does_not_stop_the_work() -> None:
    async def reporter() -> ProgressNotifier:
        async def send(*_: object) -> None:
            raise AssertionError

        return ProgressNotifier(send)

    report = asyncio.run(reporter())
    report(1, None, "")


# --- over stdio -----------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Site]:
    """A repository whose first index run takes some seconds; nothing is indexed yet."""
    yield not_indexed(tmp_path, functions=150, files=120)


@pytest.fixture
def middling(tmp_path: Path) -> Iterator[Site]:
    """A repository whose first index run takes some steps; nothing is indexed yet."""
    yield not_indexed(tmp_path, functions=5, files=12)


def not_indexed(folder: Path, *, functions: int, files: int) -> Site:
    site = make_site(folder, init=False)
    body = "\n".join(f"def function_{n}(a, b):\n    return a * {n} + b\n" for n in range(functions))
    site.repo.commit("A lot", {f"src/part_{n}.py": f"# {n}\n{body}" for n in range(files)})
    site.gitmem("init", "--no-index", "--no-hooks")
    return site


def indexed(site: Site) -> int:
    """How many files are in the index."""
    connection = apsw.Connection(str(site.store))
    count = connection.execute("SELECT count(*) FROM paths").get
    connection.close()
    return int(count)


def progress_of(raw: Raw) -> list[dict[str, Any]]:
    return [note["params"] for note in raw.notes if note["method"] == "notifications/progress"]


def start_index(raw: Raw, **meta: Any) -> int:
    return raw.start("tools/call", name="index", arguments={}, _meta=meta)


def wait_for_progress(raw: Raw) -> None:
    wait_until(lambda: progress_of(raw))


def full(site: Site) -> Raw:
    raw = Raw(site.path, site.env, options=FULL)
    raw.open()
    return raw


def test_long_work_tells_whoever_gave_a_token_how_far_it_is(middling: Site) -> None:
    with full(middling) as raw:
        id = start_index(raw, progressToken="here")
        answer = raw.answer(id)["result"]
        assert answer["isError"] is False, answer
        output = progress_of(raw)
        assert output
        assert {item["progressToken"] for item in output} == {"here"}
        values = [item["progress"] for item in output]
        assert values == sorted(set(values))
        assert any(item["message"].startswith("files: ") and item["total"] for item in output)
        # Whoever gave no token hears nothing.
        del raw.notes[:]
        assert raw.call("index", full=True)["isError"] is False
        assert not raw.notes


def test_sdk_client_is_called_back(middling: Site) -> None:
    heard: list[float] = []

    async def listen(progress: float, _total: float | None, _message: str | None) -> None:
        heard.append(progress)

    options = FULL
    with connected(middling.path, middling.env, options=options) as client:
        done = client.ask("call_tool", "index", {}, progress_callback=listen)
        assert not done.is_error
    assert heard
    assert heard == sorted(heard)


def test_cancelled_work_stops_soon_is_not_answered_and_leaves_a_whole_store(large: Site) -> None:
    with full(large) as raw:
        id = start_index(raw, progressToken=1)
        wait_for_progress(raw)
        raw.notify("notifications/cancelled", requestId=id)
        assert raw.call("status")["isError"] is False
        # The store has one thread, so the run had ended by then. It stopped soon if much was left,
        # however slow the machine.
        assert indexed(large) < 120 - 30
        # Whether it goes on where it was is seen by the next run, which finds the rest: of a few
        # files, since the others would cost a second.
        for number in range(10, 120):
            (large.path / f"src/part_{number}.py").unlink()
        again = raw.call("index")["structuredContent"]
        assert again["added"] + again["kept"] == 10 + 2, again  # those of the site
        answered = [json.loads(line).get("id") for line in raw.out.splitlines()]
        assert id not in answered
        assert raw.end()[0] == 0
    large.gitmem("doctor")


def test_end_of_input_during_long_work_ends_the_process_in_time(tmp_path: Path) -> None:
    # Calls have a second to finish (transport.DRAIN), in which 120 files are indexed.
    large = not_indexed(tmp_path, functions=150, files=400)
    with full(large) as raw:
        start_index(raw, progressToken=1)
        wait_for_progress(raw)
        assert raw.end()[0] == 0
    large.gitmem("doctor")
    # It ended in time if much was left, however slow the machine.
    assert indexed(large) < 400 - 30


def test_cancelled_call_that_waits_for_the_lock_writes_nothing(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.call("orient")
        other = apsw.Connection(str(site.store))
        other.execute("BEGIN IMMEDIATE")
        query = {"name": "remember", "arguments": {"text": "Never mind"}}
        id = raw.start("tools/call", **query, _meta={"progressToken": "waits"})
        wait_for_progress(raw)  # that it still waits
        raw.notify("notifications/cancelled", requestId=id)
        assert raw.ask("ping")["result"] == {}
        other.execute("ROLLBACK")
        other.close()
        found = raw.call("recall", query="never mind", mode="keyword")
        assert found["structuredContent"]["memories"] == []
        assert raw.call("remember", text="This one")["isError"] is False
    assert not site.gitmem("list", "--json").json["total"] > 1


def test_call_that_is_done_at_once_tells_nothing(site: Site) -> None:
    heard: list[float] = []

    async def listen(progress: float, _total: float | None, _message: str | None) -> None:
        heard.append(progress)

    with connected(site.path, site.env) as client:
        client.ask("call_tool", "recall", {"query": "x"}, progress_callback=listen)
    assert heard == []
