"""What is said and noted after a command: a known fix once, the last error, no nagging (CT-23)."""

from __future__ import annotations

import json

import pytest

from gitmem.agents.events import post_command
from gitmem.background import follow
from gitmem.maintenance import schedule
from gitmem.spool import lease
from gitmem.store.code import commits
from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

TRACE = """Traceback (most recent call last):
  File "shop/cart.py", line 7, in <module>
    cart.add(line)
shop.errors.CartLockedError: cart 7 is locked
"""


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def test_a_known_error_brings_its_fix_once(desk: Desk, agent: Agent) -> None:
    """CF-22 bug_fix_context."""
    desk.run("remember", text="CartLockedError: unlock with cart.release() first", kind="fix")
    message = agent.command("python shop.py", TRACE, failed=True)
    assert "seen before" in message
    assert "cart.release()" in message
    assert agent.command("python shop.py", TRACE, failed=True) == ""


def test_an_error_that_was_reported_brings_its_fix_by_its_signature(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    """CF-37, CF-38: from elsewhere, with other lines, and where no error has a name."""
    sha = repo.commit("Check the length")
    panic = (
        "panic: runtime error: index out of range [{}] with length 3\n\ngoroutine {} [running]:\n"
        "main.pick(0x{}, 0x2)\n\t/src/{}/pick.go:{} +0x1d\n"
    )
    text = panic.format(5, 1, "c0001", "ann", 14)
    agent.command("go run .", text, failed=True)
    desk.run("event", type="error_occurred", payload=text)
    # That it happened is no way to mend it.
    assert agent.command("go run .", text, failed=True) == ""
    desk.run("event", type="error_occurred", payload=TRACE)
    assert agent.command("python shop.py", TRACE, failed=True) == ""
    fix = json.dumps({"error": text, "fix": "Look at the length first", "commit": sha})
    desk.run("event", type="error_occurred", payload=fix)
    message = agent.command("go run .", panic.format(9, 7, "c0ffe", "bo", 99), failed=True)
    assert "seen before" in message
    assert "Look at the length first" in message
    assert f"(commit {sha[:10]})" in message
    assert agent.command("go run .", text, failed=True) == ""


def test_an_unknown_error_brings_nothing(desk: Desk, agent: Agent) -> None:
    desk.run("remember", text="CartLockedError: unlock with cart.release() first", kind="fix")
    output = "ConnectionResetError: peer went away"
    assert agent.command("python shop.py", output, failed=True) == ""


def test_the_last_error_is_in_the_session(agent: Agent) -> None:
    """CF-22 recent error: at most 180 characters."""
    agent.command("cd shop && pytest -q 2>&1", TRACE + "x" * 500, failed=True)
    agent.work_off()
    (event,) = agent.events("error")
    assert event.text == "pytest -q: shop.errors.CartLockedError: cart 7 is locked"
    long = "OutOfPaperError: " + "very " * 200
    agent.command("make print", long, failed=True)
    agent.work_off()
    assert len(agent.events("error")[-1].text) == 180


def test_colours_do_not_hide_an_error(agent: Agent) -> None:
    agent.command("pytest", "\x1b[31mE   \x1b[1mCartLockedError: red\x1b[0m\n", failed=True)
    (note,) = agent.noted()
    assert note.text == "pytest: CartLockedError: red"


def test_no_secret_reaches_the_spool(desk: Desk, agent: Agent) -> None:
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    agent.command(f"pytest --token={token}", f"AuthError: bad token {token}", failed=True)
    agent.command(f"pytest --token {token}", "1 passed", failed=False)
    assert len(agent.noted()) == 2
    saved = b"".join(p.read_bytes() for p in desk.store.parent.rglob("*") if p.is_file())
    assert token.encode() not in saved


@pytest.mark.parametrize(
    ("output", "noted"),
    [
        (TRACE, 1),
        ("error[E0308]: mismatched types", 1),
        ("fatal: not a git repository", 1),
        ("12 passed, 0 errors", 0),
        ("the word error in a sentence", 0),
        ("", 0),
    ],
)
def test_where_nobody_says_how_it_ended_only_a_plain_failure_counts(
    agent: Agent, output: str, noted: int
) -> None:
    agent.command("something", output, failed=None)
    assert [item.what for item in agent.noted()] == ["error"] * noted


def test_a_failure_without_a_word_is_not_noted(agent: Agent) -> None:
    agent.command("grep -q x y", "", failed=True)
    agent.command("test -f y", "some lines\nof output\n", failed=True)
    assert agent.noted() == []


def test_a_check_that_passes_is_remembered_in_the_session_and_is_no_memory(
    desk: Desk, agent: Agent
) -> None:
    """CF-22 command_context."""
    for _ in range(3):
        agent.command("cd src && pytest -q tests | tail -3", "3 passed", failed=False)
    agent.command("ls -l", "total 0", failed=False)
    agent.command("cargo build --release", "Finished", failed=False)
    agent.work_off()
    assert [event.text for event in agent.events("command")] == [
        "pytest -q tests",
        "cargo build --release",
    ]
    assert desk.run("stats").total == 0


def test_what_gitmem_wrote_is_not_captured_from_an_output(desk: Desk, agent: Agent) -> None:
    """It is known by its frame, and line by line where somebody took the frame off."""
    desk.run("remember", text="CartLockedError: unlock with cart.release() first", kind="fix")
    message = agent.command("python shop.py", TRACE, failed=True)
    quoted = message.split("\n")[1]
    before = len(agent.noted())
    for output in (
        message,
        f"notes:\n{message}\nend",
        message[: len(message) // 2],  # cut off at its end
        message[message.index("\n") :],  # and at its beginning
        f"FAILED\n{quoted}\n".replace("FAILED", ""),
        quoted.upper(),
    ):
        agent.command("cat notes.txt", output, failed=True)
    assert len(agent.noted()) == before
    agent.command("cat notes.txt; ./run", f"{message}\nPaperJamError: tray 2\n", failed=True)
    assert agent.noted()[-1].text == "PaperJamError: tray 2"


@pytest.mark.parametrize("words", ["gitmem recall x", "cd a && gitmem orient", "python -m gitmem"])
def test_what_gitmem_prints_itself_is_never_noted(agent: Agent, words: str) -> None:
    assert agent.command(words, TRACE, failed=True) == ""
    assert agent.noted() == []


def test_a_commit_stores_nothing_and_says_nothing(desk: Desk, agent: Agent) -> None:
    """CT-23: the post-commit hook is the source of truth, and nobody is nagged."""
    assert agent.command("git commit -qm 'Fix the bug'", "[main 1a2b] Fix", failed=False) == ""
    assert [item.what for item in agent.noted()] == ["commit"]
    agent.work_off()
    assert desk.run("stats").total == 0


def test_without_git_hooks_a_commit_has_the_index_follow(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    made = repo.commit("Fix the bug", {"src/fixed.py": "fixed = True\n"})
    agent.command("git commit -am 'Fix the bug'", failed=False)
    app = desk.app()
    assert follow.process_agent_hook_events(app) == (1, 1)
    assert made in commits.indexed_commit_ids(app.store)
    app.close()


def test_with_git_hooks_a_commit_is_left_to_them(bare_desk: Desk) -> None:
    bare_desk.run("init", no_index=True)
    agent = Agent(bare_desk)
    assert agent.command("git commit -am x", failed=False) == ""
    assert agent.noted() == []


def test_at_most_one_drain_is_started(desk: Desk, agent: Agent) -> None:
    """The lease is held here, so none is; when it is free, one is and this does not wait."""
    app = desk.app(agent="claude-code")
    moment = agent.moment("post-command", command="git commit -m x", failed=False)
    agent.spool.mkdir()
    held = lease.try_take_spool_lease(str(agent.spool), 1)
    assert held is not None
    assert post_command.answer_command_result(app, moment) == ""
    assert schedule.has_unprocessed_hook_events(app) is False  # somebody is at it
    held.release()
    assert schedule.has_unprocessed_hook_events(app) is True
    app.close()
