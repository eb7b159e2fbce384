"""What other tools find on the changed lines, as they say it: those installed, and SARIF files.

A stranger's repository must never make gitmem run its code. Tools are looked for on the PATH alone,
outside of the repository, and are given copies of the changed files without its configuration.
Those whose configuration is a program run in the worktree, and only if a setting names them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.files import plain_file
from gitmem.git import listing
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import ERROR, NOTE, WARNING, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.search import file_kinds
from gitmem.text.quantity import quantity
from gitmem.text.redact import redact

SECONDS = 20.0
_MAX_OUTPUT, _MAX_FINDINGS, _MAX_FILES = 8 << 20, 2_000, 400
_MAX_CHARACTERS = 300
_MAX_REPORT_BYTES = 64 << 20
_CWE = re.compile(r"cwe[-/:]?0*(\d{1,5})\b", re.IGNORECASE)
_COPIES = "files"
_LOADS = re.compile(r"(?:PYTHON|NODE_|LD_|DYLD_)")  # variables that name code to load
_KNOWN_LEVELS = {"error": ERROR, "warning": WARNING}

# (tool, rule, level, path, line, message, cwe)
LinterFinding = tuple[str, str, str, str, int, str, str]


@dataclass(frozen=True, slots=True)
class ExternalLinter:
    """A linter that gitmem can run: its command's ``arguments``, and ``rows`` to parse its output.

    ``files`` are the endings of files it reads, ``tests`` whether it checks tests too.
    ``in_place``: it runs in the worktree, so that the repository's configuration applies.
    """

    name: str
    arguments: tuple[str, ...]
    files: tuple[str, ...]
    rows: Callable[[Any], Iterator[LinterFinding]]
    in_place: bool = False
    tests: bool = True


def parse_ruff_output(output: Any) -> Iterator[LinterFinding]:
    """Yield (tool, rule, level, path, line, message, cwe) for each result in ruff's parsed JSON."""
    for result in output:
        code = str(result.get("code") or "syntax-error")
        level = ERROR if code.startswith(("E9", "syntax", "invalid")) else WARNING
        line = result["location"]["row"]
        yield "ruff", code, level, result["filename"], line, result["message"], ""


def parse_bandit_output(output: Any) -> Iterator[LinterFinding]:
    """Yield a ``LinterFinding`` tuple for each result in bandit's parsed JSON."""
    for result in output["results"]:
        level = WARNING if result["issue_severity"] == "HIGH" else NOTE
        cwe = f"CWE-{result['issue_cwe']['id']}" if result.get("issue_cwe") else ""
        place = result["filename"], result["line_number"]
        yield "bandit", result["test_id"], level, *place, result["issue_text"], cwe


def parse_eslint_output(output: Any) -> Iterator[LinterFinding]:
    """Yield a ``LinterFinding`` tuple for each message in eslint's parsed JSON."""
    for file in output:
        for message in file["messages"]:
            level = ERROR if message.get("fatal") else WARNING if message["severity"] == 2 else NOTE
            rule = message.get("ruleId") or "syntax"
            yield (
                "eslint",
                rule,
                level,
                file["filePath"],
                message.get("line") or 0,
                message["message"],
                "",
            )


def parse_sarif_log(output: Any) -> Iterator[LinterFinding]:
    """Yield a ``LinterFinding`` tuple for each result in a parsed SARIF log, of any tool."""
    for run in output["runs"]:
        driver = run["tool"]["driver"]
        rules = {
            rule.get("id"): json.dumps(rule.get("properties", {}))
            for rule in driver.get("rules", ())
        }
        for result in run.get("results") or ():
            places = result.get("locations") or [{}]
            place = places[0].get("physicalLocation") or {}
            uri = (place.get("artifactLocation") or {}).get("uri") or ""
            rule = result.get("ruleId") or (result.get("rule") or {}).get("id") or ""
            cwe = _CWE.search(f"{rules.get(rule, '')} {rule}")
            level = _KNOWN_LEVELS.get(result.get("level", "warning"), NOTE)
            line = (place.get("region") or {}).get("startLine") or 0
            text = (result.get("message") or {}).get("text") or rule
            path = unquote(uri.removeprefix("file://"))
            yield driver["name"], rule, level, path, line, text, f"CWE-{cwe[1]}" if cwe else ""


