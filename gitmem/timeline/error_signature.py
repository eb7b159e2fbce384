"""The signature by which an error is recognised when it returns: name, message, place. Pure.

Read from traces, panics and compiler errors of Python, Node, Go, Rust and Java, else from the line
that says best what went wrong. The place is a function of the project, or a file: line numbers
move, and frames of libraries change with their versions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from gitmem.model.frozen import dataclass
from gitmem.text.digest import sha256
from gitmem.timeline import command_output

TAG = "error-"
LONGEST = 40_000  # characters of an output that are read: the first and the last half of them
_MOST_LINES = 1_000
_LONGEST_LINE = 2_000

_NAME = r"(?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*"
_OF_ERROR = r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Fault|Timeout|Refused|Failed|Err)"
_SURELY = rf"(?:Uncaught )?((?:[A-Za-z_$][\w$]*\.)*\w*{_OF_ERROR}\w*)(?: \[\w+\])?(?:: (.*))?$"
_LOCATED = r"(?P<file>(?:[A-Za-z]:)?[^\s:()\[\]]+?\.\w{1,6})[:(\[]+\d+(?:[:,]\d+)*[)\]]?"
# Frames: the function, then the file.
_PYTHON_FRAME = r'^\s*File "(?P<file>[^"]+)", line \d+(?:, in (?P<name>.+))?$'
_NODE_FRAME = (
    r"^\s*at (?:async )?(?:new )?(?:(?P<name>[^()]+?) (?:\[as [^\]]+\] )?\()?(?P<file>[^()]+?)"
    r":\d+:\d+\)?(?: \{)?$"
)
_JAVA_FRAME = r"^\s*at (?:[\w.@-]+/+)*(?P<name>[\w.$<>/]+)\((?P<file>[^():]*)(?::\d+)?\)"
_JAVA_RAISED = r"((?:[\w$]+\.)+[A-Z][\w$]*)(?:: (.*))?$"
_JAVA_BEGIN = rf'(?:Caused by: |Exception in thread ".*?" |^\s*|\s){_JAVA_RAISED}'
_GO_FRAME = r"^(?P<name>[\w./*()\[\]-]+?\.[\w.*()\[\]-]+)\((?:[^()]*)\)$"
_FOREIGN = (
    r"site-packages|dist-packages|/lib/python3|<frozen|node_modules|^node:|<anonymous>$"
    r"|/go/src/|/pkg/mod/|^(?:runtime|testing|panic|reflect|net/http|sync)\b"
    r"|^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|springframework|apache"
    r"|gradle|hibernate|eclipse|mockito)|com\.fasterxml|com\.zaxxer|io\.netty|reactor|feign)\."
)
LONGEST_TEXT = 300
# Applied in this order: longer and more certain forms first.
_RULES = (
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"[\u2018\u2019`]", "'"),
    (r"[\u201c\u201d]", '"'),
    # Times and ids.
    (
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
        r"|\b\d{4}/\d\d/\d\d(?: \d\d:\d\d:\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
        "<time>",
    ),
    (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
    (r"\b0[xX][0-9a-fA-F]+\b", "<address>"),
    (r"@[0-9a-f]{5,16}\b", "@<address>"),
    # An address on the net; its port stays, since it identifies the service.
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\[::1?\]|::1?(?=:\d)|\blocalhost\b(?=:\d)", "<host>"),
    # A path with its line; the name of the file stays.
    (
        r"(?:file://|(?<![\w.<>)/\\])[A-Za-z]:|(?<![\w.<>)\\/:]))(?:[\\/]{1,2}[\w.@+~$-]+)*[\\/]{1,2}"
        r"([\w.@+~$-]+)",
        r"\1",
    ),
    (r"(\.\w{1,6})(?::\d+){1,2}\b|(\.\w{1,6})(?:\(\d+(?:,\d+)?\)|:?\[\d+,\d+\])", r"\1\2"),
    (r"\btmp\w{4,}", "<temporary>"),
    # Versions, then other numbers.
    (
        r"\bv?\d+\.\d+(?:\.\d+)+(?:[-+.]?(?:alpha|beta|rc|dev|post|snapshot|[ab])[\w.]*)?",
        "<version>",
    ),
    (r"(?i)([@=<>^~]|\bversion |\bpython|\bv)\d+(?:\.\d+)+\b", r"\1<version>"),
    (r"\b\d+(?:\.\d+)?(?: ?(?:ns|[u\u00b5]s|ms|s|sec|seconds?|m|min))\b", "<n>"),
    (r"\b(?=\w*[a-f])(?=(?:\w*\d){2})[0-9a-f]{7,64}\b", "<id>"),
    (r"\b(?=(?:[a-z_]*\d){3})(?=[0-9_]*[a-z])[a-z0-9]{8,}\b", "<id>"),
)
# The text before numbers that identify an error.
_TELLING = (
    r"(?i)(?:\b(?:status|code|errno|error|exit|http|signal)\W{0,3}(?:(?:code|status|value)\W{0,3})?"
    r"|\[errno )$"
)
_NUMBER = r"(?<![\w.])[+-]?\d+(?:[.,]\d+)*(?!\w)"
_EPHEMERAL = 32_768


@dataclass(frozen=True, slots=True)
class ErrorSignature:
    """What identifies an error when it returns: ``name``, ``message`` and ``place``.

    The message is without variable parts; the place is a function or the name of a file, or empty.
    """

    name: str
    message: str
    place: str = ""

    @property
    def name_and_message_hash(self) -> str:
        """Ten hexadecimal digits: a hash of the error's name and message."""
        return _digest(self.name, self.message)

    @property
    def hash_with_location(self) -> str:
        """Ten hexadecimal digits: a hash of the error's name, message and place."""
        return _digest(self.name, self.message, self.place)

    @property
    def memory_tag(self) -> str:
        """The tag of memories about errors with this name and message: ``error-`` and a hash."""
        return TAG + self.name_and_message_hash

    @property
    def as_line(self) -> str:
        """The error as ``name: message``."""
        return ": ".join(part for part in (self.name, self.message) if part)

    def may_be_raised_in(self, file_or_function: str) -> bool:
        """Whether ``file_or_function`` is the place of this error, as far as both are known.

        The other error is taken to have the same name and message.
        """
        return not self.place or not file_or_function or self.place == file_or_function


