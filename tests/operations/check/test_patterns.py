"""Patterns as verbs: stated, learned, listed, shown, and held against code (CF-24..27, ML-36)."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound, NotInitialized
from gitmem.operations import load_operation
from gitmem.operations.registry import as_json_values
from gitmem.patterns import validation
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET, leaked

SAID = "Use `logger` instead of `print`."
RULE = json.dumps({"check": "call", "names": ["print"], "instead": "logger"})
CODE = {"src/app.py": "def run():\n    print('a')\n    # print\n    return 'print()'\n"}


def keep(desk: Desk, text: str = SAID, kind: str = "convention", **more: Any) -> str:
    return str(desk.run("remember", text=text, kind=kind, **more).id)


def states(desk: Desk) -> dict[str, str]:
    return {pattern.name: pattern.state for pattern in desk.run("pattern list").patterns}


def lines(desk: Desk, *target: str, **more: Any) -> list[str]:
    found = desk.run("pattern validate", target=target, **more).findings
    return [f"{item.path}:{item.line} {item.pattern}" for item in found]


def learned(desk: Desk, **more: Any) -> dict[str, str]:
    return {pattern.name: pattern.action for pattern in desk.run("pattern learn", **more).patterns}


def test_a_convention_of_a_person_is_checked_at_once(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    id = keep(desk, path=("src/app.py",))
    desk.clock.advance(3 * DAY)
    (found,) = desk.run("pattern validate").findings
    assert (found.path, found.line, found.pattern) == ("src/app.py", 2, "no-print")
    assert (found.memory, found.age, found.freshness) == (id, "3 days", "fresh")
    assert (found.severity, found.instead, found.trust) == ("error", "logger", "person")
    text = desk.text("pattern validate")
    assert "src/app.py:2: error: print is called; use logger  (no-print)" in text
    assert f"{SAID}  [3 days old, fresh]" in text
    (repo.path / "src/app.py").write_text("print(1)\n")
    assert desk.run("pattern validate").findings[0].freshness == "changed"


def test_newer_words_of_an_agent_do_not_hide_a_rule_in_force(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    keep(desk)
    desk.clock.advance(9 * DAY)
    keep(desk, "Never call `print()`.", by="codex", path=("src/app.py",))
    (found,) = desk.run("pattern list", file="src/app.py").patterns
    assert (found.name, found.state) == ("no-print", "active")
    assert lines(desk) == ["src/app.py:2 no-print"]


def test_it_ends_with_the_convention(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    id = keep(desk)
    assert lines(desk) == ["src/app.py:2 no-print"]
    desk.run("forget", id=(id,))
    assert lines(desk) == []
    assert desk.text("pattern validate").startswith("No pattern is checked here yet")


def test_the_exit_status_tells_of_errors_not_of_warnings(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    operation = load_operation("pattern validate")
    id = keep(desk, "Avoid `print`.")
    found = desk.run("pattern validate")
    assert (found.total, found.errors, operation.count_failures(found)) == (1, 0, 0)
    desk.run("forget", id=(id,))
    keep(desk)
    assert operation.count_failures(desk.run("pattern validate")) == 1


def test_what_an_agent_says_waits_for_a_person(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    keep(desk, by="codex")
    assert states(desk) == {"no-print": "waiting"} and lines(desk) == []
    with pytest.raises(Conflict, match="no person here has accepted"):
        desk.run("pattern validate", pattern=("no-print",))
    # Pinned by an agent it waits all the same.
    (result,) = desk.run("pattern list").patterns
    desk.run("pin", id=(result.id,), by="codex")
    assert lines(desk) == []
    desk.run("trust", id=(result.id,))
    assert lines(desk) == ["src/app.py:2 no-print"]


def test_a_pattern_of_a_sub_project_is_for_its_folder(desk: Desk, repo: RepoBuilder) -> None:
    files = {f"packages/{name}/a.py": "print(1)\n" for name in ("web", "api")}
    repo.commit("Parts", files | {".gitmem.toml": '[project]\npaths = "packages/web"\n'})
    keep(desk, place=repo.path / "packages/web")
    assert lines(desk) == ["packages/web/a.py:1 no-print"]
    keep(desk, "Never call `print`.")
    assert lines(desk, "packages/api") == ["packages/api/a.py:1 no-print"]


def test_what_a_file_of_the_repository_says_is_no_rule(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE | {"CONTRIBUTING.md": "# Conventions\n\n- Never use `print`.\n"})
    desk.run("import-docs", path=("CONTRIBUTING.md",))
    kinds = {memory.kind for memory in desk.run("list").memories}
    assert lines(desk) == [] and "active" not in states(desk).values(), kinds


def test_what_an_agent_teaches_goes_into_the_inbox(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    assert learned(desk, text=SAID, rule=RULE, by="codex") == {"no-print": "proposed"}
    assert states(desk) == {"no-print": "waiting"} and lines(desk) == []
    (waits,) = desk.run("inbox").items
    assert waits.reason == "codex suggests this pattern"
    with pytest.raises(Conflict, match="only a person can accept"):
        desk.run("inbox", action="accept", id=(waits.id,), by="codex")
    assert lines(desk) == []
    desk.run("inbox", action="accept", id=(waits.id,))
    assert lines(desk) == ["src/app.py:2 no-print"]
    with pytest.raises(Conflict, match="A person made the pattern"):
        desk.run("pattern learn", name="no-print", anti_example=("print(2)",), by="codex")


def test_a_person_states_what_only_waited(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    learned(desk, text=SAID, rule=RULE, by="codex")
    assert learned(desk, name="no-print", example=("logger(1)",)) == {"no-print": "updated"}
    assert states(desk) == {"no-print": "waiting"}
    assert learned(desk, text=SAID, rule=RULE) == {"no-print": "added"}
    assert lines(desk) == ["src/app.py:2 no-print"]
    assert lines(desk, pattern=("no-print",)) == ["src/app.py:2 no-print"]
    assert learned(desk, text=SAID, rule=RULE) == {"no-print": "unchanged"}


def test_a_decision_becomes_a_proposal_and_a_rule_when_accepted(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.commit("App", CODE)
    id = str(desk.run("decide", title="One log", why=SAID).id)
    assert lines(desk) == []
    assert learned(desk, source=("memories",), dry_run=True) == {"no-print": "found"}
    assert desk.run("inbox").items == ()
    assert learned(desk, source=("memories",)) == {"no-print": "proposed"}
    assert learned(desk, source=("memories",)) == {"no-print": "known"}
    (waits,) = desk.run("inbox").items
    assert id in waits.reason
    desk.run("inbox", action="accept", id=(waits.id,))
    (found,) = desk.run("pattern validate").findings
    assert (found.pattern, found.memory, found.title) == ("no-print", id, "One log")
    # It outlives the decision, and then is shown as itself.
    desk.run("forget", id=(id,))
    (found,) = desk.run("pattern validate").findings
    assert (found.memory, found.title) == (waits.memory, SAID)
    desk.run("restore", id=(id,))
    # What was rejected is never proposed again.
    desk.run("inbox", action="undo", id=(waits.id,))
    desk.run("inbox", action="reject", id=(waits.id,))
    assert lines(desk) == []
    assert learned(desk, source=("memories",)) == {"no-print": "known"}


def test_what_commits_repeat_is_proposed_with_its_lines(desk: Desk, repo: RepoBuilder) -> None:
    for number in range(3):
        repo.commit("Report", {f"src/f{number}.py": f"import log\n\nprint('{number}')\n"})
        repo.commit("Log it", {f"src/f{number}.py": f"import log\n\nlog.info('{number}')\n"})
    assert learned(desk, source=("commits",)) == {"no-print": "proposed"}
    shown = desk.run("pattern show", name="no-print")
    assert shown.examples == ("log.info('2')",) and shown.anti_examples == ("print('2')",)
    assert len(shown.commits) == 3 and shown.pattern.origin == "commits"
    assert "3 commits replace print by log.info" in desk.run("inbox").items[0].reason
    text = desk.text("pattern show", name="no-print")
    assert "Not like this:\n    print('2')" in text
    # Where the code still does it everywhere, it is no convention.
    desk.run("inbox", action="reject", id=(desk.run("inbox").items[0].id,))
    repo.commit("Old", {"src/old.py": "print(1)\n" * 7})
    assert learned(desk, source=("commits",)) == {}


def test_no_secret_of_a_replaced_line_is_kept(desk: Desk, repo: RepoBuilder) -> None:
    for number in range(3):
        repo.commit("Ask", {f"src/f{number}.py": f"ask('{SECRET}')\n"})
        repo.commit("Post", {f"src/f{number}.py": f"post('{SECRET}')\n"})
    assert learned(desk, source=("commits",)) == {"no-ask": "proposed"}
    assert desk.run("pattern show", name="no-ask").examples[0].startswith("post(")
    assert not any(leaked(file.read_bytes()) for file in (repo.path / ".gitmem").glob("memory*"))


def test_what_the_code_keeps_is_proposed(desk: Desk, repo: RepoBuilder) -> None:
    text = "".join(f"def part_{number}_of(): return 1\n" for number in range(45))
    repo.commit("Parts", {"src/parts.py": text})
    assert learned(desk) == {"python-function-names-snake-case": "proposed"}
    assert "45 of 45 places" in desk.run("inbox").items[0].reason
    assert desk.text("pattern learn", source=("commits",)).startswith("Nothing repeats")


def test_only_lines_of_a_diff_or_a_range(desk: Desk, repo: RepoBuilder) -> None:
    first = repo.commit("App", CODE)
    repo.commit("More", {"src/more.py": "x = 1\nprint(x)\n"})
    keep(desk)
    assert lines(desk) == ["src/app.py:2 no-print", "src/more.py:2 no-print"]
    assert lines(desk, "src/app.py") == ["src/app.py:2 no-print"]
    assert lines(desk, "src") == lines(desk)
    assert lines(desk, f"{first}..HEAD") == ["src/more.py:2 no-print"]
    assert lines(desk, f"{first}..HEAD", "src/app.py") == []
    # A folder whose name only begins so is another one.
    repo.commit("Far", {"src/app/near.py": "print(1)\n", "src/application/far.py": "print(1)\n"})
    assert lines(desk, "HEAD~1..HEAD", "src/app") == ["src/app/near.py:1 no-print"]
    repo.git("reset", "-q", "--hard", "HEAD~1")
    # In a file that was renamed too, and of what stands around an added line nothing.
    repo.git("mv", "src/app.py", "src/main.py")
    longer = CODE["src/app.py"].replace("    print(", "    x = 1\n    print(") + "print(9)\n"
    second = repo.commit("Rename it", {"src/main.py": longer})
    assert lines(desk, f"{second}~1..{second}") == ["src/main.py:6 no-print"]
    repo.git("revert", "--no-edit", second)
    assert lines(desk, diff=True) == []
    (repo.path / "src/app.py").write_text(CODE["src/app.py"] + "print(9)\n")
    (repo.path / "src/new.py").write_text("print(1)\n")
    assert lines(desk, diff=True) == ["src/app.py:5 no-print", "src/new.py:1 no-print"]
    assert lines(desk, staged=True) == []
    repo.git("add", "src/app.py")
    (repo.path / "src/app.py").write_text("")
    assert lines(desk, staged=True) == ["src/app.py:5 no-print"]


def test_a_rule_has_to_tell_its_examples_apart(desk: Desk) -> None:
    message: dict[str, Any] = {"text": SAID, "rule": RULE, "language": "py"}
    with pytest.raises(InvalidInput, match="does not find the anti-example"):
        desk.run("pattern learn", anti_example=("printer()",), **message)
    with pytest.raises(InvalidInput, match="forbids its own example"):
        desk.run("pattern learn", example=("x = print", "print(1)"), **message)
    assert learned(desk, example=("logger(1)",), anti_example=("print(1)",), **message) == {
        "no-print": "added"
    }
    # More of them, later; the pattern keeps its rule and its history.
    assert learned(desk, name="no-print", anti_example=("print(2)",)) == {"no-print": "updated"}
    shown = desk.run("pattern show", name="no-print")
    assert shown.anti_examples == ("print(1)", "print(2)")
    assert shown.rule == json.loads(RULE) | {"languages": ["python"]}
    with pytest.raises(InvalidInput, match="does not find"):
        desk.run("pattern learn", name="no-print", anti_example=("nothing()",))
    assert len(desk.run("history", id=shown.pattern.id).versions) > 0


def test_built_in_patterns_are_adopted_by_topic(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", {"src/a.py": "try:\n    a()\nexcept E:\n    pass\n"})
    assert lines(desk) == []
    assert learned(desk, built_in="errors") == {
        "no-empty-handler": "added",
        "no-console-log-in-handler": "added",
    }
    assert lines(desk) == ["src/a.py:3 no-empty-handler"]
    assert learned(desk, built_in="no-require", by="codex") == {"no-require": "proposed"}
    with pytest.raises(NotFound, match="There is no built-in pattern"):
        desk.run("pattern learn", built_in="nonsense")


def test_patterns_are_ranked_for_a_file(desk: Desk) -> None:
    keep(desk, "Never call `eval()`.", path=("src/cart/cart.py",))
    keep(desk, "In Rust never call `.unwrap()`.")
    keep(desk, "Write short sentences.")
    found = desk.run("pattern list", file="src/cart/cart.py").patterns
    assert [item.name for item in found] == ["no-eval", "no-unwrap", "write-short-sentences"]
    assert [item.state for item in found] == ["active", "active", "advice"]
    # 0.2 for its age, 0.3 for the path, 0.3 for the language of its file
    assert found[0].rank == pytest.approx(0.8)
    assert desk.run("pattern list", language="rust").patterns[0].name == "no-unwrap"
    assert desk.run("pattern list", limit=1, active=True).total == 2
    assert found[0].confidence == pytest.approx(0.7)
    text = desk.text("pattern list")
    assert "[advice]" in text and "never call eval()" in text


def test_what_fits_a_file_comes_before_what_is_checked(desk: Desk) -> None:
    """CF-25: the rank alone orders patterns for a file or language; else rules come first."""
    keep(desk, "Never call `eval()`.")
    keep(desk, "Total prices in one place.", path=("src/cart/cart.py",))
    rule_first = ["no-eval", "total-prices-in-one-place"]
    assert [pattern.name for pattern in desk.run("pattern list").patterns] == rule_first
    for query in ({"file": "src/cart/cart.py"}, {"language": "python"}):
        assert [
            pattern.name for pattern in desk.run("pattern list", **query).patterns
        ] == rule_first[::-1]


def test_advice_is_kept_and_stated_to_be_unchecked(desk: Desk) -> None:
    text = desk.text("pattern learn", text="Write short sentences.")
    assert "advice only" in text
    with pytest.raises(Conflict, match="it has no rule"):
        desk.run("pattern validate", pattern=("write-short-sentences",))


def test_nothing_is_learned_from_what_waits(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    old = str(desk.run("decide", title="One log", why="So it is").id)
    desk.run("decide", title="Another log", why=SAID, supersedes=old, by="codex")
    assert learned(desk, source=("memories",), dry_run=True) == {}


def test_bad_input_is_refused_with_a_sentence(desk: Desk, repo: RepoBuilder) -> None:
    cases: tuple[tuple[str, dict[str, Any], type[GitmemError]], ...] = (
        ("learn", {"text": SAID, "rule": "{"}, InvalidInput),
        ("learn", {"text": SAID, "rule": '{"check": "shell"}'}, InvalidInput),
        ("learn", {"text": SAID, "name": "No Print"}, InvalidInput),
        ("learn", {"text": SAID, "language": "klingon"}, InvalidInput),
        ("learn", {"name": "unknown"}, InvalidInput),
        ("learn", {"example": ("a",)}, InvalidInput),
        ("learn", {"text": SAID, "example": ("x" * 2001,)}, InvalidInput),
        ("learn", {"text": SAID, "example": tuple(map(str, range(11)))}, InvalidInput),
        ("list", {"language": "klingon"}, InvalidInput),
        ("show", {"name": "no-prin"}, NotFound),
        ("validate", {"target": ("src/missing.py",)}, NotFound),
        ("validate", {"target": ("nowhere..HEAD",)}, NotFound),
        ("validate", {"target": ("../..",)}, InvalidInput),
        ("validate", {"pattern": ("missing",)}, NotFound),
    )
    keep(desk)
    for verb, values, error in cases:
        with pytest.raises(error) as refused:
            desk.run(f"pattern {verb}", **values)
        assert refused.value.message and refused.value.hint, values
    with pytest.raises(NotFound) as close:
        desk.run("pattern show", name="no-prin")
    assert close.value.hint == "Did you mean no-print?"
    assert states(desk) == {"no-print": "active"}


def test_a_rule_that_cannot_be_read_is_advice(desk: Desk) -> None:
    """Such as one of a newer gitmem, or one that a foreign hand wrote."""
    facts = json.dumps({"pattern": {"name": "odd", "rule": {"check": "telepathy"}}})
    keep(desk, "Odd.", metadata=facts)
    assert states(desk) == {"odd": "advice"}


def test_a_pattern_of_all_projects_is_checked_here_too(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    keep(desk, scope="global")
    assert lines(desk) == ["src/app.py:2 no-print"]


def test_a_pattern_that_takes_too_long_is_left_out_and_named(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("App", CODE | {"src/more.py": "print(1)\n"})
    keep(desk)
    monkeypatch.setattr(validation, "MOST_SECONDS", 0.0)
    found = desk.run("pattern validate")
    assert [finding.path for finding in found.findings] == ["src/app.py"]
    assert found.skipped == ("no-print",)
    assert "Left out, since it took too long: no-print." in desk.text("pattern validate")


def test_code_that_stands_nowhere(desk: Desk) -> None:
    keep(desk)
    keep(desk, "In TypeScript never use the `any` type.")
    for code, language, expected in (
        ("print(1)", "", ["no-print"]),
        ("let a: any = 1", "", ["no-any"]),
        ("let a: any = print(1)", "ts", ["no-any", "no-print"]),
        ("x = 1", "", []),
        ("))((", "", []),
    ):
        found = desk.run("pattern validate", code=code, language=language).findings
        assert sorted(item.pattern for item in found) == expected, code


def test_reading_writes_nothing(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    keep(desk)
    folder = repo.path / ".gitmem"
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert lines(desk) == ["src/app.py:2 no-print"]
        assert states(desk) == {"no-print": "active"}
    finally:
        folder.chmod(stat.S_IRWXU)
    assert before.keys() >= {folder / "memory.db"}


def test_results_are_plain_values(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("App", CODE)
    keep(desk)
    for verb, values in (
        ("list", {}),
        ("show", {"name": "no-print"}),
        ("validate", {}),
        ("learn", {"dry_run": True}),
    ):
        json.dumps(as_json_values(desk.run(f"pattern {verb}", **values)))


def test_outside_of_a_project(tmp_path: Path, repo: RepoBuilder) -> None:
    bare = Desk(repo.path, tmp_path / "home")
    with pytest.raises((NotInitialized, NotFound)):
        bare.run("pattern validate")
