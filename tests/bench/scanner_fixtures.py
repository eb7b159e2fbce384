"""How much of what other scanners are tested with the redactor finds.

    python -m tests.bench.scanner_fixtures FOLDER [--half learn|held] [--missed] [--sample N]

FOLDER holds a checkout of each scanner under its name: gitleaks, trufflehog, kingfisher,
noseyparker, secretlint (what is not there is left out). Nothing of them is kept in this repository:
their fixtures look like secrets, and their licences differ. The fixtures are split by provider into
a half to learn from and a half that nobody reads: only its numbers are printed (``--missed`` is
refused for it). The exit status is 1 below 99 % of what was asked for.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitmem.text.redact import redact
from tests.bench import measure

LEAST_FOUND = 0.99


@dataclass(frozen=True)
class Fixture:
    """A text that a scanner must find something in, and what that is."""

    scanner: str
    provider: str
    text: str
    secret: str

    @property
    def half(self) -> str:
        """``learn`` or ``held``; one provider is on the same side in every scanner."""
        name = re.sub(r"[^a-z]|api|token|key|v\d$", "", self.provider.lower())
        return "held" if hashlib.sha256(name.encode()).digest()[0] & 1 else "learn"

    @property
    def found(self) -> bool:
        """Whether the secret is gone, or each part of it that a machine made."""
        left = redact(self.text).text
        return not any(run in left for run in _runs(self.secret) or [self.secret])

    @property
    def kind(self) -> str:
        """``machine-made``, ``stand-in`` (counted up, repeated, a filler), ``identifier`` (an id,
        an account, an address) or ``other``.
        """
        if "://" in self.secret[:12] or _IDENTIFIER.search(self.text.partition(self.secret)[0]):
            return "identifier"
        if len(self.secret) < 16:
            return "other"
        if _STAND_IN.search(self.secret.lower()) or _runs_up(self.secret.lower()):
            return "stand-in"
        return "machine-made" if _runs(self.secret) else "other"


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("learn", "held"), default="held")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", default="fixtures")
    given = parser.parse_args()
    if given.missed and given.half == "held":
        parser.error("the held half is not to be read")
    saved = sorted({f for f in fixtures(given.folder) if f.half == given.half}, key=repr)
    if given.sample:
        saved = random.Random(given.seed).sample(saved, min(given.sample, len(saved)))
    missed = [fixture for fixture in saved if not fixture.found]
    total, lost = Counter(map(_row, saved)), Counter(map(_row, missed))
    rows = [
        (*row, count, lost[row], f"{1 - lost[row] / count:.1%}") for row, count in total.items()
    ]
    print(measure.table(("kind", "scanner", "fixtures", "missed", "found"), sorted(rows)))
    if given.missed:
        for item in missed:
            print(f"{item.kind} {item.scanner}/{item.provider}: {item.secret!r} in {item.text!r}")
    print(f"{given.half}: {1 - len(missed) / max(len(saved), 1):.2%} of {len(saved)}")
    made = sum(item.kind == "machine-made" for item in saved)
    share = 1 - sum(item.kind == "machine-made" for item in missed) / max(made, 1)
    print(f"{given.half}, machine-made: {share:.2%} of {made}")
    return measure.verdict([] if share >= LEAST_FOUND else [f"{share:.2%}, not {LEAST_FOUND:.0%}"])


def _row(fixture: Fixture) -> tuple[str, str]:
    return fixture.kind, fixture.scanner


def fixtures(folder: Path) -> Iterator[Fixture]:
    """What the checkouts in ``folder`` hold, for each scanner that is there."""
    yield from _gitleaks(folder / "gitleaks")
    yield from _trufflehog(folder / "trufflehog")
    yield from _examples(folder / "kingfisher")
    yield from _examples(folder / "noseyparker")
    yield from _secretlint(folder / "secretlint")


_STAND_IN = re.compile(
    r"(.)\1{4}|(.{4,}?)\2\2|^(.{8,})\3$|example|placeholder|sample|dummy|fake|test|redacted|your|pass"
    r"|secret|token|qwert|asdfg|abc123|1a2b3c|a1b2c3"
)


_IDENTIFIER = re.compile(
    r"(?i)(?:[-_ ]|\b|[a-z](?=I))id[\"'`]?[\s:=>\"'`]{1,6}$"
    r"|(?:user|username|(?:account|storage)_?name)[\"'`]?[\s:=>\"'`{]{1,6}$"
)


def _runs_up(low: str) -> bool:
    """Whether five characters in a row count up or down."""
    steps = [ord(b) - ord(a) for a, b in itertools.pairwise(low)]
    return any(steps[i : i + 4] in ([1] * 4, [-1] * 4) for i in range(len(steps)))


def _runs(secret: str) -> list[str]:
    """The parts that a machine made: 16 characters or more, letters and digits, many different."""
    return [
        run
        for run in re.findall(r"[\w+/=~-]{16,}", secret)
        if len(set(run)) >= 8 and re.search(r"\d", run) and re.search(r"[A-Za-z]", run)
    ]


# --- Go sources: gitleaks and trufflehog ---------------------------------------------------------

_GO_TEXT = r'"(?:[^"\\\n]|\\.)*"|`[^`]*`'
_GO_TERM = rf"(?:{_GO_TEXT}|fmt\.Sprintf\((?:{_GO_TEXT}|[\w\s,.])*\)|\w+)"
_GO_EXPRESSION = rf"{_GO_TERM}(?:\s*\+\s*{_GO_TERM})*"
_CASE = re.compile(
    rf"input:\s*(?P<text>{_GO_EXPRESSION}),\s*want:\s*\[\]string\{{(?P<want>[^}}]*)\}}", re.S
)
_CONSTANT = re.compile(rf"^\s*(?:const\s+|var\s+)?(\w+)\s*:?=\s*({_GO_TEXT})\s*$", re.M)


def _go_text(literal: str) -> str:
    if literal[0] == "`":
        return literal[1:-1]
    try:
        return str(json.loads(literal))
    except ValueError:
        return literal[1:-1].replace("\\n", "\n").replace('\\"', '"')


def _go_value(expression: str, names: dict[str, str]) -> str | None:
    """What literals, names, ``fmt.Sprintf`` of them and ``+`` make; None for anything else."""
    made = ""
    for term in re.findall(_GO_TERM, expression, re.S):
        if term[0] in '"`':
            made += _go_text(term)
        elif term.startswith("fmt.Sprintf("):
            form, *given = re.findall(rf"{_GO_TEXT}|\w+", term[len("fmt.Sprintf(") : -1], re.S)
            values = [_go_value(item, names) for item in given]
            form = _go_text(form) if form[0] in '"`' else names.get(form, "")
            if None in values or form.count("%s") != len(values):
                return None
            made += form.replace("%s", "{}") if not values else _filled(form, values)
        elif term in names:
            made += names[term]
        else:
            return None
    return made


def _filled(form: str, values: list[str | None]) -> str:
    for value in values:
        form = form.replace("%s", value or "", 1)
    return form


def _trufflehog(folder: Path) -> Iterator[Fixture]:
    for path in sorted(folder.rglob("*_test.go")):
        if "integration" in path.name:
            continue
        source = path.read_text("utf-8", "replace")
        names = {name: _go_text(text) for name, text in _CONSTANT.findall(source)}
        for case in _CASE.finditer(source):
            text = _go_value(case["text"], names)
            for want in re.findall(_GO_EXPRESSION, case["want"], re.S):
                secret = _part(_go_value(want, names) or "", text or "")
                if text and len(secret) >= 8:
                    yield Fixture(
                        "trufflehog",
                        path.parent.parent.name
                        if re.fullmatch(r"v\d", path.parent.name)
                        else path.parent.name,
                        text,
                        secret,
                    )


def _part(want: str, text: str) -> str:
    """The longest piece of a result that is in the text: some join a key and an account."""
    if want in text:
        return want
    pieces = [want[:i] for i in range(len(want), 7, -1) if want[:i] in text][:1]
    pieces += [want[i:] for i in range(len(want) - 7) if want[i:] in text][:1]
    return max(pieces, key=len, default="")


def _gitleaks(folder: Path) -> Iterator[Fixture]:
    config = folder / "config" / "gitleaks.toml"
    rules = tomllib.loads(config.read_text("utf-8"))["rules"] if config.exists() else []
    patterns = {rule["id"]: _python(rule["regex"]) for rule in rules if "regex" in rule}
    for path in sorted(folder.rglob("rules/*.go")):
        source = path.read_text("utf-8")
        for body in re.split(r"^func ", source, flags=re.M):
            name = re.search(r'RuleID:\s*"([\w-]+)"', body)
            pattern = patterns.get(name[1]) if name else None
            for block in re.findall(
                r"\btps\s*:?=\s*(?:append\(tps,|\[\]string\{)(.*?)^\t[})]", body, re.S | re.M
            ):
                for line in block.splitlines() if "`\n" not in block else [block]:
                    for literal in re.findall(_GO_TEXT, line):
                        text = _go_text(literal)
                        match = (
                            pattern.search(text)
                            if pattern and "(" not in line.replace(literal, "")
                            else None
                        )
                        if match:
                            secret = max(
                                (g for g in match.groups() if g), key=len, default=match[0]
                            )
                            yield Fixture("gitleaks", path.stem, text, secret)


def _python(pattern: str) -> re.Pattern[str] | None:
    """A Go pattern as Python's; None where it cannot be one."""
    pattern = pattern.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[A-Za-z0-9]")
    head = re.match(r"\(\?(\w+)\)", pattern)
    body = pattern[head.end() :] if head else pattern
    body = re.sub(r"\(\?i\)(.*)", r"(?i:\1)", body, flags=re.S) if body.count("(?i)") == 1 else body
    flags = 0
    for letter in head[1] if head else "":
        flags |= {"i": re.I, "x": re.X, "s": re.S, "m": re.M}.get(letter, 0)
    try:
        return re.compile(body, flags)
    except re.error:
        return None


