"""Ten calls of MemoryLayer as its document shows them, each answer compared field by field.

The document (version 1.0) has a table of five tools with arguments and answers, two resources, a
query that flows through all tiers, and the default budget of 6,000 tokens. An expected value is
itself, a type, or a predicate; no field is missing and none but ``quoted`` is more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ReadResourceResult

from gitmem.errors import Conflict
from tests.mcp.agents import SERVER, Agent, shop
from tests.mcp.compat.test_documented_calls import Peer, connected
from tests.support.apps import Desk

CODE = SERVER + "\n# Redis: 6380\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return shop(tmp_path_factory.mktemp("layer"))


@pytest.fixture(scope="module")
def peer(desk: Desk) -> Iterator[Peer]:
    with connected(desk) as peer:
        yield peer


def moment(value: object) -> bool:
    """A time as JavaScript's ``toISOString`` writes it, without milliseconds."""
    return isinstance(value, str) and bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value))


def unique(value: object) -> bool:
    """An id."""
    return isinstance(value, str) and len(value) == 26


def between(least: float, most: float) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int | float) and least <= value <= most


def holding(*parts: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and all(part in value for part in parts)


def compare(answer: dict[str, Any], expected: dict[str, Any]) -> None:
    """Each field of an answer with what is expected of it."""
    assert answer.keys() - {"quoted"} == expected.keys()
    for name, required in expected.items():
        value = answer[name]
        if isinstance(required, dict):
            compare(value, required)
        elif isinstance(required, list) and required and isinstance(required[0], dict):
            assert len(value) == len(required), name
            for item, entry in zip(value, required, strict=True):
                compare(item, entry)
        elif isinstance(required, type):
            assert type(value) is required, (name, value)
        elif callable(required):
            assert required(value), (name, value)
        else:
            assert value == required, name


DECISION = {
    "id": unique,
    "title": "Tokens are signed",
    "description": "Sessions need no store: every worker can check a token.",
    "files": ["src/server.py"],
    "tags": ["auth", "security"],
    "created_at": moment,
}
SHORT = {name: DECISION[name] for name in ("id", "title", "description", "created_at")}
RESULT = {
    "file": "src/server.py",
    "preview": holding("signed"),
    "relevance": between(0.1, 1),
    "line_start": int,
    "line_end": int,
}


def test_the_documented_calls_answer_as_documented(peer: Peer) -> None:
    """ML-4 to ML-10."""
    # 1. record_decision(title, description, files?, tags?) -> decision object
    request = {name: DECISION[name] for name in ("title", "description", "files", "tags")}
    recorded = peer.data("record_decision", **request)
    compare(recorded, {**DECISION, "message": "Decision recorded successfully"})
    # 2. record_decision without files and tags
    bare = peer.data("record_decision", title="One file", description="Easy to copy")
    none = {"title": "One file", "description": "Easy to copy", "files": [], "tags": []}
    message = "Decision recorded successfully"
    compare(bare, {**none, "id": unique, "created_at": moment, "message": message})
    # 3. search_codebase(query, limit?) -> results[]
    (found,) = peer.data("search_codebase", query="how is the session cookie signed", limit=1)[
        "results"
    ]
    compare(found, RESULT)
    assert found["line_start"] <= found["line_end"] <= len(CODE.splitlines())
    # 4. The limit is ten where none is given, the best first
    results = peer.data("search_codebase", query="part value of the server")["results"]
    relevance = [result["relevance"] for result in results]
    assert 1 < len(results) <= 10 and relevance == sorted(relevance, reverse=True)
    assert all(0 <= value <= 1 for value in relevance)
    # 5. get_file_context(path) -> content, language, lines
    compare(
        peer.data("get_file_context", path="src/server.py"),
        {
            "path": "src/server.py",
            "content": CODE,
            "language": "python",
            "lines": CODE.count("\n"),
            "shown_lines": CODE.count("\n"),
        },
    )
    # 6. get_project_summary() -> summary object
    compare(
        peer.data("get_project_summary"),
        {
            "name": "shop",
            "description": str,
            "languages": lambda names: names[0] in ("python", "markdown"),
            "total_files": between(8, 20),
            "total_lines": between(20, 200),
            "key_directories": lambda names: {"src", "tests"} <= set(names),
            "recent_decisions": [{**SHORT, "title": "One file", "description": str}, SHORT],
            "dependencies": [],
            "architecture_notes": "",
        },
    )
    # 7. get_context(query, current_file?, max_tokens?) -> context, sources, token_count, decisions
    query = "How does auth work: are tokens signed?"
    context = peer.data("get_context", query=query, current_file="src/server.py", max_tokens=900)
    compare(
        context,
        {
            "context": holding("## Codebase Context", "## Relevant Decisions", "Tokens are signed"),
            "sources": lambda paths: paths[0] == "src/server.py",
            "token_count": between(1, 900),
            "decisions": [SHORT],
        },
    )
    # 8. The budget is 6,000 tokens where none is given, and is never exceeded
    assert 1 <= peer.data("get_context", query=query)["token_count"] <= 6000
    # 9. memorylayer://decisions/recent: the last ten, as JSON
    newest, oldest = json.loads(read(peer, "memorylayer://decisions/recent", "application/json"))
    compare(oldest, DECISION)
    assert newest["title"] == "One file"
    # 10. memorylayer://project/overview: the summary, as Markdown
    overview = read(peer, "memorylayer://project/overview", "text/markdown")
    assert holding("## Project", "Languages: ", "Folders: src", "Tokens are signed")(overview)


def read(peer: Peer, uri: str, kind: str) -> str:
    """The text of a resource."""
    answer = peer.ask("read_resource", uri)
    assert isinstance(answer, ReadResourceResult)
    (content,) = answer.contents
    assert content.mime_type == kind
    return str(getattr(content, "text", ""))


def test_wrong_arguments_are_refused_by_their_names(peer: Peer, tmp_path: Path) -> None:
    for tool, arguments, parts in (
        ("get_context", {"query": "a", "current_file": 3}, ("'current_file'", "a string")),
        ("get_context", {"query": "a", "max_tokens": "many"}, ("'max_tokens'", "whole number")),
        ("search_codebase", {"query": " "}, ("'query'", "empty")),
        ("search_codebase", {"query": "a", "limit": 0}, ("'limit'",)),
        ("record_decision", {"title": "a"}, ("'description'", "missing")),
        ("record_decision", {"title": "", "description": "b"}, ("'title'", "empty")),
        ("record_decision", {"title": "a", "description": "b", "tags": 3}, ("'tags'", "a list")),
        ("get_file_context", {"path": str(tmp_path)}, ("not a path inside",)),
        ("get_file_context", {"path": "src/nope.py"}, ("no file src/nope.py",)),
        ("get_project_summary", {"depth": 3}, ("no argument 'depth'",)),
    ):
        error = peer.refused(tool, **arguments)
        assert all(part in error for part in parts), (tool, arguments, error)


def test_a_search_of_the_codebase_says_that_it_is_of_code(peer: Peer) -> None:
    """ML-6: the description that an agent reads, and what is not found by it."""
    listed: Any = peer.ask("list_tools")
    (tool,) = [tool for tool in listed.tools if tool.name == "search_codebase"]
    assert tool.description == "Find code by words and meaning."


def test_a_decision_that_was_set_aside_is_brought_back_by_a_person(tmp_path: Path) -> None:
    """ML-7: an agent's own as well, and the refusal says so."""
    agent = Agent(shop(tmp_path), "compat")
    id = agent.data("record_decision", title="Use tabs", description="They are wide.")["id"]
    agent.data("update_decision_status", decision_id=id, status="deprecated")
    with pytest.raises(Conflict, match=r"is deprecated, .* only a person can bring it back"):
        agent.data("update_decision_status", decision_id=id, status="accepted")
    agent.desk.run("revise", id=id, status="accepted")
    assert agent.desk.run("show", id=id).memory.status == "accepted"
