"""The names that files define, mention and import, by worktree.

Rows belong to a blob, as chunks do, and are removed with it; paths of the worktree refer to blobs.
``name_key`` is a name in lower case without ``_``, equal for ``loadConfig``, ``load_config`` and
``LoadConfig``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import path_to_text, text_to_path
from gitmem.store.code.symbol_rows import Defined, Imported, Mentioned
from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.store.code.redacted_source import RedactionGate

_SYMBOL = (
    "s.id, p.path, p.language, s.name, s.kind, s.signature, s.doc, s.container, s.start_line, "
    "s.end_line, s.exported"
)
# CROSS JOIN keeps SQLite from reading all paths of the worktree before it looks up the name.
_SHOWN = "FROM symbols s CROSS JOIN paths p ON p.blob = s.blob AND p.tree = ?"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition and a path that has it. Lines count from 1, inclusive.

    ``container`` is what encloses it (``class Config``), empty at the top level.
    """

    id: int
    path: str
    language: str
    name: str
    kind: str
    signature: str
    doc: str
    container: str
    start_line: int
    end_line: int
    exported: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """The lines of a file that mention a name in one way, such as a call."""

    path: str
    name: str
    kind: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Import:
    """A file that imports a module; ``names`` are what it imports from the module, maybe none."""

    path: str
    module: str
    names: tuple[str, ...]
    line: int


def name_key(name: str) -> str:
    """A name in lower case without underscores, the same for all its spellings."""
    return name.replace("_", "").lower() or name


def spellings(name: str) -> tuple[str, ...]:
    """A name and its spelling as a private name in JavaScript: ``secret`` and ``#secret``."""
    return (name, f"#{name}")


def add(
    database: Database,
    blob: int,
    defined: Iterable[Defined],
    mentioned: Iterable[Mentioned],
    imported: Iterable[Imported],
    gate: RedactionGate | None = None,
) -> None:
    """Store the definitions, mentions and imports of a blob that was just added.

    ``gate`` holds the redacted text that all of it was read from; without it all is redacted.
    """
    from gitmem.store.code import redacted_source  # noqa: PLC0415 - not for those who only read

    gate = gate or redacted_source.RedactionGate()
    run = database.connection.executemany
    run(
        "INSERT INTO symbols (blob, key, name, kind, signature, doc, container, start_line, "
        "end_line, exported) VALUES (?,?,?,?,?,?,?,?,?,?)",
        [(blob, name_key(row[0]), *row) for row in map(gate.defined, defined)],
    )
    run(
        "INSERT OR REPLACE INTO refs (blob, name, kind, lines) VALUES (?,?,?,?)",
        [(blob, *row) for row in map(gate.mentioned, mentioned)],
    )
    run(
        "INSERT INTO imports (blob, module, names, line) VALUES (?,?,?,?)",
        [(blob, *row) for row in map(gate.imported, imported)],
    )


# --- definitions --------------------------------------------------------------------------------


def by_name(
    database: Database, tree: str, name: str, limit: int, path: str = "", outer: str = ""
) -> list[Symbol]:
    """Definitions of exactly this name, exported ones first.

    ``path`` limits them to files whose path ends with these whole parts, ``outer`` to definitions
    inside something of that name.
    """
    return _inside(
        database, tree, "s.key = ? AND s.name = ?", (name_key(name), name), limit, path, outer
    )


def by_key(
    database: Database, tree: str, name: str, limit: int, path: str = "", outer: str = ""
) -> list[Symbol]:
    """The definitions of a name in any spelling (``load_config``, ``LoadConfig``)."""
    return _inside(database, tree, "s.key = ?", (name_key(name),), limit, path, outer)


def in_module(database: Database, tree: str, name: str, module: str, limit: int) -> list[Symbol]:
    """Definitions of a name, in any spelling, in files that may be the module ``a.b``."""
    stem = path_to_text("/" + module.replace(".", "/"))
    question = (
        "s.key = ? AND (instr('/' || p.path, ? || '.') OR instr('/' || p.path, ? || '/index.') "
        "OR instr('/' || p.path, ? || '/__init__.'))"
    )
    return _symbols(database, tree, question, (name_key(name), stem, stem, stem), limit)