def read_error_signature(output: str) -> ErrorSignature | None:
    """The ErrorSignature of the error in a command's output; None if there seems to be none."""
    lines = _lines(output)
    for reader in (_rust, _go, _python, _java, _node, _compiler):
        signature = reader(lines)
        if signature is not None:
            return signature
    return _other(lines)


def find_error_line(output: str, signature: ErrorSignature | None) -> str:
    """The line with the message of a signature, else its name and message; empty for None."""
    if signature is None:
        return ""
    for line in _lines(output):
        if signature.message and signature.message in normalise_error_text(line):
            return line.strip()
    return signature.as_line


def signature_of_error_line(line: str) -> ErrorSignature:
    """The ErrorSignature of a line that is known to be an error message; its place is empty."""
    names = command_output.error_names_in_text(line)
    return _signature(names[0] if names else "", line)


def _lines(output: str) -> list[str]:
    if len(output) > LONGEST:
        output = f"{output[: LONGEST // 2]}\n{output[-LONGEST // 2 :]}"
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output)
    if "Exception Group Traceback" in plain:
        plain = re.sub(r"(?m)^ *(?:[|+] ?)", "", plain)
    lines = [line[:_LONGEST_LINE].rstrip() for line in plain.splitlines()]
    half = _MOST_LINES // 2
    return lines if len(lines) <= _MOST_LINES else lines[:half] + lines[-half:]


def _signature(name: str, message: str, place: str = "") -> ErrorSignature:
    return ErrorSignature(name.strip()[:120], normalise_error_text(message), place[:200])


def _python(lines: list[str]) -> ErrorSignature | None:
    begin = _last(lines, r"^(?:\s*[+|] )*\s*Traceback \(most recent call last\):$")
    if begin is None:
        return _pytest(lines)
    frames: list[tuple[str, str]] = []
    for line in lines[begin + 1 :]:
        frame = re.match(_PYTHON_FRAME, line)
        if frame:
            frames.append((frame["name"] or "", frame["file"]))
        elif line and not line[0].isspace():
            raised = re.match(rf"({_NAME}|\w[\w.]*)(?:: (.*))?$", line)
            if raised:
                return _signature_of_frames(raised[1], raised[2] or "", frames[::-1])
            return None
    return None


