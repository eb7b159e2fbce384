"""CT-9: keys of sub-projects, and what one may be called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.model import project_key
from tests.support.tables import table

WORDS = ("all", "All", "upstream", "a\u202eb")
KEYS = ("github.com/acme/shop", "root:abc", "path:/home/me/c#", "https://x.org/y", "shop")


@given(
    st.sampled_from(KEYS),
    st.text(min_size=1, max_size=20).filter(project_key.is_valid_subproject_name),
)
def test_a_key_comes_apart_into_what_it_was_made_of(key: str, name: str) -> None:
    assert project_key.split_project_key(project_key.subproject_key(key, name)) == (key, name)
    assert project_key.split_project_key(project_key.subproject_key(key, "")) == (key, "")


@table("name", ["web", "@acme/web", "Käse 2", "a.b-c_d", "x" * 100])
def test_names(name: str) -> None:
    assert project_key.is_valid_subproject_name(name)


@table(
    "name",
    ["", " web", "web/", "/web", "a//b", "a=b", "a,b", "a:b", "a\\b", "a\nb", "x" * 101, *WORDS],
)
def test_what_is_no_name(name: str) -> None:
    assert not project_key.is_valid_subproject_name(name)
