"""What kind of file a path is. Factors are not pinned: benchmarks own them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.file_kinds import FACTORS, kinds_of_file, main_kind_of_file, rank_factor_of_file
from tests.support.tables import table


@table(
    ("path", "language", "expected"),
    [
        ("src/app.py", "python", ()),
        ("tests/test_app.py", "python", ("test",)),
        ("src/test_app.py", "python", ("test",)),
        ("web/app.spec.ts", "typescript", ("test",)),
        ("pkg/app_test.go", "go", ("test",)),
        ("src/AppTest.java", "java", ("test",)),
        ("conftest.py", "python", ("test",)),
        ("src/contest.py", "python", ()),
        ("src/latest.py", "python", ()),
        ("examples/a.py", "python", ("example",)),
        ("vendor/lib/a.go", "go", ("vendor",)),
        ("web/app.min.js", "javascript", ("generated",)),
        ("dist/app.js", "javascript", ("generated",)),
        ("build/app.js", "javascript", ("generated",)),
        ("packages/web/build/app.js", "javascript", ("generated",)),
        ("coverage/lcov.js", "javascript", ("generated",)),
        ("poetry.lock", "toml", ("generated", "config")),
        ("web/package-lock.json", "json", ("generated", "config")),
        ("src/build.py", "python", ()),
        ("src/build/env.py", "python", ()),
        ("internal/coverage/report.go", "go", ()),
        ("src/lock.py", "python", ()),
        ("api/user_pb2.py", "python", ("generated",)),
        ("types/index.d.ts", "typescript", ("declaration",)),
        ("README.md", "markdown", ("docs",)),
        ("CHANGELOG.md", "markdown", ("changelog", "docs")),
        ("docs/History.rst", "rst", ("changelog", "docs")),
        ("doc/ChangeLog-old.md", "markdown", ("changelog", "docs")),
        ("docs/changelogs/changelog_3x.md", "markdown", ("changelog", "docs")),
        ("RELEASES.md", "markdown", ("changelog", "docs")),
        ("docs/news-letter.md", "markdown", ("docs",)),
        ("src/changes_v2.py", "python", ()),
        ("okhttp/src/jvmTest/kotlin/RecordedResponse.kt", "kotlin", ("test",)),
        ("Tests/Monitor.swift", "swift", ("test",)),
        ("src/Shop.Tests/Cart.cs", "csharp", ("test",)),
        ("UnitTests/cart.cs", "csharp", ("test",)),
        ("native-image-tests/src/run.kt", "kotlin", ("test",)),
        ("src/contest/latest.py", "python", ()),
        ("src/Latest/Cart.cs", "csharp", ()),
        (".github/ISSUE_TEMPLATE/question.md", "markdown", ("template", "docs")),
        ("PULL_REQUEST_TEMPLATE.md", "markdown", ("template", "docs")),
        ("templates/issue.md", "markdown", ("docs",)),
        ("src/history.py", "python", ()),
        ("pyproject.toml", "toml", ("config",)),
        (".github/workflows/ci.yml", "yaml", ("config",)),
        ("site/index.html", "html", ("markup",)),
    ],
)
def test_the_kind_of_a_path(path: str, language: str, expected: tuple[str, ...]) -> None:
    assert kinds_of_file(path, language) == expected


WANTS = st.dictionaries(st.sampled_from(sorted(FACTORS)), st.floats(0, 1))


@given(st.text(max_size=80), st.text(max_size=12), WANTS)
def test_any_path_has_kinds_that_are_known_and_a_factor(
    path: str, language: str, wants: dict[str, float]
) -> None:
    found = kinds_of_file(path, language)
    assert set(found) <= FACTORS.keys() and len(set(found)) == len(found)
    down = rank_factor_of_file(path, language, wants)
    assert 0 < down.factor <= 1
    assert set(down.kinds) == {kind for kind in found if wants.get(kind, 0.0) < 1}
    assert down.factor >= rank_factor_of_file(path, language, {}).factor


def test_the_more_surely_a_kind_is_asked_for_the_less_it_is_lowered() -> None:
    """ML-18."""
    sure = [
        rank_factor_of_file("tests/test_app.py", "python", {"test": by}).factor
        for by in (0, 0.3, 0.7, 1)
    ]
    assert sure == sorted(set(sure)) and sure[0] == FACTORS["test"] and sure[-1] == 1
    assert (
        rank_factor_of_file("tests/test_app.py", "python", {"docs": 1.0}).factor == FACTORS["test"]
    )


def test_kinds_that_meet_multiply() -> None:
    both = rank_factor_of_file("vendor/tests/a.py", "python", {})
    assert set(both.kinds) == {"test", "vendor"}
    assert both.factor == pytest.approx(FACTORS["test"] * FACTORS["vendor"])


def test_other_factors_may_be_given() -> None:
    assert (
        rank_factor_of_file("tests/a.py", "python", {}, factors={**FACTORS, "test": 0.5}).factor
        == 0.5
    )


def test_source_is_lowered_where_surely_no_source_is_meant() -> None:
    query = {"docs": 0.8}
    sure, likely = (
        rank_factor_of_file("src/app.py", "python", query, by).factor for by in (0.8, 0.3)
    )
    assert sure < likely < 1
    assert rank_factor_of_file("README.md", "markdown", query, 0.8) == rank_factor_of_file(
        "README.md", "markdown", query
    )
    assert not rank_factor_of_file("src/app.py", "python", query, 0.8).kinds


@table(
    ("path", "language", "kind"),
    [
        ("src/cart.py", "python", "code"),
        ("types/cart.d.ts", "typescript", "code"),
        ("docs/cart.md", "markdown", "docs"),
        ("examples/README.md", "markdown", "example"),
        ("CHANGELOG.md", "markdown", "changelog"),
        ("tests/data/a.json", "json", "test"),
        ("LICENSE", "", "legal"),
        ("LICENSE.md", "markdown", "legal"),
        ("src/notice.py", "python", "code"),
    ],
)
def test_a_file_is_shown_as_one_kind(path: str, language: str, kind: str) -> None:
    assert main_kind_of_file(path, language) == kind
