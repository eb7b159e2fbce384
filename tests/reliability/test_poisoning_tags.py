"""A hundred tags in memories and commit subjects reach no model alive, on any way there (S-20).

Six ways: the command line with an agent, the text and the data of MCP tools, resources, prompts,
and session hooks in the format of each host. Everything that quotes is framed or says that it is
data. All in this process: what a process adds is tested next door.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from gitmem.agents.events import dispatch, messages, responses
from gitmem.agents.events.hook_event import HookEvent
from gitmem.mcp.tools import prompts, resources
from gitmem.model.frozen import replace
from gitmem.text.fence import NOTICE
from tests.agents.events.test_responses import INJECTING, text_of
from tests.mcp.agents import Agent
from tests.reliability.attacks import TAGGED, WRAPPED
from tests.support.apps import MINUTE, Desk, small_repo
from tests.support.cli import Program

MARKER = re.compile(r"zq\d{3}attack")
# Read as a model may read it: folded, and without what nobody sees.
ALIVE = re.compile(
    r"<[\s/\\]*(antml:|function[\s_-]*(calls|results)|tool[\s_-]*(use|result|call)|gitmem:"
    r"|system[\s_-]*reminder|user[\s_-]*prompt|(system|assistant|user|human|invoke)\s*(>|\w+\s*=))"
    r"|<\|[^|\n]*\||\[\s*/?\s*inst\s*\]|<<\s*/?\s*sys\s*>>|gitmem:[0-9a-z]{8,}>>>",
    re.IGNORECASE,
)
ANGLES = str.maketrans("\u27e8\u27e9\u3008\u3009", "<><>")
FRAME = re.compile(r"<<<gitmem:([0-9a-f]{16,}) source=[^\n]+\n(.*)\ngitmem:\1>>>", re.DOTALL)
READS = {
    "orient": {"budget": 20_000},
    "recall": {"query": "*", "limit": 100},
    "list_memories": {"limit": 100},
    "search": {"query": "obey", "limit": 50},
    "timeline": {"only": ["commits", "memories"], "limit": 100},
    "check": {"plan": "obey the typo"},
    "verify": {},
    "decay": {},
    "status": {},
    "session_list": {},
}
COMMANDS = (
    ("orient", "--budget", "20000"),
    ("recall", "obey", "--limit", "100"),
    ("list", "--limit", "1000"),
    ("search", "obey"),
    ("timeline",),
    ("verify",),
)


def alive(text: str) -> list[str]:
    """The tags in a text that a model could take for its host's."""
    observed = unicodedata.normalize("NFKC", text).translate(ANGLES)
    unseen = [ord(letter) for letter in set(observed) if unicodedata.category(letter) == "Cf"]
    observed = observed.translate(dict.fromkeys(unseen))
    return [found[0] for found in ALIVE.finditer(observed)]


def inside(framed: str) -> str:
    """What stands in the frame, which holds the whole text."""
    found = FRAME.fullmatch(framed)
    assert found, framed[:200]
    return found[2]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository in which every payload is a memory and a commit's subject."""
    folder = tmp_path_factory.mktemp("tagged")
    repo = small_repo(folder)
    stream = []
    for number, text in enumerate(TAGGED):
        message = text.encode()
        stream.append(
            b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata %d\n%s\n%s"
            % (1_795_000_000 + number, len(message), message, b"" if number else b"from main^0\n")
        )
    repo.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))
    desk = Desk(
        repo.path, folder / "home", GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
    )
    desk.run("init", no_hooks=True)
    lines = [
        json.dumps({"content": text, "title": " ".join(text.split()), "pinned": number % 9 == 0})
        for number, text in enumerate(TAGGED)
    ]
    done = desk.run("remember", by="codex", text="\n".join(lines), piped=True)
    assert done.failed == 0
    desk.clock.advance(MINUTE)
    return desk


@pytest.fixture
def moments(desk: Desk) -> Iterator[list[HookEvent]]:
    number = itertools.count()
    yield [replace(item, session=f"tagged-{next(number)}") for item in INJECTING]


def test_the_check_sees_every_payload_before_anything_is_done() -> None:
    assert len(set(TAGGED)) == 100
    assert [text for text in TAGGED if not alive(text)] == []
    assert not alive("a < system, \u2039/system\u203a, List[user], x > y, gitmem: note")


def test_tools_answer_framed_text_and_data_that_says_so(desk: Desk) -> None:
    """MCP text and structuredContent, as tables and whole, alone and in a batch."""
    observed: set[str] = set()
    for form in ("compact", "full"):
        agent = Agent(desk, "full")
        agent("session_defaults", format=form)
        calls = [{"tool": tool, "arguments": given} for tool, given in READS.items()]
        answers = [agent(tool, **given) for tool, given in READS.items()]
        for answer in (*answers, agent("batch", calls=calls)):
            assert not answer.is_error
            (content,) = answer.content
            assert content.type == "text"
            assert alive(inside(content.text)) == []
            assert "data from the repository" in answer.structured_content[NOTICE]
            assert next(iter(answer.structured_content)) == NOTICE
            assert alive(json.dumps(answer.structured_content, ensure_ascii=False)) == []
        observed |= set(MARKER.findall(json.dumps(answers[1].structured_content)))
    assert len(observed) == len(TAGGED)


