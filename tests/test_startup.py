"""What a command may load and start: each in a fresh process, as a session or a hook runs it.

Times are measured by ``tests/bench``; here stands what makes them: the list of modules that cost
more than a few milliseconds (architecture, section 8), and the number of git processes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import gitmem
from gitmem.spool import event_log, lease
from tests.support import moved
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table
from tests.support.waiting import wait_until

# Never loaded by any command of the command line but those that need them (`gitmem mcp`, ...).
RIMS = (
    "mcp",
    "pydantic",
    "pydantic_core",
    "numpy",
    "tree_sitter",
    "sqlite_vec",
    "sqlite3",
    "watchfiles",
    "jinja2",
    "gitmem.http",
    "asyncio",
)
# Each costs a hot command from 2 to 130 ms of CPU.
HEAVY = (
    *("click", "dulwich", "dataclasses", "inspect", "subprocess", "pathlib", "tempfile", "shutil"),
    *(
        "threading",
        "logging",
        "ssl",
        "socket",
        "email",
        "random",
        "secrets",
        "zoneinfo",
        "datetime",
    ),
    *("tomllib", "argparse", "importlib.metadata", "urllib.parse", "difflib", "unicodedata"),
    *("typing", "hashlib", "_hashlib"),
)
HOT = {
    "orient": ("orient",),
    "a returning orient": ("orient", "--budget", "800"),
    "recall": ("recall", "which port does redis use"),
    "recall of an identifier": ("recall", "loadUserConfig"),
    "remember": ("remember", "Tests need Redis on port 6380", "--kind", "convention"),
    "status": ("status",),
    "version": ("--version",),
}
# How many processes of git: one for the commits, one for the work tree. The others start none.
FEW = {"orient": 2, "a returning orient": 2}
# Modules of gitmem itself, at most: each costs 0.2 ms. Raise a number for what users get by it: one
# is `branches.subprojects`, by which each folder of a monorepo has memories of its own; status
# names those there are and remember looks only there for what says the same: both load what asks
# the store for them.
MOST = {
    # With the sub-project it is in, and the memory of who is told what.
    "orient": 105,
    "a returning orient": 105,
    # With the name of the contextual model, whose vectors are told from the table's.
    "recall": 118,
    "recall of an identifier": 118,
    "remember": 142,  # the formats of secrets are two tables, and keys assigned to a name a third
    # With how far the index is: 7 more, 11 where it is behind.
    "status": 78,
    "version": 4,
    "session-start": 118,
    "prompt": 80,
    "post-edit": 75,
    "stop": 68,
}
# Further commands: each imports its own operation, and click only for help and for what is wrong.
OTHERS = {
    "list": ("list",),
    "show": ("show", "{id}"),
    "timeline": ("timeline",),
    "session list": ("session", "list"),
    "session start": ("session", "start"),
    "hooks status": ("hooks", "status"),
    "model use": ("model", "use", "builtin"),
    "time": ("time", "yesterday"),
    "upkeep": ("upkeep",),
    "drain": ("drain",),
}
# Of writing memories, and of looking at files that memories cite, a plain reader needs nothing.
WRITING = (
    *("gitmem.memory.draft", "gitmem.memory.edit"),
    *("gitmem.store.memory.anchors", "gitmem.freshness.anchor_verdict"),
)
# What hosts of agents start all the time, with what they say on standard input.
HOOKS = {
    "session-start": {"source": "startup"},
    "prompt": {"prompt": "Which port does redis use, and why?"},
    "post-edit": {
        "tool_name": "Edit",
        "tool_input": {"file_path": "src/app.py", "old_string": "x = 1", "new_string": "limit = 2"},
    },
    "stop": {"last_assistant_message": "Done."},
}
# The hooks that use no more of gitmem than `orient` does.
LIKE_ORIENT = ("session-start", "stop")
# Those who only read what gitmem wrote itself do without (2 ms).
NO_JSON = ("orient", "a returning orient", "recall", "status", "version")
# What a command may not load of gitmem itself, though it is not heavy.
NOT_FOR = {
    "orient": ("gitmem.search", "gitmem.text.redact", "gitmem.operations.find.recall", *WRITING),
    "recall": ("gitmem.timeline", "gitmem.text.redact", "gitmem.git.history", *WRITING),
    "remember": (
        *(
            "gitmem.search.fusion",
            "gitmem.search.files",
            "gitmem.search.question",
            "gitmem.timeline",
        ),
        *("gitmem.git.history", "gitmem.git.status"),
    ),
    "status": (
        *("re", "gitmem.search", "gitmem.timeline", "gitmem.memory", "gitmem.text.redact"),
        *("gitmem.store.memory.memory_writes", "gitmem.git.remotes"),
    ),
    "version": ("gitmem.app", "gitmem.store", "gitmem.git", "gitmem.operations", "apsw"),
}
# The verbs whose operations bring most, and who else may load them.
LARGE = {
    "gitmem.operations.find.search": (),
    "gitmem.operations.start.setup": (),
    "gitmem.operations.maintenance.doctor": (),
    "gitmem.operations.maintenance.export_import": (),
    "gitmem.operations.sessions.session_health": (),
    "gitmem.operations.check.verify": (),
    "gitmem.operations.find.recall": (),
    "gitmem.operations.maintenance.index": ("drain", "model use", "hooks status"),
    "gitmem.operations.internal.drain": ("drain",),
    "gitmem.operations.archive.decay": ("upkeep", "drain"),
}
_SHOW = "import sys\n{body}\nsys.stderr.write('LOADED ' + ' '.join(sorted(sys.modules)))\n"
_RUN = _SHOW.format(body="from gitmem.cli.main import main\nassert main(sys.argv[1:]) == 0")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a store, a memory, and somebody who was there before the last commit."""
    repo = RepoBuilder(tmp_path_factory.mktemp("made") / "repo")
    repo.env["PYTHONPATH"] = str(Path(gitmem.__file__).parents[1])
    repo.env["GITMEM_HOME"] = str(repo.home / "gitmem")
    repo.commit("First", {"src/app.py": "x = 1\n"})
    for words in (
        ["init"],
        ["remember", "Redis listens on port 6380; see loadUserConfig"],
        ["orient"],
    ):
        run(repo, _RUN, *words)
    repo.commit("Second", {"src/app.py": "x = 2\n"})
    # What the commit's hook noted is worked off: on a busy machine each copy would do it again.
    spool = str(repo.path / ".gitmem" / "spool")
    wait_until(lambda: not lease.is_spool_lease_held(spool))
    run(repo, _RUN, "drain")
    wait_until(
        lambda: not lease.is_spool_lease_held(spool) and not event_log.count_unread_log_bytes(spool)
    )
    return repo.path.parent


