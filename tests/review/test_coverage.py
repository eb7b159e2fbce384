"""The coverage of changed lines, by reports of five tools, and reports that cannot be read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.review import coverage
from tests.review.conftest import Ask, edit, known
from tests.support.repos import RepoBuilder

COBERTURA = """<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage><packages><package name="shop"><classes>
<class filename="shop/cart.py"><lines><line number="4" hits="1"/><line number="5" hits="0"/></lines>
</class></classes></package></packages></coverage>
"""
JACOCO = """<report name="x"><package name="shop"><sourcefile name="cart.py">
<line nr="4" mi="0" ci="3"/><line nr="5" mi="2" ci="0"/></sourcefile></package></report>
"""
JSON = json.dumps(
    {"files": {"shop\\cart.py": {"executed_lines": [4], "missing_lines": [5]}}, "meta": {}}
)
LCOV = "TN:\nSF:/home/build/shop/cart.py\nDA:4,2\nDA:5,0\nend_of_record\n"
GO = "mode: set\nexample.org/shop/cart.py:4.2,4.9 1 1\nexample.org/shop/cart.py:5.2,5.9 1 0\n"
REPORTS = {
    "coverage.xml": COBERTURA,
    "jacoco.xml": JACOCO,
    "coverage.json": JSON,
    "lcov.info": LCOV,
    "coverage.out": GO,
}


@pytest.mark.parametrize("name", REPORTS)
def test_the_changed_lines_are_looked_up_in_the_report(
    shop: RepoBuilder, ask: Ask, name: str
) -> None:
    edit(shop, "shop/cart.py", "def total(prices):\n    return sum(prices)\n",
         "def total(prices: list):\n    return sum(prices) or 0\n")  # fmt: skip
    shop.write({name: REPORTS[name]})
    result = ask()
    assert result.coverage is not None
    assert (result.coverage.report, result.coverage.lines, result.coverage.covered) == (name, 2, 1)
    (file,) = result.coverage.files
    assert (file.path, file.missing) == ("shop/cart.py", "5")
    (message,) = known(result, "test/uncovered")
    assert message == f"{name} says that tests run 1 of 2 changed lines, and not 5"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("coverage.xml", "<coverage><line number='1'", "it is not valid XML"),
        ("coverage.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "it declares an entity"),
        ("coverage.json", '{"files": {"a": []}}', "it is no JSON of coverage.py"),
        ("coverage.json", "[" * 100_000, "its format is unknown"),
        ("lcov.info", "SF:a\nend_of_record\n", "it names no line"),
        ("coverage.out", "mode: set\nnothing\n", "it names no line"),
        ("coverage.txt", "TOTAL 90 %", "its format is unknown"),
    ],
)
def test_a_broken_report_is_a_sentence(
    shop: RepoBuilder, ask: Ask, name: str, text: str, why: str
) -> None:
    edit(shop, "shop/cart.py", "sum(prices)", "sum(prices) or 0")
    shop.write({name: text})
    result = ask()
    assert result.coverage is None
    (note,) = [note for note in result.notes if name in note]
    assert note.startswith(f"{name} could not be read as a report of coverage: {why}")


def test_a_report_that_leads_out_of_the_repository_is_not_read(shop: RepoBuilder, ask: Ask) -> None:
    outside = shop.path.parent / "coverage.xml"
    outside.write_text(COBERTURA)
    (shop.path / "coverage.xml").symlink_to(outside)
    edit(shop, "shop/cart.py", "sum(prices)", "sum(prices) or 0")
    assert ask().coverage is None


def test_a_file_that_two_entries_may_mean_is_not_counted(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/cart.py", "sum(prices)", "sum(prices) or 0")
    shop.write({"lcov.info": LCOV + LCOV.replace("build", "other")})
    result = ask()
    assert result.coverage is not None
    assert result.coverage.files == ()


@given(st.one_of(st.binary(), st.text().map(str.encode)), st.sampled_from([*REPORTS.values(), ""]))
def test_any_bytes_are_lines_or_a_reason(data: bytes, before: str) -> None:
    try:
        lines = coverage.parse_coverage_report(before.encode()[: len(before) // 2] + data)
    except coverage.UnreadableReport as error:
        assert str(error)
    else:
        assert any(lines.values())
