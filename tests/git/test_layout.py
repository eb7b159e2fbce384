from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitmem.errors import Conflict, NotARepository
from gitmem.git import layout, root_note
from tests.support.repos import RepoBuilder


def find(path: Path) -> layout.RepositoryLayout:
    return layout.find_repository(str(path))


def assert_agrees_with_git(path: Path, repo: RepoBuilder) -> layout.RepositoryLayout:
    """The layout read by hand is the one that ``git rev-parse`` tells."""
    found = find(path)
    queries = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"]
    git_dir, common, bare = repo.git(*queries, "--is-bare-repository", cwd=path).splitlines()
    assert (found.git_dir, found.common_dir) == (git_dir, common)
    assert found.bare == (bare == "true")
    if not found.bare:
        assert found.worktree == repo.git("rev-parse", "--show-toplevel", cwd=path)
    return found


def test_plain_repository(born: RepoBuilder) -> None:
    found = assert_agrees_with_git(born.path, born)
    assert found.store_root == str(born.path)
    assert (found.linked, found.submodule) == (False, False)


def test_from_a_subfolder_and_from_a_file(born: RepoBuilder) -> None:
    assert_agrees_with_git(born.path / "src", born)
    assert find(born.path / "src" / "b.txt") == find(born.path)


def test_from_inside_the_git_folder(born: RepoBuilder) -> None:
    assert find(born.path / ".git" / "refs") == find(born.path)


