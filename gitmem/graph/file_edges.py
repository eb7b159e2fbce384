"""The edges that start in one file: imports, calls, base classes and decorators."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.graph import names, receivers
from gitmem.graph.names import OUTSIDE, Meaning
from gitmem.graph.project import Project
from gitmem.graph.source_file import CALLABLE, CLASSES, SourceFile, Use
from gitmem.graph.values import Edge

# Edges less sure than this are left out.
LEAST = 0.3
MOST = 20_000
_TARGETS = CLASSES | CALLABLE
_WHEN = {"type-import": ", for types alone", "late-import": ", when a function runs"}


def edges(project: Project, path: str) -> list[Edge]:
    """The edges of a file, each once; none where its syntax is not known."""
    file = project.file(path)
    if file is None:
        return []
    found: dict[tuple[str, str, str, str, int], Edge] = {}
    for edge in (*_imports(project, file), *_calls(project, file), *_bases(project, file)):
        key = (edge.source, edge.target_path, edge.target, edge.kind, edge.line)
        if edge.confidence >= LEAST and (
            key not in found or edge.confidence > found[key].confidence
        ):
            found[key] = edge
    return list(found.values())[:MOST]


def _imports(project: Project, file: SourceFile) -> Iterator[Edge]:
    for line, kind, module, name, _ in file.imports:
        why = _WHEN.get(kind, "")
        for found in names.resolve_import(project, file, module, name):
            sure, evidence = found.confidence, found.evidence + why
            if found.path != file.path:
                yield Edge(file.path, "", found.path, "", kind, line, sure, evidence)
            if name in ("", "*", "=", "static *"):
                continue
            meaning = names.follow_reexports(project, file.language, found, name)
            if meaning and meaning.definition is not None and meaning.path != file.path:
                yield _edge(file, "", meaning, kind, line, why)
    for definition in file.definitions if file.rules.paths else ():
        if below := names.declared_module_file(project, file, definition):
            evidence = "module declared here"
            yield Edge(file.path, "", below, "", "import", definition.start, 0.99, evidence)


def _edge(
    file: SourceFile, source: str, meaning: Meaning, kind: str, line: int, why: str = ""
) -> Edge:
    target = meaning.definition.qualified if meaning.definition else ""
    sure = round(min(meaning.confidence, 1.0), 3)
    return Edge(file.path, source, meaning.path, target, kind, line, sure, meaning.evidence + why)


def _calls(project: Project, file: SourceFile) -> Iterator[Edge]:
    for use in file.calls:
        meaning = resolve_call(project, file, use)
        if meaning is None or meaning is OUTSIDE or meaning.definition is None:
            continue
        if meaning.definition.kind in _TARGETS:
            yield _edge(file, caller(file, use[0]), meaning, use[1], use[0])


def caller(file: SourceFile, line: int) -> str:
    """The qualified name of the function or class around a line, "" at the top of the file."""
    return next(
        (definition.qualified for definition in file.around(line) if definition.kind in _TARGETS),
        "",
    )


def resolve_call(project: Project, file: SourceFile, use: Use) -> Meaning | None:
    """The definition that a call refers to; OUTSIDE for another project's, None if unknown."""
    line, kind, on, name, _ = use
    if on:
        return _method(project, file, on, name, line)
    held = receivers.binding_of_name(file, name, line)
    if held and file.around(held[0]) and not _defined_near(file, name, line):
        return None  # a parameter or a variable that holds a function
    bare = file.rules.bare_members and kind != "decorator"
    owner = receivers.own_class(project, file, line) if bare else None
    if owner and (found := names.member(project, owner, name)) and found is not OUTSIDE:
        return found
    return names.look_up(project, file, name, line)


def _defined_near(file: SourceFile, name: str, line: int) -> bool:
    return any(file.inside(definition.qualified, name) for definition in file.around(line))


def _method(project: Project, file: SourceFile, on: str, name: str, line: int) -> Meaning | None:
    owner = receivers.class_of_receiver(project, file, on, line)
    if owner is None and file.rules.paths and "(" not in on:
        found = project.found(file, on, name)
        return names.follow_reexports(project, file.language, found[0], name) if found else None
    if owner is None or owner is OUTSIDE:
        return owner
    if owner.definition is None:
        return names.name_of_module(project, file.language, owner, name)
    return names.member(project, owner, name)


def _bases(project: Project, file: SourceFile) -> Iterator[Edge]:
    for line, uses in file.bases.items():
        heir = file.heir(line)
        for _, _, on, name, _ in uses:
            meaning = names.resolve_dotted(project, file, f"{on}.{name}" if on else name, line)
            if (
                heir
                and meaning
                and meaning.definition is not None
                and meaning.definition.kind in CLASSES
            ):
                yield _edge(file, heir, meaning, "inherit", line)
