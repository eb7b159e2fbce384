"""Whether what was found answers a question, or is only the nearest there is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.answered import (
    HitRelevance,
    has_likely_answer,
    idf_without_embedded_numbers,
    measure_hit_relevance,
    names_in_question,
    unmatched_names,
)
from gitmem.search.query import inverse_document_frequency

TOTAL = 4_000
MOST = inverse_document_frequency(0, TOTAL)
WORDS = {
    "csrf": MOST,
    "tokens": inverse_document_frequency(200, TOTAL),
    "forms": inverse_document_frequency(90, TOTAL),
}


def hit(text: str, similarity: float | None, score: float = 0.4) -> HitRelevance:
    return measure_hit_relevance(text, similarity, score, WORDS)


def test_what_holds_the_rare_words_answers_in_every_mode() -> None:
    best = hit("csrf tokens of forms", 0.6)
    for mode in ("keyword", "semantic", "hybrid"):
        assert has_likely_answer(WORDS, MOST, [best], mode), mode


def test_a_repository_that_lacks_the_thing_asked_for_does_not_answer() -> None:
    best = hit("tokens of a parser", 0.25)
    for mode in ("keyword", "semantic", "hybrid"):
        assert not has_likely_answer(WORDS, MOST, [best], mode), mode
    assert not has_likely_answer(WORDS, MOST, [], "hybrid")


def test_meaning_makes_up_for_other_words_and_not_where_only_words_are_asked() -> None:
    best = hit("forgery protection", 0.75)
    assert has_likely_answer(WORDS, MOST, [best], "hybrid") and has_likely_answer(
        WORDS, MOST, [best], "semantic"
    )
    assert not has_likely_answer(WORDS, MOST, [best], "keyword")


def test_what_the_search_found_well_is_likelier_an_answer() -> None:
    assert has_likely_answer(WORDS, MOST, [hit("forms of tokens", 0.3, 0.5)], "hybrid")
    assert not has_likely_answer(WORDS, MOST, [hit("forms of tokens", 0.3, 0.1)], "hybrid")


def test_a_question_for_a_place_has_to_be_answered_more_surely() -> None:
    """Its hits are chosen by what they hold of it, so holding some of it says less."""
    best = [hit("forms of tokens", 0.3, 0.4)]
    assert has_likely_answer(WORDS, MOST, best, "hybrid")
    assert not has_likely_answer(WORDS, MOST, best, "hybrid", asks_for_place=True)
    assert has_likely_answer(
        WORDS, MOST, [hit("csrf tokens", 0.3, 0.4)], "hybrid", asks_for_place=True
    )


def test_what_one_hit_lacks_another_may_hold() -> None:
    apart = [hit("csrf", 0.1), hit("tokens forms", 0.1)]
    assert has_likely_answer(WORDS, MOST, apart, "hybrid")
    assert not has_likely_answer(WORDS, MOST, apart[1:], "hybrid")


def test_words_that_stand_apart_are_no_answer_together() -> None:
    """CE-11: of a question's two words one hit holds the one, another the other."""
    even = {"csrf": 4.0, "forms": 4.0}
    both = [HitRelevance({"csrf", "forms"}, 0.1, 0.1)]
    apart = [HitRelevance({"csrf"}, 0.1, 0.05), HitRelevance({"forms"}, 0.1, 0.05)]
    assert has_likely_answer(even, MOST, both, "hybrid")
    assert not has_likely_answer({**even, "also": 3.0}, MOST, apart, "hybrid")


def test_only_the_first_hits_tell_what_is_held() -> None:
    empty = HitRelevance((), 0.1, 0.1)
    full = HitRelevance({*WORDS}, 0.1, 0.1)
    assert has_likely_answer(WORDS, MOST, [empty, empty, full], "hybrid")
    assert not has_likely_answer(WORDS, MOST, [empty, empty, empty, full], "hybrid")


def test_a_name_that_is_nowhere_costs_more_than_a_word() -> None:
    """CE-11, CF-15: what a repository does not have is asked for by its name."""
    rare = {"exported": 1.0, "session": 3.0, "har": 5.0}
    best = [measure_hit_relevance("the session is exported", 0.5, 0.4, rare)]
    named = names_in_question("Where is a session exported as HAR?")
    assert has_likely_answer(rare, 5.0, best, "hybrid") and has_likely_answer(
        rare, 5.0, best, "keyword"
    )
    assert not has_likely_answer(rare, 5.0, best, "hybrid", named)
    assert not has_likely_answer(rare, 5.0, best, "keyword", named)
    assert has_likely_answer(rare, 5.0, best, "semantic", named)
    # A name that many files hold is only missing here.
    assert has_likely_answer({**rare, "har": 3.0}, 5.0, best, "hybrid", named)
    # One that a hit holds is not missing.
    there = [measure_hit_relevance("the session is exported: har", 0.5, 0.4, rare)]
    assert has_likely_answer(rare, 5.0, there, "hybrid", named)


