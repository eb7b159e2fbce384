"""Looking into hosts' own transcripts for what gitmem told: the only proof that it arrived.

A frame of gitmem's has a first line that names its source. Of its MCP tools an answer counts, as
the host's own file reads it: a call's name stands there too where no server was. What a tool
answered is told apart by its line: an agent may have asked for it, and no hook. Only when one was
last seen is told, never what stands around it. Few bytes of few files are read, the newest first,
and nothing but ordinary files.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from gitmem.agents.hosts import host_paths
from gitmem.clock import DAY, parse_iso
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitmem.agents.hosts.host import Host, ToolStep, Transcripts
    from gitmem.agents.hosts.host_paths import Bases

DAYS = 30
MOST_FILES = 20
MOST_FOLDERS = 500
HALF = 1 << 20  # bytes read from a file's begin, and as many from its end
MCP = "mcp"

# The words of a frame's source behind "gitmem", up to the end of its first line.
_FRAME = re.compile(
    rb"(?:<|\\u003c|&lt;){3}gitmem:[A-Za-z0-9]{8,64} source=gitmem "
    rb"([a-z][a-z -]{0,60})(?=[\\\r\n\"]|$)"
)
# What hosts call our tools: mcp__gitmem__recall, mcp_gitmem_recall, gitmem-recall.
_OURS = re.compile(r"(?:mcp__?gitmem__?|gitmem-)[a-z_]{1,40}")
# Calls of which the answer is waited for: those before had theirs, or never get it.
_WAITING = 50
# In the transcript's own structure: within a text the quotes would be escaped.
_ANSWER = re.compile(
    rb'(?<!\\)"(?:tool_result|toolUseResult|function_call_output|custom_tool_call_output'
    rb"|mcp_tool_call_end|exec_command_end|tool_output|tool\.execution_complete"
    rb'|item_completed|functionResponse|tool\.result|role":\s?"tool)"'
)
# As text, or in milliseconds.
_TIME = re.compile(
    rb'(?<!\\)"(?:timestamp|ts|time)":\s?(?:"([0-9T:.Z+-]{19,35})"|([0-9]{13})(?![0-9]))'
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen last, in milliseconds: by source what was told (``orient``); ``mcp``.

    ``files`` is how many transcripts of this project were looked into.
    """

    at: dict[str, int]
    files: int


def look(bases: Bases, host: Host, now: int) -> Seen:
    """What a host's transcripts of this project show of the last thirty days."""
    at: dict[str, int] = {}
    files = 0
    for changed, path in _newest(bases, host, now - DAYS * DAY):
        content = _content(path)
        if not _is_of(bases, host, path, content):
            continue
        files += 1
        for what, when in (*_from_hooks(content, changed), *_answered(host, content, changed)):
            at[what] = max(when, at.get(what, 0))
    return Seen(at, files)


def _newest(bases: Bases, host: Host, least: int) -> list[tuple[int, str]]:
    """The newest transcripts, each with the time of its last change."""
    kept = host.live.transcripts
    root = host_paths.path(bases, host, kept.folder) if kept and bases.project else ""
    found = []
    for path in _files(root, _is_wanted(bases, kept)) if kept and root else ():
        with suppress(OSError):
            known = os.lstat(path)
            changed = int(known.st_mtime * 1000)
            if stat.S_ISREG(known.st_mode) and changed >= least:
                found.append((changed, path))
    return sorted(found, reverse=True)[:MOST_FILES]


def _files(root: str, is_wanted: Callable[[str], bool]) -> Iterator[str]:
    """Transcripts below a folder; folders by name, the last (where that is a date, newest) first.

    Links are not followed, and so many folders are opened at most.
    """
    waiting = [root]
    for _ in range(MOST_FOLDERS):
        if not waiting:
            return
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                here = sorted(entries, key=lambda one: one.name)
        except OSError:
            continue
        for entry in here:
            if entry.is_dir(follow_symlinks=False):
                if folder != root or is_wanted(entry.name):
                    waiting.append(entry.path)
            elif entry.name.endswith(".jsonl"):
                yield entry.path


