"""What is said with a prompt: nothing, unless it is worth its tokens (CF-22, ML-26)."""

from __future__ import annotations

import pytest

from gitmem.errors import GitmemError, InvalidInput
from gitmem.text.tokens import estimate_tokens
from gitmem.timeline import suggestions
from tests.support.apps import Desk, copy_of
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

CART = "src/cart/cart.py"
BODY = "def total(lines):\n    return sum(line.price * line.count for line in lines)\n"
QUIET = (
    "Add a button to the page",
    "please make the tests green",
    "thanks, go on",
    "What does src/cart/cart.py do?",
    "はい、お願いします",
    "/compact",
    "x" * 50_000,
    "\n\n \t",
    "```\n" + "lorem ipsum dolor sit amet\n" * 400 + "```",
)


@pytest.fixture(scope="module")
def model_repo(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """With a cart worth citing in it; the tests copy it."""
    made = copy_of(model_repo, tmp_path_factory.mktemp("carts"))
    made.commit("A total", {CART: BODY, "src/other.py": "other = 1\n"})
    return made


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    """Set up, without an index and without git hooks, a cart worth citing in it."""
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def change(repo: RepoBuilder) -> None:
    """Take away what stands in the cart."""
    repo.write({CART: "class Cart:\n    pass\n\n\nclass Line:\n    pass\n"})


def test_the_ordinary_prompt_gets_nothing(desk: Desk, agent: Agent) -> None:
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    desk.run("decide", title="Prices are kept as whole cents", why="No rounding anywhere")
    assert [agent.prompt(text) for text in QUIET] == [""] * len(QUIET)


@pytest.mark.parametrize(
    "text",
    [
        f"clean up {CART}",
        f"see `{CART}:1`, please",
        "in cart.py, rename it",
        "cart/cart.py is slow.",
        "what is ./src/cart/cart.py",
        "look at src\\cart\\cart.py",
    ],
)
def test_a_file_that_is_named_and_has_changed_is_warned_of(
    desk: Desk, agent: Agent, repo: RepoBuilder, text: str
) -> None:
    """CF-22, freshness changed: to be checked first."""
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    change(repo)
    message = agent.prompt(text)
    assert "check first" in message
    assert "The total counts every line" in message
    assert f"{CART}:1-2" in message
    assert message.startswith("<<<gitmem:")


def test_the_full_path_on_this_machine_names_the_file_too(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    change(repo)
    assert "check first" in agent.prompt(f"open {repo.path}/{CART}")


def test_a_symbol_that_is_named_and_is_gone_is_warned_of(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("remember", text="It counts every line", path=(f"{CART}::total",))
    change(repo)
    assert agent.prompt("the total is wrong") == ""  # a word, not the name of code
    assert "check first" in agent.prompt("why is total() wrong?")


def test_a_memory_is_reported_once_in_a_session_and_again_in_the_next(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("remember", text="The total counts every line", path=(CART,))
    change(repo)
    assert agent.prompt(f"clean up {CART}")
    assert agent.prompt(f"clean up {CART}") == ""
    assert Agent(desk, "another-session").prompt(f"clean up {CART}")


def test_what_still_stands_is_not_warned_of(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    repo.write({CART: "import os\n\n" + BODY})  # moved, and whole
    assert agent.prompt(f"clean up {CART}") == ""


def test_a_name_that_many_files_have_means_none_of_them(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    places = [f"src/{name}/__init__.py" for name in "abcde"]
    repo.commit("Packages", dict.fromkeys(places, "version = 1\nname = 'x'\n"))
    for place in places:
        desk.run("remember", text=f"About {place}", path=(place,))
    repo.write(dict.fromkeys(places, "completely = {}\nother = []\n"))
    assert agent.prompt("clean up __init__.py") == ""
    assert "About src/c/__init__.py" in agent.prompt("clean up src/c/__init__.py")


def test_a_decision_that_holds_the_telling_words_is_reported(desk: Desk, agent: Agent) -> None:
    """CF-22 relevant_decision: at most two."""
    for number in range(3):
        desk.run(
            "decide",
            title=f"Invoices are rounded half to even, case {number}",
            why="The auditors ask for it",
        )
    desk.run("decide", title="Logs go to standard error", why="Pipes stay clean")
    message = agent.prompt("How should invoices be rounded for the auditors?")
    assert message.count("known:") == 2
    assert "Invoices are rounded" in message
    assert "Logs" not in message


def test_two_words_in_common_are_not_enough(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Invoices are rounded half to even", why="The auditors ask for it")
    assert agent.prompt("Show the invoices rounded") == ""


def test_an_error_in_the_prompt_brings_how_it_was_mended(desk: Desk, agent: Agent) -> None:
    """CF-22 bug_fix_context: one."""
    desk.run("remember", text="CartLockedError: unlock with cart.release() first", kind="fix")
    desk.run("remember", text="KeyError came from an old fixture", kind="fix")
    message = agent.prompt("I get shop.CartLockedError: cart 7 is locked")
    assert "seen before" in message
    assert "cart.release()" in message
    assert agent.prompt("I get KeyError: 'price' in the report") == ""


def test_an_error_that_anybody_makes_needs_more_in_common(desk: Desk, agent: Agent) -> None:
    desk.run(
        "remember",
        text="KeyError: 'currency' in the invoice report: the exchange table was empty",
        kind="fix",
    )
    assert "exchange table" in agent.prompt("KeyError: 'currency' while the report was made")


def test_nothing_of_another_branch_nor_of_strangers_is_reported(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"side.py": "s = 1\n"})
    desk.run("remember", text="SideError: only on the side branch", kind="fix")
    repo.git("checkout", "-q", "main")
    assert agent.prompt("SideError: what is it?") == ""


def test_the_same_state_gives_the_same_words(desk: Desk, repo: RepoBuilder) -> None:
    for number in range(6):
        desk.run("remember", text=f"Fact {number} on the total", path=(f"{CART}:1-2",))
    change(repo)
    message = {
        Agent(desk, f"session-number-{number}").prompt(f"see {CART}").split("\n", 1)[1][:-40]
        for number in range(3)
    }
    assert len(message) == 1


def test_the_whole_text_stays_within_its_tokens(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    """CF-22: at most five messages, and a bound on their tokens."""
    for number in range(8):
        desk.run("remember", text=f"{number} " + "long words " * 200, path=(f"{CART}:1-2",))
        desk.run("remember", text=f"BrokenCartError {number} " + "and more " * 90, kind="fix")
        desk.run("decide", title=f"Quarterly vouchers {number} expire " + "slowly " * 20)
    change(repo)
    message = agent.prompt(f"{CART}: BrokenCartError, when quarterly vouchers expire slowly")
    assert 0 < message.count("\n- ") <= suggestions.MAX_MESSAGES
    assert estimate_tokens(message) <= suggestions.MAX_TOKENS


def test_the_prompt_is_kept_nowhere(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    """Privacy: nothing that a person says is captured; there was a prompt, no more."""
    desk.run("remember", text="The total counts every line", path=(CART,))
    change(repo)
    agent.prompt(f"my unmistakable words about {CART}")
    assert [item.what for item in agent.noted()] == ["prompt"]
    agent.work_off()
    saved = b"".join(p.read_bytes() for p in desk.store.parent.rglob("*") if p.is_file())
    assert b"unmistakable" not in saved
    assert agent.session().goal == ""


def test_where_a_host_takes_no_text_nothing_is_looked_for_or_counted_as_reported(
    desk: Desk, repo: RepoBuilder
) -> None:
    desk.run("remember", text="The total counts every line", path=(CART,))
    change(repo)
    assert Agent(desk, agent="windsurf").prompt(f"see {CART}") == ""
    assert "check first" in Agent(desk).prompt(f"see {CART}")


def test_a_store_that_is_locked_is_not_waited_for(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    """Readers of WAL never wait for a writer; an exclusive lock is somebody's repair."""
    desk.run("remember", text="The total counts every line", path=(CART,))
    change(repo)
    other = desk.app()
    other.store.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    with other.store.write():
        other.store.run("UPDATE meta SET value = value")
        try:
            message = agent.prompt(f"see {CART}")
        except GitmemError:
            message = ""
    other.close()
    assert message == "" or "check first" in message
    assert [item.what for item in agent.noted()] == ["prompt"]


def test_without_a_store_there_is_nothing_to_say(bare_desk: Desk) -> None:
    app = bare_desk.app(agent="codex")
    from gitmem.agents.events import user_prompt

    moment = Agent(bare_desk).moment("prompt", prompt="see README.md")
    assert user_prompt.answer_prompt(app, moment) == ""
    app.close()
    assert not bare_desk.store.parent.exists()


def test_a_decision_that_the_prompt_goes_against_is_reported_once(desk: Desk, agent: Agent) -> None:
    """ML-26; also where the session was shown the decision before."""
    desk.run("decide", title="Passwords are hashed with argon2; bcrypt was dropped")
    desk.run("decide", title="Uploads are capped at 64 MB")
    message = agent.prompt("Please switch the password hashing back to bcrypt")
    assert "may conflict with" in message and "bcrypt was dropped" in message
    message = agent.prompt("raise the cap of uploads to 128 MB")
    assert "may conflict with" in message and "64 MB" in message
    assert agent.prompt("raise the cap of uploads to 256 MB") == ""


def test_one_rare_word_is_enough_only_where_it_is_chosen(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    assert agent.prompt("mend the sqlite3 error in the log") == ""
    assert "may conflict with" in agent.prompt("let us use sqlite3 here")


def test_a_prompt_that_agrees_with_a_decision_is_not_warned(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Passwords are hashed with argon2; bcrypt was dropped")
    assert "conflict" not in agent.prompt("show how passwords are hashed with argon2 in the docs")


def test_reminders_come_only_where_they_are_set_once_and_at_a_known_price(
    desk: Desk, agent: Agent
) -> None:
    """CF-22: the last three triggers, each by itself and all together."""
    agent.start()
    agent.edit(CART, "src/other.py")
    agent.command("pytest -q tests/test_cart.py", "1 failed\nKeyError: 'price'\n")
    agent.command("git status")
    agent.work_off()
    prompt = "please go on"
    assert agent.prompt(prompt) == ""
    for trigger, part, most in (
        ("session_context", f"recent files: src/other.py, {CART}", 80),
        ("recent_error", "recent error: pytest -q tests/test_cart.py: KeyError: 'price'", 80),
    ):
        desk.env["GITMEM_HOOKS_REMINDERS"] = trigger
        message = agent.prompt(prompt)
        assert (
            part in message and message.count("\n- ") == 1 and estimate_tokens(message) <= most
        ), message
        assert agent.prompt(prompt) == ""  # not told twice
    agent.command("pytest -q tests/test_cart.py", "2 passed")
    agent.work_off()
    desk.env["GITMEM_HOOKS_REMINDERS"] = "session_context, command_context, recent_error"
    assert "last check: pytest -q tests/test_cart.py" in agent.prompt(prompt)
    every = Agent(desk, "another-session")
    every.start()
    every.edit(CART)
    every.command("make test", "KeyError: 'price'")
    every.command("make lint", "clean")
    every.work_off()
    message = every.prompt(prompt)
    assert message.count("\n- ") == 3 and estimate_tokens(message) <= 120, message
    with pytest.raises(InvalidInput, match=r"hooks\.reminders cannot be"):
        desk.run("config", key="hooks.reminders", value="relevant_decision")
