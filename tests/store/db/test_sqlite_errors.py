"""Each way SQLite can fail becomes one gitmem error; our own mistakes stay visible."""

from __future__ import annotations

import apsw
import pytest

from gitmem.errors import (
    DiskFull,
    GitmemError,
    InvalidInput,
    ReadOnly,
    StoreBusy,
    StoreDamaged,
    Unavailable,
)
from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.db.sqlite_errors import EXPECTED, sqlite_errors_as_gitmem_errors
from tests.support.stores import keep, reopened, said
from tests.support.tables import table

CODES = {
    apsw.SQLITE_BUSY: StoreBusy,
    apsw.SQLITE_LOCKED: StoreBusy,
    apsw.SQLITE_BUSY_SNAPSHOT: StoreBusy,
    apsw.SQLITE_CORRUPT: StoreDamaged,
    apsw.SQLITE_CORRUPT_VTAB: StoreDamaged,
    apsw.SQLITE_NOTADB: StoreDamaged,
    apsw.SQLITE_FULL: DiskFull,
    apsw.SQLITE_IOERR_WRITE: DiskFull,
    apsw.SQLITE_IOERR_READ: Unavailable,
    apsw.SQLITE_IOERR_FSYNC: Unavailable,
    apsw.SQLITE_READONLY: ReadOnly,
    apsw.SQLITE_PERM: ReadOnly,
    apsw.SQLITE_CANTOPEN: Unavailable,
    apsw.SQLITE_INTERRUPT: Unavailable,
    apsw.SQLITE_PROTOCOL: StoreBusy,
    apsw.SQLITE_SCHEMA: StoreBusy,
    apsw.SQLITE_FORMAT: StoreDamaged,
    apsw.SQLITE_AUTH: ReadOnly,
    apsw.SQLITE_TOOBIG: InvalidInput,
    apsw.SQLITE_NOLFS: Unavailable,
    apsw.SQLITE_NOMEM: Unavailable,
    apsw.SQLITE_INTERNAL: Unavailable,
    apsw.SQLITE_ABORT: Unavailable,
    apsw.SQLITE_NOTFOUND: Unavailable,
    apsw.SQLITE_EMPTY: Unavailable,
}
# Only a mistake in our own statements, or in how they are called, gives these.
OURS = {
    apsw.SQLITE_ERROR,
    apsw.SQLITE_CONSTRAINT,
    apsw.SQLITE_MISMATCH,
    apsw.SQLITE_MISUSE,
    apsw.SQLITE_RANGE,
}
# Not failures: the answers of a statement that goes on, and lines for a log.
NO_ERRORS = {"OK", "ROW", "DONE", "NOTICE", "WARNING"}


@table("code", CODES)
def test_each_result_code_has_its_error(code: int) -> None:
    with pytest.raises(GitmemError) as caught, sqlite_errors_as_gitmem_errors("/x/memory.db"):
        raise apsw.exception_for(code)
    assert type(caught.value) is CODES[code]
    assert "/x/memory.db" in caught.value.message
    assert caught.value.hint


def test_every_primary_code_of_sqlite_is_known() -> None:
    known = {apsw.exception_for(code).__class__ for code in (*CODES, *OURS)}
    codes = [
        code
        for name, code in apsw.mapping_result_codes.items()
        if isinstance(name, str) and name.removeprefix("SQLITE_") not in NO_ERRORS
    ]
    assert len(codes) > 20
    for code in codes:
        assert apsw.exception_for(code).__class__ in known, apsw.mapping_result_codes[code]


def test_a_text_that_is_not_utf8_is_damage() -> None:
    with pytest.raises(StoreDamaged), sqlite_errors_as_gitmem_errors("/x/memory.db"):
        b"\xff".decode("utf-8")


@pytest.mark.parametrize("error", [type(apsw.exception_for(code)) for code in sorted(OURS)])
def test_a_mistake_of_ours_stays_what_it_is(error: type[apsw.Error]) -> None:
    assert not issubclass(error, EXPECTED)
    with pytest.raises(error), sqlite_errors_as_gitmem_errors("/x/memory.db"):
        raise error("bug")


def test_a_full_text_index_that_cannot_be_opened_is_damage(database: Database) -> None:
    """SQLite gives the same class of error as for a mistake in a statement."""
    keep(database, said())
    database.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    database.run("UPDATE memory_text_config SET v = 99 WHERE k = 'version'")
    other = reopened(database)
    with pytest.raises(StoreDamaged, match="full-text index"):
        full_text.count_matching_rows(other, "memory_text", "redis", 9)
    with pytest.raises(StoreDamaged, match="full-text index"):
        keep(other, said("New", seed=2))
    with pytest.raises(apsw.SQLError):
        database.rows("SELECT no_such_column FROM memories")
    other.close()


def test_a_store_without_its_counter_is_damage(database: Database) -> None:
    database.run("DELETE FROM meta WHERE key = 'counter'")
    with pytest.raises(StoreDamaged, match="counter"):
        keep(database, said())


def test_our_own_errors_pass_unchanged() -> None:
    mine = ReadOnly("mine")
    with pytest.raises(ReadOnly) as caught, sqlite_errors_as_gitmem_errors("/x/memory.db"):
        raise mine
    assert caught.value is mine
