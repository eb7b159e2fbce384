"""Learning patterns from memories, commits and code. What is learned waits for a person's consent.

Known names are not proposed again, whatever became of them (``capture.proposals``).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gitmem import languages
from gitmem.app import App
from gitmem.capture.proposals import Found, propose
from gitmem.git import line_history
from gitmem.git.line_history import Replaced
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
from gitmem.patterns.checker import Source
from gitmem.patterns.pattern import Pattern
from gitmem.patterns.rule import Rule
from gitmem.store.code import symbols
from gitmem.store.memory import memories
from gitmem.text.fence import one_line

SOURCES = ("memories", "commits", "code")
MOST_COMMITS, MOST_FILES = 500, 2000
SECONDS = 10.0
MOST = 20
_KINDS = ("convention", "decision", "pattern", "warning", "feedback", "workflow", "fact", "note")
# Of the code only what is overwhelming is told: enough places, and hardly a breach.
LEAST_NAMES, LEAST_PLACES = 40, 20
SHARE_OF_NAMES, SHARE_OF_PLACES = 0.98, 0.99
MOST_BREACHES = 5
_STYLED = {
    "function": "function", "method": "function", "class": "class", "struct": "class",
    "interface": "class", "enum": "class", "trait": "class", "constant": "constant",
}  # fmt: skip
# Whether a name begins with a capital is Go's word for public; the compiler sees to it.
_NO_STYLE = frozenset({"go", "html", "css", "sql"})
# A replacement repeats in so many commits, and so many times as often as the other way round.
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
class Learned:
    """A pattern that was found, why, and how sure that is (0 to 1)."""

    pattern: Pattern
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a pattern: ``action`` is proposed, known, or found where nothing is kept.

    ``id`` is that of the memory that it is, empty where it was not kept.
    """

    learned: Learned
    id: str
    action: str


def learn(app: App, sources: Sequence[str], *, dry_run: bool) -> list[Outcome]:
    """Look for patterns in some sources and propose them; the surest first."""
    known = {one.pattern.name for one in pattern_store.every(app)}
    done: list[Outcome] = []
    for one in _once(app, sources or SOURCES):
        if one.pattern.name in known:
            done.append(Outcome(one, "", "known"))
        elif dry_run or len(done) >= MOST:
            done.append(Outcome(one, "", "found"))
        else:
            draft = pattern_store.drafted(one.pattern)
            key = f"pattern\x1f{one.pattern.name}"
            id = propose(app, app.store, Found(draft, one.reason, one.confidence, key))
            done.append(Outcome(one, id, "proposed" if id else "known"))
    return done


def _once(app: App, sources: Sequence[str]) -> list[Learned]:
    """What the sources teach, each name once: what people said before what they did.

    What commits replaced and the code still does in many lines is no convention.
    """
    said = list(_from_memories(app)) if "memories" in sources else []
    mended = list(_from_commits(app)) if "commits" in sources else []
    now, kept = _in_code(app, mended, tally="code" in sources)
    mended = [
        one for one in mended if now[one.pattern.name] <= max(5, 2 * len(one.pattern.commits))
    ]
    found: dict[str, Learned] = {}
    for one in (*said, *mended, *kept):
        found.setdefault(one.pattern.name, one)
    return sorted(found.values(), key=lambda one: (-one.confidence, one.pattern.name))


def known_to_code(app: App, name: str) -> bool:
    """Whether the code that is indexed calls or imports a name."""
    bare = name.strip("`()!").rpartition(".")[2]
    return bool(
        symbols.references(app.store, app.worktree, bare, ("call",), 1)
        or symbols.importers(app.store, app.worktree, [name], 1)
    )


def _from_memories(app: App) -> Iterator[Learned]:
    for memory in pattern_store.seen(app, app.store, _KINDS, ("active",)):
        said = said_rule.derive(
            f"{memory.title}\n{memory.content}", lambda name: known_to_code(app, name)
        )
        if said is None:
            continue
        own = patterns.of_memory(memory)
        if own is not None and patterns.in_force(own, memory):
            continue  # a person's convention that marks its names is checked as it stands
        made = Pattern(
            name=patterns.named_after(said.rule),
            text=said.quote,
            rule=said.rule,
            language=said.rule.languages[0] if said.rule.languages else "",
            origin="memories",
            rests_on=(memory.id,),
        )
        uses, last = memories.usage(app.store, memory.id)
        sure = ranking.confidence(uses, last or memory.updated_at, app.now)
        kind = memory.kind
        yield Learned(made, f"the {kind} {memory.id} says: {one_line(said.quote, 160)}", sure)