_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".vue")
TOOLS = (
    ExternalLinter(
        "ruff",
        (
            "check",
            "--isolated",
            "--no-cache",
            "--no-fix",
            "--exit-zero",
            "--force-exclude",
            "--select",
            "E9,F63,F7,F82",
            "--output-format",
            "json",
            "--",
        ),
        (".py", ".pyi"),
        parse_ruff_output,
    ),
    ExternalLinter(
        "bandit",
        ("-q", "-ll", "-ii", "-f", "json", "--exit-zero"),
        (".py",),
        parse_bandit_output,
        tests=False,
    ),
    ExternalLinter(
        "eslint",
        ("-f", "json", "--no-error-on-unmatched-pattern", "--"),
        _SCRIPTS,
        parse_eslint_output,
        in_place=True,
    ),
    ExternalLinter(
        "semgrep",
        (
            "scan",
            "--sarif",
            "--quiet",
            "--metrics=off",
            "--disable-version-check",
            "--config",
            ".semgrep.yml",
        ),
        ("",),
        parse_sarif_log,
        in_place=True,
    ),
)


def run_configured_linters(
    app: App, diff: ReviewedDiff, notes: list[str]
) -> Iterator[ReviewFinding]:
    """Run the installed linters that the settings name; yield findings on changed lines.

    A sentence on each failure is added to ``notes``.
    """
    names = {name.strip() for name in app.settings.text("review.tools").split(",")}
    root = listing.listed_files_root(app.layout)
    for tool in TOOLS:
        files = [
            file
            for file in diff.files
            if file.new is not None and file.added_ranges and file.path.endswith(tool.files)
            and is_safe_path(file.path) and (tool.tests or not file_kinds.is_test_path(file.path))
        ]  # fmt: skip
        if tool.name not in names or not files:
            continue
        program = find_program(tool.name, app.settings.environment.get("PATH", ""), root)
        if not program:
            continue
        if tool.in_place and diff.sides.new:
            notes.append(
                f"{tool.name} was not run: it reads the worktree, not a commit or the index."
            )
            continue
        if len(files) > _MAX_FILES:
            left = quantity(len(files) - _MAX_FILES, "file")
            notes.append(f"{tool.name} was not given {left}.")
        try:
            rows = _run(tool, program, root, files[:_MAX_FILES], app.settings.environment)
            yield from findings_on_changed_lines(rows, diff.files, root)
        except InvalidInput as error:
            notes.append(error.message)


def findings_in_sarif_files(
    sarif_paths: Sequence[str], diff: ReviewedDiff, root: str, notes: list[str]
) -> Iterator[ReviewFinding]:
    """Yield the findings on changed lines in the SARIF files at ``sarif_paths``.

    Paths in them may be relative to ``root``. A sentence on each unreadable file is added to
    ``notes``.
    """
    for path in sarif_paths:
        name = os.path.basename(path)
        try:
            with plain_file.open_regular_file(path) as file:
                rows = _rows(parse_sarif_log, file.read(_MAX_REPORT_BYTES), f"{name} holds")
            yield from findings_on_changed_lines(rows, diff.files, root)
        except OSError as error:
            notes.append(f"{name} cannot be read: {error.strerror or error}.")
        except (GitmemError, ValueError) as error:
            notes.append(getattr(error, "message", f"{name} cannot be read."))


def findings_on_changed_lines(
    linter_findings: Sequence[LinterFinding], files: Sequence[ReviewedFile], root: str
) -> Iterator[ReviewFinding]:
    """Yield findings for those results of a linter that are on changed lines of ``files``.

    Paths in the results are absolute or relative to ``root``, the repository.
    """
    by_path = {file.path: file for file in files}
    for tool, rule, level, place, line, text, cwe in linter_findings[:_MAX_FINDINGS]:
        path = os.path.relpath(place, root) if os.path.isabs(place) else os.path.normpath(place)
        file = by_path.get(path.replace(os.sep, "/"))
        if file is not None and file.is_added_line(line):
            shown = redact(" ".join(text.split())).text.rstrip(".")
            shown = shown if len(shown) <= _MAX_CHARACTERS else shown[: _MAX_CHARACTERS - 1] + "…"
            name = f"{tool[:40].lower()}/{rule[:80]}"
            yield ReviewFinding(name, level, file.path, line, shown, source=tool[:40], cwe=cwe)


