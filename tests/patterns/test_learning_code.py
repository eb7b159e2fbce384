"""What the code keeps nearly everywhere is a convention; what it often breaks is none."""

from __future__ import annotations

from gitmem.patterns import built_in, checker, learning, name_match, pattern_store, rule

GOOD = "".join(f"def load_part_{number}(): return {number}\n" for number in range(60))
HANDLED = "".join(f"try:\n    a()\nexcept E{number}:\n    b()\n" for number in range(25))


def saved(*texts: str) -> dict[str, tuple[int, int]]:
    tally = learning.ConventionCounter()
    for number, text in enumerate(texts):
        source = checker.prepare_source_file(f"src/f{number}.py", "python", text.encode(), [])
        assert source is not None
        tally.count_file(source)
    return {
        item.pattern.name: (item.followed, item.places) for item in tally.followed_conventions()
    }


def test_names_that_nearly_all_follow_one_style() -> None:
    name = "python-function-names-snake-case"
    assert saved(GOOD) == {name: (60, 60)}
    assert saved(GOOD, "def loadPart(): 1\n") == {name: (60, 61)}
    assert saved(GOOD, "def loadPart(): 1\ndef readPart(): 1\n") == {}
    few = "".join(GOOD.splitlines(keepends=True)[:39])
    assert saved(few) == {}
    # Names of one word tell no style.
    assert saved("".join(f"def part{number}(): 1\n" for number in range(60))) == {}


def test_many_that_break_it_are_too_many_however_many_keep_it() -> None:
    many = "".join(f"def load_part_{number}(): 1\n" for number in range(600))
    bad = [f"def loadPart{number}(): 1\n" for number in range(6)]
    name = "python-function-names-snake-case"
    assert saved(many, *bad[:5]) == {name: (600, 605)}
    assert saved(many, *bad) == {}


def test_what_hardly_anybody_does() -> None:
    assert saved(HANDLED) == {"no-empty-handler": (25, 25)}
    assert saved(HANDLED, "try:\n    a()\nexcept E:\n    pass\n") == {}


def test_what_comes_along_keeps_its_own_examples() -> None:
    for item, _ in built_in.PATTERNS:
        assert item.rule is not None
        assert rule.rule_from_json(rule.rule_as_json(item.rule)) == item.rule, item.name
        pattern_store.validate_pattern(item)
        assert item.topic in built_in.TOPICS and built_in.find_built_in_patterns(item.name) == (
            item,
        )
    assert {"errors", "api", "components", "null", "async"} <= set(built_in.TOPICS)


def test_styles() -> None:
    for name, style in (
        ("load_it", "snake_case"),
        ("loadIt", "camelCase"),
        ("LoadIt", "PascalCase"),
        ("LOAD_IT", "UPPER_CASE"),
        ("load-it", "kebab-case"),
    ):
        assert name_match.naming_style(name) == style
        assert [
            item for item in name_match.STYLES if name_match.follows_naming_style(item, name)
        ] == [style]
    for name in ("load", "x", "_", "__init__"):
        assert name_match.naming_style(name) == "" and name_match.follows_naming_style(
            "snake_case", name
        )
    assert not name_match.follows_naming_style("PascalCase", "HTTP")
    assert name_match.follows_naming_style("PascalCase", "URL")
