"""Issues in a text: whose they are, and what only looks like one."""

from __future__ import annotations

from gitmem.text.issues import issue_references
from tests.support.tables import table


@table(
    ("text", "expected"),
    [
        ("Mend the cart (#123)", ("#123",)),
        ("Closes #7, #8 and #7", ("#7", "#8")),
        ("GH-12 and gh-13", ("#12", "#13")),
        ("#007", ("#7",)),
        ("SHOP-12: taxes", ("SHOP-12",)),
        ("A2-5", ("A2-5",)),
        ("Merge pull request #5 from ada/cart-2", ("#5",)),
        ("see owner/other#9", ()),
        ("it&#39;s", ()),
        ("#0", ()),
        ("colour #12345678 or #fff", ()),
        ("UTF-8, SHA-256, PEP-8, ISO-8859, CVE-2020-1", ()),
        ("x-SHOP-12 SHOP-12-b shop-12", ()),
        ("", ()),
    ],
)
def test_issues_are_named_once_and_nothing_else_is(text: str, expected: tuple[str, ...]) -> None:
    assert issue_references(text) == expected