def _from_commits(app: App) -> Iterator[Learned]:
    if app.layout.plain or not app.head.commit:
        return
    replaced, _ = line_history.newest_replacements(app.layout.cwd, MOST_COMMITS, seconds=SECONDS)
    for lesson in lessons(replaced):
        count = len(lesson.commits)
        sure = ranking.confidence(count, lesson.at * 1000, app.now)
        reason = (
            f"{count} commits replace {lesson.old} by {lesson.new}, last {lesson.commits[0][:10]}"
        )
        yield Learned(taught(lesson), reason, sure)


def _in_code(
    app: App, learned: Sequence[Learned], *, tally: bool
) -> tuple[Counter[str], list[Learned]]:
    """How many lines go against each pattern now, and with ``tally`` what the code itself keeps."""
    against: Counter[str] = Counter()
    counted = Tally()
    usual = [one.rule for one, _ in built_in.PATTERNS if one.rule is not None]
    files = validation.every_file(app) if learned or tally else ()
    for path, data in islice(files, MOST_FILES):
        language = languages.language(path)
        wanted = [rule for rule in usual if not rule.node or language in rule.languages]
        source = checker.source(path, language, data, wanted)
        if source is None:
            continue
        if tally:
            counted.add(source)
        for pattern in (one.pattern for one in learned):
            if pattern.rule is not None:
                against[pattern.name] += len(checker.breaches(pattern.rule, "", source))
    kept = []
    for one in counted.kept():
        reason = f"the code keeps it in {one.kept:,} of {one.places:,} places"
        # Of what nobody said, however often it is done, nobody can be that sure.
        kept.append(Learned(one.pattern, reason, 0.8 * one.kept / one.places))
    return against, kept


# --- what the code itself keeps ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """A convention that the code keeps: in how many of the places that could break it."""

    pattern: Pattern
    kept: int
    places: int


class Tally:
    """What the files of a project have in common, counted one by one."""

    def __init__(self) -> None:
        self._styles: dict[tuple[str, str], Counter[str]] = {}
        self._places: Counter[str] = Counter()
        self._against: Counter[str] = Counter()
        self._examples: dict[tuple[str, str, str], str] = {}

    def add(self, file: Source) -> None:
        """Count one file."""
        if file.language not in _NO_STYLE:
            for definition in file.definitions:
                self._name(file.language, _STYLED.get(definition.kind, ""), definition.name)
        for pattern, shows in built_in.PATTERNS:
            rule = pattern.rule
            if rule is not None and rule.concerns(file.path, file.language):
                self._against[pattern.name] += len(checker.breaches(rule, pattern.name, file))
                self._places[pattern.name] += _places_of(file, shows, rule)

    def _name(self, language: str, kind: str, name: str) -> None:
        style = name_match.tells(name.strip("_")) if kind else ""
        if style and not (name.startswith("__") and name.endswith("__")):
            self._styles.setdefault((language, kind), Counter())[style] += 1
            self._examples.setdefault((language, kind, style), name)

    def kept(self) -> Iterator[Kept]:
        """The conventions that are overwhelming."""
        for (language, kind), styles in sorted(self._styles.items()):
            style, count = styles.most_common(1)[0]
            total = sum(styles.values())
            if total >= LEAST_NAMES and _overwhelms(count, total, SHARE_OF_NAMES):
                example = self._examples[language, kind, style]
                yield Kept(_naming(language, kind, style, example), count, total)
        for pattern, _ in built_in.PATTERNS:
            against, places = self._against[pattern.name], self._places[pattern.name]
            if places >= LEAST_PLACES and _overwhelms(places - against, places, SHARE_OF_PLACES):
                yield Kept(replace(pattern, origin="code"), places - against, places)


def _overwhelms(kept: int, places: int, share: float) -> bool:
    return kept >= share * places and places - kept <= MOST_BREACHES


