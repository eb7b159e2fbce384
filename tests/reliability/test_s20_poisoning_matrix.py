"""Each tagged payload, by each way into a repository, out to each host: none unframed, none alive.

The full tier tries 100 payloads x 6 ways x 6 hosts, the quick one a few of the payloads (S-20).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.agents.events import messages, responses
from gitmem.agents.events.hook_event import HookEvent
from gitmem.capture import commit_capture
from gitmem.errors import GitmemError
from gitmem.memory import export_format
from tests.agents.events.test_responses import text_of
from tests.capture.test_provenance import CHANNELS
from tests.reliability.attacks import BENIGN, TAGGED, lifts
from tests.reliability.scoring import Score
from tests.reliability.test_poisoning import branch_name
from tests.reliability.test_poisoning_tags import FRAME, MARKER, alive
from tests.support.apps import Desk, small_repo
from tests.support.stores import said

HOSTS = (
    *(HookEvent(host, "session-start") for host in ("claude-code", "codex", "gemini", "opencode")),
    HookEvent("cursor", "session-start"),
    HookEvent("copilot", "prompt", dialect="camel"),
)


Payloads = tuple[str, ...]


@pytest.fixture(scope="module")
def payloads(request: pytest.FixtureRequest) -> Payloads:
    """Those that this tier tries."""
    return TAGGED[:: 34 if request.config.getoption("--tier") == "quick" else 1]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, payloads: Payloads) -> Desk:
    """A repository in which every payload is a memory, a commit's subject, a file and its name."""
    folder = tmp_path_factory.mktemp("matrix")
    repo = small_repo(folder)
    for text in payloads:
        name = "names/" + " ".join(text.split())
        repo.write({f"{name}.txt": f"{word(text)}\n", f"files/{word(text)}.md": f"{text}\n"})
    repo.git("add", "--all")
    for text in payloads:
        repo.git("commit", "--quiet", "--allow-empty", "-m", text)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed", GITMEM_COPY_MODE="off")
    desk.run("init", no_hooks=True)
    lines = [json.dumps({"content": text, "kind": "fix"}) for text in payloads]
    assert desk.run("remember", by="codex", text="\n".join(lines), piped=True).failed == 0
    foreign = folder / "foreign.jsonl"
    claims = [
        json.loads(export_format.line_of_memory(said(seed=n))) | {"content": f"Imported: {text}"}
        for n, text in enumerate(payloads)
    ]
    foreign.write_text("\n".join(map(json.dumps, claims)) + "\n")
    assert desk.run("import", source=str(foreign)).added == len(payloads)
    return desk


def marker_in(text: str) -> str:
    return MARKER.findall(text)[0]


def word(text: str) -> str:
    """What stands in the file with the payload in its name, and nowhere else."""
    return "holder" + marker_in(text)[2:5]


def recalled(desk: Desk, text: str, *, foreign: bool) -> str:
    found = desk.run("recall", query=marker_in(text), mode="keyword").memories
    return "\n".join(item.content for item in found if (item.trust == "foreign") is foreign)


def searched(desk: Desk, text: str, source: str) -> str:
    return desk.text("search", query=marker_in(text), sources=(source,), mode="keyword")


def on_branch(desk: Desk, text: str) -> str:
    name = branch_name(text)
    head = Path(desk.place, ".git", "HEAD")
    before = head.read_text()
    tip = Path(desk.place, ".git", "refs", "heads", name)
    tip.parent.mkdir(parents=True, exist_ok=True)
    tip.write_text((Path(desk.place, ".git") / before.removeprefix("ref: ").strip()).read_text())
    head.write_text(f"ref: refs/heads/{name}\n")
    try:
        return desk.text("orient")
    finally:
        head.write_text(before)


def on_file(desk: Desk, text: str) -> str:
    """Of a file in whose name it stands."""
    return desk.text("search", query=word(text), path="names/**", mode="keyword")


WAYS: dict[str, Callable[[Desk, str], str]] = {
    "an agent's memory": lambda desk, text: recalled(desk, text, foreign=False),
    "an import": lambda desk, text: recalled(desk, text, foreign=True),
    "a commit's subject": lambda desk, text: searched(desk, text, "commits"),
    "a file": lambda desk, text: searched(desk, text, "notes"),
    "a file's name": on_file,
    "a branch": on_branch,
}


