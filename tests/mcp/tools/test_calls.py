"""A call from its name to its answer, and what it does with bad input (CE-36, CF-56)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docs.pages import mcp as page
from gitmem import errors
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.mcp.tools import tool_results
from gitmem.store.db import preflight
from tests.mcp.agents import Agent, remembering, shop, text_of
from tests.support.apps import Desk
from tests.support.tables import table


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = shop(tmp_path_factory.mktemp("calls"))
    remembering(desk, 2)
    return desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


@table(("name", "hint"), [
    ("teleport", "Tools: orient,"),
    ("timeline", "--profile full"),
    ("store_memory", "--profile compat"),
    ("generate_docs", "It cannot be answered yet: living documents"),
    ("why_broke", "--profile full"),
    ("purge", "Tools:"),
    ("", "Tools:"),
    ("x" * 100_000, "Tools:"),
    ("recall\n", "Tools:"),
])  # fmt: skip
def test_a_tool_that_is_not_offered_is_refused_with_where_it_is(
    agent: Agent, name: str, hint: str
) -> None:
    with pytest.raises(NotFound) as caught:
        agent.call(name, {})
    assert hint in caught.value.hint
    assert len(caught.value.message) < 200


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": [value]}
    return value


@table(("tool", "arguments"), lambda: [
    ("remember", {"text": "x" * 10_000_000}),
    ("remember", {"text": "a", "metadata": {"x": "y" * 10_000_000}}),
    ("recall", {"query": "x" * 10_000_000}),
    ("search", {"query": "x " * 5_000_000}),
    ("show", {"id": "0" * 10_000_000}),
    ("remember", {"text": deep(10_000)}),
    ("remember", {"text": "a", "metadata": {"x": deep(10_000)}}),
    ("recall", {"query": "a", "kind": deep(10_000)}),
    ("batch", {"calls": [{"tool": "recall", "arguments": {"query": deep(10_000)}}] * 11}),
    ("batch", {"calls": deep(10_000)}),
    ("remember", {"text": "a", "tag": ["t"] * 1_000_000}),
    ("recall", {"query": "a", "limit": 10**400}),
    ("recall", {"query": "a", "limit": float("nan")}),
    ("recall", {"query": "\x00"}),
    ("remember", {"text": "a", "path": ["../outside.txt"]}),
    ("remember", {"text": "a", "path": ["/etc/passwd"]}),
    ("decide", {"title": "a", "path": ["src/../../outside"]}),
    ("verify", {"id": ["zz"], "re_anchor": "/etc/passwd"}),
    ("affected", {"revisions": "--output=/tmp/x"}),
    ("affected", {"revisions": "nowhere..HEAD"}),
    ("show", {"id": "' OR 1=1 --"}),
    ("show", {"id": "../../etc/passwd"}),
])  # fmt: skip
def test_bad_input_is_an_error_and_the_next_call_is_answered(
    agent: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(GitmemError) as caught:
        agent.call(tool, arguments)
    assert caught.value.code in ("invalid", "not_found"), caught.value.code
    failed = tool_results.failed_answer(caught.value)
    assert failed.failed
    assert len(json.dumps(failed.data)) < 3_000
    assert agent.data("recall", query="cookie")["memories"]


def test_answers_are_fenced_unless_they_only_say_what_was_written(desk: Desk) -> None:
    agent = Agent(desk, "full")
    id = re.findall(r"\w{26}", agent.text("remember", text="Plainly told"))[0]
    assert agent.text("remember", text="Told again plainly").startswith("added ")
    for tool, arguments in (
        ("show", {"id": id}),
        ("verify", {"id": [id]}),
        ("affected", {}),
        ("orient", {}),
        ("batch", {"calls": [{"tool": "show", "arguments": {"id": id}}]}),
        ("decay", {}),
        ("doctor", {}),
        ("index", {}),
    ):
        text = text_of(agent.call(tool, arguments))
        fence = re.match(r"<<<gitmem:([0-9a-f]{16}) source=gitmem (\w+)", text)
        assert fence and fence[2] == tool
        assert text.endswith(f"\ngitmem:{fence[1]}>>>")


def test_calls_are_counted_with_what_they_cost_and_saved(tmp_path: Path) -> None:
    """CT-25: locally, for the agent that called."""
    desk = shop(tmp_path)
    remembering(desk, 3)
    agent = Agent(desk)
    for _ in range(2):
        agent("recall", query="cookie")
    (row,) = (item for item in desk.run("stats", funnel=True).funnel if item.agent == "claude-code")
    assert row.tool_calls == 5
    assert row.saved_tokens > 50


def test_a_call_may_name_a_sub_project(tmp_path: Path) -> None:
    """CT-9: accepted in every profile, told in the longer lists."""
    desk = shop(tmp_path)
    (desk.place / ".gitmem.toml").write_text('[project]\npaths = ["web", "api"]\n')
    (desk.place / "web").mkdir()
    agent = Agent(desk)
    agent.call("remember", {"text": "Hooks before JSX", "project": "web"})
    agent.call("remember", {"text": "Handlers return errors", "project": "api"})
    output = str(agent.call("recall", {"query": "*", "project": "web"}))
    assert "Hooks before JSX" in output and "Handlers return errors" not in output
    with pytest.raises(NotFound, match="No sub-project is called 'ios'"):
        agent.call("recall", {"query": "*", "project": "ios"})


def test_a_server_that_only_reads_leaves_no_trace(tmp_path: Path) -> None:
    desk = shop(tmp_path)
    desk.env["GITMEM_NO_BACKGROUND"] = "1"  # what the writes before it start is none of its doing
    remembering(desk, 2)
    before = names(desk)
    agent = Agent(desk, "readonly")
    assert agent.data("session_defaults", limit=1)["defaults"] == {"limit": 1}
    assert agent.data("time", expression="2026-01-31")
    assert names(desk) == before


def names(desk: Desk) -> dict[str, int]:
    """The files beside the store, and their sizes."""
    folder = desk.place / preflight.FOLDER
    return {item.name: item.stat().st_size for item in folder.rglob("*") if item.is_file()}


def test_each_code_of_an_error_has_its_equivalent_in_the_reference() -> None:
    """CE-36: the codes are documented with those of Context Engine."""
    assert set(page.EQUIVALENTS) == set(errors.EXIT_STATUS)
    assert all(re.fullmatch(r"[A-Z_]+", code) for code in page.EQUIVALENTS.values())
    text = page.page()
    for code, equivalent in page.EQUIVALENTS.items():
        assert f"| `{code}` | `{equivalent}` |" in text


def test_the_reference_page_shows_the_profiles() -> None:
    text = page.page()
    for name in ("default", "full", "readonly", "compat"):
        assert f"`{name}`" in text
    assert "| `timeline` | reads | [timeline](json.md#timeline) | " in text
    assert "### session_defaults" in text
    assert "(compat.md)" in text


def test_an_error_says_what_an_agent_can_give(desk: Desk) -> None:
    """Options are the command line's; in a command, and in what was said, they stay."""
    agent = Agent(desk, "full")
    for tool, arguments, expected in (
        ("verify", {"accept": True}, "accept needs to know which memories you mean."),
        ("search", {"query": "x", "sources": ["bogus"]}, "in cannot be 'bogus'."),
        ("affected", {"revisions": "--stat"}, "There is no commit '--stat' here."),
    ):
        with pytest.raises(GitmemError) as caught:
            agent.call(tool, arguments)
        result = tool_results.failed_answer(caught.value)
        assert result.data
        assert result.data["error"]["message"] == expected
        assert result.text.startswith(expected)


