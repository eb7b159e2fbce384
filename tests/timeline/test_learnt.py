"""What a session taught: an error mended, a command that works, a file that matters; no more."""

from __future__ import annotations

import random

from gitmem.memory import decision_finder
from gitmem.text.fence import fence_text
from gitmem.timeline import command_output, learnt
from gitmem.timeline.learnt import COMMAND, ERROR, find_session_lessons

FAILED = (ERROR, "pytest: RoundingError: 0.5 is not half")
PASSED = (COMMAND, "pytest")


def kinds(*events: tuple[str, str], files: tuple[str, ...] = ("a.py",)) -> list[str]:
    return [lesson.kind for lesson in find_session_lessons(events, files, [])]


def test_an_error_whose_command_passes_later_was_mended() -> None:
    fix, command = find_session_lessons([FAILED, PASSED], ["a.py", "b.py"], [], ["c" * 40])
    assert (fix.kind, fix.title, fix.paths) == (
        "fix",
        "Mended: RoundingError: 0.5 is not half",
        ("a.py", "b.py"),
    )
    assert fix.content == (
        "`pytest` failed with: RoundingError: 0.5 is not half\n"
        "It passed after changes to a.py, b.py. It was committed as cccccccccc."
    )
    assert (command.kind, command.title) == ("command", "pytest")


def test_what_is_not_sure_is_not_learnt() -> None:
    other = (COMMAND, "ruff check")
    for events, files, expected in (
        ([PASSED], ("a.py",), []),
        ([FAILED], ("a.py",), []),
        ([PASSED, FAILED], ("a.py",), ["command"]),  # it worked before it failed
        ([FAILED, other], ("a.py",), []),
        ([FAILED, PASSED], (), ["command"]),  # nothing was changed
        ([(ERROR, "pytest: "), PASSED], ("a.py",), ["command"]),
        ([(ERROR, "RoundingError: no command"), PASSED], ("a.py",), []),
        ([(ERROR, "pytest: ValueError"), PASSED], ("a.py",), ["command"]),  # tells nothing
        ([PASSED, PASSED], ("a.py",), ["command"]),
    ):
        assert kinds(*events, files=files) == expected, events


def test_the_last_error_and_the_command_that_passed_most_are_taken() -> None:
    found = find_session_lessons(
        [(ERROR, "pytest: OldError: x"), FAILED, PASSED, (COMMAND, "make"), (COMMAND, "make")],
        ["a.py"],
        [],
    )
    assert [item.identity for item in found] == [
        "mended RoundingError: 0.5 is not half",
        "command make",
    ]


def test_a_file_matters_where_many_sessions_come_back_to_it() -> None:
    earlier = [["a.py", "b.py"], ["a.py"], ["a.py", "c.py"], ["d.py"]]
    (result,) = find_session_lessons([], ["b.py", "a.py"], earlier)
    assert (result.kind, result.title, result.content) == (
        "file_context",
        "a.py matters",
        "4 of the last 5 sessions had to do with a.py.",
    )
    assert find_session_lessons([], ["b.py"], earlier) == []
    assert find_session_lessons([], ["a.py"], earlier[:2]) == []


def test_nothing_that_gitmem_wrote_is_learnt_in_500_sessions() -> None:
    """CT-23: what was injected comes back in outputs, errors and commit messages."""
    chance = random.Random(7)
    answer = (
        "Decision: Use SQLite, one file",
        "RoundingError: halves",
        "DECISION: use redis instead",
    )
    for number in range(500):
        result = [f"[{number:08X} fix] {chance.choice(answer)}" for _ in range(3)]
        if number % 2:
            result.append(chance.choice(answer))
        framed = fence_text("\n".join(result), source="gitmem hook", delimiter=f"d{number:09d}x")
        cut = framed[: chance.randrange(40, len(framed))] if number % 3 == 0 else framed
        output = f"collected 3 items\n{cut}"
        saved = command_output.remove_gitmem_lines(output, command_output.hash_long_lines(framed))
        assert command_output.error_names_in_text(saved) == (), framed
        body = command_output.remove_gitmem_frames(f"Work\n\n{cut}")
        assert decision_finder.find_decision_in_message("Work on it", body) is None, framed
        events = [(ERROR, f"pytest: {command_output.error_line_of_output(saved)}"), PASSED]
        assert [lesson.kind for lesson in find_session_lessons(events, ["a.py"], [])] in (
            [],
            ["command"],
        )
        assert learnt.find_session_lessons([], ["a.py"], []) == []
