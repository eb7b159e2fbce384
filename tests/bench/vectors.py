"""What comparing a question with many vectors costs, by each way there is.

    python -m tests.bench.vectors [--rows 1000,100000] [--questions 40] [--runs 7] [--json FILE]

The vectors are drawn, not embedded: 256 signed bytes around shared centres, each the vector of a
commit in an ordinary store; vec0 tables with the same stand in a file beside it. Each way runs in
processes of its own. Warm: one process answers all questions, p50 of CPU and of wall milliseconds.
Once: a process opens the store, answers one question and ends; CPU milliseconds, the least of
``--runs``, above those of a process that opens the store and asks nothing. ``found`` is the share
of the true ten nearest among the ten that came first; of drawn vectors it compares the ways with
each other and promises nothing for embedded text.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitmem.embedding import base
from gitmem.indexing import text_vectors
from gitmem.store.code import vectors
from gitmem.store.db import vec_extension
from gitmem.store.db.connection import Database
from tests.support.stores import open_store

if TYPE_CHECKING:
    import argparse

DIMENSION = 256
LIMIT = 20
# What vec0 has to bring: the rows that ``meaning.alike`` wants, and the candidates of sign bits.
WHOLE, CANDIDATES = 100, text_vectors.MOST_RESCORED
NOTHING, EXACT = "nothing", "functions, every cosine"


class Drawn:
    """Stands for the model of vectors that were drawn and not embedded."""

    provider, model, dimension, checksum = "bench", "drawn", DIMENSION, "0"

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
        """Nothing is embedded here."""
        raise NotImplementedError


NAME = base.model_identity(Drawn())
Found = Sequence[tuple[int, float]]
# A process that answers imports what gitmem imports, and nothing of the measuring.
_CHILD = (
    "import sys; from tests.bench.vectors import ask; ask(*sys.argv[1:3], *map(int, sys.argv[3:]))"
)


def _nothing(_database: Database, _question: bytes) -> Found:
    return ()


def _vec0_whole(database: Database, question: bytes) -> Found:
    """The cosines of all, kept and compared by vec0."""
    return _rows(
        database,
        "WITH near AS MATERIALIZED (SELECT id, distance FROM beside.whole "
        "WHERE q8 MATCH vec_int8(?1) AND k = ?2) "
        "SELECT c.id, 1 - n.distance FROM near n JOIN vectors v ON v.id = n.id "
        "JOIN commits c ON c.hash = v.hash ORDER BY n.distance, c.id",
        (question, WHOLE),
    )[:LIMIT]


def _vec0_bits(database: Database, question: bytes) -> Found:
    """The sign bits in a vec0 table, the cosines over the ordinary one."""
    near = _rows(
        database,
        "SELECT id, distance FROM beside.signs WHERE bits MATCH vec_bit(?1) AND k = ?2",
        (base.sign_bits(question), CANDIDATES),
    )
    return _cosines(database, [number for number, _ in near], question)


def _cosines(database: Database, numbers: Sequence[int], question: bytes) -> Found:
    alike = dict(vectors.cosines_with_question(database, numbers, question))
    found = [
        (key, alike[item])
        for item, key in vectors.source_rows_of_vectors(database, "commit", numbers, "")
    ]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:LIMIT]


def _every_cosine(database: Database, question: bytes) -> Found:
    """No prefilter: sqlite-vec's function over all rows."""
    return _rows(
        database,
        "SELECT c.id, 1 - vec_distance_cosine(vec_int8(v.q8), vec_int8(?1)) AS cosine "
        "FROM vectors v JOIN commits c ON c.hash = v.hash ORDER BY cosine DESC, c.id LIMIT ?2",
        (question, LIMIT),
    )


def _as_gitmem_does(database: Database, question: bytes) -> Found:
    """By numpy where it is loaded, else by sqlite-vec's functions, else in Python."""
    found = text_vectors.most_similar_rows(database, Drawn(), question, "commit", "", LIMIT)
    return list(found.items())


# Name -> (whether sqlite-vec is in reach, whether numpy is loaded, the way).
WAYS: dict[str, tuple[bool, bool, Callable[[Database, bytes], Found]]] = {
    NOTHING: (True, False, _nothing),
    "vec0, int8": (True, False, _vec0_whole),
    "vec0, bits, then cosines": (True, False, _vec0_bits),
    EXACT: (True, False, _every_cosine),
    "functions, bits, then cosines": (True, False, _as_gitmem_does),
    "Python": (False, False, _as_gitmem_does),
    "numpy": (False, True, _as_gitmem_does),
}


def _rows(database: Database, sql: str, values: tuple[object, ...]) -> list[tuple[int, float]]:
    return [(row[0], row[1]) for row in database.rows(sql, values)]


