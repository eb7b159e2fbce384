"""Programs that a repository's configuration names are never run (reliability 3.3).

Each case first shows with the user's own git that the canary does sing, so a case that has lost
its sting fails.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gitmem.git import content_filters, history, identity, status, tracked
from gitmem.git.head import read_head, state
from gitmem.git.layout import find
from gitmem.git.runner import run_git
from tests.support.repos import RepoBuilder


@dataclass
class Trap:
    """A repository with a program that leaves a file behind when it runs."""

    repo: RepoBuilder
    program: Path
    mark: Path

    def sprung(self) -> bool:
        there = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return there

    def stale(self) -> None:
        """Make git compare contents: the index no longer knows the file's time stamp."""
        (self.repo.path / "a.txt").write_text("A\n")


@pytest.fixture
def trap(born: RepoBuilder, tmp_path: Path) -> Trap:
    program, mark = tmp_path / "canary", tmp_path / "sang"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    return Trap(born, program, mark)


def use_everything(repo: RepoBuilder) -> None:
    """Every question this package can ask of a repository."""
    cwd = str(repo.path)
    layout = find(cwd)
    read_head(layout)
    state(layout)
    assert status.read(layout) is not None
    assert list(history.log(cwd, paths=True))
    assert list(history.log(cwd, paths=True, first_parent=True))
    history.latest_tag(cwd)
    history.commit_time(cwd, "HEAD")
    tracked.is_tracked(layout, "a.txt")
    identity.resolve(layout, configured_name=None)


def set_fsmonitor(trap: Trap) -> tuple[str, ...]:
    trap.repo.git("config", "core.fsmonitor", str(trap.program))
    return ("status",)


def set_hooks(trap: Trap) -> tuple[str, ...]:
    hooks = trap.repo.path / ".git" / "evil"
    hooks.mkdir()
    names = ["post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"]
    for name in names:
        (hooks / name).symlink_to(trap.program)
    trap.repo.git("config", "core.hooksPath", str(hooks))
    trap.stale()
    trap.repo.git("update-index", "-q", "--refresh", check=False)
    return ("update-ref", "refs/heads/x", "HEAD")


def set_default_hook(trap: Trap) -> tuple[str, ...]:
    hook = trap.repo.path / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(trap.program)
    return ("add", "-A")


def set_external_diff(trap: Trap) -> tuple[str, ...]:
    trap.repo.git("config", "diff.external", str(trap.program))
    trap.stale()
    return ("diff",)


def set_textconv(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt diff=evil\n"})
    trap.repo.git("config", "diff.evil.textconv", str(trap.program))
    trap.stale()
    return ("log", "-p")


def set_diff_command(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt diff=evil\n"})
    trap.repo.git("config", "diff.evil.command", str(trap.program))
    trap.stale()
    return ("diff",)


def set_signature(trap: Trap) -> tuple[str, ...]:
    signed = trap.repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1
    )
    sha = trap.repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode())
    trap.repo.git("reset", "-q", "--soft", sha)
    trap.repo.git("config", "gpg.program", str(trap.program))
    trap.repo.git("config", "log.showSignature", "true")
    return ("log",)


def set_clean_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    trap.repo.git("config", "filter.evil.clean", str(trap.program))
    trap.stale()
    return ("status",)


def set_odd_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=e=v.il\n"})
    trap.repo.git("config", "filter.e=v.il.clean", str(trap.program))
    trap.repo.git("config", "filter.e=v.il.required", "true")
    trap.stale()
    return ("status",)


def set_process_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    trap.repo.git("config", "filter.evil.process", str(trap.program))
    trap.stale()
    return ("status",)


def set_included_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    extra = trap.repo.path / ".git" / "more"
    extra.write_text(f'[filter "evil"]\n\tclean = {trap.program}\n')
    trap.repo.git("config", "include.path", "more")
    trap.stale()
    return ("status",)


def set_huge_configuration(trap: Trap) -> tuple[str, ...]:
    """A file too large for the hand reader must not hide its filters."""
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    config = trap.repo.path / ".git" / "config"
    lines = f'[filter "evil"]\n\tclean = {trap.program}\n' + "# padding\n" * 150_000
    config.write_text(config.read_text() + lines)
    trap.stale()
    return ("status",)


