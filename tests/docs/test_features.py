"""The table of features is complete, and claims nothing that is not there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

from gitmem.cli import commands
from tests.support.tables import table

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "features.md"
# How many features each of the five systems has in the list that gitmem answers to.
RANGES = {"CF": 60, "CC": 18, "ML": 44, "CT": 33, "CE": 41}
IDS = [f"{system}-{number}" for system, most in RANGES.items() for number in range(1, most + 1)]
# Rows that are run from end to end, beside the tests of their parts.
RUN = "tests/docs/test_done_features.py"
AREAS = {
    *("index", "search", "living memory", "context", "history", "transcripts", "graph"),
    *("agents", "review", "sync", "web", "action", "bench"),
}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    id: str
    feature: str
    status: str
    served: str
    shown: str
    note: str

    @property
    def places(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.served)

    @property
    def tests(self) -> list[str]:
        return [item.strip() for item in self.shown.split(",") if item.strip()]


def rows() -> list[Row]:
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| (CF|CC|ML|CT|CE)-", line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            assert len(cells) == 6, line
            found.append(Row(*cells))
    return found


ROWS = rows()
CLAIMS = [row for row in ROWS if row.status != "planned"]


def test_every_id_stands_in_the_table_exactly_once_in_order() -> None:
    assert [row.id for row in ROWS] == IDS


def test_every_row_says_how_far_it_is_and_what_it_is() -> None:
    assert {row.status for row in ROWS} <= {"done", "part", "planned"}
    assert [row.id for row in ROWS if not row.feature] == []


def test_what_is_planned_names_its_area_and_claims_no_test() -> None:
    planned = [row for row in ROWS if row.status == "planned"]
    assert {row.served for row in planned} <= AREAS
    assert [row.id for row in planned if row.shown] == []


def test_what_is_done_names_what_serves_it_and_what_shows_it() -> None:
    lacking = [row.id for row in ROWS if row.status == "done" and not (row.places and row.tests)]
    assert lacking == []


def test_what_is_partly_there_says_what_is_missing() -> None:
    part = [row for row in ROWS if row.status == "part"]
    assert [row.id for row in part if not (row.places and row.tests)] == []
    assert [row.id for row in part if not re.search(r"Missing: \S", row.note)] == []


@table("row", CLAIMS, ids=lambda row: row.id)
def test_what_serves_a_row_exists(row: Row) -> None:
    assert [place for place in row.places if not exists(place)] == []


@table("row", CLAIMS, ids=lambda row: row.id)
def test_what_shows_a_row_exists(row: Row) -> None:
    assert [test for test in row.tests if not is_test(test)] == []


def test_what_is_done_is_run_by_a_test_that_names_its_id() -> None:
    done = [row for row in ROWS if row.status == "done"]
    assert [row.id for row in done if not any(names(test, row.id) for test in cited(row))] == []


def cited(row: Row) -> list[str]:
    """The files of a row's tests; the tests of rows from end to end count for each of them."""
    return [RUN, *(test.partition("::")[0] for test in row.tests)]


def names(path: str, id: str) -> bool:
    """Whether a file of tests names an id."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.search(rf"\b{re.escape(id)}\b", text) is not None


def exists(place: str) -> bool:
    """Whether ``gitmem verb [--option]`` is a command, or ``gitmem/...`` a file or package.

    Or the GitHub Action, which is no part of the package.
    """
    if not place.startswith("gitmem "):
        return place.startswith(("gitmem/", "action.yml")) and (ROOT / place).exists()
    command: click.Command | None = tree()
    for word in place.split()[1:]:
        assert command is not None
        if word.startswith("-"):
            return any(word in option.opts for option in command.params)
        command = command.commands.get(word) if isinstance(command, click.Group) else None
        if command is None:
            return False
    return True


@cache
def tree() -> click.Group:
    """The whole command line, made once."""
    return commands.build_cli()


def is_test(name: str) -> bool:
    """Whether ``tests/x.py`` is a file with tests, or ``tests/x.py::name`` one of them."""
    path, _, function = name.partition("::")
    if not path.startswith("tests/") or not (ROOT / path).is_file():
        return False
    known = functions(ROOT / path)
    return function in known if function else any(item.startswith("test") for item in known)


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of all functions in a file, also those inside classes."""
    found = re.findall(r"^ *(?:async )?def (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(found)
