"""Patterns in the store: listing, finding, creating and updating them."""

import json
from collections.abc import Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.change import edit_memory
from gitmem.capture.proposals import ProposedMemory, propose_imported_memory
from gitmem.capture.provenance import is_agent, may_change, memory_origin, writer_name
from gitmem.errors import AmbiguousReference, Conflict, InvalidInput, NotFound
from gitmem.languages.index import FILES
from gitmem.memory import draft
from gitmem.memory.draft import MemoryDraft
from gitmem.model import project_key
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.patterns import checker, ranking
from gitmem.patterns import pattern as patterns
from gitmem.patterns.pattern import CodePattern
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids
from gitmem.store.memory.filters import MemoryFilter

MAX_MEMORIES = 1000


@dataclass(frozen=True, slots=True)
class StoredPattern:
    """A pattern (convention of the code) with its memory and store.

    ``rank`` and ``confidence`` are 0 to 1. ``uses`` counts how often it was read, ``last_at`` is
    when it was last read, or else changed (ms since 1970). ``state`` is active (checked), advice
    (it has no rule), waiting (no person accepted it) or loose (it does not mark what is code).
    """

    pattern: CodePattern
    memory: Memory
    database: Database
    uses: int
    last_at: int
    rank: float
    confidence: float
    state: str

    @property
    def is_active(self) -> bool:
        """Whether code is checked against the pattern."""
        return self.state == "active"


def list_visible_patterns(app: App, *, language: str = "", path: str = "") -> list[StoredPattern]:
    """The StoredPatterns of this branch and sub-project, also those that no person accepted yet.

    Given the ``language`` or ``path`` of a file, those that fit it best come first; otherwise those
    that are checked.
    """
    patterns_here = [
        _stored(app, database, memory, language, path)
        for database in app.stores()
        for memory in list_visible_memories(
            app, database, patterns.KINDS, ("active", "proposed", "suggested")
        )
    ]
    patterns_here.sort(
        key=lambda stored: (
            not stored.is_active,
            -stored.rank,
            -stored.confidence,
            stored.pattern.name,
        )
    )
    named: dict[tuple[str, str], StoredPattern] = {}
    for stored in patterns_here:
        named.setdefault(
            (stored.pattern.name, project_key.split_project_key(stored.memory.project)[1]), stored
        )
    if not (language or path):
        return list(named.values())
    return sorted(named.values(), key=lambda stored: -round(stored.rank, 2))


def list_visible_memories(
    app: App, database: Database, kinds: tuple[str, ...], states: tuple[str, ...]
) -> Sequence[Memory]:
    """At most 1,000 memories of some kinds and states, of this branch and sub-project.

    Foreign ones (imported and not yet accepted by a person) are left out.
    """
    hidden = visible_here.hidden_memories(app, database).visible_sql_condition()
    filter = MemoryFilter(
        states=states,
        kinds=kinds,
        now=app.now,
        trusted_only=True,
        extra_conditions=(*subprojects.visible_memory_sql_conditions(app, database), hidden),
    )
    return memories.select_memories(database, filter, limit=MAX_MEMORIES)


def _stored(
    app: App, database: Database, memory: Memory, language: str, path: str
) -> StoredPattern:
    pattern = patterns.pattern_of_memory(memory)
    assert pattern is not None  # of a kind that was asked for
    uses, last = memories.access_count_and_time(database, memory.id)
    at = last or memory.updated_at
    own = pattern.rule.languages[0] if pattern.rule and pattern.rule.languages else ""
    rank = ranking.rank_pattern_for_file(
        pattern_language=own or pattern.language,
        pattern_paths=pattern.files,
        use_count=uses,
        last_used_ms=at,
        now_ms=app.now,
        file_language=language,
        file_path=path,
    )
    sure = ranking.pattern_confidence_from_use(uses, at, app.now)
    return StoredPattern(pattern, memory, database, uses, at, rank, sure, _state(pattern, memory))


