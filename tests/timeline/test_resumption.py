"""Where a session stopped and how to go on (ML-28)."""

from __future__ import annotations

from gitmem.model.session import QUERY, Event
from gitmem.timeline.resumption import (
    COMMAND,
    ERROR,
    NOTE,
    find_blocking_error_or_note,
    last_session_questions,
    suggest_steps_after_session,
)


def message(*what: tuple[str, str]) -> list[Event]:
    """Events, newest first."""
    return [
        Event(f"e{n}", -n, type, "s", "", "", "", "", text) for n, (type, text) in enumerate(what)
    ]


def test_questions_come_newest_first_and_once_each() -> None:
    events = message((QUERY, "c"), (NOTE, "n"), (QUERY, "b"), (QUERY, "c"), (QUERY, "a"))
    assert last_session_questions(events, 2) == ("c", "b")
    assert last_session_questions(events, 9) == ("c", "b", "a")


def test_an_error_blocks_until_a_check_passes() -> None:
    for events, expected in (
        (message((ERROR, "boom"), (COMMAND, "pytest")), "boom"),
        (message((COMMAND, "pytest"), (ERROR, "boom")), ""),
        (message((QUERY, "q"), (NOTE, "ok"), (ERROR, "boom")), "boom"),
        (
            message((COMMAND, "pytest"), (ERROR, "boom"), (NOTE, "Stuck on the lock")),
            "Stuck on the lock",
        ),
        (message((NOTE, "All is well")), ""),
        ([], ""),
    ):
        assert find_blocking_error_or_note(events) == expected, events


def test_the_pressing_steps_come_first_and_there_are_three() -> None:
    everything = suggest_steps_after_session(
        blocked=True,
        last_check_command="pytest -q",
        uncommitted_files=2,
        active_file="a.py",
        open_decisions=1,
    )
    assert everything == [
        "resolve the blocker and run `pytest -q`",
        "review 2 uncommitted files",
        "go on in a.py",
    ]
    assert suggest_steps_after_session(
        blocked=False, last_check_command="pytest", open_decisions=1
    ) == ["settle 1 open decision"]
    assert suggest_steps_after_session(blocked=True, uncommitted_files=1) == [
        "resolve the blocker",
        "review 1 uncommitted file",
    ]
