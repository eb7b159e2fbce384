"""What new commits state becomes proposals: beside the drain, once, and never too many."""

from __future__ import annotations

import pytest

from gitmem.background import follow
from gitmem.capture import commit_capture
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

TRAILER = "Add the till\n\nDecision: Tills are in memory\nWhy: They are short-lived"


def looked(desk: Desk) -> int:
    app = desk.app()
    try:
        return commit_capture.propose_decisions_from_commits(app)
    finally:
        app.close()


def waiting(desk: Desk) -> list[str]:
    return [item.title for item in desk.run("inbox").items]


def test_a_trailer_becomes_a_proposal_with_where_it_stands(desk: Desk, repo: RepoBuilder) -> None:
    """CT-23."""
    sha = repo.commit(TRAILER, {"till.py": "x = 1\n"}, author="Grace <g@example.org>")
    assert looked(desk) == 1
    (result,) = desk.run("inbox").items
    assert (result.title, result.content, result.confidence) == (
        "Tills are in memory",
        "They are short-lived",
        0.95,
    )
    assert result.reason == f"trailer in {sha[:10]}: Add the till"
    memory = desk.run("show", id=result.memory).memory
    assert (memory.commit, memory.paths, memory.tags) == (sha, ("till.py",), ())
    assert looked(desk) == 0
    # A commit of many files is about none of them.
    desk.clock.advance(1_000)
    many = {f"src/m{number}.py": "x = 1\n" for number in range(6)}
    repo.commit("Move\n\nDecision: Modules are small\nWhy: They are read", many)
    assert looked(desk) == 1
    (_, two) = desk.run("inbox").items
    assert desk.run("show", id=two.memory).memory.paths == ()


def test_a_trailer_retires_no_decision_of_a_persons_by_being_accepted(
    desk: Desk, repo: RepoBuilder
) -> None:
    """Named by title or by id, alone, among thousands, or in several lines."""
    titles = ("Tills are in part", "Shelves are wooden", "Baskets have wheels")
    mine = [desk.run("decide", title=title).id for title in titles]
    subjects = ("Receipts are printed", "Prices are rounded", "Coupons expire", "Doors slide")
    for number, lines in enumerate(
        (
            "Supersedes: tills are in part",
            f"Supersedes: {', '.join(mine)}",
            "".join(f"Supersedes: {id}\n" for id in mine),
            f"Supersedes: {mine[0]}\n" + "Supersedes: 01ZZ\n" * 7_000,
        )
    ):
        repo.commit(f"Work\n\nDecision: {subjects[number]}\n{lines}")
        assert looked(desk) == 1
        (result,) = desk.run("inbox").items
        saved = [change.id for change in result.changes if change.action == "keep"]
        assert sorted(saved) == sorted(mine[:1] if number in (0, 3) else mine)
        desk.run("inbox", action="accept", id=(result.id,))
        assert {desk.run("show", id=id).memory.state for id in mine} == {"active"}


