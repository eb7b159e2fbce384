"""Where one host is run: a home, a repository with memories, and gitmem wired to the host.

Three memories carry a word that nothing else has: one for the orientation, one on a file that is
edited, one on an error that a command makes. Two dozen newer ones keep the last two out of the
orientation, which is short.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts import tap
from tests.support.repos import RepoBuilder

ROOT = Path(__file__).resolve().parents[2]
FILE, OTHER = "app/config.py", "app/transport.py"
BEFORE, AFTER = "DEFAULT_TIMEOUT = 5.0", "DEFAULT_TIMEOUT = fortnights(9.0)"
PROMPT = f"Raise the default timeout in {FILE} and run the tests."
FAILS = "python3 -c 'import trampolineq'"
ORIENT, EDIT, FIX = "ORIENTCANARY", "EDITCANARY", "FIXCANARY"
FRAME = "<<<gitmem:"
PATIENCE = 150  # seconds for a host's run
_TREES = (
    *("alder", "birch", "cedar", "dogwood", "elder", "fir", "ginkgo", "hazel", "ivy", "juniper"),
    *("katsura", "larch", "maple", "nutmeg", "oak", "pine", "quince", "rowan", "spruce", "teak"),
    *("umbra", "vine", "willow", "yew", "zelkova"),
)


@dataclass(frozen=True)
class Ended:
    """How a program ended; no status where it had to be killed."""

    status: int | None
    out: str
    err: str


class Workplace:
    """A repository and a home in ``folder``, for a host that lies in ``modules``."""

    def __init__(self, folder: Path, modules: Path) -> None:
        self.folder, self.modules = folder, modules
        self.home = folder / "home"
        self.repo = folder / "repo"
        built = RepoBuilder(self.repo, home=self.home)
        built.commit("Begin", {FILE: f"{BEFORE}\n", OTHER: "RETRIES = 3\n"})
        self.program = tap.install(folder, ROOT)
        self.env = {
            "PATH": os.pathsep.join(self._programs()),
            "HOME": str(self.home),
            "USER": "tester",
            "SHELL": "/bin/bash",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    @property
    def file(self) -> Path:
        """The file that is edited."""
        return self.repo / FILE

    def _programs(self) -> list[str]:
        """The folders of programs: a Node that came with the host goes before the machine's."""
        own = [str(item) for item in sorted(self.modules.glob("node-*/bin"))]
        node = shutil.which("node")
        found = [str(Path(node).parent)] if node else []
        return [*own, *found, "/usr/local/bin", "/usr/bin", "/bin"]

    def gitmem(self, *words: str, stdin: str = "") -> Ended:
        """Run gitmem as its user does; what its hooks are told meanwhile is not noted."""
        return self.run([str(self.program), *words], {tap.OFF: "1"}, stdin=stdin)

    def run(
        self, words: Sequence[str], more: Mapping[str, str], *, stdin: str = "", seconds: int = 60
    ) -> Ended:
        """Run a program in the repository, killed with all that it started when time is up."""
        child = subprocess.Popen(
            list(words),
            env={**self.env, **more},
            cwd=self.repo,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        status: int | None = None
        try:
            out, err = child.communicate(stdin.encode(), timeout=seconds)
            status = child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
        return Ended(status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def write(self, path: Path, content: str) -> None:
        """Write a file of the host's own."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def remember(self) -> None:
        """Keep the three words, and what pushes two of them out of the orientation."""
        self._told("init")
        there = ("--why", "One place", "--path", OTHER)
        self._told("decide", f"{ORIENT} retries live in the transport", *there)
        here = ("--kind", "convention", "--path", FILE)
        self._told("remember", f"{EDIT} every default stands here", *here)
        self._told("decide", "Count in seconds, not fortnights")
        mended = f"{FIX} ModuleNotFoundError: No module named 'trampolineq': pip install trampoline"
        self._told("remember", mended, "--kind", "fix")
        lines = [_filler(number, tree) for number, tree in enumerate(_TREES)]
        assert self.gitmem("remember", "-", stdin="\n".join(lines)).status == 0

    def _told(self, *words: str) -> None:
        done = self.gitmem(*words)
        assert done.status == 0, done.err

    def setup(self, agent: str, *more: str) -> None:
        """`gitmem setup`, as a user runs it."""
        self._told("setup", agent, *more)

    def at(self, place: Path) -> Workplace:
        """The same with another folder of the repository to work in."""
        other = copy.copy(self)
        other.repo = place
        return other

    def worktree(self, name: str) -> Workplace:
        """The same in a linked worktree that is added now."""
        place = self.folder / name
        words = ["git", "worktree", "add", "-q", str(place), "-b", name]
        assert self.run(words, {}).status == 0
        return self.at(place)

    def inside(self, name: str) -> Workplace:
        """The same in a sub-folder that is made now."""
        place = self.repo / name
        place.mkdir()
        return self.at(place)

    def doctor(self, agent: str) -> list[dict[str, Any]]:
        """What `gitmem doctor --live` says of an agent."""
        done = self.gitmem("doctor", "--live", "--json")
        found = json.loads(done.out)["live"]
        return [item for item in found if item["agent"] == agent]

    def standing(self, agent: str) -> dict[str, Any]:
        """What `gitmem setup --status` says of an agent."""
        done = self.gitmem("setup", agent, "--status", "--json")
        found: list[dict[str, Any]] = json.loads(done.out)["agents"]
        return next(item for item in found if item["agent"] == agent)


def _filler(number: int, tree: str) -> str:
    output = (
        f"The {tree} module number {number * 7} answers to the {_TREES[-number - 1]} queue and is "
        f"owned by team {tree}-{number}, see their runbook chapter {number + 3} for a release"
    )
    return json.dumps({"content": output, "kind": "convention", "pin": number < 20})
