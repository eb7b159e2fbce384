"""Devices that share by a remote come to the same, whatever is lost, repeated or restored (S-15r).

The pure core alone: each replica holds records, each remote log is what a device pushed. The store
and git around it are tried in ``tests/sync``.
"""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from gitmem.model import ids
from gitmem.sync import merge, record
from gitmem.sync.record import MEMORY, TOMBSTONE, RecordNode
from tests.reliability.scoring import Score
from tests.support.amounts import examples

DAY = 86_400_000
WORDS = ("alpha", "beta", "gamma")
replicas = st.integers(0, 4)
texts = st.sampled_from(WORDS)
tags = st.lists(st.sampled_from(["t1", "t2", "t3"]), max_size=2, unique=True).map(tuple)


@dataclass
class Replica:
    """A device: what it knows, which version of each memory it has in force, what it wrote."""

    device: str
    skew: int
    known: dict[str, RecordNode] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)  # the hashes on its own ref
    counter: int = 0

    def of(self, id: str) -> list[RecordNode]:
        return [node for node in self.known.values() if node.id == id]

    def ids(self) -> set[str]:
        return {node.id for node in self.known.values() if node.kind == MEMORY}

    def resolve(self, id: str) -> None:
        decided = merge.resolve_memory_versions(
            self.of(id),
            self.current.get(id, ""),
            memory_exists=id in self.current,
            may_replace=lambda _: True,
            may_purge=lambda _: True,
        )
        if decided.purge:
            self.current.pop(id, None)
            self.conflicts.pop(id, None)
        else:
            self.current[id] = decided.current
            self.conflicts[id] = decided.conflicts


