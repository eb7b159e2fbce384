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
from gitmem.sync.record import MAX_COUNTER, SETS, TOMBSTONE, WEIGHTS, RecordNode


@dataclass(frozen=True, slots=True)
class ResolvedMemoryVersions:
    """Which version of a memory is current and which conflict; all are hashes of records.

    ``current`` is the version in force (empty: none); ``joined`` are other versions with the same
    text, whose tags and weights are added to it; ``conflicts`` are versions with other text.
    ``purge`` is the deletion record (tombstone) that ends the memory (empty: none), ``claims`` are
    tombstones of devices that had no right to write them.
    """

    current: str
    joined: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    purge: str = ""
    claims: tuple[str, ...] = ()


def merge_records(*sides: Mapping[str, RecordNode]) -> dict[str, RecordNode]:
    """Return the records of all ``sides`` (hash -> record) as one mapping by hash.

    Of a memory or link with a tombstone (a record of its deletion) only tombstones remain.
    """
    every = {hash: node for side in sides for hash, node in side.items()}
    ended = {node.id for node in every.values() if node.kind == TOMBSTONE}
    return {
        hash: node for hash, node in every.items() if node.kind == TOMBSTONE or node.id not in ended
    }


def unreplaced_records(nodes: Iterable[RecordNode]) -> tuple[RecordNode, ...]:
    """Return the versions of a memory that no other names as a parent, highest counter first."""
    records = tuple(nodes)
    replaced = {parent for node in records for parent in node.parents}
    return tuple(
        sorted((node for node in records if node.hash not in replaced), key=_order, reverse=True)
    )


def next_logical_time(own_counter: int, replaced: Iterable[RecordNode]) -> int:
    """Return the counter for a new record: at least ``own_counter`` and above those it replaces.

    Counters order versions without a clock; the result never exceeds ``MAX_COUNTER`` (2^53 - 1).
    """
    return min(max((own_counter, *(node.counter + 1 for node in replaced))), MAX_COUNTER)


def resolve_memory_versions(
    nodes: Collection[RecordNode],
    current_hash: str,
    *,
    memory_exists: bool,
    may_replace: Callable[[RecordNode], bool],
    may_purge: Callable[[RecordNode], bool],
    settled_hashes: Collection[str] = (),
) -> ResolvedMemoryVersions:
    """Decide which version of a memory is in force on this device, and which conflict with it.

    ``nodes`` are all its versions and deletion records; ``current_hash`` is the one in force now
    (empty: none or unknown) and ``memory_exists`` whether the memory is stored at all.
    ``may_replace`` and ``may_purge`` say whether this device lets a record take the present
    version's place or delete the memory. ``settled_hashes`` are versions that a person has decided
    about.
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
    """Return whether ``node`` replaces the record ``record_hash``, directly or by other records.

    ``by_hash`` has the records to search; the answer is false if ``node`` is None.
    """
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
    """Return ``body`` with the tags and paths of ``other`` added and the higher of their weights.

    Both are bodies (JSON objects) of versions of a memory with the same text.
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
    """Return whether another store writes under this device's id, as after copying a store.

    ``own_hashes_by_counter`` maps the counters of records written here to their hashes; the id is
    reused if a record in ``fetched`` has the same device and counter, but another hash.
    """
    return any(
        node.device == device_id and own_hashes_by_counter.get(node.counter, node.hash) != node.hash
        for node in fetched
    )


def _order(node: RecordNode) -> tuple[int, str, str]:
    return node.counter, node.device, node.hash