# --- YAML: kingfisher and noseyparker -------------------------------------------------------------

_ITEM = re.compile(r"^(\s*)- ?(.*)$")


def _examples(folder: Path) -> Iterator[Fixture]:
    for path in sorted(folder.rglob("rules/*.yml")):
        for rule in re.split(r"^ *- name:", path.read_text("utf-8"), flags=re.M)[1:]:
            fields = _fields(rule)
            pattern = _python("\n".join(fields.get("pattern", [])).strip())
            for text in fields.get("examples", []):
                match = pattern.search(text) if pattern else None
                if match:
                    groups = [g for g in match.groups() if g]
                    yield Fixture(
                        folder.name, path.stem, text, max(groups, key=len) if groups else match[0]
                    )


def _fields(rule: str) -> dict[str, list[str]]:
    """The pattern and the examples of one rule."""
    found: dict[str, list[str]] = {}
    lines = rule.splitlines()
    for at, line in enumerate(lines):
        if re.match(r"\s*pattern:", line):
            rest = line.partition("pattern:")[2].strip()
            found["pattern"] = [_scalar(rest, lines[at + 1 :], _depth(line))]
        elif re.match(r"\s*examples:\s*$", line):
            found["examples"] = list(_items(lines[at + 1 :], _depth(line)))
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items(lines: list[str], depth: int) -> Iterator[str]:
    first = _depth(lines[0]) if lines else 0
    for at, line in enumerate(lines):
        item = _ITEM.match(line)
        if item and len(item[1]) == first >= depth:
            yield _scalar(item[2].strip(), lines[at + 1 :], first)
        elif line.strip() and _depth(line) <= depth:
            return


def _scalar(rest: str, following: list[str], depth: int) -> str:
    if rest[:1] in ("|", ">"):
        block: list[str] = []
        for line in following:
            if line.strip() and _depth(line) <= depth:
                break
            block.append(line)
        indent = min((_depth(line) for line in block if line.strip()), default=0)
        return "\n".join(line[indent:] for line in block).rstrip()
    if rest[:1] == "'" and rest.endswith("'"):
        return rest[1:-1].replace("''", "'")
    if rest[:1] == '"' and rest.endswith('"'):
        return _go_text(rest)
    return rest


# --- snapshots: secretlint ------------------------------------------------------------------------


def _secretlint(folder: Path) -> Iterator[Fixture]:
    for path in sorted(folder.rglob("snapshots/ng.*/output.json")):
        data = json.loads(path.read_text("utf-8"))
        rule = path.parents[3].name.removeprefix("secretlint-rule-")
        for message in data["messages"]:
            text, (start, end) = data.get("sourceContent"), message["range"]
            if isinstance(text, str) and end - start >= 8 and message.get("type") == "message":
                yield Fixture("secretlint", rule, text, text[start:end])


if __name__ == "__main__":
    sys.exit(main())
