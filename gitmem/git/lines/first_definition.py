"""Finding the commit that introduced a definition, by its first line, across file moves."""

from __future__ import annotations

import os
import re

from gitmem.errors import Unavailable
from gitmem.git.display import decode_path, encode_path
from gitmem.git.lines.line_history import GRACE, SECONDS, read_until_deadline
from gitmem.git.runner import call_git, stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

_MOVES = 5
_SCRIPTS = (".cjs", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx")
_OTHER = "[^[:alnum:]_]"
# Before the name in a definition: words, types, modifiers. Before a call: one of these.
_BEFORE = re.compile(r"\s*(?:[\w$][\w$\s<>\[\],.:*&?~]*|func \([^()]*\) ?)$")
_AFTER = r"(?=\s*[(<\[={:;]|\s+(?:extends|implements|interface|struct|where)\b)"
_NO_HEAD = re.compile(
    r"\b(?:assert|await|case|defer|delete|else|except|from|go|import|include|new|package|print|raise"
    r"|return|throw|throws|typeof|use|using|yield)\b"
)


def definition_search_pattern(definition_line: str, name: str) -> str:
    """A regular expression, for git, that finds a definition by its name and the word before it.

    ``definition_line`` is its first line, such as ``def load(path):``, ``name`` is ``load``: other
    words of the line may change.
    """
    before = definition_line[: definition_line.find(name)]
    words = before.split()
    space = "[[:space:]]+" if words and before[-1:].isspace() else ""
    start = f"{_literal(words[-1])}{space}" if words else "^[[:space:]]*"
    return f"{start}{_literal(name)}({_OTHER}|$)"


def _literal(text: str) -> str:
    return re.sub(r"([][\\.{}()*+?^$|])", r"\\\1", text)


def first_commit_of_definition(
    cwd: str, path: str, definition_line: str, name: str, *, timeout: float = SECONDS
) -> tuple[str, bool]:
    """The id of the commit that introduced a definition, and whether git finished in time.

    ``definition_line`` is its first line as it is now; ``timeout`` is in seconds of CPU. Followed
    are moves from another file, and first lines that were rewritten (``const`` for ``function``).
    The id is empty where the line is in no commit, or more than once in the file in HEAD, or came
    with a merge.
    """
    at, oldest, pattern = "HEAD", "", definition_search_pattern(definition_line, name)
    try:
        if _count(cwd, at, path, pattern) != 1:
            return "", True
        for _ in range(_MOVES):
            commits, complete = _holding(cwd, at, path, pattern, timeout)
            if not complete:
                return "", False
            if not commits:
                break
            oldest, *parents = commits[-1].split()
            if len(parents) > 1:
                return "", True
            at = f"{oldest}^"
            former_paths = _files(cwd, at, path, pattern) - _files(cwd, oldest, path, pattern)
            if former_paths:
                path = min(former_paths)
            elif before := _rewritten(cwd, oldest, path, name):
                pattern = definition_search_pattern(before, name)
            else:
                break
    except Unavailable:
        return "", False
    return oldest, True


def _rewritten(cwd: str, commit: str, path: str, name: str) -> str:
    """The earlier first line of a definition that a commit rewrote; "" where it is new."""
    args = ["diff-tree", "-p", "-U0", "--no-renames", "--no-color", "--no-ext-diff"]
    args += ["--no-textconv", "--end-of-options", f"{commit}^", commit, "--"]
    done = call_git([*args, os.fsdecode(encode_path(path))], cwd=cwd, timeout=GRACE)
    body = done.out.decode("utf-8", "replace").partition("\n@@")[2] if done.status == 0 else ""
    removed = (line[1:] for line in body.split("\n") if line.startswith("-"))
    return next(filter(make_definition_predicate(name), removed), "")


def make_definition_predicate(name: str) -> Callable[[str], bool]:
    """Return a function that tells whether a line is the first line of a definition of ``name``."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$]){_AFTER}")

    def starts_definition(line: str) -> bool:
        at = word.search(line)
        before = line[: at.start()] if at else ""
        return bool(_BEFORE.match(before)) and not _NO_HEAD.search(before)

    return starts_definition


def _holding(cwd: str, at: str, path: str, pattern: str, timeout: float) -> tuple[list[str], bool]:
    """The commits, with their parents, that changed how often a pattern occurs in a file.

    The newest first, merges included, since one may combine changes of two branches.
    """
    args = ["log", "--format=%H %P", "--full-history", "-m", "--no-renames", "-O/dev/null"]
    args += ["--no-show-signature", "--no-color"]
    args += ["--no-ext-diff", "--no-textconv", "--pickaxe-regex", f"-S{pattern}"]
    args += ["--end-of-options", at, "--", os.fsdecode(encode_path(path))]
    chunks, complete = read_until_deadline(
        stream_git(args, cwd=cwd, timeout=timeout, grace_factor=GRACE)
    )
    return b"".join(chunks).decode("ascii", "replace").splitlines(), complete


def _count(cwd: str, at: str, path: str, pattern: str) -> int:
    args = ["grep", "-E", "-h", "-e", pattern, at, "--", os.fsdecode(encode_path(path))]
    done = call_git(args, cwd=cwd)
    return len(done.out.splitlines()) if done.status == 0 else 0


def _files(cwd: str, at: str, path: str, pattern: str) -> set[str]:
    """The files of the same language that have a pattern in a commit."""
    args = ["grep", "-z", "-l", "-I", "-E", "-e", pattern, at, "--"]
    done = call_git(args, cwd=cwd, timeout=GRACE)
    names = done.out.split(b"\0") if done.status == 0 else []
    paths = {decode_path(name.partition(b":")[2]) for name in names if name}
    return {other for other in paths if _language(other) == _language(path)}


def _language(path: str) -> str:
    """The extension of a file, the same for all of JavaScript and TypeScript."""
    ending = os.path.splitext(path)[1]
    return ".js" if ending in _SCRIPTS else ending