def ask(folder: str, name: str, count: int, warm: int) -> None:
    """Answer ``count`` questions one way, after ``warm`` untimed ones, and print what came."""
    extension, numpy, way = WAYS[name]
    database = open_store(os.path.join(folder, "memory.db"))
    if not extension:
        database.accelerated = False
    if numpy:
        base.load_numpy()
    if name.startswith("vec0"):
        assert vec_extension.has_vector_functions(database)
        database.run("ATTACH DATABASE ? AS beside", (os.path.join(folder, "vec0.db"),))
    elif name == EXACT:
        assert vec_extension.has_vector_functions(database)
    with open(os.path.join(folder, "questions"), "rb") as file:
        queries = [file.read(DIMENSION) for _ in range(warm + count)]
    for question in queries[:warm]:
        way(database, question)
    result = []
    for question in queries[warm:]:
        wall, cpu = time.perf_counter(), time.process_time()
        found = way(database, question)
        took = (time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000
        result.append((*took, [key for key, _ in found]))
    print(json.dumps(result))
    database.close()


def main() -> int:
    """Run it; the exit status."""
    from tests.bench import measure

    options = measure.arguments(__doc__ or "", 7)
    options.add_argument("--rows", default="1000,100000", help="how many vectors; more with commas")
    options.add_argument("--questions", type=int, default=40)
    options.add_argument("--json", help="a file to write the numbers to")
    given = options.parse_args()
    result = {count: _measured(int(count), given) for count in given.rows.split(",")}
    print(measure.machine())
    for count, (sizes, rows) in result.items():
        print(f"\n{count} vectors; MB on disk: {sizes}")
        heads = ("ms", "warm, CPU p50", "warm, wall p50", "once, CPU", "found")
        print(measure.table(heads, [(name, *row) for name, row in rows.items()]))
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    return 0


def _measured(
    count: int, given: argparse.Namespace
) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    """Sizes on disk, and for each way the columns of the table."""
    import subprocess
    import tempfile

    from tests.bench import measure

    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        folder = Path(temporary)
        sizes = _make(folder, count, given.questions + 3)
        env = measure.child_environment(dict(os.environ))
        env["PYTHONPATH"] = str(Path(__file__).parents[2])
        start = [sys.executable, "-c", _CHILD, temporary]
        warm = {}
        for name in WAYS:
            command = [*start, name, str(given.questions), "3"]
            done = subprocess.run(command, env=env, cwd=folder, capture_output=True, check=True)
            warm[name] = json.loads(done.stdout)
        jobs = {name: [*start, name, "1", "0"] for name in WAYS}
        once = measure.sample(jobs, given.runs, cwd=folder, env=env)
    rows = {}
    for name, answers in warm.items():
        pairs = zip(answers, warm[EXACT], strict=True)
        same = sum(len(set(item[2][:10]) & set(true[2][:10])) for item, true in pairs)
        rows[name] = (
            *(f"{measure.median([answer[column] for answer in answers]):.2f}" for column in (0, 1)),
            f"{once[name].least - once[NOTHING].least:.1f}",
            f"{same / 10 / len(answers):.3f}",
        )
    return sizes, rows


def _make(folder: Path, count: int, questions: int) -> dict[str, float]:
    """A store, the vec0 tables beside it and the questions; what takes how many MB."""
    import apsw

    from tests.support.stores import make_store

    made, query = _drawn(count, questions)
    (folder / "questions").write_bytes(b"".join(query))
    database = make_store(folder / "memory.db")
    with database.write():
        rows = [(at.to_bytes(16), q8, base.sign_bits(q8)) for at, q8 in enumerate(made)]
        vectors.add_vectors(database, NAME, "commit", rows)
        database.connection.executemany(
            "INSERT INTO commits (id, sha, author, at, subject, body, paths, hash) "
            "VALUES (?, ?, '', 0, '', '', '', ?)",
            [(at, f"{at:040x}", at.to_bytes(16)) for at in range(count)],
        )
    sizes = {
        table: _megabytes(
            database,
            "SELECT sum(pgsize) FROM dbstat WHERE name IN "
            "(SELECT name FROM sqlite_schema WHERE tbl_name = ?)",
            table,
        )
        for table in ("vectors", "vector_bits")
    }
    numbered = database.rows("SELECT id, q8 FROM vectors ORDER BY id")
    database.close()
    beside = apsw.Connection(str(folder / "vec0.db"))
    beside.enable_load_extension(True)
    beside.load_extension(vec_extension.vec_extension_path())
    for table, column, values in (
        ("whole", f"q8 int8[{DIMENSION}] distance_metric=cosine", numbered),
        ("signs", f"bits bit[{DIMENSION}]", [(at, base.sign_bits(q8)) for at, q8 in numbered]),
    ):
        wrap = "vec_int8(?)" if table == "whole" else "vec_bit(?)"
        with beside:
            beside.execute(
                f"CREATE VIRTUAL TABLE {table} USING vec0(id INTEGER PRIMARY KEY, {column})"
            )
            beside.executemany(f"INSERT INTO {table} VALUES (?, {wrap})", values)
        pages = "SELECT sum(pgsize) FROM dbstat WHERE name GLOB ?"
        (size,) = beside.execute(pages, (f"*{table}*",)).fetchone() or (0,)
        sizes[f"vec0 {table}"] = round(size / 1e6, 2)
    beside.close()
    return sizes


def _megabytes(database: Database, sql: str, table: str) -> float:
    return round((database.value(sql, (table,)) or 0) / 1e6, 2)


def _drawn(count: int, questions: int) -> tuple[list[bytes], list[bytes]]:
    """Vectors around shared centres, and questions that lie near some of them."""
    import numpy

    chance = numpy.random.default_rng(7)
    centres = chance.normal(size=(200, DIMENSION))
    made = centres[chance.integers(200, size=count)] + chance.normal(size=(count, DIMENSION))
    result = made[chance.integers(count, size=questions)]
    result = result + 0.7 * chance.normal(size=result.shape)
    return _quantised(made), _quantised(result)


def _quantised(rows: Any) -> list[bytes]:
    import numpy

    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return [item.tobytes() for item in numpy.rint(rows / lengths * base.SCALE).astype("i1")]


if __name__ == "__main__":
    sys.exit(main())
