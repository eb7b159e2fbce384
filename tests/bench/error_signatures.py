"""How well errors are known again: fifty traces, each changed in five ways, and told apart.

    python -m tests.bench.error_signatures

The traces are written by hand in the formats of Python, Node, Go, Rust and Java. What changes from
run to run is marked in them by hand too (``error_traces.txt``), so that the bench knows nothing of
the rules it measures: ``R`` a folder, ``L`` a line or column, ``A`` an address, ``V`` a version,
``I T N D H`` ids, times, counts, durations and hosts.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from gitmem.model.frozen import dataclass
from gitmem.timeline import error_signature

TRACES = Path(__file__).with_name("error_traces.txt")
WAYS = ("paths", "lines", "addresses", "versions", "ids")
_LETTERS = {"paths": "R", "lines": "L", "addresses": "A", "versions": "V", "ids": "ITNDH"}
_ROOT = "/home/ann/shop"
_ROOTS = ("/srv/build/app", "/Users/eve/src/my-shop", "D:/work/shop", "/builds/7/acme/shop_2")
_MARK = "\u27e8([RLAVITNDH])(.*?)\u27e9"


@dataclass(frozen=True, slots=True)
class Measured:
    """Shares of changed traces that keep their key, and of pairs of errors whose keys differ."""

    traces: int
    changed: int
    collapsed: float
    by_way: dict[str, float]
    pairs: int
    apart: float
    lost: tuple[str, ...]
    confused: tuple[str, ...]


def traces() -> dict[str, str]:
    """The traces by name, with their marks."""
    parts = re.split(r"(?m)^=== ", TRACES.read_text("utf-8"))[1:]
    return {name: text for name, _, text in (part.partition("\n") for part in parts)}


def written(text: str, ways: tuple[str, ...] = (), seed: int = 0) -> str:
    """A trace as a program prints it; what the ways speak of is changed, by a seed."""
    chance = random.Random(seed)
    root = chance.choice(_ROOTS) if "paths" in ways else _ROOT
    changing = "".join(_LETTERS[way] for way in ways)

    def one(found: re.Match[str]) -> str:
        kind, value = found[1], found[2]
        if kind == "R":
            return root
        return _other(kind, value, chance) if kind in changing else value

    return re.sub(_MARK, one, text)


def _other(kind: str, value: str, chance: random.Random) -> str:
    """Another value of the same form."""
    if kind == "L":
        return str(int(value) + chance.randint(1, 400))
    if kind == "N":
        return str(chance.randint(0, 99_999))
    if kind == "D":
        return f"{chance.uniform(0, 90):.{chance.randint(1, 3)}f}"
    if kind == "V":
        return ".".join(str(int(part) + chance.randint(0, 9)) for part in value.split("."))
    if kind == "H":
        return ".".join(str(chance.randint(1, 254)) for _ in range(4))
    digits, drawn = (r"\d", "0123456789") if kind == "T" else ("[0-9a-f]", "0123456789abcdef")
    return re.sub(digits, lambda _: chance.choice(drawn), value)


def key(text: str) -> str:
    """By what an output is known; empty where no error was found in it."""
    found = error_signature.read_error_signature(text)
    return "" if found is None else found.hash_with_location


def measured(seeds: int = 3) -> Measured:
    """Each trace changed in each way and in all at once, ``seeds`` times."""
    known = traces()
    keys = {name: key(written(text)) for name, text in known.items()}
    saved: dict[str, list[bool]] = {}
    lost = []
    for way, ways in _all_ways():
        for name, text in known.items():
            for seed in range(seeds):
                same = bool(keys[name]) and key(written(text, ways, seed)) == keys[name]
                saved.setdefault(way, []).append(same)
                lost += [] if same else [f"{name}: {way}"]
    pairs = list(combinations(known, 2))
    confused = [f"{item} = {other}" for item, other in pairs if keys[item] == keys[other]]
    every = [same for some in saved.values() for same in some]
    return Measured(
        len(known),
        len(every),
        sum(every) / len(every),
        {way: sum(some) / len(some) for way, some in saved.items()},
        len(pairs),
        1 - len(confused) / len(pairs),
        tuple(dict.fromkeys(lost)),
        tuple(confused),
    )


def _all_ways() -> Iterator[tuple[str, tuple[str, ...]]]:
    for way in WAYS:
        yield way, (way,)
    yield "all at once", WAYS


if __name__ == "__main__":
    result = measured()
    told = {name: getattr(result, name) for name in Measured.__slots__}
    sys.stdout.write(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
