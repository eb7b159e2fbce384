"""Hostile repositories: no program of theirs runs, nothing outside is read or written (S-17).

Each has a store of the user's own, as when a project turns hostile with a pull; then all verbs run
in it. The marker of what lies outside may be in no answer and in no byte of the store.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import Conflict
from tests.reliability.hostile_repositories import (
    CASES,
    IMPOSTORS,
    LINKED,
    SECRET,
    World,
    make_world,
)
from tests.reliability.scoring import Score
from tests.support import every_verb
from tests.support.apps import Desk
from tests.support.cli import command
from tests.support.git_states import seed_repository
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")
QUIET = {"GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off", "GITMEM_MODEL": "hashed"}
PATIENCE = 60.0  # seconds for all verbs in one repository
# In the quick tier: what reads most, and one more verb in turn.
FEW = {"index", "orient", "search", "import-docs", "affected", "summary"}
ALLOWED = {"git", os.path.basename(sys.executable), "python3", "python"}
COMBINED = (
    *("fsmonitor", "external diff", "textconv", "clean filter", "pager and editor", "aliases"),
    *("credentials", "linked code", "linked documents", "modules of Python"),
    "programs named as ours",
)
STRACE = shutil.which("strace")


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The seed repository with three memories and an index."""
    repo = seed_repository(tmp_path_factory.mktemp("seed"))
    repo.commit("More", {"src/b.txt": "b\n", "a.txt": "a\n"})
    repo.commit("Again", {"src/b.txt": "B\n"})
    desk = Desk(repo.path, repo.home, **QUIET)
    desk.run("init", no_hooks=True)
    texts = ("The till is odd", "The cart is even", "This one is lost")
    saved = [desk.run("remember", text=text, duplicates="allow").id for text in texts]
    desk.env["IDS"] = " ".join(saved)
    return desk


def about_links(out: Path) -> list[tuple[str, dict[str, Any]]]:
    """Verbs that are given the paths of links."""
    return [
        *(("file", {"path": path}) for path in (LINKED, "AGENTS.md", "docs/secret.md")),
        ("context", {"query": "add", "file": LINKED}),
        ("remember", {"text": "About the link", "path": (f"{LINKED}:1-2",)}),
        ("pattern validate", {"target": (LINKED, "docs")}),
        ("check", {"plan": "add", "file": (LINKED,)}),
        ("import-docs", {"path": ("AGENTS.md", "README.md")}),
        ("adr import", {"path": ("docs/decisions",)}),
        ("skill import", {"path": (".claude/skills", ".")}),
        ("search", {"query": "add", "include_content": True, "context_lines": 5}),
        ("summary", {"path": "docs"}),
        ("impact", {"target": LINKED}),
        ("adr export", {"folder": "docs"}),
        ("skill export", {"to": "docs"}),
        ("verify", {"all": True}),
    ]


def answers(made: Desk, world: World, turn: int, turns: int) -> tuple[int, list[str]]:
    """How many verbs were tried, and all they said."""
    out = world.outside.parent / "out"
    out.mkdir()
    result = []
    calls = every_verb.calls(made.env["IDS"].split(), out)
    tried = [
        call
        for at, call in enumerate(calls)
        if turns == 1 or call[0] in FEW or (at + turn) % turns == 0
    ]
    links = about_links(out) if turns == 1 or (world.repo.path / LINKED).is_symlink() else []
    for name, values in [*tried, *links]:
        result.append(every_verb.told(made, name, values))
    return len(result), result


def everything(folder: Path) -> dict[str, object]:
    """What lies outside of the repository, links followed to nowhere."""
    return {
        str(path): path.read_bytes() if path.is_file() and not path.is_symlink() else path.lstat()
        for path in folder.rglob("*")
        if not path.is_dir() or path.is_symlink()
    }


