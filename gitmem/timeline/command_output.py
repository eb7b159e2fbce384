"""Reading commands and their output: the line with the error, checks that passed. Pure.

Output may repeat what gitmem printed (an agent prints its notes, a test quotes them). That is
recognised by its frame, or line by line by the marks that were taken when it was printed, and does
not count.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Collection, Iterable

LONGEST = 180  # characters of an error
LONGEST_COMMAND = 120
_MOST_LINES = 400
_LONGEST_LINE = 2_000
_MARK = 9  # characters of a mark; ids of memories are longer
_SHORTEST = 16  # letters and digits of a line that is distinctive enough for a mark

# Names of errors: of languages, of the system, and numbered ones of compilers and linters.
_ERROR = (
    r"\b(?:[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic|Interrupt)|E[A-Z]{4,}"
    r"|(?:TS|CS|SQLSTATE|ORA|LNK|CVE|PGRST|E|C|F|W|BC|MSB|NU|NETSDK|SC)-?\d{3,6})\b"
)
# Names that are too common to identify an error.
_GENERIC = frozenset(
    {
        *("Error", "Exception", "Warning", "ValueError", "TypeError", "KeyError"),
        *("IndexError", "AttributeError", "NameError", "RuntimeError", "AssertionError"),
        *("ImportError", "ModuleNotFoundError", "OSError", "IOError", "SyntaxError"),
        *("FileNotFoundError", "NotImplementedError", "StopIteration", "SystemExit"),
        *("UnicodeDecodeError", "UnicodeEncodeError", "ReferenceError", "RangeError"),
        *("NullPointerException", "IllegalArgumentException", "IllegalStateException"),
        *("IndentationError", "DeprecationWarning", "UserWarning", "ENOENT", "EACCES"),
        *("CalledProcessError", "KeyboardInterrupt", "TimeoutError", "PermissionError"),
        "ConnectionError",
    }
)
_FAILED = (
    r"(?m)^(?:Traceback \(most recent call last\)"
    r"|(?:Uncaught )?(?:fatal|error|panic|FATAL|ERROR|Error)(?: ?\[\w+\])?: "
    r'|Exception in thread "|fatal error: |\s*--- FAIL: |\S+\.go:\d+:\d+: '
    r"|(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): |npm ERR! "
    r"|thread '.{0,80}'(?: \(\d+\))? panicked)"
)
# Forms of the line with the error, the best first; of several such lines the last counts.
_TELLING = (
    r"^(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Panic|Fault|Interrupt)\b",
    r"^(?:\S+:\d+(?::\d+)?:? )?(?:fatal error|fatal|error|panic|FATAL|ERROR)"
    r"(?:\[\w+\]| [A-Z]+\d+)?:",
    r"(?:npm ERR!|panicked at|FAILED )",
    rf"{_ERROR}",
    r"(?i)\b(?:error|failed|failure|cannot|no such|not found|denied|undefined)\b",
)
_FRAME = r"(?s)<<<gitmem:([A-Za-z0-9]{8,64})\b.*?(?:gitmem:\1>>>|\Z)"
_REST = r"(?s)\A.*gitmem:[A-Za-z0-9]{8,64}>>>"
_CHECKS = (
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye) run )?(?:python[\d.]* -m )?(?:pytest|tox|nox|unittest"
    r"|ruff|mypy|pyright|flake8|pylint|black --check)\b"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint|typecheck|check|t)\b"
    r"|npx (?:jest|vitest|tsc|eslint|playwright)\b|(?:jest|vitest|tsc|eslint)\b"
    r"|cargo (?:test|build|check|clippy|nextest)\b|go (?:test|build|vet)\b"
    r"|(?:make|just|ninja)(?: [\w:.-]+)*$|cmake --build\b|ctest\b"
    r"|meson test\b|bazel (?:test|build)\b"
    r"|(?:\./)?(?:gradlew?|mvnw?) .*\b(?:test|build|check|verify|package)\b"
    r"|(?:bundle exec )?(?:rspec|rake)\b|dotnet (?:test|build)\b|mix test\b|phpunit\b|swift test\b"
)
_OWN = r"(?:^|[\s;&|/(])gitmem(?:\s|$)|-m gitmem\b"
_COMMIT = (
    r"(?:^|[;&|(]\s*|\s&&\s*)(?:\w+=\S*\s+)*git\s+(?:-[cC]\s+\S+\s+|-(?![cC]\s)[\w-]+(?:=\S+)?\s+)*"
    r"commit\b"
)


def is_failure_output(output: str) -> bool:
    """Whether the output of a command looks like a failure, for instance by a traceback."""
    return re.search(_FAILED, output) is not None


def is_commit_command(command: str) -> bool:
    """Whether a command line makes a commit."""
    return "commit" in command and bool(re.search(_COMMIT, command[:_LONGEST_LINE]))


def is_gitmem_command(command: str) -> bool:
    """Whether a command line runs gitmem."""
    return "gitmem" in command and bool(re.search(_OWN, command))


def extract_test_or_build_command(command: str) -> str:
    """The first part of a command line that tests, lints or builds (``pytest -q``), or empty."""
    for part in re.split(r"&&|\|\||[;|\n]", command[:_LONGEST_LINE]):
        bare = re.sub(r"^(?:\w+=\S*\s+)+", "", part.strip())
        bare = re.sub(r"\s+\d?>.*$", "", bare).strip()
        even = bare.count('"') % 2 == 0 and bare.count("'") % 2 == 0
        if even and len(bare) <= LONGEST_COMMAND and re.match(_CHECKS, bare):
            return " ".join(bare.split())
    return ""


def error_line_of_output(output: str) -> str:
    """The line of a command's output that best says what went wrong; empty if there is none."""
    stripped = [line[:_LONGEST_LINE].strip() for line in output.splitlines()[-_MOST_LINES:]]
    lines = [line for line in stripped if line]
    for pattern in _TELLING:
        for line in reversed(lines):
            if re.search(pattern, line):
                return " ".join(line.removeprefix("E   ").split())
    return ""


