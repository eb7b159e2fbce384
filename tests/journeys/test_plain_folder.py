"""A folder without git: set up, searched, remembered in, and later made a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.peers import FULL, connected
from tests.support.cli import Program
from tests.support.repos import RepoBuilder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    (place / "src").mkdir(parents=True)
    (place / "src" / "road.py").write_text("def zebra_crossing():\n    return 1\n")
    (place / "README.md").write_text("# Shop\n\nThe quokka sells hats.\n")
    (place / "draft.md").write_text("# Draft\n\nThe quokka is secret.\n")
    (place / ".gitmemignore").write_text("draft.md\n")
    return place


@pytest.fixture
def program(folder: Path, tmp_path: Path) -> Program:
    made = Program(tmp_path / "home", folder, GITMEM_MODEL="hashed")
    made("init", "--folder")
    return made


def found(program: Program, words: str, **how: Path) -> list[str]:
    result = program("search", words, "--in", "code,notes", "--mode", "keyword", "--json", **how)
    return [hit["path"] for hit in result.json["hits"]]


def test_without_the_option_nothing_is_made_and_the_option_is_named(
    folder: Path, tmp_path: Path
) -> None:
    program = Program(tmp_path / "home", folder)
    refused = program.refused(6, "not_a_repository", "init")
    assert "gitmem init --folder" in refused.error["hint"]
    assert not (folder / ".gitmem").exists()


def test_its_files_are_searched_from_any_folder_below(program: Program, folder: Path) -> None:
    assert found(program, "zebra crossing") == ["src/road.py"]
    assert found(program, "quokka", cwd=folder / "src") == ["README.md"]
    (folder / "src" / "road.py").write_text("def pelican_crossing():\n    return 2\n")
    output = program("index", "--json").json
    assert (output["added"], output["updated"], output["commits"]) == (0, 1, 0)
    assert found(program, "pelican") == ["src/road.py"]
    assert found(program, "zebra") == []
    assert program("index", "prune").status == 0


def test_memories_are_kept_and_reported(program: Program, folder: Path) -> None:
    program("remember", "Tests need a quokka", "--path", "src/road.py")
    output = program("recall", "quokka", "--json", cwd=folder / "src").json
    assert [memory["content"] for memory in output["memories"]] == ["Tests need a quokka"]
    assert "Tests need a quokka" in program("timeline").out
    # A tag or commit is no date where there is no git; the refusal is one of the usual ones.
    program.refused(2, "invalid", "recall", "quokka", "--since", "v1.2")


def test_orient_and_status_say_that_there_is_no_git(program: Program, folder: Path) -> None:
    oriented = program("orient").out
    assert "in a plain folder, without git" in oriented
    assert "Uncommitted" not in oriented
    output = program("orient", "--json").json
    assert (output["branch"], output["commit"], output["commits"]) == (None, None, [])
    assert "a plain folder, without git" in program("status").out
    assert program("status", "--json").json["project"] == f"path:{folder}"


def test_doctor_finds_nothing_wrong(program: Program) -> None:
    findings = program("doctor", "--json").json["findings"]
    assert [finding for finding in findings if finding["state"] == "problem"] == []


def test_git_hooks_are_refused_with_the_reason(program: Program, folder: Path) -> None:
    refused = program.refused(7, "unavailable", "hooks", "install")
    assert refused.error["message"] == "There are no git hooks in a plain folder."
    assert not (folder / ".gitmem" / "plain.git" / "hooks").exists()


def test_agents_are_served(program: Program, folder: Path) -> None:
    program("remember", "Tests need a quokka")
    with connected(folder, program.env, options=FULL) as client:
        assert "Tests need a quokka" in str(client("recall", query="quokka").structured_content)
        hits = client("search", query="zebra crossing").structured_content["hits"]
        assert hits[0]["path"] == "src/road.py"
        assert "plain folder" in str(client("orient").content)


def test_what_was_kept_stays_when_the_folder_becomes_a_repository(
    program: Program, folder: Path, tmp_path: Path
) -> None:
    program("remember", "Tests need a quokka")
    RepoBuilder(folder, home=tmp_path / "home").commit("First")
    assert program("init", "--json").json["existed"]
    output = program("recall", "quokka", "--json").json
    assert [memory["content"] for memory in output["memories"]] == ["Tests need a quokka"]
    assert found(program, "zebra") == ["src/road.py"]
    assert program("status", "--json").json["branch"] == "main"
