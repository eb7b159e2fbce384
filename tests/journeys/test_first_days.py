"""The issue's story from the first command to the return after a weekend."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.amounts import amount
from tests.support.apps import DAY, HOUR, Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

COMMITS = amount(800, thorough=5_000)


def test_an_agent_sets_up_works_leaves_and_comes_back(repo: RepoBuilder, tmp_path: Path) -> None:
    """Set up, remember, decide, recall; a second work tree; and the injected clock two days on."""
    program = Program(
        repo.home, repo.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    assert program("init").out.startswith("Set up gitmem for shop")
    assert "Your first time here." in program("orient").out
    program("session", "start", "Make the cart faster", "--agent", "codex")
    program("remember", "Redis is on 6380", "-k", "convention", "--agent", "codex")
    program("decide", "Cache the cart", "--why", "It is read often", "--agent", "codex")
    program("decide", "Drop Python 3.10", "--status", "proposed", "--agent", "codex")
    program("session", "note", "cart.py is slow", "--file", "src/cart/cart.py", "--agent", "codex")
    program("session", "end", "Cache works, tests missing", "--agent", "codex")
    found = program("recall", "which port does redis use", "--json").json["memories"]
    assert [item["content"] for item in found] == ["Redis is on 6380"]

    second = repo.worktree(tmp_path / "second", "feature")
    there = Program(
        repo.home, second.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    everything = program("list", "--json").json["memories"]
    assert there("list", "--json").json["memories"] == everything
    assert len(everything) == 3

    desk = Desk(repo.path, repo.home, now=time.time_ns() // 1_000_000 + 2 * DAY)
    repo.commit("Test the cache", {"tests/test_cache.py": ""}, author="Grace <g@example.org>")
    text = desk.text("orient")
    for expected in (
        "You were last here 2 days",
        "Grace (1): Test the cache",
        "tests/",
        "Drop Python 3.10",
        "Cache the cart",
        "Redis is on 6380",
        "goal: Make the cart faster",
        "summary: Cache works, tests missing",
        "note: cart.py is slow",
        "active file: src/cart/cart.py",
    ):
        assert expected in text, (expected, text)


def many_commits(path: Path, count: int) -> RepoBuilder:
    """A repository with a long history, written by one fast-import."""
    repo = RepoBuilder(path)
    repo.git("remote", "add", "origin", "git@example.org:acme/large.git")
    out = []
    for number in range(count):
        who = f"Dev {number % 7} <dev{number % 7}@example.org>"
        text, name = f"x = {number}\n", f"src/part{number % 40}/file{number % 9}.py"
        out.append(
            f"commit refs/heads/main\nmark :{number + 1}\n"
            f"author {who} {1_700_000_000 + number * 60} +0000\n"
            f"committer {who} {1_700_000_000 + number * 60} +0000\n"
            f"data <<END\nStep {number}\nEND\n"
            + (f"from :{number}\n" if number else "")
            + f"M 644 inline {name}\ndata {len(text)}\n{text}\n"
        )
    repo.git("fast-import", "--quiet", stdin="".join(out).encode())
    repo.git("checkout", "-q", "-f", "main")
    return repo


def test_the_same_in_a_repository_of_thousands_of_commits(tmp_path: Path) -> None:
    repo = many_commits(tmp_path / "large", COMMITS)
    assert repo.git("rev-list", "--count", "HEAD") == str(COMMITS)
    desk = Desk(repo.path, repo.home, now=(1_700_000_000 + COMMITS * 60) * 1000)
    assert desk.run("init").project == "example.org/acme/large"
    first = desk.run("orient")
    assert first.tokens <= 1200
    assert f"Step {COMMITS - 1}" in first.text
    desk.run("remember", text="Redis is on 6380")
    desk.run("decide", title="Use SQLite", why="One file")
    second = desk.at(repo.worktree(tmp_path / "second", "side").path)
    assert second.run("recall", query="redis").memories[0].content == "Redis is on 6380"

    desk.clock.advance(HOUR)
    for number in range(3):
        repo.commit(f"Afterwards {number}", {"src/part1/new.py": f"{number}\n"})
    later = desk.run("orient")
    assert [commit.subject for commit in later.commits] == [f"Afterwards {n}" for n in (2, 1, 0)]
    assert "changed areas: src/part1/ (3)" in later.text
    old = desk.run("timeline", since="2023-11-14", until="2023-11-15", only=("commits",))
    assert old.entries[0].text.startswith("Step ")
    program = Program(
        repo.home, repo.path, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    assert program("orient", "--json").json["tokens"] <= 1200


def test_two_agents_and_a_person_work_in_one_repository_at_once(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    for agent in ("codex", "gemini", ""):
        desk.run("session start", goal=f"goal of {agent}", by=agent)
    for agent in ("gemini", "codex", ""):
        desk.clock.advance(HOUR)
        desk.run("remember", text=f"said by {agent or 'a person'}", by=agent)
        desk.run("session note", text=f"noted by {agent or 'a person'}", by=agent)
    by = {session.agent: session for session in desk.run("session list").sessions}
    assert set(by) == {"codex", "gemini", ""}
    for agent, session in by.items():
        shown = desk.run("session show", id=session.id)
        name = agent or "a person"
        assert [note.text for note in shown.notes] == [f"noted by {name}"]
        assert [memory.content for memory in shown.memories] == [f"said by {name}"]
    assert [memory.content for memory in desk.run("list", agent="codex").memories] == [
        "said by codex"
    ]
