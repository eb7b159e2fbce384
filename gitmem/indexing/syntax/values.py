"""The values read from a file's syntax: definitions, references, imports."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# A function that stands directly in one of these is a method.
CLASSES = frozenset(
    {
        "class",
        "enum",
        "extension",
        "impl",
        "interface",
        "mixin",
        "object",
        "protocol",
        "record",
        "struct",
        "trait",
        "union",
    }
)
# What stands in one of these is local: never exported.
BODIES = frozenset({"constructor", "function", "macro", "method", "test"})
# Types that every file names and nobody looks for: no reference.
BUILT_IN = frozenset(
    {
        "Self",
        "any",
        "bool",
        "boolean",
        "byte",
        "bytes",
        "char",
        "complex",
        "dict",
        "double",
        "error",
        "float",
        "float32",
        "float64",
        "int",
        "int16",
        "int16_t",
        "int32",
        "int32_t",
        "int64",
        "int64_t",
        "int8",
        "int8_t",
        "list",
        "long",
        "number",
        "object",
        "rune",
        "short",
        "size_t",
        "ssize_t",
        "str",
        "string",
        "uint",
        "uint16",
        "uint16_t",
        "uint32",
        "uint32_t",
        "uint64",
        "uint64_t",
        "uint8",
        "uint8_t",
        "uintptr",
        "void",
    }
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A named definition in a file, such as a function or class.

    ``start_line`` and ``end_line`` count from 1, both included, decorators and attributes too;
    ``line`` is where the name stands. ``container`` has the names of the definitions around it,
    joined by dots, "" at the top. ``signature`` is the declaration up to its body on one line
    (at most 200 characters), ``doc`` the start of its documentation without comment markers
    (at most 300).
    """

    name: str
    kind: str
    signature: str
    doc: str
    container: str
    start_line: int
    end_line: int
    exported: bool
    line: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a ``name`` in a ``line`` (from 1); ``kind`` is call, type, inherit or decorator."""

    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Import:
    """An import of ``names`` (empty: all of it) from a ``module``, in a ``line`` counted from 1."""

    module: str
    names: tuple[str, ...]
    line: int


# (line, kind, three texts), in the order of the lines. Kinds and their texts:
#   import     module, name in it ("" the module itself, "*" all), name here; type-import and
#              late-import where the file does without it while it is loaded
#   call, decorator, inherit     what it is called on ("self.store"), name, ""
#   : (declared), = (made)       name, type or expression, ""
#   export     name for other files, name here, ""
Use = tuple[int, str, str, str, str]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What was read from a file: its definitions, references (uses of names) and imports.

    ``errors``: parts of the file could not be parsed. ``uses`` are imports, calls and assignments
    as (line, kind, three texts), from which the code graph is made.
    """

    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    errors: bool
    uses: tuple[Use, ...] = ()
