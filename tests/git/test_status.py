from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gitmem.git import status
from gitmem.git.layout import find_repository
from gitmem.git.status import MOST_PATHS, WorktreeStatus
from tests.support.repos import RepoBuilder


def status_of(repo: RepoBuilder, **options: bool) -> WorktreeStatus:
    found = status.read_status(find_repository(str(repo.path)), **options)
    assert found is not None
    return found


def test_clean(born: RepoBuilder) -> None:
    found = status_of(born)
    assert found.is_clean
    assert (found.branch, found.commit, found.upstream) == ("main", born.head(), None)


def test_unborn(repo: RepoBuilder) -> None:
    repo.write({"new.txt": ""})
    found = status_of(repo)
    assert (found.branch, found.commit, found.untracked) == ("main", None, ("new.txt",))


def test_detached(born: RepoBuilder) -> None:
    born.git("checkout", "-q", "--detach")
    assert status_of(born).branch is None


def test_each_kind_of_change(born: RepoBuilder) -> None:
    born.write({"a.txt": "changed\n", "staged.txt": "s\n", "deep/x": "", "deep/y": ""})
    born.git("add", "staged.txt")
    (born.path / "src" / "b.txt").unlink()
    found = status_of(born)
    assert found.staged == ("staged.txt",)
    assert found.modified == ("a.txt", "src/b.txt")
    assert found.untracked == ("deep/",)
    assert found.counts == {"staged": 1, "modified": 2, "untracked": 1, "conflicted": 0}
    assert not found.is_clean


def test_rename_with_equal_content(born: RepoBuilder) -> None:
    born.git("mv", "a.txt", "z.txt")
    found = status_of(born)
    assert found.renamed == (("a.txt", "z.txt"),)
    assert found.staged == ("z.txt",)


def test_conflict(born: RepoBuilder) -> None:
    born.branch("side")
    born.commit("Theirs", {"a.txt": "theirs\n"})
    born.switch("main")
    born.commit("Ours", {"a.txt": "ours\n"})
    born.git("merge", "side", check=False)
    assert status_of(born).conflicted == ("a.txt",)


def test_ahead_and_behind(born: RepoBuilder, tmp_path: Path) -> None:
    clone = born.clone(tmp_path / "clone")
    born.commit("Elsewhere")
    clone.commit("Here")
    clone.commit("And here")
    clone.git("fetch", "-q")
    found = status_of(clone)
    assert (found.upstream, found.ahead, found.behind) == ("origin/main", 2, 1)
    uncounted = status_of(clone, count_ahead_behind=False)
    assert (uncounted.upstream, uncounted.ahead, uncounted.behind) == ("origin/main", None, None)


def test_upstream_that_is_gone(born: RepoBuilder, tmp_path: Path) -> None:
    clone = born.clone(tmp_path / "clone")
    clone.git("update-ref", "-d", "refs/remotes/origin/main")
    found = status_of(clone)
    assert (found.upstream, found.ahead) == ("origin/main", None)


def test_bare_has_none(tmp_path: Path) -> None:
    bare = RepoBuilder(tmp_path / "bare.git", "--bare")
    assert status.read_status(find_repository(str(bare.path))) is None


def test_strange_paths_come_back_whole(born: RepoBuilder) -> None:
    names = ["-dash", ":colon", "new\nline", "tab\t", 'quo"te', "back\\slash", "b\udcff", " space "]
    born.write(dict.fromkeys(names, "x"))
    assert set(status_of(born).untracked) == set(names)
    born.git("add", "-A")
    assert set(status_of(born).staged) == set(names)


def test_many_paths_are_counted_but_not_all_named(born: RepoBuilder) -> None:
    born.write({f"n{i}": "" for i in range(MOST_PATHS + 7)})
    found = status_of(born)
    assert len(found.untracked) == MOST_PATHS
    assert found.counts["untracked"] == MOST_PATHS + 7


def test_user_settings_do_not_change_the_answer(born: RepoBuilder) -> None:
    born.write({"deep/x": ""})
    for key, value in [
        ("status.showUntrackedFiles", "no"),
        ("status.short", "true"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("status.relativePaths", "true"),
    ]:
        born.git("config", key, value)
    assert status_of(born).untracked == ("deep/",)


def test_the_index_is_not_written(born: RepoBuilder) -> None:
    """The user's own commit must not meet our lock."""
    (born.path / "a.txt").touch()
    before = (born.path / ".git/index").stat().st_mtime_ns
    status_of(born)
    assert (born.path / ".git/index").stat().st_mtime_ns == before
    born.git("status")
    assert (born.path / ".git/index").stat().st_mtime_ns != before


def test_submodule_change_is_seen_but_not_its_inside(born: RepoBuilder, tmp_path: Path) -> None:
    parent = RepoBuilder(tmp_path / "parent")
    parent.git("submodule", "--quiet", "add", str(born.path), "one")
    parent.commit("Add a submodule")
    inside = RepoBuilder(parent.path / "one", init=False, home=parent.home)
    inside.write({"dirt": ""})
    assert status_of(parent).is_clean
    inside.commit("Inside")
    assert status_of(parent).modified == ("one",)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_status(out: bytes) -> None:
    found = status.parse_status(out)
    assert len(found.untracked) <= MOST_PATHS
