"""How many changed lines tests cover, by a report of coverage in the worktree.

Read are coverage.py's XML and JSON, lcov, Cobertura, JaCoCo, and Go's profiles, by their content. A
report is somebody's file: it is read within bounds, and its XML with no entity of its own.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from xml.parsers import expat

from gitmem.app import App
from gitmem.clock import durations
from gitmem.git import listing
from gitmem.git.display import display_path
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import NOTE, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedDiff
from gitmem.text.quantity import quantity

NAMES = (
    *("coverage.xml", "coverage.json", "lcov.info", "coverage/lcov.info", "cobertura.xml"),
    *("coverage/cobertura-coverage.xml", "cobertura-coverage.xml", "coverage.out", "cover.out"),
    *("c.out", "coverage.txt", "jacoco.xml", "target/site/jacoco/jacoco.xml"),
    *("build/reports/jacoco/test/jacocoTestReport.xml", "coverage/coverage.xml"),
)
_MAX_BYTES = 32 << 20
_MAX_LINE_NUMBER = 10_000_000
_GO = re.compile(r"^(.+):(\d{1,8})\.\d+,(\d{1,8})\.\d+ \d+ (\d+)$")

# File as the report names it -> line -> whether a test ran it.
Lines = dict[str, dict[int, bool]]


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """How many of a file's changed lines can run in tests (``lines``) and did (``covered``).

    ``missing`` are the numbers of the others, as text such as 3-5, 9.
    """

    path: str
    lines: int
    covered: int
    missing: str


@dataclass(frozen=True, slots=True)
class DiffCoverage:
    """How many of a diff's changed lines tests run, by the coverage report at path ``report``.

    ``lines`` are those that can run and ``covered`` those that did, in all ``files``; ``age`` is
    the report's age in words, ``note`` a warning if it is older than a file.
    """

    report: str
    age: str
    lines: int
    covered: int
    files: tuple[FileCoverage, ...]
    note: str = ""


class UnreadableReport(ValueError):
    """A coverage report cannot be read; the message gives the reason in a few words."""


def find_diff_coverage(app: App, diff: ReviewedDiff) -> tuple[DiffCoverage | None, tuple[str, ...]]:
    """Return the test coverage of a diff by the newest readable report, and notes on others.

    The coverage is None if there is no such report in the worktree.
    """
    root = app.layout.worktree
    notes: list[str] = []
    for name, at in _reports(root) if root else ():
        data = listing.read_worktree_file(root or "", name, _MAX_BYTES)
        if data is None or len(data) > _MAX_BYTES:
            notes.append(f"{name} is larger than {_MAX_BYTES >> 20} MB, so no coverage was read.")
            continue
        try:
            lines = parse_coverage_report(data)
        except UnreadableReport as error:
            notes.append(f"{name} could not be read as a report of coverage: {error}.")
            continue
        return _of_diff(diff, name, lines, app.now - at, _later(root or "", diff, at)), (*notes,)
    return None, tuple(notes)


def findings_on_coverage(coverage: DiffCoverage) -> Iterator[ReviewFinding]:
    """Return a note on each file with changed lines that no test runs."""
    for file in coverage.files:
        if file.covered < file.lines:
            message = (
                f"{coverage.report} says that tests run {file.covered} of {file.lines} changed "
                f"lines, and not {file.missing}"
            )
            yield ReviewFinding("test/uncovered", NOTE, file.path, 0, message)


def _reports(root: str) -> list[tuple[str, int]]:
    reports = []
    for name in NAMES:
        try:
            reports.append((name, int(os.lstat(os.path.join(root, name)).st_mtime * 1000)))
        except OSError:
            continue
    return sorted(reports, key=lambda pair: -pair[1])


def _later(root: str, diff: ReviewedDiff, at: int) -> bool:
    """Whether a changed file was written after the report."""
    for file in diff.files if not diff.sides.new else ():
        try:
            if os.lstat(os.path.join(root, file.path)).st_mtime * 1000 > at:
                return True
        except (OSError, ValueError):
            continue
    return False


def _of_diff(diff: ReviewedDiff, name: str, lines: Lines, age: int, later: bool) -> DiffCoverage:
    files = []
    for file in diff.files:
        ran_by_line = _lines_of(lines, file.path) if file.added_ranges else {}
        counted = {n: ran for n, ran in ran_by_line.items() if file.is_added_line(n)}
        if counted:
            missing = _ranges(sorted(number for number, ran in counted.items() if not ran))
            covered = sum(counted.values())
            files.append(FileCoverage(file.path, len(counted), covered, missing))
    note = "It is older than some of the changed files: lines may have moved." if later else ""
    return DiffCoverage(
        display_path(name),
        durations.format_duration(max(0, age)),
        sum(file.lines for file in files),
        sum(file.covered for file in files),
        tuple(files),
        note,
    )


def _lines_of(lines: Lines, path: str) -> Mapping[int, bool]:
    """The lines of a file, which the report may name from another folder; none if unclear."""
    if path in lines:
        return lines[path]
    alike = [
        name for name in lines if name.endswith(f"/{path}") or (name and path.endswith(f"/{name}"))
    ]
    return lines[alike[0]] if len(alike) == 1 else {}


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in parts]
    rest = f" and {quantity(len(texts) - 8, 'more place')}" if len(texts) > 8 else ""
    return ", ".join(texts[:8]) + rest


# --- the formats --------------------------------------------------------------------------------


def parse_coverage_report(data: bytes) -> Lines:
    """Return path -> line number -> whether it ran, from a report of any known format.

    These are Cobertura and JaCoCo XML, coverage.py's JSON, lcov and Go's. Raises UnreadableReport.
    """
    start = data[:4096].decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if start.startswith("<"):
        return _xml(data)
    text = data.decode("utf-8", "replace")
    if start.startswith("{"):
        return _coverage_json(text)
    if start.startswith("mode:"):
        return _go(text)
    if re.search(r"^SF:", start, re.MULTILINE):
        return _lcov(text)
    raise UnreadableReport("its format is unknown")


def _xml(data: bytes) -> Lines:
    """Cobertura's XML, which coverage.py writes too, and JaCoCo's."""
    lines: Lines = {}
    current: dict[int, bool] = {}
    package = ""

    def start_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal current, package
        if name == "package":
            package = attributes.get("name", "")
        elif name == "class" and "filename" in attributes:
            current = lines.setdefault(attributes["filename"].replace("\\", "/"), {})
        elif name == "sourcefile":
            current = lines.setdefault(f"{package}/{attributes.get('name', '')}".lstrip("/"), {})
        elif name == "line" and "number" in attributes:
            _note(current, attributes["number"], attributes.get("hits", "0") != "0")
        elif name == "line" and "nr" in attributes:
            _note(current, attributes["nr"], attributes.get("ci", "0") != "0")

    def refuse_entity(*_: object) -> None:
        raise UnreadableReport("it declares an entity of its own")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start_element
    parser.EntityDeclHandler = refuse_entity
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, UnicodeError, LookupError) as error:
        raise UnreadableReport(f"it is not valid XML ({error})") from error
    return _known(lines)


def _coverage_json(text: str) -> Lines:
    try:
        files = json.loads(text)["files"]
        lines: Lines = {}
        for path, counts in files.items():
            own = lines.setdefault(str(path).replace("\\", "/"), {})
            for key, ran in (("missing_lines", False), ("executed_lines", True)):
                for number in counts[key]:
                    _note(own, str(number), ran)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableReport("it is no JSON of coverage.py") from error
    return _known(lines)


def _lcov(text: str) -> Lines:
    lines: Lines = {}
    current: dict[int, bool] = {}
    for line in text.splitlines():
        if line.startswith("SF:"):
            current = lines.setdefault(line[3:].strip().replace("\\", "/"), {})
        elif line.startswith("DA:"):
            number, _, hits = line[3:].partition(",")
            _note(current, number, hits.partition(",")[0].strip() not in ("0", ""))
    return _known(lines)


def _go(text: str) -> Lines:
    lines: Lines = {}
    for line in text.splitlines()[1:]:
        match = _GO.match(line)
        if match and int(match[3]) - int(match[2]) < 10_000:
            own = lines.setdefault(match[1], {})
            for number in range(int(match[2]), int(match[3]) + 1):
                own[number] = own.get(number, False) or match[4] != "0"
    return _known(lines)


def _note(lines: dict[int, bool], number: str, ran: bool) -> None:
    """Note a line; of several entries for one line any run counts."""
    if number.isascii() and number.isdigit() and len(number) < 9 and int(number) < _MAX_LINE_NUMBER:
        lines[int(number)] = lines.get(int(number), False) or ran


def _known(lines: Lines) -> Lines:
    if not any(lines.values()):
        raise UnreadableReport("it names no line")
    return lines
