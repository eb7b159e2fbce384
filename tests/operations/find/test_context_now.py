"""`gitmem context` without a question: what bears on this moment (CF-19 to CF-23, ML-28, CT-17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.model.session import QUERY
from gitmem.store.session import sessions
from gitmem.text.token_ceiling import max_token_count
from tests.support.apps import DAY, Desk, indexed_copy
from tests.support.repos import RepoBuilder

FILES = {
    "src/pool.py": "LIMIT = 3\n\n\nclass Pool:\n    def acquire(self):\n        return 1\n",
    "src/other.py": "x = 1\n",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A session in the middle of its work; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("now") / "repo")
    repo.commit("Start", FILES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("decide", title="One pool for all", why="Sockets are few", path=("src/pool.py",))
    desk.run("remember", text="Sockets leaked until close was called", kind="fix")
    desk.run("remember", text="Name things by what they hold", kind="convention")
    desk.run("remember", text="Imported gossip", kind="note")
    desk.run("session start", goal="Make the pool faster")
    desk.run("remember", text="acquire waits for a lock", layer="working")
    desk.run("session note", text="Stuck on the lock of the pool", file=("src/pool.py",))
    (repo.path / "src/other.py").write_text("x = 2\n")
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    return indexed_copy(model, tmp_path / "copy")


def test_each_part_of_the_window_is_there(model: Desk) -> None:
    found = model.run("context")
    now = found.now
    assert [item.content for item in now.working] == ["acquire waits for a lock"]
    assert "acquire waits for a lock" not in [item.memory.content for item in now.relevant]
    best = now.relevant[0]
    assert best.memory.title == "One pool for all"
    assert {*best.why} >= {"cites the active file +0.55", "decision on the active file +0.12"}
    assert [pattern.content for pattern in now.patterns] == ["Name things by what they hold"]
    assert (now.active_file, now.active_symbol) == ("src/pool.py", "Pool")
    assert now.related == (best.memory.id,)
    assert now.suggestions[0].text == "Start at Pool in src/pool.py"
    assert [message.trigger for message in now.ghost_messages] == [
        *("session_context", "relevant_decision", "bug_fix_context", "active_code_context")
    ]
    assert {(message.role, message.visible) for message in now.ghost_messages} == {
        ("system", False)
    }


def test_a_working_memory_that_cites_the_active_file_is_reported_once(desk: Desk) -> None:
    id = desk.run("remember", text="acquire is too slow", layer="working", path="src/pool.py").id
    now = desk.run("context", file="src/pool.py").now
    assert id in [item.id for item in now.working]
    assert id not in [item.memory.id for item in now.relevant]


def test_five_alike_are_reported_beside_the_working_memories_and_the_newest(tmp_path: Path) -> None:
    """CF-19: the working memories, which ask the question, take no place of its answers."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", FILES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    fruits = ("apples", "pears", "plums", "figs", "dates", "limes", "kiwis", "mangos", "grapes")
    for topic in (*fruits, "olives"):
        desk.run("remember", text=f"The queue of {topic} logs each audit to disk")
    for topic in ("queue", "audit", "disk"):
        desk.run("remember", text=f"Reading what {topic} says", layer="working")
    now = desk.run("context").now
    assert len(now.working) == 3
    assert len(now.relevant) == 10


def test_the_sections_stand_in_the_published_order(model: Desk) -> None:
    text = model.run("context").context
    order = ["Active Code", "Working Context", "Related Decisions", "Relevant Memories"]
    order += ["Suggestions", "Reminders"]
    assert [line[3:] for line in text.split("\n") if line.startswith("## ")] == order
    assert "- viewed: src/pool.py" in text and "- earlier on" not in text
    assert "- goal: Make the pool faster" in text and "- uncommitted: src/other.py" in text


def test_what_stopped_the_session_and_what_was_asked_are_reported(desk: Desk) -> None:
    id = desk.run("session list").sessions[0].id
    desk.run("context", query="where is the lock taken", session=id)
    now = desk.run("context", session=id).now
    assert now.blocker == "Stuck on the lock of the pool"
    assert now.queries == ("where is the lock taken",)
    assert "where is the lock taken" not in desk.text("timeline")


def test_a_question_is_kept_only_where_a_session_runs_and_only_its_beginning(desk: Desk) -> None:
    def kept() -> list[str]:
        app = desk.app()
        try:
            return [event.text for event in sessions.events_in_period(app.store, types=(QUERY,))]
        finally:
            app.close()

    id = desk.run("session start").session.id
    long = "where is the lock taken " + "and why " * 40
    desk.run("context", query=long)
    assert kept() == [long[:200]]
    desk.run("context", query="asked by an agent without a session", by="codex")
    desk.run("session end")
    desk.run("context", query="asked after the end")
    desk.run("context", query="asked of a session that ended", session=id)
    assert kept() == [long[:200]]


