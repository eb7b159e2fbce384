"""Comparing by meaning: three ways that give the same answers, and what is kept between calls."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import islice, permutations
from pathlib import Path

import pytest

from gitmem.embedding import base
from gitmem.embedding.hashed import HashedEmbedder
from gitmem.indexing import text_vectors, vectors_in_memory
from gitmem.store.code import commits, memory_vectors, vectors
from gitmem.store.db import vec_extension
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from tests.store.code.test_indexed_files import HERE, THERE, blob, show
from tests.support.stores import edited, keep, make_store, open_store, said

MODEL = HashedEmbedder(256)
NAME = base.model_identity(MODEL)
WORDS = ("cart", "order", "price", "stock", "user", "login", "token", "cache", "redis", "queue")
WAYS = ("numpy", "sqlite-vec", "python")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A new, empty store."""
    made = make_store(tmp_path / ".gitmem" / "memory.db")
    yield made
    made.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the file of ``store`` holds."""
    path = tmp_path_factory.mktemp("made") / ".gitmem" / "memory.db"
    database = make_store(path)
    chance = random.Random(5)
    texts = [f"{number} " + " ".join(chance.choices(WORDS, k=5)) for number in range(800)]
    with database.write():
        commits.add_commits(
            database,
            [_commit(n, text) for n, text in enumerate(texts)],
        )
    _embed(database, "commit")
    database.close()
    return path.read_bytes()


@pytest.fixture
def store(made: bytes, tmp_path: Path) -> Iterator[Database]:
    """800 commits with vectors."""
    path = tmp_path / ".gitmem" / "memory.db"
    make_store(path).close()
    path.write_bytes(made)
    copied = open_store(str(path))
    yield copied
    copied.close()


def _commit(number: int, text: str) -> commits.IndexedCommit:
    return commits.IndexedCommit(f"{number:040x}", "A", 0, text, "", (), hash_text(text))


def _embed(database: Database, source: str) -> None:
    waiting = vectors.texts_without_vector(database, NAME, source, 5000)
    rows = [
        (item.hash, q8, base.sign_bits(q8))
        for item, q8 in zip(waiting, MODEL.embed([item.text for item in waiting]), strict=True)
    ]
    with database.write():
        vectors.add_vectors(database, NAME, source, rows)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way of comparing, the others out of reach."""
    if request.param == "numpy":
        pytest.importorskip("numpy")
    else:
        monkeypatch.setitem(sys.modules, "numpy", None)
    if request.param == "sqlite-vec":
        pytest.importorskip("sqlite_vec")
        monkeypatch.setattr(text_vectors, "WORTH_LOADING", 0)
    else:
        monkeypatch.setattr(vec_extension, "has_vector_functions", lambda _database: False)
    return str(request.param)


def query(text: str) -> bytes:
    return MODEL.embed([text])[0]


def by_hand(database: Database, question: bytes, limit: int) -> list[int]:
    """All cosines, and nothing else."""
    rows = database.rows("SELECT c.id, v.q8 FROM commits c JOIN vectors v ON v.hash = c.hash")
    scored = sorted(((-base.cosine(question, q8), key) for key, q8 in rows))
    return [key for _, key in scored[:limit]]


def test_each_way_finds_what_comparing_all_finds(store: Database, way: str) -> None:
    """CF-34, CT-31: sign bits choose, the cosine decides, and each vector is compared."""
    question = query("redis cache token")
    found = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 20)
    assert list(found) == by_hand(store, question, 20)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    vector = dict(vectors.vectors_or_cosines_of_rows(store, NAME, "commit", list(found)))
    assert found == {key: base.cosine(question, vector[key]) for key in found}


def test_some_rows_only_few_or_many(
    store: Database, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_vectors, "FEW", 50)
    question = query("redis cache token")
    few, many, worst = set(range(1, 800, 20)), set(range(1, 800, 3)), by_hand(store, question, 800)
    for within in (few, many, set(worst[600:])):
        found = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 10, within)
        best = [key for key in by_hand(store, question, 800) if key in within][:10]
        assert list(found) == best


def test_similarity_of_rows_that_have_a_vector(store: Database, way: str) -> None:
    question = query("redis cache token")
    found = text_vectors.cosines_of_rows(store, MODEL, question, "commit", [5, 99999, 7])
    vector = dict(vectors.vectors_or_cosines_of_rows(store, NAME, "commit", [5, 7]))
    assert found == {key: base.cosine(question, vector[key]) for key in (5, 7)}
    assert text_vectors.cosines_of_rows(store, MODEL, question, "commit", []) == {}


