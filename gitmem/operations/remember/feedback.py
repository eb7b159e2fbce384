"""Marking memories as useful or wrong."""

from gitmem.app import App
from gitmem.capture import feedback_marks
from gitmem.capture.feedback_marks import FeedbackMarkOutcome
from gitmem.errors import InvalidInput
from gitmem.memory.feedback import USEFUL, WRONG
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation


@dataclass(frozen=True, slots=True)
class FeedbackRequest:
    """Arguments of `gitmem feedback`: ids of memories, and if they were ``useful`` or ``wrong``."""

    id: shared.Ids
    useful: Annotated[bool, Arg("It helped: it ranks higher and lasts longer")] = False
    wrong: Annotated[
        bool, Arg("It is wrong: it is listed last, never shown unasked, and fades sooner")
    ] = False


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """What was done with each memory that was marked, and how many failed."""

    items: tuple[FeedbackMarkOutcome, ...]
    failed: int


def rate_memories(app: App, request: FeedbackRequest) -> FeedbackResult:
    """Mark memories as useful or as wrong.

    Each mark moves an average (the newest counts 0.3); `gitmem recall --explain` shows its effect
    on the order. A memory marked wrong is never among the first three answers, and is not shown
    unasked; `gitmem list` and `gitmem show` still find it, and marks as useful bring it back. An
    agent cannot mark as wrong what a person said.
    """
    if request.useful == request.wrong:
        raise InvalidInput(
            "Neither --useful nor --wrong was given, or both were.", "Give one of the two."
        )
    items = feedback_marks.save_feedback_marks(app, request.id, USEFUL if request.useful else WRONG)
    return FeedbackResult(items, sum(1 for item in items if item.error))


def view(result: FeedbackResult) -> str:
    """Return the text to print: a line for each memory and its mark."""
    return "\n".join(
        item.error
        or f"{item.action} {item.id}: useful {item.useful}, wrong {item.wrong}, "
        f"average {item.average:+.2f}"
        for item in result.items
    )


FEEDBACK = Operation("feedback", rate_memories, view, WRITE, "01M6ZK3P --useful", tool="feedback")
