"""The table of operations: every entry loads, reads as help, and gives JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, is_dataclass
from pathlib import Path

import pytest

from gitmem import operations
from gitmem.errors import InvalidInput
from gitmem.operations.registry import (
    DELETE,
    READ,
    WRITE,
    Operation,
    RequestField,
    as_json_values,
    request_fields,
)
from tests.support.apps import Desk, small_repo
from tests.support.tables import table

NAMES = [*operations.PLACES, *operations.HIDDEN]


@table("name", NAMES)
def test_an_entry_loads_the_operation_of_its_name(name: str) -> None:
    operation = operations.load_operation(name)
    assert operation.name == name
    assert operation.effect in (READ, WRITE, DELETE)
    assert is_dataclass(operation.request_class)


@table("name", NAMES)
def test_an_operation_says_what_it_does_and_shows_an_example(name: str) -> None:
    operation = operations.load_operation(name)
    first, *rest = operation.help.splitlines()
    assert first.endswith(".") and len(first) <= 100
    assert not rest or rest[0] == ""
    assert operation.example_command_line.startswith(f"gitmem {name}")


def test_the_table_says_of_an_operation_what_its_help_begins_with() -> None:
    """The list of commands is printed without importing any of them."""
    summaries = {
        name: message for group in operations.GROUPS.values() for name, _, message in group
    }
    for name, summary in summaries.items():
        first = operations.load_operation(name).help.splitlines()[0]
        sentence = re.match(r".*?[^.]\.(?= [A-Z]|$)", first)
        assert sentence and f"{summary}." == sentence[0], name


def test_what_is_for_every_day_is_among_the_operations_and_in_their_order() -> None:
    assert list(operations.EVERYDAY) == [n for n in operations.PLACES if n in operations.EVERYDAY]


@table("name", NAMES)
def test_every_field_has_a_plain_type_and_a_help_text(name: str) -> None:
    for field in request_fields(operations.load_operation(name).request_class):
        assert field.type in (str, int, float, bool)
        assert field.arg.help or not field.arg.cli
        assert not re.search(r"(?<!\.\.)\.$", field.arg.help)
        assert field.option_name.startswith("--")


def test_every_operation_is_in_exactly_one_group() -> None:
    named = [name for group in operations.GROUPS.values() for name, *_ in group]
    assert sorted(named) == sorted(set(named))


def test_a_name_nobody_gave_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        operations.load_operation("frobnicate")


def test_a_result_becomes_plain_json_values() -> None:
    @dataclass
    class Inner:
        number: int

    @dataclass
    class Outer:
        inner: tuple[Inner, ...]
        by: dict[str, Inner]

    made = as_json_values(Outer((Inner(1),), {"a": Inner(2)}))
    assert json.loads(json.dumps(made)) == {"inner": [{"number": 1}], "by": {"a": {"number": 2}}}


# --- paths in the repository ---------------------------------------------------------------------

# Arguments that name a file anywhere on the disk, not one of the repository.
_ANYWHERE = {
    *(
        "report.html",
        "setup.command",
        "setup.into",
        "session health.transcript",
        "backup.target",
        "restore-backup.source",
    ),
    *("recover.source", "export.target", "import.source", "config.value"),
    "projects add.folder",
}


@pytest.fixture
def shop(tmp_path: Path) -> Desk:
    repo = small_repo(tmp_path)
    return Desk(repo.path, repo.home)


def _places() -> list[tuple[str, RequestField]]:
    return [
        (name, field)
        for name in NAMES
        for field in request_fields(operations.load_operation(name).request_class)
        if field.arg.path_kind
    ]


def test_every_argument_that_names_a_file_says_whether_it_is_one_of_the_repository() -> None:
    telling = re.compile(r"(?:^|_)(?:path|paths|file|files|folder|near|anchor|cited|glob)(?:_|$)")
    for name in NAMES:
        for field in request_fields(operations.load_operation(name).request_class):
            if field.type is not str or field.arg.choices or f"{name}.{field.name}" in _ANYWHERE:
                continue
            named = telling.search(field.name) or re.search(
                r"(?:\bA|\bThe|all|this) (?:files?|folder)\b", field.arg.help
            )
            if named and field.arg.cli and not field.arg.words:
                assert field.arg.path_kind in ("path", "glob"), f"{name}.{field.name}"
    assert len(_places()) >= 11


def test_each_path_is_taken_as_people_give_it(shop: Desk) -> None:
    """Absolute, through a link, from a folder below: the verb sees the path from the root."""
    link = shop.place.parent / "link"
    link.symlink_to(shop.place)
    below = shop.place / "src" / "cart"
    for name, field in _places():
        operation = operations.load_operation(name)
        for place, given in (
            (shop.place, "src/cart/cart.py"),
            (shop.place, f"{shop.place}/src/cart/cart.py"),
            (shop.place, f"{link}/./src/cart/cart.py"),
            (below, "cart.py"),
            (below, "../cart/cart.py"),
            (below, "src/cart/cart.py"),
            (link / "src" / "cart", "cart.py"),
        ):
            observed = _observed(shop, operation, field, place, given)
            assert observed == "src/cart/cart.py", (name, field.name, place, given)
        with pytest.raises(InvalidInput, match="not a path inside the repository"):
            _observed(shop, operation, field, below, str(shop.home))


def _observed(
    desk: Desk, operation: Operation, field: RequestField, place: Path, given: str
) -> object:
    """The value that reaches the verb."""
    needed = {
        field.name: "x" for field in request_fields(operation.request_class) if field.required
    }
    message: object = (given,) if field.many else given
    app = desk.app(place=place)
    try:
        request = operation.request_class(**needed | {field.name: message})
        value = getattr(operation.make_request_paths_relative(app, request), field.name)
    finally:
        app.close()
    return value[0] if field.many else value
