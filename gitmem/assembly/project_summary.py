"""The summary of a project: name, languages, folders, dependencies, entry points, decisions."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from gitmem.app import App
from gitmem.assembly import file_context, manifests
from gitmem.assembly.manifests import Manifest
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters
from gitmem.search import file_kinds, frameworks
from gitmem.store.code import indexed_files
from gitmem.store.db import projects
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

LANGUAGES, FOLDERS, MANIFESTS, ENTRIES, DECISIONS, NOTES = 8, 8, 8, 8, 5, 5
# Memories with this tag are part of the summary; they are edited like any other.
ARCHITECTURE = "architecture"
# Files in no known language: they are listed last, since they do not say what a project is.
OTHER = "other"
_WIDTH = 200
_STARTS = frozenset(
    (
        *("main.py", "__main__.py", "app.py", "manage.py", "cli.py", "main.go", "main.rs"),
        *("index.js", "index.ts", "main.ts", "main.js", "server.js", "server.ts", "app.js"),
        *("main.c", "main.cpp", "main.zig", "Main.java", "Program.cs", "main.swift", "main.kt"),
    )
)
# Beginnings of README lines that are headings, badges, lists or markup; paragraphs that are read.
_MARKUP = ("#", "=", "-", "[!", "!", "<", "|", ">", "..", ":", "```")
_PARAGRAPHS = 10
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PARAGRAPH_TAG = re.compile(r"^<p>(?=\w)|</p>$")
# After its name, how a sentence goes on that says what something is: not "is written in Rust".
_SAYS = r"(?:(?:is|are) (?:a|an|the|one|what|where)|allows|enables|helps|lets|makes|provides)\b"
_DOCSTRING = re.compile(r"\s*[rR]?(?:\"\"\"|\'\'\')\s*(\w[^\n\"\']*)")
_PATH = re.compile(r"[/\\]|\.\w+$")
_DEEP = 3  # folders above a guessed entry point, at most


@dataclass(frozen=True, slots=True)
class ProjectPart:
    """A language or folder of a project, and its number of files, lines and bytes."""

    name: str
    files: int
    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """What is known of a project, or of a folder in it, from its index and package manifests.

    ``entries`` are paths where programs start; ``notes`` (tagged architecture) and ``decisions``
    are memories, newest first.
    """

    name: str
    description: str
    total: ProjectPart
    languages: tuple[ProjectPart, ...]
    folders: tuple[ProjectPart, ...]
    manifests: tuple[Manifest, ...]
    entries: tuple[str, ...]
    notes: tuple[Memory, ...]
    decisions: tuple[Memory, ...]
    test_frameworks: tuple[str, ...] = ()


def summarise_project(app: App, folder: str = "") -> ProjectSummary:
    """Return name, description, size, languages, folders and notes of a project or ``folder``.

    It reads the index; all counts are 0 if no file is indexed.
    """
    rows = indexed_files.file_sizes(app.store, app.worktree, folder)
    paths = [row[0] for row in rows]
    texts = {path: _text(app, path) for path in _manifests(paths)}
    read = [manifests.read_manifest(path, text) for path, text in texts.items()]
    spoken = {language for path, language, _, _ in rows if file_kinds.is_test_path(path)}
    own = folder.rpartition("/")[2] or app.project_identity.name
    first = _main_manifest(read, own)
    return ProjectSummary(
        name=folder or first.name or own,
        description=first.description or _describe(app, folder, paths, {own, first.name}),
        total=_sum(folder or ".", rows),
        languages=group_largest_parts(rows, lambda row: row[1] or OTHER, LANGUAGES),
        folders=group_largest_parts(rows, lambda row: _folder(row[0], folder), FOLDERS),
        manifests=tuple(read),
        entries=_entries(rows, read),
        notes=_memories(app, NOTES, tags=(ARCHITECTURE,)),
        decisions=_memories(app, DECISIONS, kinds=("decision",), states=("active",)),
        test_frameworks=tuple(frameworks.detect_test_frameworks(texts.values(), paths, spoken)),
    )


def describe_project_in_lines(project: ProjectSummary) -> list[str]:
    """Return a few Markdown lines on a project for a newcomer; empty if no file is indexed."""
    whole = project.total
    if not whole.files:
        return []
    spread = [part for part in project.languages if part.name != OTHER][:4]
    spread += [part for part in project.languages if part.name == OTHER]
    shares = [(part.name, part.lines * 100 // max(whole.lines, 1)) for part in spread]
    languages = ", ".join(f"{name} {share} %" for name, share in shares if share)
    size = f"{quantity(whole.files, 'file')}, {quantity(whole.lines, 'line')}"
    folders = [f"{part.name}/ ({part.files})" for part in project.folders if part.name != "."]
    needs = [name for manifest in project.manifests for name in manifest.dependencies]
    summary = [f"- {one_line(project.description, _WIDTH)}"] if project.description else []
    summary.append(f"- {size}: {languages}" if languages else f"- {size}")
    for label, names in (("folders", folders), ("starts at", project.entries), ("needs", needs)):
        if names:
            shown = ", ".join(dict.fromkeys(names[:10]))
            summary.append(f"- {label}: {one_line(shown, _WIDTH)}")
    summary += [f"- architecture: {one_line(note.headline, _WIDTH)}" for note in project.notes]
    return summary


def save_summary_lines(app: App) -> None:
    """Save the project's summary, which a first session is shown; errors are ignored."""
    with suppress(GitmemError, OSError):
        if app.store.read_only:
            return
        text = "\n".join(describe_project_in_lines(summarise_project(app)))
        with app.store.lock_timeout(100, sync_commits=False), app.store.write():
            projects.set_meta(app.store, projects.SUMMARY, text)


