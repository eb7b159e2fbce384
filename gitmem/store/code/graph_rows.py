"""Writing the edges of the code graph, file by file, for one worktree at a time.

An edge hangs on two nodes, each a path and a qualified name. A file's edges are those that start in
it; its blob and its interface say whether they still hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gitmem.store.code.indexed_files import decode_path_from_database, encode_path_for_database
from gitmem.store.db.connection import Database

# (source name, target path, target name, kind, line, confidence in percent, evidence)
EdgeRow = tuple[str, str, str, str, int, int, str]
# (name, kind, container, start line, end line, signature, exported)
StoredDefinition = tuple[str, str, str, int, int, str, bool]
_OF_TREE = "FROM paths p LEFT JOIN graph_files g ON g.tree = ? AND g.path = p.path WHERE p.tree = ?"


def find_worktree_row_number(database: Database, worktree: str) -> int | None:
    """The number that the code graph's tables give a worktree; None if it is not in them yet."""
    number: int | None = database.value("SELECT id FROM graph_trees WHERE tree = ?", (worktree,))
    return number


def package_manifests_hash(database: Database, worktree: str) -> bytes:
    """The manifests' hash (package.json ...) as saved with a worktree's edges; empty if never."""
    manifests_hash = database.value("SELECT manifests FROM graph_trees WHERE tree = ?", (worktree,))
    return manifests_hash or b""


def save_package_manifests_hash(database: Database, worktree: str, manifests_hash: bytes) -> int:
    """Store the hash of a worktree's package manifests (package.json ...); returns its number.

    The number is that of ``find_worktree_row_number``; a new worktree gets one. Opens no
    transaction.
    """
    database.run(
        "INSERT INTO graph_trees (tree, manifests) VALUES (?,?) "
        "ON CONFLICT (tree) DO UPDATE SET manifests = excluded.manifests",
        (worktree, manifests_hash),
    )
    return find_worktree_row_number(database, worktree) or 0


def delete_worktree_edges(database: Database, worktree_row_number: int) -> None:
    """Delete all edges (uses of one file by another) of the worktree with this number."""
    database.run(
        "DELETE FROM graph_edges WHERE source IN (SELECT id FROM graph_nodes WHERE tree = ?)",
        (worktree_row_number,),
    )
    database.run("DELETE FROM graph_files WHERE tree = ?", (worktree_row_number,))


def files_with_outdated_edges(
    database: Database,
    worktree: str,
    languages: Collection[str],
    only_paths: Sequence[str] | None = None,
) -> dict[str, int]:
    """A dict: path -> row number of its content, of files whose edges are missing or outdated.

    Edges are stored uses of other files. Only files in these ``languages``, and of ``only_paths``
    if given.
    """
    number = find_worktree_row_number(database, worktree) or 0
    condition, names = _among("p.path", only_paths)
    rows = database.rows(
        f"SELECT p.path, p.blob {_OF_TREE}{condition} AND p.language IN ({_marks(languages)}) "
        "AND g.blob IS NOT p.blob",
        (number, worktree, *names, *sorted(languages)),
    )
    return {decode_path_from_database(path): blob for path, blob in rows}


def removed_paths_with_edges(
    database: Database, worktree: str, only_paths: Sequence[str] | None = None
) -> list[str]:
    """The paths that have edges (uses of other files) and are no longer indexed.

    ``only_paths`` limits it to some paths; None: all.
    """
    number = find_worktree_row_number(database, worktree) or 0
    condition, names = _among("g.path", only_paths)
    rows = database.rows(
        "SELECT g.path FROM graph_files g LEFT JOIN paths p ON p.tree = ? AND p.path = g.path "
        f"WHERE g.tree = ?{condition} AND p.path IS NULL",
        (worktree, number, *names),
    )
    return [decode_path_from_database(row[0]) for row in rows]


def _among(column: str, paths: Sequence[str] | None) -> tuple[str, list[str]]:
    """A condition that a column is one of some paths, and its values."""
    if paths is None:
        return "", []
    return f" AND {column} IN ({_marks(paths)})", [encode_path_for_database(path) for path in paths]


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def blob_row_numbers_and_languages_by_path(
    database: Database, worktree: str, only_paths: Sequence[str] | None = None
) -> dict[str, tuple[int, str]]:
    """A dict: path -> (row number of its content, language); None for ``only_paths``: all."""
    condition, names = _among("path", only_paths)
    question = f"SELECT path, blob, language FROM paths WHERE tree = ?{condition}"
    rows = database.rows(question, (worktree, *names))
    return {decode_path_from_database(path): (blob, language) for path, blob, language in rows}


