"""What several commits replace in the same way is a lesson; what one renames is none."""

from __future__ import annotations

from gitmem.git.lines.line_history import ReplacedLine
from gitmem.patterns import learning


def pairs(*swaps: tuple[str, str], commits: int = 3, ending: str = "py") -> list[ReplacedLine]:
    return [
        ReplacedLine(f"c{number}", 100 - number, f"src/f{number}.{ending}", *swap)
        for number in range(commits)
        for swap in swaps
    ]


def found(*swaps: tuple[str, str], commits: int = 3) -> list[tuple[str, str, str]]:
    output = learning.find_repeated_replacements(pairs(*swaps, commits=commits))
    return [(item.check, item.old, item.new) for item in output]


def test_what_three_commits_replace_is_a_lesson() -> None:
    for old, new, expected in (
        ('print("x")', 'log.info("x")', ("call", "print", "log.info")),
        ("    t.equal(a, 1)", "    t.assert.strictEqual(a, 1)",
         ("call", "t.equal", "t.assert.strictEqual")),
        ("import requests", "import httpx", ("import", "requests", "httpx")),
        ("from requests import get", "from httpx import get", ("import", "requests", "httpx")),
        ('print("a %s" % name)', 'log.info("a %s", name)', ("call", "print", "log.info")),
        ("x = old_name(1)", "x = new_name(1)", ("call", "old_name", "new_name")),
    ):  # fmt: skip
        assert found((old, new)) == [expected], old
        assert found((old, new), commits=2) == []


def test_what_is_no_replacement_of_a_name_is_no_lesson() -> None:
    for old, new in (
        ("value = 1", "value = 2"),
        ("value = one", "value = two"),
        ("if (a)", "while (a)"),
        ("call(1)", "call(2)"),
        ('log("a")', 'say("something else")'),
        ("    a()", "a()"),
        ("import a", "x = b"),
    ):
        assert found((old, new)) == [], old


def test_what_is_replaced_both_ways_is_no_lesson() -> None:
    there, back = ("one(1)", "two(1)"), ("two(1)", "one(1)")
    assert found(there, back) == []
    both = pairs(there, commits=9) + pairs(back, commits=3)
    assert [lesson.old for lesson in learning.find_repeated_replacements(both)] == ["one"]


def test_one_file_alone_teaches_nothing() -> None:
    same = [ReplacedLine(f"c{n}", 1, "src/a.py", "one(1)", "two(1)") for n in range(5)]
    assert learning.find_repeated_replacements(same) == []
    assert learning.find_repeated_replacements(pairs(("one(1)", "two(1)"), ending="txt")) == []


def test_a_lesson_becomes_a_pattern_with_its_lines_as_examples() -> None:
    (lesson,) = learning.find_repeated_replacements(pairs(('print("x")', 'log.info("x")')))
    made = learning.pattern_of_replacement(lesson)
    assert made.name == "no-print" and made.origin == "commits"
    assert made.text == "Use `log.info` instead of `print`."
    assert (made.examples, made.anti_examples) == (('log.info("x")',), ('print("x")',))
    assert made.commits == ("c0", "c1", "c2")
    assert made.rule is not None and made.rule.languages == ("python",)