def test_neither_keys_nor_what_a_pasted_message_calls_things_are_names() -> None:
    for text in (
        "how do I stop it with Ctrl-C",
        "what happens on Alt+F4",
        "panic: key userID does not exist",
        "TypeError: userID is not a function",
        "error[E0277]: the trait Foo is not implemented for MyType",
    ):
        assert not names_in_question(text), text
    assert names_in_question("how do I stop it over SSH") == {"ssh"}
    assert names_in_question("which error handler does OpenAPI have: the default") == {"openapi"}


def test_a_name_of_several_parts_is_held_as_it_is_written_or_not_at_all() -> None:
    for text, best, parts in (
        ("serve it over http/3", ["serve http", "3 ways"], {"http", "3"}),
        ("serve it over http/3", ["nothing", "def serve_http3(): ..."], set()),
        ("serve it over HTTP/3", ["over HTTP 3 and UDP"], set()),
        ("serve it over http/3", ["http/31", "xhttp/3"], {"http", "3"}),
        ("where is JSON-RPC read", ["json of an rpc"], {"json", "rpc"}),
        ("where is JSON-RPC read", ["class JsonRpc", "JSON_RPC = 1"], set()),
        ("a file in ISO-8859-1", ["iso8859-1"], set()),
        ("is it thread-safe", ["a lock"], set()),
        ("stop it with Ctrl-C", ["a signal"], set()),
        ("src/v2/http/3.py", ["nothing"], set()),
        ("panic: no route HTTP/3", ["nothing"], set()),
    ):
        assert unmatched_names(text, best) == parts, text


def test_a_name_that_no_hit_holds_as_it_is_written_is_nowhere() -> None:
    """What holds its parts each by itself does not make up for it."""
    rare = {"serve": 2.5, "http": 1.3, "3": 2.7}
    best = [measure_hit_relevance("serve http with 3 threads", 0.4, 0.5, rare)]
    assert has_likely_answer(rare, MOST, best, "hybrid")
    assert not has_likely_answer(rare, MOST, best, "hybrid", unmatched={"http", "3"})
    assert has_likely_answer(rare, MOST, best, "semantic", unmatched={"http", "3"})


def test_a_number_inside_a_name_is_no_evidence() -> None:
    rare = {"http2stream": MOST, "http": 1.3, "2": 1.1, "3": 1.1}
    assert set(idf_without_embedded_numbers(rare, "http2stream with 3 threads")) == {
        "http2stream",
        "http",
        "3",
    }
    assert set(idf_without_embedded_numbers(rare, "2 of http2stream")) == {
        "http2stream",
        "http",
        "2",
    }
    assert set(idf_without_embedded_numbers({"3.11": 2.0}, "python3.11")) == {"3.11"}


def test_configuration_in_its_usual_place_need_not_hold_the_words() -> None:
    best = hit("tokens of a parser", 0.55, 0.25)
    assert has_likely_answer(WORDS, MOST, [best], "hybrid", is_at_usual_place=True)
    assert not has_likely_answer(WORDS, MOST, [best], "hybrid")
    assert not has_likely_answer(
        WORDS, MOST, [hit("nothing", 0.1, 0.1)], "hybrid", is_at_usual_place=True
    )


def test_names_are_distinguished_from_words() -> None:
    for text, expected in (
        ("Where is the OpenAPI document made?", {"openapi"}),
        ("How do I sign requests with AWS?", {"aws"}),
        ("markers for Mercurial (or a Subversion)", {"mercurial", "subversion"}),
        ("GeoIP", {"geoip"}),
        ("Where is it. How?", set()),
        ("Redis listens", set()),
        ("Where is Http2StreamReader, and Alpha0Beta", {"http2streamreader", "alpha0beta"}),
        ("Where is A1b2C3d4E5f6 of SHA256?", {"sha256"}),  # what was pasted is no name
    ):
        assert names_in_question(text) == expected, text


@given(
    st.dictionaries(st.text("abc", min_size=3, max_size=5), st.floats(0, 9), max_size=5),
    st.lists(
        st.tuples(st.text("abc ", max_size=30), st.none() | st.floats(-1, 1), st.floats(0, 1))
    ),
)
def test_a_hit_more_never_makes_an_answer_less_sure(
    words: dict[str, float], texts: list[tuple[str, float | None, float]]
) -> None:
    found = [measure_hit_relevance(*text, words) for text in texts]
    for mode in ("keyword", "semantic", "hybrid"):
        if has_likely_answer(words, 9.0, found[:-1], mode):
            assert has_likely_answer(words, 9.0, found, mode)
