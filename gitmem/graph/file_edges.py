"""The edges that start in one file: imports, calls, base classes and decorators."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.graph import names, receivers
from gitmem.graph.names import OUTSIDE, ResolvedName
from gitmem.graph.project import Project
from gitmem.graph.source_file import CALLABLE, CLASSES, SourceFile, Use
from gitmem.graph.values import CodeEdge

# Edges less sure than this are left out.
LEAST = 0.3
MOST = 20_000
_TARGETS = CLASSES | CALLABLE
_WHEN = {"type-import": ", for types alone", "late-import": ", when a function runs"}


def code_edges_of_file(project: Project, path: str) -> list[CodeEdge]:
    """The imports, calls and base classes in a file as CodeEdge values, at most 20,000.

    Empty where the file's syntax is not known.
    """
    file = project.source_file(path)
    if file is None:
        return []
    found: dict[tuple[str, str, str, str, int], CodeEdge] = {}
    for edge in (*_imports(project, file), *_calls(project, file), *_bases(project, file)):
        key = (edge.source, edge.target_path, edge.target, edge.kind, edge.line)
        if edge.confidence >= LEAST and (
            key not in found or edge.confidence > found[key].confidence
        ):
            found[key] = edge
    return list(found.values())[:MOST]


def _imports(project: Project, file: SourceFile) -> Iterator[CodeEdge]:
    for line, kind, module, name, _ in file.imports:
        why = _WHEN.get(kind, "")
        for found in names.resolve_import(project, file, module, name):
            sure, evidence = found.confidence, found.evidence + why
            if found.path != file.path:
                yield CodeEdge(file.path, "", found.path, "", kind, line, sure, evidence)
            if name in ("", "*", "=", "static *"):
                continue
            meaning = names.follow_reexports(project, file.language, found, name)
            if meaning and meaning.definition is not None and meaning.path != file.path:
                yield _edge(file, "", meaning, kind, line, why)
    for definition in file.definitions if file.rules.paths else ():
        if below := names.file_of_declared_module(project, file, definition):
            evidence = "module declared here"
            yield CodeEdge(file.path, "", below, "", "import", definition.start, 0.99, evidence)


def _edge(
    file: SourceFile, source: str, meaning: ResolvedName, kind: str, line: int, why: str = ""
) -> CodeEdge:
    target = meaning.definition.qualified_name if meaning.definition else ""
    sure = round(min(meaning.confidence, 1.0), 3)
    return CodeEdge(
        file.path, source, meaning.path, target, kind, line, sure, meaning.evidence + why
    )


def _calls(project: Project, file: SourceFile) -> Iterator[CodeEdge]:
    for use in file.calls:
        meaning = resolve_call(project, file, use)
        if meaning is None or meaning is OUTSIDE or meaning.definition is None:
            continue
        if meaning.definition.kind in _TARGETS:
            yield _edge(file, enclosing_caller(file, use[0]), meaning, use[1], use[0])


def enclosing_caller(file: SourceFile, line: int) -> str:
    """The qualified name of the function or class around a line, "" at the top of the file."""
    return next(
        (
            definition.qualified_name
            for definition in file.enclosing_definitions(line)
            if definition.kind in _TARGETS
        ),
        "",
    )


def resolve_call(project: Project, file: SourceFile, call: Use) -> ResolvedName | None:
    """The definition that a call in a file refers to, as a ResolvedName; None if not known.

    ``call`` is (line, kind, receiver, name, ""). The constant OUTSIDE if another project defines
    it.
    """
    line, kind, on, name, _ = call
    if on:
        return _method(project, file, on, name, line)
    held = receivers.find_last_assignment(file, name, line)
    if held and file.enclosing_definitions(held[0]) and not _defined_near(file, name, line):
        return None  # a parameter or a variable that holds a function
    bare = file.rules.bare_members and kind != "decorator"
    owner = receivers.enclosing_class(project, file, line) if bare else None
    if owner and (found := names.find_class_member(project, owner, name)) and found is not OUTSIDE:
        return found
    return names.resolve_name(project, file, name, line)


def _defined_near(file: SourceFile, name: str, line: int) -> bool:
    return any(
        file.members_named(definition.qualified_name, name)
        for definition in file.enclosing_definitions(line)
    )


def _method(
    project: Project, file: SourceFile, on: str, name: str, line: int
) -> ResolvedName | None:
    owner = receivers.resolve_receiver(project, file, on, line)
    if owner is None and file.rules.paths and "(" not in on:
        found = project.resolved_import(file, on, name)
        return names.follow_reexports(project, file.language, found[0], name) if found else None
    if owner is None or owner is OUTSIDE:
        return owner
    if owner.definition is None:
        return names.resolve_module_member(project, file.language, owner, name)
    return names.find_class_member(project, owner, name)


def _bases(project: Project, file: SourceFile) -> Iterator[CodeEdge]:
    for line, uses in file.bases.items():
        heir = file.subclass_declared_at_line(line)
        for _, _, on, name, _ in uses:
            meaning = names.resolve_dotted_name(project, file, f"{on}.{name}" if on else name, line)
            if (
                heir
                and meaning
                and meaning.definition is not None
                and meaning.definition.kind in CLASSES
            ):
                yield _edge(file, heir, meaning, "inherit", line)
