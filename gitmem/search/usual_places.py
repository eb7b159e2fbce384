"""Where projects keep what a question asks about: CI in ``.github/workflows``, and so on. Pure.

The files that tell which versions are built, or what the linter allows, seldom hold the words of
such a question. Their names are conventions; these are the widely used ones.
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
class Topic:
    """Paths, from the root, where the answers to questions of a wording are kept.

    A path that ends with ``*`` is the beginning of others.
    """

    wording: str
    paths: str


_TOPICS = (
    Topic(
        r"ci|continuous integration|(?:github )?(?:workflows?|actions?)|pipelines?|matrix|jobs?|"
        r"operating systems?|pull requests? (?:check|trigger)\w*",
        ".github/workflows/* .circleci/config.yml .gitlab-ci.yml .travis.yml appveyor.yml "
        "azure-pipelines.yml Jenkinsfile .cirrus.yml tox.ini noxfile.py",
    ),
    Topic(
        r"(?:releas|publish|deploy)\w*",
        ".github/workflows/release* .github/workflows/publish* .github/workflows/deploy* "
        ".github/workflows/cd* .goreleaser.yml .goreleaser.yaml RELEASING.md RELEASE.md",
    ),
    Topic(
        r"(?:\w+-?)?lint\w*|ruff|flake8|eslint|prettier|clippy|rustfmt|formatter|line[- ]length|"
        r"code style|pre-?commit|style (?:rules?|checks?)",
        ".pre-commit-config.yaml ruff.toml .ruff.toml .flake8 pyproject.toml setup.cfg tox.ini "
        ".golangci.yml .golangci.yaml eslint.config.js eslint.config.mjs .eslintrc* .prettierrc* "
        "biome.json .editorconfig rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml "
        ".rubocop.yml .php-cs-fixer* phpcs.xml* .clang-format .clang-tidy .swiftlint.yml "
        ".swiftformat .scalafmt.conf .stylua.toml .ktlint* package.json",
    ),
    Topic(r"spell\w*(?:[- ]check\w*)?|typos?|misspell\w*", ".codespellrc cspell.json .cspell.json "
          "cspell.config.* typos.toml _typos.toml .typos.toml .aspell* .spellcheck* pyproject.toml "
          "setup.cfg .pre-commit-config.yaml"),
    Topic(r"fuzz\w*", ".github/workflows/fuzz* .github/workflows/cifuzz* fuzz/*"),
    Topic(
        r"dependenc(?:y|ies)|depends? on|versions?|msrv|rust-version|engines?|licen[cs]e|packag\w+|"
        r"published|toolchain|entry points?|extras?|peer|edition|profile|features? flags?|"
        r"module (?:name|path)|requires?",
        f"{_MANIFESTS} rust-toolchain* .nvmrc .node-version .python-version .tool-versions",
    ),
    Topic(r"npm (?:scripts?|run)|scripts?|tasks?|make targets?", "package.json Makefile justfile "
          "Justfile Taskfile.yml tox.ini noxfile.py scripts/*"),
    Topic(r"coverage", "codecov.yml .codecov.yml .coveragerc .taprc .nycrc* .c8rc* "
          ".github/workflows/* pyproject.toml setup.cfg package.json"),
    Topic(r"type.?check\w*|mypy|pyright|tsconfig|compiler options?", "mypy.ini pyproject.toml "
          "setup.cfg pyrightconfig.json tsconfig.json tsconfig.*"),
    Topic(r"docker\w*|container|image", "Dockerfile docker-compose.yml docker-compose.yaml "
          "compose.yaml .dockerignore docker/*"),
    Topic(r"dependabot|renovate|dependency updates?|(?:update|dependency) bot",
          ".github/dependabot.yml renovate.json .github/renovate.json .renovaterc*"),
    Topic(r"docs? (?:site|build|theme|are built)|documentation (?:site|build|theme)|mkdocs|sphinx|"
          r"read ?the ?docs", "mkdocs.yml docs/conf.py .readthedocs.yml .readthedocs.yaml "
          "book.toml docusaurus.config.js"),
    Topic(r"pytest|test runner|jest|vitest|tap", "pyproject.toml setup.cfg pytest.ini tox.ini "
          "jest.config.* vitest.config.* .taprc package.json"),
    Topic(r"ignored? (?:files?|paths?|by git)|gitignore", ".gitignore .npmignore .gitattributes"),
    Topic(r"code ?owners?", ".github/CODEOWNERS CODEOWNERS"),
    Topic(r"vulnerabilit\w*|security (?:polic\w+|issues?|reports?)", "SECURITY.md "
          ".github/SECURITY.md"),
    Topic(r"contribut\w*|pull requests?", "CONTRIBUTING.md .github/CONTRIBUTING.md "
          "docs/contributing.md .github/PULL_REQUEST_TEMPLATE.md"),
    Topic(r"code of conduct", "CODE_OF_CONDUCT.md .github/CODE_OF_CONDUCT.md"),
    Topic(r"change ?log|release notes|what(?:'s| is) new", "CHANGELOG.md CHANGES.md CHANGES.rst "
          "HISTORY.md NEWS.md"),
)  # fmt: skip


def usual_places(text: str) -> tuple[str, ...]:
    """The paths, or with ``*`` at their end beginnings of paths, that may tell what is asked."""
    low = text.lower()
    found: dict[str, None] = {}
    for topic in _TOPICS:
        if re.search(rf"\b(?:{topic.wording})\b", low):
            found.update(dict.fromkeys(topic.paths.split()))
    return tuple(found)
