"""The end of a turn and of a session: nothing waits, and the session says what it did (CT-22)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitmem.agents.events import event_log, replay
from gitmem.spool import event_log as spool
from gitmem.spool import lease
from tests.support.apps import DAY, Desk
from tests.support.children import finish, start
from tests.support.cli import command
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until

CART = "src/cart/cart.py"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def test_a_session_ends_with_what_it_did(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    agent.start()
    agent.work_off()
    desk.run("decide", by="claude-code", title="Round half to even")
    agent.edit(CART)
    repo._now = desk.clock.now() // 1000 - 60
    made = repo.commit("Round in one place", {CART: "x = 3\n"})
    agent.command("pytest", "RoundingError: 0.5", failed=True)
    assert agent.end(reason="prompt_input_exit") == ""
    agent.work_off()
    result = agent.session()
    assert result.ended_at == desk.clock.now()
    assert result.head_end == made
    assert result.summary == (
        "Decided: Round half to even. Made 1 commit: Round in one place. "
        f"Worked on {CART}. Last error: pytest: RoundingError: 0.5"
    )


def test_where_the_transcript_lies_is_known_and_nothing_that_happened(
    desk: Desk, agent: Agent
) -> None:
    """ML-31: how full a session is can be told from its transcript."""
    places = [desk.home / name for name in ("one.jsonl", "two.jsonl")]
    for place in places:
        place.parent.mkdir(exist_ok=True)
        place.write_text("x" * 4_000)
    for place in (*places, places[1]):
        agent.start(transcript=str(place))
    agent.edit(CART)
    agent.work_off()
    found = desk.run("session health")
    assert (found.fill.transcript, found.fill.why) == (1_000, "")
    output = desk.run("timeline", since="1d").entries
    assert not [item for item in output if item.type == "transcript" or ".jsonl" in item.text]


def test_an_ended_session_keeps_the_tokens_that_its_host_counted(desk: Desk, agent: Agent) -> None:
    """ML-3."""
    desk.home.mkdir(exist_ok=True)
    place = desk.home / "one.jsonl"
    usage = '{"input_tokens": 3, "cache_read_input_tokens": 41000, "output_tokens": 97}'
    place.write_text(f'{{"type": "assistant", "message": {{"usage": {usage}}}}}\n')
    agent.start(transcript=str(place))
    agent.edit(CART)
    agent.end()
    agent.work_off()
    place.unlink()
    assert desk.run("session show").tokens == 41_100


def test_a_session_of_which_only_the_transcript_is_known_leaves_no_trace(
    desk: Desk, agent: Agent
) -> None:
    agent.start(transcript="/nowhere/one.jsonl")
    agent.end()
    agent.work_off()
    assert not desk.run("session list").sessions


def test_an_error_after_which_a_check_passed_is_not_the_last_word(agent: Agent) -> None:
    agent.command("pytest", "RoundingError: 0.5", failed=True)
    agent.command("pytest", "3 passed", failed=False)
    agent.edit(CART)
    agent.end()
    agent.work_off()
    assert agent.session().summary == f"Worked on {CART}"


def test_what_the_agent_wrote_at_the_end_is_kept(desk: Desk, agent: Agent) -> None:
    agent.start()
    agent.edit(CART)
    agent.work_off()
    desk.run("session end", by="claude-code", summary="All done, tests are missing")
    ended = agent.session().ended_at
    agent.end()
    agent.work_off()
    assert agent.session().summary == "All done, tests are missing"
    assert agent.session().ended_at == ended
    assert len(agent.sessions()) == 1


def test_of_a_session_in_which_nothing_happened_nothing_stays(desk: Desk, agent: Agent) -> None:
    """Else "last worked on" would tell of somebody who opened an agent and closed it."""
    agent.start()
    agent.end()
    agent.work_off()
    assert agent.sessions() == []


def test_a_turn_that_is_over_keeps_the_session_alive_and_captures_nothing(
    desk: Desk, agent: Agent
) -> None:
    agent.start()
    assert agent.stop(message="I have done as you said: unmistakable") == ""
    agent.work_off()
    assert agent.session().last_at == desk.clock.now()
    assert agent.session().ended_at is None
    saved = b"".join(p.read_bytes() for p in desk.store.parent.rglob("*") if p.is_file())
    assert b"unmistakable" not in saved


def test_a_sub_agent_ends_nothing(agent: Agent) -> None:
    agent.edit(CART)
    agent.stop(subagent="reviewer")
    agent.end(subagent="reviewer")
    assert [item.what for item in agent.noted()] == ["edit"]
    agent.work_off()
    assert agent.session().ended_at is None


def test_two_agents_at_once_are_kept_apart(desk: Desk, repo: RepoBuilder) -> None:
    """Two sessions of one program in one repository: by the ids of their host."""
    result, two = Agent(desk, "session-one"), Agent(desk, "session-two")
    result.start()
    two.start()
    result.edit(CART)
    two.edit("README.md")
    result.end()
    two.edit("other.md")
    two.work_off()
    assert result.session().files == (CART,)
    assert result.session().ended_at is not None
    assert set(two.session().files) == {"README.md", "other.md"}
    assert two.session().ended_at is None


def test_a_session_that_goes_on_after_its_end_is_a_new_one(desk: Desk, agent: Agent) -> None:
    agent.edit(CART)
    agent.end()
    agent.start()
    agent.edit("README.md")
    agent.work_off()
    new, old = agent.sessions()
    assert (old.files, new.files) == ((CART,), ("README.md",))
    assert old.ended_at is not None
    assert new.ended_at is None


def test_what_comes_late_belongs_to_the_session_that_ended(desk: Desk, agent: Agent) -> None:
    """Hosts run some hooks beside their work: an edit may be noted after the end."""
    agent.edit(CART)
    late = desk.clock.now()
    agent.end()
    agent.work_off()
    ended = agent.session()
    event_log.append_session_event(
        str(agent.spool),
        event_log.RecordedEvent(
            "edit", late, agent.agent, agent.client, str(desk.place), files=("late.py",)
        ),
        desk.key,
    )
    agent.work_off()
    (result,) = agent.sessions()
    assert set(result.files) == {CART, "late.py"}
    assert (result.ended_at, result.last_at) == (ended.ended_at, ended.last_at)


def test_a_session_that_nobody_ended_is_ended_after_a_day(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    agent.edit(CART)
    agent.work_off()
    last = agent.session().last_at
    # What is committed hours later is none of its work.
    repo._now = last // 1000 + 7200
    repo.commit("Another day", {"src/other.py": "x = 1\n"})
    desk.clock.advance(DAY - 1000)
    desk.run("upkeep")
    assert agent.session().ended_at is None
    desk.clock.advance(2000)
    desk.run("upkeep")
    assert agent.session().ended_at == last
    assert agent.session().summary == f"Worked on {CART}"


def test_what_somebody_began_by_hand_is_not_ended_for_them(desk: Desk) -> None:
    desk.run("session start", goal="A long walk")
    desk.clock.advance(3 * DAY)
    desk.run("upkeep")
    assert desk.run("session list").sessions[0].ended_at is None


def test_working_memories_end_by_themselves_and_are_seen_by_no_other_session(
    desk: Desk, agent: Agent
) -> None:
    agent.start()
    agent.work_off()
    desk.run("remember", by="claude-code", text="Rounding scratch notes", layer="working")
    assert desk.run("recall", by="claude-code", query="rounding scratch").memories
    agent.end()
    agent.work_off()
    other = Agent(desk, "another-session")
    other.start()
    other.work_off()
    assert not desk.run("recall", by="claude-code", query="rounding scratch").memories
    desk.clock.advance(60 * DAY)
    assert desk.run("upkeep").expired == 1


# --- the worker ---------------------------------------------------------------------------------


def test_a_worker_that_is_killed_before_it_says_done_loses_and_doubles_nothing(
    desk: Desk, agent: Agent
) -> None:
    agent.start()
    agent.edit(CART)
    agent.command("pytest", "RoundingError: 0.5", failed=True)
    agent.command("pytest", "RoundingError: 0.5", failed=True)
    agent.command("ruff check", "", failed=False)
    agent.compact()
    agent.end()
    agent.start()
    agent.edit("README.md")

    def killed() -> None:
        app = desk.app()
        taken, _ = event_log.take_logged_events(
            str(agent.spool), desk.key, now_ms=app.now, process_id=os.getpid()
        )
        replay.save_session_events(app, taken)
        os._exit(9)

    assert finish(start(killed)) == 9
    first = agent.sessions(), agent.events()
    agent.work_off()
    assert (agent.sessions(), agent.events()) == first
    old = first[0][1]
    app = desk.app()
    from gitmem.store.session import sessions

    saved = sessions.events_in_period(app.store, session=old.id)
    app.close()
    assert sorted(item.type for item in saved) == ["command", "error", "snapshot"]
    assert spool.count_unread_log_bytes(str(agent.spool)) == 0


def test_only_one_works_off_at_a_time(agent: Agent) -> None:
    agent.edit(CART)
    held = lease.try_take_spool_lease(str(agent.spool), 1)
    assert held is not None
    assert agent.work_off() == 0
    held.release()
    assert agent.work_off() == 1


def test_where_hooks_are_switched_off_what_waits_is_dropped(desk: Desk, agent: Agent) -> None:
    agent.edit(CART)
    desk.env["GITMEM_HOOKS_ENABLED"] = "0"
    agent.work_off()
    assert agent.sessions() == []


def test_a_line_that_somebody_else_wrote_harms_nothing(
    desk: Desk, agent: Agent, tmp_path: Path
) -> None:
    """Paths outside, a work tree of nobody: any program may write to the spool."""
    agent.edit(CART)
    for files, tree in (
        (("../../etc/passwd", "/etc/passwd", "ok.py"), str(desk.place)),
        (("a\0b",), str(desk.place)),
        (("x.py",), str(tmp_path / "nowhere")),
        (("y.py",), "\0"),
    ):
        note = event_log.RecordedEvent(
            "edit", desk.clock.now(), agent.agent, agent.client, tree, files=files
        )
        event_log.append_session_event(str(agent.spool), note, desk.key)
    agent.end()
    agent.work_off()
    assert set(agent.session().files) == {CART, "ok.py", "x.py"}


def test_a_note_that_names_another_repository_tells_nothing_of_it(
    desk: Desk, agent: Agent, tmp_path: Path
) -> None:
    theirs = RepoBuilder(tmp_path / "theirs")
    first = theirs.commit("Start", {"a.py": "x = 1\n"})
    theirs._now = desk.clock.now() // 1000 + 300
    last = theirs.commit("Their own plan", {"a.py": "x = 2\n"})
    agent.edit(CART)
    for what, commit in (("edit", first), ("end", last)):
        desk.clock.advance(300_000)
        note = event_log.RecordedEvent(
            what, desk.clock.now(), agent.agent, "0123-forged", str(theirs.path), commit=commit,
            files=("a.py",) if what == "edit" else (),
        )  # fmt: skip
        event_log.append_session_event(str(agent.spool), note, desk.key)
    agent.work_off()
    (forged,) = Agent(desk, "0123-forged").sessions()
    assert "a.py" in forged.summary and "Their own plan" not in forged.summary


def test_a_goodbye_without_an_id_ends_no_session_that_has_one(desk: Desk, agent: Agent) -> None:
    agent.edit(CART)
    Agent(desk, "").end()
    agent.work_off()
    assert agent.session().ended_at is None
    agent.end()
    agent.work_off()
    assert agent.session().ended_at is not None


def test_the_host_does_not_wait_for_the_worker(desk: Desk, repo: RepoBuilder) -> None:
    """The end of a session: its pipes close at once, the work is done by a process of its own."""
    script = (
        "from gitmem.app import App\n"
        "from gitmem.clock import SystemClock\n"
        "from gitmem.agents.events.hook_event import HookEvent\n"
        "from gitmem.agents.events import dispatch, post_edit\n"
        "from gitmem.settings import Settings\n"
        "app = App(Settings.of_process(), SystemClock(), '.', agent='claude-code')\n"
        "of = dict(agent='claude-code', session='a-session-of-a-host', cwd='.')\n"
        f"post_edit.answer_edit(app, HookEvent(event='post-edit', files=({CART!r},), **of))\n"
        "dispatch.record_turn_or_session_end(app, HookEvent(event='session-end', **of))\n"
    )
    agent = Agent(desk, "a-session-of-a-host")
    agent.spool.mkdir()
    # As long as this lock is held the worker cannot have done anything.
    app = desk.app()
    app.store.connection.execute("BEGIN IMMEDIATE")
    python = command()[0]
    done = subprocess.run(
        [python, "-P", "-c", script],
        cwd=repo.path,
        env=desk.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=True,
    )
    app.store.connection.execute("ROLLBACK")
    app.close()
    assert (done.stdout, done.stderr) == (b"", b"")
    wait_until(lambda: agent.sessions() and agent.session().ended_at)
    assert agent.session().summary == f"Worked on {CART}"
