"""Each tagged payload, by each way into a repository, out to each host: none unframed, none alive.

    GITMEM_TEST_THOROUGH=1 pytest -s tests/reliability/test_poisoning_matrix.py

tries 100 payloads x 6 ways x 6 hosts and prints what was counted; otherwise a few payloads.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.agents.events import messages, responses
from gitmem.agents.events.hook_event import Moment
from gitmem.memory import export_format
from tests.agents.events.test_responses import text_of
from tests.reliability.attacks import TAGGED
from tests.reliability.test_poisoning import branch_name
from tests.reliability.test_poisoning_tags import FRAME, MARKER, alive
from tests.support.amounts import amount
from tests.support.apps import Desk, small_repo
from tests.support.stores import said

PAYLOADS = TAGGED[:: amount(34, thorough=1)]
HOSTS = (
    *(Moment(host, "session-start") for host in ("claude-code", "codex", "gemini", "opencode")),
    Moment("cursor", "session-start"),
    Moment("copilot", "session-start", dialect="camel"),
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository in which every payload is a memory, a commit's subject, a file and its name."""
    folder = tmp_path_factory.mktemp("matrix")
    repo = small_repo(folder)
    for text in PAYLOADS:
        name = "names/" + " ".join(text.split())
        repo.write({f"{name}.txt": f"{word(text)}\n", f"files/{word(text)}.md": f"{text}\n"})
    repo.git("add", "--all")
    for text in PAYLOADS:
        repo.git("commit", "--quiet", "--allow-empty", "-m", text)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed", GITMEM_COPY_MODE="off")
    desk.run("init", no_hooks=True)
    lines = [json.dumps({"content": text, "kind": "fix"}) for text in PAYLOADS]
    assert desk.run("remember", by="codex", text="\n".join(lines), piped=True).failed == 0
    foreign = folder / "foreign.jsonl"
    claims = [
        json.loads(export_format.of_memory(said(seed=n))) | {"content": f"Imported: {text}"}
        for n, text in enumerate(PAYLOADS)
    ]
    foreign.write_text("\n".join(map(json.dumps, claims)) + "\n")
    assert desk.run("import", source=str(foreign)).added == len(PAYLOADS)
    return desk


def marker_in(text: str) -> str:
    return MARKER.findall(text)[0]


def word(text: str) -> str:
    """What stands in the file with the payload in its name, and nowhere else."""
    return "holder" + marker_in(text)[2:5]


def recalled(desk: Desk, text: str, *, foreign: bool) -> str:
    found = desk.run("recall", query=marker_in(text), mode="keyword").memories
    return "\n".join(one.content for one in found if (one.trust == "foreign") is foreign)


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


def cells(desk: Desk) -> Iterator[tuple[str, str, str, str]]:
    """Way, payload, host and what its model is handed, for every cell of the table."""
    apps = [desk.app(agent=moment.agent) for moment in HOSTS]
    places = [messages.desk(app, moment) for app, moment in zip(apps, HOSTS, strict=True)]
    for way, ask in WAYS.items():
        for text in PAYLOADS:
            lines = ask(desk, text).split("\n")
            for at in places:
                assert at is not None
                told = text_of(at.moment, responses.say(at.moment, messages.framed(at, lines)))
                yield way, text, at.moment.agent, told
    for app in apps:
        app.close()


def test_no_payload_is_unframed_or_alive_by_any_way_at_any_host(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for way, text, host, told in cells(desk):
        framed = FRAME.fullmatch(told)
        lives = bool(alive(framed[2] if framed else told))
        counts["cells"] += 1
        # A long path ends before its marker; the file is told all the same.
        counts["shown"] += marker_in(text) in told or word(text) in told
        counts["unframed"] += framed is None
        counts["alive"] += lives
        if framed is None or lives:
            wrong.append((way, text, host, told[:200]))
    with capsys.disabled():
        print(f"\n  {dict(counts)}")
    assert wrong == [], wrong[:3]
    assert counts["cells"] == len(PAYLOADS) * len(WAYS) * len(HOSTS)
    assert counts["shown"] == counts["cells"]
