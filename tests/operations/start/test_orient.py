"""Orientation over real repositories: what it tells a first, a quick and a later visitor."""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem import operations
from gitmem.clock import format_iso
from gitmem.errors import NotARepository
from gitmem.operations.registry import as_json_values
from gitmem.text.tokens import estimate_tokens
from tests.support.amounts import examples
from tests.support.apps import DAY, HOUR, SECOND, Desk
from tests.support.repos import RepoBuilder

AGENT = "Agent <agent@example.org>"


def lines(desk: Desk, **values: object) -> list[str]:
    return desk.text("orient", **values).splitlines()


def below_the_clock(desk: Desk, **values: object) -> list[str]:
    output = lines(desk, **values)
    assert output[1].startswith("Now ")
    return [output[0], *output[2:]]


def test_a_title_that_is_a_sentence_leads_to_its_text(desk: Desk) -> None:
    desk.run("skill create", slug="roll-back", instructions="Run it.", description="Go back once.")
    assert "skill] roll-back: Go back once: Run it." in desk.text("orient")


def test_the_json_has_the_promised_shape(desk: Desk) -> None:
    answer = as_json_values(desk.run("orient"))
    assert {
        "project", "branch", "first_session", "gap_seconds", "commits", "memories", "decisions",
        "text", "tokens",
    } <= set(answer)  # fmt: skip
    assert answer["project"] == "github.com/acme/shop"
    assert answer["branch"] == "main"
    assert (answer["first_session"], answer["gap_seconds"]) == (True, None)
    assert answer["tokens"] == estimate_tokens(answer["text"])
    assert json.loads(json.dumps(answer)) == answer


def test_a_first_session_hears_of_the_latest_commits(desk: Desk, repo: RepoBuilder) -> None:
    """CF-28."""
    output = lines(desk)
    assert output[0] == f"shop (github.com/acme/shop) on main @ {repo.head()[:10]}, clean"
    assert output[1] == "Now Sat 2026-11-21 08:03 UTC (+00:00). Your first time here."
    assert "Latest commits:" in output
    assert any("Grace: Add the cart" in line for line in output)
    assert len(desk.run("orient").commits) == 3


def test_a_fresh_repository_is_reported_in_300_tokens_and_without_merges(
    desk: Desk, repo: RepoBuilder
) -> None:
    for number in range(3):
        repo.branch(f"topic-{number}")
        repo.commit(f"Price item {number} by weight, and not by the piece, as the law wants it")
        repo.switch("main")
        repo.merge(f"topic-{number}")
    result = desk.run("orient")
    assert result.tokens <= 300
    assert len(result.commits) == 5
    assert "Merge" not in result.text and "Price item 2" in result.text


def test_an_author_shows_without_address(desk: Desk) -> None:
    assert "@example" not in desk.text("orient")


def test_within_thirty_seconds_one_was_just_here(desk: Desk) -> None:
    desk.run("orient")
    desk.clock.advance(29 * SECOND)
    answer = desk.run("orient")
    assert answer.text.splitlines()[1].endswith("You were just here, 29 seconds ago.")
    assert (answer.just_here, answer.first_session, answer.gap_seconds) == (True, False, 29)
    assert answer.since == format_iso(desk.clock.now() - 29 * SECOND)


def test_after_thirty_seconds_one_returns(desk: Desk) -> None:
    desk.run("orient")
    desk.clock.advance(30 * SECOND)
    answer = desk.run("orient")
    assert not answer.just_here
    assert answer.gap_seconds == 30
    desk.clock.advance(3 * DAY + HOUR)
    text = "You were last here 3 days 1 hour ago. Nothing committed since."
    assert lines(desk)[1].endswith(text)


