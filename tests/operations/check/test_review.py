"""The review of a diff as a verb: its sources, its answer, and what is set aside (ML-24)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.model.review_finding import ReviewFinding
from gitmem.operations.check import review
from gitmem.operations.registry import as_json_values
from gitmem.review import reviewed_diff
from gitmem.review.finding import assign_finding_ids
from gitmem.store.memory import review_acceptances
from gitmem.store.memory.review_acceptances import AcceptedReviewFinding
from tests.support.apps import Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

CODE = "def run():\n    return 1\n\n\ndef stop():\n    return 2\n"


@pytest.fixture
def app(repo: RepoBuilder, desk: Desk) -> RepoBuilder:
    """The repository with a file of code, indexed, and a rule against eval."""
    repo.commit("App", {"src/app.py": CODE})
    desk.run("index")
    desk.run("remember", text="Never call `eval()`.", kind="convention")
    return repo


def bad(repo: RepoBuilder, line: str = "eval('1')") -> None:
    repo.write({"src/app.py": f"{line}\n{CODE}"})


def rules(desk: Desk, **values: Any) -> list[str]:
    return [
        f"{each.path}:{each.line} {each.rule}" for each in desk.run("review", **values).findings
    ]


EVAL = "src/app.py:1 pattern/no-eval"


def test_a_diff_is_that_of_the_worktree_the_index_two_revisions_or_a_patch(
    app: RepoBuilder, desk: Desk
) -> None:
    bad(app)
    assert rules(desk) == [EVAL]
    assert rules(desk, staged=True) == []
    app.git("add", "-A")
    assert rules(desk, staged=True) == [EVAL]
    patch = app.git("diff", "--cached") + "\n"
    app.git("reset", "-q", "--hard")
    assert rules(desk) == []
    assert rules(desk, diff=patch) == [EVAL]
    bad(app)
    app.commit("Bad")
    assert rules(desk, revisions="HEAD~1..HEAD") == [EVAL]
    assert rules(desk) == []


def test_findings_come_first_and_fail_only_if_asked(app: RepoBuilder, desk: Desk) -> None:
    id = desk.run("remember", text="Runs once", path=("src/app.py",)).id
    bad(app)
    text = desk.text("review")
    first, *rest = text.split("\n")
    assert first.startswith("src/app.py:1: error: eval is called, says the convention")
    assert "Memories that cite what changes:" in rest
    assert any(id[:8] in line and "Runs once" in line for line in rest)
    assert rest[-1] == "1 finding: 1 file, 1 new line; risk 46 (warn)."
    assert "40  errors: 1 error" in desk.text("review", explain=True)
    assert desk.run("review").failed == 0
    assert desk.run("review", strict=True).failed == 1


def test_a_finding_is_set_aside_until_the_code_changes(app: RepoBuilder, desk: Desk) -> None:
    bad(app)
    (finding,) = desk.run("review").findings
    result = desk.run("review", accept=finding.id, why="A calculator")
    assert result.findings == ()
    assert result.action == f"set aside {finding.id}, until the code changes"
    (aside,) = result.set_aside
    assert (aside.finding, aside.by, aside.why, aside.agent) == (
        finding,
        "place",
        "A calculator",
        "",
    )
    app.write({"src/app.py": f"# moved down\n\n    \neval('1')\n{CODE}"})
    assert rules(desk) == []
    bad(app, "eval('2')")
    assert rules(desk) == [EVAL]
    bad(app)
    desk.run("review", withdraw=finding.id)
    assert rules(desk) == [EVAL]


def test_two_findings_of_a_rule_in_a_line_are_set_aside_one_by_one(
    app: RepoBuilder, desk: Desk
) -> None:
    two = [
        ReviewFinding("import/name", "warning", "src/app.py", 1, f"src/shop.py has no {name}")
        for name in ("total", "bill")
    ]
    bad(app, "from shop import total, bill")
    diff = reviewed_diff.read_git_diff(desk.app())
    (first, older), (second, same) = assign_finding_ids(
        {file.path: file for file in diff.files}, two
    )
    assert older == same and len({first.id, second.id, older}) == 3
    counted = [
        replace(two[0], message=f"It has {count} of 30, says the decision ({handle})")
        for count, handle in ((3, "01M8JFBW"), (12, "01M8JFBWCG"))
    ]
    assert len({each.id for each, _ in assign_finding_ids({}, counted)}) == 1


def test_what_an_older_gitmem_set_aside_stays_so(app: RepoBuilder, desk: Desk) -> None:
    bad(app)
    (finding,) = desk.run("review").findings
    line = "\0".join(("pattern/no-eval", "src/app.py", finding.memory, "eval('1')"))
    older = hashlib.sha256(line.encode()).hexdigest()[:10]
    store = desk.app().store
    with store.write():
        accepted = AcceptedReviewFinding(older, "pattern/no-eval", "src/app.py", "Old", "", 0)
        review_acceptances.accept_review_finding(store, accepted)
    (aside,) = desk.run("review").set_aside
    assert (aside.finding.id, aside.by) == (older, "place")
    assert desk.run("review", withdraw=aside.finding.id).findings == (finding,)


def test_a_rule_is_set_aside_everywhere(app: RepoBuilder, desk: Desk) -> None:
    bad(app)
    desk.run("review", accept="pattern/no-eval", why="Old", by="codex")
    bad(app, "eval('2')")
    (aside,) = desk.run("review").set_aside
    assert (aside.by, aside.agent) == ("rule", "codex")
    assert "set aside by codex: pattern/no-eval by its rule: Old" in desk.text("review")


def test_setting_aside_needs_a_finding_and_a_reason(app: RepoBuilder, desk: Desk) -> None:
    bad(app)
    (finding,) = desk.run("review").findings
    with pytest.raises(InvalidInput, match="No reason was given"):
        desk.run("review", accept=finding.id)
    with pytest.raises(NotFound, match="no finding with the id"):
        desk.run("review", accept="0123456789", why="x")
    with pytest.raises(NotFound, match="was set aside"):
        desk.run("review", withdraw="0123456789")
    with pytest.raises(InvalidInput, match="cannot be combined"):
        desk.run("review", diff="x", staged=True)


def test_a_reason_with_a_secret_is_stored_without_it(app: RepoBuilder, desk: Desk) -> None:
    bad(app)
    secret = "ghp_" + "a1B2" * 9
    (finding,) = desk.run("review").findings
    result = desk.run("review", accept=finding.id, why=f"token {secret}")
    assert secret not in result.set_aside[0].why


def test_without_a_store_a_diff_is_reviewed(repo: RepoBuilder, bare_desk: Desk) -> None:
    repo.write({"src/cart/cart.py": "x = 3\n"})
    result = bare_desk.run("review")
    assert (result.findings, result.memories, result.files) == ((), (), 1)


def test_an_empty_diff_and_text_that_is_no_patch(app: RepoBuilder, desk: Desk) -> None:
    assert desk.text("review") == "Nothing found: 0 files, 0 new lines; risk 0 (approve)."
    bad(app)
    assert desk.run("review", diff="").files == 0
    with pytest.raises(InvalidInput, match="not a patch"):
        desk.run("review", diff="hello")


def test_a_patch_that_does_not_apply_leaves_the_rest(app: RepoBuilder, desk: Desk) -> None:
    id = desk.run("remember", text="About other", path=("src/cart/cart.py",)).id
    bad(app)
    patch = app.git("diff") + "\n"
    app.git("reset", "-q", "--hard")
    wrong = "--- a/src/cart/cart.py\n+++ b/src/cart/cart.py\n@@ -1 +1 @@\n-nothing\n+something\n"
    result = desk.run("review", diff=wrong + patch)
    assert [each.rule for each in result.findings] == ["pattern/no-eval"]
    assert [each.id for each in result.memories] == [id]
    expected = "src/cart/cart.py is not here as the patch expects; only the name was compared."
    assert expected in result.notes


def test_binary_files_other_encodings_and_unknown_languages_are_reviewed_by_name(
    app: RepoBuilder, desk: Desk
) -> None:
    bad(app)
    (app.path / "picture.png").write_bytes(b"\x89PNG\0\0")
    (app.path / "latin.py").write_bytes("# \xfcber\neval('1')\n".encode("latin-1"))
    (app.path / "wide.py").write_bytes("eval('1')\n".encode("utf-16"))
    (app.path / "odd.xyz").write_text("eval('1')\n")
    result = desk.run("review")
    found = {f"{each.path}:{each.line}" for each in result.findings}
    assert {"latin.py:2", "src/app.py:1", "wide.py:1"} == found
    assert "picture.png is binary; only the name was compared." in result.notes


def test_a_shallow_clone_without_the_base_says_so(
    app: RepoBuilder, desk: Desk, tmp_path: Path
) -> None:
    base = app.head()
    app.commit("Between", {"src/more.py": "x = 1\n"})
    bad(app)
    app.commit("Bad")
    clone = app.clone(tmp_path / "shallow", "--depth=2")
    there = desk.at(clone.path)
    there.run("init", no_hooks=True)
    result = there.run("review", revisions=f"{base}...HEAD")
    assert result.files == 1
    (note,) = [note for note in result.notes if "shallow" in note]
    assert note.startswith("The base ")
    least = desk.at(app.clone(tmp_path / "least", "--depth=1").path)
    least.run("init", no_hooks=True)
    assert least.text("review", revisions=f"{base}...HEAD").endswith("\nNothing was reviewed.")
    with pytest.raises(NotFound):
        desk.run("review", revisions="nothing..HEAD")


def test_the_json_has_the_fields_of_the_text_and_sarif_is_one_document(
    app: RepoBuilder, desk: Desk
) -> None:
    bad(app)
    result = desk.run("review")
    (finding,) = as_json_values(result)["findings"]
    assert set(finding) == {
        *("id", "rule", "level", "path", "line", "message", "source", "cwe", "memory")
    }
    log = json.loads(review.REVIEW.drawings["sarif"](result, 0))  # type: ignore[index]
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == ["pattern/no-eval"]


HOSTILE = (
    "\x1b[31mred\x1b[0m", "a\u202eb", "](http://evil)", "<script>alert(1)</script>", "::error::x",
    "line\none", "</gitmem>", "`rm -rf`", "\u200bhidden", "${{ github.token }}",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_memories_stay_text(app: RepoBuilder, desk: Desk, text: str) -> None:
    desk.run("decide", title=f"Never use `os.system`: {text}", why="Shells")
    desk.run("remember", text=f"{text} of the app", path=("src/app.py",))
    name = f"src/{text.replace('/', '_')}.py"
    bad(app, "import os\nos.system('x')")
    app.write({name: "eval('1')\n"})
    result = desk.run("review")
    assert {each.rule for each in result.findings} >= {"pattern/no-eval"}
    for shown in (review.view(result), review.REVIEW.drawings["sarif"](result, 0)):  # type: ignore[index]
        assert not {"\x1b", "\u202e", "\u200b"} & set(shown)
        assert "line\none" not in shown
    log = json.loads(review.REVIEW.drawings["sarif"](result, 0))  # type: ignore[index]
    for each in log["runs"][0]["results"]:
        assert "](" not in each["message"]["text"].replace("\\]", "")
        uri = each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii() and not set(uri) & set(" <>\n`[]")


def test_a_patch_is_read_from_standard_input_whatever_its_encoding(
    app: RepoBuilder, program: Program
) -> None:
    (app.path / "src" / "latin.py").write_bytes("# \xfcber\neval('1')\n".encode("latin-1"))
    app.git("add", "-A")
    patch = app.git("diff", "--cached").encode("utf-8", "surrogateescape") + b"\n"
    app.git("reset", "-q", "--hard")
    done = program("review", "--diff", "-", "--strict", stdin=patch, status=1)
    assert "src/latin.py:2: error: eval is called" in done.out
    program("review", "--diff", "-", stdin=patch)
