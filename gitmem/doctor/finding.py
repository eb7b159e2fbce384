"""The finding of a check of `gitmem doctor`, and the guard that turns an error into a finding."""

from collections.abc import Callable, Iterator

from gitmem.app import App
from gitmem.errors import GitmemError, unavailable_from_os_error
from gitmem.model.frozen import dataclass

OK, NOTE, PROBLEM, FIXED = "ok", "note", "problem", "fixed"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """The result of a check of `gitmem doctor`: ``state`` is ok, note, problem or fixed.

    ``hint`` says what to do, or is empty.
    """

    check: str
    state: str
    message: str
    hint: str


def run_check_guarded(
    check_name: str, app: App, check: Callable[[App], Iterator[CheckFinding]]
) -> list[CheckFinding]:
    """Run a check; returns its findings. An error that stops it becomes one, of ``check_name``."""
    findings = []
    try:
        for finding in check(app):
            findings.append(finding)
    except GitmemError as error:
        findings.append(CheckFinding(check_name, PROBLEM, error.message, error.hint))
    except OSError as error:
        failed = unavailable_from_os_error(error)
        if failed is None:
            raise
        findings.append(CheckFinding(check_name, PROBLEM, failed.message, failed.hint))
    return findings
