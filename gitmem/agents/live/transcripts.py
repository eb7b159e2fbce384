"""Searching hosts' transcripts for gitmem's output: the only proof that it reached a model.

A frame of a hook is recognised by its first line, which names its source; a frame in the result of
a tool does not count, since the agent asked for it. Of MCP tools only answered calls count: a
transcript holds calls even if no server ran. Only the last time is reported, no content. Few bytes
of few ordinary files are read, the newest first.
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

    from gitmem.agents.hosts.host import Host, ToolStep, TranscriptLocation
    from gitmem.agents.hosts.host_paths import PathTemplateFolders

DAYS = 30
MOST_FILES = 20
MOST_FOLDERS = 500
HALF = 1 << 20  # bytes read from the beginning of a file, and as many from its end
MCP = "mcp"

# A frame's first line; the group is its source without "gitmem".
_FRAME = re.compile(
    rb"(?:<|\\u003c|&lt;){3}gitmem:[A-Za-z0-9]{8,64} source=gitmem "
    rb"([a-z][a-z -]{0,60})(?=[\\\r\n\"]|$)"
)
# Hosts' names for gitmem's tools: mcp__gitmem__recall, mcp_gitmem_recall, gitmem-recall.
_OURS = re.compile(r"(?:mcp__?gitmem__?|gitmem-)[a-z_]{1,40}")
# The latest calls for which an answer may still come.
_WAITING = 50
# Keys of the transcript itself: inside a text the quotes would be escaped.
_ANSWER = re.compile(
    rb'(?<!\\)"(?:tool_result|toolUseResult|function_call_output|custom_tool_call_output'
    rb"|mcp_tool_call_end|exec_command_end|tool_output|tool\.execution_complete"
    rb'|item_completed|functionResponse|tool\.result|role":\s?"tool)"'
)
# A time as text, or in milliseconds.
_TIME = re.compile(
    rb'(?<!\\)"(?:timestamp|ts|time)":\s?(?:"([0-9T:.Z+-]{19,35})"|([0-9]{13})(?![0-9]))'
)


@dataclass(frozen=True, slots=True)
class OutputInTranscripts:
    """When gitmem's output was last seen in an agent program's transcripts of this project.

    ``at`` maps what was seen (``orient``: the text at a session's start, ``mcp``: an answered tool
    call, ``hook EVENT ...``) to milliseconds since 1970. ``files`` is the number of transcripts
    read.
    """

    at: dict[str, int]
    files: int


def find_output_in_transcripts(
    bases: PathTemplateFolders, host: Host, now_ms: int
) -> OutputInTranscripts:
    """When gitmem's output was last seen in an agent program's transcripts of this project.

    Of the last thirty days, the newest 20 files are read. ``now_ms`` is in milliseconds since 1970.
    """
    at: dict[str, int] = {}
    files = 0
    for changed, path in _newest(bases, host, now_ms - DAYS * DAY):
        content = _content(path)
        if not _is_of(bases, host, path, content):
            continue
        files += 1
        for source, when in (*_from_hooks(content, changed), *_from_tools(host, content, changed)):
            at[source] = max(when, at.get(source, 0))
    return OutputInTranscripts(at, files)


def _newest(bases: PathTemplateFolders, host: Host, least: int) -> list[tuple[int, str]]:
    """The newest transcripts, each with the time of its last change."""
    transcripts = host.live.transcripts
    root = (
        host_paths.expand_path_template(bases, host, transcripts.folder)
        if transcripts and bases.project
        else ""
    )
    files = []
    for path in _files(root, _folder_filter(bases, transcripts)) if transcripts and root else ():
        with suppress(OSError):
            file_status = os.lstat(path)
            changed = int(file_status.st_mtime * 1000)
            if stat.S_ISREG(file_status.st_mode) and changed >= least:
                files.append((changed, path))
    return sorted(files, reverse=True)[:MOST_FILES]


def _files(root: str, may_hold: Callable[[str], bool]) -> Iterator[str]:
    """Transcripts below a folder, from the last folder by name (the newest, if dates) to the first.

    Links are not followed; at most ``MOST_FOLDERS`` folders are read.
    """
    waiting = [root]
    for _ in range(MOST_FOLDERS):
        if not waiting:
            return
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                entries_by_name = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries_by_name:
            if entry.is_dir(follow_symlinks=False):
                if folder != root or may_hold(entry.name):
                    waiting.append(entry.path)
            elif entry.name.endswith(".jsonl"):
                yield entry.path


def _folder_filter(
    bases: PathTemplateFolders, transcripts: TranscriptLocation
) -> Callable[[str], bool]:
    """A test whether a folder of this name can hold this project's transcripts."""
    if not transcripts.named_by_path:
        return lambda _name: True
    names = {_dashes(path) for path in _forms(bases.project)}
    # For sessions started in a folder of the project the name is longer.
    return lambda name: any(
        name.strip("-") == known or name.strip("-").startswith(f"{known}-") for known in names
    )


