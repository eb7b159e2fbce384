"""The tables of the five systems: how they are read, and that nothing in them is left over."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path as File
from types import ModuleType

import pytest

from gitmem.mcp.compat import (
    answer_converters,
    argument_converters,
    context_engine_answers,
    context_fabric_answers,
    item_filters,
    memory_layer_answers,
    tables,
    tool_names,
)
from gitmem.mcp.compat.answer_template import (
    ComputedValueTemplate,
    ConstantTemplate,
    OptionalFieldTemplate,
    fill_answer_template,
)
from gitmem.mcp.compat.emulated_tool import (
    SYSTEMS,
    AdditionalOperation,
    ArgumentMapping,
    ArgumentValuePath,
)
from tests.support.tables import table

WORDS = (
    argument_converters,
    answer_converters,
    item_filters,
    context_fabric_answers,
    memory_layer_answers,
    context_engine_answers,
)
HEAD = "system S\narguments\n    limit: integer = 10 -> limit\n"
TEXTS = {file.stem: file for file in (File(tables.__file__).parent / "systems").glob("*.txt")}


def read(text: str) -> tables.EmulatedToolRegistry:
    """The tables with one text."""
    made = tables.EmulatedToolRegistry()
    made.add_tools_from_table(HEAD + text, answer_converters)
    return made


@table(("line", "name", "expected"), [
    ("query: string! -> query", "query", ArgumentMapping("string", "query", needed=True)),
    ("limit", "limit", ArgumentMapping("integer", "limit", 10)),
    ("limit = 5", "limit", ArgumentMapping("integer", "limit", 5)),
    ("mode: a|b = b -> mode -- One, of two.", "mode",
     ArgumentMapping("string", "mode", "b", why="One, of two.", choices=("a", "b"))),
    ("profile: string -> only", "profile", ArgumentMapping("string", "only")),
    ("facts: object -> metadata only", "facts", ArgumentMapping("object", "metadata", only=True)),
    ("ttl: integer -> ttl by ttl_from_seconds", "ttl",
     ArgumentMapping("integer", "ttl", change=argument_converters.ttl_from_seconds)),
    ("offset: integer = 0 -> sift skip_first_items", "offset",
     ArgumentMapping("integer", default=0, sift=item_filters.skip_first_items)),
    ("deep: boolean = false -- Never.", "deep",
     ArgumentMapping("boolean", default=False, why="Never.")),
])  # fmt: skip
def test_an_argument_is_a_line(line: str, name: str, expected: ArgumentMapping) -> None:
    assert read(f"tool t: recall\n    takes\n        {line}").calls["t"].takes == {name: expected}


OBJECT = """
tool t: recall
    takes limit
        filter: object -- What
            -- counts.
            limit
        a: any
"""


def test_an_object_has_its_arguments_below_it_and_a_line_goes_on_below() -> None:
    takes = read(OBJECT).calls["t"].takes
    assert list(takes) == ["limit", "filter", "a"]
    assert (takes["filter"].why, list(takes["filter"].inside)) == ("What counts.", ["limit"])


ANSWERS = """
shape memory
    id, text: content
tool t: recall
    answers
        n: count_items(memories), ok: true, of: "{n} of {here.p}"
        <memory at first>, more if asked.more: {a: 1}
        all: each memories most 2
            <memory>, project: here.p
"""


def test_an_answer_has_fields_lists_shapes_and_sentences() -> None:
    answers = read(ANSWERS).calls["t"].answers or {}
    data = {"memories": [{"id": i, "content": "c"} for i in "abc"], "n": 3, "first": {"id": "x"}}
    output = fill_answer_template(answers, data, {**data, "asked": {}, "here": {"p": "shop"}})
    assert output == {
        "n": 3, "ok": True, "of": "3 of shop", "id": "x", "text": None,
        "all": [{"id": i, "text": "c", "project": "shop"} for i in "ab"],
    }  # fmt: skip
    assert isinstance(answers["more"], OptionalFieldTemplate)


LIKE = """
tool a, b: recall
    takes limit
    fixed kind=fix, sources=[1]
    page memories
    first x: show, id <- asked.id most 3
    answers n: count_items(memories)