def _inside(
    database: Database,
    tree: str,
    question: str,
    values: tuple[str, ...],
    limit: int,
    path: str,
    outer: str,
) -> list[Symbol]:
    for column, end, joint in (("p.path", path_to_text(path), "/"), ("s.container", outer, ".")):
        if end:
            question += f" AND substr(?||{column}, -length(?)) = ?"
            values = (*values, joint, joint + end, joint + end)
    return _symbols(database, tree, question, values, limit)


def starting_with(database: Database, tree: str, prefix: str, limit: int) -> list[Symbol]:
    """Definitions whose name starts with a prefix, in any spelling; the shortest names first."""
    low = name_key(prefix)
    question = "s.key >= ? AND s.key < ?"
    return _symbols(database, tree, question, (low, low + "\U0010ffff"), limit, "length(s.key), ")


def by_keys(database: Database, tree: str, names: Iterable[str], limit: int) -> list[Symbol]:
    """The definitions of any of these names, in any spelling, in one query."""
    keys = sorted({name_key(name) for name in names})
    marks = ",".join("?" * len(keys))
    return _symbols(database, tree, f"s.key IN ({marks})", tuple(keys), limit)


def names_like(database: Database, tree: str, parts: Sequence[str], limit: int) -> list[str]:
    """Names of definitions that contain any of ``parts``, in any spelling; the shortest first.

    A part that ends in ``*`` has to be at the beginning of the name.
    """
    patterns = [
        name_key(part[:-1]) + "%" if part.endswith("*") else f"%{name_key(part)}%" for part in parts
    ]
    alike = " OR ".join(["s.key LIKE ?"] * len(patterns))
    return database.column(
        f"SELECT DISTINCT s.name {_SHOWN} WHERE ({alike}) ORDER BY length(s.name), s.name LIMIT ?",
        (tree, *patterns, limit),
    )


def symbols_of_path(database: Database, tree: str, path: str) -> list[Symbol]:
    """The definitions in a file, in the order of the file."""
    rows = database.rows(
        f"SELECT {_SYMBOL} FROM paths p CROSS JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ? AND p.path = ? ORDER BY s.start_line, s.end_line DESC, s.id",
        (tree, path_to_text(path)),
    )
    return [_symbol(row) for row in rows]


def symbols_in_lines(
    database: Database, tree: str, path: str, first: int, last: int
) -> list[Symbol]:
    """The definitions of a file that share a line with ``first`` to ``last``, in its order."""
    rows = database.rows(
        f"SELECT {_SYMBOL} FROM paths p CROSS JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ? AND p.path = ? AND s.start_line <= ? AND s.end_line >= ? "
        "ORDER BY s.start_line, s.end_line DESC, s.id",
        (tree, path_to_text(path), last, first),
    )
    return [_symbol(row) for row in rows]


def functions(database: Database, tree: str) -> list[tuple[str, bool]]:
    """The name of each function and method, and whether it is exported."""
    rows = database.rows(
        "SELECT s.name, s.exported FROM paths p CROSS JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ? AND s.kind IN ('function', 'method')",
        (tree,),
    )
    return [(name, bool(exported)) for name, exported in rows]


def line_ranges(database: Database, tree: str, path: str) -> list[tuple[int, int]]:
    """The first and last line of each definition in a file."""
    rows = database.rows(
        "SELECT s.start_line, s.end_line FROM paths p CROSS JOIN symbols s "
        "ON s.blob = p.blob WHERE p.tree = ? AND p.path = ?",
        (tree, path_to_text(path)),
    )
    # Each once: SQLite would build a table for it.
    return list(dict.fromkeys(rows))


# --- mentions and imports -----------------------------------------------------------------------


def references(
    database: Database, tree: str, name: str, kinds: Sequence[str] = (), limit: int = 1000
) -> list[Mention]:
    """Files that mention a name, by path; of some ``kinds`` of mention only, if any are given."""
    narrowed = f"AND r.kind IN ({','.join('?' * len(kinds))}) " if kinds else ""
    rows = database.rows(
        "SELECT p.path, r.name, r.kind, r.lines FROM refs r "
        "CROSS JOIN paths p ON p.blob = r.blob AND p.tree = ? "
        f"WHERE r.name = ? {narrowed}ORDER BY p.path, r.kind LIMIT ?",
        (tree, name, *kinds, limit),
    )
    return [_mention(row) for row in rows]


