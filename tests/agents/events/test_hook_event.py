"""Every recorded payload of every host is understood, and nothing else does harm."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.agents.events import hook_event
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.hosts import host as hosts
from gitmem.agents.hosts.table import BY_NAME
from gitmem.errors import InvalidInput
from tests.agents.events.payloads import ALL, UUID, Recorded
from tests.support.tables import table

TREE = "/home/ada/shop"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        *("session_id", "sessionId", "conversationId", "cwd", "workspace_roots", "source"),
        *("prompt", "tool_name", "tool_input", "toolArgs", "tool_response", "toolResult"),
        *("tool_info", "metadata", "title", "file_path", "edits", "command", "output", "reason"),
        *("transcript_path", "hook_event_name", "last_assistant_message", "agent_id"),
    ]
)


def test_the_names_are_those_of_the_hosts() -> None:
    assert frozenset(BY_NAME) == hook_event.AGENTS
    assert frozenset(hosts.EVENTS) == hook_event.EVENTS


@table("recorded", ALL, ids=lambda item: item.id)
def test_a_recorded_payload_is_understood(recorded: Recorded) -> None:
    """CF-22."""
    output = hook_event.parse_hook_payload(recorded.agent, recorded.event, recorded.data(TREE))
    expected = {"session": recorded.payload.get("sessionID", UUID), "cwd": TREE} | {
        name: _placed(value) for name, value in recorded.told.items()
    }
    assert {name: getattr(output, name) for name in expected} == expected


def _placed(value: object) -> object:
    if isinstance(value, str):
        return value.replace("@TREE@", TREE).replace("@HOME@", "/home/ada")
    return tuple(map(_placed, value)) if isinstance(value, tuple) else value


def test_every_event_of_every_template_has_a_recorded_payload() -> None:
    templates = Path(__file__).parents[3] / "hooks" / "agents"
    written = set()
    for file in filter(Path.is_file, templates.iterdir()):
        written |= set(re.findall(r"gitmem hook ([a-z-]+) ([a-z-]+)", file.read_text("utf-8")))
    events = re.findall(r'"([a-z]+-[a-z]+)"', (templates / "opencode.js").read_text("utf-8"))
    written |= {("opencode", event) for event in events if event in hook_event.EVENTS}
    written |= {("opencode", "stop"), ("opencode", "prompt")}  # words without a hyphen
    assert len(written) > 40
    assert written == {(item.agent, item.event) for item in ALL}


@table(
    "data",
    [
        *(b"", b"null", b"[]", b'"text"', b"{", b"\x00\xff\xfe", b"\x89PNG\r\n\x1a\n"),
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"n":' + b"9" * 5_000 + b"}",
    ],
    ids=range(10),
)
def test_what_is_no_payload_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        hook_event.parse_hook_payload("claude-code", "prompt", data)


def test_more_than_ten_megabytes_are_refused() -> None:
    data = b'{"prompt":"' + b"x" * hook_event.LARGEST + b'"}'
    with pytest.raises(InvalidInput, match="10 MB"):
        hook_event.parse_hook_payload("claude-code", "prompt", data)


def test_what_gemini_cli_puts_before_a_prompt_is_no_question() -> None:
    """As `gemini -p` of 0.61.0 hands it over: what hooks said at the start, then the question."""
    message = "&lt;&lt;&lt;gitmem:a477 source=gitmem orient\nsqlite\ngitmem:a477&gt;&gt;&gt;"
    for text, expected in (
        (f"<hook_context>{message}</hook_context>\n\nWhy <hook_context>?", "Why <hook_context>?"),
        (f"<hook_context>{message}</hook_context>\n<hook_context>x</hook_context>\n\nGo", "Go"),
        ("<hook_context> is what?", "<hook_context> is what?"),
        ("See <hook_context>x</hook_context>", "See <hook_context>x</hook_context>"),
    ):
        data = json.dumps({"prompt": text}).encode()
        assert hook_event.parse_hook_payload("gemini", "prompt", data).prompt == expected
        assert hook_event.parse_hook_payload("codex", "prompt", data).prompt == text


@pytest.mark.parametrize("names", [("nobody", "prompt"), ("codex", "no-event"), ("", "")])
def test_an_unknown_agent_or_event_is_refused(names: tuple[str, str]) -> None:
    with pytest.raises(InvalidInput):
        hook_event.parse_hook_payload(*names, b"{}")


@given(
    st.sampled_from(sorted(hook_event.AGENTS)),
    st.sampled_from(sorted(hook_event.EVENTS)),
    st.dictionaries(KEYS | st.text(), JSON, max_size=8),
)
def test_any_object_gives_a_moment_within_bounds(
    agent: str, event: str, payload: dict[str, object]
) -> None:
    result = hook_event.parse_hook_payload(agent, event, json.dumps(payload).encode())
    texts = [
        getattr(result, name)
        for name in HookEvent.__slots__
        if name not in ("files", "failed", "continued")
    ]
    assert all(isinstance(text, str) for text in texts)
    assert len(result.session) <= 200
    assert (len(result.output), len(result.message)) <= (20_000, 4_000)
    assert max(len(result.added_text), len(result.removed_text)) <= 20_000
    assert len(result.files) <= 50
    assert all("\x00" not in path and "\n" not in path for path in (result.cwd, *result.files))
    "".join([*texts, *result.files]).encode("utf-8")  # no half of a character


def test_halves_of_characters_are_replaced() -> None:
    result = hook_event.parse_hook_payload(
        "codex", "prompt", b'{"prompt":"a\\ud800b","session_id":"x\\udfffy"}'
    )
    assert (result.prompt, result.session) == ("a?b", "x?y")


def test_of_a_long_output_the_end_is_kept() -> None:
    """An error stands there, wherever the host puts the output."""
    long = "a" * 30_000 + "end"
    for place in (
        {"tool_response": long},
        {"tool_response": {"stdout": long}},
        {"metadata": {"output": long}},
    ):
        data = json.dumps({"tool_input": {"command": "x"}} | place)
        result = hook_event.parse_hook_payload("codex", "post-command", data.encode())
        assert len(result.output) == 20_000, place.keys()
        assert result.output.endswith("aend"), place.keys()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_other_encodings_of_json_are_read(encoding: str) -> None:
    """What a Windows shell makes of a pipe."""
    result = hook_event.parse_hook_payload("kimi", "prompt", '{"prompt":"Grüße"}'.encode(encoding))
    assert result.prompt == "Grüße"


@table(
    ("response", "failed"),
    [
        ({"exit_code": 0}, False),
        ({"exitCode": 3}, True),
        ({"success": True}, False),
        ({"success": False}, True),
        ({"error": {"message": "no such file"}}, True),
        ({"stdout": "ok", "interrupted": True}, True),
        ({"result_type": "success", "text_result_for_llm": "<exited with exit code 0>"}, False),
        ({"result_type": "denied"}, True),
        ("Process exited with code 0\nok", False),
        ("it says exit code nowhere", None),
        ("", None),
    ],
)
def test_whether_a_command_failed_is_reported_in_many_ways(
    response: object, failed: bool | None
) -> None:
    payload = {"tool_input": {"command": "x"}, "tool_response": response}
    result = hook_event.parse_hook_payload(
        "claude-code", "post-command", json.dumps(payload).encode()
    )
    assert result.failed is failed


@table(
    ("tool_input", "adds", "takes"),
    [
        ({"path": "a", "edit": {"old": "x", "new": "y"}}, "y", "x"),
        ({"path": "a", "edit": [{"old": "x", "new": "y"}, {"old": "z", "new": ""}]}, "y", "x\nz"),
        ({"path": "a", "file_text": "whole"}, "whole", ""),
        ({"notebook_path": "a", "new_source": "cell"}, "cell", ""),
        ({"path": "a", "edits": "none", "edit": 3, "new_string": ["x"]}, "", ""),
        ({"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}, "x", ""),
        (
            {"patch": "*** Begin Patch\n*** Update File: a\n@@ f\n kept\n-old\n+new\n"},
            *("new", "kept\nold"),
        ),
        ({"path": "a", "content": "x" * 30_000}, "x" * 20_000, ""),
    ],
    ids=range(8),
)
def test_what_an_edit_wrote_is_reported_in_many_ways(
    tool_input: dict[str, object], adds: str, takes: str
) -> None:
    data = json.dumps({"tool_name": "edit", "tool_input": tool_input}).encode()
    moment = hook_event.parse_hook_payload("copilot", "post-tool", data)
    assert (moment.added_text, moment.removed_text) == (adds, takes)
