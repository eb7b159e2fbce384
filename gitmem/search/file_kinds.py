"""The kinds of a file, and how far down each ranks unless the question asks for it.

Tests, examples and documents repeat the words of the code. The factors are worth 0.12 of NDCG@10
on whole repositories (``docs/benchmarks.md``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from gitmem.model.frozen import dataclass

FACTORS = {
    "test": 0.2,
    "example": 0.3,
    "docs": 0.2,
    "changelog": 0.4,
    "config": 0.3,
    "markup": 0.3,
    "generated": 0.3,
    "vendor": 0.3,
    "declaration": 0.7,
    "template": 0.3,
}

# How much lower other files rank if the question is certainly not about source code.
BESIDE = 0.5

_FOLDER = {
    # Common names, those of Gradle and .NET (jvmTest, Shop.Tests), and test projects.
    "test": (
        r"[Tt]ests?|__tests__|specs?|testing|fixtures?|testdata|mocks?|__mocks__|bench(?:marks?)?|"
        r"e2e|[a-z]\w*Tests?|[A-Z][\w.]*[a-z.]Tests?|testFixtures|[\w-]+-tests?|"
        r"(?:[\w-]+-)?testing-support"
    ),
    "template": r"\.(?:github|gitea|gitlab)/(?i:(?:issue|pull_request|merge_request)_templates?)",
    "example": r"examples?|samples?|demos?|docs?_src|playground",
    "vendor": r"vendor|third_party|third-party|external|deps|node_modules|bower_components",
    "generated": r"generated|gen|dist|__generated__|autogen",
}
_NAME = {
    "test": (
        r"test_[^/]*\.(?:py|c|cc|cpp|lua|rb|dart|php|js|ts|jl|r)|conftest\.py|[^/]*\.bats"
        r"|[^/]*(?:_test|_tests|_spec|\.test|\.spec|-test|-spec|Tests?|Spec|Suite|IT)\.\w+"
    ),
    "generated": (
        r"[^/]*(?:\.min\.|\.bundle\.|_pb2?\.|_pb2_grpc\.|\.pb\.|\.g\.|\.generated\.)[^/]*"
        r"|[^/]*\.lock|(?:package-lock|npm-shrinkwrap)\.json|pnpm-lock\.yaml|go\.sum"
    ),
    "changelog": (
        r"(?i:change[-_]?logs?|changes|history|news|releases|release[-_]?notes?)"
        r"(?:[-_](?:old|archive|v?\d\w*(?:\.(?:\d\w*|x))*))?(?:\.(?:md|rst|txt|adoc))?"
    ),
    "declaration": r"[^/]*\.d\.[cm]?ts",
    "template": r"(?i:(?:issue|pull_request|merge_request)_template)(?:\.\w+)?",
}
# Output folders of tools; deeper down, and in src/, such names are used for code.
_OUTPUT = r"(?:(?:packages|apps|libs)/[^/]+/)?(?:build|coverage|htmlcov)/.*"
_KINDS = {
    kind: re.compile(
        "|".join(
            part
            for part in (
                rf"(?:^|.*/)(?:{_FOLDER[kind]})/.*" if kind in _FOLDER else "",
                rf"(?:.*/)?(?:{_NAME[kind]})" if kind in _NAME else "",
                _OUTPUT if kind == "generated" else "",
            )
            if part
        )
    )
    for kind in ("test", "example", "generated", "vendor", "changelog", "declaration", "template")
}
LEGAL = re.compile(
    r"(?:.*/)?(?:licen[cs]e|copying|notice|patents?|code[-_]of[-_]conduct|cla)\b[^/]*",
    re.IGNORECASE,
)
# The kind shown if there are several: a README among examples is an example.
_MAINLY = (
    *("template", "changelog", "generated", "vendor", "test", "example", "docs", "config"),
    "markup",
)
_PROSE = frozenset(("markdown", "rst", "asciidoc", "text"))
_DATA = frozenset(
    ("", "json", "yaml", "toml", "ini", "xml", "make", "cmake", "dockerfile", "hcl", "nix")
)
_MARKUP = frozenset(("html", "css"))


@dataclass(frozen=True, slots=True)
class KindFactor:
    """The factor that lowers a file's score (1: none), and the kinds (test, docs) it is for."""

    factor: float
    kinds: tuple[str, ...]


def is_test_path(path: str) -> bool:
    """Whether a file is a test, by its path (``tests/...``, ``test_app.py``)."""
    return _KINDS["test"].fullmatch(path) is not None


@lru_cache(maxsize=20_000)
def kinds_of_file(path: str, language: str) -> tuple[str, ...]:
    """The kinds of a file, such as test, docs or config, as a tuple; empty for plain source."""
    found = [kind for kind, pattern in _KINDS.items() if pattern.fullmatch(path)]
    if language in _PROSE:
        found.append("docs")
    elif language in _MARKUP:
        found.append("markup")
    elif language in _DATA or path.startswith("."):
        found.append("config")
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=20_000)
def main_kind_of_file(path: str, language: str) -> str:
    """The kind that a file is shown as: code, test, docs, config, changelog, legal, ...."""
    own = kinds_of_file(path, language)
    if (not language or "docs" in own) and LEGAL.fullmatch(path):
        return "legal"
    return next((kind for kind in _MAINLY if kind in own), "code")


def rank_factor_of_file(
    path: str,
    language: str,
    requested_kinds: Mapping[str, float],
    outside_source_certainty: float = 0.0,
    factors: Mapping[str, float] = FACTORS,
) -> KindFactor:
    """The factor by which a file's kinds (test, docs, ...) lower its rank, and these kinds.

    ``requested_kinds`` is how surely (0 to 1) the question asks for each kind; a kind that is
    surely asked for is not lowered. ``outside_source_certainty``: how surely (0 to 1) no source
    code is meant, which lowers other files.
    """
    own = kinds_of_file(path, language)
    against = tuple(kind for kind in own if requested_kinds.get(kind, 0.0) < 1)
    factor = 1.0
    for kind in against:
        factor *= factors[kind] ** (1 - requested_kinds.get(kind, 0.0))
    if requested_kinds.keys().isdisjoint(own):
        factor *= 1 - BESIDE * outside_source_certainty
    return KindFactor(round(factor, 4), against)
