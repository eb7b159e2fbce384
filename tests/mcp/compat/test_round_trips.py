"""What a documented call stores, each documented call that reads it gives back as it was given.

A field that is stored has to come back with its value from every call whose document shows it. The
calls are made by a client of the SDK, over one connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.mcp.agents import shop
from tests.mcp.compat.test_documented_calls import Peer, at, connected

PLACE = {"path": "src/server.py", "lineStart": 4, "lineEnd": 9}
BLOCK = {"code": "return port", "language": "python", "filePath": "src/server.py"}
ORIGIN = {"sessionId": "s1", "filePath": "src/server.py", "lineStart": 18, "lineEnd": 34,
          "commitSha": "abc1234", "capturedAt": 1_772_029_800_000}  # fmt: skip


class Write(NamedTuple):
    """A call that stores: where its answer has the id, and what is stored, by path and value."""

    tool: str
    arguments: dict[str, Any]
    id: str
    fields: dict[str, Any]
    # Calls made before it: the id of the last one is ``$id`` in its arguments.
    before: tuple[tuple[str, dict[str, Any], str], ...] = ()


class Read(NamedTuple):
    """A call that reads: its arguments, the path of its items, and that of an item's id.

    ``paths``: where an item has what is stored, by the names in ``Write.fields``.
    """

    tool: str
    arguments: dict[str, Any]
    items: str
    id: str
    paths: dict[str, str]


def under(path: str, *names: str) -> dict[str, str]:
    """Each name, as the path of its own below another path."""
    return {name: f"{path}{name}" for name in names}


FABRIC = ("type", "content", "tags", "pinned", "metadata.title", "metadata.tags",
          "metadata.weight", "metadata.confidence", "metadata.codeBlock", "metadata.provenance",
          "metadata.fileContext")  # fmt: skip
STORED = {
    "type": "decision", "content": "The kiosk of okapi sells {n} tickets.", "tags": ["a", "b"],
    "pinned": True, "metadata.title": "Kiosk {n}", "metadata.tags": ["a", "b"],
    "metadata.weight": 4, "metadata.confidence": 0.9, "metadata.codeBlock": BLOCK,
    "metadata.provenance": ORIGIN, "metadata.fileContext": PLACE,
}  # fmt: skip
FACTS = {
    "title": "Kiosk {n}", "tags": ["a", "b"], "weight": 4, "confidence": 0.9, "codeBlock": BLOCK,
    "provenance": ORIGIN, "fileContext": PLACE,
}  # fmt: skip
ITEM = {"type": "decision", "content": STORED["content"], "metadata": FACTS, "pinned": True}
BARE = {"type": "decision", "content": "Unlike {n} others.", "metadata": {"title": "x"}}

CONTEXTIFY = ("title", "content", "summary", "type", "scope", "agent_source", "tags",
              "importance")  # fmt: skip
RECORD = {
    "title": "Okapi {n}", "content": "The okapi of stall {n} sleeps by day.",
    "summary": "Asleep {n}", "type": "workflow", "scope": "project", "agent_source": "windsurf",
    "tags": ["a", "b"], "importance": 0.7,
}  # fmt: skip
CHANGED = {name: RECORD[name] for name in ("title", "content", "summary", "type", "tags",
                                           "importance")}  # fmt: skip

ENGINE = {
    "information": "Okapi number {n} of the kiosk reads large files.",
    "metadata.kind": "pattern", "metadata.language": "python", "metadata.path": "src/part0.py",
    "metadata.tags": ["a", "b"], "metadata.priority": 9, "metadata.topic": "performance",
    "metadata.code": "yield line", "metadata.author": "Ada", "metadata.source": "wiki",
    "metadata.created_at": "2024-01-15T10:30:00Z", "metadata.link": "https://example.org/a",
    "metadata.repo": "shop", "metadata.expires_at": "2099-01-01T00:00:00Z",
}  # fmt: skip
NOTED = {
    name.removeprefix("metadata."): value for name, value in ENGINE.items() if name != "information"
}

DECISION = {"title": "Okapi {n}", "description": "An okapi of {n} stripes beats a zebra.",
            "files": ["src/server.py"], "tags": ["a", "b"]}  # fmt: skip
SKILL = {
    "slug": "okapi-{n}", "name": "Okapi {n}", "description": "Feed {n} okapis.",
    "triggers": ["feed"], "instructions": "Open the {n}th stall.",
    "parameters": [{"name": "hay", "description": "How much", "required": True},
                   {"name": "salt", "description": "How much", "required": False}],
}  # fmt: skip

WRITES = {
    "fabric": [
        Write("context.store", {**ITEM, "layer": 2}, "id", STORED),
        Write("context.storeBatch", {"items": [ITEM]}, "results[].id", STORED),
        Write("context.update",
              {"memoryId": "$id", "content": STORED["content"], "metadata": FACTS, "pinned": True},
              "memory.id", STORED, (("context.store", BARE, "id"),)),
        Write("context.update", {"memoryId": "$id", "tags": ["c"], "weight": 2}, "memory.id",
              {"tags": ["c"], "metadata.tags": ["c"], "metadata.weight": 2},
              (("context.store", BARE, "id"),)),
        Write("context.update", {"memoryId": "$id", "pinned": True}, "memory.id",
              {"pinned": True}, (("context.store", BARE, "id"),)),
    ],
    "skill": [
        Write("context.skill.create", SKILL, "slug", SKILL),
        Write("context.skill.update", {**SKILL, "slug": "$id"}, "slug",
              {**SKILL, "slug": "$id"},
              (("context.skill.create", {"slug": "okapi-{n}", "name": "x", "description": "x",
                                         "instructions": "x"}, "slug"),)),
    ],
    "contextify": [
        Write("store_memory", {**RECORD, "ttl_seconds": 86400}, "memory.id",
              {**RECORD, "ttl_seconds": 86400}),
        Write("store_memory", {**RECORD, "type": "solution"}, "memory.id",
              {**RECORD, "type": "solution"}),
        Write("update_memory", {"memory_id": "$id", **CHANGED}, "id", CHANGED,
              (("store_memory", {"title": "x", "content": "Unlike {n} others."}, "memory.id"),)),
    ],
    "engine": [
        Write("store", {"information": ENGINE["information"], "metadata": NOTED}, "id", ENGINE),
        Write("memory_store", {"information": ENGINE["information"], "metadata":
              {**NOTED, "kind": "snippet", "priority": 4}}, "id",
              {**ENGINE, "metadata.kind": "snippet", "metadata.priority": 4}),
    ],
    "decision": [
        Write("record_decision", DECISION, "id", DECISION),
        Write("record_decision_with_author", {**DECISION, "author": "Ada", "status": "accepted"},
              "id", {**DECISION, "author": "Ada", "status": "accepted"}),
        Write("memory_record", {"type": "decision", "content": DECISION["description"],
              **{name: DECISION[name] for name in ("title", "files", "tags")}}, "id", DECISION),
    ],
    "critical": [
        Write("mark_critical", {"content": "Never feed okapi {n}", "type": "requirement",
              "reason": "law {n}"}, "id", {"content": "Never feed okapi {n}",
              "type": "requirement", "reason": "law {n}"}),
        Write("memory_record", {"type": "critical", "content": "Never wake okapi {n}",
              "critical_type": "instruction", "reason": "law {n}"}, "id",
              {"content": "Never wake okapi {n}", "type": "instruction", "reason": "law {n}"}),
    ],
    "pattern": [
        Write("learn_pattern", {"code": "okapi({n})", "name": "Okapi {n}", "description": "How {n}",
              "category": "logging"}, "pattern_id", {"name": "Okapi {n}", "category": "logging",
              "description": "How {n}", "code": "okapi({n})"}),
        Write("memory_record", {"type": "pattern", "content": "How {n}", "pattern_name":
              "Okapi {n}", "code": "okapi({n})"}, "id",
              {"name": "Okapi {n}", "description": "How {n}", "code": "okapi({n})"}),
    ],
    "feature": [
        Write("set_feature_context", {"name": "okapi {n}", "files": ["src/server.py"]}, "name",
              {"name": "okapi {n}", "files_count": 1}),
    ],
    "relationship": [
        Write("create_relationship", {"from_memory_id": "$id", "to_memory_id": "$id2",
              "relationship": "REQUIRES", "strength": 0.9, "context": "both {n}"},
              "from_memory_id", {"relationship": "REQUIRES", "strength": 0.9,
              "context": "both {n}"},
              (("store", {"information": "An ibex of {n} horns."}, "id"),
               ("store", {"information": "A gnu in {n} herds."}, "id"))),
    ],
}  # fmt: skip

READS = {
    "fabric": [
        Read("context.get", {"memoryId": "$id"}, "", "memory.id", under("memory.", *FABRIC)),
        Read("context.list", {"layer": 2, "limit": 1000}, "memories", "id", under("", *FABRIC)),
        Read("context.recall", {"query": "okapi kiosk tickets unlike others", "limit": 100},
             "results", "memory.id", under("memory.", *FABRIC)),
    ],
    "skill": [
        Read("context.skill.get", {"slug": "$id"}, "", "slug", under("", *SKILL)),
        Read("context.skill.list", {}, "skills", "slug",
             under("", "slug", "name", "description", "triggers")),
        Read("context.skill.invoke", {"slug": "$id", "parameter": ["hay=1"]}, "", "slug",
             under("", "slug", "name", "description", "parameters")),
    ],
    "contextify": [
        Read("get_memory", {"memory_id": "$id"}, "", "id", under("", *CONTEXTIFY, "ttl_seconds")),
        Read("recall_memories", {"query": "okapi stall", "limit": 100}, "results", "memory.id",
             under("memory.", *CONTEXTIFY)),
        Read("search_memories", {"query": "*", "limit": 100}, "results", "memory.id",
             under("memory.", *CONTEXTIFY)),
        Read("search_memories", {"query": "", "tags": ["a"], "limit": 100}, "results", "memory.id",
             under("memory.", *CONTEXTIFY)),
        Read("get_context", {"project_id": "shop"}, "memories", "id", under("", *CONTEXTIFY)),
        Read("find_similar", {"memory_id": "$other", "threshold": 0, "limit": 100}, "results",
             "memory.id", under("memory.", *CONTEXTIFY)),
    ],
    "engine": [
        Read("find", {"query": "okapi kiosk large files", "limit": 100}, "results", "id",
             under("", *ENGINE)),
        Read("memory_find", {"query": "okapi kiosk", "language": "python", "topic": "performance",
             "tags": "a,b", "priority_min": 4, "limit": 100}, "results", "id", under("", *ENGINE)),
        Read("context_search", {"query": "okapi kiosk large files", "limit": 100}, "results", "id",
             under("", "information", "metadata.kind", "metadata.language", "metadata.priority")),
    ],
    "decision": [
        Read("get_context", {"query": "an okapi of {n} stripes", "max_tokens": 6000},
             "decisions", "id", under("", "title", "description")),
        Read("get_project_summary", {}, "recent_decisions", "id",
             under("", "title", "description")),
        Read("memory_query", {"query": "an okapi of {n} stripes", "action": "context"},
             "context.decisions", "id", under("", "title", "description")),
        Read("context.get", {"memoryId": "$id"}, "", "memory.id",
             {"title": "memory.metadata.title", "description": "memory.content",
              "tags": "memory.tags"}),
        Read("search_memories", {"query": "okapi", "type": "decision", "limit": 100}, "results",
             "memory.id", {"title": "memory.title", "description": "memory.content",
             "tags": "memory.tags"}),
    ],
    "critical": [
        Read("get_critical_context", {}, "items", "id", under("", "content", "type", "reason")),
        Read("memory_status", {"action": "critical"}, "critical.items", "id",
             under("", "content", "type", "reason")),
    ],
    "pattern": [
        Read("list_patterns", {}, "patterns", "id", under("", "name", "category", "description")),
        Read("get_pattern", {"id": "$id"}, "", "id", {"code": "examples[].code",
             **under("", "name", "category", "description")}),
        Read("memory_status", {"action": "patterns"}, "patterns.patterns", "id",
             under("", "name", "category", "description")),
    ],
    "feature": [
        Read("get_active_context", {}, "", "current_feature.name",
             under("current_feature.", "name", "files_count")),
        Read("list_recent_contexts", {}, "recent", "name", under("", "name", "files_count")),
    ],
    "relationship": [
        Read("get_related_memories", {"memory_id": "$id"}, "relationships", "from_memory_id",
             under("", "relationship", "strength", "context")),
    ],
}  # fmt: skip

PAIRS = [
    (write, read) for kind, writes in WRITES.items() for write in writes for read in READS[kind]
]


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with connected(shop(tmp_path_factory.mktemp("trips"))) as peer:
        peer.kept["other"] = peer.data("store", information="An okapi of the stall sleeps.")["id"]
        yield peer


def filled(value: Any, number: int, saved: dict[str, str]) -> Any:
    """A value with the number of the pair and the ids of calls before it."""
    if isinstance(value, dict):
        return {name: filled(item, number, saved) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [filled(item, number, saved) for item in value]
    if not isinstance(value, str):
        return value
    return saved[value[1:]] if value.startswith("$") else value.replace("{n}", str(number))


def losses(peer: Peer, number: int, write: Write, read: Read) -> list[str]:
    """What a pair of calls loses or changes."""
    for name, (tool, arguments, path) in zip(("id", "id2"), write.before, strict=False):
        peer.kept[name] = at(peer.data(tool, **filled(arguments, number, peer.kept)), path)
    made = peer.data(write.tool, **filled(write.arguments, number, peer.kept))
    peer.kept["id"] = at(made, write.id)
    answer = peer.data(read.tool, **filled(read.arguments, number, peer.kept))
    items = [answer] if not read.items else at(answer, read.items)
    matches = [item for item in items if at(item, read.id) == peer.kept["id"]]
    if len(matches) != 1:
        return [f"{write.tool} -> {read.tool}: {len(matches)} of {len(items)} items"]
    lost = []
    for name, expected in filled(write.fields, number, peer.kept).items():
        if name not in read.paths:
            continue
        try:
            value = at(matches[0], read.paths[name])
        except (KeyError, IndexError, TypeError):
            value = "nothing"
        if value != expected:
            lost.append(f"{write.tool} -> {read.tool}: {name} {expected!r} is {value!r}")
    return lost


def test_a_field_that_nobody_keeps_is_refused_by_its_name(peer: Peer) -> None:
    for tool, arguments, name in (
        ("context.store", {**ITEM, "colour": "red"}, "colour"),
        ("context.store", {**BARE, "metadata": {"reviewer": "Ada"}}, "reviewer"),
        ("context.update", {"memoryId": "$other", "colour": "red"}, "colour"),
        ("store_memory", {**RECORD, "colour": "red"}, "colour"),
        ("update_memory", {"memory_id": "$other", "colour": "red"}, "colour"),
        ("store", {"information": "a b", "colour": "red"}, "colour"),
        ("store", {"information": "a b", "metadata": {"priority": 11}}, "priority"),
        ("store", {"information": "a b", "metadata": {"kind": "verse"}}, "kind"),
        ("record_decision", {**DECISION, "colour": "red"}, "colour"),
        ("memory_record", {"type": "decision", "content": "a b", "colour": "red"}, "colour"),
        ("mark_critical", {"content": "a b", "colour": "red"}, "colour"),
        ("learn_pattern", {"code": "a", "name": "a", "colour": "red"}, "colour"),
        ("set_feature_context", {"name": "a", "colour": "red"}, "colour"),
        ("context.skill.create", {**SKILL, "colour": "red"}, "colour"),
        ("create_relationship", {"from_memory_id": "$other", "to_memory_id": "$other",
         "relationship": "REQUIRES", "colour": "red"}, "colour"),
    ):  # fmt: skip
        assert name in peer.refused(tool, **filled(arguments, 1, peer.kept)), (tool, name)


def test_no_field_is_lost_between_calls_that_store_and_calls_that_read(peer: Peer) -> None:
    """CF-8, CF-39, CF-42, CE-8, CT-1, CT-16, ML-4, ML-12, ML-23."""
    assert len(PAIRS) >= 60
    lost = [
        loss
        for number, (write, read) in enumerate(PAIRS, 101)
        for loss in losses(peer, number, write, read)
    ]
    assert not lost, "\n".join(["", *lost])