def references_of(
    database: Database, tree: str, names: Collection[str], kinds: Sequence[str], limit: int
) -> list[Mention]:
    """Files that mention some names in some ways, by path."""
    rows = database.rows(
        "SELECT p.path, r.name, r.kind, r.lines FROM json_each(?) n CROSS JOIN refs r "
        f"ON r.name = n.value AND r.kind IN ({','.join('?' * len(kinds))}) "
        "CROSS JOIN paths p ON p.blob = r.blob AND p.tree = ? ORDER BY p.path, r.kind LIMIT ?",
        (json_array(sorted(names)), *kinds, tree, limit),
    )
    return [_mention(row) for row in rows]


def names_defined_once(database: Database, tree: str, names: Collection[str]) -> list[str]:
    """The names that are defined in only one place of a worktree."""
    rows = database.rows(
        "SELECT s.name FROM json_each(?) n CROSS JOIN symbols s ON s.key = n.value "
        "CROSS JOIN paths p ON p.blob = s.blob AND p.tree = ? "
        "GROUP BY s.name HAVING count(DISTINCT p.path || char(0) || s.container) = 1",
        (json_array(sorted({name_key(name) for name in names})), tree),
    )
    return [row[0] for row in rows if row[0] in names]


def files_importing_name(database: Database, tree: str, name: str) -> dict[str, list[str]]:
    """The files that import a name, with the modules from which they import it."""
    rows = database.rows(
        "SELECT p.path, i.module FROM imports i CROSS JOIN paths p ON p.blob = i.blob "
        # The plain one first: most rows hold nothing of the name, and need no text made.
        "AND p.tree = ?1 WHERE instr(i.names, ?2) "
        "AND instr(' ' || i.names || ' ', ' ' || ?2 || ' ')",
        (tree, name),
    )
    found: dict[str, list[str]] = {}
    for path, module in rows:
        found.setdefault(text_to_path(path), []).append(module)
    return found


def importers(
    database: Database, tree: str, modules: Sequence[str], limit: int = 1000
) -> list[Import]:
    """The files that import any of these modules (as written in the files), by path."""
    marks = ",".join("?" * len(modules))
    return _imports(database, tree, f"i.module IN ({marks})", tuple(modules), limit)


def imports_of(database: Database, tree: str, path: str) -> list[Import]:
    """The imports of a file, in the order of the file."""
    return _imports(database, tree, "p.path = ?", (path_to_text(path),), 1000)


def imports_with(database: Database, tree: str, word: str) -> list[Import]:
    """The imports whose module or imported name contains a word; at most 1,000."""
    question = "(instr(i.module, ?) OR instr(i.names, ?))"
    return _imports(database, tree, question, (word, word), 1000)


def _symbols(
    database: Database,
    tree: str,
    question: str,
    values: tuple[str, ...],
    limit: int,
    first: str = "",
) -> list[Symbol]:
    rows = database.rows(
        f"SELECT {_SYMBOL} {_SHOWN} WHERE {question} "
        f"ORDER BY {first}s.exported DESC, p.path, s.start_line, s.id LIMIT ?",
        (tree, *values, limit),
    )
    return [_symbol(row) for row in rows]


def _imports(
    database: Database, tree: str, question: str, values: tuple[str, ...], limit: int
) -> list[Import]:
    rows = database.rows(
        "SELECT p.path, i.module, i.names, i.line FROM imports i "
        f"CROSS JOIN paths p ON p.blob = i.blob AND p.tree = ? WHERE {question} "
        "ORDER BY p.path, i.line, i.id LIMIT ?",
        (tree, *values, limit),
    )
    return [Import(text_to_path(row[0]), row[1], tuple(row[2].split()), row[3]) for row in rows]


def _symbol(row: Row) -> Symbol:
    values: Row = (row[0], text_to_path(row[1]), *row[2:10], bool(row[10]))
    return Symbol(*values)


def _mention(row: Row) -> Mention:
    return Mention(text_to_path(row[0]), row[1], row[2], tuple(map(int, row[3].split(","))))
