"""What is looked into for a documented call, without a repository around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import NotARepository
from tests.mcp.agents import Agent
from tests.support.apps import Desk


def test_the_time_of_another_system_is_reported_outside_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    agent = Agent(Desk(tmp_path / "plain", tmp_path / "home"), "compat")
    assert agent.data("context.time", timezone="Asia/Tokyo")["utcOffset"] == "+09:00"
    with pytest.raises(NotARepository):
        agent.data("get_project_summary")
