"""The state of the work before a compaction, and after it (CF-22 session_context, ML-28)."""

from __future__ import annotations

import pytest

from gitmem.text.tokens import estimate_tokens
from gitmem.timeline import snapshot
from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

CART = "src/cart/cart.py"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def worked(desk: Desk, agent: Agent, repo: RepoBuilder) -> str:
    """A session with all that a session can have; the commit made in it."""
    agent.start()
    agent.work_off()
    desk.run("session note", by="claude-code", goal="Mend the rounding", text="Cents are whole")
    desk.run("decide", by="claude-code", title="Round half to even", why="Auditors")
    agent.edit(CART)
    repo._now = desk.clock.now() // 1000 - 60  # the next commit is made a minute later
    made = repo.commit("Round in one place", {"src/round.py": "half = 0.5\n"})
    repo.write({CART: "x = 3\n", "new.txt": "n\n"})
    agent.command("pytest -q", "RoundingError: 0.5", failed=True)
    agent.command("ruff check .", "ok", failed=False)
    return made


def test_the_whole_state_is_reported_again_after_a_compaction(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    made = worked(desk, agent, repo)
    assert agent.compact() == ""  # this host takes nothing now
    output = agent.again()
    for part in (
        "goal: Mend the rounding",
        "note: Cents are whole",
        "Round half to even",
        f"branch: main @ {made[:10]}",
        f"worked on (* not committed): {CART}*",
        "also not committed: new.txt",
        "last error: pytest -q: RoundingError: 0.5",
        "passed: ruff check .",
        f"committed: {made[:10]} Round in one place",
    ):
        assert part in output, output
    assert "Mend the cart" not in output  # committed before this session


def test_it_is_the_same_before_and_after_the_notes_are_worked_off(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    worked(desk, agent, repo)
    agent.compact()
    before = agent.again()
    agent.work_off()
    assert agent.again() == before
    (event,) = agent.events("snapshot")
    assert event.text in before


def test_the_newest_snapshot_counts(desk: Desk, agent: Agent) -> None:
    agent.edit(CART)
    agent.compact()
    agent.work_off()
    agent.edit("README.md")
    agent.compact()
    assert "README.md" in agent.again()
    # Of two that wait to be worked off, too.
    desk.clock.advance(1000)
    agent.edit("src/new.py")
    agent.compact()
    agent.edit("src/later.py")
    assert "src/new.py" in agent.again() and "src/later.py" not in agent.again()


def test_without_a_snapshot_the_state_of_now_is_reported(agent: Agent) -> None:
    agent.edit(CART)
    assert CART in agent.again()


def test_where_nothing_is_known_nothing_is_reported(agent: Agent) -> None:
    assert agent.compact() == ""
    assert agent.again() == ""
    assert agent.noted() == []


def test_another_session_of_the_same_agent_has_its_own_state(desk: Desk, agent: Agent) -> None:
    other = Agent(desk, "another-session")
    agent.edit(CART)
    other.edit("README.md")
    agent.compact()
    other.compact()
    agent.work_off()
    assert "README.md" not in agent.again().replace("not committed", "")
    assert CART not in other.again()


def test_it_is_bounded(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    agent.start()
    agent.work_off()
    desk.run("session note", by="claude-code", goal="goal " * 600)
    for number in range(12):
        desk.run("session note", by="claude-code", text=f"{number} " + "note " * 500)
        desk.run("decide", by="claude-code", title=f"Decision {number} " + "so " * 60)
    repo.write({f"src/{'deep/' * 8}file{number}.py": "x\n" for number in range(60)})
    agent.edit(*[f"src/{'deep/' * 8}file{number}.py" for number in range(20)])
    agent.compact()
    output = agent.again()
    assert snapshot.MAX_TOKENS / 2 < estimate_tokens(output) <= snapshot.MAX_TOKENS + 20


def test_no_secret_and_no_frame_is_kept(desk: Desk, agent: Agent) -> None:
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    agent.start()
    agent.work_off()
    frame = "<<<gitmem:0123456789abcdef source=x\nold words\ngitmem:0123456789abcdef>>>"
    desk.run("session note", by="claude-code", text=f"seen {frame} and kept")
    agent.edit(f"{token}.txt")
    agent.compact()
    (note,) = [item for item in agent.noted() if item.what == "snapshot"]
    assert token not in note.text
    assert "old words" not in note.text
    assert "and kept" in note.text


def test_without_a_store_nothing_happens(bare_desk: Desk) -> None:
    from gitmem.agents.events import compaction

    app = bare_desk.app(agent="codex")
    moment = Agent(bare_desk).moment("pre-compact")
    assert compaction.save_work_snapshot(app, moment) == ""
    assert compaction.latest_work_summary(app, moment) == ""
    app.close()
    assert not bare_desk.store.parent.exists()
