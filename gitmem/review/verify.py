"""Verifying the changed lines: imports, dependencies, secrets, security, and other tools."""

from gitmem.app import App
from gitmem.model.review_finding import ReviewFinding
from gitmem.review.reviewed_diff import ReviewedDiff


def verify(
    app: App,  # noqa: ARG001 - what verifies is not here yet
    diff: ReviewedDiff,  # noqa: ARG001 - as above
) -> tuple[tuple[ReviewFinding, ...], tuple[str, ...]]:
    """The findings on the changed lines, and sentences on what could not be checked."""
    return (), ()
