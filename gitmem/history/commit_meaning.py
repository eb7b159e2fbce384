"""The purpose of a commit, from its message and its paths, without a model. Pure.

Conventional commits name their type and scope; for others the type follows from the paths, then
from the words of the subject.
"""

import re
from collections.abc import Sequence

from gitmem import languages
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds
from gitmem.text import issues
from gitmem.timeline import change_areas

TYPES = (
    "feat",
    "fix",
    "docs",
    "test",
    "refactor",
    "perf",
    "build",
    "ci",
    "chore",
    "revert",
    "style",
)
MAX_GOAL_LENGTH = 400  # characters
_MAX_SUBJECT, _MAX_BODY = 1_000, 20_000  # characters that are read
_ALIASES = {
    **dict.fromkeys(("feature", "features", "enhancement", "new"), "feat"),
    **dict.fromkeys(("bugfix", "bug", "hotfix", "fixes", "fixed", "security"), "fix"),
    **dict.fromkeys(("doc", "documentation"), "docs"),
    **dict.fromkeys(("tests", "testing", "bench"), "test"),
    **dict.fromkeys(("deps", "dep", "release"), "chore"),
    **dict.fromkeys(("cleanup", "refact"), "refactor"),
}
# Bounded repeats, so that a hostile subject costs little.
_PREFIX = re.compile(r"(?i)^([a-z]{2,15})(?:\(([^()\n]{1,60})\))?(!)?:\s+(?=\S)")
_NUMBERS = re.compile(r"\s*\((?:#|gh-|GH-)\d{1,7}\)\s*$")
_TRAILER = re.compile(r"^(?:[A-Z][\w-]{1,40}: |\(cherry picked from |BREAKING[ -]CHANGE)")
_BREAKING = re.compile(r"(?m)^BREAKING[ -]CHANGE\b")
_CI = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/|\.circleci/|\.gitlab-ci|\.travis|appveyor|azure-"
    r"pipelines|Jenkinsfile|\.pre-commit-config)"
)
_BUILD = re.compile(
    r"(?:^|/)(?:package(?:-lock)?\.json|[\w.-]*\.lock|pnpm-lock\.yaml|yarn\.lock|go\.(?:mod|sum)"
    r"|Cargo\.(?:toml|lock)|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w./-]*\.(?:txt|in)"
    r"|composer\.json|Gemfile|Makefile|CMakeLists\.txt|build\.gradle(?:\.kts)?|pom\.xml|tox\.ini)$"
)
_DOCS = re.compile(r"(?:^|/)(?:docs?|www|website|site)/|\.mdx$")
# Tried in this order, first at the beginning of the subject, which mostly says what was done.
_WORDS = (
    ("revert", r"revert(?:s|ed)?|roll back|back out"),
    ("chore", r"bump(?:s|ed)?|release|upgrade|pin|prepare|version|merge|v?\d+\.\d+[\w.-]*"
              r"|start version|lock file|update (?:all |dependency|dependencies|dev|module|\w+/)"),
    ("docs", r"typos?|docs?|docstrings?|readme|document(?:s|ed|ation)?|changelog|comments?"
             r"|spelling|links?|ecosystem|sponsors?|website|blog"),
    ("ci", r"ci|github actions?|workflows?|travis|codecov"),
    ("perf", r"speed up|faster|perf(?:ormance)?|optimi[sz]e[sd]?"),
    ("fix", r"fix(?:e[sd]|ing)?|bug|handle[sd]?|prevent(?:s|ed)?|avoid(?:s|ed)?|correct(?:s|ed|ly)?"
            r"|repair|resolve[sd]?|don'?t|do not|ensure[sd]?|crash(?:es)?|regression|properly"
            r"|wrong"),
    ("refactor", r"refactor(?:s|ed|ing)?|renam(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|extract(?:s|ed)?"
                 r"|simplif(?:y|ied|ies)|clean(?:s|ed)?(?: ?up)?|split|inline|reorgani[sz]e|rewrite"
                 r"|remove unused|unused|reuse|consolidate"),
    ("test", r"tests?|coverage|benchmarks?"),
    ("style", r"format(?:ting|ted)?|lint(?:er|ing)?|whitespace|prettier|standard"),
    ("feat", r"add(?:s|ed|ing)?|support(?:s|ed)?|introduce[sd]?|allow(?:s|ed)?|implement(?:s|ed)?"
             r"|expose[sd]?|enable[sd]?|new|accept|feature|make|create"),
)  # fmt: skip
_FIRST = [(kind, re.compile(rf"(?i)^(?:{words})\b")) for kind, words in _WORDS]
_ANYWHERE = [(kind, re.compile(rf"(?i)\b(?:{words})\b")) for kind, words in _WORDS]


