"""Which test frameworks a project uses (ML-37)."""

from __future__ import annotations

from gitmem.search import frameworks
from tests.support.tables import table


@table(("manifests", "paths", "languages", "expected"), [
    (["[tool.pytest.ini_options]"], ["tests/test_a.py"], ["python"], ["pytest"]),
    ([], ["tests/conftest.py"], ["python"], ["pytest"]),
    (['[project]\nname = "pytest-like"'], ["test_a.py"], ["python"], ["pytest"]),
    (['[project]\nname = "shop"'], ["test_a.py"], ["python"], ["unittest"]),
    (['{"devDependencies": {"vitest": "1"}}'], ["a.test.ts"], ["typescript"], ["vitest"]),
    (["{}"], ["jest.config.js", "a.test.js"], ["javascript"], ["jest"]),
    # A dependency that no test file's language has anything to do with is none of it.
    (['{"devDependencies": {"jest": "1"}}'], ["tests/test_a.py"], ["python"], ["unittest"]),
    (['{"scripts": {"test": "node --test"}}'], ["a.test.js"], ["javascript"], ["node:test"]),
    (["module x"], ["a_test.go"], ["go", "python"], ["unittest", "go test"]),
    (["gem 'rspec'"], ["a_spec.rb"], ["ruby"], ["rspec"]),
    (["pytest"], [], [], []),
])  # fmt: skip
def test_it_is_reported_by_manifests_configuration_and_languages(
    manifests: list[str], paths: list[str], languages: list[str], expected: list[str]
) -> None:
    assert frameworks.detect_test_frameworks(manifests, paths, languages) == expected
