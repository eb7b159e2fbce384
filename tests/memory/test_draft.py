"""What may be remembered: bounds, names and numbers, and what a check makes of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.memory import draft
from gitmem.memory.draft import MemoryDraft, MemoryOrigin
from gitmem.model.memory import Memory
from tests.support.secrets import SECRET
from tests.support.tables import table

ORIGIN = MemoryOrigin(
    id="0" * 26, now=1000, project="p", agent="codex", branch="main", commit="c" * 40
)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def prepared(content: str = "Text", **fields: object) -> Memory:
    return draft.prepare_memory(MemoryDraft(content, **fields), ORIGIN, max_bytes=1000).memory  # type: ignore[arg-type]


@pytest.mark.parametrize("facts", [{"a": "x" * 1000}, {"é" * 600: 1}, {"a": [0] * 900}])
def test_metadata_takes_no_more_room_than_a_content(facts: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="at most 1,000"):
        prepared(metadata=facts)
    assert prepared(metadata={"a": "x" * 900}).metadata


def test_what_is_not_stated_has_a_default() -> None:
    memory = prepared()
    assert (memory.kind, memory.weight, memory.importance, memory.confidence) == (
        "note",
        3,
        0.5,
        0.8,
    )
    assert (memory.version, memory.created_at, memory.updated_at) == (1, 1000, 1000)
    assert memory.state == "active"


def test_it_carries_who_stated_it_and_where() -> None:
    """CF-43."""
    memory = prepared()
    assert (memory.project, memory.agent, memory.branch, memory.commit) == (
        "p",
        "codex",
        "main",
        "c" * 40,
    )


def test_a_global_memory_belongs_to_no_project() -> None:
    assert prepared(scope="global").project == ""


def test_a_time_to_live_becomes_an_end() -> None:
    assert prepared(ttl_ms=500).expires_at == 1500


@table("field", ["content", "title", "tags", "paths", "metadata"])
def test_secrets_are_taken_out_and_reported(field: str) -> None:
    """CT-27."""
    value = {
        "tags": (SECRET,),
        "paths": (f"src/{SECRET}",),
        "metadata": {"deep": [{"k": SECRET}]},
    }.get(field, f"key {SECRET}")
    given_ = MemoryDraft(**{"content": "Text"} | {field: value})  # type: ignore[arg-type]
    result = draft.prepare_memory(given_, ORIGIN, max_bytes=1000)
    assert result.redacted
    assert SECRET.lower() not in repr(result.memory).lower()


@table(
    "key",
    ["AKIA" + "Q7ZL3XWPN5VTR2HB", "ghp_" + "R4nd0mQz7Xw8Lk2Pv9Bt5Ny3Hc6Jd1Fg0Sa", "Prod," + SECRET],
)
def test_a_key_in_a_tag_is_known_before_it_is_written_small(key: str) -> None:
    given_ = MemoryDraft("Text", tags=(key, "Plain"))
    result = draft.prepare_memory(given_, ORIGIN, max_bytes=1000)
    assert key.split(",")[-1].lower() not in repr(result.memory).lower()
    assert "plain" in result.memory.tags and len(result.redacted) == 1


@table(
    "fields",
    [
        {"content": ""},
        {"content": " \n\t "},
        {"content": "a\x00b"},
        {"content": "x" * 1001},
        {"content": "é" * 501},
        {"title": "x" * 201},
        {"kind": "no-such-kind"},
        {"tags": tuple(f"t{n}" for n in range(33))},
        {"tags": ("x" * 65,)},
        {"tags": ("a\x07b",)},
        {"paths": tuple(f"f{n}" for n in range(51))},
        {"paths": ("/etc/passwd",)},
        {"paths": ("~/x",)},
        {"paths": ("a/../../b",)},
        {"paths": ("..\\x",)},
        {"paths": ("a\x00b",)},
        {"paths": ("x" * 1025,)},
        {"weight": 0},
        {"weight": 6},
        {"weight": 10**400},
        {"importance": -0.01},
        {"importance": 1.01},
        {"importance": float("nan")},
        {"confidence": float("inf")},
        {"scope": "universe"},
        {"status": "maybe", "kind": "decision"},
        {"status": "accepted", "kind": "note"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_out_of_bounds_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as caught:
        prepared(**fields)  # type: ignore[arg-type]
    assert caught.value.message


@table(
    "fields",
    [
        {"content": "x" * 1000},
        {"title": "x" * 200},
        {"tags": tuple(f"t{n}" for n in range(32))},
        {"tags": ("x" * 64,)},
        {"paths": tuple(f"f{n}" for n in range(50))},
        {"weight": 1, "importance": 0, "confidence": 1},
        {"weight": 5, "importance": 1, "confidence": 0},
        {"status": "Accepted", "kind": "decision"},
        {"content": "", "title": "Only a title"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_just_within_bounds_is_taken(fields: dict[str, object]) -> None:
    assert prepared(**fields).id == ORIGIN.id  # type: ignore[arg-type]


def test_a_decision_is_accepted_unless_it_says_otherwise() -> None:
    assert prepared(kind="decision").status == "accepted"
    assert prepared(kind="adr", status="proposed").state == "proposed"


def test_an_unknown_kind_is_answered_with_close_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        draft.check_memory_kind("conventoin")
    assert "convention" in caught.value.hint


def test_tags_are_split_folded_sorted_and_unique() -> None:
    assert draft.check_tags(["B,a", " A ", "two words", ","]) == ("a", "b", "two-words")


def test_paths_keep_their_order_and_spans() -> None:
    given_ = ["./src/b.py:3-9", "src\\a.py", "src/b.py:3-9"]
    assert draft.check_paths(given_) == ("src/b.py:3-9", "src/a.py")


def test_a_title_is_one_line() -> None:
    assert draft.check_title(" a\n b\x00c\t") == "a b c"


def test_content_loses_surrounding_blank_lines_and_keeps_its_indentation() -> None:
    assert draft.check_content("\n\n  indented\n  more  \n\n", 100) == "  indented\n  more"


@given(st.integers() | st.floats(allow_nan=True), st.sampled_from([(0, 1), (1, 5)]))
def test_a_number_is_within_its_bounds_or_refused(value: float, span: tuple[int, int]) -> None:
    least, most = span
    try:
        found = draft.check_bounds("x", value, least, most, 1)
    except InvalidInput:
        assert not least <= value <= most
    else:
        assert least <= found <= most


@given(st.dictionaries(words, words | st.integers() | st.lists(words), max_size=4))
def test_metadata_is_json_with_sorted_keys(metadata: dict[str, object]) -> None:
    text = prepared(metadata=metadata).metadata
    assert text == json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True)
