"""Learning patterns: from a person's statement, from the built-in ones, or from the repository."""

from gitmem.app import App
from gitmem.capture.provenance import is_agent
from gitmem.errors import InvalidInput, NotFound
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, unquoted_words_arg
from gitmem.patterns import built_in, learning, pattern_store, said_rule
from gitmem.patterns import pattern as patterns
from gitmem.patterns import rule as rules
from gitmem.patterns.pattern import CodePattern
from gitmem.text.fence import one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class LearnPatternsRequest:
    """Arguments of `gitmem pattern learn`: a pattern in words, or where to look for patterns.

    A pattern is a rule on how code is written. With ``text`` it is stated, with ``rule`` as JSON
    (empty: derived from the words), ``example`` and ``anti_example`` as code. Without it ``source``
    names where to look (memories, commits, code; empty: all); ``built_in`` adopts those that come
    with gitmem.
    """

    text: Annotated[
        str,
        unquoted_words_arg(
            "The pattern in a sentence: use `logger` instead of `print`", max_stdin_mb=1
        ),
    ] = ""
    name: Annotated[str, Arg("Its name, such as no-print; an existing pattern is changed")] = ""
    rule: Annotated[
        str, Arg('What is checked, as JSON: {"check": "call", "names": ["print"]}', metavar="JSON")
    ] = ""
    example: Annotated[Texts, Arg("Code as it should be")] = ()
    anti_example: Annotated[Texts, Arg("Code as it must not be")] = ()
    language: Annotated[str, Arg("The language of rule and examples")] = ""
    topic: Annotated[str, Arg("What it is about: errors, api, async, naming ...")] = ""
    built_in: Annotated[
        str, Arg("Adopt those that come with gitmem: a topic or a name", metavar="TOPIC|NAME")
    ] = ""
    source: Annotated[
        Texts,
        Arg("Where to look, if nothing is stated (default: everywhere)", choices=learning.SOURCES),
    ] = ()
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class LearnedPatternItem:
    """A pattern (a rule on how code is written), and what was done with it.

    ``action`` is added, updated, unchanged, proposed (it waits in the inbox), known or found (a dry
    run). ``rule`` is in words, empty if nothing can be checked; ``confidence`` is 0 to 1.
    """

    name: str
    id: str
    action: str
    text: str
    rule: str
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class LearnedPatterns:
    """The patterns learned, the most certain first; ``waiting`` of them wait for a person."""

    patterns: tuple[LearnedPatternItem, ...]
    waiting: int


def learn_patterns(app: App, request: LearnPatternsRequest) -> LearnedPatterns:
    """Learn patterns, or state one.

    Without words it looks for patterns in memories, commits and code. A pattern that a person
    states is checked from then on; one that gitmem finds, or that an agent states, waits in `gitmem
    inbox` until a person accepts it. A rule is never run as code: it is compared with syntax trees.
    Without --rule it is derived from the words, if they name code. Examples must pass the rule,
    anti-examples must not.
    """
    if request.built_in:
        return _result(_adopt_built_in(app, request))
    if request.text.strip() or request.rule or request.name:
        return _result([_state(app, request)])
    if request.example or request.anti_example or request.topic or request.language:
        raise InvalidInput("No pattern is given.", "Give its name, or state it in a sentence.")
    learned = learning.learn_patterns(app, request.source, dry_run=request.dry_run)
    return _result(
        [
            _item(pattern.learned.pattern, pattern.id, pattern.action, pattern.learned.reason,
                  pattern.learned.confidence)
            for pattern in learned
        ]
    )  # fmt: skip


def _result(items: list[LearnedPatternItem]) -> LearnedPatterns:
    return LearnedPatterns(tuple(items), sum(item.action == "proposed" for item in items))


def _adopt_built_in(app: App, request: LearnPatternsRequest) -> list[LearnedPatternItem]:
    patterns = built_in.find_built_in_patterns(request.built_in.strip().lower())
    if not patterns:
        raise NotFound(
            f"There is no built-in pattern or topic {request.built_in[:40]!r}.",
            f"Topics are {', '.join(built_in.TOPICS)}.",
        )
    return [_save(app, replace(pattern, origin="built-in"), request) for pattern in patterns]


def _state(app: App, request: LearnPatternsRequest) -> LearnedPatternItem:
    text = request.text.strip()
    language = pattern_store.resolve_language_name(request.language)
    rule = rules.parse_rule_json(request.rule) if request.rule else None
    if rule is None and text:
        derived = said_rule.find_stated_rule(
            text, lambda name: learning.is_name_used_in_code(app, name)
        )
        rule = derived.rule if derived else None
    if rule is not None and language and not rule.languages:
        rule = rules.rule_from_json(rules.rule_as_json(rule) | {"languages": [language]})
    existing_names = {pattern.pattern.name for pattern in pattern_store.list_visible_patterns(app)}
    name = pattern_store.resolve_pattern_name(app, request.name)
    name = name or (
        patterns.pattern_name_from_rule(rule) if rule else patterns.pattern_name_from_text(text)
    )
    if not text and name not in existing_names:
        if rule is None:
            raise InvalidInput(
                f"There is no pattern {name[:64]!r} yet.", "State it in a sentence, or give --rule."
            )
        text = rules.rule_as_sentence(rule).capitalize() + "."
    code_pattern = CodePattern(
        name=name,
        text=text,
        rule=rule,
        topic=request.topic.strip().lower(),
        language=language,
        examples=patterns.clean_pattern_examples("examples", request.example),
        anti_examples=patterns.clean_pattern_examples("anti-examples", request.anti_example),
    )
    return _save(app, code_pattern, request)


def _save(app: App, made: CodePattern, request: LearnPatternsRequest) -> LearnedPatternItem:
    pattern_store.validate_pattern(made)
    if request.dry_run:
        return _item(made, "", "found")
    id, action = pattern_store.save_pattern(app, made)
    return _item(made, id, action, "an agent states it" if is_agent(app) else "stated")


def _item(
    made: CodePattern, id: str, action: str, reason: str = "", confidence: float = 1.0
) -> LearnedPatternItem:
    rule = rules.rule_as_sentence(made.rule) if made.rule else ""
    return LearnedPatternItem(made.name, id, action, made.text, rule, reason, round(confidence, 4))


def view(result: LearnedPatterns) -> str:
    """Return the text to print: a line for each pattern, its rule and reason below it."""
    if not result.patterns:
        return "Nothing repeats often enough to be a pattern."
    lines: list[str] = []
    for pattern in result.patterns:
        lines.append(f"{pattern.action} {pattern.name}  {one_line(pattern.text, _WIDTH)}")
        lines.append(f"    {one_line(pattern.rule, _WIDTH) or 'advice only: it cannot be checked'}")
        if pattern.reason not in ("", "stated"):
            lines.append(f"    {one_line(pattern.reason, _WIDTH)} ({pattern.confidence:.2f})")
    if result.waiting:
        lines.append("gitmem inbox accept ID: check it from now on; reject ID: never suggest it")
    return "\n".join(lines)


LEARN = Operation(
    "pattern learn",
    learn_patterns,
    view,
    WRITE,
    "'Use `logger` instead of `print`.' --language python",
    tool="pattern_learn",
)
