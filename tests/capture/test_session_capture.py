"""The end of a session: what it taught waits in the inbox, once."""

from __future__ import annotations

import pytest

from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.moved import SetUp

CART = "src/cart/cart.py"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


def worked(desk: Desk, client: str, *, failed: bool = True) -> None:
    agent = Agent(desk, client)
    agent.start()
    agent.edit(CART)
    if failed:
        agent.command("pytest", "RoundingError: 0.5 is not half", failed=True)
        agent.edit(CART)
    agent.command("pytest", "3 passed", failed=False)
    agent.end(reason="prompt_input_exit")
    agent.work_off()


def test_an_error_that_was_mended_and_a_command_that_works_are_proposed(desk: Desk) -> None:
    worked(desk, "one")
    found = {item.memory_kind: item for item in desk.run("inbox").items}
    assert set(found) == {"fix", "command"}
    assert found["fix"].title == "Mended: RoundingError: 0.5 is not half"
    assert found["fix"].reason == "what a session of claude-code showed"
    memory = desk.run("show", id=found["fix"].memory).memory
    assert (memory.paths, memory.session != "", memory.state) == ((CART,), True, "proposed")
    assert desk.run("recall", query="RoundingError").memories == ()


def test_each_is_proposed_once_and_a_rejected_one_stays_away(desk: Desk) -> None:
    worked(desk, "one")
    ids = tuple(item.id for item in desk.run("inbox").items)
    desk.run("inbox", action="reject", id=ids)
    worked(desk, "two")
    assert desk.run("inbox").items == ()


def test_session_after_session_a_file_is_seen_to_matter(desk: Desk) -> None:
    for client in ("one", "two", "three"):
        worked(desk, client, failed=False)
    assert desk.run("inbox").items == ()
    worked(desk, "four", failed=False)
    assert [item.title for item in desk.run("inbox").items] == [f"{CART} matters"]


def test_without_capture_nothing_is_learnt(desk: Desk) -> None:
    desk.env["GITMEM_CAPTURE_EVERY"] = "0"
    worked(desk, "one")
    assert desk.run("inbox").items == ()