def paths_containing_substring(database: Database, worktree: str, substring: str) -> list[str]:
    """The paths of a worktree that contain a text, sorted."""
    question = "SELECT path FROM paths WHERE tree = ? AND instr(path, ?)"
    return sorted(
        decode_path_from_database(row[0])
        for row in database.rows(question, (worktree, encode_path_for_database(substring)))
    )


def paths_in_folder(database: Database, worktree: str, folder: str) -> list[str] | None:
    """The paths directly in a folder, sorted; None if the worktree has no such folder."""
    begin = f"{encode_path_for_database(folder)}/" if folder else ""
    # Below a folder: all that sorts between its name with "/" and with what comes after "/".
    bounds = "AND path > ?2 AND path < substr(?2, 1, length(?2) - 1) || '0'" if folder else ""
    below = f"FROM paths WHERE tree = ?1 {bounds}"
    rows = database.rows(
        f"SELECT path {below} AND instr(substr(path, length(?2) + 1), '/') = 0", (worktree, begin)
    )
    if not rows and not database.value(
        f"SELECT EXISTS (SELECT 1 {below} AND ?2 = ?2)", (worktree, begin)
    ):
        return None if folder else []
    return sorted(decode_path_from_database(row[0]) for row in rows)


def blob_row_number_and_interface_hash(
    database: Database, worktree_row_number: int, path: str
) -> tuple[int, bytes] | None:
    """(row number, hash): the content of which a file's edges were made, and its interface.

    Edges are uses of other files. The hash is of what others can see of the file. None if it has no
    edges yet. ``worktree_row_number`` is that of ``find_worktree_row_number``.
    """
    question = "SELECT blob, interface FROM graph_files WHERE tree = ? AND path = ?"
    row = database.row(question, (worktree_row_number, encode_path_for_database(path)))
    return None if row is None else (row[0], row[1])


def replace_file_edges(
    database: Database,
    worktree_row_number: int,
    path: str,
    blob_row_number: int,
    interface_hash: bytes,
    edges: Iterable[EdgeRow],
) -> None:
    """Replace the edges (uses of other files) that start in a file. Opens no transaction.

    ``edges`` are (source name, target path, target name, kind, line, confidence in percent,
    evidence), made of the content ``blob_row_number``; ``interface_hash`` is a hash of what others
    can see of the file. ``worktree_row_number`` is that of ``find_worktree_row_number``.
    """
    delete_file_edges(database, worktree_row_number, path)
    nodes = _Nodes(database, worktree_row_number)
    rows = [
        (
            nodes.get_or_add_node_id(path, source),
            kind,
            nodes.get_or_add_node_id(target_path, target),
            line,
            confidence,
            nodes.get_or_add_evidence_text_id(evidence),
        )
        for source, target_path, target, kind, line, confidence, evidence in edges
    ]
    database.connection.executemany(
        "INSERT OR REPLACE INTO graph_edges (source, kind, target, line, confidence, evidence) "
        "VALUES (?,?,?,?,?,?)",
        rows,
    )
    database.run(
        "INSERT OR REPLACE INTO graph_files (tree, path, blob, interface) VALUES (?,?,?,?)",
        (worktree_row_number, encode_path_for_database(path), blob_row_number, interface_hash),
    )


def delete_file_edges(database: Database, worktree_row_number: int, path: str) -> None:
    """Delete the edges (uses of other files) that start in a file; edges that lead to it stay."""
    database.run(
        "DELETE FROM graph_edges WHERE source IN "
        "(SELECT id FROM graph_nodes WHERE tree = ? AND path = ?)",
        (worktree_row_number, encode_path_for_database(path)),
    )
    database.run(
        "DELETE FROM graph_files WHERE tree = ? AND path = ?",
        (worktree_row_number, encode_path_for_database(path)),
    )


class _Nodes:
    """The numbers of nodes and of evidence, cached and created on demand."""

    def __init__(self, database: Database, tree: int) -> None:
        self._database = database
        self._tree = tree
        self._known: dict[tuple[str, str], int] = {}
        self._evidence: dict[str, int] = {}

    def get_or_add_node_id(self, path: str, name: str) -> int:
        key = (path, name)
        if key not in self._known:
            values = (self._tree, encode_path_for_database(path), name)
            self._known[key] = self._of(
                "SELECT id FROM graph_nodes WHERE tree = ? AND path = ? AND name = ?",
                "INSERT INTO graph_nodes (tree, path, name) VALUES (?,?,?)",
                values,
            )
        return self._known[key]

    def get_or_add_evidence_text_id(self, text: str) -> int:
        if text not in self._evidence:
            self._evidence[text] = self._of(
                "SELECT id FROM graph_evidence WHERE text = ?",
                "INSERT INTO graph_evidence (text) VALUES (?)",
                (text,),
            )
        return self._evidence[text]

    def _of(self, question: str, insert: str, values: tuple[object, ...]) -> int:
        number: int | None = self._database.value(question, values)
        if number is None:
            self._database.run(insert, values)
            number = self._database.connection.last_insert_rowid()
        return number


