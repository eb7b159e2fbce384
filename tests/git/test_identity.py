"""CT-9: which project a repository is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import Unavailable
from gitmem.git import identity, root_note, runner
from gitmem.git.identity import ProjectIdentity, repository_of_agent_worktree
from gitmem.git.layout import find_repository, plain_folder_layout
from tests.support.repos import RepoBuilder, isolated_environment
from tests.support.tables import table


def resolve(repo: RepoBuilder, name: str | None = None) -> ProjectIdentity:
    return identity.resolve_project_identity(find_repository(str(repo.path)), configured_name=name)


def signature(repo: RepoBuilder, *extra: str) -> str:
    return identity.identity_change_stamp(
        find_repository(str(repo.path)),
        home_folder=str(repo.home),
        xdg_config_home=None,
        extra_files=extra,
    )


def remote(repo: RepoBuilder, name: str, url: str) -> None:
    repo.git("remote", "add", name, url)


def test_configured_name_wins(born: RepoBuilder) -> None:
    remote(born, "origin", "https://github.com/a/b")
    assert resolve(born, " team/tool ") == ProjectIdentity("team/tool", "name", "tool")
    assert resolve(born, "  ").source == "remote"


def test_plain_folder_is_known_by_its_path_whatever_the_users_settings_name(
    tmp_path: Path, home: Path
) -> None:
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text('[remote "origin"]\n\turl = https://github.com/a/b\n')
    (tmp_path / "notes").mkdir()
    plain = plain_folder_layout(str(tmp_path / "notes"))
    root_note.save_main_worktree_location(plain)
    found = identity.resolve_project_identity(plain, configured_name=None)
    assert found == ProjectIdentity(f"path:{tmp_path / 'notes'}", "path", "notes")
    assert identity.resolve_project_identity(plain, configured_name="diary").key == "diary"


def test_mercurial_repository_as_a_plain_folder_is_known_by_its_default_path(
    tmp_path: Path,
) -> None:
    (tmp_path / "hg" / ".hg").mkdir(parents=True)
    (tmp_path / "hg" / ".hg" / "hgrc").write_text("[paths]\ndefault = https://hg.example.org/a/b\n")
    plain = plain_folder_layout(str(tmp_path / "hg"))
    assert (
        identity.resolve_project_identity(plain, configured_name=None).key == "hg.example.org/a/b"
    )


def test_origin(born: RepoBuilder) -> None:
    remote(born, "other", "https://github.com/x/y")
    remote(born, "origin", "git@github.com:a/b.git")
    assert resolve(born) == ProjectIdentity("github.com/a/b", "remote", "b")


def test_remote_that_gitmem_is_reported(born: RepoBuilder) -> None:
    remote(born, "origin", "https://github.com/fork/b")
    remote(born, "upstream", "https://github.com/a/b")
    born.git("config", "gitmem.remote", "upstream")
    assert resolve(born).key == "github.com/a/b"
    born.git("config", "gitmem.remote", "https://host/c/d")
    assert resolve(born).key == "host/c/d"


def test_upstream_of_the_branch_where_there_is_no_origin(born: RepoBuilder) -> None:
    remote(born, "one", "https://github.com/a/one")
    remote(born, "two", "https://github.com/a/two")
    assert resolve(born).source == "root-commit"
    born.git("config", "branch.main.remote", "two")
    assert resolve(born).key == "github.com/a/two"


def test_origin_before_the_fork_that_the_branch_tracks(born: RepoBuilder) -> None:
    """Else the memory would change with the branch."""
    remote(born, "origin", "https://github.com/a/b")
    remote(born, "fork", "https://github.com/me/b")
    born.git("config", "branch.main.remote", "fork")
    assert resolve(born).key == "github.com/a/b"
    born.git("config", "gitmem.remote", "fork")
    assert resolve(born).key == "github.com/me/b"


def test_a_fork_knows_its_original_and_has_a_key_of_its_own(born: RepoBuilder) -> None:
    """CT-9: two forks of one project are two, until somebody says that they are one."""
    remote(born, "origin", "git@github.com:me/b.git")
    layout = find_repository(str(born.path))
    assert identity.upstream_project_key(layout, resolve(born)) == ""
    remote(born, "upstream", "https://github.com/a/b")
    assert resolve(born).key == "github.com/me/b"
    assert identity.upstream_project_key(layout, resolve(born)) == "github.com/a/b"
    born.git("config", "gitmem.remote", "upstream")
    assert resolve(born).key == "github.com/a/b"
    assert identity.upstream_project_key(layout, resolve(born)) == ""


def test_only_remote(born: RepoBuilder) -> None:
    remote(born, "elsewhere", "https://github.com/a/b")
    assert resolve(born).key == "github.com/a/b"


def test_remote_with_a_dot_in_its_name(born: RepoBuilder) -> None:
    remote(born, "my.remote", "https://github.com/a/b")
    assert resolve(born).key == "github.com/a/b"


def test_local_remote_is_passed_over(born: RepoBuilder, tmp_path: Path) -> None:
    """Two clones of one folder are one project, by their first commit."""
    first = born.head()
    clone = born.clone(tmp_path / "clone")
    assert resolve(clone) == ProjectIdentity(f"root:{first}", "root-commit", "clone")
    assert resolve(born).key == resolve(clone).key
    remote(clone, "hub", "https://github.com/a/b")
    clone.git("config", "branch.main.remote", "hub")
    assert resolve(clone).key == "github.com/a/b"


def test_instead_of_rules_of_the_user(born: RepoBuilder, home: Path) -> None:
    (home / ".gitconfig").write_text('[url "git@github.com:"]\n\tinsteadOf = gh:\n')
    remote(born, "origin", "gh:a/b")
    assert resolve(born).key == "github.com/a/b"
    born.git("config", "gitmem.remote", "gh:c/d")
    assert resolve(born).key == "github.com/c/d"


def test_conditional_include_is_followed(born: RepoBuilder, home: Path) -> None:
    (home / ".gitconfig").write_text('[includeIf "onbranch:main"]\n\tpath = more\n')
    (home / "more").write_text('[url "https://github.com/"]\n\tinsteadOf = gh:\n')
    remote(born, "origin", "gh:a/b")
    assert resolve(born).key == "github.com/a/b"


def test_xdg_and_named_configuration(born: RepoBuilder, tmp_path: Path) -> None:
    remote(born, "origin", "gh:a/b")
    rule = '[url "https://github.com/"]\n\tinsteadOf = gh:\n'
    (tmp_path / "xdg" / "git").mkdir(parents=True)
    (tmp_path / "xdg" / "git" / "config").write_text(rule)
    (tmp_path / "named").write_text(rule.replace("github", "gitlab"))
    env = isolated_environment(born.home)
    runner.configure_git_environment(env | {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert resolve(born).key == "github.com/a/b"
    runner.configure_git_environment(env | {"GIT_CONFIG_GLOBAL": str(tmp_path / "named")})
    assert resolve(born).key == "gitlab.com/a/b"


def test_setting_of_one_worktree(born: RepoBuilder, tmp_path: Path) -> None:
    """dulwich alone does not see ``git config --worktree`` in a linked work tree."""
    remote(born, "origin", "https://github.com/a/b")
    remote(born, "other", "https://github.com/c/d")
    born.git("config", "extensions.worktreeConfig", "true")
    linked = born.worktree(tmp_path / "linked", "side")
    linked.git("config", "--worktree", "gitmem.remote", "other")
    assert resolve(linked).key == "github.com/c/d"
    assert resolve(born).key == "github.com/a/b"


def test_file_that_dulwich_cannot_parse_is_read_by_git(born: RepoBuilder) -> None:
    config = born.path / ".git" / "config"
    config.write_text(config.read_text() + "[a] b = c\n[remote.origin] url = https://h.org/a/b\n")
    assert resolve(born).key == "h.org/a/b"


def test_mercurial_beside_git(born: RepoBuilder) -> None:
    born.write({".hg/hgrc": "[ui]\ndefault = no\n[paths]\ndefault = https://hg.example.org/a/b\n"})
    assert resolve(born) == ProjectIdentity("hg.example.org/a/b", "hg", "b")
    remote(born, "origin", "https://github.com/a/b")
    assert resolve(born).source == "remote"


def test_oldest_root_names_the_project(born: RepoBuilder) -> None:
    first = born.head()
    born.git("checkout", "-q", "--orphan", "pages")
    for number in range(4):
        born.git("checkout", "-q", "--orphan", f"pages{number}")
        born.commit(f"Pages {number}")
        assert resolve(born).key == f"root:{first}"


def test_unborn_is_its_folder(repo: RepoBuilder) -> None:
    assert resolve(repo) == ProjectIdentity(f"path:{repo.path}", "path", "repo")


def test_shallow_clone_does_not_know_its_root(born: RepoBuilder, tmp_path: Path) -> None:
    born.commit("Second")
    shallow = born.clone(tmp_path / "shallow", "--depth=1")
    assert resolve(shallow).source == "path"


def test_all_worktrees_are_one_project(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    assert resolve(linked) == resolve(born)


def test_unborn_worktrees_agree_on_the_path(tmp_path: Path) -> None:
    bare = RepoBuilder(tmp_path / "project.git", "--bare")
    assert resolve(bare).key == f"path:{bare.path}"


def test_partial_clone_and_sha256(born: RepoBuilder, tmp_path: Path) -> None:
    born.git("config", "uploadpack.allowFilter", "true")
    partial = born.clone(tmp_path / "partial", "--filter=blob:none")
    assert resolve(partial).key == resolve(born).key
    wide = RepoBuilder(tmp_path / "wide", "--object-format=sha256")
    first = wide.commit("First")
    assert resolve(wide).key == f"root:{first}"


def test_credential_in_a_remote_never_comes_out(born: RepoBuilder) -> None:
    secret = "".join(("tok", "en123"))
    remote(born, "origin", f"https://me:{secret}@github.com/a/b")
    assert secret not in repr(resolve(born))


def test_missing_git_is_an_error_not_a_guess(born: RepoBuilder, tmp_path: Path) -> None:
    runner.configure_git_environment({"PATH": str(tmp_path), "HOME": str(tmp_path)})
    with pytest.raises(Unavailable):
        resolve(born)


@table(
    ("path", "expected"),
    [
        ("/home/me/p/.claude/worktrees/x", "/home/me/p"),
        ("/home/me/p/.claude/worktrees/x/src/deep", "/home/me/p"),
        ("/home/me/p/.worktrees/x", "/home/me/p"),
        (r"C:\p\.claude\worktrees\x", r"C:\p"),
        ("/home/me/p", "/home/me/p"),
        ("/home/me/.claude/settings", "/home/me/.claude/settings"),
        ("/.claude/worktrees/x", "/.claude/worktrees/x"),
        ("/home/me/p/.claude/worktrees/x/.worktrees/y/src", "/home/me/p"),
        ("/home/me/p/.worktrees/y/.claude/worktrees/x", "/home/me/p"),
        ("/home/me/p/.worktrees/y/.worktrees/z", "/home/me/p"),
    ],
)
def test_agents_worktree_is_stripped(path: str, expected: str) -> None:
    """CT-9, CT-33."""
    assert repository_of_agent_worktree(path) == expected


def test_signature_stays_while_nothing_changes(born: RepoBuilder) -> None:
    before = signature(born)
    born.commit("More", {"x": "1"})
    (born.path / "untracked").touch()
    assert signature(born) == before
    assert len(before) < 500


def test_signature_changes_with_everything_identity_reads(born: RepoBuilder) -> None:
    toml = born.path / ".gitmem.toml"
    observed = [signature(born, str(toml))]

    def changed() -> None:
        observed.append(signature(born, str(toml)))
        assert len(set(observed)) == len(observed)

    born.git("config", "x.y", "z")
    changed()
    born.git("config", "extensions.worktreeConfig", "true")
    changed()
    born.git("config", "--worktree", "x.y", "w")
    changed()
    (born.home / ".gitconfig").write_text("[a]\n")
    changed()
    os.utime(born.home / ".gitconfig", (1, 1))
    changed()
    (born.home / ".config" / "git").mkdir(parents=True)
    (born.home / ".config" / "git" / "config").write_text("[a]\n")
    changed()
    toml.write_text("")
    changed()
    born.write({".hg/hgrc": "[paths]\n"})
    changed()
    born.branch("side")
    changed()
    born.git("checkout", "-q", "--detach")
    changed()


def test_signature_changes_when_a_shallow_clone_gets_its_history(
    born: RepoBuilder, tmp_path: Path
) -> None:
    """From then on its first commit names the project, as in every other clone."""
    born.commit("Second")
    shallow = born.clone(tmp_path / "shallow", "--depth=1")
    before, unknown = signature(shallow), resolve(shallow)
    shallow.git("fetch", "-q", "--unshallow")
    assert signature(shallow) != before
    assert resolve(shallow).key == resolve(born).key != unknown.key


def test_signature_changes_with_the_first_commit(repo: RepoBuilder) -> None:
    before = signature(repo)
    repo.commit("First")
    assert signature(repo) != before
