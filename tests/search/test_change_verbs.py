"""Whether a commit did what is asked for: added, removed, changed, fixed, reverted."""

from __future__ import annotations

from gitmem.search.commit_affinity import OTHER, SAME, change_kind_factor, change_kinds_in_text
from tests.support.tables import table


@table(
    ("text", "done"),
    [
        ("when was the old parser dropped", {"remove"}),
        ("Deprecate the v1 client", {"remove"}),
        ("Introduce paging; fix the footer", {"add", "fix"}),
        ("which commit renamed the worker", {"change"}),
        ('Revert "Add paging"', {"revert", "add"}),
        ("newline handling", set()),
        ("additional movers", set()),
    ],
)
def test_the_verbs_of_a_text(text: str, done: set[str]) -> None:
    assert change_kinds_in_text(text) == done


def test_a_commit_that_did_it_counts_more_than_one_that_did_something_else() -> None:
    query = change_kinds_in_text("why was paging removed")
    assert change_kind_factor(query, "Remove paging") == SAME > 1
    assert change_kind_factor(query, "Add paging") == OTHER < 1
    assert change_kind_factor(query, "Paging: shorter pages") == 1
    assert change_kind_factor(frozenset(), "Add paging") == 1
