"""The table of operations: every entry loads, reads as help, and gives JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, is_dataclass

import pytest

from gitmem import operations
from gitmem.operations.registry import DELETE, READ, WRITE, fields, plain
from tests.support.tables import table

NAMES = [*operations.PLACES, *operations.HIDDEN]


@table("name", NAMES)
def test_an_entry_loads_the_operation_of_its_name(name: str) -> None:
    operation = operations.load(name)
    assert operation.name == name
    assert operation.effect in (READ, WRITE, DELETE)
    assert is_dataclass(operation.request)


@table("name", NAMES)
def test_an_operation_says_what_it_does_and_shows_an_example(name: str) -> None:
    operation = operations.load(name)
    first, *rest = operation.help.splitlines()
    assert first.endswith(".") and len(first) <= 100
    assert not rest or rest[0] == ""
    assert operation.example.startswith(f"gitmem {name}")


def test_the_table_says_of_an_operation_what_its_help_begins_with() -> None:
    """The list of commands is printed without importing any of them."""
    summaries = {name: said for group in operations.GROUPS.values() for name, _, said in group}
    for name, summary in summaries.items():
        first = operations.load(name).help.splitlines()[0]
        sentence = re.match(r".*?[^.]\.(?= [A-Z]|$)", first)
        assert sentence and f"{summary}." == sentence[0], name


def test_what_is_for_every_day_is_among_the_operations_and_in_their_order() -> None:
    assert list(operations.EVERYDAY) == [n for n in operations.PLACES if n in operations.EVERYDAY]


@table("name", NAMES)
def test_every_field_has_a_plain_type_and_a_help_text(name: str) -> None:
    for field in fields(operations.load(name).request):
        assert field.type in (str, int, float, bool)
        assert field.arg.help or not field.arg.cli
        assert not re.search(r"(?<!\.\.)\.$", field.arg.help)
        assert field.option.startswith("--")


def test_every_operation_is_in_exactly_one_group() -> None:
    named = [name for group in operations.GROUPS.values() for name, *_ in group]
    assert sorted(named) == sorted(set(named))


def test_a_name_nobody_gave_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        operations.load("frobnicate")


def test_a_result_becomes_plain_json_values() -> None:
    @dataclass
    class Inner:
        number: int

    @dataclass
    class Outer:
        inner: tuple[Inner, ...]
        by: dict[str, Inner]

    made = plain(Outer((Inner(1),), {"a": Inner(2)}))
    assert json.loads(json.dumps(made)) == {"inner": [{"number": 1}], "by": {"a": {"number": 2}}}
