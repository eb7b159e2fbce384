"""Checks of patterns: planted violations that are found, and findings that are false.

    python -m tests.bench.patterns [--seed 1] [--missed] [--repository DIR ...] [--findings]

``pattern_plants.txt`` holds rules, 100 violations in five languages and code that only looks like
one. The generator wraps them in functions of random names, shuffles them into files with clean code
between, and knows the line of each. With ``--repository`` the same rules are held against the code
of others. A finding there is true where a second, independent reader agrees: for Python the ``ast``
module of the standard library, for other languages the line itself without its comments and
strings. What neither confirms counts as false. Bars: 90 % of the violations found, no more than one
false finding for 1,000 lines.
"""

from __future__ import annotations

import ast
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gitmem import languages
from gitmem.indexing import file_filter
from gitmem.patterns import checker, name_match, rule
from gitmem.patterns.rule import CodeRule
from tests.bench import measure

FOUND_BAR, FALSE_BAR = 0.9, 1.0
PLANTS = Path(__file__).with_name("pattern_plants.txt")
MARK = "§"
_PLACES = {
    "python": "shop/core/part{}.py",
    "typescript": "shop/core/part{}.ts",
    "go": "shop/core/part{}.go",
    "rust": "src/core/part{}.rs",
    "java": "src/main/java/com/acme/core/Part{}.java",
}
_HEAD = {"go": "package core\n", "java": "package com.acme.core;\n"}
_OPEN = {
    "python": "{a}def {f}(value):",
    "typescript": "export {a}function {f}(value: number): void {{",
    "go": "func {f}(value int) {{",
    "rust": "{a}fn {f}(value: u8) {{",
    "java": "void {f}(int value) {{",
}
_CLEAN = {
    "python": ("total = value + {n}", "return [each for each in rows if each > {n}]"),
    "typescript": ("const total = value + {n}", "rows.filter((each) => each > {n})"),
    "go": ("total := value + {n}", "keep(total, rows[{n}])"),
    "rust": ("let total = value + {n};", "keep(rows.iter().filter(|each| **each > {n}));"),
    "java": ("int total = value + {n};", "keep(rows.get({n}), total);"),
}
_WORDS = ["load", "keep", "read", "order", "line", "total", "price", "stock", "customer", "report"]


@dataclass
class Plant:
    """Code that goes against a rule in the marked lines; ``rule`` is "-" for a decoy."""

    language: str
    rule: str
    place: str
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class File:
    """A generated file and what is planted in it: rule and line."""

    path: str
    language: str
    text: str
    planted: frozenset[tuple[str, int]]


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 1)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--missed", action="store_true", help="show what is missed or false")
    options.add_argument("--repository", type=Path, nargs="*", default=[])
    options.add_argument("--findings", action="store_true", help="show findings in repositories")
    given = options.parse_args()
    print(measure.machine())
    rules, plants = read()
    failures = _planted(rules, plants, given.seed, given.missed)
    for place in given.repository:
        failures += _repository(place, rules, given.findings)
    return measure.verdict(failures)


def read() -> tuple[dict[str, dict[str, CodeRule]], list[Plant]]:
    """The rules by language and name, and the plants."""
    rules: dict[str, dict[str, CodeRule]] = {}
    plants: list[Plant] = []
    language = ""
    for line in PLANTS.read_text("utf-8").splitlines():
        if line.startswith("= "):
            language = line[2:]
        elif line.startswith("+ "):
            name, _, message = line[2:].partition(" ")
            rules.setdefault(language, {})[name] = rule.parse_rule_json(message)
        elif line.startswith("@ "):
            name, _, place = line[2:].partition(" ")
            plants.append(Plant(language, name, place or "body"))
        else:
            plants[-1].lines.append(line)
    return rules, plants


def generate(plants: Sequence[Plant], seed: int) -> list[File]:
    """The plants in files of clean code, a few in each, in random order."""
    random_ = random.Random(seed)
    files = []
    for language in _PLACES:
        own = [plant for plant in plants if plant.language == language]
        random_.shuffle(own)
        for number, first in enumerate(range(0, len(own), 6)):
            files.append(_file(language, number, own[first : first + 6], random_))
    return files