def group_largest_parts(
    rows: Sequence[indexed_files.FileSize],
    part_name_of: Callable[[indexed_files.FileSize], str],
    limit: int,
) -> tuple[ProjectPart, ...]:
    """Return the ``limit`` groups of files with most lines, largest first.

    ``part_name_of`` gives the group of a file; the group named ``OTHER`` comes last, beyond the
    limit.
    """
    groups: dict[str, list[indexed_files.FileSize]] = {}
    for row in rows:
        groups.setdefault(part_name_of(row), []).append(row)
    other = [_sum(OTHER, groups.pop(OTHER))] if OTHER in groups else []
    summed = [_sum(name, group) for name, group in groups.items()]
    return (*sorted(summed, key=lambda part: (-part.lines, part.name))[:limit], *other)


def _sum(name: str, rows: Sequence[indexed_files.FileSize]) -> ProjectPart:
    return ProjectPart(name, len(rows), sum(row[2] for row in rows), sum(row[3] for row in rows))


def _folder(path: str, under: str) -> str:
    """The folder directly below ``under`` that holds a path, ``.`` if that is ``under`` itself."""
    rest = path[len(under) + 1 :] if under else path
    first, slash, _ = rest.partition("/")
    return first if slash else "."


def _manifests(paths: Sequence[str]) -> list[str]:
    manifest_paths = [path for path in paths if path.rpartition("/")[2] in manifests.NAMES]
    own = [path for path in manifest_paths if not file_kinds.kinds_of_file(path, "toml")[:-1]]
    return sorted(own, key=lambda path: (path.count("/"), path))[:MANIFESTS]


def _entries(rows: Sequence[indexed_files.FileSize], parsed: Sequence[Manifest]) -> tuple[str, ...]:
    """The entry points in manifests, then files with a usual name such as ``main.py``."""
    paths = {row[0] for row in rows}
    started = [
        _entry_point(paths, manifest.path, entry)
        for manifest in parsed
        for entry in manifest.entries
    ]
    guessed = [
        path
        for path, language, _, _ in rows
        if path.rpartition("/")[2] in _STARTS
        and path.count("/") <= _DEEP
        and not file_kinds.kinds_of_file(path, language)
    ]
    guessed.sort(key=lambda path: (path.count("/"), path))
    return tuple(dict.fromkeys(filter(None, [*started, *guessed])))[:ENTRIES]


