"""The names that files define, mention and import, by worktree.

Rows belong to a blob, as chunks do, and are removed with it; paths of the worktree refer to blobs.
Names are compared in lower case without ``_``, equal for ``loadConfig``, ``load_config`` and
``LoadConfig`` (``normalise_name``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import decode_path_from_database, encode_path_for_database
from gitmem.store.code.symbol_rows import DefinitionRow, ImportRow, MentionRow
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
    """A definition (function, class, ...) and a path that has it. Lines count from 1, inclusive.

    ``container`` has the names of the definitions around it, joined by dots (``Config.load``),
    empty at the top level. ``exported``: other files can see it. ``doc`` is its documentation,
    ``id`` its row number.
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
class NameMention:
    """The ``lines`` of a file that mention a name in one way (``kind``: call, inherit, type)."""

    path: str
    name: str
    kind: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """A file that imports a module; ``names`` are what it imports from the module, maybe none."""

    path: str
    module: str
    names: tuple[str, ...]
    line: int


def normalise_name(name: str) -> str:
    """A name in lower case without underscores, to compare spellings (``_`` alone stays)."""
    return name.replace("_", "").lower() or name


def javascript_name_spellings(name: str) -> tuple[str, ...]:
    """The two spellings that a JavaScript name may have: ``secret`` and private ``#secret``."""
    return (name, f"#{name}")


def add_symbols(
    database: Database,
    blob_row_number: int,
    definitions: Iterable[DefinitionRow],
    mentions: Iterable[MentionRow],
    imports: Iterable[ImportRow],
    redaction_gate: RedactionGate | None = None,
) -> None:
    """Store what a file's content, just added, defines, mentions and imports.

    ``definitions`` are (name, kind, signature, doc, container, first line, last line, exported),
    ``mentions`` (name, kind, lines as "3,17"), ``imports`` (module, names with spaces between,
    line). ``redaction_gate`` has the file's text without secrets; without it all rows are redacted.
    """
    from gitmem.store.code import redacted_source  # noqa: PLC0415 - not for those who only read

    redaction_gate = redaction_gate or redacted_source.RedactionGate()
    run = database.connection.executemany
    run(
        "INSERT INTO symbols (blob, key, name, kind, signature, doc, container, start_line, "
        "end_line, exported) VALUES (?,?,?,?,?,?,?,?,?,?)",
        [
            (blob_row_number, normalise_name(row[0]), *row)
            for row in map(redaction_gate.redact_definition, definitions)
        ],
    )
    run(
        "INSERT OR REPLACE INTO refs (blob, name, kind, lines) VALUES (?,?,?,?)",
        [(blob_row_number, *row) for row in map(redaction_gate.redact_mention, mentions)],
    )
    run(
        "INSERT INTO imports (blob, module, names, line) VALUES (?,?,?,?)",
        [(blob_row_number, *row) for row in map(redaction_gate.redact_import, imports)],
    )


# --- definitions --------------------------------------------------------------------------------


def definitions_by_name(
    database: Database, worktree: str, name: str, limit: int, path: str = "", container: str = ""
) -> list[Symbol]:
    """At most ``limit`` definitions of exactly this name, exported ones first.

    ``path`` (``src/app.py``) limits them to files whose path ends with these whole parts,
    ``container`` (``Config`` or ``Config.load``) to definitions directly inside something of that
    name.
    """
    return _inside(
        database,
        worktree,
        "s.key = ? AND s.name = ?",
        (normalise_name(name), name),
        limit,
        path,
        container,
    )


def definitions_in_any_spelling(
    database: Database, worktree: str, name: str, limit: int, path: str = "", container: str = ""
) -> list[Symbol]:
    """The definitions of a name in any spelling: ``load_config`` finds ``LoadConfig``.

    ``path`` and ``container`` are as in ``definitions_by_name``.
    """
    return _inside(database, worktree, "s.key = ?", (normalise_name(name),), limit, path, container)


def definitions_in_module(
    database: Database, worktree: str, name: str, module: str, limit: int
) -> list[Symbol]:
    """Definitions of a name, in any spelling, in files that a module ``a.b`` may stand for.

    Such files are a/b.py, lib/a/b/__init__.py or a/b/index.js.
    """
    stem = encode_path_for_database("/" + module.replace(".", "/"))
    question = (
        "s.key = ? AND (instr('/' || p.path, ? || '.') OR instr('/' || p.path, ? || '/index.') "
        "OR instr('/' || p.path, ? || '/__init__.'))"
    )
    return _symbols(database, worktree, question, (normalise_name(name), stem, stem, stem), limit)


