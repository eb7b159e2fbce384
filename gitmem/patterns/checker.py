"""Checking the code of a file against rules, and reporting the lines that break them. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from gitmem.indexing.syntax import code_facts, extract
from gitmem.indexing.syntax.code_facts import CodeFact
from gitmem.indexing.syntax.values import Definition
from gitmem.model.frozen import dataclass
from gitmem.patterns import name_match, safe_regex
from gitmem.patterns.rule import CodeRule

# Lines around a breach in which a name of `unless` excuses it.
NEAR = 3
ALLOW = "gitmem:allow"
_KINDS: dict[str, frozenset[str]] = {
    "function": frozenset({"function", "method"}),
    "class": frozenset({"class", "struct", "interface", "enum", "trait", "record", "protocol"}),
    "constant": frozenset({"constant"}),
    "variable": frozenset({"variable"}),
}
_LINKS = re.compile(r"[./]|::")


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A line of code, from 1, that breaks a rule, and ``what`` is wrong in it, in words."""

    line: int
    what: str


class PreparedSourceFile:
    """A source file to check against rules: its path, language, and facts of its syntax tree.

    ``facts`` are the calls, imports, strings and so on that rules are about.
    """

    __slots__ = ("_data", "_definitions", "facts", "language", "path")

    def __init__(self, path: str, language: str, data: bytes, facts: Sequence[CodeFact]) -> None:
        self.path = path
        self.language = language
        self.facts = facts
        self._data = data
        self._definitions: Sequence[Definition] | None = None

    @property
    def definitions(self) -> Sequence[Definition]:
        """The functions, classes and so on that the file defines, read when first asked for."""
        if self._definitions is None:
            parsed = extract.parse_source_file(self.language, self.path, self._data)
            self._definitions = parsed.definitions if parsed else ()
        return self._definitions


def prepare_source_file(
    path: str, language: str, content: bytes, rules: Sequence[CodeRule]
) -> PreparedSourceFile | None:
    """The PreparedSourceFile for a file's content; None if it has no syntax tree.

    ``rules`` are those that it will be checked against.
    """
    nodes = frozenset(rule.syntax_node_type for rule in rules if rule.syntax_node_type)
    parsed = code_facts.read_code_facts(language, path, content, nodes)
    return None if parsed is None else PreparedSourceFile(path, language, content, parsed.facts)


def find_rule_violations(
    rule: CodeRule, pattern_name: str, source_file: PreparedSourceFile
) -> list[RuleViolation]:
    """The RuleViolations in a file, at most one a line, in order of lines.

    A comment ``gitmem:allow NAME``, where NAME is ``pattern_name``, in a line or in the line before
    excuses the line.
    """
    if not rule.applies_to_file(source_file.path, source_file.language):
        return []
    excused = _allowed_lines(source_file.facts, pattern_name) | _lines_near_excuses(
        rule, source_file.facts
    )
    by_line: dict[int, RuleViolation] = {}
    for breach in _CHECKS[rule.check](rule, source_file):
        if breach.line not in excused:
            by_line.setdefault(breach.line, breach)
    return [by_line[line] for line in sorted(by_line)]


def _allowed_lines(facts: Sequence[CodeFact], name: str) -> set[int]:
    lines: set[int] = set()
    for fact in facts:
        if fact.kind == "comment" and ALLOW in fact.text:
            named = fact.text.split(ALLOW, 1)[1].split()
            if not named or name in named:
                lines |= {fact.line, fact.line + 1}
    return lines


def _lines_near_excuses(rule: CodeRule, facts: Sequence[CodeFact]) -> set[int]:
    excuses = _read(rule.unless)
    lines: set[int] = set()
    for fact in facts if excuses else ():
        if fact.kind in ("call", "name") and any(
            name_match.is_use_of_name(name, fact) for name in excuses
        ):
            lines |= set(range(fact.line - NEAR, fact.line + NEAR + 1))
    return lines


def _is_in_context(rule: CodeRule, fact: CodeFact) -> bool:
    inside = not rule.inside or any(context in fact.inside for context in rule.inside)
    return inside and not any(context in fact.inside for context in rule.outside)