def _is_wanted(bases: Bases, kept: Transcripts) -> Callable[[str], bool]:
    """Which folders of a host's can hold this project's transcripts, by name."""
    if not kept.named_by_path:
        return lambda _name: True
    names = {_dashes(path) for path in _forms(bases.project)}
    # Sessions that began in a folder of the project have a name that goes on.
    return lambda name: any(
        name.strip("-") == one or name.strip("-").startswith(f"{one}-") for one in names
    )


def _dashes(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path).strip("-")


def _forms(path: str) -> set[str]:
    return {path, os.path.realpath(path)}


def _content(path: str) -> bytes:
    """The begin and the end of a file; nothing where it cannot be read."""
    try:
        with open(path, "rb") as file:
            begin = file.read(HALF)
            size = os.fstat(file.fileno()).st_size
            if size <= HALF:
                return begin
            file.seek(max(HALF, size - HALF))
            return begin + b"\n" + file.read(HALF)
    except OSError:
        return b""


def _is_of(bases: Bases, host: Host, path: str, content: bytes) -> bool:
    """Whether a transcript is of this project: its folder says so, or it names the folder."""
    import json  # noqa: PLC0415 - for the quotes of one text

    names = [json.dumps(form, ensure_ascii=False)[1:-1] for form in _forms(bases.project)]
    if any(f'"{one}{end}'.encode() in content for one in names for end in ('"', "/", "\\\\")):
        return True
    kept = host.live.transcripts
    if kept is None:
        return False
    root = host_paths.path(bases, host, kept.folder)
    folder = os.path.relpath(path, root).split(os.sep)[0]
    beside = os.path.join(root, folder, kept.root_file)
    if kept.root_file and os.path.isfile(beside):
        return _content(beside).decode("utf-8", "replace").strip() in _forms(bases.project)
    dashed = {_dashes(one) for one in _forms(bases.project)}
    return kept.folder_is_proof and folder.strip("-") in dashed


def _from_hooks(content: bytes, changed: int) -> Iterator[tuple[str, int]]:
    """The sources of frames that are no answer to a tool, each with its time."""
    for match in _FRAME.finditer(content):
        end = content.find(b"\n", match.start())
        line = content.rfind(b"\n", 0, match.start()) + 1, end if end >= 0 else len(content)
        if not _ANSWER.search(content, *line):
            yield match[1].decode().strip(), _when(content, line, changed)


def _answered(host: Host, content: bytes, changed: int) -> Iterator[tuple[str, int]]:
    """When tools of ours were answered, each as often as the transcript has it."""
    waiting: deque[bytes] = deque(maxlen=_WAITING)
    for match in re.finditer(rb"[^\n]+", content):
        if b"gitmem" not in match[0] and not any(id in match[0] for id in waiting):
            continue
        for id, name, answered in _steps(host, match[0]):
            key = id.encode("utf-8", "replace")
            if _OURS.fullmatch(name) and answered is not False:
                waiting.append(key)
            if answered and key in waiting:
                yield MCP, _when(content, match.span(), changed)


def _steps(host: Host, line: bytes) -> list[ToolStep]:
    """The tools in a line; none where it is cut off, or not as the host writes it."""
    import json  # noqa: PLC0415 - for the few lines that may have some

    read = host.live.transcripts.steps if host.live.transcripts else None
    steps: list[ToolStep] = []
    if read is not None:
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            for id, name, answered in read(json.loads(line)):
                steps.append((str(id), str(name), answered))
    return steps


def _when(content: bytes, line: tuple[int, int], changed: int) -> int:
    """The time that a line tells; else that of the file's last change."""
    told = _TIME.search(content, *line)
    if told is None:
        return changed
    try:
        return int(told[2]) if told[2] else parse_iso(told[1].decode())
    except InvalidInput:
        return changed
