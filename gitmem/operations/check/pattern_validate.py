"""Checking code against the patterns of its project."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.clock import durations
from gitmem.git.display import display_path
from gitmem.memory import trust
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.patterns import pattern_store, validation
from gitmem.patterns.pattern_store import StoredPattern
from gitmem.patterns.validation import PatternViolation
from gitmem.retrieval import annotate, memory_view
from gitmem.store.memory import short_ids
from gitmem.text.fence import join_lines, one_line
from gitmem.text.quantity import quantity

_WIDTH = 200


@dataclass(frozen=True, slots=True)
class ValidatePatternsRequest:
    """Arguments of `gitmem pattern validate`, which checks code against patterns.

    ``target`` are paths or one range of revisions (empty: all files). ``diff``: only uncommitted
    lines, ``staged``: only staged ones. ``pattern`` are names or ids (empty: all); ``code`` is
    checked instead of files, as ``language`` (empty: guessed).
    """

    target: Annotated[
        Texts,
        positional_arg(
            "Files and folders, or a range of revisions: main..HEAD (default: all files)",
            metavar="PATH|REV..REV",
            path_kind="path",
        ),
    ] = ()
    diff: Annotated[bool, Arg("Only lines that are not committed yet")] = False
    staged: Annotated[bool, Arg("Only lines that are staged for the next commit")] = False
    pattern: Annotated[Texts, Arg("Only this pattern, by name or id")] = ()
    code: Annotated[str, Arg("Code to check instead of files", max_stdin_mb=1)] = ""
    language: Annotated[str, Arg("The language of that code (default: the one it reads as)")] = ""
    limit: Annotated[int, shared.limit_arg(10_000)] = 200


@dataclass(frozen=True, slots=True)
class PatternViolationItem:
    """A line that violates a pattern, and the memory behind the pattern.

    ``severity`` is error or warning; ``memory`` an id, ``age`` how old that memory is, such as "3
    days", ``freshness`` fresh, moved, changed, gone, unknown or none (it cites no file).
    """

    path: str
    line: int
    pattern: str
    severity: str
    what: str
    instead: str
    memory: str
    handle: str
    title: str
    age: str
    freshness: str
    trust: str


@dataclass(frozen=True, slots=True)
class PatternViolationList:
    """The lines that violate patterns, and counts of what was checked.

    ``total`` counts all findings, before --limit, ``patterns`` the patterns checked, which for a
    piece of code are those for its language. ``skipped`` names patterns that took too long.
    """

    findings: tuple[PatternViolationItem, ...]
    total: int
    errors: int
    patterns: int
    files: int
    lines: int
    skipped: tuple[str, ...] = ()


def validate_patterns(app: App, request: ValidatePatternsRequest) -> PatternViolationList:
    """Check code against patterns.

    Each finding names its line, its pattern and the memory behind that. Code is read as a syntax
    tree: names in comments and strings do not count. For a diff or a range only added lines are
    reported. A comment `gitmem:allow NAME`, in a line or alone above it, exempts that line. The
    exit status is 1 if a rule of severity error was violated; warnings leave it 0.
    """
    checked = _patterns_to_check(app, request.pattern)
    if request.code:
        language = pattern_store.resolve_language_name(request.language)
        report = validation.check_code_against_patterns(checked, request.code, language)
    else:
        scope = validation.parse_validation_scope(
            app, request.target, changed_only=request.diff, staged_only=request.staged
        )
        report = validation.validate_scope(app, checked, scope)
    shown = report.findings[: request.limit]
    patterns = {finding.stored.memory.id: finding.stored for finding in shown}
    bases = {id: _basis(app, stored) for id, stored in patterns.items()}
    annotate.record_shown_memories(
        app, [(stored.memory, stored.database) for stored in patterns.values()]
    )
    return PatternViolationList(
        findings=tuple(_violation(finding, bases[finding.stored.memory.id]) for finding in shown),
        total=len(report.findings),
        errors=sum(_severity(finding) == "error" for finding in report.findings),
        patterns=report.concerned if request.code else len(checked),
        files=report.files,
        lines=report.lines,
        skipped=report.slow,
    )


def _patterns_to_check(app: App, names: Sequence[str]) -> list[StoredPattern]:
    """The patterns to check. Raises an error for a named one that is not active."""
    if not names:
        return [
            pattern for pattern in pattern_store.list_visible_patterns(app) if pattern.is_active
        ]
    return [pattern_store.find_active_pattern(app, name) for name in names]


def _basis(app: App, stored: StoredPattern) -> dict[str, str]:
    """The fields of a violation that describe the memory behind its pattern."""
    memory, database = pattern_store.source_memory_of_pattern(app, stored)
    fresh = annotate.freshness_by_memory_id(app, database, [memory]).get(
        memory.id, memory_view.NOWHERE
    )
    return {
        "memory": memory.id,
        "handle": short_ids.shortest_unique_prefix(database, memory.id),
        "title": memory.headline,
        "age": durations.format_duration(max(0, app.now - memory.created_at)),
        "freshness": fresh.freshness,
        "trust": memory.trust_tier,
    }


def _severity(finding: PatternViolation) -> str:
    rule = finding.stored.pattern.rule
    return rule.severity if rule else "warning"


def _violation(finding: PatternViolation, basis: dict[str, str]) -> PatternViolationItem:
    pattern = finding.stored.pattern
    instead = pattern.rule.instead if pattern.rule else ""
    named = {"pattern": pattern.name, "severity": _severity(finding), "instead": instead}
    return copy_fields(PatternViolationItem, finding, **named, **basis)


def view(result: PatternViolationList) -> str:
    """Return the text to print: a line for each finding, and one for its pattern's memory.

    The second line is left out if the finding above has the same memory.
    """
    if not result.patterns:
        return (
            "No pattern is checked here yet, or none is for that language: `gitmem pattern learn` "
            "looks for some."
        )
    lines: list[str] = []
    last = ""
    for finding in result.findings:
        use = f"; use {one_line(finding.instead, 80)}" if finding.instead else ""
        place = f"{display_path(finding.path)}:{finding.line}"
        what = one_line(finding.what, _WIDTH)
        lines.append(f"{join_lines(place)}: {finding.severity}: {what}{use}  ({finding.pattern})")
        if finding.memory != last:
            lines.append(f"    {_memory_line(finding)}")
        last = finding.memory
    rest = result.total - len(result.findings)
    lines += [f"… {rest} more: --limit {result.total}"] if rest else []
    lines += [f"Left out, since it took too long: {', '.join(result.skipped)}."] * bool(
        result.skipped
    )
    return "\n".join([*lines, _summary_line(result)])


def _memory_line(violation: PatternViolationItem) -> str:
    marks = [
        f"{violation.age} old",
        "cites no file" if violation.freshness == "none" else violation.freshness,
    ]
    marks += [mark] if (mark := trust.trust_tier_mark(violation.trust)) else []
    return f"{violation.handle}  {one_line(violation.title, _WIDTH)}  [{', '.join(marks)}]"


def _summary_line(result: PatternViolationList) -> str:
    counts = f"{quantity(result.files, 'file')} held against {quantity(result.patterns, 'pattern')}"
    if not result.total:
        return f"Nothing found: {counts}."
    return f"{result.total} found ({quantity(result.errors, 'error')}): {counts}."


VALIDATE = Operation(
    "pattern validate",
    validate_patterns,
    view,
    READ,
    "main..HEAD",
    tool="pattern_validate",
    failed_field="errors",
)