def find_program(program_name: str, search_path: str, repository_root: str) -> str:
    """Return the path of a program, looked up in ``search_path`` (as PATH); empty if none.

    Programs inside of the repository are never returned.
    """
    inside = os.path.realpath(repository_root) + os.sep
    for folder in search_path.split(os.pathsep):
        if os.path.isabs(folder) and not (os.path.realpath(folder) + os.sep).startswith(inside):
            program = shutil.which(program_name, path=folder)
            if program and not os.path.realpath(program).startswith(inside):
                return program
    return ""


def is_safe_path(path: str) -> bool:
    """Return whether a diff's path can be written below another folder and cannot leave it."""
    parts = path.split("/")
    return not os.path.isabs(path) and not any(part in ("", ".", "..") for part in parts) and (
        "\\" not in path and "\0" not in path and ":" not in path
    )  # fmt: skip


def _run(
    tool: ExternalLinter,
    program: str,
    root: str,
    files: Sequence[ReviewedFile],
    env: Mapping[str, str],
) -> list[LinterFinding]:
    with tempfile.TemporaryDirectory(prefix="gitmem-review-", ignore_cleanup_errors=True) as made:
        folder = os.path.realpath(made)
        base = root if tool.in_place else os.path.join(folder, _COPIES)
        for file in files if not tool.in_place else ():
            place = os.path.join(base, *file.path.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as copy:
                copy.write(file.new or b"")
        # Beside the copies, not among them: a program of Python or Node may look for its modules in
        # the folder where it is started.
        begin, prefix = (root, ".") if tool.in_place else (folder, f"./{_COPIES}")
        words = [program, *tool.arguments, *(f"{prefix}/{file.path}" for file in files)]
        safe = {name: env[name] for name in env if tool.in_place or not _LOADS.match(name)}
        data = run_with_limits(words, begin, safe, os.path.join(folder, "output"), tool.name)
        return [
            (*row[:3], os.path.relpath(os.path.join(begin, row[3]), base), *row[4:])
            for row in _rows(tool.rows, data, f"{tool.name} printed")
        ]


def run_with_limits(
    command: Sequence[str], folder: str, env: Mapping[str, str], output_path: str, shown_name: str
) -> bytes:
    """Run ``command`` in ``folder`` and return what it printed on its standard output.

    The output is written to the file ``output_path``; ``shown_name`` names the program in errors.
    Raises InvalidInput if it does not start, prints more than 8 MB or runs longer than ``SECONDS``.
    """
    import subprocess  # noqa: PLC0415, TID251 - a tool of the user's, started for a review alone

    end = time.monotonic() + SECONDS
    with open(output_path, "wb") as out:
        try:
            child = subprocess.Popen(
                command, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{shown_name} could not be started: {error}.") from None
        try:
            while child.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(0.02)
                if time.monotonic() > end:
                    raise InvalidInput(f"{shown_name} did not finish within {SECONDS:g} seconds.")
                if os.fstat(out.fileno()).st_size > _MAX_OUTPUT:
                    raise InvalidInput(f"{shown_name} printed more than {_MAX_OUTPUT >> 20} MB.")
        finally:
            with suppress(OSError):
                os.killpg(child.pid, 9) if os.name == "posix" else child.kill()
            child.wait()
    with open(output_path, "rb") as read:
        return read.read(_MAX_OUTPUT)


def _rows(
    rows: Callable[[Any], Iterator[LinterFinding]], data: bytes, what: str
) -> list[LinterFinding]:
    """The rows in the output of a tool, each of the right types. Raises InvalidInput."""
    try:
        results = list(rows(json.loads(data.decode("utf-8-sig"))))
        right = all(
            all(isinstance(part, str) for part in (*row[:4], *row[5:])) and isinstance(row[4], int)
            for row in results
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        right = False
    if not right:
        raise InvalidInput(f"What {what} is not a list of findings, so it was left out.")
    return results
