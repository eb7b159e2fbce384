"""What kind of file a question asks for (CF-14): by its wording, more or less surely."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.search.file_kinds import FACTORS
from gitmem.search.intent import detect_intent
from tests.support.tables import table
from tests.support.timing import assert_linear


@table(
    ("text", "kinds"),
    [
        ("how do I set the colour theme", {"docs", "example"}),
        ("which Ruby versions are built", {"config", "docs"}),
        ("what line length is enforced", {"config"}),
        ("dev dependencies", {"config"}),
        ("CI job that uploads coverage", {"config"}),
        ("where is paging tested", {"test"}),
        ("which tests cover the cart", {"test"}),
        ("when was the old parser dropped", {"history"}),
        ("why did we move to a queue", {"history"}),
        ("how the redirect builds its header", set()),
        ("how a test is skipped", set()),
        ("where are the tests of the cart", {"test"}),
        ("is there a test for paging", {"test"}),
        ("what behaviour of the pager is tested", {"test"}),
        ("where is a failed test started again", set()),
        ("where are two tests of one name refused", set()),
        ("which code stops a test that runs too long", set()),
        ("how do I abort a test that takes too long", {"docs", "example"}),
        ("which words does the spell checker ignore", {"config"}),
        ("for which platforms are releases made", {"config"}),
        ("on which systems do the tests run in parallel", {"config"}),
        ("which function runs the tests in parallel", set()),
        ("how long does the fuzzer run", {"config"}),
        ("what happens when the socket closes", set()),
        ("where is the body limit enforced", set()),
        ("RedisPool", set()),
        ("write a theme of my own", set()),
        ("why is an unquoted y in my file read as true?", {"history"}),
        ("why does reading fail?", {"history"}),
        ("keep the token out of the log", set()),
        ("run two servers from one program", set()),
        ("retry middleware", set()),
    ],
)
def test_a_wording_tells_what_kind_of_file_is_meant(text: str, kinds: set[str]) -> None:
    assert detect_intent(text).kinds.keys() == kinds


def test_capitals_make_no_other_question() -> None:
    assert detect_intent("HOW DO I PAGE") == detect_intent("how do I page")
    assert detect_intent("Keep the token out of the log") == detect_intent(
        "keep the token out of the log"
    )


def test_a_kind_that_is_named_is_asked_for_more_surely_than_one_that_is_likely() -> None:
    assert detect_intent("the documentation of paging").kinds["docs"] == 1
    assert 0 < detect_intent("how do I page").kinds["docs"] < 1
    assert detect_intent("how do I find the docs on paging").kinds["docs"] == 1


PARTS = ("how do I", "which versions", "when was", "where are the tests", "docs", "CI", " , ", "of")


@example(["how do I", "docs"])
@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=20), max_size=9))
def test_any_text_asks_for_known_kinds_between_0_and_1(parts: list[str]) -> None:
    found = detect_intent(" ".join(parts)).kinds
    assert found or not parts or parts[0] not in ("how do I", "which versions", "when was")
    assert found.keys() <= FACTORS.keys() | {"history"}
    assert all(0 < sure <= 1 for sure in found.values())


@table("unit", ["which ", "what is the test ", "a test ", "is there ", "was ", "version "])
def test_time_grows_as_the_text_does(unit: str) -> None:
    assert_linear(lambda size: detect_intent(unit * (size // len(unit))), 50_000)


def test_a_question_to_users_documents_is_not_meant_for_the_source_a_named_kind_may_be() -> None:
    assert (
        detect_intent("how do I page").outside_source
        > detect_intent("which versions are pinned").outside_source
        > 0
    )
    assert detect_intent("generate documentation for man pages").outside_source == 0
    assert detect_intent("which tests cover the cart").outside_source > 0
