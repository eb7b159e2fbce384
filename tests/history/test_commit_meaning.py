"""What a commit is for, from its message and paths alone."""

from __future__ import annotations

from gitmem.history import commit_meaning


def test_a_conventional_subject_says_type_scope_and_what_breaks() -> None:
    found = commit_meaning.infer_commit_purpose(
        "feat(parser)!: read tabs (#12)", "", ["src/parser.py"]
    )
    assert (found.type, found.stated, found.scope, found.breaking) == ("feat", True, "parser", True)
    assert (found.goal, found.issues) == ("read tabs", ("#12",))
    assert found.tags == ("feat", "parser", "breaking", "src")
    for subject, kind in (
        ("bugfix: x y", "fix"), ("Docs: say it", "docs"), ("tests(core): cover it", "test"),
        ("deps: newer", "chore"), ("FIX: x", "fix"),
    ):  # fmt: skip
        assert commit_meaning.infer_commit_purpose(subject, "", []).type == kind, subject
    assert commit_meaning.infer_commit_purpose("x: y", "BREAKING CHANGE: gone", []).breaking
    # A word before a colon that is no type is part of the subject.
    other = commit_meaning.infer_commit_purpose("parser: fix tabs", "", ["a.py"])
    assert (other.type, other.stated, other.scope, other.goal) == (
        "fix",
        False,
        "",
        "parser: fix tabs",
    )


def test_other_subjects_are_judged_by_paths_then_by_words() -> None:
    for subject, paths, kind in (
        ("Improve wording", ["docs/guide.md", "README.md"], "docs"),
        ("Cover the cart", ["tests/test_cart.py"], "test"),
        ("Use newer images", [".github/workflows/ci.yml"], "ci"),
        ("Newer ones", ["package.json", "package-lock.json"], "build"),
        ('Revert "Add x"', ["tests/test_cart.py"], "revert"),
        ("Fix the sum", ["src/cart.py", "tests/test_cart.py"], "fix"),
        ("Don't crash on nothing", ["src/cart.py"], "fix"),
        ("Add a cart", ["src/cart.py"], "feat"),
        ("Rename total", ["src/cart.py"], "refactor"),
        ("Bump to 2.0", ["src/version.py"], "chore"),
        ("cart, at last", ["src/cart.py"], ""),
    ):  # fmt: skip
        found = commit_meaning.infer_commit_purpose(subject, "", paths)
        assert (found.type, found.stated) == (kind, False), subject


def test_the_goal_is_the_subject_and_the_first_paragraph_of_prose() -> None:
    for body, goal in (
        ("It lost cents.\nEach time.\n\nMore.", "Sum once. It lost cents. Each time."),
        ("* one\n* two\n\nIt lost cents.", "Sum once. It lost cents."),
        ("Signed-off-by: Ada", "Sum once"),
        ("", "Sum once"),
    ):
        assert commit_meaning.infer_commit_purpose("Sum once", body, []).goal == goal, body
    long = commit_meaning.infer_commit_purpose("Sum once", "word " * 500, []).goal
    assert len(long) == commit_meaning.MAX_GOAL_LENGTH and long.endswith("…")


def test_a_hostile_subject_costs_little() -> None:
    for text in ("(" * 50_000, "a(" * 50_000 + "):", "fix" * 50_000, " (#1" * 50_000):
        assert commit_meaning.infer_commit_purpose(text, text, ["a" * 4000]).type in ("", "fix")