def attacked(name: str, seed: Desk, folder: Path, turn: int, turns: int) -> int:
    """Arm a repository, try verbs in it, and see that nothing happened; how many were tried."""
    world = make_world(RepoBuilder(seed.place, init=False), folder)
    CASES[name](world)
    world.sprung()  # git itself may have run it meanwhile
    before = everything(world.outside)
    begun = time.process_time()
    made = seed.at(world.repo.path)
    tried, message = answers(made, world, turn, turns)
    took = time.process_time() - begun
    assert not world.sprung(), "a program of the repository was run"
    assert everything(world.outside) == before, "something outside was written"
    leaks = [text[:300] for text in message if SECRET in text]
    assert not leaks, leaks
    for path in (world.repo.path / ".gitmem").glob("*"):
        if path.is_file() and not (world.repo.path / ".gitmem").is_symlink():
            assert SECRET.encode() not in path.read_bytes(), f"{path} holds what lies outside"
    assert took < PATIENCE
    return tried


def test_nothing_of_theirs_runs_and_nothing_outside_is_touched(
    seed: Desk, tmp_path_factory: pytest.TempPathFactory, score: Score
) -> None:
    turns = score.size(quick=40, full=1)
    every = score.size(quick=3, full=1)
    tried, wrong = 0, []
    names = [name for number, name in enumerate(CASES) if number % every == 0]
    for number, name in enumerate(names):
        try:
            tried += attacked(name, seed, tmp_path_factory.mktemp("hostile"), number, turns)
        except Exception as error:
            error.add_note(f"in the repository {name!r}")
            wrong.append(error)
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} of {len(names)} repositories", wrong)
    score.report("repositories", cases=len(names), fired=len(names), calls=tried)


def test_setup_vouches_for_nothing_that_came_with_a_clone(
    seed: Desk, tmp_path: Path, score: Score
) -> None:
    """What has gitmem's name is refused and named; replaced, nothing of it stays or comes back."""
    world = make_world(RepoBuilder(seed.place, init=False), tmp_path)
    made = seed.at(world.repo.path)
    cases = IMPOSTORS[:: score.size(quick=2, full=1)]
    for agent, name, text in cases:
        evil = text.replace("@", str(world.program))
        world.repo.write({name: evil})
        path = world.repo.path / name
        with pytest.raises(Conflict) as refused:
            made.run("setup", agents=(agent,))
        assert name in refused.value.message and f"{agent} --replace" in refused.value.hint
        assert path.read_text() == evil
        assert any(name in finding.message for finding in made.run("doctor").findings)
        for values in ({"replace": True}, {"remove": True}):
            made.run("setup", agents=(agent,), **values)
            left = path.read_text() if path.exists() else ""
            assert str(world.program) not in left and "evilpy" not in left, (agent, values)
        path.unlink(missing_ok=True)
    assert not world.sprung()
    score.report("impostors", cases=len(cases), fired=len(cases))


@pytest.mark.skipif(not STRACE, reason="needs strace")
def test_the_system_sees_only_git_and_python_start_and_nothing_outside_opened(
    seed: Desk, tmp_path: Path, score: Score
) -> None:
    """What marks and markers cannot show: every program started and every file really opened."""
    world = make_world(RepoBuilder(seed.place, init=False), tmp_path)
    for name in COMBINED:
        CASES[name](world)
    world.sprung()
    env = seed.at(world.repo.path).env | {"PATH": f".:{os.environ['PATH']}"}
    started, opened = 0, 0
    verbs = ("index", "import-docs", "orient", "affected", "summary", "doctor")
    for verb in verbs[: score.size(quick=1, full=6)]:
        trace = tmp_path / "trace"
        watched = [STRACE or "", "-f", "-y", "-qq", "-e", "trace=execve,openat", "-o", str(trace)]
        done = subprocess.run(
            [*watched, *command(verb)],
            cwd=world.repo.path,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if not trace.exists() or b"ptrace" in done.stderr:
            pytest.skip("no process may be watched here")
        observed = trace.read_text(errors="replace").splitlines()
        lines = [line for line in observed if "= -1" not in line]
        programs = [line.split('"')[1] for line in lines if " execve(" in line]
        files = [line.rpartition("<")[2].rstrip(">") for line in lines if " openat(" in line]
        assert programs and files, done.stderr
        assert {os.path.basename(program) for program in programs} <= ALLOWED, programs
        assert not [program for program in programs if str(tmp_path) in program]
        assert not [file for file in files if file.startswith(str(world.outside))]
        started, opened = started + len(programs), opened + len(files)
    assert not world.sprung()
    score.report("watched by strace", cases=started + opened, fired=started, opened=opened)
