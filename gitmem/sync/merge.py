"""Merging what devices know: pure functions over sets of records.

What is known is a set of records, and merging is the union of sets: in any order, any number of
times, with the same result. The versions in force of a memory are its heads, the records that no
other record names as a parent. Several heads with different words are a conflict, which a person
settles: until then each is shown. A tombstone ends every version, whenever it was written. Clocks
play no part; of several heads the one with the highest counter comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from gitmem.model.frozen import dataclass
from gitmem.sync.record import MOST_COUNTER, SETS, TOMBSTONE, WEIGHTS, RecordNode


@dataclass(frozen=True, slots=True)
class ResolvedMemoryVersions:
    """What the versions of a memory come to; all are hashes of records (versions).

    ``current`` is the version in force (empty: none), ``joined`` are heads with the same words,
    whose sets are joined with its, ``conflicts`` heads with other words; a head is a version that
    no other replaces. ``purge`` is the tombstone that ends them all, ``claims`` are tombstones that
    a device had no right to write.
    """

    current: str
    joined: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    purge: str = ""
    claims: tuple[str, ...] = ()


def merge_records(*sides: Mapping[str, RecordNode]) -> dict[str, RecordNode]:
    """The records of all sides by hash.

    Of what was purged only the tombstones (records of the deletion) stay.
    """
    every = {hash: node for side in sides for hash, node in side.items()}
    ended = {node.id for node in every.values() if node.kind == TOMBSTONE}
    return {
        hash: node for hash, node in every.items() if node.kind == TOMBSTONE or node.id not in ended
    }


def unreplaced_records(nodes: Iterable[RecordNode]) -> tuple[RecordNode, ...]:
    """The records of one id that no other replaces, the one with the highest counter first."""
    every = tuple(nodes)
    replaced = {parent for node in every for parent in node.parents}
    return tuple(
        sorted((node for node in every if node.hash not in replaced), key=_order, reverse=True)
    )


def next_logical_time(own_counter: int, replaced: Iterable[RecordNode]) -> int:
    """The logical time of a new record that replaces others.

    At least ``own_counter``, above all of theirs.
    """
    return min(max((own_counter, *(node.counter + 1 for node in replaced))), MOST_COUNTER)


def resolve_memory_versions(
    nodes: Collection[RecordNode],
    current_hash: str,
    *,
    memory_exists: bool,
    may_replace: Callable[[RecordNode], bool],
    may_purge: Callable[[RecordNode], bool],
    settled_hashes: Collection[str] = (),
) -> ResolvedMemoryVersions:
    """What the versions of a memory come to on a device.

    ``current_hash`` is the version that it has in force, ``memory_exists`` whether it has one at
    all, known or not, that others have to follow. ``may_replace`` and ``may_purge`` say whether the
    device lets a record take its version's place, or end it; ``settled_hashes`` are heads about
    which a person has decided. A record that may not change anything hides none of those that may.
    """
    stones = [node for node in nodes if node.kind == TOMBSTONE]
    ending = [node for node in stones if may_purge(node)]
    claims = tuple(node.hash for node in stones if not may_purge(node))
    if ending:
        return ResolvedMemoryVersions("", purge=min(node.hash for node in ending))
    by_hash = {node.hash: node for node in nodes if node.kind != TOMBSTONE}
    top = unreplaced_records(by_hash.values())
    if not top:
        return ResolvedMemoryVersions(current_hash, claims=claims)
    leading = unreplaced_records(node for node in by_hash.values() if may_replace(node))
    if not memory_exists:
        chosen = (leading or top)[0].hash
    else:
        ahead = [node for node in leading if is_record_ancestor(current_hash, node, by_hash)]
        chosen = ahead[0].hash if ahead else current_hash
    words = by_hash[chosen].text if chosen in by_hash else None
    rest = [node for node in top if node.hash != chosen and node.hash not in settled_hashes]
    below = {
        node.hash for node in rest if is_record_ancestor(node.hash, by_hash.get(chosen), by_hash)
    }
    joined = tuple(node.hash for node in rest if node.text == words and may_replace(node))
    conflicts = tuple(node.hash for node in rest if node.text != words and node.hash not in below)
    return ResolvedMemoryVersions(chosen, joined, conflicts, claims=claims)


def is_record_ancestor(
    record_hash: str, node: RecordNode | None, by_hash: Mapping[str, RecordNode]
) -> bool:
    """Whether ``node`` replaces a record, directly or by records between them."""
    if node is None or not record_hash:
        return False
    waiting, visited = list(node.parents), set[str]()
    while waiting:
        parent = waiting.pop()
        if parent == record_hash:
            return True
        if parent not in visited:
            visited.add(parent)
            waiting += by_hash[parent].parents if parent in by_hash else ()
    return False


def merge_record_bodies(body: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """A record's body, joined with ``other``, a body with the same words.

    It has the members of both sets (tags and the like) and the higher of the weights.
    """
    joined = dict(body)
    for name in SETS:
        if values := {*body.get(name, ()), *other.get(name, ())}:
            joined[name] = sorted(values)
    for name in WEIGHTS:
        if weights := [side[name] for side in (body, other) if name in side]:
            joined[name] = max(weights)
    return joined


def is_device_id_reused(
    device_id: str, own_hashes_by_counter: Mapping[int, str], fetched: Iterable[RecordNode]
) -> bool:
    """Whether another store writes under the same device's id.

    ``own_hashes_by_counter`` has the hashes of the records written here, by counter: then one that
    arrived has a counter that was used here for another record.
    """
    return any(
        node.device == device_id and own_hashes_by_counter.get(node.counter, node.hash) != node.hash
        for node in fetched
    )


def _order(node: RecordNode) -> tuple[int, str, str]:
    return node.counter, node.device, node.hash
