"""What other tools find, as they say it; tools that hang, crash or print garbage (ML-25)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.git.diff import PathChange
from gitmem.git.lines.patch import Hunk
from gitmem.review import verify_tools
from gitmem.review.reviewed_diff import ReviewedFile
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

RUFF = json.dumps(
    [
        {"code": "F821", "message": "Undefined name `x`.", "filename": "./files/src/app.py",
         "location": {"row": 1, "column": 1}},
        {"code": "F821", "message": "elsewhere", "filename": "./files/src/app.py",
         "location": {"row": 9, "column": 1}},
        {"code": "F821", "message": "outside", "filename": "/etc/passwd", "location": {"row": 1}},
    ]
)  # fmt: skip
SARIF = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {"driver": {"name": "CodeQL", "rules": [
                {"id": "py/sql", "properties": {"tags": ["security", "external/cwe/cwe-089"]}}]}},
            "results": [
                {"ruleId": "py/sql", "level": "error", "message": {"text": "SQL injection."},
                 "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/app.py"},
                                                     "region": {"startLine": 1}}}]},
                {"ruleId": "x", "message": {"text": "nowhere"}},
            ],
        }
    ],
}  # fmt: skip


@pytest.fixture
def tools(desk: Desk, repo: RepoBuilder, tmp_path: Path) -> Path:
    """A folder alone on the PATH, for programs; a file that changed."""
    repo.commit("App", {"src/app.py": "y = 1\n", "ok.txt": "\n"})
    repo.write({"src/app.py": "print(x)\n"})
    folder = tmp_path / "bin"
    folder.mkdir()
    git = shutil.which("git")
    assert git
    desk.env["GITMEM_REVIEW_TOOLS"] = "ruff,bandit"
    desk.env["PATH"] = os.pathsep.join([str(folder), os.path.dirname(git), "/bin"])
    return folder


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def shown(desk: Desk) -> tuple[list[str], tuple[str, ...]]:
    result = desk.run("review")
    return [f"{each.path}:{each.line} {each.rule} {each.source}: {each.message}"
            for each in result.findings], tuple(
                each for each in result.notes if "index" not in each)  # fmt: skip


def test_what_a_tool_finds_on_changed_lines_is_shown_as_its_own(desk: Desk, tools: Path) -> None:
    program(tools, "ruff", f"cat <<'END'\n{RUFF}\nEND")
    findings, notes = shown(desk)
    assert findings == ["src/app.py:1 ruff/F821 ruff: Undefined name `x`"]
    assert notes == ()


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ("echo garbage", "What ruff printed is not a list of findings, so it was left out."),
        ("exit 3", "What ruff printed"),
        ("kill -SEGV $$", "What ruff printed"),
        ('echo \'[{"code": 1, "message": [], "filename": {}, "location": {"row": "x"}}]\'',
         "What ruff printed"),
        ('printf "%0100000d" 0 | sed "s/0/[/g"', "What ruff printed"),
        ("sleep 60 & sleep 60", "ruff did not finish within"),
        ("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", "ruff"),
    ],
)  # fmt: skip
def test_a_broken_tool_costs_a_sentence(
    desk: Desk, tools: Path, script: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_tools, "SECONDS", 2.0)
    program(tools, "ruff", script)
    findings, notes = shown(desk)
    assert findings == []
    assert len(notes) == 1 and notes[0].startswith(note)


def test_a_program_of_the_repository_is_never_started(
    desk: Desk, tools: Path, repo: RepoBuilder
) -> None:
    inside = repo.path / "node_modules" / ".bin"
    inside.mkdir(parents=True)
    mark = repo.path.parent / "ran"
    program(inside, "ruff", f"touch {mark}; echo '[]'")
    for path in (str(inside), "node_modules/.bin", ".", ""):
        desk.env["PATH"] = os.pathsep.join([path, desk.env["PATH"]])
    (tools / "bandit").symlink_to(inside / "ruff")
    assert shown(desk) == ([], ())
    assert not mark.exists()


def test_a_tool_that_runs_the_repositorys_code_needs_consent(
    desk: Desk, tools: Path, repo: RepoBuilder
) -> None:
    repo.write({"src/app.js": "x\n", ".gitmem.toml": '[review]\ntools = "eslint"\n'})
    del desk.env["GITMEM_REVIEW_TOOLS"]
    mark = repo.path.parent / "ran"
    program(tools, "eslint", f"touch {mark}; echo '[]'")
    shown(desk)
    assert not mark.exists()
    desk.env["GITMEM_REVIEW_TOOLS"] = "eslint"
    shown(desk)
    assert mark.exists()
    repo.git("add", "-A")
    assert any("eslint was not run" in note for note in desk.run("review", staged=True).notes)


def test_a_tool_sees_the_changed_files_and_no_configuration(
    desk: Desk, tools: Path, repo: RepoBuilder
) -> None:
    repo.commit("Settings", {"ruff.toml": "select = []\n", ".bandit": "x\n"})
    repo.write({"src/app.py": "print(z)\n"})
    listed = repo.path.parent / "listed"
    desk.env["PYTHONPATH"] = ":/nowhere"
    script = f'find . -type f > {listed}; echo "$PYTHONPATH" >> {listed}; pwd >> {listed}'
    program(tools, "ruff", f"{script}; echo '[]'")
    shown(desk)
    *files, path, folder = listed.read_text().splitlines()
    assert sorted(files) == ["./files/src/app.py", "./output"]
    assert path == ""
    assert not folder.startswith(str(repo.path)) and not os.path.exists(folder)


@pytest.mark.skipif(not shutil.which("ruff"), reason="ruff is not installed")
def test_the_real_ruff_is_read(desk: Desk, tools: Path) -> None:
    ruff = shutil.which("ruff")
    assert ruff
    (tools / "ruff").symlink_to(ruff)
    findings, notes = shown(desk)
    assert findings == ["src/app.py:1 ruff/F821 ruff: Undefined name `x`"]
    assert notes == ()


def one_file() -> ReviewedFile:
    return ReviewedFile(
        PathChange("M", "src/app.py", "src/app.py"), (Hunk((1, 1), (1, 1)),), None, b"x\n"
    )


def test_a_sarif_file_is_read() -> None:
    rows = verify_tools._rows(verify_tools.parse_sarif_log, json.dumps(SARIF).encode(), "x holds")
    found = list(verify_tools.findings_on_changed_lines(rows, [one_file()], "/repo"))
    assert [(each.rule, each.level, each.cwe, each.source) for each in found] == [
        ("codeql/py/sql", "error", "CWE-89", "CodeQL")
    ]


def test_sarif_files_are_read_and_broken_ones_are_named(
    desk: Desk, tools: Path, repo: RepoBuilder
) -> None:
    repo.write({".git/good.sarif": json.dumps(SARIF), ".git/bad.sarif": "{"})
    files = tuple(
        str(repo.path / ".git" / name) for name in ("good.sarif", "bad.sarif", "no.sarif")
    )
    result = desk.run("review", report=files)
    assert [each.rule for each in result.findings] == ["codeql/py/sql"]
    assert [each for each in result.notes if "index" not in each] == [
        "What bad.sarif holds is not a list of findings, so it was left out.",
        "no.sarif cannot be read: No such file or directory.",
    ]


def test_what_a_tool_says_is_bounded_and_without_secrets() -> None:
    text = "Key AKIA" + "Q3XZ7PLMNBVC5TRE" + " found\nhere " + "x" * 5000
    rows = [("t" * 99, "r" * 200, "error", "src/app.py", 1, text, "")]
    (finding,) = verify_tools.findings_on_changed_lines(rows, [one_file()], "/repo")
    assert len(finding.message) <= 300 and "\n" not in finding.message
    assert "Q3XZ7PLMNBVC5TRE" not in finding.message
    assert len(finding.source) <= 40


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["runs", "tool", "driver", "name", "results", "locations", "rules",
                         "message",
                         "text", "level", "ruleId", "messages", "filename", "location", "row"]),
        inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_any_json_is_findings_or_one_sentence(value: object) -> None:
    data = json.dumps(value).encode()
    for rows in (
        verify_tools.parse_sarif_log,
        verify_tools.parse_ruff_output,
        verify_tools.parse_bandit_output,
        verify_tools.parse_eslint_output,
    ):
        try:
            made = verify_tools._rows(rows, data, "it prints")
        except InvalidInput as error:
            assert error.message.startswith("What it prints")
        else:
            list(verify_tools.findings_on_changed_lines(made, [one_file()], "/repo"))


@pytest.mark.parametrize(
    "path", ["../x.py", "/etc/x.py", "a/../../x.py", "a//x.py", "a\\..\\x.py", "c:x.py"]
)
def test_a_path_that_leads_elsewhere_is_not_written(path: str) -> None:
    assert not verify_tools.is_safe_path(path)
    assert verify_tools.is_safe_path("src/app.py")
