"""Reviewing a diff before it is committed or merged."""

from gitmem.app import App
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, given
from gitmem.review import review as reviews
from gitmem.review import reviewed_diff
from gitmem.review.review import Review
from gitmem.text.fence import one_line, whole_line
from gitmem.text.quantity import quantity

_WIDTH = 240


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A request to review a diff: its revisions, or none for local changes."""

    revisions: Annotated[
        str,
        given(
            "Two revisions (main...feature), or one to compare the worktree with; default: HEAD",
            metavar="REV..REV|REV",
        ),
    ] = ""
    staged: Annotated[bool, Arg("Only what is staged for the next commit")] = False
    explain: Annotated[bool, Arg("Show how the risk is made up", mcp=False)] = False


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The review of a diff, and whether ``failed`` findings make the command fail."""

    review: Review
    explain: bool
    failed: int


def review(app: App, request: ReviewRequest) -> Reviewed:
    """Review a diff: what the project has decided and learned that speaks against it.

    Findings come first, each with its evidence; then what is worth knowing.
    """
    diff = reviewed_diff.read(app, request.revisions, staged=request.staged)
    return Reviewed(reviews.review(app, diff), request.explain, 0)


def view(result: Reviewed) -> str:
    """The findings first, then the memories that cite the changed lines."""
    lines = []
    for finding in result.review.findings:
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        lines.append(whole_line(f"{place}: {finding.level}: {finding.message}  ({finding.rule})"))
    if result.review.memories:
        lines.append("Memories that cite what changes:")
    for memory in result.review.memories:
        lines.append(f"  {memory.handle}  {memory.kind:<10} {one_line(memory.title, _WIDTH)}")
        lines.append(f"      {whole_line(f'{memory.cited}: {memory.why}')}")
    lines += [f"note: {whole_line(note)}" for note in result.review.notes]
    lines.append(f"{quantity(len(result.review.findings), 'finding')}: {_size(result.review)}.")
    return "\n".join(lines)


def _size(review: Review) -> str:
    return f"{quantity(review.files, 'file')}, {quantity(review.lines, 'new line')}"


REVIEW = Operation("review", review, view, WRITE, "main...HEAD", tool="review")
