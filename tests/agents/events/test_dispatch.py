"""Which moment a host's model is told something at: now, with the next prompt, or never."""

from __future__ import annotations

import pytest

from gitmem.agents.events import dispatch, responses, session_state
from gitmem.agents.events.session_claim import state_folder
from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.repos import RepoBuilder

CART = "src/cart/cart.py"
RULE, FIX = "Carts are immutable", "ModuleNotFoundError: No module named 'shelf': make shelf"
OUTPUT = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'shelf'\n"


@pytest.fixture
def desk(bare_desk: Desk, repo: RepoBuilder) -> Desk:
    repo.commit("A cart", {CART: "total = 0\n"})
    bare_desk.run("init", no_hooks=True, no_index=True)
    bare_desk.run("remember", text=RULE, kind="convention", path=(CART,))
    bare_desk.run("remember", text=FIX, kind="fix")
    return bare_desk


def report(agent: Agent, event: str, **fields: object) -> str:
    return agent.fire(dispatch.answer_event, event, **fields)


def edit(agent: Agent, event: str = "post-edit") -> str:
    return report(agent, event, tool="edit", files=(CART,), dialect="camel")


def fail(agent: Agent, event: str = "post-command") -> str:
    command = {"command": "make", "output": OUTPUT, "failed": True, "dialect": "camel"}
    return report(agent, event, **command)


def begin(agent: Agent) -> None:
    """Orient it, so that what the orientation shows is not new; it shows no file and no error."""
    text = report(agent, "session-start", source="startup", dialect="camel")
    assert agent.fire(dispatch.may_print_answer, "session-start", source="startup", dialect="camel")
    assert "gitmem orient" in text or agent.agent == "kimi"


def test_opencode_and_copilot_are_informed_after_their_tools(desk: Desk) -> None:
    for name, events in (("opencode", ("post-edit", "post-command")), ("copilot", ("post-tool",))):
        agent = Agent(desk, f"a-session-of-{name}", agent=name)
        assert RULE in edit(agent, events[0]), name
        assert FIX in fail(agent, events[-1]), name


def test_kimi_is_informed_with_the_next_prompt_and_once(desk: Desk) -> None:
    agent = Agent(desk, agent="kimi")
    assert "gitmem orient" in report(agent, "prompt", prompt="Begin")
    app = desk.app()
    session_state.forget_shown_ids(
        state_folder(app), agent.client
    )  # the orientation shows all of so few
    app.close()
    assert edit(agent) == fail(agent) == ""
    message = report(agent, "prompt", prompt="And now?")
    assert message.index(RULE) < message.index(FIX)
    assert "gitmem orient" not in message
    assert report(agent, "prompt", prompt="And then?") == ""


def test_what_waits_comes_below_an_orientation_that_came_back(desk: Desk) -> None:
    agent = Agent(desk, agent="kimi")
    report(agent, "prompt", prompt="Begin")
    app = desk.app()
    session_state.forget_shown_ids(state_folder(app), agent.client)
    app.close()
    edit(agent)
    assert report(agent, "pre-compact", reason="auto") == ""
    assert fail(agent) == ""  # it must not take what belongs to the prompt
    message = report(agent, "prompt", prompt="And now?")
    assert message.index("gitmem orient") < message.index("source=gitmem hook post-edit")


def test_what_waits_and_an_orientation_that_are_too_much_together_come_apart(desk: Desk) -> None:
    agent = Agent(desk, agent="kimi")
    app = desk.app()
    session_state.defer_text(state_folder(app), agent.client, "w" * 3_900)
    app.close()
    message = report(agent, "prompt", prompt="Begin")
    assert "gitmem orient" in message and len(message) <= responses.max_output_size("kimi")


def test_copilot_is_oriented_again_by_the_first_tool_after_a_compaction(desk: Desk) -> None:
    agent = Agent(desk, agent="copilot")
    assert "gitmem orient" in report(agent, "prompt", prompt="Begin", dialect="camel")
    assert report(agent, "post-tool", tool="view", dialect="camel") == ""
    assert report(agent, "pre-compact", reason="auto", dialect="camel") == ""
    assert "gitmem orient" in report(agent, "post-tool", tool="view", dialect="camel")
    assert report(agent, "prompt", prompt="Go on", dialect="camel") == ""


def test_texts_that_wait_are_kept_up_to_a_bound(desk: Desk) -> None:
    app = desk.app()
    folder = state_folder(app)
    app.close()
    assert session_state.take_deferred_text(folder, "a-session") == ""
    for text in ("first", "second", "x" * 5_000):
        session_state.defer_text(folder, "a-session", text)
    assert session_state.take_deferred_text(folder, "another-session") == ""
    assert session_state.take_deferred_text(folder, "a-session") == "first\nsecond"
    assert session_state.take_deferred_text(folder, "a-session") == ""


def test_a_host_that_starts_anew_after_a_compaction_is_oriented_once(desk: Desk) -> None:
    agent = Agent(desk)
    for source in ("startup", "compact"):
        assert "gitmem orient" in report(agent, "session-start", source=source)
        assert agent.fire(dispatch.may_print_answer, "session-start", source=source)
        report(agent, "pre-compact" if source == "startup" else "stop")
        desk.clock.advance(60_000)
    assert report(agent, "prompt", prompt="Go on") == ""
