"""Real runs of `gitmem setup`, in a home and a repository made for it, told with neutral paths."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from gitmem.agents.hosts.table import BY_NAME
from gitmem.app import App
from gitmem.clock import FixedClock
from gitmem.git import runner
from gitmem.model.frozen import dataclass
from gitmem.operations.start import setup
from gitmem.operations.start.init import INIT
from gitmem.operations.start.setup import SETUP, SetupOutcome, SetupRequest
from gitmem.settings import Settings

YOU = "/home/you"
_NOW = 1_795_248_222_000
_PROGRAM = "#!/bin/sh\n"


@dataclass(frozen=True, slots=True)
class Screens:
    """What a person reads of a dry run, of the status after setup, and of the removal."""

    dry_run: str
    status: str
    removed: str


@cache
def screens(agent: str) -> Screens:
    """The screens of one host, on any system as on Linux."""
    with tempfile.TemporaryDirectory() as folder, _git_alone(os.path.realpath(folder)) as env:
        home = Path(env["HOME"])
        place = home / "shop"
        _furnish(home, agent)
        # Not git's own template, which differs between systems.
        words = ["init", "--quiet", "--initial-branch=main", "--template=", str(place)]
        runner.run_git(words, cwd=str(home))
        (place / ".git" / "info").mkdir()
        (place / ".git" / "info" / "exclude").write_text("*.orig\n", encoding="utf-8")
        _run(env, place, None)

        def told(**values: bool) -> str:
            request = SetupRequest(
                agents=(agent,), command=str(home / ".local/bin/gitmem"), **values
            )
            return SETUP.view(_run(env, place, request)).replace(str(home), YOU)

        dry_run = told(dry_run=True)
        told()
        status = told(status=True)
        return Screens(dry_run, status, told(remove=True))


def _run(env: dict[str, str], place: Path, request: SetupRequest | None) -> SetupOutcome:
    app = App(Settings(env), FixedClock(_NOW), str(place))
    try:
        if request is None:
            return INIT.run(app, INIT.request_class(no_index=True, no_hooks=True))  # type: ignore[no-any-return]
        return setup.setup_on_platform(app, request, "linux")
    finally:
        app.close()


def _furnish(home: Path, agent: str) -> None:
    """A home in which gitmem and the host are installed."""
    bin_folder = home / ".local" / "bin"
    bin_folder.mkdir(parents=True)
    (home / ".config" / "Claude").mkdir(parents=True)
    for name in ("gitmem", *BY_NAME[agent].programs[:1]):
        (bin_folder / name).write_text(_PROGRAM, encoding="utf-8")
        (bin_folder / name).chmod(0o755)


@contextmanager
def _git_alone(folder: str) -> Iterator[dict[str, str]]:
    """An environment of its own, in which git knows nothing of whoever runs this."""
    before = dict(runner.git_environment())
    home = Path(folder) / "you"
    home.mkdir()
    path = os.pathsep.join([str(home / ".local" / "bin"), before.get("PATH", os.defpath)])
    env = {"PATH": path, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        runner.configure_git_environment(env)
        yield env
    finally:
        runner.configure_git_environment(before)
