"""A folder is a repository's only where that repository says so too; pipes in ``.git`` never wait.

Whatever names another's git directory came with an archive or a clone, and anybody could write it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile
from gitmem.git import layout, root_note
from gitmem.git.head import operation_in_progress, read_head
from tests.support.repos import RepoBuilder


def find(path: Path) -> layout.RepositoryLayout:
    return layout.find_repository(str(path))


def points(folder: Path, to: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".git").write_text(f"gitdir: {to}\n")


def git_file(mine: RepoBuilder, evil: Path) -> Path:
    points(evil, "../repo/.git")
    return evil


def git_file_deeper(mine: RepoBuilder, evil: Path) -> Path:
    points(evil / "sub", "../../repo/.git")
    return evil / "sub"


def git_file_in_the_user_s_own_tree(mine: RepoBuilder, evil: Path) -> Path:
    points(mine.path / "vendor" / "x", "../../.git")
    return mine.path / "vendor" / "x"


def git_file_to_a_repository_below(mine: RepoBuilder, evil: Path) -> Path:
    points(mine.path.parent, "repo/.git")
    return mine.path.parent


def git_file_to_a_linked_worktree(mine: RepoBuilder, evil: Path) -> Path:
    mine.worktree(evil.parent / "linked", "side")
    points(evil, "../repo/.git/worktrees/linked")
    return evil


def git_file_to_a_submodule(mine: RepoBuilder, evil: Path) -> Path:
    parent = RepoBuilder(evil.parent / "parent")
    parent.git("submodule", "--quiet", "add", str(mine.path), "one")
    points(evil, "../parent/.git/modules/one")
    return evil


def git_file_to_a_bare_repository(mine: RepoBuilder, evil: Path) -> Path:
    mine.clone(evil.parent / "bare.git", "--bare")
    points(evil, "../bare.git")
    return evil


def git_file_to_a_noted_git_dir(mine: RepoBuilder, evil: Path) -> Path:
    apart = RepoBuilder(evil.parent / "main", f"--separate-git-dir={evil.parent / 'apart'}")
    root_note.save_main_worktree_location(find(apart.path))
    points(evil, "../apart")
    return evil


def link(mine: RepoBuilder, evil: Path) -> Path:
    evil.mkdir()
    (evil / ".git").symlink_to("../repo/.git")
    return evil


def own(evil: Path) -> RepoBuilder:
    made = RepoBuilder(evil)
    made.commit("Theirs", {"a": ""})
    return made


def common_dir(mine: RepoBuilder, evil: Path) -> Path:
    own(evil)
    (evil / ".git" / "commondir").write_text("../../repo/.git\n")
    return evil


def common_dir_from_inside(mine: RepoBuilder, evil: Path) -> Path:
    return common_dir(mine, evil) / ".git"


def bare_with_a_common_dir(mine: RepoBuilder, evil: Path) -> Path:
    RepoBuilder(evil, "--bare")
    (evil / "commondir").write_text("../repo/.git\n")
    return evil


def named_worktree(mine: RepoBuilder, evil: Path) -> Path:
    own(evil).git("config", "core.worktree", "../../repo")
    return evil


def named_worktree_of_another_format(mine: RepoBuilder, evil: Path) -> Path:
    """One that git is asked about."""
    own(evil)
    config = (evil / ".git" / "config").read_text().replace("version = 0", "version = 1")
    more = "\tworktree = ../../repo\n[extensions]\n\trelativeWorktrees2 = x\n"
    (evil / ".git" / "config").write_text(config + more)
    return evil


def named_worktree_of_a_main_one(mine: RepoBuilder, evil: Path) -> Path:
    made = own(evil)
    linked = made.worktree(evil.parent / "theirs", "side")
    made.git("config", "core.worktree", str(mine.path))
    return linked.path


def linked_folder_of_another(mine: RepoBuilder, evil: Path) -> Path:
    """From inside a git directory that says whose worktree it is."""
    made = own(evil)
    made.worktree(evil.parent / "theirs", "side")
    inside = evil / ".git" / "worktrees" / "theirs"
    (inside / "gitdir").write_text(f"{mine.path}/.git\n")
    return inside


def git_dir_that_notes_a_plain_folder(mine: RepoBuilder, evil: Path) -> Path:
    """Which may hold a store as well."""
    (evil.parent / "notes").mkdir()
    RepoBuilder(evil, "--bare").git("config", "core.bare", "false")
    (evil / "gitdir").write_text(f"{evil.parent}/notes/.git\n")
    return evil


BORROWED = [
    git_dir_that_notes_a_plain_folder,
    git_file,
    git_file_deeper,
    git_file_in_the_user_s_own_tree,
    git_file_to_a_repository_below,
    git_file_to_a_linked_worktree,
    git_file_to_a_submodule,
    git_file_to_a_bare_repository,
    git_file_to_a_noted_git_dir,
    link,
    common_dir,
    common_dir_from_inside,
    bare_with_a_common_dir,
    named_worktree,
    named_worktree_of_another_format,
    named_worktree_of_a_main_one,
    linked_folder_of_another,
]


@pytest.mark.parametrize("borrow", BORROWED, ids=lambda borrow: borrow.__name__)
def test_another_s_repository_is_refused(
    born: RepoBuilder, tmp_path: Path, borrow: Callable[[RepoBuilder, Path], Path]
) -> None:
    place = borrow(born, tmp_path / "evil")
    with pytest.raises(ForeignFile) as refused:
        find(place)
    assert refused.value.hint
    assert "git config" not in refused.value.hint, "it would take the repository from its worktree"
    assert find(born.path).store_root == str(born.path)


def test_note_that_names_another_s_folder_counts_for_nothing(
    born: RepoBuilder, tmp_path: Path
) -> None:
    made = RepoBuilder(tmp_path / "evil", f"--separate-git-dir={tmp_path / 'apart'}")
    made.commit("Theirs", {"a": ""})
    linked = made.worktree(tmp_path / "theirs", "side")
    (tmp_path / "apart" / layout.ROOT_NOTE).write_text(f"{born.path}\n")
    assert find(linked.path).store_root == find(tmp_path / "apart").store_root
    assert find(linked.path).store_root == str(tmp_path / "apart")


def test_git_s_own_words_make_a_separate_git_dir_called_git_usable(tmp_path: Path) -> None:
    (tmp_path / "apart").mkdir()
    main = RepoBuilder(tmp_path / "main", f"--separate-git-dir={tmp_path / 'apart' / '.git'}")
    with pytest.raises(ForeignFile) as refused:
        find(main.path)
    assert "core.worktree" in refused.value.hint
    main.git("config", "core.worktree", str(main.path))
    assert find(main.path).store_root == str(main.path)
    assert find(main.path / ".git").worktree == str(main.path)


def test_linked_git_dir_that_nobody_else_claims(born: RepoBuilder, tmp_path: Path) -> None:
    apart = tmp_path / "apart"
    (born.path / ".git").rename(apart)
    (born.path / ".git").symlink_to(apart)
    assert find(born.path).store_root == str(born.path)


def test_moved_worktree_is_found_again_after_repair(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    moved = linked.path.rename(tmp_path / "moved")
    with pytest.raises(ForeignFile) as refused:
        find(moved)
    assert "git worktree repair" in refused.value.hint
    born.git("worktree", "repair", str(moved))
    assert find(moved).store_root == str(born.path)


def test_relative_names_of_a_worktree(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    inside = born.path / ".git" / "worktrees" / "linked"
    (inside / "gitdir").write_text("../../../../linked/.git\n")
    points(linked.path, "../repo/.git/worktrees/linked")
    assert find(linked.path).store_root == str(born.path)


@pytest.mark.parametrize(
    "name",
    [
        *("commondir", "shallow", "index", "HEAD", "packed-refs", "config", "config.worktree"),
        *("info/exclude", "info/attributes", "info/grafts", "objects/info/alternates"),
    ],
)
def test_pipe_in_the_git_dir_keeps_nobody_waiting(born: RepoBuilder, name: str) -> None:
    path = born.path / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(born.path / "pipe")
    path.symlink_to(born.path / "pipe")
    with pytest.raises(ForeignFile, match="is a pipe or a device") as refused:
        find(born.path)
    assert refused.value.hint


def test_pipe_in_place_of_a_branch_is_no_commit(born: RepoBuilder) -> None:
    path = born.path / ".git" / "refs" / "heads" / "main"
    path.unlink()
    os.mkfifo(path)
    assert read_head(find(born.path)).commit is None


def test_pipe_in_place_of_what_a_series_has_still_to_do(born: RepoBuilder) -> None:
    (born.path / ".git" / "sequencer").mkdir()
    os.mkfifo(born.path / ".git" / "sequencer" / "todo")
    assert operation_in_progress(find(born.path)) is None
