"""Learning patterns from memories, commits and code; a person has to accept them.

A pattern that was proposed once is not proposed again (``capture.proposals``).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gitmem import languages
from gitmem.app import App
from gitmem.capture.proposals import ProposedMemory, propose_memory
from gitmem.git.lines import line_history
from gitmem.git.lines.line_history import ReplacedLine
from gitmem.languages import registry
from gitmem.model.frozen import dataclass, replace
from gitmem.patterns import (
    built_in,
    checker,
    name_match,
    pattern_store,
    ranking,
    said_rule,
    validation,
)
from gitmem.patterns import pattern as patterns
from gitmem.patterns.checker import PreparedSourceFile
from gitmem.patterns.pattern import CodePattern
from gitmem.patterns.rule import CodeRule
from gitmem.store.code import symbols
from gitmem.store.memory import memories
from gitmem.text.fence import one_line

SOURCES = ("memories", "commits", "code")
MOST_COMMITS, MOST_FILES = 500, 2000
SECONDS = 10.0
MAX_PROPOSALS = 20
_KINDS = ("convention", "decision", "pattern", "warning", "feedback", "workflow", "fact", "note")
# A convention of the code alone needs enough places, and hardly a breach.
LEAST_NAMES, LEAST_PLACES = 40, 20
SHARE_OF_NAMES, SHARE_OF_PLACES = 0.98, 0.99
MOST_BREACHES = 5
_STYLED = {
    "function": "function", "method": "function", "class": "class", "struct": "class",
    "interface": "class", "enum": "class", "trait": "class", "constant": "constant",
}  # fmt: skip
# In Go a capital means public, which the compiler checks.
_NO_STYLE = frozenset({"go", "html", "css", "sql"})
# Commits that must repeat a replacement, and how many times more often than its reverse.
LEAST_COMMITS, TIMES_AGAINST = 3, 3
MOST_LESSONS = 10
_CHAIN = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*!?"
_TOKEN = re.compile(rf"{_CHAIN}|\d[\w.]*|\s+|.")
_NAME = re.compile(_CHAIN)
_CALL = re.compile(rf"\s*(?:await |return |{_CHAIN} = )?({_CHAIN})\(")
_IMPORT = re.compile(r"\s*(?:import|from|use|#include|require)\b")
_KEYWORDS = frozenset(
    {
        *("if", "for", "while", "switch", "return", "with", "assert", "not", "and", "or", "in"),
        *("elif", "else", "catch", "except", "match", "func", "def", "fn", "super", "sizeof"),
    }
)


@dataclass(frozen=True, slots=True)
class LearnedPattern:
    """A CodePattern learned from memories, commits or code, why it was, and how surely (0 to 1)."""

    pattern: CodePattern
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class LearnedPatternOutcome:
    """What became of a learned pattern: ``proposed`` to a person, ``known``, or only ``found``.

    ``id`` is that of the memory that stores a proposed pattern, otherwise empty.
    """

    learned: LearnedPattern
    id: str
    action: str


def learn_patterns(
    app: App, source_names: Sequence[str], *, dry_run: bool
) -> list[LearnedPatternOutcome]:
    """Learn patterns and propose the new ones to a person; a LearnedPatternOutcome for each.

    The surest come first. ``source_names`` are memories, commits and code, or some of these; empty:
    all. With ``dry_run`` nothing is stored.
    """
    known_names = {stored.pattern.name for stored in pattern_store.list_visible_patterns(app)}
    outcomes: list[LearnedPatternOutcome] = []
    for learned in _gather(app, source_names or SOURCES):
        if learned.pattern.name in known_names:
            outcomes.append(LearnedPatternOutcome(learned, "", "known"))
        elif dry_run or len(outcomes) >= MAX_PROPOSALS:
            outcomes.append(LearnedPatternOutcome(learned, "", "found"))
        else:
            draft = pattern_store.draft_memory_of_pattern(learned.pattern)
            key = f"pattern\x1f{learned.pattern.name}"
            id = propose_memory(
                app, app.store, ProposedMemory(draft, learned.reason, learned.confidence, key)
            )
            outcomes.append(LearnedPatternOutcome(learned, id, "proposed" if id else "known"))
    return outcomes


def _gather(app: App, sources: Sequence[str]) -> list[LearnedPattern]:
    """The patterns of the sources, each name once; memories come before commits and code.

    A replacement in commits does not count if the code still has many lines of the old form.
    """
    from_memories = list(_from_memories(app)) if "memories" in sources else []
    mended = list(_from_commits(app)) if "commits" in sources else []
    now, from_code = _in_code(app, mended, tally="code" in sources)
    mended = [
        learned
        for learned in mended
        if now[learned.pattern.name] <= max(5, 2 * len(learned.pattern.commits))
    ]
    by_name: dict[str, LearnedPattern] = {}
    for learned in (*from_memories, *mended, *from_code):
        by_name.setdefault(learned.pattern.name, learned)
    return sorted(by_name.values(), key=lambda learned: (-learned.confidence, learned.pattern.name))


def is_name_used_in_code(app: App, name: str) -> bool:
    """Whether the indexed code calls or imports a name."""
    bare = name.strip("`()!").rpartition(".")[2]
    return bool(
        symbols.mentions_of_name(app.store, app.worktree, bare, ("call",), 1)
        or symbols.importers_of_modules(app.store, app.worktree, [name], 1)
    )


def _from_memories(app: App) -> Iterator[LearnedPattern]:
    for memory in pattern_store.list_visible_memories(app, app.store, _KINDS, ("active",)):
        stated = said_rule.find_stated_rule(
            f"{memory.title}\n{memory.content}", lambda name: is_name_used_in_code(app, name)
        )
        if stated is None:
            continue
        own = patterns.pattern_of_memory(memory)
        if own is not None and patterns.is_pattern_enforced(own, memory):
            continue  # this convention is checked already
        pattern = CodePattern(
            name=patterns.pattern_name_from_rule(stated.rule),
            text=stated.quote,
            rule=stated.rule,
            language=stated.rule.languages[0] if stated.rule.languages else "",
            origin="memories",
            rests_on=(memory.id,),
        )
        uses, last = memories.access_count_and_time(app.store, memory.id)
        sure = ranking.pattern_confidence_from_use(uses, last or memory.updated_at, app.now)
        kind = memory.kind
        yield LearnedPattern(
            pattern, f"the {kind} {memory.id} says: {one_line(stated.quote, 160)}", sure
        )


def _from_commits(app: App) -> Iterator[LearnedPattern]:
    if app.layout.plain or not app.git_head.commit:
        return
    replaced, _ = line_history.replaced_lines_of_newest_commits(
        app.layout.cwd, MOST_COMMITS, timeout=SECONDS
    )
    for lesson in find_repeated_replacements(replaced):
        count = len(lesson.commits)
        sure = ranking.pattern_confidence_from_use(count, lesson.at * 1000, app.now)
        reason = (
            f"{count} commits replace {lesson.old} by {lesson.new}, last {lesson.commits[0][:10]}"
        )
        yield LearnedPattern(pattern_of_replacement(lesson), reason, sure)


def _in_code(
    app: App, learned: Sequence[LearnedPattern], *, tally: bool
) -> tuple[Counter[str], list[LearnedPattern]]:
    """The number of breaches of each pattern, and with ``tally`` the conventions of the code."""
    against: Counter[str] = Counter()
    counted = ConventionCounter()
    usual = [pattern.rule for pattern, _ in built_in.PATTERNS if pattern.rule is not None]
    files = validation.read_source_files(app) if learned or tally else ()
    for path, data in islice(files, MOST_FILES):
        language = languages.language(path)
        rules = [rule for rule in usual if not rule.syntax_node_type or language in rule.languages]
        source = checker.prepare_source_file(path, language, data, rules)
        if source is None:
            continue
        if tally:
            counted.count_file(source)
        for pattern in (candidate.pattern for candidate in learned):
            if pattern.rule is not None:
                against[pattern.name] += len(checker.find_rule_violations(pattern.rule, "", source))
    conventions = []
    for convention in counted.followed_conventions():
        reason = f"the code keeps it in {convention.followed:,} of {convention.places:,} places"
        # Nobody stated it, so the confidence is lower.
        conventions.append(
            LearnedPattern(
                convention.pattern, reason, 0.8 * convention.followed / convention.places
            )
        )
    return against, conventions


@dataclass(frozen=True, slots=True)
class FollowedConvention:
    """A pattern that the code follows in ``followed`` of the ``places`` that could break it."""

    pattern: CodePattern
    followed: int
    places: int


class ConventionCounter:
    """Counts in source files how names are written and which built-in patterns are kept.

    Call ``count_file`` for each file, then ``followed_conventions``.
    """

    def __init__(self) -> None:
        self._styles: dict[tuple[str, str], Counter[str]] = {}
        self._places: Counter[str] = Counter()
        self._against: Counter[str] = Counter()
        self._examples: dict[tuple[str, str, str], str] = {}

    def count_file(self, source_file: PreparedSourceFile) -> None:
        """Count the styles of names in a file, and where it keeps or breaks built-in patterns."""
        if source_file.language not in _NO_STYLE:
            for definition in source_file.definitions:
                self._name(source_file.language, _STYLED.get(definition.kind, ""), definition.name)
        for pattern, shows in built_in.PATTERNS:
            rule = pattern.rule
            if rule is not None and rule.applies_to_file(source_file.path, source_file.language):
                self._against[pattern.name] += len(
                    checker.find_rule_violations(rule, pattern.name, source_file)
                )
                self._places[pattern.name] += _places_of(source_file, shows, rule)

    def _name(self, language: str, kind: str, name: str) -> None:
        style = name_match.naming_style(name.strip("_")) if kind else ""
        if style and not (name.startswith("__") and name.endswith("__")):
            self._styles.setdefault((language, kind), Counter())[style] += 1
            self._examples.setdefault((language, kind, style), name)

    def followed_conventions(self) -> Iterator[FollowedConvention]:
        """Yield a FollowedConvention for each that at least 98 or 99 % of many places follow."""
        for (language, kind), styles in sorted(self._styles.items()):
            style, count = styles.most_common(1)[0]
            total = sum(styles.values())
            if total >= LEAST_NAMES and _is_overwhelming(count, total, SHARE_OF_NAMES):
                example = self._examples[language, kind, style]
                yield FollowedConvention(_naming(language, kind, style, example), count, total)
        for pattern, _ in built_in.PATTERNS:
            against, places = self._against[pattern.name], self._places[pattern.name]
            if places >= LEAST_PLACES and _is_overwhelming(
                places - against, places, SHARE_OF_PLACES
            ):
                yield FollowedConvention(replace(pattern, origin="code"), places - against, places)


def _is_overwhelming(followed: int, places: int, share: float) -> bool:
    return followed >= share * places and places - followed <= MOST_BREACHES


def _naming(language: str, kind: str, style: str, example: str) -> CodePattern:
    rule = CodeRule("naming", of=(kind,), style=style, languages=(language,))
    return CodePattern(
        name=patterns.pattern_name_from_text(f"{language} {kind} names {style}"),
        text=f"{kind.capitalize()} names in {language} are written in {style}, as `{example}` is.",
        rule=rule,
        topic="naming",
        language=language,
        origin="code",
    )


def _places_of(file: PreparedSourceFile, shows: tuple[str, ...], rule: CodeRule) -> int:
    """The number of places in which a file follows a rule or could break it."""
    if shows == ("file",):
        return 1
    kind, _, word = shows[0].partition(":")
    if word:
        return sum(fact.kind == kind and word in fact.text for fact in file.facts)
    if len(shows) == 1 and shows[0] in ("handler", "await", "import", "type"):
        return sum(fact.kind == shows[0] for fact in file.facts)
    matched = [name_match.parse_name_in_rule(name) for name in (*shows, *rule.names)]
    calls = (fact for fact in file.facts if fact.kind == "call")
    return sum(any(name_match.is_call_of_name(name, fact) for name in matched) for fact in calls)


@dataclass(frozen=True, slots=True)
class RepeatedNameReplacement:
    """A name (``old``) that several commits replaced by another one (``new``).

    ``check`` is call or import. ``commits`` are the commits' ids, newest first. ``at`` is the time
    of the newest (seconds since 1970), ``old_line`` a line it removed and ``new_line`` the line in
    its place.
    """

    check: str
    old: str
    new: str
    language: str
    commits: tuple[str, ...]
    at: int
    old_line: str
    new_line: str


def find_repeated_replacements(
    replaced_lines: Iterable[ReplacedLine],
) -> list[RepeatedNameReplacement]:
    """At most ten RepeatedNameReplacements, the most frequent first.

    ``replaced_lines`` are lines that commits replaced, the newest first. At least three commits, in
    more than one file, must agree.
    """
    swaps: dict[tuple[str, str, str, str], dict[str, ReplacedLine]] = {}
    for replacement in replaced_lines:
        language = languages.language(replacement.path)
        checked = bool(registry.language_properties(language).calls)
        for check, old, new in _swaps(replacement.old, replacement.new) if checked else ():
            swaps.setdefault((check, old, new, language), {}).setdefault(
                replacement.sha, replacement
            )
    lessons = []
    for (check, old, new, language), pairs in swaps.items():
        back = len(swaps.get((check, new, old, language), ()))
        elsewhere = len({pair.path for pair in pairs.values()}) > 1
        if len(pairs) < max(LEAST_COMMITS, TIMES_AGAINST * back) or not elsewhere:
            continue
        newest, at = next(iter(pairs.values())), max(pair.at for pair in pairs.values())
        lines = newest.old.strip(), newest.new.strip()
        lessons.append(RepeatedNameReplacement(check, old, new, language, tuple(pairs), at, *lines))
    lessons.sort(key=lambda lesson: (-len(lesson.commits), -lesson.at, lesson.old, lesson.new))
    return lessons[:MOST_LESSONS]


def _swaps(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """The name that a line has in place of another one's, if that is the only difference.

    The arguments of two calls may differ if they share most of their words.
    """
    first, second = _TOKEN.findall(old), _TOKEN.findall(new)
    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    if len(first) == len(second) == 1:
        pair = first[0], second[0]
        if _IMPORT.match(old) and _IMPORT.match(new):
            yield from _if_names("import", *pair)
        elif f"{pair[0]}(" in old and f"{pair[1]}(" in new:
            yield from _if_names("call", *pair)
        return
    called, calls = _CALL.match(old), _CALL.match(new)
    if called and calls:
        words, others = (
            set(re.findall(r"\w+", arguments))
            for arguments in (old[called.end() :], new[calls.end() :])
        )
        both = words & others
        if both and 2 * len(both) >= len(words | others):
            yield from _if_names("call", called[1], calls[1])


def _if_names(check: str, old: str, new: str) -> Iterator[tuple[str, str, str]]:
    names = all(_NAME.fullmatch(name) and name_match.is_code_name(name) for name in (old, new))
    if names and old != new and len(old) > 2 and not {old, new} & _KEYWORDS:
        yield check, old, new


def pattern_of_replacement(replacement: RepeatedNameReplacement) -> CodePattern:
    """The CodePattern that forbids the old name of a replacement and recommends the new one."""
    rule = CodeRule(
        replacement.check,
        names=(replacement.old,),
        languages=(replacement.language,),
        instead=replacement.new,
    )
    verb = "Import" if replacement.check == "import" else "Use"
    return CodePattern(
        name=patterns.pattern_name_from_rule(rule),
        text=f"{verb} `{replacement.new}` instead of `{replacement.old}`.",
        rule=rule,
        language=replacement.language,
        examples=(replacement.new_line,),
        anti_examples=(replacement.old_line,),
        origin="commits",
        commits=replacement.commits[:MOST_LESSONS],
    )
