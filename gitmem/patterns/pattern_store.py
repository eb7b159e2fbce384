"""Patterns in the store: which there are, found by name, made, and how often each was used."""

import json
from collections.abc import Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.change import edit
from gitmem.capture.proposals import Found, propose_file
from gitmem.capture.provenance import by_agent, may_change, origin, who
from gitmem.errors import Ambiguous, Conflict, InvalidInput, NotFound
from gitmem.languages.index import FILES
from gitmem.memory import draft
from gitmem.memory.draft import Draft
from gitmem.model import project_key
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.patterns import checker, ranking
from gitmem.patterns import pattern as patterns
from gitmem.patterns.pattern import Pattern
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids
from gitmem.store.memory.filters import Filter

MOST = 1000


@dataclass(frozen=True, slots=True)
class Stored:
    """A pattern with the memory that it is. ``rank`` and ``confidence`` are 0 to 1.

    ``uses`` is how often it was handed out, ``last_at`` when last, or made (milliseconds).
    ``state`` is active (checked), advice (it has no rule), waiting (nobody here agreed to it) or
    loose (its words name what may be code or not).
    """

    pattern: Pattern
    memory: Memory
    database: Database
    uses: int
    last_at: int
    rank: float
    confidence: float
    state: str

    @property
    def active(self) -> bool:
        """Whether it is checked."""
        return self.state == "active"


def every(app: App, *, language: str = "", path: str = "") -> list[Stored]:
    """The patterns that are seen from here, the best for a file first; of each name and part one.

    Those that wait in the inbox stand among them, and are not checked.
    """
    found = [
        _stored(app, database, memory, language, path)
        for database in app.stores()
        for memory in seen(app, database, patterns.KINDS, ("active", "proposed", "suggested"))
    ]
    found.sort(key=lambda one: (not one.active, -one.rank, -one.confidence, one.pattern.name))
    named: dict[tuple[str, str], Stored] = {}
    for one in found:
        named.setdefault((one.pattern.name, project_key.split(one.memory.project)[1]), one)
    return list(named.values())


def seen(
    app: App, database: Database, kinds: tuple[str, ...], states: tuple[str, ...]
) -> Sequence[Memory]:
    """The user's own memories of some kinds and states that are seen from here."""
    hidden = visible_here.hidden(app, database).clause()
    wanted = Filter(
        states=states,
        kinds=kinds,
        now=app.now,
        own=True,
        beside=(*subprojects.seen(app, database), hidden),
    )
    return memories.select(database, wanted, limit=MOST)


def _stored(app: App, database: Database, memory: Memory, language: str, path: str) -> Stored:
    pattern = patterns.of_memory(memory)
    assert pattern is not None  # of a kind that was asked for
    uses, last = memories.usage(database, memory.id)
    at = last or memory.updated_at
    own = pattern.rule.languages[0] if pattern.rule and pattern.rule.languages else ""
    rank = ranking.rank(
        language=own or pattern.language,
        paths=memory.paths,
        uses=uses,
        last_at=at,
        now=app.now,
        asked_language=language,
        asked_path=path,
    )
    sure = ranking.confidence(uses, at, app.now)
    return Stored(pattern, memory, database, uses, at, rank, sure, _state(pattern, memory))


def _state(pattern: Pattern, memory: Memory) -> str:
    if pattern.rule is None:
        return "advice"
    if not pattern.marked:
        return "loose"
    return "active" if patterns.in_force(pattern, memory) else "waiting"