# --- what edges are made of ---------------------------------------------------------------------


def definitions_in_blob(database: Database, blob_row_number: int) -> list[StoredDefinition]:
    """The definitions in a stored file's content, given by its row number, as tuples.

    Each is (name, kind, container, first line, last line, signature, whether exported).
    """
    question = (
        "SELECT name, kind, container, start_line, end_line, signature, exported FROM symbols "
        "WHERE blob = ?"
    )
    return [(*row[:6], bool(row[6])) for row in database.rows(question, (blob_row_number,))]


def definitions_named(
    database: Database, worktree: str, name: str, limit: int
) -> list[tuple[str, StoredDefinition]]:
    """(path, definition) for definitions with exactly this name, sorted by path and line.

    A definition is (name, kind, container, first line, last line, signature, whether exported).
    """
    from gitmem.store.code.symbols import normalise_name  # noqa: PLC0415 - beside what asks by name

    rows = database.rows(
        "SELECT p.path, s.name, s.kind, s.container, s.start_line, s.end_line, s.signature, "
        "s.exported "
        "FROM symbols s CROSS JOIN paths p ON p.blob = s.blob AND p.tree = ? "
        "WHERE s.key = ? AND s.name = ? ORDER BY p.path, s.start_line LIMIT ?",
        (worktree, normalise_name(name), name, limit),
    )
    return [(decode_path_from_database(row[0]), (*row[1:7], bool(row[7]))) for row in rows]


def paths_with_edges_to(
    database: Database, worktree_row_number: int, paths: Iterable[str]
) -> set[str]:
    """The paths of files that use one of these files (import it or call into it).

    ``worktree_row_number`` is that of ``find_worktree_row_number``.
    """
    using_paths: set[str] = set()
    for path in paths:
        rows = database.rows(
            "SELECT DISTINCT s.path FROM graph_nodes t JOIN graph_edges e ON e.target = t.id "
            "JOIN graph_nodes s ON s.id = e.source WHERE t.tree = ? AND t.path = ?",
            (worktree_row_number, encode_path_for_database(path)),
        )
        using_paths.update(decode_path_from_database(row[0]) for row in rows)
    return using_paths


def edges_from_file(
    database: Database, worktree_row_number: int, path: str
) -> list[tuple[str, str, str, int, str]]:
    """A file's uses of others: (kind, target path, target name, line, source name) each.

    Kinds are call, import ...; a name is empty for a file as a whole. ``worktree_row_number`` is
    that of ``find_worktree_row_number``.
    """
    rows = database.rows(
        "SELECT e.kind, t.path, t.name, e.line, s.name FROM graph_nodes s JOIN graph_edges e "
        "ON e.source = s.id JOIN graph_nodes t ON t.id = e.target WHERE s.tree = ? AND s.path = ?",
        (worktree_row_number, encode_path_for_database(path)),
    )
    return [(kind, decode_path_from_database(place), *rest) for kind, place, *rest in rows]


def files_using_names(database: Database, worktree: str, names: Sequence[str]) -> set[str]:
    """The paths of files that call, inherit from or decorate with one of these names."""
    using_paths: set[str] = set()
    for name in names:
        rows = database.rows(
            "SELECT DISTINCT p.path FROM refs r CROSS JOIN paths p ON p.blob = r.blob "
            "AND p.tree = ? WHERE r.name = ? AND r.kind IN ('call', 'inherit', 'decorator')",
            (worktree, name),
        )
        using_paths.update(decode_path_from_database(row[0]) for row in rows)
    return using_paths


def files_with_imports_containing(
    database: Database, worktree: str, name_substrings: Iterable[str]
) -> set[str]:
    """The paths of files with an import whose module or names contain one of some texts."""
    importing_paths: set[str] = set()
    for word in name_substrings:
        if word.encode("utf-8", "ignore").decode() != word:
            continue  # A file name that is no UTF-8: no import can say it, and SQLite takes none.
        rows = database.rows(
            "SELECT DISTINCT p.path FROM imports i CROSS JOIN paths p ON p.blob = i.blob "
            "AND p.tree = ? WHERE instr(i.module, ?) OR instr(i.names, ?)",
            (worktree, word, word),
        )
        importing_paths.update(decode_path_from_database(row[0]) for row in rows)
    return importing_paths
