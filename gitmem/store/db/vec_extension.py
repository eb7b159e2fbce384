"""sqlite-vec: distances computed inside SQLite, by its functions over the tables of ``vectors``.

There is no vec0 table that could fall out of step, be half written, or make the file unreadable
where the extension cannot be loaded (it has no wheel for musl); there the same questions are
answered in Python. CPU ms for one question to N vectors of 256 dimensions by a process that
answers no other (sqlite-vec 0.1.9, ``python -m tests.bench.vectors``, median of three runs):

    N                                          1,000    100,000
    vec0 table, int8                               2         70
    vec0 table, 400 by sign bits, cosines          5         68
    functions, 400 by sign bits, cosines           7         25   <- in use
    Python, 400 by sign bits, cosines             16         51   <- without sqlite-vec
    numpy, bits kept from the call before          2          4   <- resident server, once loaded

A search in vec0 reads every int8 vector, or grows with k, and 400 candidates are what the recall
of sign bits needs (``embedding.base.OVERSAMPLE``).
"""

from __future__ import annotations

import os

import apsw

from gitmem.errors import GitmemError
from gitmem.store.db.connection import Database

PACKAGE = "sqlite_vec"
VERSION = "0.1.9"


def has_vector_functions(database: Database) -> bool:
    """Whether this connection has the functions of sqlite-vec, loading them at the first call."""
    if database.accelerated is None:
        database.accelerated = _load(database.connection)
    return database.accelerated


def check_vector_extension(database: Database) -> tuple[str, str]:
    """(level, sentence) on whether sqlite-vec works; the level is ok, note or problem."""
    if not vec_extension_path():
        return "note", (
            "sqlite-vec is not installed: search and recall compare vectors in Python, with the "
            "same results in about twice the time"
        )
    if not has_vector_functions(database):
        return "problem", "sqlite-vec is installed but cannot be loaded"
    try:
        version, apart, alike = database.rows(
            "SELECT vec_version(), vec_distance_hamming(vec_bit(?1), vec_bit(?2)), "
            "vec_distance_cosine(vec_int8(?3), vec_int8(?4))",
            (b"\xf0", b"\x0f", b"\x03\x04" * 4, b"\x06\x08" * 4),
        )[0]
    except (apsw.Error, GitmemError) as error:
        return "problem", f"sqlite-vec does not work: {error}"
    if apart != 8 or abs(alike) > 1e-6:
        return "problem", f"sqlite-vec {version} computes wrong results"
    return "ok", f"sqlite-vec {version} works"


def vec_extension_path() -> str:
    """The path of sqlite-vec's library file; empty if it is not installed."""
    from importlib.machinery import PathFinder  # noqa: PLC0415

    spec = PathFinder.find_spec(PACKAGE)
    if spec is None or not spec.origin:
        return ""
    folder = os.path.dirname(spec.origin)
    for ending in (".so", ".dylib", ".dll"):
        path = os.path.join(folder, "vec0" + ending)
        if os.path.exists(path):
            return path
    return ""


def _load(connection: apsw.Connection) -> bool:
    path = vec_extension_path()
    if not path:
        return False
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(path)
        finally:
            connection.enable_load_extension(False)
        (version,) = connection.execute("SELECT vec_version()").fetchone() or ("",)
    except apsw.Error:
        # Made for another system, or damaged: the same answers come without it.
        return False
    # 0.1.6 was broken on some machines, 0.1.10 stops older processors: only what was tried.
    return str(version).removeprefix("v") == VERSION
