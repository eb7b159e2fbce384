"""A gitmem that is started by its name is as one that is started from nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import on_path
from tests.support.apps import Desk
from tests.support.cli import environment


def test_it_answers_reads_and_ends_as_one_that_is_started(desk: Desk, tmp_path: Path) -> None:
    env = environment(desk.home, GITMEM_TIMEZONE="UTC") | {"ODD": 'a "quote", \\ and \udcff'}
    forked, started = tmp_path / "forked" / "gitmem", tmp_path / "started" / "gitmem"
    on_path.program(forked)
    on_path.program(started, ordinary=True)
    for words in (["status", "--json"], ["nothing"], ["show", "ZZZZ"], ["recall", 'a "b" \udcff']):
        messages = [
            subprocess.run([program, *words], cwd=desk.place, env=env, capture_output=True)
            for program in (forked, started)
        ]
        for output in ("returncode", "stdout", "stderr"):
            assert getattr(messages[0], output) == getattr(messages[1], output), words
    result = subprocess.run([forked, "remember", "-"], cwd=desk.place, env=env, input=b"Said there")
    assert result.returncode == 0
    assert [memory.content for memory in desk.run("list").memories] == ["Said there"]


def test_a_server_ends_with_its_input_and_its_end_is_reported(desk: Desk) -> None:
    words = on_path.words("mcp")
    assert words != on_path.words("mcp", ordinary=True)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, cwd=desk.place, env=environment(desk.home), stdin=pipe, stdout=pipe
    ) as server:
        assert server.communicate(b"", 60) == (b"", None)
    assert server.returncode == 0
