"""What the syntax engine says of a source, in the short forms that tests compare."""

from __future__ import annotations

from gitmem.indexing.syntax import extract
from gitmem.indexing.syntax.values import Definition, ParsedFile


def read(language: str, path: str, source: str) -> ParsedFile:
    """A source read by its grammar, which has to be there."""
    message = extract.parse_source_file(language, path, source.encode())
    assert message is not None
    return message


def dotted(definition: Definition) -> str:
    """The name with its containers."""
    return f"{definition.container}.{definition.name}" if definition.container else definition.name


def outline(parsed: ParsedFile) -> list[str]:
    """Kind and dotted name of every definition, in the order of the file."""
    return [f"{definition.kind} {dotted(definition)}" for definition in parsed.definitions]


def hidden(parsed: ParsedFile) -> set[str]:
    """Dotted names of what is not exported."""
    return {dotted(definition) for definition in parsed.definitions if not definition.exported}


def define(parsed: ParsedFile, name: str) -> Definition:
    """The one definition of this dotted name."""
    (found,) = [definition for definition in parsed.definitions if dotted(definition) == name]
    return found


def lines(said: ParsedFile, name: str) -> tuple[int, int]:
    """The first and the last line of a definition."""
    found = define(said, name)
    return found.start_line, found.end_line


def uses(parsed: ParsedFile, kind: str) -> set[str]:
    """Names that are used in this way."""
    return {reference.name for reference in parsed.references if reference.kind == kind}


def imports(parsed: ParsedFile) -> dict[str, tuple[str, ...]]:
    """Modules taken in, each with the names taken from it."""
    return {item.module: item.names for item in parsed.imports}


def whole(said: ParsedFile) -> str:
    """All of it, a line for each definition, kind of use and import, as expected files have it."""
    result = ["not all of it can be read"] if said.errors else []
    for definition in said.definitions:
        hidden = "" if definition.exported else "hidden "
        doc = f"  # {definition.doc}" if definition.doc else ""
        place = f"{definition.start_line}-{definition.end_line}"
        result.append(
            f"{place} {hidden}{definition.kind} {dotted(definition)} = {definition.signature}{doc}"
        )
    for kind in sorted({reference.kind for reference in said.references}):
        result.append(f"{kind}: {' '.join(sorted(uses(said, kind)))}")
    result += [f"import {item.module} {' '.join(item.names)}".rstrip() for item in said.imports]
    return "\n".join(result) + "\n"
