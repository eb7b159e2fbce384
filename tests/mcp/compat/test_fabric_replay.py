"""Ten calls that the architecture page of Context Fabric documents: request and answer.

Each answer is compared field by field with what the page says of it: a value, a type, or a
condition. The words of a summary are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.mcp.agents import Agent, shop
from tests.support.apps import DAY, HOUR, MINUTE

Check = Callable[[Any], bool]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    desk = shop(tmp_path)
    desk.env["GITMEM_NO_BACKGROUND"] = "1"  # upkeep would read the real clock
    return Agent(desk, "compat")


def differences(answer: Any, documented: Any, place: str = "") -> list[str]:
    """Where an answer is not as documented: a type, a condition, a value, or these of each field.

    A list with one item stands for items that are all like it, and of which there is one.
    """
    if isinstance(documented, dict):
        if not isinstance(answer, dict):
            return [f"{place}: {answer!r} is no object"]
        lacking = [f"{place}.{name} is not there" for name in documented if name not in answer]
        return lacking + [
            text
            for name, part in documented.items()
            if name in answer
            for text in differences(answer[name], part, f"{place}.{name}")
        ]
    if isinstance(documented, list) and len(documented) == 1:
        if not isinstance(answer, list) or not answer:
            return [f"{place}: {answer!r} has no item"]
        return [
            text
            for number, item in enumerate(answer)
            for text in differences(item, documented[0], f"{place}[{number}]")
        ]
    if isinstance(documented, type):
        good = isinstance(answer, documented)
    elif callable(documented):
        good = documented(answer)
    else:
        good = answer == documented
    return [] if good else [f"{place}: {answer!r} is not {documented!r}"]


def is_moment(value: Any) -> bool:
    """Whether it is a time in milliseconds since 1970."""
    return isinstance(value, int) and 1e12 < value < 1e13


def at_most(most: int) -> Check:
    return lambda value: isinstance(value, list) and len(value) <= most


METADATA = {"title": str, "tags": list, "weight": int, "confidence": float, "source": str}
MEMORY = {
    "id": str, "type": str, "content": str, "metadata": METADATA, "tags": list, "pinned": bool,
    "createdAt": is_moment, "updatedAt": is_moment,
}  # fmt: skip
# The page's own example of an anchor, with what follows for its boundaries (UTC-5, ISO week 9).
ANCHOR = {
    "epochMs": 1_772_047_800_000, "iso": "2026-02-25T14:30:00.000-05:00",
    "timezone": "America/New_York", "utcOffset": "-05:00", "timeOfDay": "2:30 PM",
    "date": "Wednesday, February 25, 2026", "dateShort": "Feb 25", "dayOfWeek": "Wednesday",
    "isWeekend": False, "weekNumber": 9, "startOfDay": 1_771_995_600_000,
    "endOfDay": 1_772_081_999_999, "startOfNextDay": 1_772_082_000_000,
    "startOfYesterday": 1_771_909_200_000, "startOfWeek": 1_771_822_800_000,
    "endOfWeek": 1_772_427_599_999, "startOfNextWeek": 1_772_427_600_000,
}  # fmt: skip


def test_ten_documented_calls_are_answered_as_documented(agent: Agent) -> None:
    """CF-1, CF-5, CF-9, CF-15, CF-19, CF-21, CF-28 to CF-30, CF-37, CF-39, CF-40."""

    def replay(tool: str, request: dict[str, Any], documented: Any) -> dict[str, Any]:
        answer = agent.data(tool, **request)
        found = differences(answer, documented)
        assert not found, (tool, request, found)
        return answer

    # 1, 2. A first session has no gap; a returning one is told its length and what is new.
    first = {"timezone": "America/New_York"}
    replay("context.orient", first, {
        "summary": lambda text: "first" in text, "offlineGap": None, "recentMemories": [],
        "time": {**dict.fromkeys(ANCHOR, object), "timezone": "America/New_York"},
        "projectPath": str(agent.desk.place)})  # fmt: skip
    decision = replay("context.store", {"type": "decision", "content": "Use Zod for validation.",
        "metadata": {"weight": 5, "tags": ["zod"]}},
        {"id": str, "success": True, "layer": 2})["id"]  # fmt: skip
    agent.desk.clock.advance(14 * HOUR + 22 * MINUTE)
    replay("context.orient", first, {
        "offlineGap": {"durationMs": lambda ms: ms // MINUTE == 14 * 60 + 24,
                       "durationHuman": "14 hours 24 minutes", "from": is_moment,
                       "memoriesAdded": 1},
        "recentMemories": [{**MEMORY, "id": decision}]})  # fmt: skip
    # 3. The anchor of the page's example.
    replay("context.time", {"timezone": "America/New_York", "expression": ANCHOR["iso"]}, ANCHOR)
    # 4. Routing: the layer given, then tags, then a time to live, then the type, else the project.
    for request, layer in (
        ({"type": "scratchpad", "layer": 2}, 2),
        ({"type": "decision", "metadata": {"tags": ["temp"]}}, 1),
        ({"type": "decision", "ttl": 600}, 1),
        ({"type": "scratchpad"}, 1),
        ({"type": "bug_fix"}, 2),
        ({"type": "code_pattern", "metadata": {"tags": ["project"]}}, 2),
    ):
        content = f"Routed by {request}"
        replay("context.store", {**request, "content": content},
               {"id": str, "success": True, "layer": layer})  # fmt: skip
    # 5. Three modes of recall; weight 5 multiplies by 1.67.
    for mode in ("hybrid", "keyword", "semantic"):
        hits = replay("context.recall",
            {"query": "zod validation", "sessionId": "s", "mode": mode, "explain": True},
            {"results": [{"memory": MEMORY, "similarity": lambda value: 0 <= value <= 1.67,
                          "layer": lambda layer: layer in (1, 2, 3),
                          "explanation": {"final": float}}],
             "total": int, "hasMore": bool})["results"]  # fmt: skip
        assert hits[0]["memory"]["id"] == decision
        assert hits[0]["explanation"]["weight"] == pytest.approx(5 / 3, abs=1e-4)
    # 6. The window: at most 10 working and 10 relevant memories, 5 of each other list.
    window = replay("context.getCurrent", {"sessionId": "s", "currentFile": "src/server.py"}, {
        "context": {"working": [MEMORY], "relevant": [MEMORY], "patterns": at_most(5),
                    "suggestions": [{"type": str, "text": str, "confidence": float,
                                     "memories": list}],
                    "ghostMessages": [{"role": "system", "content": str, "trigger": str,
                                       "isVisible": False}],
                    "activeSymbol": "Server", "relatedMemoryIds": list,
                    "sections": [{"name": str, "priority": int, "lines": list}]}})  # fmt: skip
    for name, most in (("working", 10), ("relevant", 10), ("suggestions", 5), ("ghostMessages", 5)):
        assert len(window["context"][name]) <= most
    # 7. Eight types of events, each with its layer; what only a person makes global waits.
    for type, payload, layer, kind in (
        ("file_opened", {"path": "src/server.py"}, 1, "file_context"),
        ("command_executed", {"command": "npm start", "output": "ok"}, 1, "command"),
        ("error_occurred", {"error": "TypeError: x is undefined"}, 2, "error"),
        ("decision_made", {"decision": "Use npm", "rationale": "it is there"}, 2, "decision"),
        ("session_start", {"goal": "types"}, 1, "summary"),
        ("session_end", {"summary": "typed"}, 1, "summary"),
        ("pattern_detected", {"pattern": "Guard clauses", "code": "if (!x) return"}, 2,
         "code_pattern"),
        ("user_feedback", {"rating": 4, "feedback": "Good"}, 2, "relationship"),
    ):  # fmt: skip
        event = {"type": type, "payload": payload, "sessionId": "s", "cliType": "kimi",
                 "timestamp": 1_772_029_800_000}  # fmt: skip
        id = replay("context.reportEvent", {"event": event}, {
            "processed": True, "memoryId": str, "triggeredActions": [str], "message": str,
        })["memoryId"]  # fmt: skip
        replay(
            "context.get", {"memoryId": id}, {"memory": {**MEMORY, "type": kind}, "layer": layer}
        )
    # 8. A symbol of the code index, with its lines.
    replay("context.searchCode", {"query": "Server", "mode": "symbol", "symbolKind": "class"}, {
        "results": [{"filePath": "src/server.py", "language": "python",
                     "symbol": {"name": "Server", "lineStart": 4, "lineEnd": 9, "signature": str,
                                "docComment": "Listens on the port of Redis."}}],
        "indexStatus": {"totalFiles": 9, "isStale": False}, "total": 1})  # fmt: skip
    # 9. What is pinned does not decay; the lists count it.
    replay("context.update", {"memoryId": decision, "pinned": True, "weight": 4}, {
        "success": True, "layer": 2,
        "memory": {**MEMORY, "pinned": True, "metadata": {**METADATA, "weight": 4}}})  # fmt: skip
    agent.desk.clock.advance(60 * DAY)
    agent.desk.run("decay")
    replay("context.list", {"type": "decision", "tags": ["zod"]}, {
        "memories": [{**MEMORY, "id": decision}], "total": 1, "limit": 20, "offset": 0,
        "layer": 2})  # fmt: skip
    replay("context.list", {"stats": True}, {
        "l1": int, "l2": int, "l3": 0, "total": int, "pinned": {"l2": 1, "l3": 0}})  # fmt: skip
    # 10. Deleted is deleted, and a missing memory is an error by its id.
    replay("context.delete", {"memoryId": decision}, {"success": True, "deletedFrom": 2})
    assert agent.data("context.list", type="decision", tags=["zod"])["total"] == 0


def test_a_repair_tells_and_mends_what_is_damaged(agent: Agent) -> None:
    """CF-36: vectors of a wrong length and rows that are gone; a dry run changes nothing."""
    store = apsw.Connection(str(agent.desk.place / ".gitmem" / "memory.db"))
    store.execute("UPDATE vectors SET q8 = substr(q8, 1, 20) WHERE id IN "
                  "(SELECT id FROM vectors LIMIT 3)")  # fmt: skip
    store.execute("DELETE FROM chunks WHERE rowid IN (SELECT rowid FROM chunks LIMIT 2)")
    store.close()
    counts = ("scanned", "removedFiles", "reindexedFiles", "reembeddedChunks")
    repair = dict.fromkeys(counts, int)
    for dry, status, issues, fixed in (
        (True, "degraded", [str], []),
        (False, "ok", [], [str]),
        (True, "ok", [], []),
    ):
        answer = agent.data("context.codeIndexRepair", dryRun=dry)
        documented = {"dryRun": dry, "repair": {**repair, "scanned": 9, "fixed": fixed},
                      "health": {"status": status, "issues": issues, "totalFiles": 9}}  # fmt: skip
        assert not differences(answer, documented), (dry, differences(answer, documented))
        if status == "degraded":
            assert answer["health"]["issues"][0] == "3 vectors are damaged"


def test_a_repair_counts_what_it_read_again(agent: Agent) -> None:
    """CF-36: a dry run names what is stale or gone, the repair counts the same."""
    (agent.desk.place / "src/server.py").write_text("def started():\n    return 1\n")
    (agent.desk.place / "src/part0.py").unlink()
    dry = agent.data("context.codeIndexRepair", dryRun=True)
    assert dry["health"]["status"] == "degraded"
    assert dry["health"]["issues"] == [
        "1 indexed file changed since", "1 indexed file no longer there"
    ]  # fmt: skip
    wet = agent.data("context.codeIndexRepair")["repair"]
    assert wet["reembeddedChunks"] > 0
    for repair in (dry["repair"], wet):
        assert (repair["reindexedFiles"], repair["removedFiles"]) == (1, 1)
    assert agent.data("context.codeIndexRepair", dryRun=True)["health"]["issues"] == []


def test_a_repair_counts_vectors_that_were_deleted(agent: Agent) -> None:
    """CF-36: what the index itself does not miss is counted too."""
    agent.data("context.codeIndexRepair")
    store = apsw.Connection(str(agent.desk.place / ".gitmem" / "memory.db"))
    store.execute("DELETE FROM vectors WHERE id IN (SELECT id FROM vectors LIMIT 3)")
    store.execute("DELETE FROM vector_bits WHERE id NOT IN (SELECT id FROM vectors)")
    store.close()
    dry = agent.data("context.codeIndexRepair", dryRun=True)
    assert dry["health"]["issues"][0].startswith("3 texts have no vector")
    assert agent.data("context.codeIndexRepair")["repair"]["reembeddedChunks"] == 3
