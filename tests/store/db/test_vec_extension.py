"""sqlite-vec is loaded and answers as Python does; without it, or with a broken one, nothing fails.

ML-14, CF-4.
"""

from __future__ import annotations

import importlib.machinery
import random
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from gitmem.embedding import base
from gitmem.store.code import vector_bytes, vectors
from gitmem.store.db import preflight, vec_extension
from gitmem.store.db.connection import Database
from tests.support.amounts import amount
from tests.support.stores import open_store

MODEL = "test:model:64:1"


@pytest.fixture
def loaded(database: Database) -> Database:
    pytest.importorskip("sqlite_vec")
    assert vec_extension.has_vector_functions(database)
    return database


def test_the_extension_loads_and_answers(loaded: Database) -> None:
    """Loading, not importing, is the proof: a broken binary imports well."""
    state, output = vec_extension.check_vector_extension(loaded)
    assert (state, output) == ("ok", f"sqlite-vec v{vec_extension.VERSION} works")


def test_the_package_itself_is_not_imported() -> None:
    code = (
        "import sys, apsw\n"
        "from gitmem.store.db import vec_extension\n"
        "from gitmem.store.db.connection import Database\n"
        "database = Database(':memory:', apsw.Connection(':memory:'), read_only=False)\n"
        "loaded = sorted({'sqlite_vec', 'numpy'} & set(sys.modules))\n"
        "print(vec_extension.has_vector_functions(database), loaded)"
    )
    pytest.importorskip("sqlite_vec")
    root = str(Path(vec_extension.__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{code}"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split(maxsplit=1) == ["True", "[]\n"], done.stderr


def test_nothing_else_can_be_loaded_afterwards(loaded: Database) -> None:
    path = vec_extension.vec_extension_path()
    with pytest.raises(apsw.Error):
        loaded.connection.load_extension(path)
    with pytest.raises(apsw.Error):
        loaded.connection.execute("SELECT load_extension(?)", (path,)).fetchall()
    assert loaded.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1


def test_bits_and_cosines_are_those_of_python(loaded: Database) -> None:
    chance = random.Random(3)
    made = [base.quantise_vector([chance.gauss(0, 1) for _ in range(64)]) for _ in range(500)]
    made[7] = bytes(64)
    query = made[40]
    with loaded.write():
        vectors.add_vectors(
            loaded,
            MODEL,
            "commit",
            [(number.to_bytes(16), q8, base.sign_bits(q8)) for number, q8 in enumerate(made)],
        )
        loaded.connection.executemany(
            "INSERT INTO commits (id, sha, author, at, subject, body, paths, hash) "
            "VALUES (?, ?, '', 0, '', '', '', ?)",
            [(number, str(number), number.to_bytes(16)) for number in range(500)],
        )
    part = vectors.find_vector_set(loaded, MODEL, "commit")
    assert part is not None
    numbers, packed = vector_bytes.read_sign_bits(loaded, part.id, 8)
    near = base.nearest_by_sign_bits(base.sign_bits(query), packed, 90)
    expected = [(numbers[at], packed[at * 8 : (at + 1) * 8]) for at in near]
    assert vectors.nearest_vectors(loaded, part.id, base.sign_bits(query), 90) == expected
    stands = dict(vectors.source_rows_of_vectors(loaded, "commit", numbers, ""))
    values = vector_bytes.vectors_by_vector_number(loaded, numbers)
    exact = dict(
        base.rank_by_cosine(query, [(stands[item], values[item]) for item in numbers], 500)
    )
    fast = {
        stands[item]: alike for item, alike in vectors.cosines_with_question(loaded, numbers, query)
    }
    assert fast == exact
    assert fast[7] == 0
    some = dict(vectors.vectors_or_cosines_of_rows(loaded, MODEL, "commit", [3, 9, 7], query))
    assert some == {key: exact[key] for key in (3, 9, 7)}


@pytest.mark.parametrize("dimension", [8, 64, 256, 1024])
def test_cosines_too_near_for_single_precision_are_distinguished(
    loaded: Database, dimension: int
) -> None:
    """sqlite-vec answers in 24 bits; the order of near cosines is that of Python all the same."""
    chance = random.Random(dimension)
    question = base.quantise_vector([chance.gauss(0, 1) for _ in range(dimension)])
    made = [question, bytes(dimension), bytes(-byte & 255 for byte in question)]
    made += [end + bytes(dimension - 1) for end in (b"\x7f", b"\x81")]
    made += [end * dimension for end in (b"\x7f", b"\x81")]
    for spread in (0.02, 0.3, 3.0):
        values = memoryview(question).cast("b")
        noise = [
            [chance.gauss(0, 127 * spread) for _ in values]
            for _ in range(amount(120, thorough=400))
        ]
        made += [
            base.quantise_vector([a + b for a, b in zip(values, item, strict=True)])
            for item in noise
        ]
    with loaded.write():
        rows = [(at.to_bytes(16), q8, base.sign_bits(q8)) for at, q8 in enumerate(made)]
        vectors.add_vectors(loaded, MODEL, "memory", rows)
        loaded.connection.executemany(
            "INSERT INTO memory_marks (seq, hash) VALUES (?, ?)",
            [(at, at.to_bytes(16)) for at in range(len(made))],
        )
    keys = range(len(made))
    fast = dict(vectors.vectors_or_cosines_of_rows(loaded, MODEL, "memory", keys, question))
    assert fast == {at: base.cosine(question, q8) for at, q8 in enumerate(made)}
    nothing = dict(
        vectors.vectors_or_cosines_of_rows(loaded, MODEL, "memory", keys, bytes(dimension))
    )
    assert set(nothing.values()) == {0.0}


def test_a_vector_of_another_length_is_left_out(loaded: Database) -> None:
    good, bad = base.quantise_vector([1.0] * 64), base.quantise_vector([1.0] * 32)
    with loaded.write():
        rows = [(bytes([n]) * 16, q8, base.sign_bits(q8)) for n, q8 in enumerate((good, bad))]
        vectors.add_vectors(loaded, MODEL, "memory", rows)
        for number in (0, 1):
            loaded.run(
                "INSERT INTO memory_marks (seq, hash) VALUES (?, ?)", (number, rows[number][0])
            )
    part = vectors.find_vector_set(loaded, MODEL, "memory")
    assert part is not None
    assert len(vectors.nearest_vectors(loaded, part.id, base.sign_bits(good), 9)) == 1
    assert len(vector_bytes.read_sign_bits(loaded, part.id, 8)[0]) == 1
    assert [
        key for key, _ in vectors.vectors_or_cosines_of_rows(loaded, MODEL, "memory", [0, 1], good)
    ] == [0]


def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        importlib.machinery.PathFinder, "find_spec", lambda *_names: None, raising=True
    )


def test_without_the_package_it_says_so_and_is_not_ready(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent(monkeypatch)
    assert not vec_extension.has_vector_functions(database)
    state, output = vec_extension.check_vector_extension(database)
    assert state == "note" and "not installed" in output


def test_a_file_that_is_no_library_is_a_problem_and_no_crash(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / vec_extension.PACKAGE
    broken.mkdir()
    (broken / "__init__.py").write_text("")
    (broken / "vec0.so").write_bytes(b"\x7fELF" + bytes(60))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert vec_extension.vec_extension_path() == str(broken / "vec0.so")
    assert not vec_extension.has_vector_functions(database)
    assert vec_extension.check_vector_extension(database)[0] == "problem"


def test_a_store_used_with_it_opens_without_it(
    loaded: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing of the extension in the file, so its schema is the same."""
    with loaded.write():
        vectors.add_vectors(loaded, MODEL, "memory", [(b"x" * 16, bytes(64), bytes(8))])
    assert preflight.check_store_file_owner_and_format(loaded.path)
    absent(monkeypatch)
    again = open_store(loaded.path)
    assert vectors.vector_counts_by_model(again) == {MODEL: 1}
    again.close()
