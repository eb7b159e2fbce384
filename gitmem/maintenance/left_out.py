"""Saying once that memories were met which cannot be trusted, and so were left out of an answer."""

from collections.abc import Mapping

from gitmem.text.quantity import quantity

# How many ids are worth reading; recover and doctor tell all.
SHOWN = 5


def sentence(left_out: Mapping[str, str]) -> str:
    """One line for people and agents. ``left_out``: id -> a word for why."""
    return "; ".join(_said(word, left_out) for word in sorted(set(left_out.values())))


def _said(word: str, left_out: Mapping[str, str]) -> str:
    count = sum(1 for one in left_out.values() if one == word)
    told = quantity(count, f"memory is {word} and was", f"memories are {word} and were")
    return f"{told} left out: `gitmem {'recover' if word == 'damaged' else 'doctor'}`"


def items(left_out: Mapping[str, str]) -> list[dict[str, str]]:
    """The same as JSON values, the first few by id."""
    return [{"id": id, "reason": left_out[id]} for id in sorted(left_out)[:SHOWN]]
