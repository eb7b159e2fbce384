"""Which lines of a note are prose and which code."""

from __future__ import annotations

from gitmem.text.note_lines import BREAK, CODE, PROSE, is_in_code, note_line_kinds


def report(text: str, *, inside: bool = False) -> str:
    """A letter for each line: p, c, or a point for what breaks them apart."""
    letters = {PROSE: "p", CODE: "c", BREAK: "."}
    found = note_line_kinds(dict(enumerate(text.split("\n"), 1)), starts_in_code=inside)
    return "".join(letters[found[number]] for number in sorted(found))


def test_fences_blocks_and_titles_are_distinguished() -> None:
    for text, letters in (
        ("# Load\n\nIt loads.\n\n```go\nerr := load()\n```\nThen use it.", "..p..c.p"),
        ("Load\n====\n\nIt loads::\n\n    load()\n    use()\n\nAnd so on.", "...p.cc.p"),
        (".. code-block:: python\n\n    def load():\n\n        pass\nIt loads.", "..c.cp"),
        (".. note::\n\n    It loads once.", "..p"),
        ("- one\n- two\n  of it", "ppp"),
        ("First\n\n---\n\nSecond", "p...p"),
    ):
        assert report(text) == letters, text


def test_lines_cut_out_of_a_block_are_code_up_to_its_end() -> None:
    assert report("x = 1\n```\nIt loads.", inside=True) == "c.p"
    assert report("    x = 1\n\n    y = 2\nIt loads.", inside=True) == "c.cp"
    assert report("x = 1\n```\n\nIt loads.") == "c..p"


def test_what_stands_before_tells_whether_a_line_is_code() -> None:
    assert is_in_code(["err := load()", "```go", "## Load"], "use()")
    assert not is_in_code(["```", "a", "```"], "use()")
    assert is_in_code(["    x = 1", "", ".. code-block:: python"], "    y = 2")
    assert is_in_code(["", "It loads::"], "    load()")
    assert not is_in_code(["", "- an item"], "  of two lines")
    assert not is_in_code([], "") and not is_in_code([".. note::"], "    once")
