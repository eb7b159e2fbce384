"""What one check of `gitmem doctor` says, and the guard that makes a failed check one more."""

from collections.abc import Callable, Iterator

from gitmem.app import App
from gitmem.errors import GitmemError, of_machine
from gitmem.model.frozen import dataclass

OK, NOTE, PROBLEM, FIXED = "ok", "note", "problem", "fixed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ``state`` is ok, note, problem or fixed."""

    check: str
    state: str
    message: str
    hint: str


def guarded(name: str, app: App, check: Callable[[App], Iterator[Finding]]) -> list[Finding]:
    """The findings of a check; the error that stopped it becomes one more."""
    findings = []
    try:
        for finding in check(app):
            findings.append(finding)
    except GitmemError as error:
        findings.append(Finding(name, PROBLEM, error.message, error.hint))
    except OSError as error:
        failed = of_machine(error)
        if failed is None:
            raise
        findings.append(Finding(name, PROBLEM, failed.message, failed.hint))
    return findings
