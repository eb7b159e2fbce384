"""The contextual model reads in the background: when that is due, and how a run ends (CE-40)."""

from __future__ import annotations

import pytest

from gitmem.clock import HOUR
from gitmem.embedding.contextual import ContextualEmbedder
from gitmem.errors import Unavailable
from gitmem.indexing import contextual_vectors
from gitmem.maintenance import contextual_reading, schedule
from gitmem.maintenance.schedule import FEW_CHANGES, PAUSE_MS
from gitmem.retrieval import vectors
from gitmem.store.db import projects
from tests.support.apps import Desk
from tests.support.repos import CONTEXTUAL

THINGS = (
    "Redis listens on port",
    "The ledger counts in cents since",
    "Ada owns the parser for",
    "Backups are kept until",
    "Cookies are signed with key",
    "The logo is drawn by script",
    "Invoices are numbered from",
    "Deploys wait for approval number",
    "Search is sharded over",
)


@pytest.fixture
def reading(desk: Desk) -> Desk:
    desk.env[CONTEXTUAL] = "always"
    return desk


def due(desk: Desk) -> bool:
    app = desk.app()
    try:
        return schedule.is_contextual_embedding_due(app, app.store)
    finally:
        app.close()


def remember(desk: Desk, count: int) -> None:
    for thing in THINGS[:count]:
        desk.run("remember", text=f"{thing} {desk.clock.now()}")


def test_few_memories_wait_an_hour_and_many_some_minutes(reading: Desk) -> None:
    assert not due(reading)
    remember(reading, 1)
    assert not due(reading)
    reading.clock.advance(HOUR)
    assert due(reading)
    assert reading.run("upkeep").read == 1
    assert not due(reading)
    remember(reading, FEW_CHANGES + 1)
    assert not due(reading)
    reading.clock.advance(PAUSE_MS)
    assert due(reading)
    assert reading.run("upkeep").read == FEW_CHANGES + 1
    reading.clock.advance(HOUR)
    assert not due(reading)


def test_the_user_s_store_is_read_with_that_of_the_project(reading: Desk) -> None:
    """A question asks both: one that was not read would leave the other's reading without use."""
    reading.run("remember", text=THINGS[0], layer="global")
    remember(reading, FEW_CHANGES + 1)
    reading.clock.advance(PAUSE_MS)
    assert reading.run("upkeep").read == FEW_CHANGES + 2
    app = reading.app()
    assert contextual_vectors.contextual_model_if_complete(app, app.stores()) is not None
    app.close()


def test_nothing_is_due_where_the_model_is_not_to_read(reading: Desk) -> None:
    remember(reading, 1)
    reading.clock.advance(HOUR)
    for name, value in ((CONTEXTUAL, "off"), ("GITMEM_MODEL", "hashed")):
        reading.env[name] = value
        assert not due(reading)
        assert reading.run("upkeep").read == 0
        reading.env[name] = {CONTEXTUAL: "always"}.get(name, "builtin")
    assert due(reading)


def test_a_clock_that_went_back_stops_no_reading(reading: Desk) -> None:
    reading.clock.advance(100 * HOUR)
    remember(reading, 1)
    reading.run("upkeep")
    reading.clock.advance(-50 * HOUR)
    remember(reading, 2)
    assert due(reading)


def test_a_run_that_is_out_of_time_goes_on_minutes_later(
    reading: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(reading, FEW_CHANGES + 1)
    reading.clock.advance(PAUSE_MS)
    monkeypatch.setattr(contextual_reading, "STEP_SECONDS", 0.0)
    app = reading.app()
    assert contextual_reading.embed_waiting_memories(app, app.store, 0.0) == 0
    app.close()
    assert not due(reading)  # somebody may be at it
    reading.clock.advance(PAUSE_MS)
    assert due(reading)


def test_a_model_that_does_not_load_is_tried_again_and_harms_nothing(
    reading: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(reading, 1)
    reading.clock.advance(HOUR)

    def damaged(*_: object, **__: object) -> list[bytes]:
        raise Unavailable("The contextual model is damaged.", "")

    monkeypatch.setattr(ContextualEmbedder, "embed", damaged)
    assert reading.run("upkeep").read == 0
    assert not due(reading)
    reading.clock.advance(HOUR)
    assert due(reading)
    assert [memory.content for memory in reading.run("recall", query="Redis").memories]


def test_an_index_run_reads_what_waits(reading: Desk) -> None:
    remember(reading, 2)
    assert reading.run("index").memories == 2
    assert "read" not in reading.text("index")
    app = reading.app()
    assert contextual_vectors.contextual_model_if_complete(app, [app.store]) is not None
    app.close()
    reading.clock.advance(HOUR)
    assert not due(reading)


def test_doctor_and_model_status_tell_how_far_it_is(
    reading: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(reading, 3)
    monkeypatch.setattr(contextual_vectors, "CATCH_UP", 1)
    reading.run("index")
    assert "contextual model" not in reading.text("doctor")
    stored = reading.run("model status").stored
    assert [(item.identity.partition(":")[0], item.in_use) for item in stored] == [
        ("builtin", True),
        ("contextual", True),
    ]
    for text in ("Ovens are at 220 degrees.", "The quay is closed.", "Bees swarm in May."):
        reading.run("remember", text=text)
    assert "3 of 6 memories wait for the contextual model" in reading.text("doctor")


def asked_by_a_server(desk: Desk) -> None:
    app = desk.app()
    app.resident = True
    vectors.embed_question_for_memories(app, "redis port", app.stores())
    app.close()


def test_nothing_is_read_until_a_server_asks_and_for_a_month_after_that(desk: Desk) -> None:
    """Who never runs a server is spared 30 ms of CPU for each memory."""
    desk.env[CONTEXTUAL] = "server"
    remember(desk, 2)
    desk.clock.advance(HOUR)
    desk.run("recall", query="redis port")
    assert not due(desk)
    assert (desk.run("index").memories, desk.run("upkeep").read) == (0, 0)
    assert "reads nothing until a server" in desk.text("model status")
    assert "contextual model" not in desk.text("doctor")
    asked_by_a_server(desk)
    assert due(desk)
    assert desk.run("upkeep").read == 2
    assert "has read 2 of 2 memories; a server asks it" in desk.text("model status")
    remember(desk, 1)
    desk.clock.advance(30 * 24 * HOUR - 1)
    assert due(desk)
    desk.clock.advance(1)
    assert not due(desk)
    assert desk.run("index").memories == 0
    asked_by_a_server(desk)
    assert due(desk)


def test_a_server_notes_once_a_day_that_it_asks(desk: Desk) -> None:
    desk.env[CONTEXTUAL] = "server"
    remember(desk, 1)

    def noted() -> int:
        app = desk.app()
        at = projects.last_contextual_vectors_request_ms(app.store)
        app.close()
        return at

    assert noted() == 0
    asked_by_a_server(desk)
    first = noted()
    assert first == desk.clock.now()
    desk.clock.advance(23 * HOUR)
    asked_by_a_server(desk)
    assert noted() == first
    desk.clock.advance(HOUR)
    asked_by_a_server(desk)
    assert noted() == desk.clock.now()
    desk.clock.advance(-100 * HOUR)
    asked_by_a_server(desk)
    assert noted() == desk.clock.now()
    desk.env[CONTEXTUAL] = "off"
    desk.clock.advance(100 * HOUR)
    asked_by_a_server(desk)
    assert noted() < desk.clock.now()
    assert "reads nothing: embedding.contextual is off" in desk.text("model status")
