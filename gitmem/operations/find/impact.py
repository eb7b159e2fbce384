"""The impact of a change: what depends on it, tests, memories, history, and the risk."""

from gitmem.app import App
from gitmem.code_relations.by_name import UnknownUses
from gitmem.impact import assessment
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.text.fence import one_line
from gitmem.timeline.co_change import CoChangedFile

MOST_MEMORIES = 10
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class ChangeImpactRequest:
    """Arguments of `gitmem impact`: a path, name or A..B, most steps of dependence."""

    target: Annotated[
        str,
        positional_arg(
            "Path, name (Config.load) or two revisions (main..HEAD)", metavar="FILE|SYMBOL|REV..REV"
        ),
    ]
    depth: Annotated[int, Arg("So many steps from user to user", minimum=1, maximum=10)] = 3
    limit: shared.Limit = 30


@dataclass(frozen=True, slots=True)
class ImpactedFile:
    """A file that depends on the target, in how many steps, and by which path of the code graph.

    ``score`` (0 to 1) also counts how often the file changed in the same commits as the target;
    ``evidence`` is the evidence for the last step of the path.
    """

    path: str
    depth: int
    confidence: float
    score: float
    test: bool
    way: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class ChangeRisk:
    """The risk of a change, from 0 to 100; ``level`` is low, medium, high or unknown.

    ``level`` is unknown instead of low if there may be hidden uses, none if a diff changes no
    definition, and "" if only tests are shown.
    """

    score: int
    level: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImpactAnswer:
    """What a change of the target affects. ``kind`` is file, symbol or diff.

    ``likely`` are the files to look at first, by dependence and history together. ``total``,
    ``total_tests`` and ``total_names`` count all, before --limit. ``unknown`` counts possible uses
    that could not be resolved; ``note`` says what the answer lacks.
    """

    target: str
    kind: str
    names: tuple[str, ...]
    risk: ChangeRisk
    files: tuple[ImpactedFile, ...]
    total: int
    tests: tuple[str, ...]
    together: tuple[CoChangedFile, ...]
    likely: tuple[str, ...]
    decisions: tuple[MemoryItem, ...]
    memories: tuple[MemoryItem, ...]
    note: str
    unknown: UnknownUses
    total_names: int
    total_tests: int


def predict_change_impact(app: App, request: ChangeImpactRequest) -> ImpactAnswer:
    """Show what depends on a file, a name or a diff.

    Files, tests, decisions and memories that a change of it concerns, and the risk with its
    reasons: from the code graph, up to --depth steps away, and from the files that changed in the
    same commits.
    """
    assessed = assessment.assess_impact(app, request.target, request.depth)
    items = annotate.make_memory_items(app, list(assessed.memories[:MOST_MEMORIES]))
    nothing = assessed.kind == "diff" and not (assessed.names or assessed.dependants)
    level = "none" if nothing and assessed.risk.level == "low" else assessed.risk.level
    return copy_fields(
        ImpactAnswer,
        assessed,
        target=assessed.target,
        names=assessed.names[: request.limit],
        risk=ChangeRisk(assessed.risk.score, level, assessed.risk.reasons),
        files=_files(assessed, request.limit),
        total=len(assessed.dependants),
        tests=assessed.tests[: request.limit],
        decisions=tuple(item for item in items if item.kind == "decision"),
        memories=tuple(item for item in items if item.kind != "decision"),
        total_names=len(assessed.names),
        total_tests=len(assessed.tests),
    )


def _files(assessed: assessment.ImpactAssessment, limit: int) -> tuple[ImpactedFile, ...]:
    scores = dict(assessed.scores)
    return tuple(
        copy_fields(
            ImpactedFile, file, score=scores.get(file.path, 0.0), test=file.path in assessed.tests
        )
        for file in assessed.dependants[:limit]
    )


def view(result: ImpactAnswer) -> str:
    """Return the text to print: the risk, dependants by distance, tests, history, memories."""
    only_tests = not result.risk.level
    lines = [one_line(f"{result.target}: {_risk(result)}", _WIDTH)]
    reasons = [reason for reason in result.risk.reasons if reason not in result.note]
    lines += [f"  {one_line(reason, 2 * _WIDTH)}" for reason in reasons]
    lines += [result.note] if result.note else []
    if result.kind == "diff" and result.risk.level != "none":
        lines.append("Changes:" if result.names else "Changes no definition.")
        lines += [f"  {one_line(name, _WIDTH)}" for name in result.names]
        lines += _more(result.total_names - len(result.names))
    if result.likely:
        lines.append("Look at first (by dependence and history):")
    lines += [f"  {one_line(path, _WIDTH)}" for path in result.likely]
    if result.files:
        lines.append(f"{'Tests' if only_tests else 'Dependants'} ({result.total}):")
    for file in result.files:
        test = " (test)" if file.test and not only_tests else ""
        lines.append(
            f"  {one_line(f'{file.depth} {file.confidence:.2f} {file.path}{test}', _WIDTH)}"
        )
        if file.depth > 1:
            lines.append("         " + one_line(f"{' <- '.join(file.way[:-1])}", 2 * _WIDTH))
    lines += _more(result.total - len(result.files))
    if result.together:
        lines.append("Changed together (commits, share):")
    lines += [
        "  " + one_line(f"{file.commits:>5} {file.share:>4.0%} {file.path}", _WIDTH)
        for file in result.together
    ]
    for title, items in (("Decisions", result.decisions), ("Memories", result.memories)):
        if items:
            lines += ["", f"{title}:", *(memory_view.format_memory(item, 0) for item in items)]
    return "\n".join(lines)


def _risk(result: ImpactAnswer) -> str:
    """The risk in a few words; no number if it is unknown."""
    risk = result.risk
    if risk.level in ("", "none"):
        return "no definition changes" if risk.level else "tests"
    least = "at least " if result.unknown else ""
    score = f" ({least}{risk.score})" if risk.score or not least else ""
    return f"risk {risk.level}{score}"


def _more(left: int) -> list[str]:
    return [f"  and {left} more; --limit shows them"] if left > 0 else []


IMPACT = Operation(
    "impact", predict_change_impact, view, READ, "src/config.py", tool="impact", shows_times=True
)
