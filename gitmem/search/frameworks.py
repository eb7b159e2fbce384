"""Which test frameworks a project uses, by its manifests, configuration and test files. Pure.

A framework is named surely by a manifest or a file of its configuration; else by the only form that
test files of a language have (``_test.go``), or by what a test file imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Framework -> the languages of its tests, its file of configuration, what a manifest calls it.
_KNOWN: dict[str, tuple[tuple[str, ...], str, str]] = {
    "pytest": (("python",), r"pytest\.ini|conftest\.py", r"(?m)^\[tool\.pytest|\bpytest\b"),
    "vitest": (("typescript", "javascript", "tsx"), r"vitest\.\w+\.\w+", r'"vitest"'),
    "jest": (("typescript", "javascript", "tsx"), r"jest\.config\.\w+", r'"jest"'),
    "mocha": (("typescript", "javascript"), r"\.mocharc\.\w+", r'"mocha"'),
    "ava": (("typescript", "javascript"), r"ava\.config\.\w+", r'"ava"'),
    "node:test": (("typescript", "javascript"), r"", r"node (?:\S+ )*--test\b|\bborp\b"),
    "rspec": (("ruby",), r"\.rspec", r"\brspec\b"),
    "minitest": (("ruby",), r"", r"\bminitest\b"),
    "phpunit": (("php",), r"phpunit\.xml(?:\.dist)?", r"phpunit/phpunit"),
    "junit": (("java", "kotlin"), r"", r"\bjunit\b"),
}
# Languages whose own tool runs the tests.
_OWN = {"go": "go test", "rust": "cargo test", "zig": "zig test", "elixir": "exunit"}
_UNITTEST = "unittest"


def detect_test_frameworks(
    manifests: Iterable[str], paths: Iterable[str], languages: Iterable[str]
) -> list[str]:
    """The names of the test frameworks that a project uses, such as ``pytest``.

    ``manifests`` are the texts of its manifests (package.json and the like), ``paths`` all its
    files, ``languages`` those of its test files.
    """
    texts = list(manifests)
    names = {path.rpartition("/")[2] for path in paths}
    spoken = set(languages)
    found = [
        name
        for name, (of, config, needed) in _KNOWN.items()
        if spoken.intersection(of)
        and (
            any(re.search(needed, text) for text in texts)
            or (config and any(re.fullmatch(config, file) for file in names))
        )
    ]
    if "python" in spoken and "pytest" not in found:
        found.append(_UNITTEST)
    return [*found, *(tool for language, tool in _OWN.items() if language in spoken)]


def frameworks_of_languages(names: Iterable[str], languages: Iterable[str]) -> list[str]:
    """Those of the test frameworks ``names`` whose tests may be in one of these languages."""
    own = {tool: (language,) for language, tool in _OWN.items()} | {_UNITTEST: ("python",)}
    written = set(languages)
    return [
        name for name in names if written.intersection(own.get(name) or _KNOWN.get(name, ((),))[0])
    ]