def _inside(
    database: Database,
    worktree: str,
    question: str,
    values: tuple[str, ...],
    limit: int,
    path: str,
    outer: str,
) -> list[Symbol]:
    for column, end, joint in (
        ("p.path", encode_path_for_database(path), "/"),
        ("s.container", outer, "."),
    ):
        if end:
            question += f" AND substr(?||{column}, -length(?)) = ?"
            values = (*values, joint, joint + end, joint + end)
    return _symbols(database, worktree, question, values, limit)


def definitions_with_prefix(
    database: Database, worktree: str, name_prefix: str, limit: int
) -> list[Symbol]:
    """Definitions whose name starts with a prefix, in any spelling; the shortest names first."""
    low = normalise_name(name_prefix)
    question = "s.key >= ? AND s.key < ?"
    return _symbols(
        database, worktree, question, (low, low + "\U0010ffff"), limit, "length(s.key), "
    )


def definitions_of_names(
    database: Database, worktree: str, names: Iterable[str], limit: int
) -> list[Symbol]:
    """The definitions of any of these names, in any spelling, in one query."""
    keys = sorted({normalise_name(name) for name in names})
    marks = ",".join("?" * len(keys))
    return _symbols(database, worktree, f"s.key IN ({marks})", tuple(keys), limit)


def defined_names_containing(
    database: Database, worktree: str, substrings: Sequence[str], limit: int
) -> list[str]:
    """Names of definitions that contain any of some texts, in any spelling, the shortest first.

    A text that ends in ``*`` has to be at the beginning of the name.
    """
    patterns = [
        normalise_name(part[:-1]) + "%" if part.endswith("*") else f"%{normalise_name(part)}%"
        for part in substrings
    ]
    clause = " OR ".join(["s.key LIKE ?"] * len(patterns))
    return database.column(
        f"SELECT DISTINCT s.name {_SHOWN} WHERE ({clause}) ORDER BY length(s.name), s.name LIMIT ?",
        (worktree, *patterns, limit),
    )


def symbols_of_path(database: Database, worktree: str, path: str) -> list[Symbol]:
    """The definitions in a file, in the order of the file."""
    rows = database.rows(
        f"SELECT {_SYMBOL} FROM paths p CROSS JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ? AND p.path = ? ORDER BY s.start_line, s.end_line DESC, s.id",
        (worktree, encode_path_for_database(path)),
    )
    return [_symbol(row) for row in rows]


def symbols_in_lines(
    database: Database, worktree: str, path: str, first_line: int, last_line: int
) -> list[Symbol]:
    """The definitions of a file that overlap the lines from first to last, in file order."""
    rows = database.rows(
        f"SELECT {_SYMBOL} FROM paths p CROSS JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ? AND p.path = ? AND s.start_line <= ? AND s.end_line >= ? "
        "ORDER BY s.start_line, s.end_line DESC, s.id",
        (worktree, encode_path_for_database(path), last_line, first_line),
    )
    return [_symbol(row) for row in rows]


