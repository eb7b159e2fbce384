"""Prompts: what they ask an agent to do, and what a person may put into them (CF-50)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput, NotFound
from gitmem.mcp.handlers import INSTRUCTIONS
from gitmem.mcp.rpc import repo_resolver
from gitmem.mcp.tools import catalogue, prompts
from tests.support.tables import table

ARGUMENTS = {
    "orient": {},
    "capture-decision": {"topic": "the queue"},
    "review-session": {},
    "search-code": {"query": "where carts are kept"},
    "why-changed": {"what": "src/cart.py"},
    "review-pr": {"base": "main"},
    "invoke-skill": {"skill": "release-notes"},
}


def text(name: str, **arguments: str) -> str:
    (message,) = prompts.get_prompt(name, arguments).messages
    assert message.role == "user"
    assert message.content.type == "text"
    return message.content.text


def named(words: str) -> set[str]:
    """What stands in backquotes and looks like a tool."""
    return set(re.findall(r"`([a-z_]+)`", words)) - {"supersedes", "repo"}


def test_all_are_listed_with_their_arguments() -> None:
    assert [prompt.name for prompt in prompts.PROMPTS] == list(ARGUMENTS)
    for prompt in prompts.PROMPTS:
        assert prompt.description
        assert {argument.name for argument in prompt.arguments or []} == set(ARGUMENTS[prompt.name])


@table("name", list(ARGUMENTS))
def test_prompt_holds_what_was_stated_and_names_only_tools(name: str) -> None:
    output = text(name, **ARGUMENTS[name])
    assert all(value in output for value in ARGUMENTS[name].values())
    assert "{}" not in output
    assert named(output) <= set(catalogue.offered_tools("full"))


def test_prompts_ask_before_anything_is_kept() -> None:
    review = text("review-session")
    assert "at most 5" in review
    assert "until I confirm" in review
    assert "When I agree" in text("capture-decision", topic="x")


def test_a_skill_that_nobody_accepted_waits_for_a_person() -> None:
    output = text("invoke-skill", skill="release-notes")
    assert output.count("release-notes") == 2
    assert "wait until I agree" in output


def test_base_of_a_review_may_be_left_out() -> None:
    assert "against the branch it will be merged into." in text("review-pr")
    assert "against release/2." in text("review-pr", base="release/2")


@pytest.mark.parametrize("name", ["capture-decision", "search-code", "why-changed", "invoke-skill"])
def test_argument_that_is_needed_and_missing_is_an_error(name: str) -> None:
    for arguments in ({}, {next(iter(ARGUMENTS[name])): " \u200b\n"}):
        with pytest.raises(InvalidInput, match="is missing"):
            prompts.get_prompt(name, arguments)


def test_unknown_prompt_is_reported_with_those_there_are() -> None:
    with pytest.raises(NotFound) as caught:
        prompts.get_prompt("moon" * 100, {})
    assert len(caught.value.message) < 100
    assert "review-pr" in caught.value.hint


@given(st.text(max_size=2000))
def test_whatever_is_reported_stays_on_one_line_and_is_bounded(said: str) -> None:
    plain = text("review-pr", base="x")
    output = text("review-pr", base=said)
    assert output.count("\n") == plain.count("\n")
    assert len(output) < len(plain) + 310


def test_stated_braces_are_left_as_they_are() -> None:
    assert "find {x} {} {0}\n" in text("search-code", query="find {x} {} {0}")


def test_instructions_are_six_lines_and_name_only_tools_of_the_default_profile() -> None:
    """CT-18."""
    assert len(INSTRUCTIONS.splitlines()) == 6
    assert all(len(line) <= 100 for line in INSTRUCTIONS.splitlines())
    assert {"orient", "recall", "remember", "decide"} <= named(INSTRUCTIONS)
    assert named(INSTRUCTIONS) <= set(catalogue.offered_tools("full"))
    assert f"`{repo_resolver.ARGUMENT}`" in INSTRUCTIONS


def test_the_names_of_context_fabric_are_understood_and_not_listed() -> None:
    """CF-50."""
    for name, expected in (
        ("orient", {}),
        ("capture-decision", {"topic": "a"}),
        ("review-session", {}),
        ("search-code", {"query": "a"}),
        ("invoke-skill", {"slug": "a"}),
    ):
        ours = {prompts.prompt_argument_name(name): "a"} if expected else {}
        assert prompts.get_prompt(f"cf-{name}", expected) == prompts.get_prompt(name, ours)
        assert f"cf-{name}" not in {prompt.name for prompt in prompts.PROMPTS}
    with pytest.raises(NotFound):
        prompts.get_prompt("cf-nobody", {})
