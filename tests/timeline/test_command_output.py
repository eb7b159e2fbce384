"""What of a command and its output is worth noting, and what was ours to begin with."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.fence import fence_text
from gitmem.timeline import command_output
from tests.support.tables import table

MARK = "0123456789abcdef"


@table(
    ("command", "check"),
    [
        ("pytest -q", "pytest -q"),
        ("cd src && FOO=1 python -m pytest -x 2>&1 | tail -5", "python -m pytest -x"),
        ("npm run test", "npm run test"),
        ("make; ls", "make"),
        ("cargo build --release", "cargo build --release"),
        ("./gradlew clean test", "./gradlew clean test"),
        ("echo pytest", ""),
        ("makeup --now", ""),
        ("cat 'a; pytest b'", ""),
        ("git commit -m 'make test'", ""),
        ("pytest " + "x" * 200, ""),
    ],
)
def test_the_part_that_tests_or_builds(command: str, check: str) -> None:
    assert command_output.extract_test_or_build_command(command) == check


@table(
    ("command", "commits"),
    [
        ("git commit -m x", True),
        ("cd a && git -C b -c user.name=c commit --amend", True),
        ("A=1 git commit", True),
        ("git log --grep commit", False),
        ("echo git commit", False),
        ("git commit-tree x", True),  # a commit as well, of a kind
        ("git show commit", False),
    ],
)
def test_a_command_that_commits(command: str, commits: bool) -> None:
    assert command_output.is_commit_command(command) is commits


@table(
    ("output", "line"),
    [
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'\n", "KeyError: 'a'"),
        ("E   AssertionError: 1 != 2\nFAILED a.py::b", "AssertionError: 1 != 2"),
        (
            "src/a.c:4:2: error: expected ';'\n1 error generated.",
            "src/a.c:4:2: error: expected ';'",
        ),
        ("error[E0308]: mismatched types\n --> x", "error[E0308]: mismatched types"),
        ("a.ts(3,1): error TS2345: no", "a.ts(3,1): error TS2345: no"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("one\ntwo", ""),
        ("", ""),
    ],
)
def test_the_line_that_tells_most(output: str, line: str) -> None:
    assert command_output.error_line_of_output(output) == line


def test_errors_that_tell_something_come_first() -> None:
    assert command_output.error_names_in_text(
        "KeyError: CartLockedError, TS2345 and ECONNRESET"
    ) == (
        "CartLockedError",
        "TS2345",
        "ECONNRESET",
        "KeyError",
    )
    assert command_output.is_generic_error("KeyError")
    assert not command_output.is_generic_error("CartLockedError")


def test_a_frame_is_taken_out_whole_or_cut_off_at_either_end() -> None:
    framed = fence_text("told\nlines", source="gitmem recall", delimiter=MARK)
    assert command_output.remove_gitmem_frames(f"a\n{framed}\nb") == "a\n\nb"
    assert command_output.remove_gitmem_frames(f"a\n{framed[:40]}") == "a\n"
    assert command_output.remove_gitmem_frames(f"{framed[10:]}\nb") == "\nb"
    assert command_output.remove_gitmem_frames(f"a\n{framed}\nb\n{framed}\nc") == "a\n\nb\n\nc"
    assert command_output.remove_gitmem_frames("plain") == "plain"


@given(st.text(max_size=80), st.text(max_size=300), st.text(max_size=80))
def test_nothing_of_a_frame_stays_whatever_stands_in_it(before: str, body: str, after: str) -> None:
    framed = fence_text(f"needle {body}", source="x", delimiter=MARK)
    if "gitmem:" not in before + after:
        assert "needle" not in command_output.remove_gitmem_frames(
            f"{before}\n{framed}\n{after}"
        ) or ("needle" in before + after)


def test_lines_that_were_reported_are_known_again_without_their_frame() -> None:
    output = command_output.hash_long_lines("- known: [01ABCDEF decision] Round half to even\nok")
    assert len(output) == 1
    assert all(mark.isalnum() for mark in output)
    text = "x\n  KNOWN: [01abcdef DECISION] round half  to even!\nok"
    assert command_output.remove_gitmem_lines(text, output) == "x\nok"
    assert command_output.remove_gitmem_lines(text, ()) == text


def test_words_in_common_are_counted_without_the_error_itself() -> None:
    assert (
        command_output.count_shared_words(
            "KeyError: currency in report", "The report: KeyError", ["KeyError"]
        )
        == 1
    )


@given(st.text(max_size=500))
def test_any_output_and_any_command_are_read(text: str) -> None:
    assert len(command_output.extract_test_or_build_command(text)) <= command_output.LONGEST_COMMAND
    assert "\n" not in command_output.error_line_of_output(text)
    command_output.is_failure_output(text)
    command_output.is_commit_command(text)
    command_output.is_gitmem_command(text)


def test_long_runs_of_one_thing_are_read_in_a_moment() -> None:
    begin = time.process_time()
    for piece in (
        "git -c ",
        "A=1 ",
        "a.",
        "<<<gitmem:",
        "E ",
        ":1",
        "gitmem:aaaaaaaa>>>",
        "error ",
    ):
        text = (piece * 20_000)[:20_000]
        command_output.error_line_of_output(text)
        command_output.is_failure_output(text)
        command_output.extract_test_or_build_command(text)
        command_output.is_commit_command("git " + text)
        command_output.remove_gitmem_frames(text)
        command_output.error_names_in_text(text)
    for option in ("-c ", "--a ", "-C -c ", "- "):  # that could be read in two ways
        command_output.is_commit_command("echo commit; git " + option * 300 + "x")
    assert time.process_time() - begin < 4
