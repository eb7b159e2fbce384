"""Feedback: what it does to the order, to what is told unasked, and to a life (ML-19)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.errors import Conflict, InvalidInput, NotFound
from tests.support.apps import DAY, MINUTE, Desk

QUESTION = "which port does redis use"
TEXTS = (
    "Redis uses port 6380 in tests",
    "Which port redis has in production: 6379",
    "Redis port forwarding breaks on the VPN",
    "The redis image is pinned to 7.2",
    "The port of the web server is 8080",
)

STORE = (
    *TEXTS,
    "Redis in CI is the same redis as in production",
    "The web server waits for redis before it opens its port",
    "Nobody pins the image of the web server",
)
WORDS = ("redis", "port", "web", "server", "production", "image", "which", "tests", "opens")


def keep(desk: Desk, *texts: str, **more: object) -> list[str]:
    return [str(desk.run("remember", text=text, **more).id) for text in texts]


def order(desk: Desk, query: str = QUESTION, **more: object) -> list[str]:
    return [memory.id for memory in desk.run("recall", query=query, limit=20, **more).memories]


def test_what_is_wrong_is_never_among_the_first_three(desk: Desk) -> None:
    keep(desk, *TEXTS)
    for mode in ("keyword", "hybrid"):
        before = order(desk, mode=mode)
        (done,) = desk.run("feedback", id=(before[0],), wrong=True).items
        assert done.doubted
        assert before[0] not in order(desk, mode=mode)[:3], mode
        assert order(desk, mode=mode)[-1] == before[0], mode
        found = desk.run("search", query=QUESTION, sources=("memories",), mode=mode)
        assert before[0] not in [hit.id for hit in found.hits[:3]], mode
        desk.run("feedback", id=(before[0],), useful=True)


def test_where_few_answer_it_is_left_out_and_still_there(desk: Desk) -> None:
    first, second = keep(desk, *TEXTS[:2])
    desk.run("feedback", id=(first,), wrong=True)
    assert order(desk) == [second]
    assert order(desk, threshold=0.0, mode="semantic") == [second]
    assert first in [memory.id for memory in desk.run("list").memories]
    assert "feedback" in desk.text("show", id=first)
    assert "marked wrong" in [version.action for version in desk.run("history", id=first).versions]
    desk.run("feedback", id=(first,), useful=True)
    assert sorted(order(desk)) == sorted([first, second])


def test_what_is_wrong_is_not_reported_unasked(desk: Desk) -> None:
    (id,) = keep(desk, "Always deploy on Fridays", kind="convention", pin=True)
    assert "Fridays" in desk.text("orient")
    desk.run("feedback", id=(id,), wrong=True)
    assert "Fridays" not in desk.text("orient")
    assert "Fridays" not in desk.text("context", query="when to deploy")


def test_explain_shows_what_it_does(desk: Desk) -> None:
    ids = keep(desk, *TEXTS)
    desk.run("feedback", id=(ids[3],), useful=True)
    result = desk.run("recall", query=QUESTION, limit=20, explain=True)
    parts = {score.id: score.parts for score in result.scores}
    assert parts[ids[3]]["feedback"] == 1.05
    assert "feedback" not in parts[ids[0]]
    assert "feedback 1.05" in desk.text("recall", query=QUESTION, limit=20, explain=True)
    (hit,) = [memory for memory in result.memories if memory.id == ids[3]]
    assert "marked useful" in hit.why
    search = desk.text("search", query=QUESTION, sources=("memories",), explain=True)
    assert "by feedback x1.05" in search


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    from tests.support.apps import small_repo

    folder: Path = tmp_path_factory.mktemp("feedback")
    desk = Desk(small_repo(folder).path, folder / "home")
    desk.run("init", no_hooks=True, no_index=True)
    keep(desk, *STORE)
    return desk


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    at=st.integers(0, len(STORE) - 1),
    mark=st.sampled_from(("wrong", "useful")),
    question=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(" ".join),
    mode=st.sampled_from(("keyword", "hybrid", "semantic")),
)
def test_useful_never_lowers_and_wrong_is_never_in_the_first_three(
    shared: Desk, at: int, mark: str, question: str, mode: str
) -> None:
    """Marks add up from example to example, so that many states of a store are met."""
    ids = sorted(memory.id for memory in shared.run("list", limit=20).memories)
    shared.clock.advance(MINUTE)
    (marked,) = shared.run("feedback", id=(ids[at],), **{mark: True}).items
    found = shared.run("recall", query=question, limit=20, mode=mode).memories
    before = [item.id for item in found]
    assert not any("marked wrong" in item.why for item in found[:3])
    assert marked.doubted or mark == "useful"
    assert mark == "useful" or ids[at] not in before[:3]
    (marked,) = shared.run("feedback", id=(ids[at],), useful=True).items
    after = order(shared, question, mode=mode)
    assert not marked.doubted or ids[at] not in after[:3]
    if ids[at] in before:
        assert after.index(ids[at]) <= before.index(ids[at])


def test_useful_is_a_use_and_wrong_halves_a_life(desk: Desk) -> None:
    plain, useful, wrong = keep(desk, "One fact", "Two fact", "Three fact")
    desk.run("feedback", id=(useful,), useful=True)
    desk.run("feedback", id=(wrong,), wrong=True)
    gone: dict[str, int] = {}
    for day in range(1, 60):
        desk.clock.advance(DAY)
        for item in desk.run("decay").archived:
            gone[item.id] = day
    assert gone[wrong] < gone[plain] < gone[useful]


def test_what_a_person_wrote_no_agent_calls_wrong(desk: Desk) -> None:
    (mine,) = keep(desk, TEXTS[0])
    (its,) = keep(desk, "Agents say this", by="codex")
    with pytest.raises(Conflict, match="only a person"):
        desk.run("feedback", by="codex", id=(mine,), wrong=True)
    assert desk.run("feedback", by="codex", id=(mine,), useful=True).items[0].useful == 1
    assert desk.run("feedback", by="codex", id=(its,), wrong=True).items[0].doubted
    assert [memory.trust for memory in desk.run("list").memories if memory.id == mine] == ["person"]


def test_what_is_stated_twice_or_of_nothing_is_refused(desk: Desk) -> None:
    (id,) = keep(desk, TEXTS[0])
    for more in ({}, {"useful": True, "wrong": True}):
        with pytest.raises(InvalidInput, match="Neither --useful nor --wrong"):
            desk.run("feedback", id=(id,), **more)
    with pytest.raises(NotFound):
        desk.run("feedback", id=("ZZZZ",), wrong=True)
    done = desk.run("feedback", id=(id, "ZZZZ"), useful=True)
    assert (done.failed, done.items[0].useful) == (1, 1)
    assert desk.text("feedback", id=(id,), wrong=True) == (
        f"marked wrong {id}: useful 1, wrong 1, average -0.09"
    )


def test_other_facts_of_a_memory_stay(desk: Desk) -> None:
    (id,) = keep(desk, TEXTS[0], metadata='{"ticket": 7}')
    desk.run("feedback", id=(id,), useful=True)
    assert "'ticket': 7" in desk.text("show", id=id)
