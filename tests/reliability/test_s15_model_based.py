"""Any order of edits does to the store what it does to a dictionary (S-15, one store)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from gitmem.clock import FixedClock
from gitmem.errors import Conflict, NotFound
from gitmem.operations.archive.archive import archive_memories, restore_memories
from gitmem.operations.archive.purge import PurgeMemoriesRequest, purge_memories
from gitmem.operations.outcomes import MemoryIdsRequest
from gitmem.operations.remember.decide import RecordDecisionRequest, record_decision
from gitmem.operations.remember.pin import pin, unpin
from gitmem.operations.remember.remember import RememberRequest, remember
from gitmem.operations.remember.revise import ReviseRequest, revise_memory
from gitmem.store.file import integrity
from gitmem.store.memory import derived_rows, memories, memory_search
from gitmem.store.memory.filters import MemoryFilter
from tests.reliability.scoring import Score
from tests.support.amounts import examples
from tests.support.stores import START, make_app

WORDS = ("alpha", "beta", "gamma", "delta", "omega")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" ".join)
tags = st.lists(st.sampled_from(["t1", "t2", "t3"]), max_size=2, unique=True).map(tuple)
ROOT = Path(tempfile.gettempdir())


class Machine(RuleBasedStateMachine):
    """The oracle knows of each memory its words, tags, state, pin and number of versions."""

    folder: Path
    checked = 0  # how often the store was compared with the oracle
    stored = Bundle("stored")

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(dir=self.folder))
        self.clock = FixedClock(START)
        self.app = make_app(
            self.folder,
            clock=self.clock,
            GITMEM_HOME=str(self.place / "user"),
            GITMEM_STORE_PATH=str(self.place / "own" / "memory.db"),
        )
        self.oracle: dict[str, dict[str, Any]] = {}
        self.purged: set[str] = set()

    def teardown(self) -> None:
        assert integrity.structure_problems(self.app.store) == []
        assert integrity.damaged_memories(self.app.store) == []
        self.app.close()
        shutil.rmtree(self.place)

    @initialize()
    def move(self) -> None:
        self.clock.advance(1)

    def same(self, kind: str, title: str, text: str) -> str | None:
        """The oldest living memory that says the same."""
        alike = [
            id
            for id, item in self.oracle.items()
            if (item["kind"], item["title"], item["text"], item["state"])
            == (kind, title, text, "active")
        ]
        return alike[0] if alike else None

    @rule(target=stored, text=texts, tags=tags)
    def remember(self, text: str, tags: tuple[str, ...]) -> str:
        self.clock.advance(7)
        expected = self.same("note", "", text)
        done = remember(self.app, RememberRequest(text, tag=tags))
        if expected is None:
            assert done.action in ("added", "suggested") and done.id not in self.oracle
            self.oracle[done.id] = {
                "kind": "note", "title": "", "text": text, "tags": set(tags), "state": "active",
                "pinned": False, "versions": 1,
            }  # fmt: skip
            return done.id
        assert (done.action, done.id) == ("reinforced", expected)
        item = self.oracle[expected]
        item["versions"] += not set(tags) <= item["tags"]
        item["tags"] |= set(tags)
        return done.id

    @rule(id=stored, text=texts)
    def revise(self, id: str, text: str) -> None:
        self.clock.advance(-3)
        if self.gone(lambda: revise_memory(self.app, ReviseRequest(id, text)), id):
            return
        item = self.oracle[id]
        item["versions"] += item["text"] != text
        item["text"] = text

    @rule(id=stored)
    def forget(self, id: str) -> None:
        self.retire(id, archive_memories, "archived")

    @rule(id=stored)
    def restore(self, id: str) -> None:
        item = self.oracle.get(id)
        if item is None or item["state"] != "superseded":
            self.retire(id, restore_memories, "restored")
            return
        restore_memories(self.app, MemoryIdsRequest((id,)))
        item["state"] = "active"
        item["versions"] += 1

    def retire(self, id: str, operation: Any, action: str) -> None:
        result = self.oracle.get(id)
        if result is not None and (result["state"] == "archived") == (action == "archived"):
            with pytest.raises(Conflict):
                operation(self.app, MemoryIdsRequest((id,)))
            return
        if self.gone(lambda: operation(self.app, MemoryIdsRequest((id,))), id):
            return
        assert result is not None
        before = result.get("before", "active")
        result["before"] = result["state"]
        result["state"] = "archived" if action == "archived" else before
        result["versions"] += 1

    @rule(id=stored, pinned=st.booleans())
    def pin(self, id: str, pinned: bool) -> None:
        operation = pin if pinned else unpin
        if self.gone(lambda: operation(self.app, MemoryIdsRequest((id,))), id):
            return
        item = self.oracle[id]
        item["versions"] += item["pinned"] != pinned
        item["pinned"] = pinned

    @rule(id=consumes(stored))
    def purge(self, id: str) -> None:
        if not self.gone(lambda: purge_memories(self.app, PurgeMemoriesRequest((id,))), id):
            del self.oracle[id]
            self.purged.add(id)

    @rule(target=stored, id=stored, text=texts)
    def supersede(self, id: str, text: str) -> str:
        """A decision that replaces what is still followed."""
        item = self.oracle.get(id)
        self.clock.advance(5)
        if item is None or item["state"] != "active":
            return id
        title = f"decided {text}"
        known = self.same("decision", title, "")
        if known is not None:
            return known
        done = record_decision(self.app, RecordDecisionRequest(title=title, why="", supersedes=id))
        self.oracle[done.id] = {
            "kind": "decision", "title": title, "text": "", "tags": set(), "state": "active",
            "pinned": False, "versions": 1,
        }  # fmt: skip
        item["state"] = "superseded"
        item["versions"] += 1
        return done.id

    def gone(self, act: Any, id: str) -> bool:
        """Whether the memory was purged; then the act is refused."""
        if id not in self.oracle:
            with pytest.raises(NotFound):
                act()
            return True
        act()
        return False

    @invariant()
    def store_and_oracle_agree(self) -> None:
        Machine.checked += 1
        saved = {memory.id: memory for memory in memories.all_memories(self.app.store)}
        assert set(saved) == set(self.oracle)
        for id, item in self.oracle.items():
            memory = saved[id]
            message = (memory.title, memory.content, set(memory.tags))
            assert message == (item["title"], item["text"], item["tags"])
            held = (memory.state, memory.pinned, memory.version)
            assert held == (item["state"], item["pinned"], item["versions"])
            history = memories.earlier_versions(self.app.store, id)
            assert [v.memory.version for v in history] == list(range(1, item["versions"]))
            assert memory.updated_at >= memory.created_at

    @invariant()
    def the_index_holds_exactly_the_present_words(self) -> None:
        for word in WORDS:
            hits = memory_search.best_matching_memories(
                self.app.store, word, MemoryFilter(states=()), 1000
            )
            expected = {
                id
                for id, item in self.oracle.items()
                if word in f"{item['title']} {item['text']}".split()
            }
            numbers = {memory.seq: memory.id for memory in memories.all_memories(self.app.store)}
            assert {numbers[seq] for seq, _ in hits} == expected
        assert derived_rows.derived_row_problems(self.app.store) == []


def test_any_order_of_edits_agrees_with_a_dictionary(tmp_path: Path, score: Score) -> None:
    Machine.folder, Machine.checked = tmp_path, 0
    runs = score.size(quick=examples(5), full=300, nightly=2000)
    steps = score.size(quick=25, full=50)
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    score.report("runs of edits", cases=runs, fired=Machine.checked)