def _pytest(lines: list[str]) -> ErrorSignature | None:
    at = _last(lines, rf"^E\s+{_SURELY}")
    if at is None:
        begin = _last(lines, r"^E\s+assert ")
        place = _last(lines, r"^_{3,} .+ _{3,}$")
        if begin is None:
            return None
        return _signature("AssertionError", lines[begin][1:].strip(), _test_name(lines, place))
    match = re.match(rf"^E\s+{_SURELY}", lines[at])
    assert match is not None
    place = _last(lines[:at], r"^_{3,} .+ _{3,}$")
    return _signature(_last_name(match[1]), match[2] or "", _test_name(lines, place))


def _test_name(lines: list[str], at: int | None) -> str:
    return "" if at is None else lines[at].strip("_ ")


def _node(lines: list[str]) -> ErrorSignature | None:
    at = _first(lines, rf"^\s*{_SURELY}", before=_NODE_FRAME)
    if at is None:
        return None
    match = re.match(rf"^\s*{_SURELY}", lines[at])
    assert match is not None
    frames = [
        (frame["name"] or "", frame["file"]) for frame in _frames(lines[at + 1 :], _NODE_FRAME)
    ]
    return _signature_of_frames(match[1], match[2] or "", frames)


def _java(lines: list[str]) -> ErrorSignature | None:
    if _first(lines, r"^\s*at [\w.$/<>@-]+\([\w.$ ]*(?:\.(?:java|kt|scala)|Source|Method)") is None:
        return None
    cause = _last(lines, rf"^\s*Caused by: {_JAVA_RAISED}")
    at = _first(lines, _JAVA_BEGIN, before=_JAVA_FRAME) if cause is None else cause
    match = None if at is None else re.search(_JAVA_BEGIN, lines[at])
    if at is None or match is None:
        return None
    frames = [(frame["name"], "") for frame in _frames(lines[at + 1 :], _JAVA_FRAME)]
    return _signature_of_frames(match[1], match[2] or "", frames)


def _frames(lines: list[str], pattern: str) -> list[re.Match[str]]:
    matches = (re.match(pattern, line) for line in lines)
    first = dropwhile(lambda match: match is None, matches)
    return [match for match in takewhile(bool, first) if match]


def _go(lines: list[str]) -> ErrorSignature | None:
    at = _first(lines, r"^(?:panic|fatal error): ")
    if at is None:
        return _failing_test(lines)
    name, _, message = lines[at].partition(": ")
    message = re.sub(r" \[recovered.*$", "", message)
    message = re.sub(r"^\*?([\w./]+)\{.*\}$", r"\1", message)
    frames = [(m["name"], "") for m in (re.match(_GO_FRAME, line) for line in lines[at + 1 :]) if m]
    return _signature_of_frames(name, message, frames)


def _failing_test(lines: list[str]) -> ErrorSignature | None:
    at = _last(lines, r"^\s*--- FAIL: \S+")
    if at is None:
        return None
    test = lines[at].split("FAIL: ")[1].split(" ")[0]
    message = re.sub(r"^\s*\S+\.go:\d+: ", "", " ".join(lines[at + 1 : at + 2]))
    return _signature("FAIL", message, test)


def _rust(lines: list[str]) -> ErrorSignature | None:
    at = _last(lines, r"^thread '.*' (?:\(\d+\) )?panicked at ")
    if at is None:
        return None
    old = re.search(r"panicked at '(.*)', ([^\s']+?):\d+(?::\d+)?$", lines[at])
    new = re.search(r"panicked at ([^\s']+?):\d+(?::\d+)?:?$", lines[at])
    if old:
        message, file = old[1], old[2]
    else:
        message, file = " ".join(lines[at + 1 : at + 2]), new[1] if new else ""
    place = "" if re.search(r"/rustc/|\.cargo", file) else base_name_of_any_path(file)
    return _signature("panic", message, place)


def _compiler(lines: list[str]) -> ErrorSignature | None:
    """``error[E0382]: ...``, ``a.ts(1,2): error TS2345: ...``, ``main.go:3:4: undefined: x``."""
    for number, line in enumerate(lines):
        rust = re.match(r"error\[(E\d+)\]: (.*)$", line)
        if rust:
            arrow = " ".join(lines[number + 1 : number + 2])
            file = re.search(r"--> (.+?):\d+:\d+", arrow)
            return _signature(rust[1], rust[2], base_name_of_any_path(file[1]) if file else "")
        match = re.match(
            rf"^(?:\[ERROR\] )?{_LOCATED}:?(?: -)? (?:(?:fatal )?error:?\s*)?"
            r"(?P<code>[A-Z]+\d+)?:? ?(?P<said>.+)$",
            line,
        )
        if match and ("error" in line.lower() or re.match(r"\S+\.go:", line)):
            return _signature(
                match["code"] or "error", match["said"], base_name_of_any_path(match["file"])
            )
    return None


