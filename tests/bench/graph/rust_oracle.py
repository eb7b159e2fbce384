"""What rustc says each call of some crates calls, as JSON lines, read from their MIR.

``python -m tests.bench.graph.rust_oracle FOLDER CRATE.mir...``; a file is named for its crate and
made with ``RUSTC_BOOTSTRAP=1 rustc --test --emit=mir -Zmir-include-spans=on -Zmir-opt-level=0
-Zinline-mir=no -Ztrim-diagnostic-paths=no``. What was not compiled is not known: each word before a
parenthesis of which the compiler says nothing is a call of unknown target.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

from tests.bench.graph.tree import tracked

_CALL = re.compile(
    r"= (\S.*?)\((?=move |copy |const |_\d|\) -> (?:\[|unwind)).*"
    r"// scope \d+ at (\S+\.rs):(\d+):(\d+): (\d+):(\d+)$"
)
_HEAD = re.compile(r"^(?:const )?fn (.+?)\(")
_PLACE = re.compile(r"return place in scope 0 at (\S+\.rs):(\d+)")
_IMPL_AT = re.compile(r"<impl at (\S+\.rs):(\d+):")
_IMPL = re.compile(r"\s*(?:unsafe\s+)?impl\b(.*)")
_WORD = re.compile(r"(?<![\w.'])\.?([A-Za-z_]\w*)(!?)\s*(?:::<[^()]*>)?\(")
_OUTSIDE = ("core", "std", "alloc", "test")
Place = tuple[str, str]


def bare(path: str) -> str:
    """A path without its generic arguments."""
    found, depth = [], 0
    for at, letter in enumerate(path):
        if letter == "<":
            depth += 1
        elif letter == ">" and path[at - 1] != "-":
            depth -= 1
        elif not depth:
            found.append(letter)
    return re.sub(r"(::)+", "::", "".join(found)).strip(":& ")


def split(callee: str) -> tuple[str, str, str]:
    """(type, trait, name) of a call as MIR writes it; no trait for what is not called on one."""
    if callee.startswith("<"):
        depth = 0
        for at, letter in enumerate(callee):
            depth += (letter == "<") - (letter == ">" and callee[at - 1] != "-")
            if not depth:
                break
        inside, rest = callee[1:at], callee[at + 1 :]
        depth = 0
        for cut in range(len(inside)):
            depth += (inside[cut] in "<([{") - (inside[cut] in ")]}")
            depth -= inside[cut] == ">" and inside[cut - 1] != "-"
            if not depth and inside.startswith(" as ", cut):
                return bare(inside[:cut]), bare(inside[cut + 4 :]), bare(rest)
        return bare(inside), "", bare(rest)
    path = bare(callee)
    owner, _, name = path.rpartition("::")
    return owner, "", name


class Crates:
    """The functions of the crates that were compiled, by who owns them."""

    def __init__(self, root: Path, texts: dict[str, list[str]]) -> None:
        self.root = root
        self.lines = {
            path: (root / path).read_text().split("\n")
            for path in tracked(root)
            if path.endswith(".rs")
        }
        self.owned: dict[tuple[str, str, str, str], set[str]] = defaultdict(set)
        self.traits: dict[str, set[str]] = defaultdict(set)
        for path, lines in self.lines.items():
            for line in lines:
                if found := re.match(
                    r"\s*pub(?:\([^)]*\))? (?:unsafe )?trait (\w+)|\s*trait (\w+)", line
                ):
                    self.traits[found[1] or found[2]].add(path)
        for crate, rows in texts.items():
            for at, row in enumerate(rows):
                if (head := _HEAD.match(row)) and "{closure" not in row:
                    self._define(crate, head[1], rows[at + 1 : at + 12])

    def _define(self, crate: str, head: str, body: list[str]) -> None:
        place = next((found for row in body if (found := _PLACE.search(row))), None)
        name = head.rpartition("::")[2]
        if at := _IMPL_AT.search(head):
            text = " ".join(self.lines[at[1]][int(at[2]) - 1 : int(at[2]) + 4])
            found = _IMPL.match(text)
            if not found:
                return  # derived
            trait, _, owner = bare_impl(found[1])
            self.owned[crate, owner, trait, name].add(at[1])
        elif place and place[1] in self.lines:
            owner = bare(head).rpartition("::")[0].rpartition("::")[2]
            self.owned[crate, owner, "", name].add(place[1])

    def target(self, crate: str, callee: str) -> list[Place]:
        """Where a call leads: one place, ("", name) outside, none where two are possible."""
        on, trait, name = split(callee)
        if (not trait and on.split("::")[0] in _OUTSIDE) or not name:
            return [("", name)]
        first = on.split("::")[0]
        home = first if any(first == item for item, *_ in self.owned) else crate
        owner = on.rpartition("::")[2]
        last = trait.rpartition("::")[2]
        found = self.owned.get((home, owner, last, name)) or set()
        if not found and trait:
            if trait.split("::")[0] in _OUTSIDE:
                return [("", name)]
            found = self.traits.get(last, set())
        if len(found) > 1:
            folder = "/" + "/".join(part for part in on.split("::")[:-1] if part != home)
            ends = (f"{folder}.rs", f"{folder}/mod.rs")
            found = {path for path in found if path.endswith(ends)} or found
        return [(path, name) for path in found] if len(found) == 1 else []


def bare_impl(text: str) -> tuple[str, str, str]:
    """(trait, "", type) of what stands after ``impl``."""
    if text.startswith("<"):
        depth = 0
        for at, letter in enumerate(text):
            depth += (letter == "<") - (letter == ">" and text[at - 1] != "-")
            if not depth:
                text = text[at + 1 :]
                break
    text = re.split(r"\{|\bwhere\b", text)[0]
    trait, found, owner = text.partition(" for ")
    names = [bare(re.sub(r"^\s*&?\s*(?:'\w+\s)?(?:mut )?", "", item)) for item in (trait, owner)]
    short = [name.strip().rpartition("::")[2] for name in names]
    return (short[0], "", short[1]) if found else ("", "", short[0])


def called(lines: list[str], span: tuple[int, int, int, int]) -> tuple[int, str]:
    """The line and the name of what a span of code calls, ("", 0) for operators and the like."""
    first, start, last, end = span
    if first == last:
        text = lines[first - 1][start - 1 : end - 1]
    else:
        text = "\n".join(
            [lines[first - 1][start - 1 :], *lines[first : last - 1], lines[last - 1][: end - 1]]
        )
    if not text.endswith(")"):
        return 0, ""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            break
    head = re.sub(r"::<[^()]*>$", lambda item: " " * len(item[0]), text[:at])
    word = re.search(r"(\w+)\s*$", head)
    return (first + text[: word.start()].count("\n"), word[1]) if word else (0, "")


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    texts = {Path(item).stem: Path(item).read_text().split("\n") for item in sys.argv[2:]}
    crates = Crates(root, texts)
    found: dict[tuple[str, int, str], set[Place]] = {}
    for crate, rows in texts.items():
        for row in rows:
            call = _CALL.search(row)
            if not call or call[2] not in crates.lines:
                continue
            first, start, last, end = map(int, call.groups()[2:])
            line, name = called(crates.lines[call[2]], (first, start, last, end))
            callee = call[1]
            # What is made by its name is not a call to the compiler everywhere: left unknown.
            if name.islower() and split(callee)[2] == name:
                found.setdefault((call[2], line, name), set()).update(crates.target(crate, callee))
    for path, lines in crates.lines.items():
        for number, text in enumerate(lines, 1):
            code = text.split("//")[0]
            if re.match(r"\s*#!?\[", code):
                continue
            for word in _WORD.finditer(code):
                before = code[: word.start()].rstrip()
                if not re.search(r"\bfn$", before):
                    found.setdefault((path, number, word[1]), set())
    for (path, line, name), targets in sorted(found.items()):
        print(
            json.dumps(
                {
                    "path": path,
                    "line": line,
                    "name": name,
                    "method": True,
                    "targets": sorted(targets),
                }
            )
        )


if __name__ == "__main__":
    main()
