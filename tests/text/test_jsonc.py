"""Single values in JSON with comments: everything around them stays."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.text import jsonc, jsonc_edit
from tests.support.tables import table
from tests.support.timing import assert_linear

SERVER = {"command": "gitmem"}


@table(
    ("before", "after"),
    [
        ("{}\n", '{\n  "gitmem": 1\n}\n'),
        ('{"a": 1}', '{"a": 1, "gitmem": 1}'),
        ('{"a": 1,}', '{"a": 1, "gitmem": 1,}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"gitmem": 1\n}'),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "gitmem": 1\r\n}\r\n'),
        ('{\n  "a": 1 // why\n}', '{\n  "a": 1, // why\n  "gitmem": 1\n}'),
        ('{\n  "a": 1, // why\n}', '{\n  "a": 1, // why\n  "gitmem": 1,\n}'),
        ('{\n  "a": 1 /* x\n y */\n}', '{\n  "a": 1, /* x\n y */\n  "gitmem": 1\n}'),
        ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "gitmem": 1\n}'),
    ],
)
def test_a_member_is_added_as_the_file_is_written(before: str, after: str) -> None:
    assert jsonc_edit.set_json_value(before, ("gitmem",), 1) == after
    assert jsonc_edit.remove_json_member(after, ("gitmem",)) in (before, "{}\n")


def test_a_value_is_exchanged_where_it_stands() -> None:
    text = '{"m": {"gitmem": {"command": "old", "env": {"A": "1"}}, "z": 2}} // end'
    assert jsonc_edit.set_json_value(text, ("m", "gitmem"), SERVER) == text.replace("old", "gitmem")


def test_a_value_of_another_type_is_exchanged_although_python_calls_it_equal() -> None:
    for before, value, after in (
        ('{"a": 1}', True, '{"a": true}'),
        ('{"a": true}', 1, '{"a": 1}'),
        ('{"a": 0}', False, '{"a": false}'),
        ('{"a": {"b": 1, "c": 2}}', {"b": True}, '{"a": {"b": true, "c": 2}}'),
        ('{"a": {"b": 1}}', {"b": True}, '{"a": {"b": true}}'),
        ('{"a": [1]}', [True], '{"a": [true]}'),
    ):
        assert jsonc_edit.set_json_value(before, ("a",), value) == after


def test_comments_of_others_around_our_entry_stay() -> None:
    text = '{\n  "a": 1,\n  // about b\n  "gitmem": 2, // gone\n  /* about c */\n  "c": 3\n}'
    left = jsonc_edit.remove_json_member(text, ("gitmem",))
    assert jsonc.parse_jsonc(left) == {"a": 1, "c": 3}
    assert "// about b\n" in left and "/* about c */" in left
    assert jsonc.parse_jsonc(
        jsonc_edit.remove_json_member('{"a": 1, // x\n "gitmem": 2 }', ("gitmem",))
    ) == {"a": 1}


def test_items_come_and_go_at_the_end_of_a_list() -> None:
    text = '{\n    "hooks": [\n        1 // one\n    ]\n}\n'
    made = jsonc_edit.append_list_item(text, ("hooks",), {"a": [1]})
    assert jsonc.parse_jsonc(made) == {"hooks": [1, {"a": [1]}]}
    assert jsonc_edit.remove_list_items(made, ("hooks",), lambda item: item != 1) == text


def test_a_key_given_twice_goes_as_a_whole() -> None:
    assert jsonc_edit.remove_json_member('{"a": 1, "b": 2, "a": 3}', ("a",)) == '{"b": 2}'.replace(
        "{", "{ "
    )


@table("text", ["{", '{"a" 1}', "[1,,2]", "{'a': 1}", "{a: 1}", "[" * 100_000, "{} /*", "{} /*/"])
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        jsonc.parse_jsonc(text)


@table("text", ['{"m": []}', '{"m": null}', "[]", '"text"', '{"m": 1}'])
def test_a_way_through_something_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="not an object"):
        jsonc_edit.set_json_value(text, ("m", "gitmem"), SERVER)


def test_large_values_of_others_are_left_out_of_the_work_and_come_back() -> None:
    large = '[ "x", // {\n' + ",".join(["1"] * 200_000) + "]"
    text = '{"hooks": {}, "big": ' + large + ', "small": "// no"} // end'
    small, holes = jsonc_edit.extract_large_values(text, ["hooks"])
    assert len(small) < 100 and list(holes.values()) == [large]
    assert jsonc_edit.restore_large_values(small, holes) == text
    assert jsonc_edit.extract_large_values(text, ["big"]) == (text, {})


@table("piece", ['"a\\', "/* ", '"', "//", "[", '{"a":', ",", "\\"])
def test_files_made_to_take_long_are_refused_at_once(piece: str) -> None:
    def read(count: int) -> None:
        with pytest.raises(InvalidInput):
            jsonc.parse_jsonc(piece * count)

    assert_linear(read, 100_000)
