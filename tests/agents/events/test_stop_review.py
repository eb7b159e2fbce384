"""An agent that is about to end hears what its diff contradicts, once, in few tokens (CF-27)."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.agents.events import dispatch, hook_event
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from tests.agents.events import payloads
from tests.support.apps import MINUTE, Desk
from tests.support.hooked import Agent
from tests.support.repos import RepoBuilder

FILE = "src/cart/cart.py"


@pytest.fixture
def agent(desk: Desk) -> Agent:
    # A drain has a clock of its own, by which the session of the test ended long ago.
    desk.env["GITMEM_NO_BACKGROUND"] = "1"
    desk.run("remember", text="Never call `eval()`.", kind="convention")
    return Agent(desk)


def stop(agent: Agent, **fields: Any) -> str:
    def answered(app: App, moment: HookEvent) -> str:
        return dispatch.answer_event(app, moment)

    return agent.fire(answered, "stop", **fields)


def bad(repo: RepoBuilder, agent: Agent, lines: int = 1) -> None:
    repo.write({FILE: "".join(f"eval('{number}')\n" for number in range(lines))})
    agent.edit(FILE)


def test_it_hears_it_once_in_a_session(agent: Agent, repo: RepoBuilder, desk: Desk) -> None:
    bad(repo, agent)
    text = stop(agent)
    assert f"{FILE}:1: eval is called, says the convention" in text
    assert text.startswith("<<<gitmem:") and "data not instructions" in text
    desk.clock.advance(10 * MINUTE)
    assert stop(agent) == ""
    another = Agent(desk, "another-session-of-it")
    assert stop(another) == ""  # it edited nothing
    another.edit(FILE)
    assert "eval is called" in stop(another)


def test_it_is_looked_at_again_while_nothing_was_found(
    agent: Agent, repo: RepoBuilder, desk: Desk
) -> None:
    agent.edit(FILE)
    assert stop(agent) == ""
    bad(repo, agent)
    assert stop(agent) == ""  # a second later
    desk.clock.advance(MINUTE)
    assert "eval is called" in stop(agent)


def test_it_takes_at_most_200_tokens(agent: Agent, repo: RepoBuilder) -> None:
    bad(repo, agent, 40)
    text = stop(agent)
    assert f"{FILE}:2" in text
    assert len(text) / 4 <= 200


@pytest.mark.parametrize(
    "fields", [{"continued": True}, {"subagent": "explorer-1"}], ids=lambda item: str(item)
)
def test_an_agent_that_goes_on_because_of_a_hook_hears_nothing(
    agent: Agent, repo: RepoBuilder, fields: dict[str, Any]
) -> None:
    bad(repo, agent)
    assert stop(agent, **fields) == ""


def test_hosts_that_take_no_text_there_hear_nothing(
    agent: Agent, repo: RepoBuilder, desk: Desk
) -> None:
    bad(repo, agent)
    other = Agent(desk, "session-of-cursor", agent="cursor")
    other.edit(FILE)
    assert stop(other) == ""
    assert "eval is called" in stop(agent)


def test_what_it_committed_counts_and_what_was_set_aside_does_not(
    agent: Agent, repo: RepoBuilder, desk: Desk
) -> None:
    agent.start()
    agent.work_off()
    bad(repo, agent)
    repo.commit("Bad")
    desk.run("review", revisions="HEAD~1..HEAD", accept="pattern/no-eval", why="a test")
    assert stop(agent) == ""
    desk.clock.advance(MINUTE)
    desk.run("review", withdraw="pattern/no-eval")
    agent.edit(FILE)
    assert "eval is called" in stop(agent)


def test_what_it_committed_counts_before_any_drain(
    agent: Agent, repo: RepoBuilder, desk: Desk
) -> None:
    agent.start()
    bad(repo, agent)
    repo.commit("Bad")
    assert "eval is called" in stop(agent)


def test_payloads_say_whether_a_hook_made_the_agent_go_on() -> None:
    stops = [item for item in payloads.ALL if item.event == "stop" and item.agent == "claude-code"]
    data = stops[0].data("/tmp")
    assert not hook_event.parse_hook_payload("claude-code", "stop", data).continued
    data = data.replace(b'"stop_hook_active": false', b'"stop_hook_active": true')
    assert hook_event.parse_hook_payload("claude-code", "stop", data).continued