def _dashes(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path).strip("-")


def _forms(path: str) -> set[str]:
    return {path, os.path.realpath(path)}


def _content(path: str) -> bytes:
    """The beginning and the end of a file; empty if it cannot be read."""
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


def _is_of(bases: PathTemplateFolders, host: Host, path: str, content: bytes) -> bool:
    """Whether a transcript belongs to this project, by its content or its folder."""
    import json  # noqa: PLC0415 - for the quotes of one text

    names = [json.dumps(form, ensure_ascii=False)[1:-1] for form in _forms(bases.project)]
    if any(f'"{name}{end}'.encode() in content for name in names for end in ('"', "/", "\\\\")):
        return True
    transcripts = host.live.transcripts
    if transcripts is None:
        return False
    root = host_paths.expand_path_template(bases, host, transcripts.folder)
    folder = os.path.relpath(path, root).split(os.sep)[0]
    beside = os.path.join(root, folder, transcripts.root_file)
    if transcripts.root_file and os.path.isfile(beside):
        return _content(beside).decode("utf-8", "replace").strip() in _forms(bases.project)
    dashed = {_dashes(form) for form in _forms(bases.project)}
    return transcripts.folder_is_proof and folder.strip("-") in dashed


def _from_hooks(content: bytes, changed: int) -> Iterator[tuple[str, int]]:
    """The sources of frames that are no result of a tool, each with its time."""
    for match in _FRAME.finditer(content):
        end = content.find(b"\n", match.start())
        line = content.rfind(b"\n", 0, match.start()) + 1, end if end >= 0 else len(content)
        if not _ANSWER.search(content, *line):
            yield match[1].decode().strip(), _time_of(content, line, changed)


def _from_tools(host: Host, content: bytes, changed: int) -> Iterator[tuple[str, int]]:
    """``mcp`` and the time for each answered call of gitmem's tools."""
    waiting: deque[bytes] = deque(maxlen=_WAITING)
    for match in re.finditer(rb"[^\n]+", content):
        if b"gitmem" not in match[0] and not any(id in match[0] for id in waiting):
            continue
        for id, name, answered in _steps(host, match[0]):
            key = id.encode("utf-8", "replace")
            if _OURS.fullmatch(name) and answered is not False:
                waiting.append(key)
            if answered and key in waiting:
                yield MCP, _time_of(content, match.span(), changed)


def _steps(host: Host, line: bytes) -> list[ToolStep]:
    """The tool calls and results in a line; empty if the line is cut off or malformed."""
    import json  # noqa: PLC0415 - for the few lines that may have some

    read = host.live.transcripts.steps if host.live.transcripts else None
    steps: list[ToolStep] = []
    if read is not None:
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            for id, name, answered in read(json.loads(line)):
                steps.append((str(id), str(name), answered))
    return steps


def _time_of(content: bytes, line: tuple[int, int], changed: int) -> int:
    """The time in a line (ms), or else the time of the file's last change."""
    match = _TIME.search(content, *line)
    if match is None:
        return changed
    try:
        return int(match[2]) if match[2] else parse_iso(match[1].decode())
    except InvalidInput:
        return changed
