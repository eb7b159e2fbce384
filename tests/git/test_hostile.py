"""Programs that a repository's configuration names are never run (reliability 3.3).

Each case first shows with the user's own git that the canary does sing, so a case that has lost
its sting fails.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.git import content_filters, history, identity, status, tracked
from gitmem.git.head import operation_in_progress, read_head
from gitmem.git.layout import find_repository
from gitmem.git.runner import run_git
from tests.support.repos import RepoBuilder
from tests.support.traps import (
    TRAPS,
    Trap,
    make_trap,
    set_fsmonitor,
    set_hooks,
    set_lazy_fetch,
    set_signature,
)


@pytest.fixture
def trap(born: RepoBuilder, tmp_path: Path) -> Trap:
    return make_trap(born, tmp_path)


def use_everything(repo: RepoBuilder) -> None:
    """Every question this package can ask of a repository."""
    cwd = str(repo.path)
    layout = find_repository(cwd)
    read_head(layout)
    operation_in_progress(layout)
    assert status.read_status(layout) is not None
    assert list(history.list_commits(cwd, with_paths=True))
    assert list(history.list_commits(cwd, with_paths=True, first_parent_only=True))
    history.latest_release_tag(cwd)
    history.commit_time(cwd, "HEAD")
    tracked.is_tracked(layout, "a.txt")
    identity.resolve_project_identity(layout, configured_name=None)


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
    layout = find_repository(str(trap.repo.path))
    assert {key for key, _ in content_filters.settings_disabling_filters(layout)} == {
        f"filter.theirs.{part}" for part in ("clean", "smudge", "process", "required")
    }
    trap.stale()
    status.read_status(layout)
    assert trap.sprung()


def test_no_question_about_filters_where_there_are_none(born: RepoBuilder) -> None:
    assert content_filters.settings_disabling_filters(find_repository(str(born.path))) == ()


def test_hot_modules_load_nothing_heavy(born: RepoBuilder) -> None:
    code = (
        "import sys;"
        "from gitmem.git import head, identity, layout, runner, status, tracked;"
        "found = layout.find_repository(sys.argv[1]); head.read_head(found);"
        "head.operation_in_progress(found);"
        "status.read_status(found); tracked.is_tracked(found, '.gitmem/');"
        "identity.identity_change_stamp(found, home_folder=None, xdg_config_home=None);"
        "print(*sys.modules)"
    )
    argv = [sys.executable, "-c", code, str(born.path)]
    done = subprocess.run(argv, env=born.env, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "gitmem.git.status" in loaded
    heavy = {"dulwich", "pydantic", "click", "numpy", "subprocess", "json", "pathlib", "asyncio"}
    assert loaded & heavy == set()
