"""Finding decisions in messages and comments: by trailer, by marker, by wording; nothing else."""

from __future__ import annotations

from gitmem.memory import decision_finder
from gitmem.memory.decision_finder import (
    DecisionStatement,
    find_decision_in_message,
    find_decisions_in_source,
)
from tests.support.timing import assert_linear


def message(text: str) -> DecisionStatement | None:
    subject, _, body = text.partition("\n")
    return find_decision_in_message(subject, body.lstrip("\n"))


def test_a_trailer_is_somebodys_word() -> None:
    text = message(
        "Add the cart\n\nSome prose.\n\nDecision: Carts live in Redis\nWhy: They are short-lived,\n"
        "  and Redis forgets by itself\nSupersedes: Carts live in Postgres\n"
    )
    assert text == DecisionStatement(
        "Carts live in Redis",
        "They are short-lived, and Redis forgets by itself",
        "trailer",
        decision_finder.STATED_CONFIDENCE,
        True,
        ("Carts live in Postgres",),
    )


def test_without_a_why_the_message_gives_the_reasons() -> None:
    result = message("Add it\n\nWe had trouble with locks.\n\n* a list\n\nDecision: Use WAL mode")
    assert result is not None
    assert (result.title, result.why) == ("Use WAL mode", "We had trouble with locks.")


def test_a_why_alone_decides_nothing() -> None:
    assert message("Add the cart\n\nWhy: because\nSupersedes: abc") is None


def test_a_long_decision_keeps_its_rest_as_the_reason() -> None:
    result = message("x\n\nDecision: Use one file. " + "It is simple to copy. " * 3)
    assert result is not None
    assert result.title == "Use one file"
    assert result.why.startswith("It is simple")
    long = message("x\n\nDecision: " + "word " * 100)
    assert long is not None
    assert len(long.title) <= decision_finder.LONGEST_TITLE + 1


def test_wordings_that_choose() -> None:
    for subject, evidence in (
        ("decision(storage): use SQLite (#12)", "marked subject"),
        ("ADR: one store for each repository", "marked subject"),
        ("refactor: use orjson instead of json", "one thing instead of another"),
        ("Drop requests in favour of httpx", "one thing instead of another"),
        ("Switch from flake8 to ruff", "a switch"),
        ("build: switched CI to GitHub Actions", "a switch"),
        ("Replace moment with date-fns", "a replacement"),
        ("Implement the repository pattern", "a pattern"),
        ("Deprecate the v1 API", "a choice"),
        ("chore: drop Python 3.8 support", "support that ends"),
        ("Drop support for Python 3.8", "support that ends"),
        ("Remove the retry middleware", "a removal"),
        ("📌 Pin development requirements", "a choice"),
        ("Retry on timeouts only, not on refusals", "one thing and not another"),
    ):
        result = message(subject)
        assert result is not None, subject
        assert result.evidence == evidence, subject
        assert result.confidence >= decision_finder.MIN_CONFIDENCE


def test_a_rule_needs_a_reason_and_a_revert_too() -> None:
    for bare, reason in (
        ("Use package-specific folders", "A common one confuses more than it helps."),
        ('Revert "Quote the arguments"', "This caused issues with options."),
    ):
        assert message(bare) is None, bare
        result = message(f"{bare}\n\n{reason}")
        assert result is not None
        assert reason in result.why


def test_a_choice_reported_in_the_body_or_a_list_of_removals() -> None:
    result = message("Storage\n\nWe decided to keep one file per project.")
    assert result is None  # a title of one word says nothing
    result = message("Rework the storage\n\nWe decided to keep one file per project.")
    assert result is not None
    assert result.evidence == "a choice told in the message"
    result = message("V9 cleanup work\n\n- Remove the `input` option\n- Remove support for arrays")
    assert result is not None
    assert result.evidence == "a list of removals"


def test_what_mends_adds_or_documents_is_no_decision() -> None:
    for subject in (
        "Fix the cart instead of the till",
        "docs: use httpx instead of requests in the example",
        "test: switch to pytest",
        "Bump click to 8.2, not 8.1",
        "Add a cart",
        "Remove unused imports",
        "Remove debug prints",
        "Merge branch 'main' instead of rebasing",
        "v1.2.0",
        "Move CHANGELOG.md entry to Features",
        "fix typo in README, not in code",
        "",
    ):
        assert message(subject) is None, subject