class Machine(RuleBasedStateMachine):
    """``remote`` has each device's log; ``acknowledged`` what nothing may lose."""

    faults = conflicts = 0

    @initialize(count=st.integers(3, 5), seed=st.integers(0, 2**32))
    def begin(self, count: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.replicas = [
            Replica(self.random.randbytes(16).hex(), self.random.randint(-9, 9) * DAY)
            for _ in range(count)
        ]
        self.remote: dict[str, list[str]] = {}
        self.nodes: dict[str, RecordNode] = {}
        self.purged: set[str] = set()
        self.backups: dict[int, Replica] = {}
        for word in WORDS:  # what all have at the start, so that edits meet
            self.remember(0, word, ())
        self.push(0, lost=False, again=False)
        for number in range(1, count):
            self.pull(number)

    def replica_of(self, number: int) -> Replica:
        return self.replicas[number % len(self.replicas)]

    def some_id(self, replica: Replica) -> str | None:
        known = sorted(replica.current)
        return self.random.choice(known) if known else None

    def write(
        self, replica: Replica, kind: str, id: str, body: dict[str, Any], *, settles: bool = False
    ) -> None:
        waiting = () if settles else replica.conflicts.get(id, ())
        above = [
            node for node in merge.unreplaced_records(replica.of(id)) if node.hash not in waiting
        ]
        replica.counter = merge.next_logical_time(replica.counter + 1, above)
        made = record.make_record(
            kind,
            id,
            device=replica.device,
            counter=replica.counter,
            parent_hashes=[node.hash for node in above][: record.MAX_PARENTS],
            created_ms=max(0, 10 * DAY + replica.skew),
            body=body,
        )
        assert record.parse_record_line(record.record_as_line(made).encode()) == made
        self.nodes[made.hash] = made.without_body
        replica.known[made.hash] = made.without_body
        replica.log.append(made.hash)
        if kind == MEMORY:
            replica.current[id] = made.hash
        replica.known = merge.merge_records(replica.known)
        replica.resolve(id)

    @rule(number=replicas, text=texts, tags=tags)
    def remember(self, number: int, text: str, tags: tuple[str, ...]) -> None:
        id = ids.new_ulid(self.random.getrandbits(40), self.random.randbytes(10))
        self.write(self.replica_of(number), MEMORY, id, {"content": text, "tags": sorted(tags)})

    @rule(number=replicas, text=texts, tags=tags)
    def edit(self, number: int, text: str, tags: tuple[str, ...]) -> None:
        replica = self.replica_of(number)
        if id := self.some_id(replica):
            noise = self.random.random()  # an edit back to earlier words is an edit as well
            body = {"content": text, "tags": sorted(tags), "importance": noise}
            self.write(replica, MEMORY, id, body)

    @rule(number=replicas)
    def settle(self, number: int) -> None:
        replica = self.replica_of(number)
        if id := next((id for id, open_ in sorted(replica.conflicts.items()) if open_), None):
            self.write(
                replica, MEMORY, id, {"content": f"settled {len(replica.log)}"}, settles=True
            )

    @rule(number=replicas)
    def purge(self, number: int) -> None:
        replica = self.replica_of(number)
        if id := self.some_id(replica):
            self.purged.add(id)
            self.write(replica, TOMBSTONE, id, {})

    @rule(number=replicas, lost=st.booleans(), again=st.booleans())
    def push(self, number: int, lost: bool, again: bool) -> None:
        """A push, whose answer may be lost: sent or not, the device goes on as before."""
        replica = self.replica_of(number)
        Machine.faults += lost
        if lost and not again:
            return
        there = self.remote.get(replica.device, [])
        if replica.log[: len(there)] != there:
            Machine.faults += 1
            self.pull(number)  # the ref moved there: read it, then the device's own goes on
        replica.log = list(dict.fromkeys([*self.remote.get(replica.device, []), *replica.log]))
        self.remote[replica.device] = list(replica.log)

    @rule(number=replicas)
    def pull(self, number: int) -> None:
        replica = self.replica_of(number)
        used = {self.nodes[hash].counter: hash for hash in replica.log}
        arrived = [self.nodes[hash] for log in self.remote.values() for hash in log]
        fresh = [node for node in arrived if node.hash not in replica.known]
        self.random.shuffle(fresh)
        if merge.is_device_id_reused(replica.device, used, fresh):
            Machine.faults += 1
            replica.device, replica.log = (
                self.random.randbytes(16).hex(),
                [hash for hash in replica.log if hash not in self.remote[replica.device]],
            )
        half = len(fresh) // 2
        parts = [{node.hash: node for node in part} for part in (fresh[:half], fresh[half:])]
        forward = merge.merge_records(replica.known, *parts)
        assert forward == merge.merge_records(*reversed(parts), replica.known)
        assert forward == merge.merge_records(forward, forward)
        replica.known = forward
        for id in replica.ids() | set(replica.current):
            replica.resolve(id)

    @rule(number=replicas, text=texts)
    def edit_and_exchange(self, number: int, text: str) -> None:
        """What a person does all day: a change, and `gitmem sync`."""
        self.edit(number, text, ())
        self.push(number, lost=False, again=False)
        self.pull(number)

    @rule(number=replicas)
    def back_up(self, number: int) -> None:
        self.backups[number % len(self.replicas)] = copy.deepcopy(self.replica_of(number))

    @rule(number=replicas)
    def restore(self, number: int) -> None:
        """The disk of a device is set back; what it had pushed is on the remote."""
        number %= len(self.replicas)
        if number in self.backups:
            Machine.faults += 1
            before = self.replicas[number]
            pushed = {hash for log in self.remote.values() for hash in log}
            for hash in set(before.log) - pushed - set(self.backups[number].log):
                self.nodes.pop(hash, None)  # never acknowledged by the remote: lost with the disk
            self.replicas[number] = copy.deepcopy(self.backups[number])
            self.purged = {
                id
                for id in self.purged
                if any(node.id == id and node.kind == TOMBSTONE for node in self.nodes.values())
            }

    @invariant()
    def what_is_known_is_in_force_or_replaced(self) -> None:
        for replica in getattr(self, "replicas", ()):
            for id, hash in replica.current.items():
                visible = {hash, *replica.conflicts[id]}
                words = {self.words(each) for each in visible}
                top = merge.unreplaced_records(replica.of(id))
                Machine.conflicts += bool(replica.conflicts[id])
                assert {self.words(node.hash) for node in top} <= words, "a version is not shown"

    def orders(self, replica: Replica) -> list[list[tuple[str, RecordNode]]]:
        """What a replica knows, in three orders; copies, so that nothing hangs on identity."""
        pairs = [(hash, copy.copy(node)) for hash, node in sorted(replica.known.items())]
        return [pairs, pairs[::-1], self.random.sample(pairs, len(pairs))]

    def words(self, hash: str) -> str:
        return self.nodes[hash].text if hash in self.nodes else hash

    def teardown(self) -> None:
        for _ in range(3):
            for number in range(len(self.replicas)):
                self.push(number, lost=False, again=False)
            for number in range(len(self.replicas)):
                self.pull(number)
        first = self.replicas[0]
        for replica in self.replicas:
            assert replica.known == first.known, "two devices know different records"
        for node in self.nodes.values():
            known = node.hash in first.known
            assert known or (node.id in self.purged and node.kind == MEMORY), "a record was lost"
        for id in self.purged:
            assert all(id not in replica.current for replica in self.replicas), (
                "a purge did not travel"
            )
        for id in first.ids():
            newcomers = [Replica("", 0, dict(order)) for order in self.orders(first)]
            for replica in newcomers:
                replica.resolve(id)
            assert len({replica.current[id] for replica in newcomers}) == 1, "the order matters"
        for id in sorted(first.ids()):
            if len({node.text for node in merge.unreplaced_records(first.of(id))}) > 1:
                first.resolve(id)
                self.write(first, MEMORY, id, {"content": f"settled {id}"}, settles=True)
        self.push(0, lost=False, again=False)
        for number in range(len(self.replicas)):
            self.pull(number)
        for id in first.ids():
            shown = {self.words(replica.current[id]) for replica in self.replicas}
            assert len(shown) == 1, "a settled conflict is open elsewhere"
            assert not any(replica.conflicts[id] for replica in self.replicas)


def test_replicas_come_to_the_same(score: Score) -> None:
    Machine.faults = Machine.conflicts = 0
    runs = score.size(quick=examples(25), full=2000)
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=score.size(quick=25, full=50),
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert Machine.conflicts, "no two edits ever met"
    score.report(
        "runs of three to five replicas",
        cases=runs,
        fired=Machine.faults,
        conflicts=Machine.conflicts,
    )