def _state(pattern: CodePattern, memory: Memory) -> str:
    if pattern.rule is None:
        return "advice"
    if not pattern.marked:
        return "loose"
    return "active" if patterns.is_pattern_enforced(pattern, memory) else "waiting"


def find_pattern(app: App, name_or_id: str) -> StoredPattern:
    """The StoredPattern with this name, or whose id starts with this text.

    Raises NotFound, or AmbiguousReference if several ids start with the text.
    """
    visible = list_visible_patterns(app)
    name = name_or_id.strip().lower()
    named = [stored for stored in visible if stored.pattern.name == name]
    if named:
        return named[0]
    short = name_or_id.strip().upper()
    matches = [
        stored for stored in visible if len(short) > 3 and stored.memory.id.startswith(short)
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise AmbiguousReference(
            f"{name_or_id[:40]!r} matches more than one pattern.", "Give more characters."
        )
    import difflib  # noqa: PLC0415 - only for the hint

    close = difflib.get_close_matches(name, [stored.pattern.name for stored in visible], 3)
    meant = (
        f"Did you mean {' or '.join(close)}?"
        if close
        else "`gitmem pattern list` shows the patterns."
    )
    raise NotFound(f"There is no pattern {name[:80]!r}.", meant)


def find_active_pattern(app: App, name_or_id: str) -> StoredPattern:
    """The StoredPattern with this name or beginning of an id, if code is checked against it.

    Raises NotFound, AmbiguousReference, or Conflict if it is not checked.
    """
    stored = find_pattern(app, name_or_id)
    if stored.is_active:
        return stored
    name, id = stored.pattern.name, short_pattern_id(stored)
    if stored.state == "waiting":
        raise Conflict(
            f"The pattern {name} is not checked: no person here has accepted it.",
            f"Accept it: gitmem inbox accept {id}, or gitmem trust {id}",
        )
    raise Conflict(
        f"The pattern {name} is not checked: {_WHY[stored.state]}.",
        f"Give it a rule: gitmem pattern learn --name {name} --rule '{{...}}'",
    )


_WHY = {
    "advice": "it has no rule",
    "loose": "its words do not mark what is code (with backticks)",
}


def source_memory_of_pattern(app: App, stored_pattern: StoredPattern) -> tuple[Memory, Database]:
    """(memory, store) that a pattern was learned from, else those that store the pattern."""
    for id in stored_pattern.pattern.rests_on:
        for database in app.stores():
            memory = memories.get_undamaged_memory(database, id)
            if memory is not None and memory.state == "active":
                return memory, database
    return stored_pattern.memory, stored_pattern.database


def save_pattern(app: App, pattern: CodePattern, *, tags: tuple[str, ...] = ()) -> tuple[str, str]:
    """Store a pattern, or update the one of that name; returns (id of its memory, what was done).

    The latter is added, updated, unchanged, proposed, queued or known. A person's pattern is
    checked at once, an agent's waits for a person. Raises InvalidInput for an invalid pattern and
    Conflict where an agent would change a person's.
    """
    validate_pattern(pattern)
    for stored in list_visible_patterns(app):
        # A person who states a waiting pattern makes a new one.
        own = stored.state == "waiting" and pattern.rule is not None and not is_agent(app)
        if stored.pattern.name == pattern.name and not own:
            return _update(app, stored, pattern)
    proposed = draft_memory_of_pattern(pattern, tags)
    if is_agent(app):
        reason = f"{writer_name(app)} suggests this pattern"
        return propose_imported_memory(
            app, app.store, ProposedMemory(proposed, reason, 0.7, f"pattern {pattern.name}")
        )
    limit = app.settings.number("memory.max_bytes")
    prepared = draft.prepare_memory(proposed, memory_origin(app, "project"), max_bytes=limit)
    with app.store.write():
        memory_writes.insert_memory(app.store, prepared.memory)
    return prepared.memory.id, "added"


def _update(app: App, stored: StoredPattern, pattern: CodePattern) -> tuple[str, str]:
    """Update the rule, text or examples of a pattern. Raises Conflict and InvalidInput."""
    if not may_change(app, stored.memory):
        raise Conflict(
            f"A person made the pattern {pattern.name}, so {writer_name(app)} cannot change it.",
            "Ask the person you work for, or suggest it under another name.",
        )
    limit = app.settings.number("memory.max_bytes")

    def merge_into_current(current_memory: Memory) -> Memory:
        old = patterns.pattern_of_memory(current_memory) or stored.pattern
        joined = _merge(old, pattern)
        validate_pattern(joined)
        new_draft = draft_memory_of_pattern(joined, current_memory.tags)
        made = draft.prepare_memory(
            new_draft, memory_origin(app, "project"), max_bytes=limit
        ).memory
        facts = json.loads(current_memory.metadata or "{}") | json.loads(made.metadata)
        metadata = json.dumps(facts, ensure_ascii=False, sort_keys=True)
        return replace(current_memory, content=made.content, metadata=metadata)

    with stored.database.write():
        before, after = edit_memory(
            app, stored.database, stored.memory, merge_into_current, "updated"
        )
    return stored.memory.id, "unchanged" if before == after else "updated"


def _merge(old: CodePattern, new: CodePattern) -> CodePattern:
    """The old pattern with the fields of the new one, and examples of both. Or InvalidInput."""
    return replace(
        old,
        text=new.text or old.text,
        rule=new.rule or old.rule,
        topic=new.topic or old.topic,
        language=new.language or old.language,
        examples=patterns.clean_pattern_examples("examples", (*old.examples, *new.examples)),
        anti_examples=patterns.clean_pattern_examples(
            "anti-examples", (*old.anti_examples, *new.anti_examples)
        ),
        marked=True,
    )


def draft_memory_of_pattern(pattern: CodePattern, tags: tuple[str, ...] = ()) -> MemoryDraft:
    """The MemoryDraft for a pattern; its tags are the topic and ``tags``."""
    topic = (pattern.topic,) if pattern.topic else ()
    title = pattern.text.strip().split("\n", 1)[0]
    return MemoryDraft(
        content=pattern.text,
        title=title if len(title) <= 200 else title[:199] + "…",
        kind="pattern",
        tags=tuple(dict.fromkeys((*topic, *tags))),
        metadata=pattern.as_memory_metadata,
    )


def validate_pattern(pattern: CodePattern) -> None:
    """Raise InvalidInput if a pattern's name is invalid or its examples contradict its rule."""
    if not patterns.is_valid_pattern_name(pattern.name):
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
            file = checker.prepare_source_file(place, language, text.encode(), [bare])
            if file is None or (
                (breaches := checker.find_rule_violations(bare, pattern.name, file)) and wrong
            ):
                continue
            if wrong or breaches:
                raise InvalidInput(
                    "The rule does not find the anti-example:"
                    if wrong
                    else "The rule forbids its own example:",
                    f"{text.strip()[:200]}",
                )


def resolve_language_name(name_or_alias: str) -> str:
    """The language that has this name or alias; empty stays empty. Raises InvalidInput."""
    language = languages.find_language(name_or_alias)
    if name_or_alias and not language:
        close = ", ".join(languages.similar_names(name_or_alias)) or "python, go, rust"
        raise InvalidInput(
            f"There is no language {name_or_alias[:40]!r}.", f"Did you mean {close}?"
        )
    return language


def resolve_pattern_name(app: App, name_or_id: str) -> str:
    """The name of the pattern with this id; any other text in lower case, as it may be a name."""
    name = name_or_id.strip().lower()
    visible = list_visible_patterns(app) if name else ()
    same = [stored.pattern.name for stored in visible if stored.memory.id.lower() == name]
    return same[0] if same else name


def short_pattern_id(stored_pattern: StoredPattern) -> str:
    """The shortest beginning of a pattern's id that no other memory of its store has."""
    return short_ids.shortest_unique_prefix(stored_pattern.database, stored_pattern.memory.id)
