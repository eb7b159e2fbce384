"""One vocabulary of kinds; the names of other systems lead into it and never out of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.model import kinds
from tests.support.tables import table

names = st.sampled_from([*kinds.KINDS, *kinds.ALIASES])


@given(names)
def test_every_name_leads_to_a_kind_and_that_to_itself(name: str) -> None:
    found = kinds.canonical_memory_kind(name)
    assert found in kinds.KINDS
    assert kinds.canonical_memory_kind(found) == found


def test_no_alias_hides_a_kind() -> None:
    assert not set(kinds.ALIASES) & set(kinds.KINDS)


@given(names)
def test_case_dashes_and_spaces_do_not_matter(name: str) -> None:
    loose = f" {name.upper().replace('_', '-')} "
    assert kinds.canonical_memory_kind(loose) == kinds.canonical_memory_kind(name.replace("_", " "))
    assert kinds.canonical_memory_kind(loose) == kinds.canonical_memory_kind(name)


@table("name", ["", " ", "decisions!", "no-such-kind", "nöte"])
def test_an_unknown_name_is_none(name: str) -> None:
    assert kinds.canonical_memory_kind(name) is None


def test_each_kind_says_what_it_is_for() -> None:
    assert all(kind.strip() for kind in kinds.KINDS.values())


def test_words_without_underscores_find_kinds_written_with_them() -> None:
    """CE-8: `bugfix`, `bug_fix` and `Bug Fix` are one."""
    assert {
        kinds.canonical_memory_kind(item) for item in ("bugfix", "bug_fix", "Bug Fix", "bug-fix")
    } == {"fix"}