def innermost_symbol(candidate_symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """The definition with the fewest lines among those that contain ``line``, or None."""
    inside = [
        symbol for symbol in candidate_symbols if symbol.start_line <= line <= symbol.end_line
    ]
    return min(inside, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)


def enclosing_symbol(database: Database, worktree: str, path: str, line: int) -> Symbol | None:
    """The definition with the fewest lines of a file that contains ``line``, or None."""
    return innermost_symbol(symbols_in_lines(database, worktree, path, line, line), line)


def function_names(database: Database, worktree: str) -> list[tuple[str, bool]]:
    """(name, whether it is exported) of each function and method of a worktree."""
    rows = database.rows(
        "SELECT s.name, s.exported FROM paths p CROSS JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ? AND s.kind IN ('function', 'method')",
        (worktree,),
    )
    return [(name, bool(exported)) for name, exported in rows]


def definition_line_ranges(database: Database, worktree: str, path: str) -> list[tuple[int, int]]:
    """(first line, last line) of each definition in a file, without repeats, in no order."""
    rows = database.rows(
        "SELECT s.start_line, s.end_line FROM paths p CROSS JOIN symbols s "
        "ON s.blob = p.blob WHERE p.tree = ? AND p.path = ?",
        (worktree, encode_path_for_database(path)),
    )
    # Each once: SQLite would build a table for it.
    return list(dict.fromkeys(rows))


# --- mentions and imports -----------------------------------------------------------------------


def mentions_of_name(
    database: Database,
    worktree: str,
    name: str,
    mention_kinds: Sequence[str] = (),
    limit: int = 1000,
) -> list[NameMention]:
    """The mentions (path, kind, lines) of a name, by path; without ``mention_kinds``: all."""
    condition = f"AND r.kind IN ({','.join('?' * len(mention_kinds))}) " if mention_kinds else ""
    rows = database.rows(
        "SELECT p.path, r.name, r.kind, r.lines FROM refs r "
        "CROSS JOIN paths p ON p.blob = r.blob AND p.tree = ? "
        f"WHERE r.name = ? {condition}ORDER BY p.path, r.kind LIMIT ?",
        (worktree, name, *mention_kinds, limit),
    )
    return [_mention(row) for row in rows]


def mentions_of_names(
    database: Database,
    worktree: str,
    names: Collection[str],
    mention_kinds: Sequence[str],
    limit: int,
) -> list[NameMention]:
    """The mentions (path, kind, lines) of some names, of ``mention_kinds`` (call ...), by path."""
    rows = database.rows(
        "SELECT p.path, r.name, r.kind, r.lines FROM json_each(?) n CROSS JOIN refs r "
        f"ON r.name = n.value AND r.kind IN ({','.join('?' * len(mention_kinds))}) "
        "CROSS JOIN paths p ON p.blob = r.blob AND p.tree = ? ORDER BY p.path, r.kind LIMIT ?",
        (json_array(sorted(names)), *mention_kinds, worktree, limit),
    )
    return [_mention(row) for row in rows]


def names_defined_once(database: Database, worktree: str, names: Collection[str]) -> list[str]:
    """Those of ``names`` that are defined only once, by file and enclosing class, in a worktree."""
    rows = database.rows(
        "SELECT s.name FROM json_each(?) n CROSS JOIN symbols s ON s.key = n.value "
        "CROSS JOIN paths p ON p.blob = s.blob AND p.tree = ? "
        "GROUP BY s.name HAVING count(DISTINCT p.path || char(0) || s.container) = 1",
        (json_array(sorted({normalise_name(name) for name in names})), worktree),
    )
    return [row[0] for row in rows if row[0] in names]


def files_importing_name(database: Database, worktree: str, name: str) -> dict[str, list[str]]:
    """A dict: path of a file that imports a name -> the modules from which it imports it."""
    rows = database.rows(
        "SELECT p.path, i.module FROM imports i CROSS JOIN paths p ON p.blob = i.blob "
        # The plain one first: most rows hold nothing of the name, and need no text made.
        "AND p.tree = ?1 WHERE instr(i.names, ?2) "
        "AND instr(' ' || i.names || ' ', ' ' || ?2 || ' ')",
        (worktree, name),
    )
    modules_by_path: dict[str, list[str]] = {}
    for path, module in rows:
        modules_by_path.setdefault(decode_path_from_database(path), []).append(module)
    return modules_by_path


def importers_of_modules(
    database: Database, worktree: str, modules: Sequence[str], limit: int = 1000
) -> list[ImportStatement]:
    """The imports of any of these modules (spelled as in the files), by path."""
    marks = ",".join("?" * len(modules))
    return _imports(database, worktree, f"i.module IN ({marks})", tuple(modules), limit)


def imports_of_file(database: Database, worktree: str, path: str) -> list[ImportStatement]:
    """The imports of a file, at most 1,000, in the order of the file."""
    return _imports(database, worktree, "p.path = ?", (encode_path_for_database(path),), 1000)


def imports_containing(database: Database, worktree: str, word: str) -> list[ImportStatement]:
    """The imports whose module or imported name contains a word; at most 1,000."""
    question = "(instr(i.module, ?) OR instr(i.names, ?))"
    return _imports(database, worktree, question, (word, word), 1000)


def _symbols(
    database: Database,
    worktree: str,
    question: str,
    values: tuple[str, ...],
    limit: int,
    first: str = "",
) -> list[Symbol]:
    rows = database.rows(
        f"SELECT {_SYMBOL} {_SHOWN} WHERE {question} "
        f"ORDER BY {first}s.exported DESC, p.path, s.start_line, s.id LIMIT ?",
        (worktree, *values, limit),
    )
    return [_symbol(row) for row in rows]


def _imports(
    database: Database, worktree: str, question: str, values: tuple[str, ...], limit: int
) -> list[ImportStatement]:
    rows = database.rows(
        "SELECT p.path, i.module, i.names, i.line FROM imports i "
        f"CROSS JOIN paths p ON p.blob = i.blob AND p.tree = ? WHERE {question} "
        "ORDER BY p.path, i.line, i.id LIMIT ?",
        (worktree, *values, limit),
    )
    return [
        ImportStatement(decode_path_from_database(row[0]), row[1], tuple(row[2].split()), row[3])
        for row in rows
    ]


def _symbol(row: Row) -> Symbol:
    values: Row = (row[0], decode_path_from_database(row[1]), *row[2:10], bool(row[10]))
    return Symbol(*values)


def _mention(row: Row) -> NameMention:
    return NameMention(
        decode_path_from_database(row[0]), row[1], row[2], tuple(map(int, row[3].split(",")))
    )
