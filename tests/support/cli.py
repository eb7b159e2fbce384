"""The real program in a process of its own, and what it answered.

    program = Program(tmp_path / "home", repo.path)
    program("init")
    assert program("recall", "redis", "--json").json["memories"] == []
    refused = program("show", "ZZZZ", "--json", status=4)
    assert refused.error["code"] == "not_found"

Every call fails the test where the exit status is not the expected one or a traceback is seen.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gitmem.cli.main import main
from gitmem.settings import AGENT_MARKS
from tests.support import prefork
from tests.support.prefork import command
from tests.support.repos import isolated_environment

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds for a command


@dataclass(frozen=True)
class Done:
    """Exit status and both outputs of one command."""

    words: tuple[str, ...]
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error object on standard error, which must be the only thing there."""
        data = json.loads(self.err)
        assert set(data) == {"error"}
        assert set(data["error"]) == {"code", "message", "hint"}
        return dict(data["error"])


def environment(home: Path, **more: str) -> dict[str, str]:
    """What gitmem under test is started with: nothing of the caller's git, home or agent."""
    base = isolated_environment(home)
    saved = {name: value for name, value in base.items() if name not in AGENT_MARKS}
    return saved | {"GITMEM_HOME": str(home / "gitmem"), "PYTHONPATH": prefork.PLACES} | more


def run(
    words: Sequence[str],
    cwd: Path | str,
    env: dict[str, str],
    stdin: bytes = b"",
    prefix: Sequence[str] = (),
) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own; with words in front of it, one of an ordinary start."""
    if prefix:
        argv = [*prefix, *command(*words)]
        return subprocess.run(
            argv, cwd=cwd, env=env, input=stdin, capture_output=True, timeout=PATIENCE, check=False
        )
    process = prefork.start(words, cwd, env)
    out, err = process.communicate(stdin, PATIENCE)
    assert process.returncode is not None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


class Program:
    """gitmem as users start it. ``env`` may be changed between calls."""

    def __init__(self, home: Path, cwd: Path, **more: str) -> None:
        self.cwd = cwd
        self.env = environment(home, **more)

    def __call__(
        self,
        *words: str,
        status: int | None = 0,
        stdin: bytes = b"",
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        prefix: tuple[str, ...] = (),
    ) -> Done:
        """Run it. ``status`` None accepts any; ``prefix`` goes in front, such as setpriv."""
        done = run(words, cwd or self.cwd, self.env if env is None else env, stdin, prefix)
        answer = Done(
            words,
            done.returncode,
            done.stdout.decode("utf-8"),
            done.stderr.decode("utf-8", "backslashreplace"),
        )
        assert "Traceback" not in answer.out + answer.err, answer
        assert status is None or answer.status == status, answer
        return answer

    def here(
        self,
        *words: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        status: int = 0,
    ) -> Done:
        """Run it in this process, without the start of one: for what many commands say."""
        capsys.readouterr()
        with monkeypatch.context() as changed, prefork.forked_background():
            changed.chdir(self.cwd)
            for name in os.environ.keys() - self.env.keys():
                changed.delenv(name)
            for name, value in self.env.items():
                changed.setenv(name, value)
            answer = Done(words, main(words), *capsys.readouterr())
        assert "Traceback" not in answer.out + answer.err, answer
        assert answer.status == status, answer
        return answer

    def refused(self, status: int, code: str, *words: str, **how: Any) -> Done:
        """Run it with --json and check the whole shape of a refusal.

        Nothing on standard output; on standard error the error object, its message one sentence,
        its hint not empty.
        """
        result = self(*words, "--json", status=status, **how)
        assert result.out == "", result
        assert result.error["code"] == code, result
        assert result.error["message"].endswith((".", "?")), result
        assert "\n" not in result.error["message"] + result.error["hint"], result
        assert result.error["hint"], result
        return result
