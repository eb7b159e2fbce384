"""Listing patterns, and showing one in full."""

from gitmem.app import App
from gitmem.clock import durations, format_iso
from gitmem.memory import trust
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.patterns import pattern_store
from gitmem.patterns import rule as rules
from gitmem.patterns.pattern_store import StoredPattern
from gitmem.retrieval import annotate
from gitmem.text.fence import make_printable, one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class ListPatternsRequest:
    """Arguments of `gitmem pattern list`, which lists rules on how this project writes code.

    Patterns of ``language`` or for ``file`` come first, only those about ``topic`` are listed
    (empty: any). ``active``: only those that are checked.
    """

    language: Annotated[str, Arg("Those of this language first")] = ""
    file: Annotated[str, Arg("Those that fit this file first", path_kind="path")] = ""
    topic: Annotated[str, Arg("Only those about this: errors, api, async, naming ...")] = ""
    active: Annotated[bool, Arg("Only those that `gitmem pattern validate` checks")] = False
    limit: shared.Limit = 50


@dataclass(frozen=True, slots=True)
class ShowPatternRequest:
    """Arguments of `gitmem pattern show`: ``name`` is the name or id of the pattern to show."""

    name: Annotated[str, positional_arg("Its name or id")]


@dataclass(frozen=True, slots=True)
class PatternItem:
    """A pattern, a rule on how code is written, in a list. ``rank`` and ``confidence`` are 0 to 1.

    ``state`` is active (it is checked), advice (it has no rule), waiting (until a person accepts
    it) or loose (it is not checked since code in its words is not in backquotes). ``rule`` is in
    words, empty for advice; ``examples`` and ``anti_examples`` are numbers of examples. ``origin``
    is where the pattern comes from: said, memories, commits, code or built-in; ``trust`` is that of
    its memory. ``code`` is the first example, ``paths`` are the files that it is about.
    """

    name: str
    id: str
    handle: str
    title: str
    text: str
    rule: str
    state: str
    topic: str
    language: str
    origin: str
    trust: str
    examples: int
    anti_examples: int
    uses: int
    created_at: str
    rank: float
    confidence: float
    code: str
    paths: tuple[str, ...]
    last_used_at: str | None


@dataclass(frozen=True, slots=True)
class PatternList:
    """The patterns, active ones first, then by rank; ``total`` counts all, before --limit."""

    patterns: tuple[PatternItem, ...]
    total: int


@dataclass(frozen=True, slots=True)
class PatternDetails:
    """A pattern in full. ``rule`` is the rule as JSON values, empty for advice.

    ``rests_on`` is the id of the pattern's memory, ``age`` how old that memory is, ``freshness``
    whether the code that it cites has changed.
    """

    pattern: PatternItem
    rule: dict[str, object]
    examples: tuple[str, ...]
    anti_examples: tuple[str, ...]
    rests_on: str
    title: str
    age: str
    freshness: str
    commits: tuple[str, ...]


def list_patterns(app: App, request: ListPatternsRequest) -> PatternList:
    """List how this project writes code.

    Patterns are memories of the kinds pattern and convention; those for a given language or file
    come first. A pattern that a person stated or accepted is checked if it names code; the rest is
    advice.
    """
    language = pattern_store.resolve_language_name(request.language)
    patterns = [
        pattern
        for pattern in pattern_store.list_visible_patterns(
            app, language=language, path=request.file
        )
        if (pattern.is_active or not request.active)
        and request.topic in ("", pattern.pattern.topic, *pattern.memory.tags)
    ]
    shown = tuple(_item(pattern) for pattern in patterns[: request.limit])
    return PatternList(shown, len(patterns))