def test_a_new_worktree_names_the_one_where_the_reader_was(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("orient")
    desk.clock.advance(SECOND)
    second = repo.worktree(desk.place.parent / "second", "topic").path
    output = desk.text("orient", place=second).splitlines()
    assert output[1].endswith(f"You were just in the worktree {repo.path}, 1 second ago.")
    assert "You were on main then." in output
    assert desk.text("orient", place=second).splitlines()[1].endswith("just here, 0 seconds ago.")
    desk.clock.advance(HOUR)
    third = repo.worktree(desk.place.parent / "third", "other").path
    output = desk.text("orient", place=third).splitlines()
    assert f"You were last in the worktree {second} 1 hour ago. Nothing" in output[1]
    assert "You were last here 1 hour ago" in lines(desk)[1]


@pytest.mark.parametrize("how", [shutil.move, shutil.copytree])
def test_a_moved_or_copied_repository_is_no_other_worktree(
    desk: Desk, how: Callable[[Path, Path], object]
) -> None:
    desk.run("orient")
    place = desk.place.parent / "elsewhere"
    how(desk.place, place)
    assert "You were just here, 0" in desk.text("orient", place=place)


def test_the_same_state_gives_the_same_bytes_but_for_the_clock(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380", pin=True)
    desk.run("session note", text="the cart is odd", file=("src/cart/cart.py",))
    desk.run("orient")
    desk.clock.advance(HOUR)
    first = below_the_clock(desk)
    desk.clock.advance(5 * DAY)
    assert below_the_clock(desk) == first
    desk.clock.advance(10 * SECOND)
    assert below_the_clock(desk) == first


def test_a_second_look_within_thirty_seconds_loses_nothing(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("orient")
    desk.clock.advance(HOUR)
    repo.commit("While you were away")
    first = below_the_clock(desk)
    desk.clock.advance(5 * SECOND)
    assert below_the_clock(desk) == first
    assert any("While you were away" in line for line in first)


def test_meanwhile_tells_commits_by_author_merges_and_areas(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("orient")
    desk.clock.advance(DAY)
    repo.branch("feature/pay")
    repo.commit("Pay by card", {"src/pay/card.py": "", "docs/pay.md": ""}, author=AGENT)
    repo.commit("Pay by bank", {"src/pay/bank.py": ""}, author=AGENT)
    repo.switch("main")
    repo.merge("feature/pay")
    repo.commit("Refund (#14)", {"src/pay/refund.py": ""}, author=AGENT)
    answer = desk.run("orient")
    output = answer.text
    assert "Since 2026-11-21 08:03: 4 commits:" in output
    assert re.search(r"- Agent \(3\): Refund \(#14\); Pay by bank; Pay by card", output)
    assert "- merged: #14, feature/pay\n" in output
    assert "- changed areas: src/pay/ (3), docs/ (1)" in output
    assert answer.commits[1].subject.startswith("Merge branch")
    assert set(as_json_values(answer)["commits"][0]) == {"commit", "author", "at", "subject"}


def test_more_commits_than_are_read_are_counted_as_at_least(desk: Desk, repo: RepoBuilder) -> None:
    desk.env["GITMEM_ORIENT_COMMITS"] = "2"
    desk.run("orient")
    desk.clock.advance(DAY)
    for number in range(3):
        repo.commit(f"Step {number}")
    answer = desk.run("orient")
    assert ": 2+ commits" in answer.text
    assert len(answer.commits) == 2


def test_another_branch_than_last_time_is_reported(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("orient")
    desk.clock.advance(DAY)
    repo.branch("feature")
    answer = desk.run("orient")
    assert "You were on main then." in answer.text
    assert answer.branch == "feature"


def test_a_rewritten_head_that_is_gone_falls_back_on_dates(desk: Desk, repo: RepoBuilder) -> None:
    desk.clock.advance(-desk.clock.now() + 1_704_067_200_000 + HOUR)
    desk.run("orient")
    desk.clock.advance(DAY)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    repo.commit("Again, better", {"src/cart/cart.py": "x = 3\n"}, when="2024-01-01T12:00:00Z")
    answer = desk.run("orient")
    assert [commit.subject for commit in answer.commits] == ["Again, better"]


def test_new_changed_and_open_things_are_reported_once_each(desk: Desk) -> None:
    old = desk.run("remember", text="Redis is on 6380").id
    desk.clock.advance(SECOND)
    desk.run("orient")
    desk.clock.advance(DAY)
    desk.run("remember", text="Cart is per user")
    desk.run("revise", id=old, text="Redis is on 6381")
    desk.run("decide", title="Drop Python 3.10", status="proposed")
    desk.run("remember", text="Always squash", kind="convention")
    desk.run("remember", text="Ship on Fridays", pin=True)
    desk.clock.advance(DAY)
    answer = desk.run("orient")
    output = answer.text
    for heading, text in (
        ("New memories:", "Cart is per user"),
        ("Changed memories:", "Redis is on 6381"),
        ("Decisions still open:", "Drop Python 3.10"),
        ("Conventions:", "Always squash"),
        ("Pinned:", "Ship on Fridays"),
    ):
        section = output[output.index(heading) :].split("\n\n")[0]
        assert text in section, (heading, output)
        assert output.count(text) == 1, text
    assert " more new memories" not in output
    assert [decision.title for decision in answer.decisions] == ["Drop Python 3.10"]
    assert {memory.content for memory in answer.memories} == {
        "Cart is per user",
        "Redis is on 6381",
        "Always squash",
        "Ship on Fridays",
    }


def test_new_memories_that_find_no_room_are_counted(desk: Desk) -> None:
    desk.run("orient")
    desk.clock.advance(DAY)
    for number in range(11):
        desk.run("remember", text=f"fact {number}")
    desk.run("remember", text="Ship on Fridays", pin=True)
    assert " 4 more new memories: gitmem list." in desk.text("orient")


def test_the_last_session_is_reported_with_goal_notes_and_active_file(desk: Desk) -> None:
    """ML-2, ML-3."""
    desk.run("session start", goal="Make it fast", by="codex")
    desk.run("session note", text="the cart is slow", file=("src/a.py", "src/b.py"), by="codex")
    desk.run("session end", summary="half done", by="codex")
    output = lines(desk)
    start = output.index("Last worked on:")
    assert output[start + 1 : start + 7] == [
        "- codex on main, ended 2026-11-21 08:03",
        "- goal: Make it fast",
        "- summary: half done",
        "- note: the cart is slow",
        "- active file: src/b.py",
        "- files: src/a.py",
    ]


def test_a_resumed_session_hears_its_questions_its_blocker_and_what_to_do(
    desk: Desk, repo: RepoBuilder
) -> None:
    """ML-28."""
    desk.run("session start", goal="Make it fast", by="codex")
    desk.run("session note", text="Stuck on the lock", file=("src/cart/cart.py",), by="codex")
    for question in ("where is the lock taken", "who calls the cart"):
        desk.clock.advance(SECOND)
        desk.run("context", query=question, by="codex")
    desk.run("decide", title="One lock for all", status="proposed", by="codex")
    repo.write({"src/cart/cart.py": "x = 3\n"})
    desk.clock.advance(DAY)
    output = lines(desk)
    section = output[output.index("Last worked on:") :]
    assert "- asked: who calls the cart; where is the lock taken" in section
    assert "- probable blocker: Stuck on the lock" in section
    steps = "resolve the blocker; review 1 uncommitted file; go on in src/cart/cart.py"
    assert f"- next: {steps}" in section
    for budget in (200, 300, 600):
        assert desk.run("orient", budget=budget).tokens <= budget


def test_uncommitted_files_are_counted_and_named(desk: Desk, repo: RepoBuilder) -> None:
    repo.write({"README.md": "changed", "new file.txt": ""})
    output = lines(desk)
    assert "1 modified" in output[0] and "1 untracked" in output[0]
    assert any(line.startswith("Uncommitted: README.md new file.txt") for line in output)


def test_without_a_store_it_tells_what_git_knows(bare_desk: Desk) -> None:
    answer = bare_desk.run("orient")
    assert "run `gitmem init`" in answer.text
    assert answer.first_session
    assert answer.memories == ()
    assert not bare_desk.store.parent.exists()


def test_an_unborn_branch_a_detached_head_and_a_rebase_are_reported(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.switch("HEAD~1")
    assert "on detached HEAD @" in lines(desk)[0]
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Other cart", {"src/cart/cart.py": "x = 9\n"})
    repo.git("rebase", "main", check=False)
    assert "A rebase is in progress" in desk.text("orient")
    empty = RepoBuilder(repo.path.parent / "empty", home=repo.home)
    assert "main, no commit yet" in Desk(empty.path, desk.home).text("orient")


def test_outside_a_repository_it_is_refused(bare_desk: Desk) -> None:
    with pytest.raises(NotARepository):
        bare_desk.run("orient", place=bare_desk.home)


def test_markdown_has_headings(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380", pin=True)
    output = lines(desk, format="markdown")
    assert "## Pinned" in output
    assert "Pinned:" not in output


def test_explain_tells_what_each_section_cost(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380", pin=True)
    desk.run("remember", text="y" * 300)
    desk.run("orient")
    answer = desk.run("orient", explain=True, budget=400)
    text = desk.text("orient", explain=True, budget=400)
    assert sum(section.tokens for section in answer.sections) <= 400
    assert sum(section.tokens for section in answer.sections) >= answer.tokens
    assert f"Cost: {answer.tokens} tokens" in text
    assert re.search(r"pinned +\d+ tokens +1 shown +0 left out", text)
    assert "Cost:" not in desk.text("orient")


def test_json_format_is_the_same_answer(desk: Desk) -> None:
    desk.run("orient")
    assert desk.run("orient", format="json").text == desk.run("orient", format="text").text


def test_a_clock_that_went_back_makes_no_negative_gap(desk: Desk) -> None:
    desk.run("orient")
    desk.clock.advance(-3 * DAY)
    answer = desk.run("orient")
    assert answer.gap_seconds == 0
    desk.clock.advance(HOUR)
    assert desk.run("orient").gap_seconds == 3600


def test_a_linked_work_tree_is_oriented_on_its_own(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("remember", text="Redis is on 6380")
    desk.run("orient")
    desk.clock.advance(DAY)
    linked = desk.at(repo.worktree(repo.path.parent / "linked", "side").path)
    answer = linked.run("orient")
    assert answer.branch == "side"
    assert not answer.first_session
    assert linked.run("list").total == 1
    desk.clock.advance(HOUR)
    assert linked.run("orient").gap_seconds == 3600
    assert desk.run("orient").gap_seconds == 86400 + 3600


def test_a_time_zone_of_ones_own_is_shown(desk: Desk) -> None:
    desk.env["GITMEM_TIMEZONE"] = "Asia/Tokyo"
    assert lines(desk)[1].startswith("Now Sat 2026-11-21 17:03 Asia/Tokyo (+09:00).")
    desk.env["GITMEM_TIMEZONE"] = ""
    assert re.match(r"Now \w{3} 2026-11-2\d \d\d:\d\d \S+ \([+-]\d\d:\d\d\)\.", lines(desk)[1])


@pytest.mark.parametrize("seconds", ["99999999999999", "253402300800", "0"])
def test_a_commit_from_beyond_the_calendar_breaks_nothing(
    desk: Desk, repo: RepoBuilder, seconds: str
) -> None:
    tree = repo.git("rev-parse", "HEAD^{tree}")
    who = "Ada Lovelace <ada@example.org>"
    raw = f"tree {tree}\nauthor {who} {seconds} +0000\ncommitter {who} {seconds} +0000\n\nOdd\n"
    sha = repo.git(
        "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw.encode()
    )
    repo.git("update-ref", "refs/heads/main", sha)
    assert "Odd" in desk.text("orient")
    assert desk.text("timeline", since="1970-01-02") is not None


HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8", exclude_characters="\x00"),
        st.sampled_from("\n\r\t\x1b\u202e\u2066\u200b\u2028\x85<>#`[]- "),
    ),
    min_size=1,
    max_size=400,
)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("orient") / "repo")
    repo.commit("Start", {"a": ""})
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    desk.run("orient")
    desk.clock.advance(DAY)
    return desk


@settings(
    max_examples=examples(10),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(text=HOSTILE, title=HOSTILE, budget=st.integers(200, 5000), markdown=st.booleans())
def test_no_memory_breaks_its_line_hides_a_character_or_the_budget(
    crowded: Desk, text: str, title: str, budget: int, markdown: bool
) -> None:
    crowded.clock.advance(1)
    try:
        crowded.run("remember", text=text, title=title[:200], pin=True)
    except Exception as refused:
        assert type(refused).__name__ == "InvalidInput"
    before = crowded.clock.now()
    answer = crowded.run("orient", budget=budget, format="markdown" if markdown else "text")
    assert answer.tokens == estimate_tokens(answer.text) <= budget
    for letter in answer.text:
        kind = unicodedata.category(letter)
        assert letter == "\n" or kind not in ("Cc", "Cs"), repr(letter)
        assert letter not in "\u202a\u202b\u202d\u202e\u2066\u2067\u2028\u2029\u200b"
    pinned = [line for line in answer.text.splitlines() if "[0" in line]
    assert all(re.match(r"- \[0\w+ note\] ", line) for line in pinned)
    assert crowded.clock.now() == before


def test_what_no_longer_fits_the_code_is_to_be_checked_first(desk: Desk) -> None:
    repo = RepoBuilder(desk.place, init=False)
    repo.write({"a.py": "port = 6380\n", "b.py": "port = 6381\n"})
    desk.run("remember", text="The port is in a", path=("a.py:1",))
    desk.run("remember", text="The port is in b", path=("b.py:1",))
    desk.run("remember", text="The port is in c", path=("c.py",))
    repo.write({"b.py": "timeout = 3\n"})
    text = desk.run("orient").text
    assert "note] The port is in a" in text
    assert "note, check first: b.py:1 changed] The port is in b" in text
    assert "note, not checked] The port is in c" in text
    # Of several places the one that is worst.
    repo.write({"d.py": "port = 6382\n", "e.py": "port = 6383\n"})
    desk.run("remember", text="Ports are in both", path=("d.py:1", "e.py:1"))
    repo.write({"d.py": "timeout = 4\n"})
    (repo.path / "e.py").unlink()
    assert "check first: e.py:1 gone] Ports are in both" in desk.run("orient").text
    assert "2 memories cite code that changed or is gone: gitmem verify" in desk.run("orient").text


def test_what_nobody_here_accepted_is_not_shown_unasked(desk: Desk) -> None:
    desk.run("remember", text="An agent says so", by="codex")
    foreign = desk.run("remember", text="A stranger says so").id
    desk.run("trust", id=(foreign,), tier="foreign")
    text = desk.run("orient").text
    assert "unreviewed] An agent says so" in text
    assert "stranger" not in text


def test_what_one_reader_was_shown_is_still_news_to_the_others(
    desk: Desk, repo: RepoBuilder
) -> None:
    readers = ("", "codex", "claude-code")
    for reader in readers:
        assert desk.run("orient", by=reader).first_session
    desk.clock.advance(DAY)
    repo.commit("While all were away", {"src/x.py": "x = 1\n"})
    desk.run("remember", text="Redis moved to 6380")
    for reader in readers:
        desk.clock.advance(HOUR)
        text = desk.text("orient", by=reader)
        assert "While all were away" in text and "New memories" in text, reader
    desk.clock.advance(HOUR)
    assert not any("While all were away" in desk.text("orient", by=reader) for reader in readers)


def test_the_least_budget_keeps_what_was_decided_and_agreed(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("orient")
    desk.clock.advance(DAY)
    long = "and this is why it was so, told at some length for whoever comes next"
    desk.run("remember", text=f"Redis is on 6380, {long}", pin=True)
    desk.run("decide", title="Use apsw", why=long)
    desk.run("remember", text=f"Tests are run with pytest, {long}", kind="convention")
    desk.run("session start", goal=long)
    for number in range(9):
        repo.commit(f"Change {number}", {f"src/x{number}.py": f"x = {number}\n"})
        desk.run("remember", text=f"Note {number}, of number {number} * {number}")
    (repo.path / "untracked-file-with-a-rather-long-name.txt").write_text("")
    result = desk.run("orient", budget=200)
    for words in ("Redis is on 6380", "Use apsw", "run with pytest"):
        assert words in result.text
    assert "Change 8" in desk.run("orient", budget=800).text


def test_an_empty_session_that_just_began_hides_no_earlier_one(desk: Desk) -> None:
    desk.run("session start", goal="mend the cart", by="codex")
    desk.run("session end", summary="the cart is mended", by="codex")
    desk.clock.advance(HOUR)
    desk.run("session start")
    assert "the cart is mended" in desk.text("orient")


def test_what_weighs_more_is_reported_first_and_not_left_out(desk: Desk) -> None:
    """CF-15."""
    desk.run("remember", text="Never log keys.", kind="convention", weight=5)
    desk.run("remember", text="An old whim.", kind="convention", weight=1)
    for number in range(9):
        desk.clock.advance(HOUR)
        desk.run("remember", text=f"Rule {number} holds.", kind="convention")
    every = lines(desk)
    output = every[every.index("Conventions:") + 1 :]
    assert "Never log keys" in output[0]
    assert "Rule 8" in output[1]  # of those that weigh the same the newest first
    assert not any("An old whim" in line for line in every)


def test_a_look_at_the_orientation_is_no_visit(desk: Desk) -> None:
    desk.run("init")
    operation = operations.load_operation("orient")
    assert operation.run_uncounted is not None
    for _ in range(2):
        app = desk.app()
        assert operation.run_uncounted(app, operation.request_class()).first_session
        app.close()
    assert desk.run("orient").first_session
    assert not desk.run("orient").first_session