def _facts_of_kind(rule: CodeRule, file: PreparedSourceFile, kind: str) -> Iterator[CodeFact]:
    return (fact for fact in file.facts if fact.kind == kind and _is_in_context(rule, fact))


def _read(names: Sequence[str]) -> list[name_match.NameInRule]:
    return [name_match.parse_name_in_rule(name) for name in names]


def _calls(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    names = _read(rule.names)
    may_be_own = any(len(name.parts) == 1 and not name.any_receiver for name in names)
    own = {definition.name for definition in file.definitions} if may_be_own else set()
    arguments = safe_regex.compile_safe_regex(rule.arguments) if rule.arguments else None
    for fact in _facts_of_kind(rule, file, "call"):
        if not any(name_match.is_call_of_name(name, fact) for name in names):
            continue
        if len(fact.path) == 1 and fact.path == fact.full and fact.path[0] in own:
            continue  # the file's own function of that name
        if arguments is None or arguments.search(fact.text):
            yield RuleViolation(fact.line, f"{_code_name(fact)} is called")


def _names(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    names = _read(rule.names)
    for fact in file.facts:
        if fact.kind in ("name", "call") and _is_in_context(rule, fact):
            hit = next((name for name in names if name_match.is_use_of_name(name, fact)), None)
            if hit is not None:
                yield RuleViolation(fact.line, f"{'.'.join(hit.parts)} is used")


def _types(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    names = _read(rule.names)
    for fact in _facts_of_kind(rule, file, "type"):
        if any(name_match.is_call_of_name(name, fact) for name in names):
            yield RuleViolation(fact.line, f"the type {_code_name(fact)} is used")


def _imports(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    for fact in _facts_of_kind(rule, file, "import"):
        spellings = _modules(file.path, fact.path[0], fact.path[1])
        hit = next(
            (name for name in rule.names if name_match.is_import_of_module(name, spellings)), ""
        )
        if hit:
            yield RuleViolation(fact.line, f"{hit} is imported")


def _uses(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    """Any use of a name; its import stands for all uses in the file."""
    imported = list(_imports(rule, file))
    yield from imported
    if imported:
        return
    yield from _calls(rule, file)
    yield from _types(rule, file)
    longer = [
        name for name in map(name_match.parse_name_in_rule, rule.names) if len(name.parts) > 1
    ]
    for fact in _facts_of_kind(rule, file, "name"):
        if any(name_match.is_use_of_name(name, fact) for name in longer):
            yield RuleViolation(fact.line, f"{_code_name(fact)} is used")


def _layer(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    origin = rule.origin.strip("/")
    if file.path.startswith(f"{origin}/") or origin in ("", "."):
        for fact in _facts_of_kind(rule, file, "import"):
            if _leads_into(file.path, fact.path[0], fact.path[1], rule.target):
                yield RuleViolation(
                    fact.line, f"{rule.origin} imports {fact.path[0]} of {rule.target}"
                )


def _awaits(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    for fact in _facts_of_kind(rule, file, "await"):
        where = f" outside of {' and '.join(rule.outside)}" if rule.outside else ""
        yield RuleViolation(fact.line, f"it awaits{where}")


def _handlers(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    for fact in _facts_of_kind(rule, file, "handler"):
        if fact.empty:
            yield RuleViolation(fact.line, "the error is caught and nothing is done")


def _naming(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    form = None if rule.style else safe_regex.compile_safe_regex(rule.regex)

    def breaks_naming_rule(name: str) -> bool:
        if form is None:
            fits = name_match.follows_naming_style(rule.style, name)
        else:
            fits = form.fullmatch(name[: code_facts.LONGEST]) is not None
        return not fits and not any(fnmatchcase(name, glob) for glob in rule.allowed)

    styled = f", not in {rule.style}" if rule.style else ""
    if "file" in rule.of:
        stem = posixpath.basename(file.path).partition(".")[0]
        if breaks_naming_rule(stem):
            yield RuleViolation(1, f"the file is called {stem}{styled}")
    kinds = frozenset[str]().union(*(_KINDS.get(kind, frozenset()) for kind in rule.of))
    for definition in file.definitions if kinds else ():
        if definition.kind in kinds and breaks_naming_rule(definition.name):
            yield RuleViolation(
                definition.line, f"the {definition.kind} is called {definition.name}{styled}"
            )


def _texts(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    pattern = safe_regex.compile_safe_regex(rule.regex)
    for fact in _facts_of_kind(rule, file, rule.literal):
        match = pattern.search(fact.text)
        if match:
            before = fact.text.count("\n", 0, match.start())
            yield RuleViolation(
                fact.line + before, f"{rule.describe_literal_kind} holds {match[0][:60]!r}"
            )


def _companions(rule: CodeRule, file: PreparedSourceFile) -> Iterator[RuleViolation]:
    names = _read(rule.names)
    needed = _read(rule.needs)
    calls = [fact for fact in file.facts if fact.kind == "call"]
    having = {
        fact.function
        for fact in calls
        if any(name_match.is_call_of_name(name, fact) for name in needed)
    }
    for fact in calls:
        if not _is_in_context(rule, fact) or not any(
            name_match.is_call_of_name(name, fact) for name in names
        ):
            continue
        if not (having if rule.scope == "file" else fact.function in having):
            companions = " or ".join(rule.needs)
            yield RuleViolation(fact.line, f"{_code_name(fact)} is called without {companions}")


def _code_name(fact: CodeFact) -> str:
    return ".".join(fact.path).lstrip(".")


_CHECKS: dict[str, Callable[[CodeRule, PreparedSourceFile], Iterator[RuleViolation]]] = {
    "call": _calls,
    "name": _names,
    "use": _uses,
    "type": _types,
    "import": _imports,
    "layer": _layer,
    "await": _awaits,
    "handler": _handlers,
    "naming": _naming,
    "text": _texts,
    "companion": _companions,
}


def _modules(path: str, module: str, name: str) -> tuple[str, ...]:
    """The spellings by which a rule may forbid an import: as written, and from the root.

    ``module`` and ``name`` are those of the fact, relative ones to the folder of the file.
    """
    folder = posixpath.dirname(path)
    whole = _absolute(folder, module)
    spellings = [module, f"{module}/{name}" if name else module, whole]
    return tuple(dict.fromkeys([*spellings, f"{whole}/{name}" if name else whole]))


def _leads_into(path: str, module: str, name: str, target: str) -> bool:
    """Whether an import in the file at ``path`` is of something below the folder ``target``."""
    folder = posixpath.dirname(path)
    own, goal = folder.split("/") if folder else [], target.strip("/").split("/")
    whole = _absolute(folder, module)
    if module.startswith((".", "super", "self")):
        return _starts_with([*_parts(whole), name], goal)
    have = [*_parts(re.sub(r"^(?:@|~)/", "", module)), name]
    whole_way = "." in module.split("/", 1)[0] and "/" in module  # Go: example.com/module/folder
    if whole_way and any(_starts_with(have[at:], goal) for at in range(len(have))):
        return True
    # The imported module is below a root, which is a folder above the file.
    return any(
        goal[:cut] == own[:cut] and _starts_with(have, goal[cut:]) for cut in range(len(goal))
    )


def _absolute(folder: str, module: str) -> str:
    """A relative module as a path from the root; other modules unchanged."""
    if module.startswith(("./", "../")) or module in (".", ".."):
        return posixpath.normpath(posixpath.join(folder, module))
    if module.startswith("."):
        bare = module.lstrip(".")
        up = len(module) - len(bare) - 1
        parts = folder.split("/")[: -up or None] if folder else []
        return "/".join([*parts, *_parts(bare)])
    if module.startswith("super"):
        return posixpath.normpath(posixpath.join(folder, *_parts(module[5:])))
    return module


def _parts(module: str) -> list[str]:
    return [part for part in _LINKS.split(module.removeprefix("crate::")) if part]


def _starts_with(have: list[str], prefix: list[str]) -> bool:
    return bool(prefix) and have[: len(prefix)] == prefix
