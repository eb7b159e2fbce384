"""One memory of one fact: what is merged unasked, what is only suggested, and how it is undone."""

from __future__ import annotations

import pytest

from gitmem.app import App
from gitmem.capture import consolidate
from gitmem.errors import Conflict, NotFound
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.suggestion import REJECTED, Suggestion
from gitmem.operations.remember.remember import REMEMBER
from gitmem.store.memory import consolidations, memories, memory_writes, suggestions
from tests.support.apps import Desk

FACT = "The integration tests need a Redis on port 6380"
MORE = "The integration tests need a running Redis on port 6380"


def waiting(app: App) -> list[Suggestion]:
    return suggestions.pending_suggestions(app.store, 10)


def stored(app: App, id: str) -> Memory:
    found = memories.get_memory(app.store, id)
    assert found is not None
    return found


def content(memory: Memory) -> tuple[object, ...]:
    """All that a person would notice."""
    bare = replace(memory, version=0, updated_at=0)
    return tuple(getattr(bare, name) for name in Memory.__slots__)


def test_what_an_agent_says_more_fully_is_merged_and_comes_apart_again(
    desk: Desk, app: App
) -> None:
    first = desk.run("remember", text=FACT, by="codex", tag=("infra",))
    before = stored(app, first.id)
    result = desk.run("remember", text=MORE, by="claude", tag=("cache",), importance=0.7)
    assert (result.id, result.action, result.duplicate_of) == (first.id, "merged", first.id)
    joined = stored(app, first.id)
    assert (joined.content, joined.tags, joined.importance) == (MORE, ("cache", "infra"), 0.7)
    (done,) = consolidations.latest_memory_merges(app.store, 5)
    assert (done.target, done.before_version, done.after_version) == (first.id, 1, 2)
    source = stored(app, done.source)
    assert (source.content, source.superseded_by, source.state) == (MORE, first.id, "superseded")
    (link,) = memories.links_of_memory(app.store, source.id)
    assert (link.source, link.relation) == (first.id, "SUPERSEDES")

    stays, said_so = consolidate.undo_merge(app, app.store, done.id[:20].lower())
    assert stays == first.id
    assert said_so == f"{first.id} and {source.id} are two memories again"
    assert content(stored(app, first.id)) == content(before)
    apart = stored(app, source.id)
    assert (apart.content, apart.tags, apart.state) == (MORE, ("cache",), "active")
    assert (apart.valid_until, apart.superseded_by) == (None, "")
    assert memories.links_of_memory(app.store, source.id) == []
    with pytest.raises(Conflict, match="undone already"):
        consolidate.undo_merge(app, app.store, done.id)


def test_the_same_repeated_is_taken_in_once(desk: Desk, app: App) -> None:
    desk.run("remember", text=MORE, by="codex")
    for action in ("merged", "reinforced", "reinforced"):
        assert desk.run("remember", text=FACT, by="codex").action == action
    assert len(consolidations.latest_memory_merges(app.store, 5)) == 1


def test_what_was_kept_apart_is_not_merged_again(desk: Desk, app: App) -> None:
    desk.run("remember", text=FACT, by="codex")
    desk.run("remember", text=MORE, by="codex")
    (done,) = consolidations.latest_memory_merges(app.store, 5)
    consolidate.undo_merge(app, app.store, done.target[:12])
    assert desk.run("remember", text=MORE, by="codex").id == done.source
    (result,) = suggestions.resolved_suggestions(app.store, 5)
    assert (result.state, result.kind) == (REJECTED, "merge")
    assert waiting(app) == []


def test_what_a_person_wrote_is_only_suggested_whoever_says_more(desk: Desk, app: App) -> None:
    texts = (FACT, "The nightly build is a slow one", "Every page of the docs has a title")
    for text, (by, other) in zip(texts, (("", "codex"), ("codex", ""), ("", "")), strict=True):
        first = desk.run("remember", text=text, by=by)
        result = desk.run("remember", text=text.replace(" a ", " a certain "), by=other)
        assert (result.action, result.duplicate_of) == ("suggested", first.id), (by, other)
        # Nobody is to read it as an order: it is kept, and the inbox asks about both.
        assert "both are kept; `gitmem inbox` asks" in result.notes[-1]
        assert REMEMBER.view(result).startswith(f"added {result.id}\nnote: similar to {first.id}")
        assert stored(app, first.id).content == text
    assert [item.kind for item in waiting(app)] == ["merge"] * 3
    assert consolidations.latest_memory_merges(app.store, 5) == []


def test_decisions_are_never_merged_unasked(desk: Desk, app: App) -> None:
    desk.run("decide", title="Use SQLite", why="One file, no daemon to run", by="codex")
    result = desk.run(
        "decide", title="Use SQLite now", why="One file, no daemon to run", by="codex"
    )
    assert result.action == "suggested"
    assert [item.kind for item in waiting(app)] == ["merge"]


def test_contradictions_and_decisions_of_one_title_are_suggested(desk: Desk, app: App) -> None:
    pairs = (
        ("remember", {"text": "The cache is shared between workers"},
         {"text": "The cache is not shared between workers"}),
        ("remember", {"text": "Always run the migrations by hand"},
         {"text": "Never run the migrations by hand"}),
        ("decide", {"title": "Where sessions live", "why": "In Redis, since it expires them"},
         {"title": "Where sessions live", "why": "Signed cookies need no server at all"}),
    )  # fmt: skip
    for verb, first, second in pairs:
        old = desk.run(verb, **first, by="codex")
        new = desk.run(verb, **second, by="codex")
        assert (new.action, new.duplicate_of) == ("suggested", old.id), second
    assert [item.kind for item in waiting(app)] == ["contradiction"] * 3
    # Another number is another fact: it is named in the answer, and nobody is asked.
    desk.run("remember", text=FACT)
    assert desk.run("remember", text=FACT.replace("6380", "6379")).action == "added"
    assert len(waiting(app)) == 3


