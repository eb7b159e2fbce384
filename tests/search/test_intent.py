"""What kind of file a question asks for (CF-14): by its wording, more or less surely."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.file_kinds import FACTORS
from gitmem.search.intent import wanted
from tests.support.tables import table
from tests.support.timing import assert_linear


@table(
    ("text", "kinds"),
    [
        ("how do I set the colour theme", {"docs", "example"}),
        ("is there a way to turn paging off", {"docs", "example"}),
        ("installing from source", {"docs", "example"}),
        ("which flags does the server take", {"docs", "example"}),
        ("which Ruby versions are built", {"config", "docs"}),
        ("what line length is enforced", {"config"}),
        ("dev dependencies", {"config", "docs"}),
        ("CI job that uploads coverage", {"config"}),
        ("where is paging tested", {"test"}),
        ("which tests cover the cart", {"test"}),
        ("when was the old parser dropped", {"history"}),
        ("why did we move to a queue", {"history"}),
        ("how the redirect builds its header", set()),
        ("how a test is skipped", set()),
        ("what happens when the socket closes", set()),
        ("where is the body limit enforced", set()),
        ("RedisPool", set()),
    ],
)
def test_a_wording_tells_what_kind_of_file_is_meant(text: str, kinds: set[str]) -> None:
    assert wanted(text).keys() == kinds
    assert wanted(text.upper()).keys() == kinds


def test_a_kind_that_is_named_is_asked_for_more_surely_than_one_that_is_likely() -> None:
    assert wanted("the documentation of paging")["docs"] == 1
    assert 0 < wanted("how do I page")["docs"] < 1
    assert wanted("how do I find the docs on paging")["docs"] == 1


@given(st.text(max_size=200) | st.text("how do i testcsr, ", max_size=200))
def test_any_text_asks_for_known_kinds_between_0_and_1(text: str) -> None:
    found = wanted(text)
    assert found.keys() <= FACTORS.keys() | {"history"}
    assert all(0 < sure <= 1 for sure in found.values())


@table("unit", ["which ", "what is the test ", "a test ", "is there ", "was ", "version "])
def test_time_grows_as_the_text_does(unit: str) -> None:
    assert_linear(lambda size: wanted(unit * (size // len(unit))), 50_000)
