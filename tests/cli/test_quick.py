"""The reader of command lines against click: it may leave one to click, never differ from it."""

from __future__ import annotations

import contextlib
import io
from functools import cache

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem import operations
from gitmem.cli import commands, execute, quick
from gitmem.cli.quick import ParsedCommand
from gitmem.operations.registry import READ, request_fields
from tests.support.tables import table

NAMES = [*operations.PLACES, *operations.HIDDEN]
TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["-", "--", "", "-x", "--json", "a=b", "=", "-C", ".", "--nope", "@file", "%d"]
    ),
)
NUMBERS = st.one_of(
    st.integers(-5, 30_000).map(str),
    st.floats().map(str),
    st.sampled_from(["1_000", " 3 ", "٣", "1e3", "0x10", "", "nan", "inf", "+4", "-0"]),
)


def joined(parts: list[list[str]]) -> list[str]:
    return [word for part in parts for word in part]


@cache
def top() -> click.Group:
    return commands.build_cli()


def by_click(words: list[str]) -> ParsedCommand | None:
    """The call that click makes of a command line; None where it refuses or shows help."""
    observed: list[ParsedCommand] = []

    def probe(call: ParsedCommand) -> int:
        observed.append(call)
        return 0

    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
        patch.setattr(execute, "run", probe)
        with contextlib.suppress(click.ClickException):
            top().main(args=list(words), prog_name="gitmem", standalone_mode=False)
    return observed[0] if observed else None


def options(name: str) -> st.SearchStrategy[list[str]]:
    operation = operations.load_operation(name)
    kinds: list[st.SearchStrategy[list[str]]] = [
        st.just(["--json"]),
        TEXT.map(lambda place: ["-C", place]),
        TEXT.map(lambda project: ["-P", project]),
        st.sampled_from([["-C"], ["-P"], ["--help"], ["-h"], ["--yes"], ["--json=1"]]),
        st.tuples(st.sampled_from(["--agent", "--agent=x"]), TEXT).map(list),
        st.tuples(st.sampled_from(["--timezone", "--timezone=x"]), TEXT).map(list),
        TEXT.map(lambda word: [word]),
    ]
    if operation.effect != READ:
        kinds.append(st.just(["--agent"]))
    for field in request_fields(operation.request_class):
        spellings = [field.option_name, *([field.arg.short] if field.arg.short else [])]
        values = NUMBERS if field.type in (int, float) else TEXT
        if field.arg.choices:
            values = st.one_of(st.sampled_from(field.arg.choices), TEXT)
        spelt = st.sampled_from(spellings)
        kinds += [
            st.tuples(spelt, values).map(list),
            st.tuples(spelt, values).map("=".join).map(lambda word: [word]),
            st.tuples(spelt, values).map("".join).map(lambda word: [word]),
            spelt.map(lambda word: [word]),
        ]
    return st.one_of(kinds)


def sensible(name: str) -> st.SearchStrategy[list[str]]:
    """Command lines most of which both understand."""
    parts = [st.just(["--json"]), st.just(["-C", "/tmp"])]
    words = st.text("abc xyz", min_size=1, max_size=8)
    for field in request_fields(operations.load_operation(name).request_class):
        if field.arg.positional or not field.arg.cli:
            continue
        values = st.integers(1, 5).map(str) if field.type in (int, float) else words
        if field.arg.choices:
            values = st.sampled_from(field.arg.choices)
        if field.type is bool:
            parts.append(st.just([field.option_name]))
        else:
            parts.append(st.tuples(st.just(field.option_name), values).map(list))
    return st.lists(st.one_of(parts), max_size=6).map(joined)


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    name = draw(st.sampled_from(NAMES))
    if draw(st.booleans()):
        rest = draw(sensible(name))
    else:
        rest = joined(draw(st.lists(options(name), max_size=5)))
    for field in request_fields(operations.load_operation(name).request_class):
        if field.arg.positional and draw(st.integers(0, 4)):
            word = draw(st.sampled_from(field.arg.choices or ("a", "b c", "-", "", "-x", "x=y")))
            rest.insert(draw(st.integers(0, len(rest))), word)
    return [*name.split(" "), *rest]


@given(command_lines())
def test_what_the_quick_reader_reads_click_reads_the_same(words: list[str]) -> None:
    read = quick.parse_command(words)
    if read is None:
        return
    expected = by_click(words)
    assert expected is not None, "click refuses what the quick reader took"
    assert read.operation is expected.operation
    assert read.operation.request_class(**read.values) == read.operation.request_class(
        **expected.values
    )
    assert (read.start_folder, read.json, read.agent) == (
        expected.start_folder,
        expected.json,
        expected.agent,
    )


@table(
    "words",
    [
        ["orient"],
        ["orient", "--json", "-b", "800", "--format=markdown", "--explain", "-C", "/tmp"],
        ["status", "-C", "/tmp"],
        ["recall", "redis port", "-n", "3", "-k", "fix", "--kind", "decision", "--since=7d"],
        ["recall", "redis", "port", "-n", "3"],
        ["recall", "-n", "3", "redis"],
        ["remember", "x", "--tag", "a", "--tag", "b", "--pin", "--weight", "5", "--agent", "codex"],
        ["remember", "-", "--importance", "0.5"],
        ["list", "--kind", "decision", "--since", "30d", "--json"],
        ["verify"],
        ["verify", "01A", "01B"],
        ["setup", "claude-code", "codex"],
        ["session", "start", "look around", "--agent", "codex"],
        ["session", "note", "odd"],
        ["model", "use", "hashed"],
        ["hooks", "status"],
        ["drain"],
        ["upkeep"],
    ],
)
def test_what_agents_type_every_day_is_read_without_click(words: list[str]) -> None:
    read = quick.parse_command(words)
    assert read is not None
    assert read == by_click(words)


@table(
    "words",
    [
        ["orient", "--help"],
        ["orient", "extra"],
        ["orient", "--budget", "1"],
        ["orient", "--budget"],
        ["orient", "-C"],
        ["orient", "--format", "xml"],
        ["recall"],
        ["status", "redis", "port"],
        ["recall", "x", "--limit", "many"],
        ["remember", "x", "--agent"],
        ["remember", "x", "--importance", "nan"],
        ["remember", "x", "--colour", "red"],
        ["status", "--agent", "x"],
        ["frobnicate"],
        ["session"],
        ["session", "dance"],
        ["session start"],
        ["session", "--help"],
        ["mcp"],
        ["setup", "claude-code", "no-agent"],
        ["purge", "01A", "--yes"],
        ["restore-backup", "-y"],
    ],
)
def test_what_is_wrong_or_unusual_is_left_to_click(words: list[str]) -> None:
    assert quick.parse_command(words) is None
