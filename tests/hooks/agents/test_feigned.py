"""What `gitmem doctor --live` tells hooks has the shape that their hosts were recorded with."""

from __future__ import annotations

import json

from gitmem.hooks.agents import feigned
from gitmem.hooks.agents.feigned import Scene
from gitmem.hooks.sessions import moment
from tests.hooks.sessions import payloads
from tests.hooks.sessions.payloads import Recorded
from tests.support.tables import table

SCENE = Scene("/place", "session-of-eight", "/place/README.md")


def fired_by(one: Recorded) -> str:
    """VS Code's payloads are recorded under the name that its file has, Copilot's."""
    return "vscode" if one in payloads.VSCODE else one.agent


KINDS = sorted({(fired_by(one), one.agent, one.event) for one in payloads.ALL})


@table(("host", "agent", "event"), KINDS)
def test_it_has_no_key_that_the_host_was_not_seen_to_send(
    host: str, agent: str, event: str
) -> None:
    recorded = [one for one in payloads.ALL if (fired_by(one), one.event) == (host, event)]
    known = {key for one in recorded for key in one.payload}
    more = {"custom_instructions", "last_assistant_message"}
    assert set(feigned.given(host, event, SCENE)) - more <= known


@table(("host", "agent", "event"), KINDS)
def test_gitmem_understands_it(host: str, agent: str, event: str) -> None:
    told = moment.read(agent, event, json.dumps(feigned.given(host, event, SCENE)).encode())
    assert told.session == SCENE.session
    assert told.cwd in (SCENE.folder, "")  # Windsurf names its folder for commands only
    if event == "post-edit":
        assert told.files == (SCENE.file,)
    if event == "post-command":
        assert told.command == feigned.COMMAND
    if event == "prompt":
        assert told.prompt == feigned.PROMPT
