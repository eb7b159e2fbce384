"""Conventions that the code itself keeps nearly everywhere: names, and what it never does. Pure.

Only what is overwhelming is told: enough places that could go against it, and hardly one that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gitmem.model.frozen import dataclass, replace
from gitmem.patterns import built_in, checker, name_match
from gitmem.patterns import pattern as patterns
from gitmem.patterns.checker import Source
from gitmem.patterns.pattern import Pattern
from gitmem.patterns.rule import Rule

LEAST_NAMES, LEAST_PLACES = 40, 20
SHARE_OF_NAMES, SHARE_OF_PLACES = 0.98, 0.99
MOST_AGAINST = 5
_KINDS = {
    "function": "function", "method": "function", "class": "class", "struct": "class",
    "interface": "class", "enum": "class", "trait": "class", "constant": "constant",
}  # fmt: skip
# Whether a name begins with a capital is Go's word for public; the compiler sees to it.
_NO_STYLE = frozenset({"go", "html", "css", "sql"})


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
            for one in file.definitions:
                self._name(file.language, _KINDS.get(one.kind, ""), one.name)
        for pattern, shows in built_in.PATTERNS:
            rule = pattern.rule
            if rule is not None and rule.concerns(file.path, file.language):
                self._against[pattern.name] += len(checker.breaches(rule, pattern.name, file))
                self._places[pattern.name] += _shown(file, shows, rule)

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
    return kept >= share * places and places - kept <= MOST_AGAINST


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


def _shown(file: Source, shows: tuple[str, ...], rule: Rule) -> int:
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
