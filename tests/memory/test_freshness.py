"""Verdicts follow from the evidence alone (ML-1): never fresh without being seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import freshness
from gitmem.memory.freshness import CitedCodeState
from gitmem.model.anchor import VERDICTS, CitedCodeVerdict, CodeAnchor
from gitmem.text import code_fingerprint
from gitmem.text.code_fingerprint import SearchableText

TEXT = "\n".join(f"value_{number} = read('{number}')" for number in range(1, 31)) + "\n"
BLOCK = code_fingerprint.fingerprint_of_block(TEXT.split("\n")[9:15], TEXT)
FILE = code_fingerprint.fingerprint_of_file(TEXT)
SPAN = CodeAnchor(
    1, "a.py:10-15", "a.py", 10, 15, "", "b10b", "c0", code_fingerprint.to_json(BLOCK), 0
)
WHOLE = CodeAnchor(
    1, "a.py", "a.py", None, None, "", "b10b", "c0", code_fingerprint.to_json(FILE), 0
)


def span(**found: object) -> CitedCodeVerdict:
    return freshness.judge_anchor_freshness(SPAN, BLOCK, CitedCodeState(**found))  # type: ignore[arg-type]


def whole(**found: object) -> CitedCodeVerdict:
    return freshness.judge_anchor_freshness(WHOLE, FILE, CitedCodeState(**found))  # type: ignore[arg-type]


def test_a_block_at_its_place_is_fresh_without_a_word() -> None:
    found = span(page=SearchableText(TEXT), blob="other")
    assert (found.verdict, found.first_line, found.last_line) == ("fresh", 10, 15)
    assert found.reason == ""


def test_a_block_further_down_is_fresh_and_its_lines_are_reported() -> None:
    found = span(page=SearchableText("\n\n\n" + TEXT))
    assert (found.verdict, found.first_line, found.last_line) == ("fresh", 13, 18)
    assert found.reason == "now in lines 13-18"


def test_a_block_that_stands_elsewhere_has_moved() -> None:
    found = span(gone=True, elsewhere="b.py", lines=(3, 8))
    assert (found.verdict, found.path, found.first_line) == ("moved", "b.py", 3)
    assert found.reason == "now in b.py, lines 3-8"


def test_a_block_at_its_place_and_elsewhere_is_fresh() -> None:
    assert span(page=SearchableText(TEXT), elsewhere="b.py", lines=(3, 8)).verdict == "fresh"


def test_a_block_that_was_edited_has_changed_and_what_is_left_is_reported() -> None:
    found = span(page=SearchableText(TEXT.replace("value_12", "renamed")))
    assert (found.verdict, found.path) == ("changed", "a.py")
    assert (found.first_line, found.last_line) == (10, 15)
    assert "is no longer there" in found.reason


def test_a_file_that_is_gone_with_its_block_is_gone() -> None:
    assert span(gone=True).verdict == "gone"


def test_a_symbol_that_is_defined_elsewhere_otherwise_has_changed_not_gone() -> None:
    found = span(gone=True, defined=("b.py", 5, 9))
    assert (found.verdict, found.path, found.first_line) == ("changed", "b.py", 5)


def test_what_cannot_be_read_is_unknown_even_if_something_is_elsewhere() -> None:
    found = span(unreadable="it cannot be read", elsewhere="b.py")
    assert (found.verdict, found.reason) == ("unknown", "it cannot be read")


def test_what_was_no_file_when_it_was_cited_stays_unknown() -> None:
    never = CodeAnchor(1, "a.py", "a.py", None, None, "", "", "c0", "{}", 0)
    found = freshness.judge_anchor_freshness(
        never, code_fingerprint.from_json("{}"), CitedCodeState(page=SearchableText(TEXT), blob="x")
    )
    assert (found.verdict, found.reason) == ("unknown", freshness.NO_FILE_THEN)


def test_a_whole_file_may_change_as_long_as_half_of_it_stays() -> None:
    lines = TEXT.split("\n")
    assert whole(page=SearchableText("\n".join(lines[:20]))).verdict == "fresh"
    assert whole(page=SearchableText("\n".join(lines[:8]))).verdict == "changed"


def test_a_binary_file_is_fresh_by_its_id_alone() -> None:
    assert whole(blob="b10b").verdict == "fresh"
    assert whole(blob="other").verdict == "changed"


def test_a_whole_file_that_is_elsewhere_has_moved_and_else_is_gone() -> None:
    assert whole(gone=True, elsewhere="b.py").verdict == "moved"
    assert whole(gone=True).verdict == "gone"


def test_a_memory_is_the_worst_of_its_anchors_and_none_without() -> None:
    assert freshness.worst_anchor_verdict_name([]) == "none"
    assert freshness.worst_anchor_verdict_name(["fresh", "moved"]) == "moved"
    made = freshness.combine_anchor_verdicts(
        [CitedCodeVerdict(2, "b", "gone"), CitedCodeVerdict(1, "a", "unknown")]
    )
    assert made.freshness == "gone"
    assert [anchor.number for anchor in made.anchors] == [1, 2]
    assert made.is_stale


@given(st.lists(st.sampled_from(VERDICTS), min_size=1))
def test_the_worst_is_one_of_them_and_none_is_worse(words: list[str]) -> None:
    found = freshness.worst_anchor_verdict_name(words)
    assert found in words
    assert all(VERDICTS.index(word) <= VERDICTS.index(found) for word in words)


@given(
    st.sampled_from(["", TEXT, "x\n", TEXT.replace("value_12", "y")]),
    st.booleans(),
    st.sampled_from(["", "b.py"]),
    st.sampled_from(["", "why"]),
)
def test_judging_again_says_the_same_and_fresh_is_only_what_was_seen(
    text: str, gone: bool, elsewhere: str, why: str
) -> None:
    page = SearchableText(text) if text and not gone else None
    evidence = CitedCodeState(page=page, gone=gone, unreadable=why, elsewhere=elsewhere)
    found = freshness.judge_anchor_freshness(SPAN, BLOCK, evidence)
    assert freshness.judge_anchor_freshness(SPAN, BLOCK, evidence) == found
    assert found.verdict in VERDICTS
    assert (found.verdict == "fresh") == bool(page and code_fingerprint.find_block(BLOCK, page))
