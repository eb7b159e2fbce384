"""`gitmem why`: the commits, issues, decisions and memories behind a file, some lines or a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotARepository, NotFound
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk, indexed_copy
from tests.support.repos import RepoBuilder, slow_git

POOL = (
    "class Pool:\n    def acquire(self):\n        return 1\n\n\n"
    "class Other:\n    def acquire(self):\n        return 2\n"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A file that was renamed and changed, another that is gone; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("why") / "repo")
    repo.commit("Add the pool (#12)", {"src/old.py": POOL, "src/gone.py": "x = 1\n"})
    repo.git("mv", "src/old.py", "src/pool.py")
    repo.commit("Rename the pool")
    third = repo.commit(
        "Return three, else clients hang", {"src/pool.py": POOL.replace("return 1", "return 3")},
        author="Grace <g@example.org>",
    )  # fmt: skip
    repo.git("rm", "-q", "src/gone.py")
    repo.commit("Remove what nobody calls", {"src/pad.py": "a = 1\nb = 2\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("decide", title="One pool for all", why="Sockets are few", path=("src/pool.py",))
    desk.run("remember", text="The first acquire is slow", path=("src/pool.py:1-3",))
    desk.run("remember", text=f"Why three: see {third[:9]}")
    desk.run("remember", text="The pool was asked for in #12")
    desk.run("remember", text="About something else, #13", path=("src/pad.py",))
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    return indexed_copy(model, tmp_path / "copy")


def test_a_name_in_tests_comes_after_those_of_the_program(repo: RepoBuilder) -> None:
    repo.commit("Add the limit", {"src/reader.py": "class Reader:\n    def depth(self): ...\n"})
    repo.commit("Show it", {"tests/test_reader.py": "class depth:\n    pass\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("why", target="depth")
    assert (found.path, found.also) == ("src/reader.py", ("tests/test_reader.py:1",))
    result = desk.run("ask", question="when was depth added?")
    assert (result.sources[0].title, result.confidence.level) == ("Add the limit", "medium")
    assert desk.run("ask", question="when was Reader added?").confidence.level == "high"


def subjects(desk: Desk, target: str, **more: object) -> list[str]:
    return [commit.subject for commit in desk.run("why", target=target, **more).commits]


def test_a_file_is_explained_by_who_wrote_it_and_who_changed_it(model: Desk) -> None:
    found = model.run("why", target="src/pool.py")
    assert (found.path, found.first_line, found.changes, found.note) == ("src/pool.py", 0, 3, "")
    commits = [(commit.subject, commit.lines, commit.path, commit.why) for commit in found.commits]
    assert commits == [
        (
            "Return three, else clients hang", 1, "src/pool.py",
            ("wrote 1 of 8 lines", "changed it last"),
        ),
        ("Rename the pool", 0, "src/pool.py", ("changed it",)),
        ("Add the pool (#12)", 7, "src/old.py", ("wrote 7 of 8 lines", "first version")),
    ]  # fmt: skip
    assert found.issues == ("#12",)
    assert (found.commits[0].author, found.commits[0].at[:10]) == ("Grace", "2024-01-01")


def test_memories_anchored_there_or_naming_its_commits_and_issues_are_reported(model: Desk) -> None:
    found = model.run("why", target="src/pool.py")
    assert [(decision.title, decision.why) for decision in found.decisions] == [
        ("One pool for all", ("about src/pool.py",))
    ]
    sha = found.commits[0].commit
    assert {(memory.content, memory.why) for memory in found.memories} == {
        ("The first acquire is slow", ("about src/pool.py:1-3",)),
        (f"Why three: see {sha[:9]}", (f"names commit {sha[:10]}",)),
        ("The pool was asked for in #12", ("names #12",)),
    }


def test_lines_have_their_own_commits_and_memories(model: Desk) -> None:
    found = model.run("why", target="src/pool.py:8")
    assert [commit.subject for commit in found.commits] == ["Add the pool (#12)"]
    assert found.commits[0].why == ("wrote the line", "changed it last", "first version")
    # The memory cites lines 1 to 3, which are not near.
    assert {memory.content for memory in found.memories} == {"The pool was asked for in #12"}
    assert (found.first_line, found.last_line) == (8, 8)


def test_a_name_is_its_definition_and_a_qualified_one_the_right_one(model: Desk) -> None:
    found = model.run("why", target="Pool.acquire")
    assert (found.path, found.first_line, found.last_line) == ("src/pool.py", 2, 3)
    assert found.also == ()
    other = model.run("why", target="Other.acquire")
    assert (other.first_line, [commit.subject for commit in other.commits]) == (
        7,
        ["Add the pool (#12)"],
    )
    assert model.run("why", target="acquire").also == ("src/pool.py:7",)
    assert model.run("why", target="src/pool.py::Other").first_line == 6


def test_memories_of_a_name_or_of_lines_near_are_reported(desk: Desk) -> None:
    other = "Other pools are never shared"
    desk.run("remember", text=other, path=("src/pool.py::Other",))
    desk.run("remember", text="A gap lies above", path=("src/pool.py:5-6",))
    for target, expected in (
        ("Other", {other, "A gap lies above", "The first acquire is slow"}),
        ("Pool", {"The first acquire is slow", "A gap lies above"}),
        ("src/pool.py:8", {"A gap lies above"}),
    ):
        found = desk.run("why", target=target).memories
        assert {item.content for item in found if item.why[0].startswith("about")} == expected, (
            target
        )


def test_a_memory_that_cites_it_and_names_its_commit_is_reported_once(desk: Desk) -> None:
    sha = desk.run("why", target="src/pool.py").commits[0].commit
    message = f"Three since {sha[:9]}"
    desk.run("remember", text=message, path=("src/pool.py",))
    messages = [memory.content for memory in desk.run("why", target="src/pool.py").memories]
    assert messages.count(message) == 1


def test_of_many_changes_the_first_version_is_reported_whatever_stands_of_it(
    repo: RepoBuilder,
) -> None:
    for number in range(8):
        repo.commit(f"Set {number}", {"src/a.py": f"x = {number}\n"})
    repo.commit("No line end", {"src/b.py": "a = 1\nb = 2"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert subjects(desk, "src/a.py", limit=3) == ["Set 7", "Set 6", "Set 0"]
    # The last line is a line.
    assert subjects(desk, "src/b.py:2") == ["No line end"]
    with pytest.raises(InvalidInput, match="has 2 lines"):
        desk.run("why", target="src/b.py:3")


def test_a_definition_that_moved_since_the_index_is_found_where_it_is(desk: Desk) -> None:
    file = desk.place / "src" / "pool.py"
    file.write_text("# one\n# two\n" + file.read_text())
    found = desk.run("why", target="Other.acquire")
    assert (found.first_line, found.last_line) == (9, 10)
    # HEAD has these lines elsewhere, and the history is that of HEAD's.
    assert [commit.subject for commit in found.commits] == ["Add the pool (#12)"]


def test_lines_not_committed_are_counted_and_have_no_commit(desk: Desk) -> None:
    (desk.place / "src" / "new.py").write_text("x = 1\n")
    file = desk.place / "src" / "pool.py"
    file.write_text("# one\n" + file.read_text())
    assert desk.run("why", target="src/pool.py").uncommitted == 1
    alone = desk.run("why", target="src/new.py")
    assert (alone.commits, alone.note) == ((), "It is in no commit yet.")


def test_a_file_that_is_gone_has_a_history(model: Desk) -> None:
    found = model.run("why", target="src/gone.py")
    assert [commit.subject for commit in found.commits] == [
        "Remove what nobody calls",
        "Add the pool (#12)",
    ]
    assert found.note == "The file was deleted."
    assert found.commits[0].why == ("took it away, or was the last to change it",)
    with pytest.raises(NotFound, match="it has no lines"):
        model.run("why", target="src/gone.py:1-2")


def test_what_cannot_be_explained_is_reported_in_a_sentence(model: Desk, tmp_path: Path) -> None:
    for target, error, expected in (
        ("src", InvalidInput, "is a folder"),
        ("nowhere.py", NotFound, "There is no file nowhere.py here"),
        ("no_such_name", NotFound, "nothing by that name"),
        ("src/pool.py:99", InvalidInput, "has 9 lines|has 8 lines"),
        ("src/pool.py:5-2", InvalidInput, "cites lines 5 to 2"),
        ("src/pool.py::Nobody", NotFound, "defines no 'Nobody'"),
        ("../outside.py", InvalidInput, "not a path inside"),
        ("  ", InvalidInput, "No path or name was given"),
    ):
        with pytest.raises(error, match=expected):
            model.run("why", target=target)
    plain_folder = Desk(tmp_path / "plain", model.home)
    plain_folder.place.mkdir()
    with pytest.raises(NotARepository):
        plain_folder.run("why", target="a.py")


def test_the_limit_keeps_who_wrote_most_the_first_and_the_last(model: Desk) -> None:
    assert subjects(model, "src/pool.py", limit=1) == ["Add the pool (#12)"]
    assert subjects(model, "src/pool.py", limit=2) == [
        "Return three, else clients hang",
        "Add the pool (#12)",
    ]


def test_a_shallow_clone_says_what_it_lacks(model: Desk, tmp_path: Path) -> None:
    clone = RepoBuilder(tmp_path / "clone", init=False)
    clone.path.rmdir()
    clone.git("clone", "-q", "--depth=2", f"file://{model.place}", str(clone.path), cwd=tmp_path)
    desk = Desk(clone.path, clone.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("why", target="src/pool.py")
    assert "shallow" in found.note
    assert all("first version" not in commit.why for commit in found.commits)


def test_merges_bare_repositories_and_no_store_are_answered(model: Desk, tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start\n\n#1 #2 #3 #4 #5 #6 #7", {"a.py": "x = 1\n"})
    repo.branch("side")
    repo.commit("Change it aside", {"a.py": "x = 2\n"})
    repo.switch("main")
    repo.commit("Go on", {"b.py": "y = 1\n"})
    repo.merge("side")
    desk = Desk(repo.path, repo.home)
    assert subjects(desk, "a.py") == ["Change it aside", "Start"]
    # A merge may name dozens of issues: a person is shown the first.
    assert "; #1; #2; #3; #4; #5; … 2 more issues\n" in desk.text("why", target="a.py") + "\n"
    assert len(desk.run("why", target="a.py").issues) == 7
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Desk(tmp_path / "bare.git", repo.home)
    assert subjects(bare, "a.py") == ["Change it aside", "Start"]
    assert subjects(bare, "a.py:1") == ["Change it aside", "Start"]


def test_the_text_says_the_same_with_a_line_for_each_reason(model: Desk) -> None:
    text = model.text("why", target="src/pool.py")
    assert text.startswith("src/pool.py: changed by 3 commits\n")
    assert "Ada Lovelace: Add the pool (#12)\n" in text
    assert "    wrote 7 of 8 lines; first version; then src/old.py; #12\n" in text
    assert "\nDecisions:\n" in text and "\nMemories:\n" in text


def test_the_result_is_plain_values(model: Desk) -> None:
    found = as_json_values(model.run("why", target="acquire", limit=1))
    assert found["symbol"] == "acquire"
    assert set(found["commits"][0]) == {
        *("commit", "author", "at", "subject", "lines", "path", "issues", "why", "release"),
        *("session", "question"),
    }


def test_the_release_that_brought_a_commit_is_named(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    first = repo.commit("Bring the parcel", {"src/parcel.py": "PARCEL = 1\n"})
    repo.git("tag", "nightly")  # no release
    repo.git("tag", "v1.0rc1")
    repo.branch("fixes")
    repo.switch("main")
    second = repo.commit("Weigh the parcel", {"src/weight.py": "WEIGHT = 1\n"})
    repo.git("tag", "-a", "v1.0", "-m", "One")
    third = repo.commit("Send the parcel", {"src/sender.py": "SENDER = 1\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")

    def told() -> dict[str, str]:
        paths = ("src/parcel.py", "src/weight.py", "src/sender.py")
        return {o.commit: o.release for p in paths for o in desk.run("why", target=p).commits}

    assert told() == {first: "v1.0", second: "v1.0", third: ""}
    assert "; since v1.0" in desk.text("why", target="src/weight.py")
    hits = desk.run("search", query="parcel", sources=("commits",)).hits
    assert {hit.commit: hit.release for hit in hits} == {first: "v1.0", second: "v1.0", third: ""}
    assert "since v1.0" in desk.text("search", query="weigh parcel", sources=("commits",))
    assert "since v1.0]" in desk.run("ask", question="when was the parcel brought").answer
    # Tags that were made or taken away since the index are seen at once.
    repo.git("tag", "v1.1")
    assert told() == {first: "v1.0", second: "v1.0", third: "v1.1"}
    repo.git("tag", "-d", "v1.0")
    assert told() == {first: "v1.1", second: "v1.1", third: "v1.1"}
    repo.git("tag", "-d", "v1.1")
    assert told() == {first: "v1.0rc1", second: "", third: ""}
    repo.git("tag", "-d", "v1.0rc1")
    assert set(told().values()) == {""}


def test_a_shallow_clone_names_no_release(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Bring the parcel", {"src/parcel.py": "PARCEL = 1\n"})
    repo.commit("Weigh it", {"src/parcel.py": "PARCEL = 2\n"})
    repo.git("tag", "v1.0")
    shallow = repo.clone(tmp_path / "shallow", "--depth=1", "--no-local")
    desk = Desk(shallow.path, shallow.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")
    assert {commit.release for commit in desk.run("why", target="src/parcel.py").commits} == {""}


def test_a_name_is_as_old_as_its_own_head_and_not_as_the_lines_around(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    old = "def first(a):\n    return [a, a, a]\n\n\n"
    repo.commit("Start", {"src/app.py": f"import os\n\n\n{old}"})
    repo.commit(
        "Add the second", {"src/app.py": f"import os\n\n\n{old}def second(a):\n    return 2\n"}
    )
    repo.commit(
        "Turn it into another", {"src/app.py": f"import os\n\n\n{old}def third(a):\n    return 3\n"}
    )
    moved = "import os\n\n\n# only what was left\nVALUE = 1\nOTHER = 2\n"
    repo.commit(
        "Move all away",
        {"src/app.py": moved, "src/parts.py": f"{old}def third(a):\n    return 3\n"},
    )
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)

    def first(target: str) -> list[str]:
        commits = desk.run("why", target=target).commits
        return [commit.subject for commit in commits if "first version" in commit.why]

    assert first("third") == ["Turn it into another"]
    assert first("src/parts.py::first") == ["Start"]
    assert first("src/parts.py:first") == ["Start"]  # as impact and graph take it
    # What was before is not told as a change of it.
    assert "Add the second" not in subjects(desk, "third")


def test_a_file_is_known_by_its_name_and_one_that_is_gone_too(model: Desk) -> None:
    assert model.run("why", target="pool.py").path == "src/pool.py"
    for name in ("gone.py", "gone"):
        result = model.run("why", target=name)
        assert (result.path, result.note) == ("src/gone.py", "The file was deleted."), name
        assert "took it away" in result.commits[0].why[0]
    for name in ("one", "gone.rs", "src"):
        with pytest.raises((NotFound, InvalidInput)):
            model.run("why", target=name)


def test_a_file_taken_away_since_the_index_has_no_lines(desk: Desk) -> None:
    (desk.place / "src/pad.py").unlink()
    assert desk.run("why", target="src/pad.py").note == "The file was deleted."


def test_of_two_heads_alike_in_a_file_none_is_reported_to_be_first(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"src/pool.py": POOL[: POOL.index("class Other")]})
    repo.commit("Add the other", {"src/pool.py": POOL})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    result = desk.run("why", target="Other.acquire")
    assert all("first version" not in commit.why for commit in result.commits)
    assert result.note == "It is not clear which commit introduced it."


def test_a_name_that_is_gone_is_reported_with_the_commit_that_removed_it(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Lend (#7)", {"a.py": "def lend(pool):\n    return 1\n\n\ndef keep():\n    0\n"})
    repo.commit("Lend no more (#8)", {"a.py": "def keep():\n    0\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("why", target="lend")
    assert (found.path, found.symbol, found.first_line) == ("a.py", "lend", 0)
    assert found.note == "It is no longer in the code."
    assert [(commit.subject, commit.why) for commit in found.commits] == [
        ("Lend no more (#8)", ("took it away: def lend(pool):",))
    ]
    for question in ("when was lend removed?", "why was lend() deleted", "history of `lend`"):
        result = desk.run("ask", question=question)
        assert "took it away: def lend(pool):" in result.answer, question
        assert (result.known, result.written_by) == (True, "gitmem why")
    # A word that may be no name is none because something was called so long ago.
    assert "took it away" not in desk.run("ask", question="who wrote lend").answer
    with pytest.raises(NotFound, match=r"nothing by that name is defined\.$"):
        desk.run("why", target="borrow")


def test_a_name_is_not_reported_as_never_defined_where_git_was_late(
    model: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("gitmem.git.lines.removed_lines.SECONDS", 0.2)
    path = slow_git(tmp_path, "*-Sborrow*")
    desk = Desk(model.place, model.home, GITMEM_MODEL="hashed", PATH=path)
    with pytest.raises(NotFound, match="What was removed git could not tell"):
        desk.run("why", target="borrow")
