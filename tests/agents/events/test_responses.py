"""Each host is answered in its own form, and never with more than it takes."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.agents.events import hook_event, responses
from gitmem.agents.events.hook_event import HookEvent
from tests.agents.events.payloads import ALL, Recorded
from tests.support.tables import table

TEXT = "Redis listens on 6380 — naïve “quotes” 日本 🎉"
INJECTING = [
    *(
        HookEvent("claude-code", e)
        for e in ("session-start", "prompt", "post-edit", "post-command")
    ),
    HookEvent("claude-code", "post-command", dialect="failure"),
    *(HookEvent("codex", e) for e in ("session-start", "prompt", "post-edit", "post-command")),
    *(HookEvent("gemini", e) for e in ("session-start", "prompt", "post-edit", "post-command")),
    *(HookEvent("copilot", e, dialect="camel") for e in ("prompt", "post-tool")),
    *(HookEvent("copilot", e, dialect="pascal") for e in ("session-start", "post-tool")),
    *(HookEvent("vscode", e, dialect="pascal") for e in ("session-start", "post-tool")),
    *(HookEvent(agent, "stop") for agent in ("claude-code", "codex", "gemini")),
    HookEvent("cursor", "session-start"),
    HookEvent("antigravity", "pre-invocation"),
    HookEvent("kimi", "prompt"),
    *(HookEvent("opencode", e) for e in ("session-start", "prompt", "post-edit", "post-command")),
]
# The number that each host is known to take, or what gitmem allows itself where none is known.
CAPS = {
    **dict.fromkeys(("claude-code", "copilot", "vscode", "gemini", "opencode"), 9_500),
    **dict.fromkeys(("cursor", "antigravity", "kimi"), 4_000),
    "codex": 2_500 * 3,
}
SPECIFIC = {
    ("claude-code", "session-start"): "SessionStart",
    ("claude-code", "prompt"): "UserPromptSubmit",
    ("claude-code", "post-edit"): "PostToolUse",
    ("codex", "session-start"): "SessionStart",
    ("codex", "prompt"): "UserPromptSubmit",
    ("codex", "post-command"): "PostToolUse",
    ("gemini", "session-start"): "SessionStart",
    ("gemini", "prompt"): "BeforeAgent",
    ("gemini", "post-edit"): "AfterTool",
    ("copilot", "session-start"): "SessionStart",
    ("vscode", "post-tool"): "PostToolUse",
}


def text_of(answer: HookEvent, output: bytes) -> str:
    """The text that reaches the model, read as the host reads it."""
    if answer.agent in ("kimi", "opencode"):
        return output.decode("utf-8")
    value = json.loads(output)
    if answer.event == "stop":
        return str(value.get("reason", ""))
    if answer.agent == "cursor":
        return str(value.get("additional_context", ""))
    if answer.agent == "antigravity":
        return "".join(step["ephemeralMessage"] for step in value["injectSteps"])
    return str(value.get("hookSpecificOutput", value).get("additionalContext", ""))


@table("names", SPECIFIC)
def test_hosts_of_the_claude_family_get_their_own_event_name_and_no_other_key(
    names: tuple[str, str],
) -> None:
    """CF-22. Codex refuses an answer with a key that it does not know."""
    output = responses.format_answer(HookEvent(*names, dialect="pascal"), TEXT)
    assert json.loads(output) == {
        "hookSpecificOutput": {"hookEventName": SPECIFIC[names], "additionalContext": TEXT}
    }


def test_copilot_gets_its_plain_key() -> None:
    output = responses.format_answer(HookEvent("copilot", "prompt", dialect="camel"), TEXT)
    assert json.loads(output) == {"additionalContext": TEXT}


def test_cursor_gets_its_key() -> None:
    output = responses.format_answer(HookEvent("cursor", "session-start"), TEXT)
    assert json.loads(output) == {"additional_context": TEXT}


def test_antigravity_gets_a_step() -> None:
    output = responses.format_answer(HookEvent("antigravity", "pre-invocation"), TEXT)
    assert json.loads(output) == {"injectSteps": [{"ephemeralMessage": TEXT}]}


@pytest.mark.parametrize("names", [("kimi", "prompt"), ("opencode", "session-start")])
def test_hosts_that_read_text_get_text(names: tuple[str, str]) -> None:
    assert responses.format_answer(HookEvent(*names), TEXT) == TEXT.encode("utf-8")


@table("event", INJECTING, ids=lambda item: f"{item.agent} {item.event}")
def test_json_is_ascii(event: HookEvent) -> None:
    """No code page of a Windows console can lose it."""
    output = responses.format_answer(event, TEXT)
    assert text_of(event, output) == TEXT
    assert output.isascii() or event.agent in ("kimi", "opencode")


@table(
    ("agent", "event", "output"),
    [
        ("claude-code", "session-start", b""),
        ("codex", "stop", b""),
        ("gemini", "prompt", b"{}"),
        ("copilot", "post-tool", b"{}"),
        ("vscode", "stop", b"{}"),
        ("cursor", "session-start", b"{}"),
        ("cursor", "prompt", b'{"continue":true}'),
        ("antigravity", "pre-invocation", b"{}"),
        ("kimi", "prompt", b""),
        ("opencode", "session-start", b""),
        ("windsurf", "prompt", b""),
        ("nobody", "nothing", b""),
        ("", "", b""),
    ],
)
def test_each_host_has_its_way_of_hearing_nothing(agent: str, event: str, output: bytes) -> None:
    assert responses.empty_answer(agent, event) == output


@table("recorded", ALL, ids=lambda item: item.id)
def test_nothing_is_reported_where_nothing_reaches_the_model(recorded: object) -> None:
    result = hook_event.parse_hook_payload(recorded.agent, recorded.event, recorded.data("/tmp"))  # type: ignore[attr-defined]
    expected = {(item.agent, item.event, item.dialect) for item in INJECTING}
    assert responses.hook_text_reaches_model(result) == (
        (result.agent, result.event, result.dialect) in expected
    )
    if not responses.hook_text_reaches_model(result):
        assert responses.format_answer(result, TEXT) == responses.empty_answer(
            result.agent, result.event
        )


def test_only_kimi_has_words_wait_for_the_next_prompt() -> None:
    waiting = {
        (item.agent, item.event)
        for item in map(_read, ALL)
        if responses.is_hook_text_deferred(item)
    }
    assert waiting == {("kimi", "post-edit"), ("kimi", "post-command")}


def _read(recorded: Recorded) -> HookEvent:
    return hook_event.parse_hook_payload(recorded.agent, recorded.event, recorded.data("/tmp"))


@given(st.sampled_from(INJECTING), st.text(max_size=400), st.integers(1, 120))
def test_an_output_is_never_above_the_cap(told: HookEvent, text: str, times: int) -> None:
    """CT-22, ML-28. In characters and in bytes, whatever escapes the text needs."""
    output = responses.format_answer(told, "\n".join([text] * times))
    assert len(output) <= CAPS[told.agent]
    assert len(output.decode("utf-8")) <= CAPS[told.agent]
    assert len(output) <= responses.max_output_size(told.agent)


@example(INJECTING[0], ["a" * 40], True)
@given(
    st.sampled_from(INJECTING),
    st.lists(st.text(alphabet='ab "\\\x01é日🎉\ud800', min_size=1), min_size=1, max_size=20),
    st.booleans(),
)
def test_what_is_cut_is_cut_at_a_line_and_says_so(
    told: HookEvent, lines: list[str], long: bool
) -> None:
    if long:  # drawing so much takes long; the cut falls into a stretch that differs each time
        lines = [f"{lines[n % len(lines)]}\n{n}" for n in range(CAPS[told.agent] // 4)]
    text = "\n".join(["begin", *lines, "gitmem:abcdefgh>>>"])
    observed = text_of(told, responses.format_answer(told, text))
    clean = text.encode("utf-8", "replace").decode("utf-8")
    assert not long or observed != clean
    if observed != clean:
        *head, note, last = observed.split("\n")
        assert note.startswith("(cut: this host")
        assert last == "gitmem:abcdefgh>>>"
        assert clean.startswith("\n".join(head))
        assert head[-1] in clean.split("\n")


@table("event", INJECTING, ids=lambda item: f"{item.agent} {item.event}")
@table("char", ["a", '"', "\x01", "é", "日", "🎉"])
def test_one_endless_line_is_cut_inside(event: HookEvent, char: str) -> None:
    observed = text_of(event, responses.format_answer(event, char * 60_000))
    head, note = observed.split("\n")
    assert set(head) == {char}
    assert note.startswith("(cut: this host")
    assert len(responses.format_answer(event, char * 60_000)) > CAPS[event.agent] - 50


def test_a_text_that_just_fits_is_whole() -> None:
    output = HookEvent("claude-code", "session-start")
    room = responses.max_output_size("claude-code") - responses.answer_size(output, "")
    assert text_of(output, responses.format_answer(output, "x" * room)) == "x" * room
    assert "(cut: this host" in text_of(output, responses.format_answer(output, "x" * (room + 1)))
