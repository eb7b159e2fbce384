"""Which kinds of file a question asks for, and how surely. Pure.

Tests, documents and configuration rank below code (``file_kinds``) unless the question names them
or asks how something is done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """How surely (0 to 1) a question asks for each of ``kinds``: test, docs, config, history, ....

    ``outside_source`` is how surely the answer is not in source code.
    """

    kinds: Mapping[str, float]
    outside_source: float = 0.0


@dataclass(frozen=True, slots=True)
class IntentPattern:
    """A pattern for questions that ask for some kinds of file; it is tried if a cue is in the text.

    ``kinds`` maps a kind to how surely (0 to 1) the question asks for it, ``outside_source`` is how
    surely the answer is not in source code.
    """

    cues: tuple[str, ...]
    pattern: str
    kinds: Mapping[str, float]
    outside_source: float = 0.0


_HINTS = (
    # A kind that is named, but not by a mere word: "how a test is skipped" asks for code.
    IntentPattern(
        ("test", "spec", "fixture"),
        r"\b(?:(?:unit|integration|regression|existing|e2e|end.to.end) tests?|tests? (?:for|"
        r"cases?|suite|covering)|tested|specs? (?:for|of)|test_\w+|fixtures?)\b|^tests?$",
        {"test": 1.0},
    ),
    IntentPattern(
        ("example", "sample", "demo", "tutorial"),
        r"\b(?:examples?|samples?|demos?|tutorials?)\b",
        {"example": 1.0},
    ),
    IntentPattern(
        ("docs", "documentation", "readme", "contributing"),
        r"\b(?:docs|documentation|readme|contributing)\b",
        {"docs": 1.0},
    ),
    IntentPattern(
        ("change", "release notes", "what's new"),
        r"\b(?:change ?log|release notes|what's new)\b",
        {"docs": 1.0, "changelog": 1.0},
    ),
    IntentPattern(
        ("config", "yaml", "yml", "toml", "workflow", "github actions", "dockerfile", "makefile"),
        r"\b(?:config(?:uration)? files?|ya?ml|toml|workflow files?|github actions?|dockerfile|"
        r"makefile)\b",
        {"config": 1.0},
    ),
    IntentPattern(("html", "css", "stylesheet"), r"\b(?:html|css|stylesheets?)\b", {"markup": 1.0}),
    IntentPattern(
        ("generated", "minified", "bundled"),
        r"\b(?:generated|minified|bundled)\b",
        {"generated": 1.0},
    ),
    IntentPattern(("vendor", "party"), r"\b(?:vendored?|third.?party)\b", {"vendor": 1.0}),
    # Questions of users, which documents and examples answer.
    IntentPattern(
        ("how ", "can "),
        r"^\W*(?:\w+,? )?(?:how (?:do|can|could|should|would|might) (?:i|you|we|one|people)\b|"
        r"how to\b|can (?:i|you|we)\b)|[,;.!?:-] (?:so |and )?how (?:to|do i|can i)\b",
        {"docs": 0.8, "example": 0.6}, outside_source=0.8,
    ),
    # How the project itself is built, checked and released.
    IntentPattern(
        ("ci", "workflow", "commit", "lint", "ruff", "flake8", "mypy", "clippy", "rustfmt",
         "prettier", "dependabot", "renovate", "codecov", "package.json", "pyproject", "cargo",
         "go.mod", "tsconfig", "script", "engines", "msrv", "profile", "docker", "editorconfig",
         "gitignore", "length", "bot", "spell", "formatter", "fuzzer", "pull request"),
        r"\b(?:ci|github workflows?|pre-?commit|(?:es|golangci-?)?lint(?:er|ers|ing)?|ruff|flake8|"
        r"mypy|clippy|rustfmt|prettier|dependabot|(?:update|dependency) bot|"
        r"renovate|codecov|package\.json|pyproject|"
        r"cargo\.toml|go\.mod|tsconfig|npm scripts?|node engines?|msrv|(?:release|cargo|build) "
        r"profile|docker(?: image)?|editorconfig|gitignore|line[- ]length|spell[- ]?check\w*|"
        r"code formatter|fuzzer|pull requests?)\b",
        {"config": 1.0}, outside_source=0.7,
    ),
    IntentPattern(
        ("dependenc", "pipeline", "workflow", "job", "script", "step", "matrix"),
        r"\b(?:dev|development|optional|peer|runtime|test|direct) dependenc(?:y|ies)\b|\b(?:build|"
        r"release|publish(?:ing)?|deploy(?:ment)?|docs?) (?:pipeline|workflow|job|script|step|"
        r"matrix)\b",
        {"config": 1.0}, outside_source=0.7,
    ),
    IntentPattern(
        ("version", "depend", "threshold", "minimum", "licen", "publish", "packag", "toolchain",
         "platform", "operating", "target", "extra", "coverage",
         "compiler", "bundle", "schedule", "matrix"),
        r"\b(?:which|what|minimum|min|required|supported|oldest|lowest|pinned)\b.{0,40}\bversions?"
        r"\b|^(?:which|what|where|how|does|is|are|must|name)\b.*\b(?:versions? (?:of|range)|"
        r"depends? on|dependenc(?:y|ies)|extras?|coverage|licen[cs]e|published|packag(?:e|ed|ing)|"
        r"toolchain|operating systems?|platforms?|build targets?|compiler|bundler?|schedule[ds]?|"
        r"matrix)\b|\b(?:code|required|minimum) coverage|coverage (?:threshold|minimum)",
        {"config": 0.6, "docs": 0.3}, outside_source=0.5,
    ),
    IntentPattern(
        ("test", "covered"),
        # A test is asked for, not what happens to one: "where is a failed test run again".
        r"\b(?:which|what|any|(?:is|are) there(?: an?| any| some)?|find(?: the| an?)?) (?:[\w-]+ )?"
        r"tests?\b|\bwhere are (?:(?:the|its|their) (?:[\w-]+ )?)?tests\b(?! [a-z]+ed\b)|"
        r"\b(?:which|what|where)\b.{0,60}\btested\b|\bwhere (?:do|does) \w+ test\b|"
        r"^(?:is|are) .*\btested\b|^(?:the |a |unit |integration )?tests? (?:that|with|for|of|"
        r"which|where|when|case|checking|covering|verifying|asserting|proving|ensuring)\b|"
        r"\btest coverage\b|\bcovered by\b",
        {"test": 1.0}, outside_source=0.8,
    ),
    IntentPattern(
        ("when ", "why ", "who ", "commit", "history", "changed", "introduced", "since",
         "regression"),
        r"\b(?:when|why) (?:was|were|did|has|have)\b|\bwho (?:added|wrote|changed|removed|broke|"
        r"introduced|made)\b|(?<![-.])\bcommits?\b|\bhistory of\b|\bwhat(?: has)? changed\b|"
        r"\bsince (?:when|which)\b|\bregressions?\b|\bintroduced\b",
        {"history": 1.0},
    ),
    IntentPattern(("why ",), r"\bwhy (?:is|are|do|does)\b", {"history": 0.5}),
    IntentPattern(
        ("added", "removed", "dropped", "deleted", "renamed", "replaced", "moved", "reverted",
         "deprecated", "bumped", "switched", "thrown"),
        r"\b(?:got|was|were|been) (?:\w+ )?(?:added|removed|dropped|deleted|renamed|replaced|moved|"
        r"reverted|deprecated|bumped|switched|thrown)\b",
        {"history": 1.0},
    ),
)  # fmt: skip

# How surely a question asks for configuration that asks what a project sets for itself.
SETTING, BESIDE_SETTING = 0.8, 0.7
_OF_SETTINGS = (
    *("which ", "what ", "how ", "on ", "for ", "in ", "with ", "at ", "by ", "from "),
    *("when ", "does ", "do ", "is ", "are ", "may ", "must "),
)


def detect_intent(text: str) -> Intent:
    """How surely (0 to 1) a question asks for each kind of file or the history, as an Intent."""
    low = text.lower()
    sure: dict[str, float] = {}
    beside = 0.0
    for hint in _HINTS:
        # Compiled patterns are kept by ``re`` for the next question.
        if any(cue in low for cue in hint.cues) and re.search(hint.pattern, low):
            beside = max(beside, hint.outside_source)
            for kind, value in hint.kinds.items():
                sure[kind] = max(sure.get(kind, 0.0), value)
    if "history" not in sure and low.startswith(_OF_SETTINGS):
        # Imported here: its table is for few questions.
        from gitmem.search.usual_places import asks_for_project_setting  # noqa: PLC0415

        if asks_for_project_setting(low):
            sure["config"] = max(sure.get("config", 0.0), SETTING)
            beside = max(beside, BESIDE_SETTING)
    return Intent(sure, beside)