def show_pattern(app: App, request: ShowPatternRequest) -> PatternDetails:
    """Show a pattern in full, with its examples.

    Also its rule, its anti-examples, and the memory or the commits behind it.
    """
    stored = pattern_store.find_pattern(app, request.name)
    memory, database = pattern_store.source_memory_of_pattern(app, stored)
    fresh = annotate.freshness_by_memory_id(app, database, [memory]).get(memory.id)
    annotate.record_shown_memories(app, [(stored.memory, stored.database)])
    pattern = stored.pattern
    return PatternDetails(
        pattern=_item(stored),
        rule={} if pattern.rule is None else rules.rule_as_json(pattern.rule),
        examples=pattern.examples,
        anti_examples=pattern.anti_examples,
        rests_on=memory.id,
        title=memory.headline,
        age=durations.format_duration(max(0, app.now - memory.created_at)),
        freshness=fresh.freshness if fresh else "none",
        commits=pattern.commits,
    )


def _item(stored: StoredPattern) -> PatternItem:
    pattern, memory = stored.pattern, stored.memory
    languages = pattern.rule.languages if pattern.rule else ()
    return copy_fields(
        PatternItem,
        pattern,
        id=memory.id,
        handle=pattern_store.short_pattern_id(stored),
        title=pattern.title or memory.headline,
        text=pattern.text or memory.headline,
        rule=rules.rule_as_sentence(pattern.rule) if pattern.rule else "",
        state=stored.state,
        language=pattern.language or (languages[0] if languages else ""),
        trust=memory.trust_tier,
        examples=len(pattern.examples),
        anti_examples=len(pattern.anti_examples),
        uses=stored.uses,
        created_at=format_iso(memory.created_at),
        rank=round(stored.rank, 4),
        confidence=round(stored.confidence, 4),
        code=pattern.examples[0] if pattern.examples else "",
        paths=stored.pattern.files,
        last_used_at=format_iso(stored.last_at) if stored.uses else None,
    )


def view_list(result: PatternList) -> str:
    """Return the text to print: a line for each pattern, its rule below it."""
    if not result.patterns:
        return "There are no patterns yet: `gitmem pattern learn` looks for some."
    lines = [line for pattern in result.patterns for line in _lines(pattern)]
    rest = result.total - len(result.patterns)
    return "\n".join([*lines, *([f"… {rest} more: --limit {result.total}"] if rest else [])])


def _lines(item: PatternItem) -> list[str]:
    marks = [item.state] if item.state != "active" else []
    marks += [mark] if (mark := trust.trust_tier_mark(item.trust)) else []
    suffix = f"  [{', '.join(marks)}]" if marks else ""
    head = f"{item.handle}  {item.name}  {one_line(item.text, _WIDTH)}{suffix}"
    return [head, *([f"    {one_line(item.rule, _WIDTH)}"] if item.rule else [])]


def view_pattern(result: PatternDetails) -> str:
    """Return the text to print: everything about a pattern, its examples last."""
    import json  # noqa: PLC0415 - only to show a rule

    pattern = result.pattern
    fresh = "cites no file" if result.freshness == "none" else result.freshness
    rows = [
        *_lines(pattern),
        f"    confidence {pattern.confidence:.2f}, origin: {pattern.origin}"
        + (f", topic: {pattern.topic}" if pattern.topic else ""),
        f"    rests on {result.rests_on}, {result.age} old, {fresh}: "
        + one_line(result.title, _WIDTH),
        *([f"    seen in {', '.join(id[:10] for id in result.commits)}"] if result.commits else []),
        *([f"    rule: {json.dumps(result.rule, ensure_ascii=False)}"] if result.rule else []),
    ]
    for word, texts in (("Like this", result.examples), ("Not like this", result.anti_examples)):
        for text in texts:
            rows += [f"{word}:", *(f"    {line}" for line in make_printable(text).split("\n"))]
    return "\n".join(rows)


LIST = Operation(
    "pattern list", list_patterns, view_list, READ, "--file src/app.py", tool="pattern_list"
)
SHOW = Operation("pattern show", show_pattern, view_pattern, READ, "no-print", tool="pattern_show")