def set_submodule(trap: Trap) -> tuple[str, ...]:
    """A submodule's configuration is the repository's as well."""
    inner = RepoBuilder(trap.repo.path / "inner", home=trap.repo.home)
    inner.commit("Inside", {"x": ""})
    trap.repo.git("add", "inner")
    inner.git("config", "core.fsmonitor", str(trap.program))
    return ("status",)


def set_lazy_fetch(trap: Trap) -> tuple[str, ...]:
    """A missing object makes git fetch, through the program that core.sshCommand names."""
    trap.repo.git("config", "core.repositoryFormatVersion", "1")
    trap.repo.git("config", "extensions.partialClone", "origin")
    trap.repo.git("remote", "add", "origin", "ssh://localhost.invalid/x")
    trap.repo.git("config", "remote.origin.promisor", "true")
    trap.repo.git("config", "core.sshCommand", f"touch {trap.mark}; false")
    blob = trap.repo.git("rev-parse", "HEAD~1:src/b.txt")
    (trap.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return ("log", "-p")


TRAPS = [
    set_fsmonitor,
    set_hooks,
    set_default_hook,
    set_external_diff,
    set_textconv,
    set_diff_command,
    set_signature,
    set_clean_filter,
    set_odd_filter,
    set_process_filter,
    set_included_filter,
    set_huge_configuration,
    set_submodule,
    set_lazy_fetch,
]


@pytest.mark.parametrize("arm", TRAPS, ids=lambda arm: arm.__name__.removeprefix("set_"))
def test_no_program_of_the_repository_runs(
    trap: Trap, arm: Callable[[Trap], tuple[str, ...]]
) -> None:
    trap.repo.commit("Second", {"a.txt": "a\n", "c.txt": "c\n"})
    provocation = arm(trap)
    trap.sprung()
    use_everything(trap.repo)
    assert not trap.sprung()
    trap.repo.git(*provocation, check=False)
    assert trap.sprung(), "this trap no longer works: the test shows nothing"


@pytest.mark.parametrize(
    ("arm", "command"),
    [
        (set_hooks, ["update-ref", "refs/gitmem/x", "HEAD"]),
        (set_signature, ["log", "--format=%H"]),
        (set_fsmonitor, ["ls-files"]),
        (set_fsmonitor, ["diff-tree", "HEAD", "HEAD~1"]),
        (set_lazy_fetch, ["log", "-p"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value.__name__,
)
def test_the_runner_alone_disarms(
    trap: Trap, arm: Callable[[Trap], tuple[str, ...]], command: list[str]
) -> None:
    """Whatever a caller forgets to switch off."""
    trap.repo.commit("Second", {"a.txt": "a\n", "c.txt": "c\n"})
    arm(trap)
    trap.sprung()
    run_git(command, cwd=str(trap.repo.path), check=False)
    assert not trap.sprung()
    trap.repo.git(*command, check=False)
    assert trap.sprung()


def test_filters_of_the_user_stay(trap: Trap, home: Path) -> None:
    """git-lfs is set up in the user's configuration: without it, files would seem changed."""
    (home / ".gitconfig").write_text(f'[filter "mine"]\n\tclean = {trap.program}\n')
    trap.repo.write({".gitattributes": "*.txt filter=mine\n"})
    trap.repo.git("config", "filter.theirs.clean", "x")
    layout = find(str(trap.repo.path))
    assert {key for key, _ in content_filters.neutral(layout)} == {
        f"filter.theirs.{part}" for part in ("clean", "smudge", "process", "required")
    }
    trap.stale()
    status.read(layout)
    assert trap.sprung()


def test_no_question_about_filters_where_there_are_none(born: RepoBuilder) -> None:
    assert content_filters.neutral(find(str(born.path))) == ()


def test_hot_modules_load_nothing_heavy(born: RepoBuilder) -> None:
    code = (
        "import sys;"
        "from gitmem.git import head, identity, layout, runner, status, tracked;"
        "found = layout.find(sys.argv[1]); head.read_head(found); head.state(found);"
        "status.read(found); tracked.is_tracked(found, '.gitmem/');"
        "identity.signature(found, home=None, xdg=None);"
        "print(*sys.modules)"
    )
    argv = [sys.executable, "-c", code, str(born.path)]
    done = subprocess.run(argv, env=born.env, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "gitmem.git.status" in loaded
    heavy = {"dulwich", "pydantic", "click", "numpy", "subprocess", "json", "pathlib", "asyncio"}
    assert loaded & heavy == set()
