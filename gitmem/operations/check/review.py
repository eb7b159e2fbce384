"""Reviewing a diff before it is committed or merged, and setting findings aside."""

import os
from collections.abc import Iterator

from gitmem.app import App
from gitmem.capture.provenance import writer_name
from gitmem.errors import InvalidInput, NotFound
from gitmem.git.display import display_path
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.review import review as reviews
from gitmem.review import reviewed_diff, sarif
from gitmem.review.finding import ReviewFindingItem
from gitmem.review.reach import TestsForDiff
from gitmem.review.review import ReviewResult
from gitmem.review.reviewed_diff import ReviewedDiff
from gitmem.store.memory import review_acceptances
from gitmem.store.memory.review_acceptances import AcceptedReviewFinding
from gitmem.text.fence import join_lines, one_line
from gitmem.text.quantity import quantity

_WIDTH = 120
_SHOWN = 8  # lines of a list in the text
_LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Arguments of `gitmem review`: the diff to review, or a finding to set aside.

    The diff is ``revisions`` (A...B, or one to compare the worktree with; empty: HEAD), what is
    ``staged``, the patch in ``diff``, or ``code`` meant for ``file``. ``accept`` is the id of a
    finding or a rule to set aside because of ``why``, ``withdraw`` undoes it. ``report`` are SARIF
    files of other tools.
    """

    revisions: Annotated[
        str,
        positional_arg(
            "Two revisions (main...feature), or one to compare the worktree with; default: HEAD",
            metavar="REV..REV|REV",
        ),
    ] = ""
    staged: Annotated[bool, Arg("Only what is staged for the next commit")] = False
    diff: Annotated[
        str | None, Arg("A patch to review instead", metavar="PATCH", max_stdin_mb=64, raw=True)
    ] = None
    code: Annotated[str, Arg("Code to review instead, before it is written", cli=False)] = ""
    file: Annotated[str, Arg("The file that the code is for", cli=False, path_kind="path")] = ""
    accept: Annotated[
        str, Arg("Set aside a finding by its id, or a rule everywhere", metavar="ID|RULE")
    ] = ""
    why: Annotated[str, Arg("Why it is set aside", metavar="TEXT")] = ""
    withdraw: Annotated[
        str, Arg("Count again what was set aside", metavar="ID|RULE", mcp=False)
    ] = ""
    report: Annotated[
        Texts, Arg("SARIF files of other tools, to show what they find too", mcp=False)
    ] = ()
    strict: Annotated[bool, Arg("Exit with 1 if there is a finding", mcp=False)] = False
    explain: Annotated[bool, Arg("Show how the risk is made up", mcp=False)] = False
    sarif: Annotated[bool, Arg("As SARIF 2.1.0, for code hosts and editors", mcp=False)] = False


def review_changes(app: App, request: ReviewRequest) -> ReviewResult:
    """Review a diff: what was decided or learned that speaks against it.

    Findings first: decisions and patterns that it contradicts, fixes that it undoes, removed names
    that are still imported, functions that exist already, files that are missing; imports that name
    nothing, secrets, insecure code. Then what is worth knowing: memories that cite changed lines,
    tests, coverage, what depends on it. Without revisions: uncommitted changes. Nothing of it fails
    the command, except with --strict.
    """
    if request.diff is not None and (request.revisions or request.staged):
        raise InvalidInput(
            "--diff cannot be combined with revisions or --staged.", "Leave out one of them."
        )
    action = _withdraw(app, request.withdraw.strip()) if request.withdraw else ""
    diff = _diff(app, request)
    reports = [os.path.join(app.start, path) for path in request.report]
    result = reviews.review_diff(app, diff, sarif_paths=reports)
    if request.accept:
        action = _accept(app, result, request.accept.strip(), request.why.strip())
        result = reviews.review_diff(app, diff, sarif_paths=reports)
    failed = len(result.findings) if request.strict else 0
    return replace(result, failed=failed, explain=request.explain, action=action)


def _diff(app: App, request: ReviewRequest) -> ReviewedDiff:
    if request.code:
        if not request.file:
            raise InvalidInput(
                "The code was given without the file it belongs to.",
                "Name the file: file=src/app.py.",
            )
        return reviewed_diff.diff_of_code(app, request.code, request.file)
    if request.diff is not None:
        return reviewed_diff.diff_of_patch(app, request.diff.encode("utf-8", "surrogateescape"))
    return reviewed_diff.read_git_diff(app, request.revisions, staged=request.staged)


def _accept(app: App, result: ReviewResult, key: str, why: str) -> str:
    """Set aside a finding or a rule, and say so."""
    if not why:
        raise InvalidInput(
            "No reason was given for setting the finding aside.", 'Add: --why "TEXT"'
        )
    if len(why) > _LONGEST_REASON:
        raise InvalidInput(
            f"The reason is longer than {_LONGEST_REASON} characters.", "Shorten it."
        )
    known = (*result.findings, *result.context, *(each.finding for each in result.set_aside))
    finding = next((each for each in known if each.id == key), None)
    if finding is None and not any(each.rule == key for each in known):
        raise NotFound(
            f"This review has no finding with the id, and none of the rule, {key[:80]!r}.",
            "`gitmem review` shows the ids; give the same revisions with --accept.",
        )
    rule, path = (finding.rule, finding.path) if finding else (key, "")
    with app.store.write():
        review_acceptances.accept_review_finding(
            app.store, AcceptedReviewFinding(key, rule, path, why, writer_name(app), app.now)
        )
    return f"set aside {key}, until the code changes" if finding else f"set aside {key}"


def _withdraw(app: App, key: str) -> str:
    with app.store.write():
        if review_acceptances.withdraw_review_acceptance(app.store, key):
            return f"counts again: {key}"
    raise NotFound(
        f"No finding or rule {key[:80]!r} was set aside.",
        "Give the id of the finding or the name of the rule that you gave to --accept.",
    )


# --- what is shown ------------------------------------------------------------------------------


def view(result: ReviewResult) -> str:
    """Return the text to print: the findings, then what is worth knowing, and the verdict."""
    lines = [f"{result.action}."] if result.action else []
    lines += [line for finding in result.findings for line in _finding_lines(finding)]
    lines += _memory_lines(result)
    lines += _some([_note(finding) for finding in result.context], "Worth knowing:")
    lines += _test_lines(result.tests)
    lines += _some(
        [f"{each.depth} {display_path(each.path)}" for each in result.dependents if not each.test],
        f"Depend on what changes ({result.dependents_total}):",
    )
    for aside in result.set_aside:
        who = aside.agent or "a person"
        reason = f"{aside.finding.rule} by its {aside.by}: {aside.why}"
        lines.append(f"set aside by {one_line(who, 40)}: {one_line(reason, _WIDTH)}")
    lines += [f"note: {join_lines(note)}" for note in result.notes]
    if result.explain:
        lines += [f"  {part.points:>3}  {part.name}: {part.why}" for part in result.parts]
    if not result.files and result.notes:
        return "\n".join([*lines, "Nothing was reviewed."])
    size = f"{quantity(result.files, 'file')}, {quantity(result.lines, 'new line')}"
    many = quantity(len(result.findings), "finding") if result.findings else "Nothing found"
    lines.append(f"{many}: {size}; risk {result.risk} ({result.verdict}).")
    return "\n".join(lines)


def _place(finding: ReviewFindingItem) -> str:
    path = display_path(finding.path)
    return f"{path}:{finding.line}" if finding.line else path


def _finding_lines(finding: ReviewFindingItem) -> Iterator[str]:
    marks = [finding.rule, finding.cwe, "" if finding.source == "gitmem" else finding.source]
    sentence = f"{_place(finding)}: {finding.level}: {finding.message}."
    yield join_lines(f"{sentence}  ({', '.join(filter(None, marks))}; id {finding.id})")


def _note(finding: ReviewFindingItem) -> str:
    return join_lines(f"{_place(finding)}: {finding.message}.")


def _memory_lines(result: ReviewResult) -> list[str]:
    lines = ["Memories that cite what changes:"] if result.memories else []
    last = ""
    for memory in result.memories:
        if memory.id != last:
            head = f"{memory.handle}  {memory.kind:<10} {one_line(memory.title, _WIDTH)}"
            lines.append(f"  {head}")
        lines.append(f"      {join_lines(f'{memory.cited}: {memory.why}')}")
        last = memory.id
    return lines


def _some(texts: list[str], title: str) -> list[str]:
    """A title and the first lines of a list."""
    more = [f"  and {len(texts) - _SHOWN} more (--json)"] if len(texts) > _SHOWN else []
    return [title, *(f"  {text}" for text in texts[:_SHOWN]), *more] if texts else []


def _test_lines(tests: TestsForDiff) -> list[str]:
    used = f" ({', '.join(tests.frameworks)})" if tests.frameworks else ""
    lines = _some([*map(display_path, tests.related)], f"Tests of what changes{used}:")
    return [*lines, f"  run: {join_lines(tests.command)}"] if lines and tests.command else lines


def _as_sarif(result: ReviewResult, _width: int) -> str:
    return sarif.findings_as_sarif((*result.findings, *result.context), result.notes)


REVIEW = Operation(
    "review",
    review_changes,
    view,
    WRITE,
    "main...HEAD",
    tool="review",
    everyday=("staged", "diff", "accept", "why", "explain"),
    drawings={"sarif": _as_sarif},
)
