"""Tasks of every repository: which questions ask for one, where it is told, what does it."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import common_tasks
from gitmem.search.common_tasks import find_common_task
from gitmem.search.question import parse_question
from tests.support.cli import ROOT

QUESTIONS = {
    "test": ("how do I run the tests", "How are the unit tests run?", "run one test",
             "what is the command to run the test suite", "test this project",
             "how do I run the tests before a commit", "RUNNING THE TESTS"),
    "lint": ("how do I lint the code", "run the linter", "How do I run the type checker?"),
    "build": ("how do I build it from source", "compile the project", "how is it built?"),
    "docs": ("how do I build the docs", "how are the docs built"),
    "bench": ("how do I run the benchmarks",),
    "setup": ("set up a development environment", "install the dependencies", "getting started"),
    "install": ("how do I install httpx", "install this package from source"),
    "release": ("how do I make a release", "How is a release made?", "publish the package"),
    "contribute": ("how can I contribute?", "open a pull request", "contribute to this project"),
    "start": ("how do I start the server", "run the app locally"),
    "configure": ("how do I configure it",),
}  # fmt: skip
OTHERS = (
    "run the tests that need Redis", "where are the tests of the parser", "how is a test skipped",
    "install a plugin", "get cookies", "how do I build a response", "release a connection",
    "configure the logger", "start", "how do I start a span", "where is the request built",
    "how do I run the tests\nTraceback (most recent call last):\n" + "  File x\n" * 20,
)  # fmt: skip
TYPED = {
    "test": ("$ pytest tests/indexing", "cargo test", "npm run test", '"test": "borp",', "test:",
             "go test ./...", "scripts/test", "    $(GO) test -v"),
    "lint": ("ruff check .", "make lint", '"lint:fix": "eslint --fix",'),
    "build": ("cargo build --bins", "python -m build"),
    "install": ("pip install httpx", "npm i fastify", "brew install bat"),
    "release": ("git tag v1", "cargo publish"),
}  # fmt: skip
NOT_TYPED = {
    "test": ("The parser is tested well.", "contest(value)", "import os", "for test in tests:"),
    "install": ("An installed hook runs.", "install_hook(path)"),
    "release": ("released on Monday", "the lock is released"),
}


def test_a_task_is_known_by_the_whole_question() -> None:
    for name, questions in QUESTIONS.items():
        for question in questions:
            found = find_common_task(question)
            assert found is not None and found.name == name, question
    for question in OTHERS:
        assert find_common_task(question) is None, question


def test_a_question_to_a_task_wants_documents_and_no_source() -> None:
    result = parse_question("How do I run the unit tests?")
    assert result.task is not None
    # Else "unit tests" asks for tests, which do not say how they are run.
    assert "test" not in result.requested_kinds
    assert result.requested_kinds["docs"] == 1.0 and result.outside_source == 1.0
    assert parse_question("how are unit tests skipped").task is None


def test_the_places_stay_inside_the_repository() -> None:
    for name, questions in QUESTIONS.items():
        found = find_common_task(questions[0])
        assert found is not None
        paths = found.paths.split()
        assert any(path.startswith("README") for path in paths), name
        assert not any(path.startswith(("/", "..", "*")) for path in paths), name


def test_what_is_typed_is_distinguished_from_what_is_written() -> None:
    for name, lines in TYPED.items():
        query = find_common_task(QUESTIONS[name][0])
        for line in lines:
            assert common_tasks.contains_task_command(query, line), line
    for name, lines in NOT_TYPED.items():
        query = find_common_task(QUESTIONS[name][0])
        for line in lines:
            assert not common_tasks.contains_task_command(query, line), line
    tests = find_common_task("run the tests")
    assert common_tasks.is_task_command_line(tests, "$ cargo test")
    assert not common_tasks.is_task_command_line(tests, "Then say cargo test.")
    assert not common_tasks.contains_task_command(None, "cargo test")


def test_other_questions_of_the_bench_are_none() -> None:
    rows = (ROOT / "tests/bench/everyday.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(row)["question"] for row in rows]
    found = [question for question in queries if find_common_task(question) is not None]
    assert len(found) <= len(queries) // 50, found


def test_a_long_line_takes_no_time() -> None:
    began = time.process_time()
    for text in ("run " * 30, "the the " * 15, "how do i " * 13, "install " + "a-" * 50):
        assert find_common_task(text) is None or text.startswith("install")
    tests = find_common_task("run the tests")
    assert not common_tasks.contains_task_command(tests, "npm " * 20_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("named", common_tasks._TASKS, ids=lambda named: named.name)
@given(data=st.data())
def test_every_wording_of_a_task_holds_one_of_its_cues(
    named: common_tasks.CommonTask, data: st.DataObject
) -> None:
    wording = re.compile(f"{named.wording}|{named.passive or named.wording}", re.ASCII)
    query = data.draw(st.from_regex(wording, fullmatch=True))
    done = common_tasks._DONE if named.name == "release" else ()
    assert any(cue in query for cue in (*common_tasks._CUES[named.name], *done))


def test_only_the_patterns_of_tasks_that_may_be_meant_are_compiled() -> None:
    common_tasks._pattern.cache_clear()
    find_common_task("how is a request checked before it is sent")
    assert common_tasks._pattern.cache_info().currsize == 1