def test_of_many_that_are_as_alike_the_first_rows_come_first(database: Database, way: str) -> None:
    """However many are looked up at once, and in whatever order their vectors lie."""
    orders = [" ".join(order) for order in islice(permutations(WORDS[:6]), 300)]
    with database.write():
        commits.add_commits(database, [_commit(n, text) for n, text in enumerate(orders)])
    _embed(database, "commit")
    assert list(
        text_vectors.most_similar_rows(database, MODEL, query("cart"), "commit", "", 20)
    ) == [*range(1, 21)]


def test_of_more_vectors_more_are_rescored(
    store: Database, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ML-14: the same number of candidates holds ever fewer of the nearest."""
    question = query("redis cache token")
    best = set(by_hand(store, question, 100))
    monkeypatch.setattr(text_vectors, "MOST_RESCORED", 100)
    held = []
    for size in (801, 200):
        monkeypatch.setattr(text_vectors, "PER_RESCORED", size)
        found = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 100)
        held.append(len(best & found.keys()))
    assert held[0] < held[1] > 90


def test_of_many_vectors_the_question_says_which_bits_weigh_more(
    store: Database, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ML-14: candidates are chosen from more, by each way alike."""
    question = query("redis cache token")
    monkeypatch.setattr(text_vectors, "MOST_RESCORED", 100)
    monkeypatch.setattr(text_vectors, "CANDIDATES_PER_RESULT", 4)
    for least, expected in ((801, 100), (800, 400), (800, 200)):
        monkeypatch.setattr(text_vectors, "WEIGHED", least)
        monkeypatch.setattr(text_vectors, "MOST_CANDIDATES", expected)
        found = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 100)
        assert found == _weighed_by_hand(store, question, expected, 100)


def _weighed_by_hand(
    store: Database, question: bytes, observed: int, count: int
) -> dict[int, float]:
    rows = store.rows("SELECT c.id, v.q8 FROM vectors v JOIN commits c USING (hash) ORDER BY v.id")
    values, bits = memoryview(question).cast("b"), int.from_bytes(base.sign_bits(question))
    near = sorted(rows, key=lambda row: (int.from_bytes(base.sign_bits(row[1])) ^ bits).bit_count())

    def apart(row: tuple[int, bytes]) -> int:
        own = memoryview(row[1]).cast("b")
        return sum(abs(a) for a, b in zip(values, own, strict=True) if (a > 0) != (b > 0))

    chosen = sorted(near[:observed], key=apart)[:count]
    return {key: base.cosine(question, q8) for key, q8 in chosen}


def test_a_damaged_vector_costs_itself_alone(store: Database, way: str) -> None:
    question = query("redis cache token")
    best, *others = by_hand(store, question, 800)
    with store.write():
        store.run(
            "UPDATE vectors SET q8 = x'01' WHERE hash = (SELECT hash FROM commits WHERE id = ?)",
            (best,),
        )
    found = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 20)
    assert [key for key in found if key != best] == others[: len(found) - (best in found)]


def test_a_server_compares_in_memory_once_numpy_is_there(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-34: what it kept before numpy came does not stand in the way; large parts are read."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(vec_extension, "has_vector_functions", lambda _database: False)
    part = vectors.find_vector_set(store, NAME, "commit")
    assert part is not None
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "numpy", None)
        assert vectors_in_memory.load_vectors(store, part, 32).whole == b""
    saved = vectors_in_memory.load_vectors(store, part, 32)
    assert len(saved.whole) == 256 * len(saved.numbers) == 256 * 800
    monkeypatch.setattr(vectors_in_memory, "MOST", 799)
    monkeypatch.setattr(vectors_in_memory, "_loaded", {})
    assert vectors_in_memory.load_vectors(store, part, 32).whole == b""
    question = query("redis cache token")
    found = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 20)
    assert list(found) == by_hand(store, question, 20)


def test_what_is_added_is_found_by_the_next_question(store: Database, way: str) -> None:
    question = query("walrus")
    text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 5)
    with store.write():
        commits.add_commits(store, [_commit(5000, "walrus")])
    _embed(store, "commit")
    (key, cosine), *_ = text_vectors.most_similar_rows(
        store, MODEL, question, "commit", "", 5
    ).items()
    assert (key, cosine) == (801, pytest.approx(1, abs=1e-5))


def test_what_is_gone_is_not_found_though_its_vector_stays(store: Database, way: str) -> None:
    question = query("redis cache token")
    gone = list(text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 420))
    with store.write():
        commits.delete_commits(store, [f"{key - 1:040x}" for key in gone])
    left = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 10)
    assert len(left) == 10
    assert not set(left) & set(gone)


