"""CF-58: the log level, and what each level writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem import crashlog
from gitmem.errors import InvalidInput
from tests.support.apps import Desk
from tests.support.secrets import SECRET


def lines(desk: Desk) -> list[str]:
    log = desk.home / "gitmem" / "commands.log"
    return log.read_text("utf-8").splitlines() if log.exists() else []


def test_each_level_says_what_it_promises_and_never_an_argument(desk: Desk) -> None:
    desk.run("status")
    assert lines(desk) == []
    desk.run("config", key="log.level", value="info")  # for this repository: felt at once
    desk.run("remember", text="the private words")
    with pytest.raises(InvalidInput):
        desk.run("recall", query="x", since=f"on {SECRET}")
    messages = [line.split(" ", 2)[2] for line in lines(desk)]
    assert [item.split()[0] for item in messages] == ["config", "remember", "recall"]
    assert messages[1].endswith("ms done") and messages[2].endswith("ms invalid")
    session = desk.run("session start", by="codex").session
    desk.run("recall", query="words", by="codex")
    assert lines(desk)[-1].endswith(f" ms done agent=codex session={session.id}")
    desk.run("config", key="log.level", value="debug")
    with pytest.raises(InvalidInput):
        desk.run("recall", query="x", since=f"on {SECRET}")
    assert "ms invalid: " in lines(desk)[-1]
    assert not any(word in line for line in lines(desk) for word in ("private", SECRET))
    assert (desk.home / "gitmem" / "commands.log").stat().st_mode & 0o777 == 0o600
    desk.run("config", key="log.level", value="off")
    count = len(lines(desk))
    desk.run("status")
    assert len(lines(desk)) == count


def test_a_bug_is_written_down_unless_the_log_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_HOME", str(tmp_path))
    monkeypatch.setenv("GITMEM_LOG_LEVEL", "off")
    assert "please report" in crashlog.record_crash(ValueError("x"), ["status"]).hint.lower()
    assert not (tmp_path / "errors.log").exists()
    monkeypatch.setenv("GITMEM_LOG_LEVEL", "error")
    crashlog.record_crash(ValueError("x"), ["status"])
    assert "ValueError" in (tmp_path / "errors.log").read_text()


def test_an_unknown_level_is_refused_with_those_there_are(desk: Desk) -> None:
    with pytest.raises(InvalidInput) as refused:
        desk.run("config", key="log.level", value="loud")
    assert "off, error, info, debug" in refused.value.hint
