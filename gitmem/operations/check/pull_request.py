"""Summing up a pull request in Markdown: its review, and what its commits decide."""

import os

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.review import pull_request, pull_request_markdown, sarif
from gitmem.review.pull_request import PullRequestReport

_LARGEST = 1 << 20  # bytes of a saved result


@dataclass(frozen=True, slots=True)
class PullRequestRequest:
    """Arguments of `gitmem pr`: a pull request by its revisions, or a saved result, to summarise.

    ``revisions`` is BASE..HEAD or BASE (empty: the main branch, and HEAD). ``saved`` is a file of
    JSON that the command wrote, ``link`` an address to link to. ``sarif``: as SARIF 2.1.0 instead.
    """

    revisions: Annotated[
        str,
        positional_arg(
            "Its base and its head; default: the main branch, and HEAD", metavar="BASE..HEAD|BASE"
        ),
    ] = ""
    saved: Annotated[
        str,
        Arg(
            "Sum up what --json wrote elsewhere; nothing in it is believed",
            metavar="FILE",
            mcp=False,
        ),
    ] = ""
    link: Annotated[str, Arg("The address of the report to link to", metavar="URL")] = ""
    strict: Annotated[bool, Arg("Exit with 1 if there is a finding")] = False
    sarif: Annotated[bool, Arg("As SARIF 2.1.0, for code hosts and editors")] = False


def summarize_pull_request(app: App, request: PullRequestRequest) -> PullRequestReport:
    """Sum up a pull request in Markdown, for a job's summary or a comment.

    What speaks against its diff since it left the base, as `gitmem review` finds it; memories and
    decisions that cite changed lines or no longer hold; decisions that its commits propose; what
    depends on it, and its tests. Texts of the repository are quoted as code: nothing in them is
    Markdown, a mention or a command.
    """
    if request.saved and request.revisions:
        raise InvalidInput(
            "--saved cannot be combined with revisions.", "Leave out one of the two."
        )
    if request.saved:
        found = _read(os.path.join(app.start, request.saved))
    else:
        found = pull_request.assess_pull_request(app, request.revisions)
    failed = len(found.review.findings) if request.strict else 0
    return replace(found, failed=failed, link=request.link)


def _read(path: str) -> PullRequestReport:
    """The pull request in a file, whose every field has the right type. Raises InvalidInput."""
    from gitmem.review import saved_result  # noqa: PLC0415 - with --saved only

    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise InvalidInput(
            f"{path!r} cannot be read: {error.strerror}.",
            "Give the file that `gitmem pr --json` wrote.",
        ) from error
    if len(data) > _LARGEST:
        raise InvalidInput(
            f"{path!r} is larger than a megabyte, so it was not read.",
            "Give the file that `gitmem pr --json` wrote.",
        )
    try:
        return saved_result.parse_saved_result(PullRequestReport, data)
    except ValueError as error:
        raise InvalidInput(
            "The saved file is not a result of `gitmem pr`.", "Write one: gitmem pr --json > FILE"
        ) from error


def view(result: PullRequestReport) -> str:
    """Return the summary of the pull request as Markdown text."""
    return pull_request_markdown.pull_request_as_markdown(result)


def _as_sarif(result: PullRequestReport, _width: int) -> str:
    review = result.review
    return sarif.findings_as_sarif((*review.findings, *review.context), review.notes)


PULL_REQUEST = Operation(
    "pr", summarize_pull_request, view, READ, "main..HEAD", drawings={"sarif": _as_sarif}
)
