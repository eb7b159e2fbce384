"""Which commits HEAD reaches, against git's own answer one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import NotFound
from gitmem.git import ancestry, runner
from tests.support.repos import RepoBuilder

ABSENT = "12" * 20


@pytest.fixture
def forked(tmp_path: Path) -> RepoBuilder:
    """main: one, two, merge of side; side: three; loose: four."""
    repo = RepoBuilder(tmp_path / "repo")
    runner.configure_git_environment(repo.env)
    for name in ("one", "two"):
        repo.commit(name, {name: name})
        repo.git("tag", name)
    repo.branch("side", "one")
    repo.commit("three", {"three": "3"})
    repo.git("tag", "three")
    repo.branch("loose", "two")
    repo.commit("four", {"four": "4"})
    repo.git("tag", "four")
    repo.switch("main")
    repo.merge("side")
    return repo


def ids(repo: RepoBuilder, *names: str) -> set[str]:
    return {repo.git("rev-parse", f"{name}^{{commit}}") for name in names}


def test_only_what_no_way_leads_to_is_unreached(forked: RepoBuilder) -> None:
    query = ids(forked, "one", "two", "three", "four", "main")
    found = ancestry.find_commits_outside_history(str(forked.path), query, forked.head())
    assert found == ancestry.CommitsOutsideHistory(frozenset(ids(forked, "four")), frozenset())
    (item,) = ids(forked, "one")
    assert ancestry.find_commits_outside_history(
        str(forked.path), query, item
    ).unreached == query - {item}


def test_what_git_does_not_have_is_missing_and_the_rest_is_answered(forked: RepoBuilder) -> None:
    query = ids(forked, "one", "four") | {ABSENT}
    found = ancestry.find_commits_outside_history(str(forked.path), query, forked.head())
    assert found == ancestry.CommitsOutsideHistory(
        frozenset(ids(forked, "four")), frozenset({ABSENT})
    )
    assert ancestry.existing_commits(str(forked.path), query) == ids(forked, "one", "four")


def test_no_question_needs_no_git(forked: RepoBuilder) -> None:
    runner.configure_git_environment({"PATH": "/nonexistent"})
    head = "ab" * 20
    assert ancestry.find_commits_outside_history(
        str(forked.path), [head], head
    ) == ancestry.CommitsOutsideHistory(frozenset(), frozenset())
    assert ancestry.commits_lost_and_gained(str(forked.path), head, head) == (
        frozenset(),
        frozenset(),
    )


def test_a_head_that_is_no_commit_is_refused(forked: RepoBuilder) -> None:
    with pytest.raises(NotFound):
        ancestry.find_commits_outside_history(str(forked.path), ids(forked, "one"), ABSENT)


def test_more_than_a_command_line_holds_go_in_another_way(
    forked: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = ids(forked, "one", "two", "three", "four") | {ABSENT}
    expected = ancestry.find_commits_outside_history(str(forked.path), query, forked.head())
    monkeypatch.setattr(ancestry, "MOST_ARGUMENTS", 1)
    assert ancestry.find_commits_outside_history(str(forked.path), query, forked.head()) == expected


def test_thousands_are_asked_about_at_once(forked: RepoBuilder) -> None:
    many = {f"{number:040x}" for number in range(1, 2 * ancestry.MOST_ARGUMENTS)}
    found = ancestry.find_commits_outside_history(
        str(forked.path), many | ids(forked, "four"), forked.head()
    )
    assert found == ancestry.CommitsOutsideHistory(frozenset(ids(forked, "four")), frozenset(many))


def test_lost_and_gained_between_two_heads(forked: RepoBuilder) -> None:
    (main,), (loose,) = ids(forked, "main"), ids(forked, "loose")
    lost, gained = frozenset({main} | ids(forked, "three")), frozenset(ids(forked, "four"))
    assert ancestry.commits_lost_and_gained(str(forked.path), main, loose) == (lost, gained)
    assert ancestry.commits_lost_and_gained(str(forked.path), ABSENT, main) is None
    assert ancestry.commits_lost_and_gained(str(forked.path), main, ABSENT) is None


@pytest.mark.parametrize("options", [("--filter=tree:0",), ("--filter=blob:none",), ("--depth=1",)])
def test_a_clone_that_lacks_objects_asks_nobody(
    forked: RepoBuilder, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A partial clone would fetch what it lacks."""
    forked.git("config", "uploadpack.allowFilter", "true")
    clone = forked.clone(tmp_path / "clone", *options)
    forked.path.rename(tmp_path / "away")  # whoever asked the remote would fail now
    head = clone.head()
    query = {head, ABSENT}
    found = ancestry.find_commits_outside_history(str(clone.path), query, head)
    assert found == ancestry.CommitsOutsideHistory(frozenset(), frozenset({ABSENT}))
    assert ancestry.commits_lost_and_gained(str(clone.path), ABSENT, head) is None


def test_trunks_are_the_usual_names_and_what_remotes_call_theirs(
    forked: RepoBuilder, tmp_path: Path
) -> None:
    clone = forked.clone(tmp_path / "clone")
    common = clone.path / ".git"
    assert ancestry.main_branch_names(str(common)) == {"main", "master"}
    clone.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/team/develop")
    assert ancestry.main_branch_names(str(common)) == {"main", "master", "team/develop"}
    assert ancestry.main_branch_names(str(tmp_path)) == {"main", "master"}