def test_an_error_of_a_type_speaks_of_json(desk: Desk) -> None:
    agent = Agent(desk, "full")
    for calls_, words in (({}, "valid list"), ([1], "valid object"), ([], "at least 1 item, not")):
        with pytest.raises(InvalidInput, match=words):
            agent.call("batch", {"calls": calls_})


def test_several_memories_are_shown_under_any_name_for_their_ids(desk: Desk) -> None:
    agent = Agent(desk, "full")
    first, second = (memory.id for memory in desk.run("list", limit=2).memories)
    for given in (
        {"ids": [first, second]},
        {"id": [first, second]},
        {"memory_ids": [first, second]},
    ):
        shown = agent.data("show", **given)
        assert [shown["memory"]["id"], shown["others"][0]["memory"]["id"]] == [first, second]
    assert agent.data("show", id=first)["memory"]["id"] == first
    with pytest.raises(InvalidInput, match="at least 1 item"):
        agent.call("show", {"ids": []})


def test_an_error_names_no_more_than_it_has_to(agent: Agent) -> None:
    with pytest.raises(InvalidInput) as caught:
        agent.call("recall", {"query": "a", "\u202e" + "x" * 1_000_000: 1})
    output = tool_results.failed_answer(caught.value).data
    assert output and "\u202e" not in json.dumps(output, ensure_ascii=False)
    assert len(output["error"]["message"]) < 200


def test_paths_are_taken_as_an_agent_gives_them(tmp_path: Path) -> None:
    desk = shop(tmp_path)
    absolute = f"{desk.place}/src/cart/cart.py"
    Agent(desk).call("remember", {"text": "Carts expire after a day", "path": [absolute]})
    (saved,) = desk.run("list", path=absolute).memories
    assert saved.paths == ("src/cart/cart.py",)
    with pytest.raises(InvalidInput, match="not a path inside"):
        Agent(desk).call("recall", {"query": "carts", "path": str(tmp_path)})


def test_the_default_tools_correct_and_retire_a_note(tmp_path: Path) -> None:
    agent = Agent(shop(tmp_path))
    agent.text("remember", text="The port is 6379")
    note = agent.desk.run("list").memories[0].id
    agent.text("verify", id=[note], correct="The port is 6380")
    assert agent.desk.run("show", id=note).memory.content == "The port is 6380"
    agent.text("verify", id=[note], retire=True)
    assert agent.desk.run("list").memories == ()


def test_a_command_that_is_no_tool_of_the_default_list_is_reported_as_one_of_a_shell() -> None:
    for hint, expected in (
        ("Run `gitmem changes --path src`, or name a file.",
         "Run `gitmem changes --path src` in a shell, or name a file."),
        ("Run `gitmem why src/app.py`.", "Run `gitmem why src/app.py`."),
        ("`gitmem index` in a shell adds it.", "`gitmem index` in a shell adds it."),
    ):  # fmt: skip
        failed = tool_results.failed_answer(InvalidInput("No.", hint)).data
        assert failed is not None and failed["error"]["hint"] == expected