tool c like a
    takes <base>, limit = 2
    also ok: true
    then y: time if asked.z
choice g, h
    otherwise d
    detect p=true -> d
    action d like c
        under memories
    action e like d
        under part from sources_used
"""


def test_a_call_is_like_another_and_says_what_differs() -> None:
    made = read(LIKE)
    assert made.calls["a"] is made.calls["b"]
    like = made.calls["c"]
    assert (like.names, like.operation, like.page) == (("c",), "recall", "memories")
    assert (like.takes["limit"].default, like.fixed) == (2, {"kind": "fix", "sources": (1,)})
    assert like.first == {
        "x": AdditionalOperation("show", {"id": ArgumentValuePath("asked.id", 3)})
    }
    assert like.then == {"y": AdditionalOperation("time", {}, "asked.z")}
    assert list(like.answers or {}) == ["n", "ok"]
    under = made.choices["h"].actions["d"].answers or {}
    assert under["sources_used"].value == ["c"] and isinstance(
        under["memories"]["n"], ComputedValueTemplate
    )
    assert isinstance((made.choices["g"].actions["e"].answers or {})["part"], ConstantTemplate)
    assert made.choices["g"].detect == (("p=true", "d"),)


@pytest.mark.parametrize("text", [
    "tool t like other", "tool t: recall\n    takes other", "tool t: recall\n    takes <other>",
    "tool t: recall\n    answers <other>", "tool t: recall\n    answers a: other(b)",
    "tool t: recall\n    takes\n        a: text is -> b", "tool t: recall\n    answers a b",
    "tool t: recall\n    sift other = 1", "tool t: recall\n    other x",
    "tool t: recall\n    takes\n        a: any\n            limit",
    "tool t: recall\n    answers\n        a: b\n            c",
    "tool t: recall\n    fixed a <- b c", "tool t: recall\n    then x",
    "shape s\n    a: each b\n        c\ntool t: recall\n    answers <s at d>",
])  # fmt: skip
def test_what_is_not_there_raises(text: str) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        read(text)


@table("module", {module.__name__.rpartition(".")[2]: module for module in WORDS})
def test_every_function_of_the_words_is_in_a_table(module: str) -> None:
    found = next(word for word in WORDS if word.__name__.endswith(f".{module}"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in TEXTS.values())
    named = set(re.findall(r"\w+", re.sub(r"(?<=\S) -- .*", "", text)))
    used = "\n".join(inspect.getsource(word) for word in WORDS)
    left = [name for name in public(found) if name not in named and used.count(name) < 2]
    assert left == []


def public(module: ModuleType) -> list[str]:
    """The functions that a module has of its own."""
    return [
        name for name, item in vars(module).items()
        if inspect.isfunction(item) and item.__module__ == module.__name__ and name[0] != "_"
    ]  # fmt: skip


@table("name", TEXTS)
def test_each_text_is_read_and_says_whose_it_is(name: str) -> None:
    lines = TEXTS[name].read_text(encoding="utf-8").splitlines()
    (first,) = [line for line in lines if line.startswith("system ")][:1]
    assert first.removeprefix("system ") in SYSTEMS
    assert tool_names.tools_of_system(first.removeprefix("system "))
    assert all(len(line) <= 100 for line in lines)


def test_no_table_is_read_before_somebody_asks_for_a_name_of_theirs() -> None:
    code = (
        "import sys\nfrom gitmem.mcp.compat import tool_names\n"
        "assert 'gitmem.mcp.compat.tables' not in sys.modules\n"
        "assert tool_names.why_tool_unavailable('batch_search') and tool_names.CALLS\n"
        "assert 'gitmem.mcp.compat.tables' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