@pytest.mark.parametrize("damaged", [False, True])
def test_where_the_extension_cannot_be_loaded_the_answers_are_the_same(
    store: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
) -> None:
    """CC-18: a package without its library, as on musl, and one whose library is damaged."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    question = query("redis cache token")
    expected = text_vectors.most_similar_rows(store, MODEL, question, "commit", "", 100)
    package = tmp_path / vec_extension.PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text("")
    if damaged:
        (package / "vec0.so").write_bytes(b"\x7fELF" + bytes(60))
    monkeypatch.syspath_prepend(str(tmp_path))
    again = open_store(store.path)
    found = text_vectors.most_similar_rows(again, MODEL, question, "commit", "", 100)
    assert again.accelerated is False
    again.close()
    assert list(found.items()) == list(expected.items())
    assert list(found) == by_hand(store, question, 100)


def test_a_few_vectors_are_compared_without_loading_anything(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading the extension takes longer than comparing them in Python."""
    pytest.importorskip("sqlite_vec")
    monkeypatch.setitem(sys.modules, "numpy", None)
    question = query("redis cache token")
    few = text_vectors.cosines_of_rows(
        store, MODEL, question, "commit", range(1, text_vectors.WORTH_LOADING)
    )
    assert store.accelerated is None
    all_of_them = text_vectors.cosines_of_rows(store, MODEL, question, "commit", range(1, 800))
    assert store.accelerated
    assert few == {key: all_of_them[key] for key in few}


def test_chunks_of_another_work_tree_do_not_take_the_places(database: Database, way: str) -> None:
    show(database, THERE, a=blob(database, "a" * 40, *[f"redis {n}" for n in range(600)]))
    mine = blob(database, "b" * 40, "redis here")
    show(database, HERE, b=mine)
    _embed(database, "chunk")
    found = text_vectors.most_similar_rows(database, MODEL, query("redis"), "chunk", HERE, 10)
    assert len(found) == 1


def test_nothing_embedded_gives_nothing(database: Database, way: str) -> None:
    assert text_vectors.most_similar_rows(database, MODEL, query("redis"), "chunk", HERE, 10) == {}


def test_an_edited_memory_catches_up_and_is_asked_for_no_more(database: Database) -> None:
    stored = keep(database, said("alpha"))
    text_vectors.embed_recent_memories(database, MODEL)
    assert memory_vectors.memories_without_vector(database, NAME, 9) == []
    edited(database, stored, content="beta gamma")
    assert [item.text for item in memory_vectors.memories_without_vector(database, NAME, 9)] == [
        "beta gamma"
    ]
    text_vectors.embed_recent_memories(database, MODEL)
    assert memory_vectors.memories_without_vector(database, NAME, 9) == []
    assert len(text_vectors.most_similar_rows(database, MODEL, query("beta"), "memory", "", 5)) == 1


def test_another_model_has_every_memory_to_embed(database: Database) -> None:
    keep(database, said("alpha"))
    other = base.model_identity(HashedEmbedder(64))
    assert text_vectors.embed_memories(database, MODEL) == 1
    assert len(memory_vectors.memories_without_vector(database, other, 9)) == 1
    assert text_vectors.embed_memories(database, HashedEmbedder(64)) == 1
    with database.write():
        vectors.delete_unused_vectors(database, [NAME])
    # Which model had it last was the other one: it is embedded again rather than forgotten.
    assert text_vectors.embed_memories(database, MODEL) == 1
    assert text_vectors.embed_memories(database, MODEL) == 0


def test_catching_up_does_not_wait_for_a_writer(database: Database) -> None:
    keep(database, said("alpha"))
    other = open_store(database.path)
    with other.write():
        text_vectors.embed_recent_memories(database, MODEL)
    other.close()
    assert len(memory_vectors.memories_without_vector(database, NAME, 9)) == 1


def test_a_server_loads_numpy_only_after_a_question_to_many(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[int] = []
    monkeypatch.setattr(text_vectors, "_has_compared_many", False)
    monkeypatch.setattr(base, "numpy_if_loaded", lambda: None)
    monkeypatch.setattr(base, "load_numpy", lambda: loads.append(1))
    text_vectors.most_similar_rows(store, MODEL, query("redis"), "commit", "", 5)
    text_vectors.load_contextual_model_in_background()
    assert loads == []
    monkeypatch.setattr(text_vectors, "MANY", 500)
    text_vectors.most_similar_rows(store, MODEL, query("redis"), "commit", "", 5)
    text_vectors.load_contextual_model_in_background()
    assert loads == [1]
