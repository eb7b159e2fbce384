"""Reporting memories that an answer lacks since they are damaged or not sealed here."""

from collections.abc import Mapping

from gitmem.text.quantity import quantity

SHOWN = 5  # ids; recover and doctor show all


def describe_omitted_memories(reasons_by_id: Mapping[str, str]) -> str:
    """Return a line on memories left out, by reason; ``reasons_by_id`` maps ids to a reason."""
    return "; ".join(_describe(word, reasons_by_id) for word in sorted(set(reasons_by_id.values())))


def _describe(word: str, left_out: Mapping[str, str]) -> str:
    count = sum(1 for reason in left_out.values() if reason == word)
    memories = quantity(count, f"memory is {word} and was", f"memories are {word} and were")
    return f"{memories} left out: `gitmem {'recover' if word == 'damaged' else 'doctor'}`"


def first_omissions_as_json(reasons_by_id: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the first ``SHOWN`` (5) memories left out, each as ``{"id": ..., "reason": ...}``."""
    return [{"id": id, "reason": reasons_by_id[id]} for id in sorted(reasons_by_id)[:SHOWN]]
