"""Vectors by content and model: reused, and never mixed (CE-2, CE-22, CE-28, CE-30)."""

from __future__ import annotations

from gitmem.embedding import base
from gitmem.embedding.hashed import HashedEmbedder
from gitmem.store.code import commits, indexed_files, vector_bytes, vectors
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from tests.store.code.test_commits import made
from tests.store.code.test_indexed_files import HERE, THERE, blob, show
from tests.support.stores import edited, keep, said

A, B = HashedEmbedder(64), HashedEmbedder(128)
IDENTITY, OTHER = base.model_identity(A), base.model_identity(B)


def embed(database: Database, embedder: HashedEmbedder, source: str) -> int:
    name = base.model_identity(embedder)
    waiting = vectors.texts_without_vector(database, name, source, 1000)
    made_of = embedder.embed([item.text for item in waiting])
    with database.write():
        vectors.add_vectors(
            database,
            name,
            source,
            [(item.hash, v, base.sign_bits(v)) for item, v in zip(waiting, made_of, strict=True)],
        )
    return len(waiting)


def shown(database: Database, model: str, source: str, tree: str = "") -> list[tuple[int, bytes]]:
    """Key and vector of all rows of a source."""
    part = vectors.find_vector_set(database, model, source)
    if part is None:
        return []
    width = int(model.split(":")[2]) // 8
    numbers, packed = vector_bytes.read_sign_bits(database, part.id, width)
    assert len(packed) == width * len(numbers)
    values = vector_bytes.vectors_by_vector_number(database, numbers)
    rows = vectors.source_rows_of_vectors(database, source, numbers, tree)
    return [(key, values[number]) for number, key in rows]


def test_everything_waits_until_it_has_a_vector(database: Database) -> None:
    show(database, HERE, a=blob(database, "a" * 40, "one", "two"))
    keep(database, said("a fact"))
    with database.write():
        commits.add_commits(database, [made(1)])
    assert vectors.count_texts_without_vector(database, IDENTITY) == 4
    assert [embed(database, A, source) for source in vectors.SOURCES] == [1, 2, 1]
    assert vectors.count_texts_without_vector(database, IDENTITY) == 0
    assert vectors.vector_counts_by_model(database) == {IDENTITY: 4}


def test_what_is_embedded_is_what_the_hash_is_of(database: Database) -> None:
    """CT-2: of a memory title and content, and no tag."""
    keep(database, said("content", title="title", tags=("tag",)))
    with database.write():
        commits.add_commits(database, [made(1, "subject", body="body")])
    show(database, HERE, a=blob(database, "a" * 40, "text"))
    for source in vectors.SOURCES:
        (result,) = vectors.texts_without_vector(database, IDENTITY, source, 9)
        if source != "commit":  # the builder there marks the subject alone
            assert hash_text(result.text) == result.hash
        assert source != "memory" or result.text == "title\ncontent"


def test_the_same_text_is_embedded_once(database: Database) -> None:
    show(database, HERE, a=blob(database, "a" * 40, "same", "same"))
    show(database, HERE, b=blob(database, "b" * 40, "same", "other"))
    assert embed(database, A, "chunk") == 2
    assert len(shown(database, IDENTITY, "chunk", HERE)) == 4
    show(database, HERE, c=blob(database, "c" * 40, "other"))
    assert vectors.count_texts_without_vector(database, IDENTITY) == 0


def test_two_models_stand_side_by_side_and_never_meet(database: Database) -> None:
    show(database, HERE, a=blob(database, "a" * 40, "text"))
    embed(database, A, "chunk")
    assert vectors.count_texts_without_vector(database, OTHER) == 1
    assert shown(database, OTHER, "chunk", HERE) == []
    assert vectors.vectors_or_cosines_of_rows(database, OTHER, "chunk", [1]) == []
    embed(database, B, "chunk")
    ((_, short),) = vectors.vectors_or_cosines_of_rows(database, IDENTITY, "chunk", [1])
    ((_, long),) = vectors.vectors_or_cosines_of_rows(database, OTHER, "chunk", [1])
    assert (len(short), len(long)) == (64, 128)
    assert vectors.vector_counts_by_model(database) == {IDENTITY: 1, OTHER: 1}


def test_only_chunks_of_the_tree_are_compared(database: Database) -> None:
    mine, yours = blob(database, "a" * 40, "mine"), blob(database, "b" * 40, "yours")
    show(database, HERE, a=mine)
    show(database, THERE, b=yours)
    embed(database, A, "chunk")
    assert [key for key, _ in shown(database, IDENTITY, "chunk", HERE)] == [mine]
    assert shown(database, IDENTITY, "chunk", "/elsewhere") == []


def test_an_edited_memory_waits_for_a_new_vector(database: Database) -> None:
    stored = keep(database, said("alpha"))
    embed(database, A, "memory")
    edited(database, stored, content="beta")
    assert [
        text.text for text in vectors.texts_without_vector(database, IDENTITY, "memory", 9)
    ] == ["beta"]
    embed(database, A, "memory")
    assert len(shown(database, IDENTITY, "memory")) == 1


def test_vectors_of_gone_texts_and_other_models_are_dropped(database: Database) -> None:
    stored = keep(database, said("alpha"))
    show(database, HERE, a=blob(database, "a" * 40, "text"))
    for source in ("memory", "chunk"):
        embed(database, A, source)
        embed(database, B, source)
    edited(database, stored, content="beta")
    with database.write():
        assert vectors.delete_unused_vectors(database, [IDENTITY]) == 3
        assert vectors.delete_unused_vectors(database, [IDENTITY]) == 0
    assert vectors.vector_counts_by_model(database) == {IDENTITY: 1}


def test_a_limit_gives_the_rest_later(database: Database) -> None:
    show(database, HERE, a=blob(database, "a" * 40, "one", "two", "three"))
    assert len(vectors.texts_without_vector(database, IDENTITY, "chunk", 2)) == 2


def test_nothing_in_the_store_is_left_after_its_blob(database: Database) -> None:
    number = blob(database, "a" * 40, "text")
    embed(database, A, "chunk")
    with database.write():
        assert indexed_files.delete_unreferenced_blobs(database) == 1
        assert vectors.delete_unused_vectors(database, [IDENTITY]) == 1
    assert number and vectors.vector_counts_by_model(database) == {}
