"""Where projects keep what a question asks about, by the conventions for names of files."""

from __future__ import annotations

from gitmem.search.usual_places import asks_for_project_setting, usual_answer_paths
from tests.support.tables import table


@table(
    ("question", "path"),
    [
        ("which Ruby versions does CI build", ".github/workflows/*"),
        ("what line length is enforced", "pyproject.toml"),
        ("which linters are on", ".golangci.yml"),
        ("dev dependencies", "package.json"),
        ("minimum supported Rust version", "Cargo.toml"),
        ("what does the release workflow do", ".github/workflows/release*"),
        ("who owns which code: code owners", "CODEOWNERS"),
        ("how do I report a vulnerability", "SECURITY.md"),
        ("which words does the spell checker ignore", ".codespellrc"),
        ("which rules of the code formatter are off", ".swiftformat"),
        ("how long does the fuzzer run", ".github/workflows/fuzz*"),
        ("which base image does docker use", "Dockerfile"),
    ],
)
def test_the_usual_place(question: str, path: str) -> None:
    assert path in usual_answer_paths(question)
    assert path in usual_answer_paths(question.upper())


def test_what_a_project_sets_for_itself_is_asked_in_everyday_words() -> None:
    for question, path in (
        ("On which operating systems is it tested by CI?", ".github/workflows/*"),
        ("When do the checks run that nobody starts, every night?", ".github/workflows/*"),
        ("How often does the bot look for newer packages?", ".github/dependabot.yml"),
        ("How many spaces is code indented by?", ".editorconfig"),
        ("Which warnings does the compiler not let pass, which are denied?", "Cargo.toml"),
        ("What is the oldest Java that it needs?", "pom.xml"),
        ("For which platforms are the binaries built?", ".goreleaser.yml"),
        ("At which severity does the audit fail?", "deny.toml"),
        ("Which flags has the build?", "gradle.properties"),
    ):
        assert asks_for_project_setting(question) and path in usual_answer_paths(question), question
    for question in (
        "where is it decided on which platforms the tests run",
        "which function runs the checks in parallel",
        "is there a test of the build options",
        "when was the oldest Python version dropped",
        "which tests cover the platforms",
        "what runs",  # one side of it is not enough
        "which platforms",
    ):
        assert not asks_for_project_setting(question), question


def test_a_question_to_the_code_has_none() -> None:
    assert usual_answer_paths("where is the cart emptied") == ()
    assert usual_answer_paths("printing decimals") == ()  # no part of a word: "ci"


def test_no_path_leaves_the_repository() -> None:
    every = usual_answer_paths(
        "ci lint release docker versions coverage dependabot docs site contribute"
    )
    assert len(every) > 20
    assert not any(path.startswith(("/", "..")) or path == "*" for path in every)
