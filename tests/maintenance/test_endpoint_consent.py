"""What is sent off this machine: once asked about in each project, by a person, for one address.

An address that is not the loopback one and still leads here is 0.0.0.0; what leads elsewhere would
fail the test as soon as it is connected to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import Conflict, GitmemError, InvalidInput, Unavailable
from gitmem.operations.find.ask import AskRequest, AskResult, answer_question
from gitmem.text.web_address import is_loopback_url
from tests.mcp.peers import FULL, connected
from tests.support.apps import Desk
from tests.support.chat_server import Reply, Serving, completion, serving
from tests.support.cli import Program
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

AWAY = "https://models.example.org/v1"
OTHER = "https://models.example.com/v1"
QUESTION = "Which port does Redis listen on?"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_index=True, no_hooks=True)
    bare_desk.run("remember", text="Redis listens on port 6380")
    return bare_desk


@pytest.fixture
def server() -> Iterator[Serving]:
    with serving(Reply(completion("Redis listens on port 6380 [1]."))) as running:
        yield running


def query(desk: Desk, answer: bool | None = None, **how: str) -> tuple[AskResult, list[str]]:
    """The answer, and what a person at the terminal was asked; None: nobody is there."""
    questions: list[str] = []

    def at_terminal(question: str, default: bool) -> bool:
        assert not default
        questions.append(question)
        return bool(answer)

    app = desk.app(**how)
    if answer is not None:
        app.ask = at_terminal
    try:
        return answer_question(app, AskRequest(QUESTION)), questions
    finally:
        app.close()


def notes_of(result: AskResult) -> str:
    assert result.known and result.written_by == "extract"
    return " ".join(result.notes)


def by_project(desk: Desk, address: str) -> None:
    desk.run("config", key="ask.endpoint", value=address)


def by_user(desk: Desk, address: str) -> None:
    desk.run("config", key="ask.endpoint", value=address, user=True)


def by_variable(desk: Desk, address: str) -> None:
    desk.env["GITMEM_ASK_ENDPOINT"] = address


@pytest.mark.parametrize("set_to", [by_project, by_user, by_variable])
def test_nothing_is_sent_before_a_person_agreed_wherever_the_address_is_from(
    desk: Desk, set_to: Callable[[Desk, str], None]
) -> None:
    set_to(desk, AWAY)
    for agent in ("", "codex"):
        text = notes_of(query(desk, agent=agent)[0])
        assert "Nothing was sent" in text and "memories" in text
        assert f"gitmem config ask.endpoint --agree {AWAY}" in text
    result, questions = query(desk, answer=True, agent="codex")
    assert questions == [] and "Nothing was sent" in notes_of(result), "no agent is asked"


def test_a_person_is_asked_once_in_a_project_and_agents_may_use_what_was_agreed(
    desk: Desk, server: Serving
) -> None:
    address = f"http://0.0.0.0:{server.port}/v1"
    by_user(desk, address)
    result, (question,) = query(desk, answer=True)
    assert address in question and "your question" in question and "memories" in question
    assert result.written_by != "extract" and len(server.bodies) == 1
    for agent, answer in (("", None), ("", False), ("codex", None)):
        result, questions = query(desk, answer, agent=agent)
        assert questions == [] and result.written_by != "extract"
    assert len(server.bodies) == 4
    # Another project of the same person is another question.
    other = Desk(desk.place.parent / "other", desk.home)
    other.place.mkdir()
    other.run("init", folder=True)
    other.run("remember", text="Redis listens on port 6380")
    assert "Nothing was sent" in notes_of(query(other)[0])


def test_who_declined_is_not_asked_again_and_can_agree_later(desk: Desk, server: Serving) -> None:
    address = f"http://0.0.0.0:{server.port}/v1"
    by_project(desk, address)
    assert len(query(desk, answer=False)[1]) == 1
    result, questions = query(desk, answer=True)
    assert questions == [] and "you did not agree" in notes_of(result)
    text = desk.run("config", key="ask.endpoint", agree=address)
    assert any(address in note for note in text.notes)
    assert query(desk)[0].written_by != "extract" and server.bodies


def test_what_was_agreed_to_holds_for_one_address(desk: Desk) -> None:
    by_project(desk, OTHER)
    desk.run("config", key="ask.endpoint", agree=OTHER)
    by_project(desk, AWAY)
    assert "nobody has agreed" in notes_of(query(desk)[0])
    assert len(query(desk, answer=False)[1]) == 1


def test_only_a_person_agrees_and_only_to_what_is_set(desk: Desk) -> None:
    by_project(desk, AWAY)
    with pytest.raises(Conflict, match="only a person"):
        desk.run("config", by="codex", key="ask.endpoint", agree=AWAY)
    for values in ({"agree": OTHER}, {"key": "ask.model", "agree": AWAY}):
        with pytest.raises(InvalidInput) as refused:
            desk.run("config", **{"key": "ask.endpoint"} | values)
        assert AWAY in refused.value.hint
    desk.run("config", key="ask.endpoint", unset=True)
    with pytest.raises(InvalidInput):
        desk.run("config", key="ask.endpoint", agree=AWAY)
    assert not (desk.settings_file.parent / "endpoint").exists()


@pytest.mark.parametrize("user", [False, True])
def test_consent_ends_where_a_person_takes_the_address_out_or_sets_another(
    desk: Desk, user: bool
) -> None:
    note = desk.settings_file.parent / "endpoint"
    for after in ({"unset": True}, {"value": OTHER}):
        desk.run("config", key="ask.endpoint", value=AWAY, user=user)
        desk.run("config", key="ask.endpoint", agree=AWAY)
        desk.run("config", key="ask.endpoint", value=AWAY, user=user)
        assert note.exists(), "the same address said twice is still agreed to"
        desk.run("config", key="ask.endpoint", user=user, **after)
        assert not note.exists()
        desk.env["GITMEM_ASK_ENDPOINT"] = AWAY
        assert "nobody has agreed" in notes_of(query(desk, agent="codex")[0])
        del desk.env["GITMEM_ASK_ENDPOINT"]


def test_an_address_is_set_and_agreed_to_in_one_command(program: Program) -> None:
    program("remember", "Redis listens on port 6380")
    program("config", "ask.endpoint", AWAY, "--agree", AWAY)
    (folder,) = program.cwd.parent.glob("home/gitmem/stores/*/endpoint")
    assert folder.read_text() == f"yes {AWAY}\n" and folder.stat().st_mode & 0o777 == 0o600
    marked = program.env | {"CLAUDECODE": "1", "GITMEM_ASK_ENDPOINT": OTHER}
    text = program("ask", QUESTION, env=marked).out
    assert "Nothing was sent" in text
    refused = program("config", "ask.endpoint", "--agree", OTHER, env=marked, status=5)
    assert "only a person" in refused.err


def test_over_mcp_it_is_refused_in_a_sentence_and_the_answer_stands(desk: Desk) -> None:
    desk.env["GITMEM_ASK_ENDPOINT"] = AWAY
    with connected(desk.place, desk.env, options=FULL) as server:
        text = str(server("ask", question=QUESTION).content)
    assert "6380" in text and "Nothing was sent" in text
    assert f"A person can: gitmem config ask.endpoint --agree {AWAY}" in text


def test_this_machine_needs_no_consent(desk: Desk, server: Serving) -> None:
    by_project(desk, f"http://127.0.0.1:{server.port}/v1")
    assert query(desk)[0].written_by != "extract" and server.bodies
    for address, here in {
        "http://127.0.0.1:1/v1": True,
        "http://127.9.9.9/v1": True,
        "http://localhost:8080/v1": True,
        "http://LOCALHOST/v1": True,
        "http://[::1]:8080/v1": True,
        "http://0.0.0.0/v1": False,
        "http://10.0.0.1/v1": False,
        "http://169.254.169.254/v1": False,
        "http://localhost.example.org/v1": False,
        "http://127.0.0.1.example.org/v1": False,
        "http://127.1/v1": False,
        "http://2130706433/v1": False,
        "http://[fe80::1]/v1": False,
        AWAY: False,
    }.items():
        assert is_loopback_url(address) is here, address


def test_consent_is_in_no_copy_and_goes_with_the_store(desk: Desk) -> None:
    by_project(desk, AWAY)
    desk.run("config", key="ask.endpoint", agree=AWAY)
    written = Path(desk.run("backup").written)
    folder = desk.settings_file.parent
    (folder / "endpoint").unlink()
    (folder / "config.toml").unlink()
    desk.run("restore-backup", source=str(written))
    assert (folder / "config.toml").exists() and not (folder / "endpoint").exists()
    assert "Nothing was sent" in notes_of(query(desk)[0])
    desk.run("config", key="ask.endpoint", agree=AWAY)
    desk.run("deinit", purge=True)
    assert not folder.exists()


def test_what_stands_in_the_place_of_the_consent_is_no_consent(desk: Desk) -> None:
    by_project(desk, AWAY)
    note = desk.settings_file.parent / "endpoint"
    elsewhere = desk.home / "elsewhere"
    elsewhere.write_text(f"yes {AWAY}\n")
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: note.symlink_to(elsewhere),
        lambda: note.write_bytes(b"\xff\xfe"),
        lambda: note.write_text(f"yes {AWAY}/more\n"),
        lambda: note.write_text(AWAY),
        lambda: note.write_text(""),
    )
    for make in kinds:
        make()
        assert "Nothing was sent" in notes_of(query(desk)[0])
        note.unlink()
    note.mkdir()
    assert "Nothing was sent" in notes_of(query(desk)[0])
    with pytest.raises(GitmemError) as refused:
        desk.run("config", key="ask.endpoint", agree=AWAY)
    assert str(note) in refused.value.message


def test_without_a_home_nothing_is_sent(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)  # who has no home to fall back on
    monkeypatch.delenv("HOME")
    desk = Desk(repo.path, repo.home)
    desk.env = {"PATH": desk.env["PATH"], "GITMEM_STORE_KEY": "ab" * 32}
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="Redis listens on port 6380")
    desk.env["GITMEM_ASK_ENDPOINT"] = AWAY
    result, questions = query(desk, answer=True)
    assert questions == [] and "GITMEM_HOME" in notes_of(result)
    for values in ({"key": "ask.endpoint", "agree": AWAY}, {"key": "recall.limit", "value": "9"}):
        with pytest.raises(Unavailable, match="no home folder"):
            desk.run("config", **values)