def test_a_choice_within_code_pages_or_tests_is_no_decision() -> None:
    for text in (
        "Convert options docs to md",
        "migrate constrained-routes-test to use node:test",
        "Drop private names from test_proxies",
        "Move helper functions from _utils.py to _client.py",
        "refactor: replace magic numbers with named constants",
        "Use http.Status* instead of hard coded numbers",
        "Lookups should use the host, not host and port",
        "Drop compat.py",
        "Removing the need for a temp variable",
        "Update the guide\n\nFor hours I used unwrap instead of settle.",
        "Order headers\n\nWe must add headers before proceeding, else early returns miss them.",
    ):
        assert message(text) is None, text


def test_what_gitmem_wrote_is_not_found_again() -> None:
    for body in (
        "› Decision: Use Redis",
        "gitmem: Decision: Use Redis",
        "‹‹‹gitmem:abcdefgh Decision: Use Redis",
    ):
        assert message(f"Add it\n\n{body}") is None, body


def test_comments_that_are_marked() -> None:
    text = (
        "import os\n"
        "# DECISION: Carts are kept in Redis. They are short-lived,\n"
        "#   and forgotten by themselves.\n"
        "x = 1  # DECISION is not the first word here\n"
        "// ADR(0007): one store per repository\n"
        "/* ARCHITECTURE: the rim does I/O */\n"
        "-- WHY: the index makes it ten times faster\n"
        "# NOTE: nothing\n"
        "# NOTE: kept as-is for compat, since plugins\n"
        "#   call it by position.\n"
        "# NOTE: This file should not be edited\n"
    )
    found = find_decisions_in_source(text)
    assert [(item.line, item.title, item.stated) for item in found] == [
        (2, "Carts are kept in Redis", True),
        (5, "one store per repository", True),
        (6, "the rim does I/O", True),
        (7, "the index makes it ten times faster", False),
        (9, "kept as-is for compat, since plugins call it by position.", False),
    ]
    assert [item.line for item in find_decisions_in_source(text, include_note_comments=False)] == [
        2,
        5,
        6,
        7,
    ]
    assert found[0].why == "They are short-lived, and forgotten by themselves."


def test_a_removal_is_a_decision_if_it_was_relied_on_or_has_a_reason() -> None:
    for subject in (
        "Drop Python 3.7",
        "remove deprecated `json_encoder`",
        "rm v9 support",
        "Remove the `--strict` option",
        "Remove Frame.is_true()\n\nIt hid where it was.",
    ):
        assert message(subject) is not None, subject  # fmt: skip
    for subject in ("Remove europython training", "remove impossible condition in matchnodes",
                    "remove cyclic dependency on fixtures", "remove Frame.is_true()",
                    "rm releases ci job\n\n<!-- This is an auto-generated comment: notes -->\n"
                    "Releases are simpler."):  # fmt: skip
        assert message(subject) is None, subject
    assert message("chore: pin versions") is None


def test_areas_are_reported_by_words() -> None:
    assert decision_finder.project_area_tags_in_text("Use Redis as cache for the REST API") == (
        "api",
        "data",
    )
    assert decision_finder.project_area_tags_in_text("Carts are lists") == ()


def test_a_line_of_source_takes_no_longer_than_its_length() -> None:
    """A comment of blanks took the cube of its length, of which a file may have hundreds."""
    for unit in (" ", "\t", "*/ ", "a "):
        line = f"# ADR: x{unit * (490 // len(unit))}!\n# {unit * (490 // len(unit))}!\n"
        assert_linear(
            lambda size, line=line: find_decisions_in_source(line * (size // len(line))), 100_000
        )
    assert find_decisions_in_source(f"# ADR: keep it{' ' * 100_000}!") == []
    (found,) = find_decisions_in_source(
        "/* ADR: keep all of it in one file */\n * and in one folder */\n"
    )
    assert found.title == "keep all of it in one file and in one folder"


def test_a_message_without_line_breaks_takes_no_longer_than_its_length() -> None:
    for unit in (" ", "remov a ", "drop "):

        def read(size: int, unit: str = unit) -> None:
            long = unit * (size // len(unit))
            find_decision_in_message(f"{long}!", f"{long}!")

        assert_linear(read, 200_000)