def _other(lines: list[str]) -> ErrorSignature | None:
    npm = _last(lines, r"^npm (?:ERR!|error) code \w+$")
    if npm is not None:
        message = re.sub(r"^npm (?:ERR!|error) ", "", "".join(lines[npm + 1 : npm + 2]))
        return _signature(lines[npm].rpartition(" ")[2], message)
    race = _last(lines, r"^WARNING: DATA RACE$")
    if race is not None:
        frames = [re.match(r"\s+(\S+)\(\)$", line) for line in lines[race + 1 :]]
        return _signature_of_frames("DATA RACE", "", [(frame[1], "") for frame in frames if frame])
    line = command_output.error_line_of_output("\n".join(lines))
    if not line:
        return None
    match = re.match(_SURELY, line)
    if match:
        return _signature(_last_name(match[1]), match[2] or "")
    return signature_of_error_line(line)


def _signature_of_frames(name: str, message: str, frames: list[tuple[str, str]]) -> ErrorSignature:
    return _signature(
        _last_name(name), message, raising_function_or_file(frames, skip_libraries=bool(message))
    )


def _last_name(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else name


def _last(lines: list[str], pattern: str) -> int | None:
    numbers = [number for number, line in enumerate(lines) if re.search(pattern, line)]
    return numbers[-1] if numbers else None


def _first(lines: list[str], pattern: str, before: str = "") -> int | None:
    """The first line with a pattern, followed by one with ``before`` within a few lines."""
    for number, line in enumerate(lines):
        if re.search(pattern, line) and (
            not before or any(re.match(before, line) for line in lines[number + 1 : number + 12])
        ):
            return number
    return None


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:10]


def raising_function_or_file(frames: Sequence[tuple[str, str]], *, skip_libraries: bool) -> str:
    """The function where an error was raised, else the file's name; empty if unknown.

    ``frames`` are pairs (function, file), the innermost first; either may be empty. Those of
    libraries are skipped or, without ``skip_libraries``, used if there are no others.
    """
    own = [frame for frame in frames if not any(re.search(_FOREIGN, part) for part in frame)]
    candidates = own if own or skip_libraries else frames
    places = (_function(function) or base_name_of_any_path(file) for function, file in candidates)
    return next((place for place in places if place), "")


def _function(name: str) -> str:
    """A function's name without a compiler's numbers and without the path of its package."""
    name = re.sub(r"::h[0-9a-f]{16}$|\$\$Lambda.*|0x[0-9a-f]+", "", name.strip())
    name = re.sub(r"(?:\$|\bfunc|/)\d+(?=\.|$|\$)", "", name)
    if name.endswith((">", "Module._compile")):  # <module>, <genexpr>, Object.<anonymous>
        return ""
    return re.sub(r"@v?\d[\w.-]*", "", name.rpartition("/")[2])


def base_name_of_any_path(path: str) -> str:
    """The last part of a path whose folders are separated by ``/`` or a backslash."""
    return path.replace("\\", "/").rpartition("/")[2]


def normalise_error_text(text: str) -> str:
    """The part of an error message that is the same each time; at most 300 characters.

    Paths lose their folders; lines, addresses, versions, times and ids become placeholders. Names,
    codes, ports and status numbers stay.
    """
    stable = text[: 4 * LONGEST_TEXT]
    for pattern, instead in _RULES:
        stable = re.sub(pattern, instead, stable)
    stable = re.sub(_NUMBER, _number, stable)
    return " ".join(stable.split())[:LONGEST_TEXT]


def _number(match: re.Match[str]) -> str:
    before = match.string[: match.start()]
    if re.search(_TELLING, before[-24:]):
        return match[0]
    if before.endswith(("<host>:", "port ")) and match[0].isdigit():
        return match[0] if int(match[0]) < _EPHEMERAL else "<n>"
    return "<n>"