def test_reminders_tell_the_decisions_that_bear_most_on_it(desk: Desk) -> None:
    for title in ("Pools are closed in reverse", "The logo is green", "Mails go out at night"):
        desk.run("decide", title=title, why="So it was agreed")
    now = desk.run("context").now
    decisions = [item.memory.id for item in now.relevant if item.memory.kind == "decision"]
    messages = [
        message.memory for message in now.ghost_messages if message.trigger == "relevant_decision"
    ]
    assert len(decisions) > 2 and messages == decisions[:2]


def test_a_command_that_checks_raises_the_fix(model: Desk) -> None:
    def score(**values: str) -> float:
        found = model.run("context", **values).now.relevant
        return float(next(item.score for item in found if item.memory.kind == "fix"))

    assert score(command="pytest -q") == pytest.approx(score() + 0.2)


def test_the_more_valuable_section_has_room_first_and_the_budget_holds(model: Desk) -> None:
    for budget in (1, 10, 40, 80, 150, 400, 6000):
        found = model.run("context", max_tokens=budget)
        assert max_token_count(found.context) == found.token_count <= budget
    assert model.run("context", max_tokens=60).context.startswith("## Active Code")
    assert "raise --max-tokens" in model.run("context", max_tokens=1).notes[0]


def test_ten_tokens_are_room_for_little_and_never_too_much(model: Desk) -> None:
    for values in ({}, {"order": "importance"}, {"query": "redis pool"}, {"file": "src/pool.py"}):
        found = model.run("context", max_tokens=10, **values)  # type: ignore[arg-type]
        assert found.token_count <= 10 and (found.context or found.notes), values
        assert found.left_out, values


def test_a_file_outside_or_an_unknown_session_is_a_sentence_without_a_question_too(
    model: Desk,
) -> None:
    for values, error in (
        ({"file": "../outside.py"}, InvalidInput),
        ({"session": "01NOTHING"}, NotFound),
    ):
        with pytest.raises(error) as failed:
            model.run("context", **values)  # type: ignore[arg-type]
        assert failed.value.hint, values


def test_without_a_session_and_memories_the_branch_is_reported(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", FILES)
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    found = desk.run("context")
    assert found.context == "## Working Context\n- branch: main"
    assert (found.now.working, found.now.relevant, found.sources) == ((), (), ())


def test_foreign_memories_do_not_come_unasked(desk: Desk) -> None:
    (id,) = [
        memory.id for memory in desk.run("list").memories if memory.content == "Imported gossip"
    ]
    assert "Imported gossip" in desk.text("context")
    desk.run("trust", id=(id,), tier="foreign")
    assert "Imported gossip" not in desk.text("context")


def test_by_importance_the_newest_of_equals_first_within_the_budget(desk: Desk) -> None:
    """CT-17: the memories of the project and the global ones, whatever somebody is at."""
    desk.clock.advance(DAY)
    for text, importance, scope in (
        ("Never deploy on friday", 0.9, "project"),
        ("My editor is vim", 0.9, "global"),
        ("The logo is green", 0.1, "project"),
    ):
        desk.clock.advance(DAY)
        desk.run("remember", text=text, importance=importance, scope=scope)
    found = desk.run("context", order="importance")
    lines = [line for line in found.context.split("\n") if line.startswith("- ")]
    assert lines[:2] == ["- [note 0.90] My editor is vim", "- [note 0.90] Never deploy on friday"]
    assert lines[-1] == "- [note 0.10] The logo is green"
    assert found.context.startswith("## Most Important\n")
    assert [source.score for source in found.sources] == sorted(
        (source.score for source in found.sources), reverse=True
    )
    assert len(lines) == len(found.sources) > len(found.decisions) == 1
    assert found.now is None and found.notes == ()
    for budget in (1, 12, 30, 60):
        less = desk.run("context", order="importance", max_tokens=budget)
        assert less.token_count <= budget and max_token_count(less.context) <= budget
        assert less.left_out + len(less.sources) == len(found.sources)
        messages = [line for line in less.context.split("\n") if line.startswith("- ")]
        assert messages == lines[: len(less.sources)]
    assert less.sources and less.left_out
    assert desk.run("context", order="importance", max_tokens=1).notes == (
        "Nothing fits into the budget: raise --max-tokens.",
    )
    with pytest.raises(InvalidInput, match="--order cannot be combined"):
        desk.run("context", query="friday", order="importance")


def test_by_importance_a_store_without_memories_says_so(bare_desk: Desk) -> None:
    bare_desk.run("init", no_index=True, no_hooks=True)
    assert bare_desk.run("context", order="importance").notes == ("There are no memories.",)