def _naming(language: str, kind: str, style: str, example: str) -> Pattern:
    rule = Rule("naming", of=(kind,), style=style, languages=(language,))
    return Pattern(
        name=patterns.named(f"{language} {kind} names {style}"),
        text=f"{kind.capitalize()} names in {language} are written in {style}, as `{example}` is.",
        rule=rule,
        topic="naming",
        language=language,
        origin="code",
    )


def _places_of(file: Source, shows: tuple[str, ...], rule: Rule) -> int:
    """In how many places a file could go against a rule, or follows it."""
    if shows == ("file",):
        return 1
    kind, _, word = shows[0].partition(":")
    if word:
        return sum(fact.kind == kind and word in fact.text for fact in file.facts)
    if len(shows) == 1 and shows[0] in ("handler", "await", "import", "type"):
        return sum(fact.kind == shows[0] for fact in file.facts)
    wanted = [name_match.read(name) for name in (*shows, *rule.names)]
    calls = (fact for fact in file.facts if fact.kind == "call")
    return sum(any(name_match.calls(name, fact) for name in wanted) for fact in calls)


# --- what commits repeat -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lesson:
    """A name that commits keep replacing by another one.

    ``check`` is call or import; ``commits`` the newest first, ``at`` when the newest was made
    (seconds); ``old_line`` and ``new_line`` are those of it.
    """

    check: str
    old: str
    new: str
    language: str
    commits: tuple[str, ...]
    at: int
    old_line: str
    new_line: str


def lessons(replaced: Iterable[Replaced]) -> list[Lesson]:
    """What commits repeat, what most of them repeat first; ``replaced`` from the newest on."""
    found: dict[tuple[str, str, str, str], dict[str, Replaced]] = {}
    for one in replaced:
        language = languages.language(one.path)
        checked = bool(registry.find(language).calls)
        for check, old, new in _swaps(one.old, one.new) if checked else ():
            found.setdefault((check, old, new, language), {}).setdefault(one.sha, one)
    told = []
    for (check, old, new, language), pairs in found.items():
        back = len(found.get((check, new, old, language), ()))
        elsewhere = len({pair.path for pair in pairs.values()}) > 1
        if len(pairs) < max(LEAST_COMMITS, TIMES_AGAINST * back) or not elsewhere:
            continue
        newest, at = next(iter(pairs.values())), max(pair.at for pair in pairs.values())
        lines = newest.old.strip(), newest.new.strip()
        told.append(Lesson(check, old, new, language, tuple(pairs), at, *lines))
    told.sort(key=lambda one: (-len(one.commits), -one.at, one.old, one.new))
    return told[:MOST_LESSONS]


def _swaps(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """The name that one line has in place of another one's, where nothing else tells them apart.

    Of two calls the arguments may differ too, as long as they share most of their words.
    """
    first, second = _TOKEN.findall(old), _TOKEN.findall(new)
    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    if len(first) == len(second) == 1:
        pair = first[0], second[0]
        if _IMPORT.match(old) and _IMPORT.match(new):
            yield from _sound("import", *pair)
        elif f"{pair[0]}(" in old and f"{pair[1]}(" in new:
            yield from _sound("call", *pair)
        return
    called, calls = _CALL.match(old), _CALL.match(new)
    if called and calls:
        words, others = (
            set(re.findall(r"\w+", arguments))
            for arguments in (old[called.end() :], new[calls.end() :])
        )
        both = words & others
        if both and 2 * len(both) >= len(words | others):
            yield from _sound("call", called[1], calls[1])


def _sound(check: str, old: str, new: str) -> Iterator[tuple[str, str, str]]:
    names = all(_NAME.fullmatch(one) and name_match.is_name(one) for one in (old, new))
    if names and old != new and len(old) > 2 and not {old, new} & _KEYWORDS:
        yield check, old, new


def taught(lesson: Lesson) -> Pattern:
    """The _taught that a lesson teaches."""
    rule = Rule(lesson.check, names=(lesson.old,), languages=(lesson.language,), instead=lesson.new)
    verb = "Import" if lesson.check == "import" else "Use"
    return Pattern(
        name=patterns.named_after(rule),
        text=f"{verb} `{lesson.new}` instead of `{lesson.old}`.",
        rule=rule,
        language=lesson.language,
        examples=(lesson.new_line,),
        anti_examples=(lesson.old_line,),
        origin="commits",
        commits=lesson.commits[:MOST_LESSONS],
    )
