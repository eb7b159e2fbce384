"""Memories by the contextual model (CE-40): when it answers, and what is never mixed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.embedding import base
from gitmem.embedding.bert import BertEncoder
from gitmem.errors import Unavailable
from gitmem.indexing import contextual_vectors, text_vectors
from gitmem.model.frozen import replace
from gitmem.retrieval import vectors
from gitmem.store.code import memory_vectors
from gitmem.store.code import vectors as stored
from tests.support.apps import Desk, copy_of
from tests.support.repos import CONTEXTUAL, RepoBuilder
from tests.support.waiting import wait_until

LIMIT = "The gateway applies rate limiting to every API consumer."
QUESTIONS = "where do we throttle clients?"
# Nothing of what the question means, and no word of it.
OTHERS = ("The logo is drawn as an SVG.", "Dates in the ledger are UTC.", "Ada owns the parser.")


@pytest.fixture
def repo(model_repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """The repository that a desk knows, not the one of this folder."""
    return copy_of(model_repo, tmp_path)


@pytest.fixture
def reading(desk: Desk) -> Iterator[App]:
    """A store with some memories that the contextual model is to read."""
    desk.env[CONTEXTUAL] = "always"
    for text in (LIMIT, *OTHERS):
        desk.run("remember", text=text)
    app = desk.app()
    yield app
    app.close()


def asked_by(app: App) -> str:
    """The last of the models that a question is put to."""
    question = vectors.embed_question_for_memories(app, QUESTIONS, [app.store])
    return (question.beside or question).embedder.provider


def test_a_store_is_covered_when_it_was_read_all_but_a_few() -> None:
    few = contextual_vectors.CATCH_UP
    for known, waiting, covered in (
        (False, 0, False),
        (False, 1, False),
        (True, 0, True),
        (True, few, True),
        (True, few + 1, False),
    ):
        assert (
            contextual_vectors.covers_nearly_all_memories(
                is_model_used=known, missing_vector_count=waiting
            )
            == covered
        )


def test_the_table_answers_until_all_is_read(reading: App) -> None:
    assert asked_by(reading) == "builtin"
    assert contextual_vectors.embed_with_contextual_model(reading, reading.store) == 1 + len(OTHERS)
    assert asked_by(reading) == "contextual"
    assert contextual_vectors.embed_with_contextual_model(reading, reading.store) == 0
    assert contextual_vectors.measure_vector_coverage(
        reading, reading.store
    ) == contextual_vectors.VectorCoverage(4, 0)


def test_a_few_new_memories_are_read_by_the_question_and_many_are_not(
    reading: App, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    desk.run("remember", text="The queue keeps what the worker has not acknowledged.")
    assert asked_by(reading) == "contextual"
    name = base.model_identity(contextual_vectors.open_contextual_model())
    assert memory_vectors.count_memories_without_vector(reading.store, name) == 0
    # Whichever model answers next time: every memory has the vectors of both.
    table = text_vectors.configured_embedder(reading)
    assert (
        stored.count_texts_without_vector(reading.store, base.model_identity(table), ["memory"])
        == 0
    )
    monkeypatch.setattr(contextual_vectors, "CATCH_UP", 0)
    desk.run("remember", text="Backups are made at night.")
    assert asked_by(reading) == "builtin"


def test_an_edited_memory_is_read_again(reading: App, desk: Desk) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    memory = desk.run("list").memories[0]
    desk.run("revise", id=memory.id, text="The cart is kept for a day.")
    name = base.model_identity(contextual_vectors.open_contextual_model())
    assert memory_vectors.count_memories_without_vector(reading.store, name) == 1
    assert contextual_vectors.embed_with_contextual_model(reading, reading.store) == 1


def test_reading_stops_in_time_and_goes_on_with_the_newest_first(
    reading: App, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert contextual_vectors.embed_with_contextual_model(reading, reading.store, 0.0) == 0
    monkeypatch.setattr(contextual_vectors, "BATCH", 1)
    table = text_vectors.configured_embedder(reading)
    text_vectors.embed_memories(reading.store, table)
    text_vectors.embed_memories(reading.store, contextual_vectors.open_contextual_model(), 1)
    name = base.model_identity(contextual_vectors.open_contextual_model())
    left = memory_vectors.memories_without_vector(reading.store, name, 9)
    assert [item.text for item in left] == [*reversed((LIMIT, *OTHERS[:-1]))]
    assert contextual_vectors.embed_with_contextual_model(reading, reading.store) == 3


def test_a_command_that_ends_asks_the_table_unless_requested_otherwise(
    reading: App, desk: Desk
) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    del desk.env[CONTEXTUAL]
    app = desk.app()
    assert asked_by(app) == "builtin"
    app.resident = True
    assert asked_by(app) == "contextual"
    app.close()


def test_a_question_to_a_server_does_not_wait_for_the_model(reading: App) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    text_vectors.unload_contextual_model()
    reading.resident = True
    assert asked_by(reading) == "builtin"
    text_vectors.load_contextual_model_in_background()
    wait_until(lambda: text_vectors.is_embedder_loaded(contextual_vectors.open_contextual_model()))
    assert asked_by(reading) == "contextual"
    text_vectors.load_contextual_model_in_background()


def test_a_server_searches_files_while_the_model_reads_the_question(reading: App) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    alone = vectors.embed_question_for_memories(reading, QUESTIONS, [reading.store])
    reading.resident = True
    both = vectors.embed_question_for_memories(reading, QUESTIONS, [reading.store])
    assert alone.beside is not None
    assert both.beside is not None
    assert callable(both.beside.vector)
    assert both.beside.question_vector == alone.beside.vector
    near = [item.nearest_rows(reading.store, "memory", 4) for item in (alone, both)]
    assert near[0] == near[1]
    assert len(near[0]) == 4


def test_a_server_loads_no_model_for_a_store_that_was_not_read(reading: App) -> None:
    text_vectors.unload_contextual_model()
    reading.resident = True
    assert asked_by(reading) == "builtin"
    before = threading.active_count()
    text_vectors.load_contextual_model_in_background()
    assert threading.active_count() == before


def test_the_switch_and_another_model_turn_it_off(reading: App, desk: Desk) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    for name, value in ((CONTEXTUAL, "off"), ("GITMEM_MODEL", "hashed")):
        before = dict(desk.env)
        desk.env[name] = value
        app = desk.app()
        assert asked_by(app) != "contextual"
        assert contextual_vectors.measure_vector_coverage(app, app.store) is None
        assert contextual_vectors.embed_with_contextual_model(app, app.store) == 0
        app.close()
        desk.env.clear()
        desk.env.update(before)


def test_a_damaged_model_leaves_the_answer_to_the_table(
    reading: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)

    def damaged(*_: object, **__: object) -> list[bytes]:
        raise Unavailable("The contextual model is damaged.", "")

    monkeypatch.setattr(type(contextual_vectors.open_contextual_model()), "embed", damaged)
    assert asked_by(reading) == "builtin"


def test_of_two_models_the_similarity_is_the_mean_of_their_cosines(reading: App) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    both = vectors.embed_question_for_memories(reading, QUESTIONS, [reading.store])
    assert both.beside is not None
    alone = (replace(both, beside=None), both.beside)
    first, second = (item.nearest_rows(reading.store, "memory", 9) for item in alone)
    found = both.nearest_rows(reading.store, "memory", 2)
    assert len(first) == len(second) == 4
    means = sorted(((first[key] + second[key]) / 2 for key in first), reverse=True)
    assert list(found.values()) == pytest.approx(means[:2])
    assert both.similarities_of_rows(reading.store, "memory", [1, 2], [1]).keys() == {2}


def test_recall_and_search_find_what_only_the_meaning_shares(reading: App, desk: Desk) -> None:
    assert desk.run("recall", query=QUESTIONS).memories == ()
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    assert [memory.content for memory in desk.run("recall", query=QUESTIONS).memories] == [LIMIT]
    found = desk.run("search", query=QUESTIONS, sources=("memories",)).hits
    assert [item.snippet for item in found][:1] == [LIMIT]
    # The vectors of both models stand side by side: pruning drops neither.
    desk.run("index", action="prune")
    assert asked_by(reading) == "contextual"


def test_an_idle_server_gives_the_memory_back_and_answers_again(reading: App) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    before = vectors.embed_question_for_memories(reading, QUESTIONS, [reading.store])
    text_vectors.unload_contextual_model()
    held = vars(contextual_vectors.open_contextual_model())
    assert not any(isinstance(item, BertEncoder) for item in held.values())
    assert vectors.embed_question_for_memories(reading, QUESTIONS, [reading.store]) == before


def test_a_store_that_was_not_read_costs_a_question_no_numpy(reading: App, desk: Desk) -> None:
    words = (sys.executable, "-X", "importtime", "-m", "gitmem", "recall", "the ledger")
    result = subprocess.run(
        words, cwd=desk.place, env=desk.env, capture_output=True, text=True, check=True
    )
    assert "ledger" in result.stdout
    loaded = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines()}
    assert "gitmem.indexing.contextual_vectors" in loaded
    assert loaded.isdisjoint({"numpy", "gitmem.embedding.bert"})


def test_a_change_of_model_and_back_leaves_the_vectors_of_both(reading: App, desk: Desk) -> None:
    contextual_vectors.embed_with_contextual_model(reading, reading.store)
    desk.run("model use", name="contextual")
    assert len(desk.run("recall", query=QUESTIONS).memories) == 1
    desk.run("model use", name="builtin")
    app = desk.app()
    # The vectors were not lost, only their marks: nothing is computed again.
    assert contextual_vectors.embed_with_contextual_model(app, app.store) == 0
    assert asked_by(app) == "contextual"
    app.close()
