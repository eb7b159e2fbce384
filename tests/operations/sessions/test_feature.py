"""Features: the branch by default, a name by hand, and what `gitmem context` makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotARepository, NotFound
from tests.support.apps import HOUR, MINUTE, SECOND, Desk, copy_of
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

FILES = {
    "src/alpha.py": "def acquire():\n    return 'socket of the pool'\n",
    "src/beta.py": "def acquire():\n    return 'a socket of the pool'\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SetUp:
    """Sets gitmem up in copies of a repository that nobody writes to."""
    repo = RepoBuilder(tmp_path_factory.mktemp("model") / "repo")
    repo.commit("Start", FILES)
    return SetUp(repo, lambda: tmp_path_factory.mktemp("made"))


@pytest.fixture
def repo(made: SetUp, tmp_path: Path) -> RepoBuilder:
    return copy_of(made.repo, tmp_path)


@pytest.fixture
def desk(made: SetUp, repo: RepoBuilder) -> Desk:
    return made(Desk(repo.path, repo.home, GITMEM_MODEL="hashed"), no_hooks=True)


def names(desk: Desk) -> list[str]:
    return [feature.name for feature in desk.run("feature list").features]


def test_the_branch_is_the_feature_until_somebody_names_it(desk: Desk) -> None:
    (here,) = desk.run("feature list").features
    assert (here.name, here.current, here.by_hand, here.last_at) == ("main", True, False, None)
    assert desk.text("feature list") == "main  (here, branch, nothing known yet)"
    desk.run("session start", goal="Pay")
    desk.run("session note", file=("src/alpha.py",))
    desk.clock.advance(MINUTE)
    named = desk.run("feature set", name="pay by card")
    assert (named.name, named.by_hand, named.files) == ("pay by card", True, ())
    desk.clock.advance(SECOND)
    desk.run("session note", file=("src/beta.py",))
    desk.run("context", query="where is the socket")
    pay, main = desk.run("feature list").features
    assert (pay.name, pay.files, pay.questions) == (
        *("pay by card", ("src/beta.py",), ("where is the socket",)),
    )
    assert (main.name, main.current, main.files) == ("main", False, ("src/alpha.py",))
    assert "- feature: pay by card" in desk.text("context")


def test_one_goes_back_to_a_feature_of_before_and_to_the_branch(desk: Desk) -> None:
    for name in ("one", "two"):
        desk.clock.advance(SECOND)
        desk.run("feature set", name=name)
    desk.clock.advance(SECOND)
    assert desk.run("feature switch", name="one").name == "one"
    desk.clock.advance(SECOND)
    assert desk.run("feature switch").name == "main"
    assert names(desk) == ["main", "one", "two"]
    assert len(desk.run("feature list", limit=1).features) == 1


def test_what_is_wrong_is_reported(desk: Desk) -> None:
    desk.run("feature set", name="one")
    with pytest.raises(NotFound, match="is called 'three'") as output:
        desk.run("feature switch", name="three")
    assert "one" in output.value.hint
    for name in ("", " \n ", "x" * 101):
        with pytest.raises(InvalidInput):
            desk.run("feature set", name=name)
    with pytest.raises(NotARepository):
        desk.run("feature list", place=desk.home)


def test_another_branch_has_a_feature_of_its_own(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("feature set", name="pay")
    repo.branch("side")
    assert names(desk)[0] == "side"
    repo.switch("main")
    assert names(desk)[0] == "pay"


def test_commits_made_in_its_sessions_are_reported(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("session start", goal="Pay")
    when = "2026-11-21T08:10:00Z"
    repo.commit("Pay by card", {"src/card.py": "x = 1\n"}, when=when)
    desk.clock.advance(HOUR)
    desk.run("session end")
    assert [commit.subject for commit in desk.run("feature list").features[0].commits] == [
        "Pay by card"
    ]


def test_a_context_ranks_its_files_higher_until_it_is_idle(desk: Desk) -> None:
    """The session that viewed the file has ended: only the feature knows of it."""
    desk.run("feature set", name="pay")
    desk.run("session start", goal="Pay")
    desk.run("session note", file=("src/beta.py",))
    desk.run("session end")
    first = desk.run("context", query="socket of the pool").sources[0].path
    assert first == "src/beta.py"
    desk.clock.advance(31 * MINUTE)
    assert desk.run("context", query="socket of the pool").sources[0].path == "src/alpha.py"
    assert "- earlier on pay: src/beta.py" in desk.text("context")


def test_files_that_are_given_with_the_name_belong_to_it(desk: Desk) -> None:
    made = desk.run("feature set", name="pay", file=("src/beta.py",))
    assert made.files == ("src/beta.py",)
    desk.clock.advance(SECOND)
    desk.run("feature set", name="ship")
    desk.clock.advance(SECOND)
    assert desk.run("feature switch", name="pay").files == ("src/beta.py",)
    assert desk.run("context", query="socket of the pool").sources[0].path == "src/beta.py"
    with pytest.raises(InvalidInput, match="at most 20"):
        desk.run("feature set", name="pay", file=tuple(f"{number}.py" for number in range(21)))


def test_a_secret_in_a_name_is_not_kept(desk: Desk) -> None:
    secret = "ghp_" + "a1B2" * 9
    assert secret not in desk.run("feature set", name=f"use {secret}").name
    assert secret.encode() not in desk.store.read_bytes()