def error_names_in_text(text: str) -> tuple[str, ...]:
    """The names of errors in a text, such as ``KeyError``, each once, the specific ones first."""
    names = list(dict.fromkeys(re.findall(_ERROR, text)))
    return tuple(sorted(names, key=lambda name: name in _GENERIC))


def is_generic_error(error: str) -> bool:
    """Whether an error's name is so common, such as ``ValueError``, that it identifies nothing."""
    return error in _GENERIC


def remove_gitmem_frames(text: str) -> str:
    """A text without what gitmem printed into it between its markers, even if these are cut off."""
    if "gitmem:" not in text:
        return text
    return re.sub(_REST, "", re.sub(_FRAME, "", text))


def hash_long_lines(text: str) -> tuple[str, ...]:
    """A short hash of each line that is long enough, each once, for ``remove_gitmem_lines``."""
    hashes = (_mark(line) for line in text.splitlines())
    return tuple(dict.fromkeys(mark for mark in hashes if mark))


def remove_gitmem_lines(text: str, line_hashes: Collection[str]) -> str:
    """A text without what gitmem printed between its markers, and without lines with these hashes.

    ``line_hashes`` are from ``hash_long_lines``.
    """
    text = remove_gitmem_frames(text)
    if not any(len(mark) == _MARK for mark in line_hashes):
        return text
    return "\n".join(line for line in text.splitlines() if _mark(line) not in line_hashes)


def _mark(line: str) -> str:
    """``m`` and eight hexadecimal digits; empty for a line that is too short."""
    letters = "".join(char for char in line.lower() if char.isalnum())
    if len(letters) < _SHORTEST:
        return ""
    return f"m{crc32(letters.encode('utf-8', 'replace')):08x}"


def count_shared_words(line: str, text: str, ignored_words: Iterable[str] = ()) -> int:
    """The number of words of four letters or more in both texts, but for ``ignored_words``."""
    passed = {name.lower() for name in ignored_words}
    words = {word for word in re.findall(r"[a-z_][\w]{3,}", line.lower()) if word not in passed}
    return len(words & set(re.findall(r"[a-z_][\w]{3,}", text.lower())))


def last_line_naming_error(text: str, error_name: str) -> str:
    """The last line of a text that contains ``error_name``; empty if none does."""
    naming = [line for line in text.splitlines() if error_name in line]
    return naming[-1][:_LONGEST_LINE] if naming else ""
