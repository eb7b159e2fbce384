"""Runs a composite action's steps as a runner would: real scripts, in a real work tree.

    job = Job(repo.path, tmp_path / "job", cache, program=folder_of_gitmem)
    done = job.run(GITHUB_REF="refs/heads/main")
    assert done.outputs["cache-hit"] == "false"

``uses:`` steps of the cache copy files to and from a folder; setting Python up answers with the one
that runs the tests. ``commands`` are the lines of the log that a runner would have obeyed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml

from tests.action.expressions import text, truth
from tests.support import on_path
from tests.support.cli import ROOT, environment
from tests.support.repos import RepoBuilder

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHA = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Cache:
    """What actions/cache keeps: keys in the order they were saved, each with files and folders."""

    folder: Path
    keys: list[str] = field(default_factory=list)

    def restore(self, key: str, prefixes: list[str], targets: list[Path]) -> str:
        """Copy what a key has, or the newest with the first prefix that any has; its key."""
        expected = [item for item in self.keys if item == key]
        for prefix in prefixes:
            expected = expected or [key for key in reversed(self.keys) if key.startswith(prefix)]
        if not expected:
            return ""
        for number, target in enumerate(targets):
            _copy(self.folder / expected[0] / str(number), target)
        return expected[0]

    def save(self, key: str, sources: list[Path]) -> None:
        """Keep files and folders under a key that was never used before."""
        assert key not in self.keys, "a cache cannot be written twice"
        for number, source in enumerate(sources):
            _copy(source, self.folder / key / str(number))
        self.keys.append(key)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.exists():
        shutil.copyfile(source, target)


@dataclass
class Done:
    """What a run left: the status of the step that failed or 0, all it wrote, and the seconds that
    each step took.
    """

    status: int
    outputs: dict[str, str]
    summary: str
    log: str
    commands: list[str]
    ran: list[str]
    seconds: dict[str, float] = field(default_factory=dict)


class Job:
    """One job on a fresh machine: ``workspace`` is the checkout, ``folder`` the runner's own.

    ``program`` is a folder with gitmem in it that stands on the PATH, if there is one; ``attached``
    are the files of the run by name.
    """

    def __init__(
        self,
        workspace: Path,
        folder: Path,
        cache: Cache,
        program: Path | None = None,
    ) -> None:
        self.workspace, self.folder, self.cache = workspace, folder, cache
        self.attached: dict[str, bytes] = {}
        folder.mkdir(parents=True)
        self.env = {
            name: value
            for name, value in environment(folder / "home").items()
            if not name.startswith(("GITHUB_", "GITMEM_", "PYTHON"))
        }
        if program:
            self.env["PATH"] = f"{program}{os.pathsep}{self.env['PATH']}"

    def run(
        self,
        inputs: dict[str, str] | None = None,
        pull: tuple[str, str, str] = ("", "", ""),
        **event: str,
    ) -> Done:
        """Run all steps; ``event`` gives GITHUB_ variables of the event, ``pull`` the number, the
        base and the head of its pull request.
        """
        variables = self._variables(event)
        known = {
            "runner.os": "Linux",
            "runner.temp": str(self.folder / "temp"),
            "github.sha": variables["GITHUB_SHA"],
            "github.run_id": variables["GITHUB_RUN_ID"],
            "github.run_attempt": "1",
            "github.event.pull_request.number": pull[0],
            "github.event.pull_request.base.sha": pull[1],
            "github.event.pull_request.head.sha": pull[2],
        }
        for name, described in ACTION["inputs"].items():
            known[f"inputs.{name}"] = (inputs or {}).get(name, described["default"])
        done = Done(0, {}, "", "", [], [])
        for step in STEPS:
            if done.status == 0 and truth(step.get("if", "'yes'"), known):
                done.ran.append(step["name"])
                begin = perf_counter()
                found = self._step(step, known, variables, done)
                done.seconds[step["name"]] = perf_counter() - begin
                known |= {f"steps.{step.get('id')}.outputs.{k}": v for k, v in found.items()}
        done.outputs = {
            name: text(described["value"], known) for name, described in ACTION["outputs"].items()
        }
        done.summary = self._read("summary")
        done.commands = obeyed(done.log)
        return done

    def _variables(self, event: dict[str, str]) -> dict[str, str]:
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_REF_NAME": "main",
            "GITHUB_SHA": SHA,
            "GITHUB_RUN_ID": self.folder.name,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": "gitmem/shop",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_ENV": str(self.folder / "env"),
            "RUNNER_TEMP": str(self.folder / "temp"),
            **event,
        }

    def _step(
        self, step: dict[str, Any], known: dict[str, str], variables: dict[str, str], done: Done
    ) -> dict[str, str]:
        if "uses" in step:
            given = {name: text(str(value), known) for name, value in step["with"].items()}
            return self._use(step["uses"].partition("@")[0], given)
        own = {name: text(value, known) for name, value in step.get("env", {}).items()}
        output = self.folder / "output"
        output.write_text("")
        (self.folder / "temp").mkdir(exist_ok=True)
        # As GitHub runs `shell: bash`, the script as it stands in the file.
        script = self.folder / "script.sh"
        script.write_text(step["run"])
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env=self.env | variables | {"GITHUB_OUTPUT": str(output)} | own,
            capture_output=True,
            timeout=100,
            check=False,
        )
        done.status = ended.returncode
        done.log += (ended.stdout + ended.stderr).decode("utf-8", "backslashreplace")
        return dict(line.split("=", 1) for line in output.read_text("utf-8").splitlines())

    def _use(self, action: str, given: dict[str, str]) -> dict[str, str]:
        if action == "actions/setup-python":
            assert given["update-environment"].lower() == "false", "the job's own Python stays"
            return {"python-path": sys.executable}
        if action == "actions/upload-artifact":
            source = Path(given["path"])
            files = sorted(source.iterdir()) if source.is_dir() else [source]
            for file in files:
                name = f"{given['name']}/{file.name}" if source.is_dir() else given["name"]
                self.attached[name] = file.read_bytes()
            return {}
        targets = [self.workspace / path for path in given["path"].split()]
        if action == "actions/cache/restore":
            prefixes = given["restore-keys"].split()
            matched = self.cache.restore(given["key"], prefixes, targets)
            return {"cache-primary-key": given["key"], "cache-matched-key": matched}
        assert action == "actions/cache/save"
        self.cache.save(given["key"], targets)
        return {}

    @property
    def later(self) -> dict[str, str]:
        """The environment of the steps after the action."""
        return self.env | dict(line.split("=", 1) for line in self._read("env").splitlines())

    def _read(self, name: str) -> str:
        found = self.folder / name
        return found.read_text("utf-8") if found.exists() else ""


def obeyed(log: str) -> list[str]:
    """The lines of a log that a runner obeys, as its own code reads them.

    https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs
    """
    found, stopped = [], ""
    for line in log.splitlines():
        command = re.match(r"\s*::([\w-]+)[ :].*|.*(##\[[\w-]+\]).*", line)
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
        elif line.strip().startswith("::stop-commands::"):
            stopped = line.strip().removeprefix("::stop-commands::")
        elif command:
            found.append(line.strip())
    assert not stopped, "commands were never allowed again"
    return found


class Project:
    """A repository, the cache of its jobs, and a gitmem that is installed already.

    ``ordinary`` is told in ``tests.support.on_path``.
    """

    def __init__(self, repo: RepoBuilder, folder: Path, *, ordinary: bool = False) -> None:
        self.repo, self.folder = repo, folder
        self.cache = Cache(folder / "cache")
        self.program = folder / "bin"
        on_path.program(self.program / "gitmem", ordinary=ordinary)
        self.jobs = 0

    def job(self, workspace: Path | None = None) -> Job:
        """A job on a fresh machine: nothing but the checkout is there."""
        self.jobs += 1
        place = workspace or self.repo.path
        self.repo.git("clean", "-ffdxq", cwd=place)
        return Job(place, self.folder / f"job{self.jobs}", self.cache, self.program)

    def run(self, inputs: dict[str, str] | None = None, **event: Any) -> Done:
        done = self.job().run(inputs, **event)
        assert done.status == 0, done.log
        return done
