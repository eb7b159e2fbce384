"""Definitions, mentions and imports: found by name, shown by tree, gone with their blob."""

from __future__ import annotations

import pytest

from gitmem.store.code import indexed_files, symbols
from gitmem.store.code.symbols import ImportStatement, NameMention
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows

HERE, THERE = "/work/here", "/work/there"
TABLES = ("symbols", "refs", "imports")


def blob(
    database: Database,
    oid: str,
    *names: str,
    mentioned: tuple[symbols.MentionRow, ...] = (),
    imported: tuple[symbols.ImportRow, ...] = (),
) -> int:
    """A blob that defines functions ten lines long; names in brackets are not exported."""
    defined: list[symbols.DefinitionRow] = []
    for at, given in enumerate(names):
        name, line = given.strip("()"), at * 10 + 1
        row = (name, "function", f"def {name}()", "", "", line, line + 9, given == name)
        defined.append(row)
    with database.write():
        number = indexed_files.add_blob(
            database,
            blob_id=oid * 40,
            chunker="code/2/python/1",
            chunks=(),
            line_count=9,
            byte_count=9,
        )
        symbols.add_symbols(database, number, defined, mentioned, imported)
    return number


def show(database: Database, tree: str, **entries: int) -> None:
    rows = [(f"src/{name}.py", number, "python") for name, number in entries.items()]
    with database.write():
        indexed_files.set_blobs_of_paths(database, tree, rows)


def names(found: list[symbols.Symbol]) -> list[str]:
    return [item.name for item in found]


@pytest.mark.parametrize("text", ["loadConfig", "load_config", "LoadConfig", "_load_config"])
def test_a_name_is_found_however_it_is_written(database: Database, text: str) -> None:
    show(database, HERE, a=blob(database, "a", "load_config", "other"))
    assert names(symbols.definitions_in_any_spelling(database, HERE, text, 9)) == ["load_config"]
    assert names(symbols.definitions_of_names(database, HERE, [text, "nothing"], 9)) == [
        "load_config"
    ]


def test_an_exact_name_is_found_only_as_it_is(database: Database) -> None:
    show(database, HERE, a=blob(database, "a", "load_config", "loadConfig"))
    assert names(symbols.definitions_by_name(database, HERE, "loadConfig", 9)) == ["loadConfig"]
    assert symbols.definitions_by_name(database, HERE, "LOADCONFIG", 9) == []


def test_a_name_of_underscores_only_is_a_name(database: Database) -> None:
    show(database, HERE, a=blob(database, "a", "_", "__"))
    assert names(symbols.definitions_in_any_spelling(database, HERE, "_", 9)) == ["_"]


def test_what_a_row_says(database: Database) -> None:
    show(database, HERE, a=blob(database, "a", "(first)", "second"))
    result = symbols.definitions_by_name(database, HERE, "second", 9)[0]
    assert (result.path, result.language, result.kind) == ("src/a.py", "python", "function")
    assert (result.signature, result.container) == ("def second()", "")
    assert (result.start_line, result.end_line, result.exported) == (11, 20, True)
    assert symbols.definitions_by_name(database, HERE, "first", 9)[0].exported is False


def test_what_others_can_see_comes_first(database: Database) -> None:
    show(database, HERE, a=blob(database, "a", "(run)"), b=blob(database, "b", "run"))
    found = symbols.definitions_by_name(database, HERE, "run", 9)
    assert [item.path for item in found] == ["src/b.py", "src/a.py"]
    assert len(symbols.definitions_by_name(database, HERE, "run", 1)) == 1


def test_the_start_of_a_name_finds_the_shortest_first(database: Database) -> None:
    show(database, HERE, a=blob(database, "a", "loader_of_things", "Load", "unload", "load_all"))
    found = names(symbols.definitions_with_prefix(database, HERE, "lo_ad", 9))
    assert found == ["Load", "load_all", "loader_of_things"]


def test_a_tree_sees_only_what_its_paths_show(database: Database) -> None:
    mine = blob(database, "a", "mine", mentioned=(("x", "call", "1"),), imported=(("os", "", 1),))
    yours = blob(database, "b", "yours", mentioned=(("x", "call", "2"),), imported=(("os", "", 2),))
    show(database, HERE, a=mine)
    show(database, THERE, b=yours)
    assert symbols.definitions_by_name(database, HERE, "yours", 9) == []
    assert [reference.path for reference in symbols.mentions_of_name(database, THERE, "x")] == [
        "src/b.py"
    ]
    assert [importer.path for importer in symbols.importers_of_modules(database, HERE, ["os"])] == [
        "src/a.py"
    ]


def test_mentions_come_with_their_lines_and_kinds(database: Database) -> None:
    mentioned = (("run", "call", "3,17,40"), ("run", "type", "5"), ("stop", "call", "1"))
    show(database, HERE, a=blob(database, "a", mentioned=mentioned))
    assert symbols.mentions_of_name(database, HERE, "run", ["call"]) == [
        NameMention("src/a.py", "run", "call", (3, 17, 40))
    ]
    assert [reference.kind for reference in symbols.mentions_of_name(database, HERE, "run")] == [
        "call",
        "type",
    ]


def test_imports_are_found_by_module(database: Database) -> None:
    imported = (("shop.cart", "Cart add", 2), ("shop.cart.tax", "", 1), ("shopping", "", 3))
    show(database, HERE, a=blob(database, "a", imported=imported))
    assert symbols.importers_of_modules(database, HERE, ["shop.cart", "x"]) == [
        ImportStatement("src/a.py", "shop.cart", ("Cart", "add"), 2)
    ]


def test_definitions_of_a_file_are_in_order(database: Database) -> None:
    number = blob(database, "a", "one", "two")
    show(database, HERE, a=number)
    assert names(symbols.symbols_of_path(database, HERE, "src/a.py")) == ["one", "two"]


def test_a_path_that_is_no_utf8_comes_back_as_it_was(database: Database) -> None:
    number = blob(database, "a", "run", mentioned=(("x", "call", "1"),))
    with database.write():
        indexed_files.set_blobs_of_paths(database, HERE, [("caf\udce9.py", number, "python")])
    assert symbols.definitions_by_name(database, HERE, "run", 9)[0].path == "caf\udce9.py"
    assert names(symbols.symbols_of_path(database, HERE, "caf\udce9.py")) == ["run"]
    assert symbols.mentions_of_name(database, HERE, "x")[0].path == "caf\udce9.py"


def full(database: Database) -> int:
    return blob(
        database, "a", "run", mentioned=(("x", "call", "1"),), imported=(("os", "path", 1),)
    )


def rows(database: Database) -> list[int]:
    return [database.value(f"SELECT count(*) FROM {table}") for table in TABLES]


def test_everything_goes_with_its_blob(database: Database) -> None:
    full(database)
    assert rows(database) == [1, 1, 1]
    with database.write():
        assert indexed_files.delete_unreferenced_blobs(database) == 1
    assert rows(database) == [0, 0, 0]


def test_emptying_the_sources_empties_these_tables(database: Database) -> None:
    show(database, HERE, a=full(database))
    with database.write():
        derived_rows.delete_indexed_files_and_commits(database)
    assert rows(database) == [0, 0, 0]
    full(database)
    assert rows(database) == [1, 1, 1]
