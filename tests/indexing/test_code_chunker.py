"""Code cut along its definitions (CF-35, CC-6): nothing lost, nothing twice, nothing huge."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing import code_chunker, line_chunker
from gitmem.indexing.line_chunker import Chunk
from gitmem.indexing.syntax.values import Definition

LINE = st.sampled_from(
    ["", "", "x = 1", "def f():", "    return 1", "y" * 300, "z" * 1500, "\t", "}", "# note", "中"]
)
TEXT = st.lists(LINE, max_size=150).map("\n".join)


def defined(
    name: str, first: int, last: int, *, kind: str = "function", container: str = "", **more: bool
) -> Definition:
    return Definition(
        name=name,
        kind=kind,
        signature=f"def {name}(self)" if kind in ("function", "method") else "",
        doc="",
        container=container,
        start_line=first,
        end_line=last,
        exported=more.get("exported", True),
        line=first,
    )


# Also lines that lie outside of the file, end before they begin, or overlap half.
DEFINITION = st.builds(
    lambda first, length, kind: defined(f"n{first}", first, first + length, kind=kind),
    st.integers(0, 160),
    st.one_of(st.integers(0, 12), st.integers(-2, 120)),
    st.sampled_from(["function", "class", "method"]),
)
DEFINITIONS = st.lists(DEFINITION, max_size=30)


def cut(text: str, *definitions: Definition) -> list[Chunk]:
    return list(code_chunker.split_code(text, definitions))


@given(TEXT, DEFINITIONS)
def test_every_line_that_is_not_blank_is_in_one_piece(
    text: str, definitions: Sequence[Definition]
) -> None:
    lines = text.split("\n")
    last = 0
    for item in code_chunker.split_code(text, definitions):
        assert item.start_line > last
        assert not "".join(lines[last : item.start_line - 1]).strip()
        assert item.text == "\n".join(lines[item.start_line - 1 : item.end_line])
        assert item.text.strip()
        last = item.end_line
    assert not "".join(lines[last:]).strip()


@given(TEXT, DEFINITIONS.filter(bool))
def test_a_piece_is_never_much_too_large(text: str, definitions: Sequence[Definition]) -> None:
    """Only a line that is larger alone makes a larger piece."""
    for item in code_chunker.split_code(text, definitions):
        assert (
            len(item.text) < code_chunker.WHOLE + code_chunker.TINY
            or item.start_line == item.end_line
        )
        assert item.end_line - item.start_line < code_chunker.LINES


@given(TEXT, DEFINITIONS)
def test_the_same_file_gives_the_same_pieces_in_whatever_order_it_was_read(
    text: str, definitions: list[Definition]
) -> None:
    unique = list(
        {
            (definition.start_line, definition.end_line): definition for definition in definitions
        }.values()
    )
    assert cut(text, *unique) == cut(text, *reversed(unique))


@given(TEXT)
def test_without_definitions_lines_decide(text: str) -> None:
    assert cut(text) == list(line_chunker.split_into_line_chunks(text))


def function(name: str, lines: int, indent: str = "") -> list[str]:
    body = [f"{indent}    value_{number} = compute({number})" for number in range(lines - 1)]
    return [f"{indent}def {name}(self):", *body]


def test_small_definitions_share_a_piece() -> None:
    text = "\n".join([*function("first", 3), "", *function("second", 3)])
    (result,) = cut(text, defined("first", 1, 3), defined("second", 5, 7))
    assert (result.symbol, result.context) == ("first second", "")


def test_a_definition_keeps_its_comment_and_its_decorators() -> None:
    filler = function("before", 20)
    text = "\n".join([*filler, "", "# Why it is", "@cached", *function("load", 15)])
    first, second = cut(text, defined("before", 1, 20), defined("load", 24, 38))
    assert (first.end_line, second.start_line) == (20, 22)
    assert second.text.startswith("# Why it is")
    assert second.symbol == "load"


def test_a_comment_that_fills_a_piece_still_has_the_name_of_what_it_is_about() -> None:
    comment = [f"// Line {number} of a long text about what comes next." for number in range(14)]
    text = "\n".join([*comment, *function("load", 30)])
    pieces = cut(text, defined("load", 15, 44))
    assert pieces[0].text.startswith("// Line 0")
    assert pieces[0].symbol == "load"
    assert (pieces[1].symbol, pieces[1].context) == ("load", "def load(self)")


def test_what_stands_between_definitions_is_a_piece_of_its_own() -> None:
    imports = [f"from somewhere_far_away import name_{number}" for number in range(15)]
    text = "\n".join([*imports, "", *function("load", 15)])
    first, second = cut(text, defined("load", 17, 31))
    assert (first.symbol, first.context) == ("", "")
    assert second.symbol == "load"


def klass() -> tuple[str, list[Definition]]:
    lines = ["class Config:", '    """Settings."""', ""]
    lines += [*function("load", 60, "    "), "", *function("save", 15, "    ")]
    return "\n".join(lines), [
        defined("Config", 1, len(lines), kind="class"),
        defined("load", 4, 63, kind="method", container="Config"),
        defined("save", 65, 79, kind="method", container="Config"),
    ]


def test_a_large_class_is_cut_at_its_methods_and_each_piece_knows_where_it_stands() -> None:
    text, definitions = klass()
    pieces = cut(text, *definitions)
    assert (pieces[0].symbol, pieces[0].context) == ("Config", "")
    start = next(piece for piece in pieces if piece.symbol == "load")
    assert start.context == "class Config"
    goes_on = pieces[pieces.index(start) + 1]
    assert goes_on.symbol == ""
    assert goes_on.context == "class Config > def load(self)"
    assert pieces[-1].symbol == "save"
    assert pieces[-1].context == "class Config"


def test_the_order_in_which_definitions_are_reported_does_not_matter() -> None:
    text, definitions = klass()
    assert cut(text, *definitions) == cut(text, *reversed(definitions))


def test_a_long_function_is_cut_where_its_lines_are_emptiest() -> None:
    lines = function("long", 40)
    lines[19:19] = [""]
    first, second = cut("\n".join(lines), defined("long", 1, len(lines)))
    assert (first.end_line, second.start_line) == (19, 21)


def test_a_method_outside_of_its_type_still_belongs_to_it() -> None:
    text = "\n".join(["package shop", "", *function("Add", 40)])
    pieces = cut(text, defined("Add", 3, 42, kind="method", container="Cart"))
    assert {piece.context for piece in pieces[1:]} <= {"Cart", "Cart > def Add(self)"}
    assert pieces[-1].context == "Cart > def Add(self)"


def test_a_closing_bracket_stays_with_what_it_closes() -> None:
    body = [f"    function step{n}() {{ return {'x' * 90}; }}" for n in range(12)]
    text = "\n".join(["class Big {", *body, "}"])
    steps = [defined(f"step{n}", n + 2, n + 2) for n in range(12)]
    pieces = cut(text, defined("Big", 1, 14, kind="class"), *steps)
    assert len(pieces) > 1
    assert pieces[-1].text.endswith("}\n}")


def test_the_names_of_a_piece_begin_with_the_largest() -> None:
    text = "\n".join(["size = 1", *function("load", 4), "", *function("save", 9)])
    small, load, save = defined("size", 1, 1), defined("load", 2, 5), defined("save", 7, 15)
    (result,) = cut(text, small, load, save)
    assert result.symbol == "save load size"


def test_among_names_alike_those_come_first_that_others_can_see() -> None:
    text = "\n".join(f"def n{number}(): pass" for number in range(14))
    definitions = [
        defined(f"n{number}", number + 1, number + 1, exported=number != 0) for number in range(14)
    ]
    (result,) = cut(text, *definitions)
    assert result.symbol.split() == [f"n{number}" for number in range(1, 11)]


def file_of_functions(longer: int = -1) -> tuple[str, list[Definition]]:
    """Forty functions of unlike sizes; one may be two lines longer."""
    lines: list[str] = []
    definitions = []
    for number in range(40):
        body = function(f"f{number}", 3 + number * 7 % 11 + 2 * (number == longer))
        definitions.append(defined(f"f{number}", len(lines) + 1, len(lines) + len(body)))
        lines += [*body, "", ""]
    return "\n".join(lines), definitions


def test_an_edit_leaves_the_pieces_around_it_as_they_were() -> None:
    """A piece that only moved has the same text, and with it the same vector."""
    before, after = (
        {(item.context, item.symbol, item.text) for item in cut(text, *definitions)}
        for text, definitions in (file_of_functions(), file_of_functions(longer=5))
    )
    assert len(before) > 10
    assert 1 <= len(after - before) <= 3
