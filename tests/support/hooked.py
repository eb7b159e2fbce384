"""A session of an agent whose host fires hooks, in this process, at a time the test decides.

    agent = Agent(desk)
    agent.edit("src/app.py")
    assert "check first" in agent.prompt("look at src/app.py")
    agent.work_off()

No drain is started meanwhile: the lease of the spool is held, except in ``work_off``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitmem.agents.events import (
    compaction,
    dispatch,
    event_log,
    post_command,
    post_edit,
    record,
    replay,
    user_prompt,
)
from gitmem.agents.events.event_log import RecordedEvent
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.model.session import Event, Session
from gitmem.spool import lease
from gitmem.store.session import hook_queries, sessions
from tests.support.apps import SECOND, Desk

CLIENT = "0123-session-of-a-host"


class Agent:
    """One session of a host. Each call is one hook, a second after the last."""

    def __init__(self, desk: Desk, client: str = CLIENT, *, agent: str = "claude-code") -> None:
        self.desk, self.client, self.agent = desk, client, agent

    @property
    def spool(self) -> Path:
        return self.desk.store.parent / event_log.FOLDER

    def moment(self, event: str, **fields: Any) -> HookEvent:
        given = {"session": self.client, "cwd": str(self.desk.place)} | fields
        return HookEvent(agent=self.agent, event=event, **given)

    def fire(self, what: Callable[[App, HookEvent], str], event: str, **fields: Any) -> str:
        """What one hook says; no drain is started."""
        self.desk.clock.advance(SECOND)
        self.spool.mkdir(exist_ok=True)
        held = lease.try_take_spool_lease(str(self.spool), os.getpid())
        app = self.desk.app(agent=self.agent)
        try:
            return what(app, self.moment(event, **fields))
        finally:
            app.close()
            if held is not None:
                held.release()

    def start(self, **fields: Any) -> None:
        def started(app: App, moment: HookEvent) -> str:
            record.record_session_start(app, moment)
            return ""

        self.fire(started, "session-start", **fields)

    def prompt(self, text: str, **fields: Any) -> str:
        return self.fire(user_prompt.answer_prompt, "prompt", prompt=text, **fields)

    def edit(self, *files: str, **fields: Any) -> str:
        return self.fire(post_edit.answer_edit, "post-edit", tool="Edit", files=files, **fields)

    def command(self, command: str, output: str = "", **fields: Any) -> str:
        return self.fire(
            post_command.answer_command_result,
            "post-command",
            command=command,
            output=output,
            **fields,
        )

    def compact(self, **fields: Any) -> str:
        return self.fire(compaction.save_work_snapshot, "pre-compact", **fields)

    def again(self) -> str:
        return self.fire(compaction.latest_work_summary, "session-start", source="compact")

    def stop(self, **fields: Any) -> str:
        return self.fire(dispatch.record_turn_or_session_end, "stop", **fields)

    def end(self, **fields: Any) -> str:
        return self.fire(dispatch.record_turn_or_session_end, "session-end", **fields)

    # --- what came of it ------------------------------------------------------------------------

    def noted(self) -> list[RecordedEvent]:
        """All notes of this session that are still there."""
        return event_log.read_unstored_events(
            str(self.spool), self.client, self.agent, self.desk.key
        )

    def work_off(self) -> int:
        """What the drain does with the notes; how many."""
        app = self.desk.app()
        try:
            return len(replay.save_logged_events(app))
        finally:
            app.close()

    def session(self) -> Session:
        """The newest session of gitmem's that belongs to this one."""
        found = self.sessions()
        assert found, "there is no session"
        return found[0]

    def sessions(self) -> list[Session]:
        app = self.desk.app()
        try:
            found = sessions.recent_sessions(app.store, 50)
            return [item for item in found if item.client_id == self.client]
        finally:
            app.close()

    def events(self, *types: str) -> list[Event]:
        """The session's lines of the timeline, oldest first."""
        app = self.desk.app()
        try:
            result = hook_queries.find_host_session(
                app.store, self.client, agent=self.agent, worktree=str(self.desk.place)
            )
            assert result is not None
            return sessions.events_in_period(app.store, session=result.id, types=types)[::-1]
        finally:
            app.close()
