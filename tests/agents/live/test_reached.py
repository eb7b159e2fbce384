"""What reaches each host's model, by its own rules; against the code that writes the answers."""

from __future__ import annotations

import json

import pytest

from gitmem.agents.events import hook_event, responses
from gitmem.agents.hosts.table import BY_NAME, HOSTS
from gitmem.agents.live import launch
from gitmem.errors import InvalidInput
from tests.agents.events import payloads
from tests.agents.events.payloads import Recorded
from tests.agents.hosts.test_scene import fired_by
from tests.support.tables import table

TEXT = 'Redis is on 6380 "quoted"\nand a second line: größer'


@table("recorded", payloads.ALL, ids=lambda item: item.id)
def test_what_gitmem_answers_reaches_the_model_where_it_says_so(recorded: Recorded) -> None:
    output = hook_event.parse_hook_payload(recorded.agent, recorded.event, recorded.data("/place"))
    reached = launch.text_reaching_model(
        BY_NAME[fired_by(recorded)], recorded.event, responses.format_answer(output, TEXT)
    )
    assert reached == (TEXT if responses.hook_text_reaches_model(output) else "")
    silent = responses.empty_answer(recorded.agent, recorded.event)
    assert launch.text_reaching_model(BY_NAME[fired_by(recorded)], recorded.event, silent) == ""


@table("host", [item.name for item in HOSTS if item.live.oriented_at])
def test_each_host_is_informed_at_an_event_that_takes_text(host: str) -> None:
    agent = "copilot" if host == "vscode" else host
    live = BY_NAME[host].live
    assert responses.hook_text_reaches_model(hook_event.HookEvent(agent, live.oriented_at))
    assert responses.max_output_size(agent) < live.cap


def specific(**inner: object) -> bytes:
    return json.dumps({"hookSpecificOutput": inner}).encode()


@table(
    ("host", "output"),
    [
        ("claude-code", b'{"a": '),
        ("claude-code", specific(hookEventName="Stop", additionalContext="x")),
        ("claude-code", b"\xff\xfe"),
        ("codex", b'{"additionalContext": "x"}'),
        ("codex", specific(hookEventName="SessionStart", additionalContext="x", more=1)),
        ("codex", b"[not json"),
        ("gemini", b"plain text"),
        ("gemini", b'{} {"a": 1}'),
        ("gemini", specific(hookEventName="SessionStart", additionalContext=["x"])),
        ("cursor", b'"text"'),
        ("cursor", b'{"additional_context": 1}'),
        ("copilot", b"hello"),
        ("antigravity", b'{"injectSteps": "x"}'),
        ("windsurf", b"anything"),
    ],
)
def test_what_a_host_would_refuse_is_refused(host: str, output: bytes) -> None:
    with pytest.raises(InvalidInput):
        launch.text_reaching_model(BY_NAME[host], "session-start", output)


@pytest.mark.parametrize(
    ("host", "output"),
    [
        ("cursor", specific(hookEventName="SessionStart", additionalContext="x")),
        ("copilot", b'{"additional_context": "x"}'),
        ("gemini", b'{"additionalContext": "x"}'),
        ("antigravity", b'{"additionalContext": "x"}'),
    ],
)
def test_an_answer_in_anothers_words_reaches_nobody(host: str, output: bytes) -> None:
    assert launch.text_reaching_model(BY_NAME[host], "session-start", output) == ""


def test_plain_text_counts_where_a_session_or_a_prompt_begins() -> None:
    for host in ("claude-code", "codex"):
        assert launch.text_reaching_model(BY_NAME[host], "session-start", b"hello\n") == "hello"
        assert launch.text_reaching_model(BY_NAME[host], "stop", b"hello") == ""
