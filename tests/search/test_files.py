"""The order of files, from what is known of each. No constant is pinned: benchmarks own them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.files import (
    WEIGHTS,
    FileRankingFeatures,
    FileScore,
    matches_any_path,
    score_files,
)
from gitmem.search.question import parse_question
from tests.support.tables import table

QUESTION = "where does the cart parser load its settings"
RARITY = {"cart": 3.0, "parser": 4.0, "load": 1.0, "settings": 2.0}

EVIDENCE = st.lists(
    st.builds(
        FileRankingFeatures,
        path=st.sampled_from(
            [
                "src/cart.py",
                "src/parser/load.py",
                "tests/test_cart.py",
                "docs/a.md",
                "x",
                "中/文.py",
            ]
        ),
        language=st.sampled_from(["python", "markdown", ""]),
        scores=st.lists(st.floats(0.01, 40), max_size=4).map(tuple),
        names=st.lists(st.sampled_from(["CartParser", "load", "x", ""]), max_size=3).map(tuple),
        defines=st.sampled_from([0.0, 0.5, 1.0]),
        own_file=st.booleans(),
        history=st.floats(0, 1),
        lines=st.integers(0, 10**6),
        phrase=st.floats(0, 1),
        path_named=st.sampled_from([0.0, 0.25, 1.0]),
    ),
    unique_by=lambda one: one.path,
    max_size=6,
)


def of(*files: FileRankingFeatures, question: str = QUESTION) -> dict[str, FileScore]:
    return score_files(files, parse_question(question), RARITY)


def order(*files: FileRankingFeatures, question: str = QUESTION) -> list[str]:
    found = of(*files, question=question)
    return sorted(found, key=lambda path: -found[path].score)


@given(EVIDENCE, st.sampled_from([QUESTION, "CartParser", "", "中文", '"load its settings"']))
def test_scores_do_not_depend_on_the_order_of_files_and_are_finite(
    files: list[FileRankingFeatures], question: str
) -> None:
    there, back = of(*files, question=question), of(*files[::-1], question=question)
    assert there == back and set(there) == {file.path for file in files}
    for item in there.values():
        assert math.isfinite(item.score) and item.score >= 0


@given(EVIDENCE)
def test_a_score_is_what_its_parts_say(files: list[FileRankingFeatures]) -> None:
    """CF-13: the parts add, then the kind of file multiplies."""
    for item in of(*files).values():
        added = sum(value for name, value in item.parts.items() if name != "kind")
        if item.parts.keys() - {"kind", "length"}:
            assert item.score == pytest.approx(added * item.parts.get("kind", 1.0))
        else:
            assert item.score == 0


@given(EVIDENCE, st.sampled_from([*sorted(WEIGHTS), "text", "kind"]))
def test_a_part_that_is_left_out_is_in_no_score(
    files: list[FileRankingFeatures], part: str
) -> None:
    found = score_files(files, parse_question(QUESTION), RARITY, excluded_score_parts=(part,))
    assert not any(part in item.parts for item in found.values())


def plain(path: str, *scores: float, language: str = "python") -> FileRankingFeatures:
    return FileRankingFeatures(path, language, scores or (1.0,), lines=10)


def with_(one: FileRankingFeatures, **values: object) -> FileRankingFeatures:
    names = ("path", "language", "scores", "names", "defines", "own_file", "history", "lines")
    known = {name: getattr(one, name) for name in (*names, "phrase", "path_named")}
    return FileRankingFeatures(**{**known, **values})  # type: ignore[arg-type]


@table(
    "better",
    [
        {"scores": (2.0,)},
        {"scores": (1.0, 0.9)},
        {"names": ("CartParser",)},
        {"defines": 1.0},
        {"defines": 0.5},
        {"history": 1.0},
        {"phrase": 1.0},
        {"path_named": 1.0},
        {"path": "b/cart_parser.py"},
    ],
)
def test_whatever_speaks_for_a_file_raises_it(better: dict[str, object]) -> None:
    base = plain("a/x.py")
    raised = with_(plain("b/x.py"), **better)
    assert order(base, raised)[0] == raised.path


@pytest.mark.parametrize("path", ["tests/test_x.py", "examples/x.py", "vendor/x.py", "dist/x.py"])
def test_kinds_that_only_repeat_rank_below_unless_they_are_called_by_name(path: str) -> None:
    assert order(plain("src/x.py"), plain(path)) == ["src/x.py", path]
    assert order(plain("src/x.py"), with_(plain(path), path_named=1.0))[0] == path


def test_who_asks_for_a_kind_gets_it() -> None:
    files = plain("src/x.py"), plain("tests/test_x.py", 1.1)
    assert order(*files, question="unit tests for the cart")[0] == "tests/test_x.py"


def test_the_home_of_a_definition_comes_before_a_file_that_defines_it_too() -> None:
    other, home = plain("src/cart.py"), plain("src/parser.py")
    found = order(
        with_(other, defines=1.0), with_(home, defines=1.0, own_file=True), question="Parser"
    )
    assert found[0] == "src/parser.py"


def test_length_alone_is_no_answer() -> None:
    assert of(FileRankingFeatures("src/other.py", "python", lines=5000))["src/other.py"].score == 0


@table(
    ("path", "question", "expected"),
    [
        ("src/app.py", "src/app.py", True),
        ("src/app.py", "app.py", True),
        ("src/app.py", "./src/app.py", True),
        ("src/app.py", "/home/me/shop/src/app.py", True),
        ("app.py", "/home/me/app.py", False),
        ("src/app.py", "pp.py", False),
        ("src/app.py", "lib/app.py", False),
        ("src/app.py", "./", False),
        ("src/app.py", "", False),
    ],
)
def test_a_path_in_a_question_names_a_file(path: str, question: str, expected: bool) -> None:
    assert matches_any_path(path, (question,)) is expected
