"""What `gitmem doctor --live` tells hooks has the shape that their hosts were recorded with."""

from __future__ import annotations

import json

from gitmem.agents.events import hook_event
from gitmem.agents.hosts.scene import SampleSession
from gitmem.agents.hosts.table import BY_NAME
from tests.agents.events import payloads
from tests.agents.events.payloads import Recorded
from tests.support.tables import table

SCENE = SampleSession("/place", "session-of-eight", "/place/README.md")


def fired_by(one: Recorded) -> str:
    """VS Code's payloads are recorded under the name that its file has, Copilot's."""
    return "vscode" if one in payloads.VSCODE else one.agent


KINDS = sorted({(fired_by(item), item.agent, item.event) for item in payloads.ALL})


@table(("host", "agent", "event"), KINDS)
def test_it_has_no_key_that_the_host_was_not_seen_to_send(
    host: str, agent: str, event: str
) -> None:
    recorded = [one for one in payloads.ALL if (fired_by(one), one.event) == (host, event)]
    known = {key for one in recorded for key in one.payload}
    more = {"custom_instructions", "last_assistant_message"}
    assert set(BY_NAME[host].live.sample(event, SCENE)) - more <= known


@table(("host", "agent", "event"), KINDS)
def test_gitmem_understands_it(host: str, agent: str, event: str) -> None:
    result = hook_event.parse_hook_payload(
        agent, event, json.dumps(BY_NAME[host].live.sample(event, SCENE)).encode()
    )
    assert result.session == SCENE.session
    assert result.cwd in (SCENE.folder, "")  # Windsurf names its folder for commands only
    if event == "post-edit":
        assert result.files == (SCENE.file,)
    if event == "post-command":
        assert result.command == SCENE.command
    if event == "prompt":
        assert result.prompt == SCENE.prompt