def _file(language: str, number: int, plants: Sequence[Plant], random_: random.Random) -> File:
    lines: list[str] = [_HEAD[language]] if language in _HEAD else []
    planted: set[tuple[str, int]] = set()
    heads = [plant for plant in plants if plant.place == "top"]
    for plant in heads:
        _lay(lines, planted, plant, "")
    if language == "java":
        lines.append(f"class Part{number} {{")
    indent = "    " if language == "java" else ""
    for plant in plants:
        if plant.place == "top":
            continue
        _clean(lines, language, indent, random_)
        if plant.place == "def":
            _lay(lines, planted, plant, indent)
        else:
            _open(lines, language, indent, plant.place == "async", random_)
            _lay(lines, planted, plant, indent + "    ")
            _close(lines, language, indent)
    _clean(lines, language, indent, random_)
    if language == "java":
        lines.append("}")
    path = _PLACES[language].format(number)
    text = "\n".join("\n".join(lines).split("\n")) + "\n"
    return File(path, language, text, frozenset(planted))


def _lay(lines: list[str], planted: set[tuple[str, int]], plant: Plant, indent: str) -> None:
    for line in plant.lines:
        at = sum(each.count("\n") + 1 for each in lines) + 1
        if MARK in line:
            planted.add((plant.rule, at))
        lines.append(indent + line.replace(MARK, ""))


def _clean(lines: list[str], language: str, indent: str, random_: random.Random) -> None:
    _open(lines, language, indent, False, random_)
    for each in _CLEAN[language]:
        lines.append(f"{indent}    " + each.format(n=random_.randrange(90)))
    _close(lines, language, indent)


def _open(
    lines: list[str], language: str, indent: str, is_async: bool, random_: random.Random
) -> None:
    words = random_.sample(_WORDS, 3)
    name = (
        "_".join(words)
        if language in ("python", "rust")
        else words[0] + "".join(word.capitalize() for word in words[1:])
    )
    line = _OPEN[language].format(f=name, a="async " if is_async else "")
    lines.append(indent + line)


def _close(lines: list[str], language: str, indent: str) -> None:
    lines.append("" if language == "python" else f"{indent}}}")


def _planted(
    rules: dict[str, dict[str, CodeRule]], plants: Sequence[Plant], seed: int, show: bool
) -> list[str]:
    found = planted = false = lines = 0
    for file in generate(plants, seed):
        output = set(_findings(file.path, file.language, file.text.encode(), rules[file.language]))
        found += len(file.planted & output)
        planted += len(file.planted)
        false += len(output - file.planted)
        lines += file.text.count("\n")
        if show:
            _show(file, output)
    print(f"planted: {found} of {planted} found, {false} false in {lines} generated lines")
    failures = [] if found >= FOUND_BAR * planted else [f"found {found} of {planted}"]
    return failures + ([f"{false} decoys are told"] if false * 1000 > FALSE_BAR * lines else [])


def _show(file: File, reported: set[tuple[str, int]]) -> None:
    lines = file.text.split("\n")
    for word, pairs in (("missed", file.planted - reported), ("false", reported - file.planted)):
        for name, line in sorted(pairs):
            print(f"  {word} {file.path}:{line} {name}: {lines[line - 1].strip()}")


def _findings(
    path: str, language: str, data: bytes, rules: dict[str, CodeRule]
) -> Iterator[tuple[str, int]]:
    source = checker.prepare_source_file(path, language, data, list(rules.values()))
    if source is not None:
        for name, item in rules.items():
            for breach in checker.find_rule_violations(item, name, source):
                yield name, breach.line


# --- the code of others -------------------------------------------------------------------------