def find(app: App, text: str) -> Stored:
    """The pattern that a name or an id means. Raises NotFound, Ambiguous."""
    known = every(app)
    name = text.strip().lower()
    named = [one for one in known if one.pattern.name == name]
    if named:
        return named[0]
    short = text.strip().upper()
    found = [one for one in known if len(short) > 3 and one.memory.id.startswith(short)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Ambiguous(f"{text[:40]!r} matches more than one pattern.", "Give more characters.")
    import difflib  # noqa: PLC0415 - only for the hint

    close = difflib.get_close_matches(name, [one.pattern.name for one in known], 3)
    meant = f"Did you mean {' or '.join(close)}?" if close else "`gitmem pattern list` shows them."
    raise NotFound(f"There is no pattern {name[:80]!r}.", meant)


def checkable(app: App, text: str) -> Stored:
    """The pattern that a name or an id means, which has a rule in force.

    Raises NotFound, Ambiguous, and Conflict for one that is not checked.
    """
    one = find(app, text)
    if one.active:
        return one
    name = one.pattern.name
    if one.state == "waiting":
        raise Conflict(
            f"The pattern {name} is not checked: no person here has accepted it.",
            f"`gitmem inbox accept {handle(one)}` or `gitmem trust {handle(one)}` does.",
        )
    raise Conflict(
        f"The pattern {name} is not checked: {_WHY[one.state]}.",
        f"Give it a rule: gitmem pattern learn --name {name} --rule '{{...}}'",
    )


_WHY = {
    "advice": "it has no rule",
    "loose": "its words do not mark what is code (with backticks)",
}


def basis(app: App, stored: Stored) -> tuple[Memory, Database]:
    """The memory that a pattern rests on: the one it was learned from, else itself."""
    for id in stored.pattern.rests_on:
        for database in app.stores():
            memory = memories.usable(database, id)
            if memory is not None and memory.state == "active":
                return memory, database
    return stored.memory, stored.database


def keep(app: App, pattern: Pattern, *, tags: tuple[str, ...] = ()) -> tuple[str, str]:
    """Keep a pattern that somebody states: its memory's id, and what was done.

    That of a person is active at once; that of an agent waits in the inbox. Raises InvalidInput
    and Conflict.
    """
    refuse_wrong(pattern)
    for one in every(app):
        # What only waited so far becomes a pattern of their own where a person states it.
        own = one.state == "waiting" and pattern.rule is not None and not by_agent(app)
        if one.pattern.name == pattern.name and not own:
            return _changed(app, one, pattern)
    said = drafted(pattern, tags)
    if by_agent(app):
        reason = f"{who(app)} suggests this pattern"
        return propose_file(app, app.store, Found(said, reason, 0.7, f"pattern {pattern.name}"))
    limit = app.settings.number("memory.max_bytes")
    made = draft.prepare(said, origin(app, "project"), max_bytes=limit)
    with app.store.write():
        memory_writes.insert(app.store, made.memory)
    return made.memory.id, "added"


def _changed(app: App, known: Stored, pattern: Pattern) -> tuple[str, str]:
    """Another rule or more examples for a pattern of this name; its history is kept."""
    if not may_change(app, known.memory):
        raise Conflict(
            f"The pattern {pattern.name} is a person's, and {who(app)} is an agent.",
            "Ask the person you work for, or suggest it under another name.",
        )
    limit = app.settings.number("memory.max_bytes")

    def renewed(now: Memory) -> Memory:
        old = patterns.of_memory(now) or known.pattern
        joined = _merged(old, pattern)
        refuse_wrong(joined)
        said = drafted(joined, now.tags)
        made = draft.prepare(said, origin(app, "project"), max_bytes=limit).memory
        facts = json.loads(now.metadata or "{}") | json.loads(made.metadata)
        metadata = json.dumps(facts, ensure_ascii=False, sort_keys=True)
        return replace(now, content=made.content, metadata=metadata)

    with known.database.write():
        before, after = edit(app, known.database, known.memory, renewed, "updated")
    return known.memory.id, "unchanged" if before == after else "updated"


def _merged(old: Pattern, new: Pattern) -> Pattern:
    """A pattern with what is said of it anew; examples are added. Raises InvalidInput."""
    return replace(
        old,
        text=new.text or old.text,
        rule=new.rule or old.rule,
        topic=new.topic or old.topic,
        language=new.language or old.language,
        examples=patterns.check_examples("examples", (*old.examples, *new.examples)),
        anti_examples=patterns.check_examples(
            "anti-examples", (*old.anti_examples, *new.anti_examples)
        ),
        marked=True,
    )


def drafted(pattern: Pattern, tags: tuple[str, ...] = ()) -> Draft:
    """The memory that a pattern makes."""
    topic = (pattern.topic,) if pattern.topic else ()
    title = pattern.text.strip().split("\n", 1)[0]
    return Draft(
        content=pattern.text,
        title=title if len(title) <= 200 else title[:199] + "…",
        kind="pattern",
        tags=tuple(dict.fromkeys((*topic, *tags))),
        metadata=pattern.facts,
    )


def refuse_wrong(pattern: Pattern) -> None:
    """Raise InvalidInput for a name that is none, or examples that the rule does not tell apart."""
    if not patterns.is_name(pattern.name):
        raise InvalidInput(
            f"{pattern.name[:80]!r} is not a name for a pattern.",
            "Use lower-case letters, digits and dashes: no-print.",
        )
    rule = pattern.rule
    language = pattern.language or (rule.languages[0] if rule and rule.languages else "")
    if rule is None or rule.check in ("layer",) or not language:
        return
    place = f"example.{FILES.get(language, language).split()[0]}"
    bare = replace(rule, paths=(), excepted=(), languages=())
    for wrong, texts in ((True, pattern.anti_examples), (False, pattern.examples)):
        for text in texts:
            file = checker.source(place, language, text.encode(), [bare])
            if file is None or ((found := checker.breaches(bare, pattern.name, file)) and wrong):
                continue
            if wrong or found:
                raise InvalidInput(
                    "The rule does not find the anti-example:"
                    if wrong
                    else "The rule forbids its own example:",
                    f"{text.strip()[:200]}",
                )


def language_of(word: str) -> str:
    """The language that a word names. Raises InvalidInput."""
    found = languages.named(word)
    if word and not found:
        close = ", ".join(languages.close_to(word)) or "python, go, rust"
        raise InvalidInput(f"There is no language {word[:40]!r}.", f"Perhaps {close}.")
    return found


def name_of(app: App, text: str) -> str:
    """The name that somebody gives, or that of the pattern whose id it is."""
    name = text.strip().lower()
    known = every(app) if name else ()
    same = [one.pattern.name for one in known if one.memory.id.lower() == name]
    return same[0] if same else name


def handle(stored: Stored) -> str:
    """A short id that is enough."""
    return short_ids.shortest(stored.database, stored.memory.id)
