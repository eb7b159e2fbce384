"""Verifying a piece of code before it is written: its imports, security and dependencies."""

import os
import shlex

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.review import code_verdict
from gitmem.review.code_verdict import CHECKS
from gitmem.text.fence import join_lines
from gitmem.text.quantity import quantity

_LONGEST = 400 << 10


@dataclass(frozen=True, slots=True)
class VerifyCodeRequest:
    """Arguments of `gitmem verify-code`: code, its file (may be empty), checks (empty: all)."""

    code: Annotated[str, positional_arg("The code", max_stdin_mb=1)]
    path: Annotated[str, Arg("The file that it is for", path_kind="path")] = ""
    checks: Annotated[Texts, Arg("Only these: imports, security, dependencies")] = ()


@dataclass(frozen=True, slots=True)
class CodeProblem:
    """Something wrong in a line of the code; ``check`` is imports, security or dependencies.

    ``severity`` is critical, high, medium or low; ``points`` are what it costs of 100.
    """

    check: str
    rule: str
    level: str
    severity: str
    points: int
    line: int
    text: str
    message: str
    cwe: str


@dataclass(frozen=True, slots=True)
class VerifyCodeResult:
    """What is wrong in a piece of code: its score from 0 to 100, and pass, warning or fail.

    ``checks`` are those that were made, none where the language is not one of those verified.
    """

    verdict: str
    score: int
    findings: tuple[CodeProblem, ...]
    checks: tuple[str, ...]
    note: str = ""


def find_code_problems(app: App, request: VerifyCodeRequest) -> VerifyCodeResult:
    """Verify a piece of code before it is written: imports, security, dependencies.

    Imports that name nothing in this repository, its manifests or the language; code that lets a
    request reach a command, SQL, a file or the like; secrets. Where it is not sure it says nothing.
    """
    for check in request.checks:
        if check not in (*CHECKS, "all"):
            raise InvalidInput(f"There is no check {check[:40]!r}.", f"Use: {', '.join(CHECKS)}.")
    if len(request.code) > _LONGEST:
        raise InvalidInput("The code is longer than 400 KB.", "Verify it in parts.")
    if "\n" not in request.code and os.path.isfile(os.path.join(app.layout.cwd, request.code)):
        name = shlex.quote(join_lines(request.code))
        hint = f"Give what is in it: gitmem verify-code --path {name} - < {name}"
        raise InvalidInput("The code is only the name of a file.", hint)
    checks = CHECKS if not request.checks or "all" in request.checks else request.checks
    findings = code_verdict.verify_code(app, request.code, request.path, checks)
    lines = request.code.split("\n")
    shown = [
        CodeProblem(
            code_verdict.check_name_of_finding(finding), finding.rule, finding.level,
            code_verdict.severity_of_finding(finding), code_verdict.penalty_of_finding(finding),
            finding.line, lines[finding.line - 1].strip()[:100] if finding.line else "",
            finding.message, finding.cwe,
        )
        for finding in findings
    ]  # fmt: skip
    is_checkable = code_verdict.is_checkable_code(request.path, request.code)
    return VerifyCodeResult(
        verdict=code_verdict.code_verdict(findings),
        score=code_verdict.score_of_findings(findings),
        findings=tuple(sorted(shown, key=lambda each: each.line)),
        checks=tuple(checks) if is_checkable else (),
        note="" if is_checkable else "Its language is not one whose imports are verified.",
    )


def view(result: VerifyCodeResult) -> str:
    """Return the text to print: the findings, and the score."""
    lines = [
        join_lines(f"{finding.line}: {finding.level}: {finding.message} ({finding.rule})")
        for finding in result.findings
    ]
    lines += [result.note] if result.note else []
    count = quantity(len(result.findings), "finding")
    lines.append(f"{result.verdict}: {result.score} of 100, {count}")
    return "\n".join(lines)


VERIFY_CODE = Operation("verify-code", find_code_problems, view, READ, "--path src/app.py -")