def _repository(place: Path, rules: dict[str, dict[str, CodeRule]], show: bool) -> list[str]:
    lines = findings = false = files = 0
    begin = time.process_time()
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        language = languages.language(name)
        if language not in rules or not path.is_file() or file_filter.name_refusal_reason(name):
            continue
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
        files += 1
        lines += text.count("\n")
        own = rules[language]
        for kind, line in _findings(name, language, data, own):
            findings += 1
            agreed = _agrees(language, text, own[kind], line)
            false += not agreed
            if show or not agreed:
                output = text.split("\n")[line - 1].strip()[:110]
                print(f"  {'true' if agreed else 'UNCONFIRMED'} {name}:{line} {kind}: {output}")
    rate = 1000 * false / max(lines, 1)
    taken = time.process_time() - begin
    print(
        f"{place.name}: {files} files, {lines:,} lines, {findings} findings, {false} not confirmed "
        f"({rate:.2f} for 1,000 lines), {taken:.1f} s of CPU"
    )
    return [] if rate <= FALSE_BAR else [f"{place.name}: {rate:.2f} false for 1,000 lines"]


def _agrees(language: str, text: str, item: CodeRule, line: int) -> bool:
    """Whether a second reader sees what the rule forbids in this line."""
    if language == "python":
        return _python_agrees(text, item, line)
    return _line_agrees(text, item, line)


def _python_agrees(text: str, item: CodeRule, line: int) -> bool:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    aliases = _aliases(tree)
    for node in ast.walk(tree):
        if not getattr(node, "lineno", 0) <= line <= getattr(node, "end_lineno", 0):
            continue
        if item.check in ("call", "companion") and isinstance(node, ast.Call):
            if node.func.end_lineno != line:
                continue
            message = ast.unparse(node.func)
            head, dot, rest = message.partition(".")
            full = aliases.get(head, head) + dot + rest
            for name in item.names:
                if (name.startswith(".") and message.endswith(name)) or name in (message, full):
                    return (
                        not item.arguments
                        or re.search(item.arguments, ast.unparse(node)) is not None
                    )
        elif item.check == "import" and isinstance(node, ast.Import | ast.ImportFrom):
            modules = [getattr(node, "module", "") or "", *(each.name for each in node.names)]
            if any(module.split(".")[0] in item.names for module in modules):
                return True
        elif item.check == "name" and isinstance(node, ast.Attribute | ast.Name):
            head, dot, rest = ast.unparse(node).partition(".")
            if f"{aliases.get(head, head)}{dot}{rest}".startswith(item.names):
                return True
        elif item.check == "naming" and isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            if not name_match.follows_naming_style(item.style, node.name):
                return True
        elif item.check == "handler" and isinstance(node, ast.ExceptHandler):
            if node.lineno == line and all(
                isinstance(each, ast.Pass)
                or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
                for each in node.body
            ):
                return True
        elif item.check == "text" and isinstance(node, ast.Compare) and node.lineno <= line:
            observed = re.search(item.regex, ast.unparse(node))
            if observed:
                return True
    return False


def _aliases(tree: ast.AST) -> dict[str, str]:
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.asname: each.name for each in node.names if each.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return found


_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`\n]*`|\'(?:\\.|[^\'\\\n])*\'')


def _line_agrees(text: str, item: CodeRule, line: int) -> bool:
    """Whether the line, and for a handler the next, shows it outside of comments and strings."""
    output = text.split("\n")[line - 1 : line + 3]
    if item.check == "text":
        inside = item.regex.removesuffix("$").removeprefix("^")
        return re.search(inside, output[0]) is not None
    bare = [_STRING.sub('""', each).partition("//")[0] for each in output]
    if item.check == "handler":
        # The block that opens here holds nothing but white space.
        return re.search(r"\{\s*\}", " ".join(bare)) is not None or "=> ()" in bare[0]
    if item.check == "await":
        return "await" in bare[0]
    if item.check in ("import", "layer") or (item.check == "use" and '"' in output[0]):
        return any(name in output[0] for name in item.names) or bool(item.target in output[0])
    if item.check == "naming":
        return any(
            not (
                name_match.follows_naming_style(item.style, word)
                if item.style
                else re.fullmatch(item.regex, word)
            )
            for word in re.findall(r"\w+", bare[0])
        )
    for name in item.names:
        last = name_match.parse_name_in_rule(name).parts[-1]
        bang = "" if last.endswith("!") else r"\b"
        if re.search(rf"(?<!\w){re.escape(last)}{bang}", " ".join(bare)):
            return True
    return False


if __name__ == "__main__":
    sys.exit(main())
