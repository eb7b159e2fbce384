"""Help: every command has an example, -C and --json, and lines that fit a terminal."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from gitmem import __version__, operations
from gitmem.cli import commands
from gitmem.errors import InvalidInput
from gitmem.operations.registry import request_fields
from tests.support.cli import Program
from tests.support.tables import table


@table("name", [*operations.PLACES, "mcp"])
def test_every_command_has_help_with_an_example(name: str) -> None:
    shown = CliRunner().invoke(commands.build_cli(), [*name.split(), "--help"])
    assert shown.exit_code == 0
    assert f"Example: gitmem {name}" in shown.output
    assert "-C PATH" in shown.output
    assert ("--json" in shown.output) == (name != "mcp")
    assert all(len(line) <= 100 for line in shown.output.splitlines())


@table("name", list(operations.PLACES))
def test_the_example_of_a_command_is_one_that_parses(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    observed = []
    monkeypatch.setattr("gitmem.cli.execute.run", lambda call: observed.append(call) or 0)
    words = shlex.split(operations.load_operation(name).example_command_line)[1:]
    commands.run([*words, "--yes"] if operations.load_operation(name).confirm else words)
    assert observed[0].operation.name == name


@table("name", list(operations.GONE))
def test_a_verb_that_went_is_answered_with_what_took_its_place(name: str) -> None:
    for words in (name.split(), ["-C", ".", *name.split(), "src/app.py"], ["help", *name.split()]):
        with pytest.raises(InvalidInput, match="any more") as raised:
            commands.run(words)
        assert raised.value.hint == operations.GONE[name]
    for verb in re.findall(r"`gitmem ([a-z-]+)", operations.GONE[name]):
        assert verb in operations.PLACES


def test_the_first_page_fits_a_screen_and_lists_the_everyday_commands() -> None:
    shown = CliRunner().invoke(commands.build_cli(), ["--help"], terminal_width=80).output
    assert len(shown.splitlines()) < 24
    assert all(len(line) <= 80 for line in shown.splitlines())
    for name in operations.EVERYDAY:
        assert f"\n  {name} " in shown
    assert "gitmem --help --all" in shown
    assert "  unpin " not in shown


@pytest.mark.parametrize(
    "words", [("--help", "--all"), ("--all", "-h"), ("--all",), ("help", "--all")]
)
def test_all_of_the_help_lists_every_command_by_purpose(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert commands.run(words) == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 80 for line in shown.splitlines())
    for group in operations.GROUPS:
        assert f"{group}:" in shown
    for name in [*operations.PLACES, "mcp"]:
        assert f"  {name.split()[0]} " in shown
    assert "upkeep" not in shown
    listed = re.findall(r"^  ([a-z-]+) ", shown, re.MULTILINE)
    assert sorted(listed) == sorted({*listed}), "each once"
    assert "Patterns: list, show, learn, validate" in shown


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("recall", "QUERY..."),
        ("verify", "[ID]..."),
        ("setup", "[AGENT]..."),
        ("show", "ID..."),
        ("pin", "ID..."),
        ("config", "[KEY] [VALUE]"),
        ("revise", "ID [TEXT]"),
        ("export", "[FILE]"),
        ("affected", "[REV..REV|REV]"),
        ("link", "A B"),
    ],
)
def test_the_usage_line_marks_what_may_be_left_out(name: str, usage: str) -> None:
    shown = CliRunner().invoke(commands.build_cli(), [name, "--help"]).output
    assert shown.splitlines()[0] == f"Usage: gitmem {name} [OPTIONS] {usage}"


@pytest.mark.parametrize("name", ["remember", "recall", "search"])
def test_a_command_with_many_options_shows_those_of_every_day(program: Program, name: str) -> None:
    few, every = program("help", name).out, program(name, "--help", "--all").out
    operation = operations.load_operation(name)
    options = {field.name: field.option_name for field in request_fields(operation.request_class)}
    assert len(operation.everyday) == 8
    for field in operation.everyday:
        assert f"{options[field]} " in few
    assert f"All options: gitmem {name} --help --all" in few
    assert f"Example: {operation.example_command_line}" in few
    assert "All options" not in every
    assert "--since" in every or "--metadata" in every
    assert "--fusion" not in few
    assert "--metadata" not in few
    assert len(few.splitlines()) < len(every.splitlines()) - 15
    assert program("help").out == program("--help").out


def test_words_behind_two_dashes_are_what_is_stated(program: Program) -> None:
    program("remember", "--", "--help", "--all")
    assert program("list", "--json").json["memories"][0]["content"] == "--help --all"


def test_a_group_lists_its_commands_and_a_slip_of_the_pen_is_recognised(program: Program) -> None:
    shown = program("session", "--help").out
    assert "Sessions: start, note, end, list, show, search" in shown
    assert "\n  list       List sessions, most recently active first\n" in shown
    assert "Did you mean 'remember'?" in program.refused(2, "invalid", "remembr").err


def test_a_command_of_another_system_is_answered_with_the_one_here(program: Program) -> None:
    """CT-21, CC-7."""
    for name, hint in operations.NAMED_ELSEWHERE.items():
        assert name not in operations.PLACES
        assert hint in program.refused(2, "invalid", name, "x").err
    assert "`gitmem show ID`" in program.refused(2, "invalid", "get", "01M6ZK3P").err


def test_the_program_tells_its_version_and_helps_without_words(program: Program) -> None:
    assert program("--version").out == f"gitmem {__version__}\n"
    assert "Everyday commands:" in program().out
    assert "Remember:" in program("--help", "--all").out
    assert program("--help").out == program("-h").out
    assert "gitmem session start" in program("session", "start", "--help").out


@pytest.mark.parametrize(
    "words",
    [
        ("frobnicate",),
        ("list", "--nope"),
        ("list", "--limit", "0"),
        ("list", "--limit", "many"),
        ("show",),
        ("session", "dance"),
        ("orient", "--format", "xml"),
        ("history", "two", "words"),
        ("decide", "x", "--status", "maybe"),
        ("remember", "x", "--weight", "9"),
    ],
)
def test_wrong_usage_is_a_sentence_and_status_2(program: Program, words: tuple[str, ...]) -> None:
    error = program.refused(2, "invalid", *words)
    assert "--help" in error.err


def test_an_agent_out_of_reach_is_refused_with_the_reason(program: Program) -> None:
    """CT-24."""
    assert "browser" in program.refused(2, "invalid", "setup", "claude-chat").err
    assert "--help" in program.refused(2, "invalid", "setup", "claude-chats").err


def test_the_json_format_of_an_orientation_is_json(program: Program) -> None:
    for words in (("--format", "json"), ("--format=json",), ("--json",)):
        assert program("orient", *words).json["project"] == "github.com/acme/shop"


@table("name", ["session import", "setup"])
def test_another_name_of_a_host_is_taken_and_an_unknown_one_answered_with_all(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed = []
    monkeypatch.setattr("gitmem.cli.execute.run", lambda call: observed.append(call) or 0)
    commands.run([*name.split(), "claude", "Gemini-CLI"])
    assert ("claude-code", "gemini") in observed[0].values.values()
    with pytest.raises(InvalidInput, match=r"'nosuch' is not one of 'claude-code', .*'codex'"):
        commands.run([*name.split(), "nosuch"])
