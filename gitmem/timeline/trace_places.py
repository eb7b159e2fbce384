"""Finding the files, lines and functions in a trace, compiler output or list of failed tests. Pure.

For Python, Node, Go, Rust, Java, PHP, Ruby and most compilers. The innermost place comes first,
whatever the order of frames in the language.
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass

LONGEST = 40_000  # characters that are read: the first and the last half of them
MAX_FRAMES = 40
_LONGEST_LINE = 1_000
_PYTHON = re.compile(r'\bFile "([^"\n]{1,300})", line (\d{1,7})(?:, in (\S+))?')
_LINE = re.compile(
    r"""([^\s:()\[\]"'<>,;=|`]{1,300}\.[A-Za-z]\w{0,5})(?:::([\w:.]+)|[:(](\d{1,7}))"""
)
_PATH = re.compile(r"""(?<![\w./-])((?:[\w.@-]{1,80}/){1,12}[\w.@-]{1,80}\.[A-Za-z]\w{0,5})\b""")
_JAVA = re.compile(r"\bat ([\w.$]{1,200})\.[\w$<>]+\((\w+\.(?:java|kt|scala|groovy)):(\d{1,7})\)")
_NAMES = re.compile(
    r"`([\w.]{2,80})`|\b([A-Za-z_]\w{1,60})\("
    r"|\b([a-z]{1,40}[A-Z]\w{0,60}|[A-Z][a-z0-9]{1,40}[A-Z]\w{0,60}|[A-Za-z0-9]{0,40}_\w{1,60})\b"
)
_FOREIGN = re.compile(
    r"site-packages|dist-packages|/lib/python3|<frozen|node_modules|(?:^|[(])node:"
    r"|/go/src/|/pkg/mod/|/rustc/|\.cargo|/vendor/|^(?:java|javax|jdk|sun|kotlin|scala)/"
)


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A place in a stack trace: file as written, line (0: none), function or test, may be empty.

    ``foreign``: the path is that of a library.
    """

    file: str
    line: int
    name: str
    foreign: bool


def read_stack_frames(trace_text: str) -> list[StackFrame]:
    """The StackFrames that stack traces in a text name, innermost first, each once, at most 40."""
    if len(trace_text) > LONGEST:
        trace_text = f"{trace_text[: LONGEST // 2]}\n{trace_text[-LONGEST // 2 :]}"
    python, others = list[StackFrame](), list[StackFrame]()
    for line in trace_text.splitlines():
        cut = line[:_LONGEST_LINE]
        if match := _PYTHON.search(cut):
            python.append(_place(match[1], match[2], match[3] or ""))
        else:
            others += _read_line(cut)
    places = dict.fromkeys([*reversed(python), *others])
    with_lines = {place.file for place in places if place.line or place.name}
    useful = [place for place in places if place.line or place.name or place.file not in with_lines]
    return useful[:MAX_FRAMES]


def remove_library_frames(text: str) -> str:
    """A text without the stack frames of libraries and test runners and their source lines."""
    own, inside = list[str](), False
    for line in text.splitlines():
        cut = line[:_LONGEST_LINE]
        if match := _PYTHON.search(cut):
            inside = bool(_FOREIGN.search(match[1]))
        elif line.lstrip().startswith("at "):
            inside = bool(_FOREIGN.search(cut))
        else:
            inside = inside and line.startswith("    ")
        if not inside:
            own.append(line)
    return "\n".join(own)


def _read_line(line: str) -> list[StackFrame]:
    if match := _JAVA.search(line):
        folder = match[1].rpartition(".")[0].replace(".", "/")
        return [_place(f"{folder}/{match[2]}" if folder else match[2], match[3], "")]
    located = [_place(match[1], match[3] or "0", match[2] or "") for match in _LINE.finditer(line)]
    named = [_place(match[1], "0", "") for match in _PATH.finditer(line)]
    return [*located, *named]


def _place(file: str, line: str, name: str) -> StackFrame:
    plain = file.replace("\\", "/")
    function = name.rpartition("::")[2] if name else ""
    return StackFrame(plain, int(line), function.strip("<>"), bool(_FOREIGN.search(plain)))


def find_code_like_words(text: str) -> list[str]:
    """At most 40 words of a text that look like code: ``load_config``, ``send()``, in backticks."""
    matches = _NAMES.finditer(text[:LONGEST])
    words = (
        part for match in matches for part in (match[1] or match[2] or match[3]).split(".") if part
    )
    return list(dict.fromkeys(word for word in words if len(word) > 2))[:MAX_FRAMES]