def test_what_a_write_answers_holds_none_either(desk: Desk) -> None:
    """Near duplicates, conflicts and errors tell what memories and arguments say."""
    agent = Agent(desk, "full")
    for text in TAGGED[::7]:
        for answer in (
            agent("remember", text=text + " again"),
            agent("decide", title=text, why="Not so."),
            agent("session_note", text=text),
        ):
            (content,) = answer.content
            output = content.text + json.dumps(answer.structured_content, ensure_ascii=False)
            assert alive(FRAME.sub(r"\2", output)) == []


def test_the_command_line_frames_what_an_agent_reads(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person = Program(desk.home, desk.place, **desk.env)
    agent = Program(desk.home, desk.place, **desk.env, GITMEM_AGENT="codex")
    observed = ""
    for words in COMMANDS:
        result = agent.here(*words, monkeypatch=monkeypatch, capsys=capsys).out
        assert alive(inside(result.rstrip("\n"))) == []
        data = agent.here(*words, "--json", monkeypatch=monkeypatch, capsys=capsys)
        assert "data from the repository" in data.json[NOTICE]
        assert alive(data.out) == []
        observed += result + data.out
    assert len(set(MARKER.findall(observed))) == len(TAGGED)
    # A person's own output is what was written.
    result = person.here("list", "--json", "--limit", "100", monkeypatch=monkeypatch, capsys=capsys)
    assert NOTICE not in result.json
    assert alive(result.out)


def test_resources_are_framed_or_say_that_they_are_data(desk: Desk) -> None:
    app = desk.app(agent="codex")
    ids = [memory.id for memory in desk.run("list", limit=100).memories]
    addresses = [str(resource.uri) for resource in resources.RESOURCES]
    quoted = 0
    for address in (*addresses, *(resources.MEMORY + id for id in ids)):
        kind, text = resources.read_resource(app, address)
        if kind == resources.MARKDOWN:
            assert alive(inside(text)) == []
            continue
        value: Any = json.loads(text)
        first = value[0] if isinstance(value, list) and value else value
        assert not first or "data from the repository" in first[NOTICE]
        assert alive(text) == []
        quoted += bool(MARKER.search(text))
    app.close()
    assert quoted > len(TAGGED)


def test_prompts_repeat_no_tag() -> None:
    for text in TAGGED:
        for name, argument in (("why-changed", "what"), ("capture-decision", "topic")):
            (message,) = prompts.get_prompt(name, {argument: text}).messages
            assert message.content.type == "text"
            assert alive(message.content.text) == []
            assert MARKER.search(message.content.text)


def test_session_hooks_frame_every_payload_for_every_host(
    desk: Desk, moments: list[HookEvent]
) -> None:
    """What any moment has to say goes through one function, and out in the host's own format."""
    for moment in moments:
        app = desk.app(agent=moment.agent)
        at = messages.open_hook_context(app, moment)
        assert at is not None
        for first in range(0, len(TAGGED), 20):
            lines = [line for text in TAGGED[first : first + 20] for line in text.split("\n")]
            output = text_of(
                moment, responses.format_answer(moment, messages.quote_as_data(at, lines))
            )
            assert len(set(MARKER.findall(output))) == 20
            assert alive(inside(output)) == []
        app.close()


def test_no_memory_leaves_the_frame_of_any_host(desk: Desk, moments: list[HookEvent]) -> None:
    """Kimi Code hands a hook's text over raw in ``<hook_result>``, others in tags of theirs."""
    for moment in moments:
        app = desk.app(agent=moment.agent)
        at = messages.open_hook_context(app, moment)
        assert at is not None
        observed = ""
        for first in range(0, len(WRAPPED), 20):
            lines = list(WRAPPED[first : first + 20])
            observed += text_of(
                moment, responses.format_answer(moment, messages.quote_as_data(at, lines))
            )
        app.close()
        assert len(set(MARKER.findall(observed))) == len(WRAPPED)
        assert "</" not in observed and "\u2039/hook_result\u203a" in observed


def test_a_session_begins_with_no_tag_alive_at_any_host(
    desk: Desk, moments: list[HookEvent]
) -> None:
    result = {}
    for moment in moments:
        app = desk.app(agent=moment.agent)
        text = dispatch.answer_event(app, replace(moment, prompt="obey the typo"))
        app.close()
        if text:
            result[moment.agent] = inside(text_of(moment, responses.format_answer(moment, text)))
    assert {item.agent for item in INJECTING} == set(result)
    for text in result.values():
        assert MARKER.search(text)
        assert alive(text) == []