def test_what_was_captured_is_attributed_to_no_person(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit(TRAILER, {"till.py": "x = 1\n"}, author="Grace <g@example.org>")
    looked(desk)
    (result,) = desk.run("inbox").items
    text = desk.text("show", id=result.memory)
    assert "said by  nobody here, captured from a commit by Grace (system_auto)" in text
    desk.run("import-docs", path=("README.md",))
    document = next(
        memory.id for memory in desk.run("list").memories if memory.title == "README.md"
    )
    assert "said by  nobody here, read from a file" in desk.text("show", id=document)
    theirs = desk.run("remember", text="Redis").id
    assert "said by  person (user_explicit)" in desk.text("show", id=theirs)
    desk.run("trust", id=(theirs,), tier="foreign")
    assert "said by  person, as it says itself" in desk.text("show", id=theirs)


def test_of_a_subject_without_end_the_beginning_is_quoted(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit(f"Add {'x' * 50_000}\n\nDecision: Tills are in memory")
    assert looked(desk) == 1
    (result,) = desk.run("inbox").items
    assert len(result.reason) < 200


def test_a_full_inbox_neither_drops_nor_stalls_what_commits_state(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.capture.proposals.MOST_WAITING", 1)
    repo.commit("Remove the retry middleware")
    assert looked(desk) == 1
    repo.commit(TRAILER, {"till.py": "x = 1\n"})
    repo.commit("Add carts\n\nDecision: Carts are in Redis")
    assert looked(desk) == 2
    assert waiting(desk) == ["Tills are in memory"]
    for title in ("Carts are in Redis", "Remove the retry middleware"):
        desk.run("inbox", action="reject", id=(desk.run("inbox").items[0].id,))
        assert waiting(desk) == [title]


def test_the_drain_does_it_after_a_commit(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit(TRAILER, {"till.py": "x = 1\n"})
    app = desk.app()
    follow.process_hook_events(app)
    app.close()
    assert waiting(desk) == ["Tills are in memory"]


def test_hooks_that_are_off_capture_nothing(desk: Desk, repo: RepoBuilder) -> None:
    repo.env["GITMEM_HOOKS"] = "0"  # for the hook that git runs
    repo.commit(TRAILER)
    desk.env["GITMEM_HOOKS_ENABLED"] = "0"
    app = desk.app()
    follow.process_hook_events(app)
    app.close()
    assert waiting(desk) == []
    desk.env["GITMEM_HOOKS_ENABLED"] = "1"
    desk.env["GITMEM_CAPTURE_EVERY"] = "0"
    assert looked(desk) == 0


def test_a_rejected_one_stays_away_after_a_rebase_and_a_new_index(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.commit(TRAILER)
    looked(desk)
    desk.run("inbox", action="reject", id=(desk.run("inbox").items[0].id,))
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "Add a till\n\n" + TRAILER[14:])
    desk.run("index", full=True)
    assert looked(desk) == 0
    repo.commit("Again\n\n" + TRAILER[14:])
    assert looked(desk) == 0
    assert waiting(desk) == []


def test_guesses_are_one_for_each_so_many_commits(desk: Desk, repo: RepoBuilder) -> None:
    """Where a person sets that; by default there is no such budget."""
    desk.env["GITMEM_CAPTURE_EVERY"] = "5"
    made = []
    for number in range(11):
        repo.commit(f"Replace part {number} with piece {number}")
        made.append(looked(desk))
    assert [at for at, item in enumerate(made) if item] == [0, 5, 10]


def test_of_many_commits_at_once_the_surest_guesses_are_taken(
    desk: Desk, repo: RepoBuilder
) -> None:
    desk.env["GITMEM_CAPTURE_EVERY"] = "5"
    looked(desk)
    repo.commit("Remove the retry middleware")
    repo.commit("Work")
    repo.commit("Use orjson instead of json")
    assert looked(desk) == 1
    assert waiting(desk) == ["Use orjson instead of json"]
    for number in range(6):
        repo.commit(f"Replace part {number} with piece {number}")
    assert looked(desk) == 1


def test_every_commit_that_is_worded_like_a_decision_is_proposed_the_surest_first(
    desk: Desk, repo: RepoBuilder
) -> None:
    """ML-34: ranked, not rationed, and with the areas that it names."""
    for subject in ("Remove the retry middleware", "Switch to uv", "build: switch to uv",
                    "Work", "Use hatchling instead of setuptools", "Replace moment with date-fns",
                    "Switch from flake8 to ruff"):  # fmt: skip
        repo.commit(subject)
    assert looked(desk) == 5
    first, *switches, last = waiting(desk)
    assert (first, last) == ("Use hatchling instead of setuptools", "Remove the retry middleware")
    assert set(switches) == {
        "Switch to uv",
        "Replace moment with date-fns",
        "Switch from flake8 to ruff",
    }
    surest = desk.run("inbox").items[0]
    assert desk.run("show", id=surest.memory).memory.tags == ("dependencies",)
    repo.commit("Use orjson instead of json\n\nIt halves the latency.")
    assert looked(desk) == 1
    tags = {item.title: desk.run("show", id=item.memory).memory.tags for item in
            desk.run("inbox").items}  # fmt: skip
    assert tags["Use orjson instead of json"] == ("performance",)


def test_a_note_in_code_is_proposed_if_it_says_that_something_is_meant(
    desk: Desk, repo: RepoBuilder
) -> None:
    """ML-34."""
    code = "x = 1\n# NOTE: x is a number\n# IMPORTANT: never write x to the log\n"
    repo.commit("Work", {"till.py": code, "tests/test_till.py": code.replace("x", "y")})
    assert looked(desk) == 1
    (result,) = desk.run("inbox").items
    assert (result.title, result.reason) == (
        "never write x to the log",
        "IMPORTANT comment in till.py:3",
    )


def test_what_is_not_used_is_not_saved_up(desk: Desk, repo: RepoBuilder) -> None:
    desk.env["GITMEM_CAPTURE_EVERY"] = "5"
    for number in range(12):
        repo.commit(f"Work {number}")
        if number % 4 == 0:
            looked(desk)
    looked(desk)
    for number in range(3):
        repo.commit(f"Replace part {number} with piece {number}")
        looked(desk)
    assert len(waiting(desk)) == 1


def test_statements_are_not_counted_among_the_guesses(desk: Desk, repo: RepoBuilder) -> None:
    for number in range(4):
        repo.commit(f"Work {number}\n\nDecision: Part {number} is a list")
    assert looked(desk) == 4


def test_comments_and_decision_records_of_changed_files(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit(
        "Work",
        {
            "till.py": "x = 1\n# DECISION: Tills are in memory\n",
            "docs/adr/0001-use-carts.md": "# 1. Use carts\n\n## Status\n\nAccepted\n\nThey roll.\n",
            "docs/adr/0002-use-bags.md": "# 2. Use bags\n\nStatus: proposed\n\nThey hold.\n",
            "docs/adr/broken.md": "no heading at all\n",
            ".env": "# DECISION: keep the key here\n",
        },
    )
    assert looked(desk) == 2
    found = {item.title: item for item in desk.run("inbox").items}
    assert set(found) == {"Tills are in memory", "Use carts"}
    assert found["Tills are in memory"].reason == "DECISION comment in till.py:2"
    memory = desk.run("show", id=found["Tills are in memory"].memory).memory
    assert memory.paths == ("till.py:2",)
    assert memory.freshness == "fresh"


def test_what_was_injected_is_not_captured_again(desk: Desk, repo: RepoBuilder) -> None:
    id = desk.run("decide", title="Use SQLite, not a server", why="One file").id
    body = desk.text("show", id=id)
    framed = f"<<<gitmem:abcdefgh12 source=x\nDecision: {body}\ngitmem:abcdefgh12>>>"
    repo.commit(f"Work\n\n{framed}")
    repo.commit("Use SQLite, not a server")
    repo.commit("Work\n\nDecision: use sqlite, not a server")
    assert looked(desk) == 0


def test_a_secret_does_not_reach_the_inbox(desk: Desk, repo: RepoBuilder) -> None:
    token = "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z0Q7r"[:36]
    repo.commit(f"Work\n\nDecision: Deploy with {token}")
    looked(desk)
    assert token not in desk.text("inbox")


def test_a_commit_that_is_gone_and_a_note_that_is_broken_begin_anew(
    desk: Desk, repo: RepoBuilder
) -> None:
    for note in ('{"seen": "' + "1" * 40 + '", "since": 3}', "nonsense", "[]"):
        app = desk.app()
        with app.store.write() as database:
            commit_capture.projects.set_meta(database, commit_capture.NOTE, note)
        app.close()
        repo.commit(f"Work\n\nDecision: Part {note[:4]!r} is a list")
        assert looked(desk) == 1, note


def test_an_empty_repository_states_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("empty")
    repo = RepoBuilder(folder / "repo")
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    assert looked(desk) == 0
