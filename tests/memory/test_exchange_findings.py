"""What is worth keeping in exchanges: rules, choices and causes, and none of what was pasted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import exchange_findings
from gitmem.memory.exchange_findings import CONVENTION, DECISION, FIX, ConversationLesson
from gitmem.model.exchange import Exchange, ToolCall

EDIT = ToolCall("Edit", ("src/pool.py",), "ok")
RUN, FAILURE = ToolCall("Bash", (), "ok"), ToolCall("Bash", (), "failed")
CAUSE = "The issue was that `acquire()` never gave the connection back."


def lessons(
    user: str, assistant: str = "", tools: tuple[ToolCall, ...] = (), after: str = ""
) -> list[ConversationLesson]:
    exchanges = [Exchange("c", 1, user, assistant, tools)]
    exchanges += [Exchange("c", 2, after, "")] if after else []
    return exchange_findings.find_lessons(exchanges)


@pytest.mark.parametrize(
    ("user", "title"),
    [
        ("no, use pnpm", "Use pnpm"),
        ("No, don't use npm.", "Don't use npm"),
        ("No, use uv, not pip, as I said.", "Use uv, not pip"),
        ("No, use pnpm in this repository. Why 5?", "Use pnpm in this repository"),
        ("Always run the linter on the whole project.", "Always run the linter on the whole"),
        ("never commit directly to main", "Never commit directly to main"),
        ("when parsing json output, never use grep", "When parsing json output, never use grep"),
        ("ok. use `@clack/prompts` instead of bun-promptx", "Use `@clack/prompts` instead of"),
        ("I told you to never use sed for edits!!", "Never use sed for edits"),
        (
            "Agents should never print (e.g. cat) an .env file.",
            "Agents should never print (e.g. cat)",
        ),
        ("No matter what, ids should always be shown.", "No matter what, ids should always"),
        ('I said we want "ESC" in the footer, not "esc"', "We want"),
    ],
)
def test_a_rule_of_the_user_is_a_convention(user: str, title: str) -> None:
    (lesson,) = lessons(user)
    assert (lesson.kind, lesson.number) == (CONVENTION, 1)
    assert lesson.title.startswith(title) and "as I said" not in lesson.content


@pytest.mark.parametrize(
    "user",
    [
        "don't change anything, just let me know",
        "never mind, we'll look at it later",
        "don't commit yet",
        "should we always use pnpm?",
        "let's go with option 3",
        "use that one instead of this",
        "no, use the session repo",
        "let's use 12 chars instead of 10 for issues 17",
        "it always fails when I run it",
        "Do not write any code, only explain.",
        "all columns should be sortable",
        "Prefer simplicity, be terse",
        "use icons instead of the names of users and agents in the avatar",
        "These should only be using `isActive`.",
        "always have to log in twice",
        "NEVER EVER DO THIS!!!!",
        "I already told you to also store `label` in the config",
        "we don't need to do that now",
        "Implement the following plan:\n# Plan\nAlways use pnpm.",
        "<system-reminder>\nAlways use pnpm.\n</system-reminder>",
        "This session is being continued from a previous conversation. Always use pnpm.",
        "```\nAlways use pnpm.\n```",
        "Always use pnpm. " + "x" * 1_000,
        "› gitmem: always use pnpm for installs",
    ],
)
def test_what_is_of_this_time_or_was_not_typed_is_none(user: str) -> None:
    assert lessons(user) == []


def test_a_choice_with_its_reason_is_a_decision() -> None:
    (lesson,) = lessons("let's use SQLite instead of Postgres so that nobody runs a server")
    assert lesson.kind == DECISION
    assert lesson.title.startswith("Let's use SQLite instead of Postgres")


def test_a_cause_is_a_fix_where_files_changed_and_tools_passed() -> None:
    (lesson,) = lessons("the pool test fails", CAUSE, (FAILURE, EDIT, RUN), after="great, commit")
    assert (lesson.kind, lesson.paths) == (FIX, ("src/pool.py",))
    assert lesson.title == "`acquire()` never gave the connection back"
    assert "the pool test fails" in lesson.content and "src/pool.py" in lesson.content


@pytest.mark.parametrize(
    ("assistant", "tools", "after"),
    [
        (CAUSE, (FAILURE,), ""),  # nothing was changed
        (CAUSE, (EDIT, FAILURE), ""),  # it did not pass
        (CAUSE, (EDIT, RUN), "no, it still fails"),
        ("The issue might be `acquire()` being slow.", (EDIT, RUN), ""),
        ("The issue is in `acquire()`:", (EDIT, RUN), ""),
        ("The issue is that nothing works here at all.", (EDIT, RUN), ""),  # names no code
        (f"{CAUSE} Let me check how the others do it.", (EDIT, RUN), ""),  # on the way
        ("The problem is that this overwrites `pool.size`.", (EDIT, RUN), ""),
        ("The issue was in the `release()` method of the pool.", (EDIT, RUN), ""),  # only a place
        (CAUSE, (EDIT, RUN), "The pool test still does not work. Try again"),
    ],
)
def test_a_guess_or_a_failed_attempt_is_no_fix(
    assistant: str, tools: tuple[ToolCall, ...], after: str
) -> None:
    assert lessons("the pool test fails", assistant, tools, after) == []


def test_a_root_cause_goes_before_its_symptom_and_says_what_came_of_it() -> None:
    answer = (
        "Let me run the tests.\n\n## Fixed\n- Problem: `pool.size` was 0 after a minute\n"
        "- Root cause: `acquire()` took a lock twice\n- Fix: one lock for each call.\n"
    )
    (lesson,) = lessons("the pool test fails", answer, (FAILURE, EDIT, RUN))
    assert lesson.title == "`acquire()` took a lock twice"
    assert "Fix: one lock for each call." in lesson.content and "minute" not in lesson.content


def test_what_a_sub_agent_was_asked_is_no_rule_of_a_person() -> None:
    exchange = Exchange("c", 1, "Never commit directly to main.", "", parent="host-1")
    assert exchange_findings.find_lessons([exchange]) == []


def test_a_wording_is_taken_once() -> None:
    exchanges = [Exchange("c", at, "Never commit directly to main.", "") for at in (1, 2)]
    assert [lesson.number for lesson in exchange_findings.find_lessons(exchanges)] == [1]


@given(st.text(max_size=400), st.text(max_size=400))
def test_no_text_breaks_it(user: str, assistant: str) -> None:
    for lesson in lessons(user, assistant, (FAILURE, EDIT, RUN)):
        assert lesson.sentence and len(lesson.title) <= 160
