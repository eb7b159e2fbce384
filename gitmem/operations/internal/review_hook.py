"""The review of a git hook: one process reviews, the other waits for it a moment and goes."""

import os
import time

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import history
from gitmem.git.display import display_path
from gitmem.git.runner import run_git
from gitmem.githooks import review_note
from gitmem.githooks.shims import REVIEWS
from gitmem.maintenance import detached
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, WRITE, Annotated, Operation, positional_arg
from gitmem.text.quantity import quantity

_SECONDS, _PAUSE = 0.7, 0.02  # git waits a second at most, with the start of Python
_SHOWN = 5
_LATER = "The review goes on; the next gitmem command says what it finds."


@dataclass(frozen=True, slots=True)
class HookReviewRequest:
    """Arguments of the review that a git hook asks for: ``event`` is pre-commit or pre-push."""

    event: Annotated[str, positional_arg("Which hook asks", choices=REVIEWS)] = REVIEWS[0]


@dataclass(frozen=True, slots=True)
class BackgroundReviewRequest:
    """Arguments of the review that runs in the background: ``revisions`` is A..B or A...B."""

    revisions: Annotated[str, positional_arg("What to review", metavar="REV..REV")]


@dataclass(frozen=True, slots=True)
class HookReviewLines:
    """The lines that a git hook prints about a review; empty if there is nothing to say."""

    lines: tuple[str, ...]


def review_for_hook(app: App, request: HookReviewRequest) -> HookReviewLines:
    """Review what is to be committed or pushed, for a git hook.

    The result has the lines for the hook to print: the findings, or that the review goes on.
    """
    if not app.has_store or not app.settings.number("hooks.enabled"):
        return HookReviewLines(())
    app.refuse_tracked_store()
    earlier = review_note.take_review_note(app) or ()
    try:
        revisions = _staged(app) if request.event == REVIEWS[0] else _unpushed(app)
    except GitmemError as error:
        return HookReviewLines((*earlier, f"Not reviewed: {error.as_sentences()}"))
    if not revisions:
        return HookReviewLines(earlier)
    detached.start_background_command(app, "review-work", revisions)
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        lines = review_note.take_review_note(app)
        if lines is not None:
            return HookReviewLines(tuple(dict.fromkeys((*earlier, *lines))))
        time.sleep(_PAUSE)
    return HookReviewLines((*earlier, _LATER))


def _staged(app: App) -> str:
    """HEAD and a commit of what is staged, to which nothing points; empty before the first.

    The index may be a temporary one, which is gone when the commit is made.
    """
    head = app.git_head.commit
    if not head:
        return ""
    cwd, index = app.layout.cwd, app.settings.environment.get("GIT_INDEX_FILE", "")
    tree = run_git(["write-tree"], cwd=cwd, index_file=os.path.join(cwd, index) if index else "")
    commit_id = run_git(
        ["commit-tree", "-p", head, "-m", "for gitmem review", tree.decode().strip()],
        cwd=cwd,
        config=(("user.name", "gitmem"), ("user.email", "gitmem@localhost")),
    )
    return f"{head}..{commit_id.decode().strip()}"


def _unpushed(app: App) -> str:
    """What would be pushed; empty where it is not known where to."""
    for name in ("@{push}", "@{upstream}", "origin/HEAD"):
        if base := history.resolve_commit(app.layout.cwd, name):
            return f"{base}...{app.git_head.commit}"
    return ""


def review_in_background(app: App, request: BackgroundReviewRequest) -> HookReviewLines:
    """Review a range of commits, and write the findings to a note that the next hook prints.

    The result has the same lines.
    """
    app.refuse_tracked_store()
    try:
        lines = _lines(app, request.revisions)
    except GitmemError as error:
        lines = (f"Not reviewed: {error.as_sentences()}",)
    review_note.write_review_note(app, lines)
    return HookReviewLines(lines)


def _lines(app: App, revisions: str) -> tuple[str, ...]:
    from gitmem.review import review, reviewed_diff  # noqa: PLC0415 - the other process waits

    findings = review.review_diff(app, reviewed_diff.read_git_diff(app, revisions)).findings
    lines = [
        f"{display_path(finding.path)}:{finding.line}: {finding.message}. "
        f"({finding.rule}; id {finding.id})"
        for finding in findings[:_SHOWN]
    ]
    if findings:
        many = quantity(len(findings), "finding")
        lines.append(f"The review has {many} and stopped nothing: gitmem review HEAD~1..HEAD")
    return tuple(lines)


def view(result: HookReviewLines) -> str:
    """Return the text to print: the lines, each after ``gitmem:``; empty if there are none."""
    return "\n".join(f"gitmem: {line}" for line in result.lines)


HOOK = Operation("review-hook", review_for_hook, view, READ)

WORK = Operation("review-work", review_in_background, view, WRITE)