def _entry_point(paths: Collection[str], manifest: str, entry: str) -> str:
    """An entry of a manifest: a command's name, or a path in the repository.

    "" for a path that does not exist, such as a build product.
    """
    if not _PATH.search(entry):
        return entry
    path = posixpath.normpath(posixpath.join(posixpath.dirname(manifest), entry))
    return path if path in paths else ""


def _main_manifest(parsed: Sequence[Manifest], name: str) -> Manifest:
    """The manifest with the repository's name, else the first with a name or description."""
    telling = [manifest for manifest in parsed if manifest.name or manifest.description]
    named = (
        manifest
        for manifest in telling
        if _normalize(manifest.name.rpartition("/")[2]) == _normalize(name)
    )
    return next(named, telling[0] if telling else Manifest(""))


def _normalize(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _describe(app: App, folder: str, paths: Sequence[str], names: Collection[str]) -> str:
    """The docstring of the Python package, else of the README what it is or its first paragraph."""
    place = f"{folder}/" if folder else ""
    if docstring := _docstring(app, place, paths, names):
        return one_line(docstring, _WIDTH)
    readmes = [path for path in paths if path.lower().startswith(f"{place}readme".lower())]
    here = [readme for readme in readmes if "/" not in readme[len(place) :]]
    # README.md describes the whole, README-VIM.md a part.
    path = min(
        here, key=lambda name: (name[len(place) :].lower().partition(".")[0], name), default=""
    )
    paragraphs = list(islice(_paragraphs(_text(app, path)), _PARAGRAPHS)) if path else []
    # The paragraph that says what it is may follow thanks, news and requests for donations.
    spelt = (re.split(r"[\W_]+", name.rpartition("/")[2]) for name in names if name)
    called = "|".join(r"[\W_]*".join(map(re.escape, filter(None, parts))) for parts in spelt)
    says = next(filter(re.compile(rf"\W*(?:{called})\W+{_SAYS}", re.I).match, paragraphs), "")
    # One that ends in a colon leads to a list, which is left out.
    return one_line((says or next(iter(paragraphs), "")).removesuffix(":"), _WIDTH)


def _docstring(app: App, place: str, paths: Sequence[str], names: Collection[str]) -> str:
    """The first line of the docstring of a Python package."""
    init = {f"{place}{top}{name}/__init__.py" for name in names for top in ("", "src/")}
    matches = (_DOCSTRING.match(_text(app, path)) for path in paths if path in init)
    return next((match[1] for match in matches if match is not None), "")


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text, without headings, badges, lists, code and other markup."""
    paragraph: list[str] = []
    inside = False
    for line in [*_COMMENT.sub("", text).split("\n"), ""]:
        plain = _PARAGRAPH_TAG.sub("", line.strip())
        inside ^= plain.startswith("```")
        if plain and not inside and not plain.startswith(_MARKUP):
            paragraph.append(plain)
            continue
        # A following line of ``=`` or ``-`` makes it a heading.
        if paragraph and not (len(plain) > 2 and not plain.strip("=-")):
            yield " ".join(paragraph)
        paragraph = []


def _text(app: App, path: str) -> str:
    try:
        return file_context.read_redacted_file(app, path)
    except GitmemError:
        return ""


def _memories(app: App, limit: int, **narrower: object) -> tuple[Memory, ...]:
    conditions = MemoryFilter(now=app.now, trusted_only=True, **narrower)  # type: ignore[arg-type]
    here = request_filters.memory_filter_for_store(app, app.store, conditions)
    return tuple(memories.select_memories(app.store, here, limit=limit))