def test_through_a_symbolic_link(born: RepoBuilder, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(born.path / "src")
    assert find(tmp_path / "link") == find(born.path)


def test_linked_worktree_shares_the_store_root(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    found = assert_agrees_with_git(linked.path, linked)
    assert found.linked
    assert found.store_root == find(born.path).store_root == str(born.path)


def test_from_inside_a_linked_worktrees_git_folder(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    assert find(born.path / ".git" / "worktrees" / "linked") == find(linked.path)


def test_worktree_inside_the_main_one(born: RepoBuilder) -> None:
    linked = born.worktree(born.path / ".claude" / "worktrees" / "x", "x")
    assert find(linked.path).store_root == str(born.path)


def test_worktree_settings_moved_aside_by_git(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    linked.git("sparse-checkout", "set", "src")  # switches extensions.worktreeConfig on
    assert_agrees_with_git(linked.path, linked)
    assert find(linked.path).store_root == find(born.path).store_root


def test_extension_counts_only_where_the_format_has_a_version(born: RepoBuilder) -> None:
    born.git("config", "extensions.worktreeConfig", "true")
    born.git("config", "--worktree", "core.bare", "true")
    assert assert_agrees_with_git(born.path, born).bare
    born.git("config", "--file", ".git/config", "--unset", "core.repositoryFormatVersion")
    assert not assert_agrees_with_git(born.path, born).bare


def test_removed_worktree_says_so(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    shutil.rmtree(born.path / ".git" / "worktrees" / "linked")
    with pytest.raises(NotARepository, match="no longer a git directory") as error:
        find(linked.path)
    assert "git worktree repair" in error.value.hint


def test_moved_main_repository_says_so_until_repaired(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    moved = tmp_path / "moved"
    born.path.rename(moved)
    with pytest.raises(NotARepository, match="no longer a git directory"):
        find(linked.path)
    linked.git("worktree", "repair", str(linked.path), cwd=moved)
    assert find(linked.path).store_root == str(moved)


def test_bare_repository_keeps_the_store_inside(tmp_path: Path) -> None:
    bare = RepoBuilder(tmp_path / "bare.git", "--bare")
    found = assert_agrees_with_git(bare.path, bare)
    assert found.worktree is None
    assert found.store_root == found.cwd == str(bare.path)
    assert find(bare.path / "objects") == found


def test_worktrees_of_a_bare_repository_share_its_store(born: RepoBuilder, tmp_path: Path) -> None:
    bare = born.clone(tmp_path / "bare.git", "--bare")
    linked = bare.worktree(tmp_path / "linked", "side")
    found = assert_agrees_with_git(linked.path, linked)
    assert found.store_root == str(bare.path)
    assert not found.bare


def test_bare_repository_behind_a_git_file(born: RepoBuilder, tmp_path: Path) -> None:
    project = tmp_path / "project"
    bare = born.clone(project / ".bare", "--bare")
    (project / ".git").write_text("gitdir: ./.bare\n")
    linked = bare.worktree(project / "main", "side")
    roots = {find(place).store_root for place in (project, bare.path, linked.path)}
    assert roots == {str(bare.path)}
    assert find(project).bare


def test_separate_git_dir_is_one_store_for_all_worktrees(tmp_path: Path) -> None:
    git_dir = tmp_path / "apart"
    main = RepoBuilder(tmp_path / "main", f"--separate-git-dir={git_dir}")
    main.commit("First", {"a": "1"})
    linked = main.worktree(tmp_path / "linked", "side")
    assert_agrees_with_git(main.path, main)
    assert_agrees_with_git(linked.path, linked)
    with pytest.raises(Conflict, match="main worktree"):
        root_note.save_main_worktree_location(find(linked.path))
    root_note.save_main_worktree_location(find(main.path))
    roots = {find(place).store_root for place in (main.path, linked.path, git_dir)}
    assert roots == {str(main.path)}


def test_note_of_a_main_work_tree_that_is_gone_counts_no_more(tmp_path: Path) -> None:
    """A store there would be made in a folder that nobody has any more."""
    git_dir = tmp_path / "apart"
    main = RepoBuilder(tmp_path / "main", f"--separate-git-dir={git_dir}")
    main.commit("First", {"a": "1"})
    linked = main.worktree(tmp_path / "linked", "side")
    root_note.save_main_worktree_location(find(main.path))
    main.path.rename(tmp_path / "moved")
    assert {find(place).store_root for place in (linked.path, git_dir)} == {str(git_dir)}
    root_note.save_main_worktree_location(find(tmp_path / "moved"))
    assert {find(place).store_root for place in (linked.path, git_dir)} == {str(tmp_path / "moved")}


def test_ordinary_repository_gets_no_note_in_its_git_directory(born: RepoBuilder) -> None:
    before = sorted(path.name for path in (born.path / ".git").iterdir())
    root_note.save_main_worktree_location(find(born.path))
    assert sorted(path.name for path in (born.path / ".git").iterdir()) == before


def test_core_worktree_names_the_main_one(tmp_path: Path) -> None:
    git_dir = tmp_path / "apart"
    main = RepoBuilder(tmp_path / "main", f"--separate-git-dir={git_dir}")
    main.commit("First", {"a": "1"})
    main.git("config", "core.worktree", str(main.path))
    linked = main.worktree(tmp_path / "linked", "side")
    roots = {find(place).store_root for place in (main.path, linked.path, git_dir)}
    assert roots == {str(main.path)}


def test_submodule_is_a_repository_of_its_own(born: RepoBuilder, tmp_path: Path) -> None:
    parent = RepoBuilder(tmp_path / "parent")
    parent.git("submodule", "--quiet", "add", str(born.path), "libs/one")
    parent.commit("Add a submodule")
    inside = parent.path / "libs" / "one"
    found = assert_agrees_with_git(inside, parent)
    assert found.submodule
    assert found.store_root == str(inside)
    assert not find(parent.path).submodule
    assert find(parent.path / ".git" / "modules" / "libs" / "one") == found


def test_worktree_of_a_submodule(born: RepoBuilder, tmp_path: Path) -> None:
    parent = RepoBuilder(tmp_path / "parent")
    parent.git("submodule", "--quiet", "add", str(born.path), "one")
    inside = RepoBuilder(parent.path / "one", init=False, home=parent.home)
    linked = inside.worktree(tmp_path / "linked", "side")
    assert find(linked.path).store_root == str(inside.path)


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not inside a git repository") as error:
        find(tmp_path)
    assert "git init" in error.value.hint
    assert "gitmem init --folder" in error.value.hint


def marked(folder: Path) -> Path:
    """A plain folder as `gitmem init --folder` leaves it, without the store."""
    (folder / "deep" / "er").mkdir(parents=True)
    root_note.save_main_worktree_location(layout.plain_folder_layout(str(folder)))
    return folder


def test_plain_folder_is_found_from_below_and_from_inside_its_own_files(tmp_path: Path) -> None:
    folder = marked(tmp_path / "notes")
    found = find(folder / "deep" / "er")
    assert (found.plain, found.bare) == (True, False)
    assert found.worktree == found.store_root == str(folder)
    assert found.git_dir == found.common_dir == found.cwd
    for inside in (".gitmem", ".gitmem/plain.git", ".gitmem/plain.git/refs"):
        assert find(folder / inside) == found


def test_folder_that_is_not_marked_yet_is_described_and_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    found = layout.plain_folder_layout(str(folder))
    assert (found.plain, found.worktree) == (True, str(folder))
    assert os.listdir(folder) == []
    with pytest.raises(NotARepository):
        find(folder)


def test_marking_a_plain_folder_twice_changes_nothing(tmp_path: Path) -> None:
    folder = marked(tmp_path / "notes")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    root_note.save_main_worktree_location(find(folder))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_folder_in_a_repository_is_not_taken_for_a_plain_one(born: RepoBuilder) -> None:
    with pytest.raises(Conflict, match="inside the git repository") as refused:
        layout.plain_folder_layout(str(born.path / "src"))
    assert "without --folder" in refused.value.hint


def test_folder_in_a_plain_folder_is_not_taken_for_another(tmp_path: Path) -> None:
    folder = marked(tmp_path / "notes")
    with pytest.raises(Conflict, match="set up as a plain folder"):
        layout.plain_folder_layout(str(folder / "deep"))
    assert layout.plain_folder_layout(str(folder)) == find(folder)


def test_repository_above_hides_a_plain_folder_that_a_clone_brings(born: RepoBuilder) -> None:
    """Nobody who clones a repository opens a store that came with it as a subfolder's own."""
    trap = born.path / "src" / ".gitmem" / "plain.git"
    trap.mkdir(parents=True)
    RepoBuilder(trap, "--bare", home=born.home)
    assert find(born.path / "src") == find(born.path)


def test_repository_inside_a_plain_folder_is_its_own_place(tmp_path: Path) -> None:
    folder = marked(tmp_path / "notes")
    inner = RepoBuilder(folder / "deep" / "repo", home=tmp_path / "home")
    assert find(inner.path).plain is False
    assert find(folder / "deep").plain is True


def test_folder_that_becomes_a_repository_keeps_the_place_of_its_store(tmp_path: Path) -> None:
    folder = marked(tmp_path / "notes")
    before = find(folder).store_root
    RepoBuilder(folder, home=tmp_path / "home")
    assert (find(folder).plain, find(folder).store_root) == (False, before)


@pytest.mark.parametrize("name", ["gone", "gone/deeper", "nul\0byte"])
def test_missing_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotARepository, match="There is no folder"):
        layout.find_repository(f"{tmp_path}/{name}")


def test_empty_git_folder_is_passed_over_as_git_does(born: RepoBuilder) -> None:
    (born.path / "inner" / ".git").mkdir(parents=True)
    assert find(born.path / "inner") == find(born.path)


def test_git_file_with_nonsense(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("hello\n")
    with pytest.raises(NotARepository, match=r"is not a valid \.git file"):
        find(tmp_path)


def test_embedded_bare_repository_is_refused(born: RepoBuilder) -> None:
    """A clone may bring a folder that looks like a repository with a configuration of its own."""
    RepoBuilder(born.path / "vendor" / "trap", "--bare", home=born.home)
    with pytest.raises(NotARepository, match="inside the worktree of"):
        find(born.path / "vendor" / "trap")


def test_unknown_extension_is_left_to_git(born: RepoBuilder) -> None:
    born.git("config", "core.repositoryFormatVersion", "1")
    born.git("config", "extensions.fromTheFuture", "true")
    with pytest.raises(NotARepository, match="neither gitmem nor the installed git"):
        find(born.path)


def test_git_agrees_where_the_hand_reader_stands_back(
    born: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand = find(born.path / "src")
    monkeypatch.setattr(layout, "_KNOWN_EXTENSIONS", frozenset())
    born.git("config", "core.repositoryFormatVersion", "1")
    born.git("config", "extensions.noop", "true")
    assert find(born.path / "src") == by_hand


def test_sha256_repository(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "wide", "--object-format=sha256")
    assert_agrees_with_git(repo.path, repo)


def test_leaked_git_dir_changes_nothing(
    born: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RepoBuilder(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", os.fspath(other.path / ".git"))
    assert find(born.path).worktree == str(born.path)
