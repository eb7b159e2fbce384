"""The end of a session imports it in the background, if the user wants that, and waits for none."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from gitmem.agents.events import event_log
from gitmem.spool import event_log as spool
from tests.support.apps import Desk
from tests.support.cli import command
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until
from tests.transcripts.homes import CLAUDE, put


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


def fire(desk: Desk, event: str, path: Path) -> subprocess.CompletedProcess[bytes]:
    """What the host does at an event: it starts the hook and writes the payload to it."""
    payload = {
        "session_id": CLAUDE,
        "transcript_path": str(path),
        "cwd": str(desk.place),
        "hook_event_name": event,
        "reason": "prompt_input_exit",
        "prompt": "Raise it",
    }
    name = {"SessionEnd": "session-end", "UserPromptSubmit": "prompt"}[event]
    return subprocess.run(
        [*command(), "hook", "claude-code", name],
        input=json.dumps(payload).encode(),
        cwd=desk.place,
        env=desk.env,
        capture_output=True,
        timeout=30,
        check=True,
    )


def count(desk: Desk) -> int:
    app = desk.app()
    try:
        return int(app.store.value("SELECT count(*) FROM exchanges"))
    finally:
        app.close()


@pytest.mark.parametrize("enabled", ["0", "1"])
def test_the_end_of_a_session_imports_it_if_the_setting_says_so(
    desk: Desk, repo: RepoBuilder, enabled: str
) -> None:
    desk.run("config", key="transcripts.import", value=enabled)
    path = put("claude-code", desk.home, Path(repo.path))
    fire(desk, "UserPromptSubmit", path)
    done = fire(desk, "SessionEnd", path)
    assert (done.stdout, done.stderr) == (b"", b"")
    if enabled == "1":
        wait_until(lambda: count(desk) == 2)
        return
    folder = str(desk.store.parent / event_log.FOLDER)
    wait_until(lambda: not spool.count_unread_log_bytes(folder))
    subprocess.run([*command(), "drain"], cwd=desk.place, env=desk.env, check=True)
    assert count(desk) == 0