@pytest.fixture
def project(made: Path, tmp_path: Path) -> RepoBuilder:
    """A copy of it that a command may change."""
    return copied(made, tmp_path)


@pytest.fixture(scope="module")
def shared(made: Path, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """A copy for commands that change nothing."""
    return copied(made, tmp_path_factory.mktemp("shared"))


def copied(made: Path, folder: Path) -> RepoBuilder:
    moved.copy(made, folder)
    repo = RepoBuilder(folder / "repo", init=False)
    repo.env["PYTHONPATH"] = str(Path(gitmem.__file__).parents[1])
    repo.env["GITMEM_HOME"] = str(repo.home / "gitmem")
    return repo


def run(repo: RepoBuilder, code: str, *words: str, said: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=repo.path,
        env=repo.env,
        input=said,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.rpartition("LOADED ")[2]


def loaded(repo: RepoBuilder, *words: str, said: str = "") -> set[str]:
    """The modules that a command brings, beyond those that Python has at the start."""
    return set(run(repo, _RUN, *words, said=said).split()) - bare()


@cache
def bare() -> set[str]:
    """The modules that Python has at the start, whatever the repository."""
    code, env = [sys.executable, "-c", _SHOW.format(body="")], os.environ | {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(code, env=env, capture_output=True, text=True, check=True)
    return set(done.stderr.rpartition("LOADED ")[2].split())


def counted_git(repo: RepoBuilder, tmp_path: Path) -> Path:
    """Put a git on the PATH that writes each call to a file; the file."""
    log = tmp_path / "calls"
    counting = tmp_path / "bin" / "git"
    counting.parent.mkdir()
    counting.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {shutil.which("git")} "$@"\n')
    counting.chmod(0o755)
    repo.env["PATH"] = f"{counting.parent}:{repo.env['PATH']}"
    return log


def among(modules: set[str], names: tuple[str, ...]) -> list[str]:
    return sorted(m for m in modules if any(m == n or m.startswith(n + ".") for n in names))


@pytest.mark.parametrize("name", HOT)
def test_a_hot_command_loads_nothing_heavy_and_starts_few_git_processes(
    project: RepoBuilder, tmp_path: Path, name: str
) -> None:
    """Git costs 2 to 3 ms of CPU each time."""
    log = counted_git(project, tmp_path) if sys.platform != "win32" else None
    modules = loaded(project, *HOT[name])
    calls = log.read_text().splitlines() if log and log.exists() else []
    assert len(calls) <= FEW.get(name, 0), calls
    assert calls or name not in FEW or not log
    assert among(modules, (*RIMS, *HEAVY)) == []
    assert len(among(modules, ("gitmem",))) <= MOST[name]
    assert name not in NO_JSON or among(modules, ("json",)) == []
    assert among(modules, NOT_FOR.get(name, ())) == [], "it does not use that"


def hooked(repo: RepoBuilder, event: str, session: str = "session-1") -> set[str]:
    """The modules that a hook of Claude Code brings."""
    message = {"session_id": session, "cwd": str(repo.path), **HOOKS[event]}
    return loaded(repo, "hook", "claude-code", event, said=json.dumps(message))


@pytest.mark.parametrize("event", HOOKS)
def test_a_hook_of_an_agent_loads_nothing_heavy(project: RepoBuilder, event: str) -> None:
    """CT-22: a session waits for it."""
    modules = hooked(project, event)
    assert "gitmem.agents.events.dispatch" in modules
    assert among(modules, (*RIMS, *HEAVY)) == []
    assert len(among(modules, ("gitmem",))) <= MOST[event]
    hosts = [f"gitmem.agents.hosts.{name}" for name in ("claude_code", "host", "registry")]
    assert among(modules, ("gitmem.agents.hosts",)) == ["gitmem.agents.hosts", *hosts]
    assert event not in LIKE_ORIENT or among(modules, NOT_FOR["orient"]) == []


def test_an_edit_of_which_no_rule_speaks_is_not_compared_with_rules(project: RepoBuilder) -> None:
    Desk(project.path, project.home).run("decide", title="Use apsw, not sqlite3")
    modules = hooked(project, "post-edit")
    assert "gitmem.agents.events.edit_conflict" not in modules
    assert len(among(modules, ("gitmem",))) <= MOST["post-edit"]


def test_a_second_hook_of_a_session_loads_no_orientation(project: RepoBuilder) -> None:
    """Two hosts read one file, and one host calls at every turn: the second is sent off at once."""
    assert "gitmem.assembly.orientation_facts" in hooked(project, "session-start")
    again = hooked(project, "session-start")
    assert among(again, ("gitmem.assembly", "gitmem.timeline", "gitmem.git.history")) == []


def test_only_a_search_with_a_pattern_loads_globs(project: RepoBuilder) -> None:
    assert "gitmem.text.globs" not in loaded(project, "search", "redis")
    assert "gitmem.text.globs" in loaded(project, "search", "x", "--path", "src/*.py")


@pytest.mark.parametrize("name", OTHERS)
def test_a_command_loads_its_own_operation_and_no_click(project: RepoBuilder, name: str) -> None:
    id = Desk(project.path, project.home).run("list").memories[0].id
    modules = loaded(project, *(word.format(id=id) for word in OTHERS[name]))
    assert among(modules, (*RIMS, "click")) == []
    theirs = [module for module, users in LARGE.items() if name not in users]
    assert among(modules, tuple(theirs)) == []


@table("words", [("--help",), ("--help", "--all"), (), ("session", "--help"), ("hooks", "-h")])
def test_a_list_of_commands_imports_no_operation(
    shared: RepoBuilder, words: tuple[str, ...]
) -> None:
    modules = loaded(shared, *words)
    assert "click" in modules
    assert among(modules, ("gitmem.operations",)) == [
        "gitmem.operations",
        "gitmem.operations.registry",
        "gitmem.operations.shared_fields",
    ]
    assert among(modules, ("gitmem.app", "gitmem.store", "gitmem.git", "apsw", *RIMS)) == []


@table(
    ("words", "own"),
    [
        (("list", "--help"), "find.list"),
        (("session", "start", "--help"), "sessions.session_write"),
        (("model", "use", "-h"), "maintenance.model"),
        (("recall", "--help"), "find.recall"),
        (("-C", ".", "list"), "find.list"),
    ],
)
def test_click_builds_only_the_command_that_is_asked_for_and_loads_none_of_the_rims(
    shared: RepoBuilder, words: tuple[str, ...], own: str
) -> None:
    modules = loaded(shared, *words)
    assert {"click", f"gitmem.operations.{own}"} <= modules
    assert among(modules, tuple({*LARGE} - {f"gitmem.operations.{own}"})) == []
    assert among(modules, RIMS) == []


def test_the_check_sees_a_heavy_module(project: RepoBuilder) -> None:
    """Were the list of modules empty or cut, the tests above could not fail."""
    assert {"gitmem.operations.start.orient", "gitmem.timeline.orientation_sections"} <= loaded(
        project, "orient"
    )
    assert among({"mcp.server", "numpydoc"}, RIMS) == ["mcp.server"]


@pytest.mark.skipif(sys.platform == "win32", reason="the counting git is a shell script")
def test_doctor_starts_few_git_processes(project: RepoBuilder, tmp_path: Path) -> None:
    """Four of the index; one each for sub-projects, the place of the hooks and git's version."""
    log = counted_git(project, tmp_path)
    loaded(project, "doctor")
    assert 0 < len(log.read_text().splitlines()) <= 7, log.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="the counting git is a shell script")
@pytest.mark.parametrize(("event", "most"), [("session-start", 2), ("prompt", 0), ("stop", 0)])
def test_a_hook_starts_few_git_processes(
    project: RepoBuilder, tmp_path: Path, event: str, most: int
) -> None:
    log = counted_git(project, tmp_path)
    folder = project.path / ".gitmem" / "sessions"
    folder.mkdir(exist_ok=True)
    # Whoever works off what it noted would be counted as well.
    held = lease.try_take_spool_lease(str(folder), os.getpid())
    assert held is not None
    hooked(project, event)
    held.release()
    calls = log.read_text().splitlines() if log.exists() else []
    assert len(calls) <= most, calls
    assert calls or not most


def test_the_whole_output_arrives_although_the_process_ends_at_once(project: RepoBuilder) -> None:
    """The process leaves without Python's own clearing up; nothing may be lost by that."""
    long = "word " * 4000
    command = [sys.executable, "-m", "gitmem"]
    for words in (["remember", long], ["list", "--json"], ["--version"]):
        done = subprocess.run(
            [*command, *words], cwd=project.path, env=project.env, capture_output=True, check=True
        )
        assert done.stdout.endswith(b"\n")
    done = subprocess.run(
        [*command, "recall", "word", "--json"],
        cwd=project.path,
        env=project.env,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["memories"][0]["content"] == long.strip()


@pytest.mark.parametrize(("words", "status"), [(("show", "zzzz"), 4), (("recall", "?!"), 2)])
def test_the_exit_status_and_the_message_survive_the_quick_end(
    project: RepoBuilder, words: tuple[str, ...], status: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gitmem", *words],
        cwd=project.path,
        env=project.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("gitmem: ") and done.stderr.endswith("\n")