def test_an_accepted_pair_becomes_one_memory_and_the_loser_is_reported(
    desk: Desk, app: App
) -> None:
    first = desk.run("remember", text=FACT)
    second = desk.run("remember", text=MORE, by="codex")
    (result,) = waiting(app)
    before = [content(stored(app, id)) for id in (first.id, second.id)]
    assert consolidate.accept_merge(app, app.store, result) == f"merged into {first.id}"
    assert stored(app, first.id).content == MORE
    assert stored(app, second.id).superseded_by == first.id
    with pytest.raises(Conflict, match="no longer pending"):
        consolidate.accept_merge(app, app.store, result)
    # By the id of the suggestion, as the inbox undoes it.
    consolidate.undo_merge(app, app.store, result.id)
    assert [content(stored(app, id)) for id in (first.id, second.id)] == before


def test_an_agent_cannot_accept_that_a_persons_words_change(desk: Desk, app: App) -> None:
    desk.run("remember", text=FACT)
    desk.run("remember", text=MORE, by="codex")
    (item,) = waiting(app)
    robot = desk.app(agent="codex")
    with pytest.raises(Conflict, match="said by a person"):
        consolidate.accept_merge(robot, robot.store, item)
    robot.close()
    # Nothing of it is stored.
    assert waiting(app) == [item]


def test_an_accepted_contradiction_lets_the_later_one_stand(desk: Desk, app: App) -> None:
    first = desk.run("remember", text="The cache is shared between workers")
    desk.clock.advance(1000)
    second = desk.run("remember", text="The cache is not shared between workers")
    (result,) = waiting(app)
    before = content(stored(app, first.id))
    assert consolidate.accept_merge(app, app.store, result) == f"{second.id} replaces {first.id}"
    assert stored(app, first.id).superseded_by == second.id
    consolidate.undo_merge(app, app.store, result.id)
    assert content(stored(app, first.id)) == before


def test_a_merge_whose_text_was_changed_since_is_not_undone(desk: Desk, app: App) -> None:
    first = desk.run("remember", text=FACT, by="codex")
    desk.run("remember", text=MORE, by="codex")
    desk.run("remember", text=MORE, by="codex", tag=("later",))
    (done,) = consolidations.latest_memory_merges(app.store, 5)
    desk.run("revise", id=first.id, text="Something else")
    with pytest.raises(Conflict, match="edited since"):
        consolidate.undo_merge(app, app.store, done.id)
    desk.run("revise", id=first.id, text=MORE)
    consolidate.undo_merge(app, app.store, done.id)
    # What was said since stays.
    assert "later" in stored(app, first.id).tags
    assert stored(app, first.id).content == FACT


def test_what_is_gone_or_no_merge_is_reported(desk: Desk, app: App) -> None:
    for text in ("01ZZZZZZ", "no id!", ""):
        with pytest.raises(NotFound):
            consolidate.undo_merge(app, app.store, text)
    desk.run("remember", text=FACT)
    second = desk.run("remember", text=MORE)
    (item,) = waiting(app)
    desk.run("forget", id=(second.id,))
    with pytest.raises(Conflict, match="now archived"):
        consolidate.accept_merge(app, app.store, item)
    assert waiting(app) == []  # there is nothing to decide until it is restored
    desk.run("restore", id=(second.id,))
    assert waiting(app) == [item]
    desk.run("forget", id=(second.id,))
    with app.store.write():
        memory_writes.purge_memory(app.store, second.id, at_ms=app.now)
    with pytest.raises(Conflict, match="no longer pending"):
        consolidate.accept_merge(app, app.store, item)


def test_what_would_be_too_long_together_stays_apart(desk: Desk, app: App) -> None:
    desk.env["GITMEM_MEMORY_MAX_BYTES"] = "256"
    long = FACT + ", " + "and much more is known of it " * 6
    desk.run("remember", text=long, by="codex")
    result = desk.run(
        "remember", text=long.replace("need a", "need a running"), by="codex", strategy="append"
    )
    assert result.action == "suggested"
    assert [item.kind for item in waiting(app)] == ["merge"]


def test_the_strategy_is_that_of_the_flag_or_the_setting(desk: Desk, app: App) -> None:
    texts = {}
    desk.env["GITMEM_DUPLICATES_STRATEGY"] = "latest_wins"
    for number, strategy in enumerate(("", "append", "smart_merge")):
        name = ("alpha", "beta", "gamma")[number]
        first = desk.run("remember", text=f"The {name} runner needs a very warm cache", by="codex")
        message = f"The {name} runner needs a warm cache"
        desk.run("remember", text=message, by="codex", strategy=strategy)
        texts[strategy] = stored(app, first.id).content
    assert texts[""] == "The alpha runner needs a warm cache"
    assert texts["append"] == (
        "The beta runner needs a very warm cache\n\n[2026-11-21]\n"
        "The beta runner needs a warm cache"
    )
    assert texts["smart_merge"] == "The gamma runner needs a very warm cache"