@dataclass(frozen=True, slots=True)
class CommitPurpose:
    """What a commit is for, read from its message and paths.

    ``type`` is one of ``TYPES`` (feat, fix, ...) or empty, ``stated`` if the message names it.
    ``goal`` is the subject without type and numbers, and the first paragraph of the body.
    ``breaking``: it says that it breaks its users. ``tags`` are type, scope, most changed folders
    and kinds of files.
    """

    type: str
    stated: bool
    scope: str
    breaking: bool
    goal: str
    issues: tuple[str, ...]
    tags: tuple[str, ...]


def infer_commit_purpose(subject: str, body: str, paths: Sequence[str]) -> CommitPurpose:
    """Return the purpose of a commit, from its message and the paths that it changed."""
    subject, body = subject[:_MAX_SUBJECT], body[:_MAX_BODY]
    match = _PREFIX.match(subject)
    word = match[1].lower() if match else ""
    kind = _ALIASES.get(word, word)
    named_type = kind in TYPES
    rest = subject[match.end() :] if match and named_type else subject
    scope = (match[2] or "").strip().lower() if match and named_type else ""
    breaking = bool(match and named_type and match[3]) or bool(_BREAKING.search(body))
    kind = kind if named_type else guess_commit_type(rest, paths)
    goal = _goal(rest, body)
    mentioned = issues.issue_references(f"{subject}\n{body}")
    tags = [kind, *([scope] if scope else []), *(["breaking"] if breaking else [])]
    types = {_type_of(path) for path in paths}
    tags += [*_areas(paths), *(type for type in ("test", "docs", "build", "ci") if type in types)]
    return CommitPurpose(
        kind, named_type, scope, breaking, goal, mentioned, tuple(dict.fromkeys(filter(None, tags)))
    )


def guess_commit_type(subject: str, paths: Sequence[str]) -> str:
    """Return the type, such as ``fix``, of a commit whose message states none; empty if unclear."""
    for kind, pattern in _FIRST[:1]:
        if pattern.search(subject):
            return kind
    types = {_type_of(path) for path in paths}  # "" for source
    if len(types) == 1 and (only := types.pop()):
        return only
    for patterns in (_FIRST, _ANYWHERE):
        for kind, pattern in patterns:
            if pattern.search(subject):
                return kind
    return ""


def _type_of(path: str) -> str:
    if _CI.search(path):
        return "ci"
    if _BUILD.search(path):
        return "build"
    kinds = file_kinds.kinds_of_file(path, languages.language(path))
    if "docs" in kinds or "changelog" in kinds or _DOCS.search(path):
        return "docs"
    return "test" if "test" in kinds else ""


def _goal(rest: str, body: str) -> str:
    """The subject as a sentence, and the first prose paragraph of the body."""
    text = _NUMBERS.sub("", rest).strip()
    for paragraph in body.split("\n\n"):
        lines = [line.strip() for line in paragraph.split("\n") if line.strip()]
        if lines and not any(map(_TRAILER.match, lines)) and not _is_list(lines):
            text = f"{text.rstrip('.')}. {' '.join(lines)}"
            break
    return text if len(text) <= MAX_GOAL_LENGTH else f"{text[: MAX_GOAL_LENGTH - 1].rstrip()}…"


def _is_list(lines: Sequence[str]) -> bool:
    return all(line[:1] in "*-#|>`" for line in lines)


def _areas(paths: Sequence[str]) -> list[str]:
    """The folders with most changed files, at most three; none for a sweeping commit."""
    counts: dict[str, int] = {}
    for path in paths:
        area = change_areas.area_of_path(path)
        counts[area] = counts.get(area, 0) + 1
    ranked = sorted(counts, key=lambda area: (-counts[area], area))
    return [area for area in ranked if area != change_areas.ROOT][:3] if len(paths) <= 100 else []
