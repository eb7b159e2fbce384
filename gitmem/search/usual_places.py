"""The usual places of topics, such as CI in ``.github/workflows``. Pure.

Files of configuration seldom contain the words of a question about it; their names are conventions.
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass

_MANIFESTS = (
    "pyproject.toml setup.cfg setup.py requirements.txt requirements-dev.txt package.json go.mod "
    "Cargo.toml pom.xml build.gradle build.gradle.kts composer.json Gemfile mix.exs build.sbt "
    "Package.swift CMakeLists.txt"
)


@dataclass(frozen=True, slots=True)
class TopicPaths:
    """A wording of questions (a pattern), and the paths where their answer usually is.

    ``paths`` are separated by spaces, from the root; one with ``*`` at its end is a prefix. If
    there is an ``aspect``, the question has to match this pattern too.
    """

    wording: str
    paths: str
    aspect: str = ""


_TOPICS = (
    TopicPaths(
        r"ci|continuous integration|(?:github )?(?:workflows?|actions?)|pipelines?|matrix|jobs?|"
        r"operating systems?|pull requests? (?:check|trigger)\w*",
        ".github/workflows/* .circleci/config.yml .gitlab-ci.yml .travis.yml appveyor.yml "
        "azure-pipelines.yml Jenkinsfile .cirrus.yml tox.ini noxfile.py",
    ),
    TopicPaths(
        r"(?:releas|publish|deploy)\w*",
        ".github/workflows/release* .github/workflows/publish* .github/workflows/deploy* "
        ".github/workflows/cd* .goreleaser.yml .goreleaser.yaml RELEASING.md RELEASE.md",
    ),
    TopicPaths(
        r"(?:\w+-?)?lint\w*|ruff|flake8|eslint|prettier|clippy|rustfmt|formatter|line[- ]length|"
        r"code style|pre-?commit|style (?:rules?|checks?)",
        ".pre-commit-config.yaml ruff.toml .ruff.toml .flake8 pyproject.toml setup.cfg tox.ini "
        ".golangci.yml .golangci.yaml eslint.config.js eslint.config.mjs .eslintrc* .prettierrc* "
        "biome.json .editorconfig rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml "
        ".rubocop.yml .php-cs-fixer* phpcs.xml* .clang-format .clang-tidy .swiftlint.yml "
        ".swiftformat .scalafmt.conf .stylua.toml .ktlint* package.json",
    ),
    TopicPaths(r"spell\w*(?:[- ]check\w*)?|typos?|misspell\w*",
          ".codespellrc cspell.json .cspell.json "
          "cspell.config.* typos.toml _typos.toml .typos.toml .aspell* .spellcheck* pyproject.toml "
          "setup.cfg .pre-commit-config.yaml"),
    TopicPaths(r"fuzz\w*", ".github/workflows/fuzz* .github/workflows/cifuzz* fuzz/*"),
    TopicPaths(
        r"dependenc(?:y|ies)|depends? on|versions?|msrv|rust-version|engines?|licen[cs]e|packag\w+|"
        r"published|toolchain|entry points?|extras?|peer|edition|profile|features? flags?|"
        r"module (?:name|path)|requires?",
        f"{_MANIFESTS} rust-toolchain* .nvmrc .node-version .python-version .tool-versions",
    ),
    TopicPaths(r"npm (?:scripts?|run)|scripts?|tasks?|make targets?",
          "package.json Makefile justfile "
          "Justfile Taskfile.yml tox.ini noxfile.py scripts/*"),
    TopicPaths(r"coverage", "codecov.yml .codecov.yml .coveragerc .taprc .nycrc* .c8rc* "
          ".github/workflows/* pyproject.toml setup.cfg package.json"),
    TopicPaths(r"type.?check\w*|mypy|pyright|tsconfig|compiler options?", "mypy.ini pyproject.toml "
          "setup.cfg pyrightconfig.json tsconfig.json tsconfig.*"),
    TopicPaths(r"docker\w*|container|image", "Dockerfile docker-compose.yml docker-compose.yaml "
          "compose.yaml .dockerignore docker/*"),
    TopicPaths(r"dependabot|renovate|dependency updates?|(?:update|dependency) bot",
          ".github/dependabot.yml renovate.json .github/renovate.json .renovaterc*"),
    TopicPaths(
          r"docs? (?:site|build|theme|are built)|documentation (?:site|build|theme)|mkdocs|sphinx|"
          r"read ?the ?docs", "mkdocs.yml docs/conf.py .readthedocs.yml .readthedocs.yaml "
          "book.toml docusaurus.config.js"),
    TopicPaths(r"pytest|test runner|jest|vitest|tap", "pyproject.toml setup.cfg pytest.ini tox.ini "
          "jest.config.* vitest.config.* .taprc package.json"),
    TopicPaths(r"ignored? (?:files?|paths?|by git)|gitignore",
          ".gitignore .npmignore .gitattributes"),
    TopicPaths(r"code ?owners?", ".github/CODEOWNERS CODEOWNERS"),
    TopicPaths(r"vulnerabilit\w*|security (?:polic\w+|issues?|reports?)", "SECURITY.md "
          ".github/SECURITY.md"),
    TopicPaths(r"contribut\w*|pull requests?", "CONTRIBUTING.md .github/CONTRIBUTING.md "
          "docs/contributing.md .github/PULL_REQUEST_TEMPLATE.md"),
    TopicPaths(r"code of conduct", "CODE_OF_CONDUCT.md .github/CODE_OF_CONDUCT.md"),
    TopicPaths(r"change ?log|release notes|what(?:'s| is) new",
          "CHANGELOG.md CHANGES.md CHANGES.rst "
          "HISTORY.md NEWS.md"),
)  # fmt: skip

# What a project sets for itself, asked in everyday words.
_SETTINGS = (
    TopicPaths(
        r"ci|tests?|builds?|checks|jobs?|suite|runners?",
        ".github/workflows/* .circleci/config.yml .gitlab-ci.yml .travis.yml appveyor.yml "
        "azure-pipelines.yml Jenkinsfile .cirrus.yml tox.ini",
        r"operating systems?|platforms?|architectures?|push(?:es|ed)?|pull requests?|branch(?:es)?|"
        r"nightly|daily|weekly|every (?:day|week|night)|schedule\w*|how often|memory|stack|"
        r"time ?out|parallel|matrix|versions?|installed|triggers?|secrets?|permissions?",
    ),
    TopicPaths(
        r"bot|dependenc\w+|packages|libraries|updates?",
        ".github/dependabot.yml .github/renovate.json renovate.json .renovaterc*",
        r"bot|how often|newer|out ?dated|updated?|leave alone|ignored?|automatically|look\w* for",
    ),
    TopicPaths(
        r"indent\w*|tabs?|spaces?|line ends?|line endings?|white ?space|newlines?|quotes?|"
        r"semicolons?",
        ".editorconfig .prettierrc* .clang-format rustfmt.toml .rustfmt.toml .swiftformat "
        ".php-cs-fixer* ruff.toml pyproject.toml .gitattributes package.json",
        r"wide|deep|many|width|size|indent\w*|style|used?|trimmed|allowed|final|last|preferred",
    ),
    TopicPaths(
        r"warnings?|lints?|rules?|errors?|checks?|strict\w*",
        f"{_MANIFESTS} clippy.toml .clippy.toml .golangci.yml .golangci.yaml eslint.config.* "
        ".eslintrc* .rubocop.yml ruff.toml mypy.ini tsconfig.json phpstan* .swiftlint.yml "
        ".editorconfig",
        r"compiler|lint\w*|denied|forbidden|(?:turned|switched) o(?:n|ff)|enabled|disabled|treated|"
        r"errors? here|style|type.?check\w*|static",
    ),
    TopicPaths(
        r"compiler|toolchain|language|rust\w*|python|java|jdk|jvm|golang|go|node|ruby|php|kotlin|swift"
        r"|android|ios|macos|scala|c\+\+|standard",
        f"{_MANIFESTS} README* rust-toolchain* .tool-versions .nvmrc .python-version .ruby-version "
        "gradle/libs.versions.toml gradle.properties build.gradle* */build.gradle*",
        r"oldest|minimum|lowest|least|older|newest|supported|requires?d?|needs?|versions?",
    ),
    TopicPaths(
        r"release[sd]?|binar(?:y|ies)|artifacts?|downloads?|images?|wheels?",
        ".goreleaser.yml .goreleaser.yaml .github/workflows/release* .github/workflows/publish* "
        ".github/workflows/build* .github/workflows/wheel* Dockerfile",
        r"architectures?|platforms?|operating systems?|processors?|targets?|built|signed|formats?|"
        r"uploaded|published|made for",
    ),
    TopicPaths(
        r"audits?|scans?|advisor(?:y|ies)|vulnerabilit\w+|cves?",
        ".github/workflows/* deny.toml .cargo/audit.toml .trivyignore .snyk .nsprc "
        "osv-scanner.toml",
        r"severity|fails?|skip\w*|ignored?|allowed|how often|schedule\w*",
    ),
    TopicPaths(
        r"builds?|compil\w+|gradle|maven|cmake|features?",
        "gradle.properties CMakeLists.txt meson_options.txt meson.options Makefile Cargo.toml "
        ".github/workflows/* .mvn/*",
        r"switch(?:es)?|flags?|propert(?:y|ies)|options?|memory|heap|cach\w+|defaults?",
    ),
)  # fmt: skip
# How questions about settings begin, and wordings that ask for code instead.
_ASKS = re.compile(
    r"(?:(?:on|for|in|with|at|by|from) )?(?:which|what|how (?:often|many|much|large|big|wide|long|"
    r"old|deep)|when|does|do|is|are|may|must)\b"
)
_CODE = re.compile(
    r"(?:which|what) (?:\w+ )?(?:code|functions?|class|method|file|module|part|tests?|type|"
    r"struct)\b|\bwhen (?:was|were|did|has|have)\b|\bwhat happens\b|"
    r"\b(?:an?|any|some) (?:\w+ )?tests?\b"
)


def usual_answer_paths(question_text: str) -> tuple[str, ...]:
    """The paths where a question's answer usually is, such as ``.github/workflows/*`` for CI.

    One with ``*`` at its end is a prefix.
    """
    low = question_text.lower()
    found: dict[str, None] = {}
    for topic in (*_TOPICS, *_settings(low)):
        if _says(topic.wording, low):
            found.update(dict.fromkeys(topic.paths.split()))
    return tuple(found)


def asks_for_project_setting(text: str) -> bool:
    """Whether a question asks for a setting of the project, or for what it is built with."""
    return bool(_settings(text.lower()))


def _settings(low: str) -> list[TopicPaths]:
    if not _ASKS.match(low) or _CODE.search(low):
        return []
    return [topic for topic in _SETTINGS if _says(topic.aspect, low) and _says(topic.wording, low)]


def _says(wording: str, low: str) -> bool:
    return re.search(rf"(?<!\w)(?:{wording})(?!\w)", low) is not None
