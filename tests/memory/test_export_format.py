"""A line of an export says all there is to say, and an import believes nothing unchecked."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import GitmemError, InvalidInput
from gitmem.memory import export_format, trust
from gitmem.model.memory import Link, Memory
from tests.support.secrets import SECRET
from tests.support.stores import LARGEST, START, said
from tests.support.tables import table

moments = st.none() | st.integers(0, 4_000_000_000_000)
memories = st.builds(
    lambda archived, expires, ttl, by, version, updated, kind, layer, tier, since, until: said(
        "Text",
        kind=kind,
        archived_at=archived,
        expires_at=expires,
        ttl_ms=ttl,
        superseded_by=by,
        version=version,
        updated_at=updated,
        metadata='{"a": [1, null]}',
        tags=("a", "b"),
        paths=("src/a.py:1-2",),
        layer=layer,
        trust=tier,
        valid_from=since,
        valid_until=until,
    ),
    moments, moments, st.none() | st.integers(0, 1 << 50), st.sampled_from(["", "A" * 26]),
    st.integers(1, 1000), st.integers(START, START * 2), st.sampled_from(["note", "fix"]),
    st.sampled_from(["", "working"]), st.sampled_from(["", *trust.TIERS]), moments, moments,
)  # fmt: skip


def read(line: str) -> Memory | Link | None:
    return export_format.parse_export_line(line, max_bytes=LARGEST)


@given(memories)
def test_a_memory_is_read_as_it_was_written(memory: Memory) -> None:
    assert read(export_format.memory_as_json_line(memory)) == memory


@given(st.floats(0, 1), st.integers(0, START))
def test_a_link_is_read_as_it_was_written(strength: float, at: int) -> None:
    link = Link("A" * 26, "B" * 26, "C" * 26, "SOLVES", strength, "why", at)
    assert read(export_format.link_as_json_line(link)) == link


def test_the_header_says_nothing_and_a_newer_one_is_refused() -> None:
    assert read(export_format.export_header("p")) is None
    with pytest.raises(InvalidInput):
        read('{"type": "gitmem", "format": 2}')


def changed(**fields: object) -> str:
    return json.dumps(json.loads(export_format.memory_as_json_line(said())) | fields)


@table(
    "fields",
    [
        {"id": "x"},
        {"id": 7},
        {"id": None},
        {"content": ""},
        {"content": "x" * (LARGEST + 1)},
        {"content": ["x"]},
        {"created_at": None},
        {"created_at": "soon"},
        {"created_at": 7},
        {"tags": "a"},
        {"tags": [1]},
        {"paths": ["../x"]},
        {"weight": 9},
        {"weight": "3"},
        {"importance": 10**400},
        {"importance": float("nan")},
        {"confidence": True},
        {"ttl_ms": 1.5},
        {"ttl_ms": float("inf")},
        {"ttl_ms": 1 << 70},
        {"ttl_ms": -1},
        {"version": float("inf")},
        {"version": 1 << 70},
        {"version": 0},
        {"version": "1"},
        {"scope": "universe"},
        {"status": "maybe"},
        {"superseded_by": "x"},
        {"layer": "project"},
        {"layer": 7},
        {"trust": "absolute"},
        {"valid_from": "soon"},
        {"valid_until": 7},
        {"type": "vector"},
        {"type": 7},
    ],
    ids=str,
)
def test_a_wrong_field_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        read(changed(**fields))


@table("line", ["", "{", "[]", "7", '"x"', "[" * 100_000])
def test_what_is_no_object_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput):
        read(line)


def test_a_kind_of_another_system_becomes_a_note() -> None:
    """CT-3."""
    memory = read(changed(kind="zettel"))
    assert isinstance(memory, Memory)
    assert memory.kind == "note"


def test_a_link_of_an_unknown_kind_is_refused() -> None:
    link = export_format.link_as_json_line(
        Link("A" * 26, "B" * 26, "C" * 26, "SOLVES", 0.5, "", START)
    )
    with pytest.raises(InvalidInput):
        read(link.replace("SOLVES", "LIKES"))


def test_a_link_may_point_to_a_commit_that_implements_a_memory() -> None:
    link = Link("A" * 26, "B" * 26, f"commit:{'c' * 40}", "IMPLEMENTED_BY", 0.5, "", START)
    line = export_format.link_as_json_line(link)
    assert read(line) == link
    for wrong in (line.replace("IMPLEMENTED_BY", "SOLVES"), line.replace("c" * 40, "HEAD")):
        with pytest.raises(InvalidInput):
            read(wrong)


@pytest.mark.parametrize("field", ["content", "title"])
def test_secrets_are_taken_out_on_the_way_in(field: str) -> None:
    """CT-27."""
    assert SECRET not in repr(read(changed(**{field: f"key {SECRET}"})))


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
deep = st.recursive(values, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
names = st.sampled_from(sorted(json.loads(export_format.memory_as_json_line(said()))))


@given(st.dictionaries(names, deep, max_size=3))
def test_any_line_is_a_record_or_a_sentence(fields: dict[str, object]) -> None:
    try:
        read(changed(**fields))
    except GitmemError as error:
        assert error.message


def test_times_keep_their_milliseconds() -> None:
    assert '"created_at": "2023-11-14T22:13:20.000Z"' in export_format.memory_as_json_line(said())