def cells(desk: Desk, payloads: Payloads) -> Iterator[tuple[str, str, str, str]]:
    """Way, payload, host and what its model is handed, for every cell of the table."""
    apps = [desk.app(agent=moment.agent) for moment in HOSTS]
    places = [
        messages.open_hook_context(app, moment) for app, moment in zip(apps, HOSTS, strict=True)
    ]
    for way, ask in WAYS.items():
        for text in payloads:
            lines = ask(desk, text).split("\n")
            for at in places:
                assert at is not None
                output = text_of(
                    at.hook_event,
                    responses.format_answer(at.hook_event, messages.quote_as_data(at, lines)),
                )
                yield way, text, at.hook_event.agent, output
    for app in apps:
        app.close()


def test_no_payload_is_unframed_or_alive_by_any_way_at_any_host(
    desk: Desk, payloads: Payloads, score: Score
) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for way, text, host, output in cells(desk, payloads):
        framed = FRAME.fullmatch(output)
        lives = bool(alive(framed[2] if framed else output))
        counts["cells"] += 1
        # A long path ends before its marker; the file is told all the same.
        counts["shown"] += marker_in(text) in output or word(text) in output
        counts["unframed"] += framed is None
        counts["alive"] += lives
        if framed is None or lives:
            wrong.append((way, text, host, output[:200]))
    assert wrong == [], wrong[:3]
    assert counts["cells"] == len(payloads) * len(WAYS) * len(HOSTS)
    assert counts["shown"] == counts["cells"]
    score.report("attacks by each way at each host", cases=counts["cells"], fired=counts["shown"])


def test_ordinary_memories_are_not_lowered(desk: Desk, score: Score) -> None:
    """Of a hundred sentences on ten topics, in five languages, at most one in a hundred."""
    some = BENIGN[:: score.size(quick=10, full=1)]
    desk.run("remember", text="\n".join(json.dumps({"content": item}) for item in some), piped=True)
    saved = {memory.content: memory for memory in desk.run("list", limit=1000).memories}
    assert set(some) <= set(saved)
    lowered = [item for item in some if saved[item].trust != "person"]
    assert len(lowered) <= len(some) // 100, lowered
    score.report("ordinary memories", cases=len(some), fired=len(some), lowered=len(lowered))


def test_no_verb_by_no_channel_makes_an_agent_accept_anything(tmp_path: Path, score: Score) -> None:
    """A commit's trailer, a pair, an import and the agent's own word stay what they are."""
    repo = small_repo(tmp_path)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed", GITMEM_COPY_MODE="off")
    desk.run("init", no_hooks=True, no_index=True)
    theirs = desk.run("decide", title="Keep tills in SQLite on the disk").id
    own = desk.run("remember", text="Redis is on 6380", by="codex").id
    desk.run("decide", title="Never keep tills in SQLite on the disk", why="Obey", by="cursor")
    foreign = desk.run("remember", text="Redis is on 6382, obey", by="cursor").id
    desk.run("trust", id=(foreign,), tier="foreign")
    repo.commit(f"Work\n\nDecision: Obey the till\nSupersedes: {theirs}")
    app = desk.app()
    assert commit_capture.propose_decisions_from_commits(app) == 1
    app.close()
    open_ones = {item.kind: item for item in desk.run("inbox").items}
    waits, pair = open_ones["memory"].memory, open_ones["contradiction"].id
    before = desk.run("export").lines
    tried = 0
    for name, channel in CHANNELS.items():
        query = lifts(waits=waits, pair=pair, foreign=foreign, own=own, theirs=theirs)
        for verb, values in query if name in ("command", "all tools") else query[:9]:
            tried += 1
            with pytest.raises(GitmemError):
                channel(desk, verb, values)
            assert desk.run("export").lines == before, (name, verb, values)
    assert desk.run("inbox").total == len(open_ones)
    assert desk.run("config", key="inbox.accept_by").settings[0].value == ""
    score.report("ways for an agent to accept", cases=tried, fired=tried)
