"""Arguments of `gitmem recall` that page and narrow (CF-9)."""

from __future__ import annotations

import math
from typing import Any

import pytest

from gitmem.errors import GitmemError, InvalidInput
from gitmem.operations.find import recall
from gitmem.operations.find.recall import RecallResult
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A store with 50 memories; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("recall") / "repo")
    repo.commit("First", {"a.py": "a = 1\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    for text in (
        "The queue is drained at night",
        "Workers poll: the queue, queue after queue, every queue of the queues",
        "At night nobody deploys",
        "The retry limit of the queue is three at night on weekdays",
        "A limit that is raised needs a retry budget",
    ):
        made.run("remember", text=text, duplicates="allow")
    for number in range(45):
        made.run("remember", text=f"Port {8000 + number} is taken by service {number}")
    made.run("index")  # all of them get their vectors: an answer brings only some up to date
    return made


def ask(desk: Desk, query: str, **values: Any) -> RecallResult:
    found: RecallResult = desk.run("recall", query=query, **values)
    return found


def texts(found: RecallResult) -> list[str]:
    return [memory.content for memory in found.memories]


def test_pages_join_to_the_whole_list(desk: Desk) -> None:
    for query, values in (
        ("port service", {}),
        ("port taken", {"fusion": "rrf"}),
        ("which port is taken", {"mode": "keyword"}),
        ("the port is taken by a service", {"mode": "semantic"}),
        ("*", {}),
    ):
        whole = texts(ask(desk, query, limit=100, **values))
        assert len(whole) > 20, query
        joined: list[str] = []
        more = True
        while more:
            page = ask(desk, query, limit=15, offset=len(joined), **values)
            joined += texts(page)
            more = page.has_more
        assert joined == whole, query
    assert not ask(desk, "port", limit=100).has_more
    past = ask(desk, "port taken", offset=900)
    assert past.memories == () and past.notes[0].startswith("The list ends before that: ")


def test_ranks_can_be_joined_instead_of_scores(desk: Desk) -> None:
    by_rank = ask(desk, "queue night", fusion="rrf", limit=100)
    by_score = ask(desk, "queue night", limit=100)
    assert sorted(texts(by_rank)) == sorted(texts(by_score))
    assert by_rank.memories[1].score != by_score.memories[1].score


def test_a_threshold_only_removes(desk: Desk) -> None:
    whole = ask(desk, "port taken", limit=100).memories
    for least in (0.0, 0.3, 0.5, 0.9, 1.0):
        saved = ask(desk, "port taken", limit=100, threshold=least).memories
        expected = [item.id for item in whole if (item.similarity or 0.0) >= least]
        assert [item.id for item in saved] == expected, least
    with pytest.raises(InvalidInput, match="--threshold does not go with --mode keyword"):
        ask(desk, "port", mode="keyword", threshold=0.1)


def test_a_threshold_without_a_model_is_no_empty_answer(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="The port is 6380")
    desk.env["GITMEM_MODEL"] = "fastembed:nobody/nothing"
    assert len(ask(desk, "port").memories) == 1
    with pytest.raises(GitmemError):
        ask(desk, "port", threshold=0.1)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_what_holds_both_words_comes_before_what_holds_one(
    desk: Desk, mode: str, fusion: str
) -> None:
    found = texts(ask(desk, "queue night", mode=mode, fusion=fusion, limit=100))
    both = ["The queue is drained at night"]
    both += ["The retry limit of the queue is three at night on weekdays"]
    assert set(found[:2]) == set(both)
    assert set(found[2:]) >= {"At night nobody deploys"}


def test_a_heavy_memory_with_one_word_does_not_pass_one_with_both(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="Timeout", title="Timeout timeout", weight=5)
    desk.run("remember", text="Uploads are cut off by a timeout of the proxy", weight=1)
    for mode in ("keyword", "hybrid"):
        found = texts(ask(desk, "uploads timeout", mode=mode))
        assert found[0].startswith("Uploads"), mode


def test_a_phrase_in_quotes_restricts(desk: Desk) -> None:
    for mode in ("keyword", "hybrid"):
        found = ask(desk, 'the "queue is drained" when', mode=mode)
        assert texts(found) == ["The queue is drained at night"], mode
        assert found.notes == ()
        none = ask(desk, '"drained queue" night', mode=mode)
        assert len(none.memories) > 1
        assert none.notes == ('No memory holds "drained queue"; these are the nearest.',)
    assert desk.text("recall", query='"drained queue"').startswith('No memory holds "drained queue')
    nothing = ask(desk, '"quokka zebra"', mode="keyword")
    assert nothing.memories == () and nothing.notes == ()


def test_every_word_can_be_asked_for_and_is_let_go_step_by_step(desk: Desk) -> None:
    for mode in ("keyword", "hybrid"):
        every = ask(desk, "retry limit queue", match="all", mode=mode)
        assert len(every.memories) == 1 and every.notes == (), mode
        most = ask(desk, "retry limit zebra", match="all", mode=mode)
        assert len(most.memories) == 2
        assert most.notes == ("No memory holds all of the words; these hold most of them.",)
        some = ask(desk, "zebra quokka night", match="all", mode=mode)
        assert some.notes == ("No memory holds all of the words; these hold some of them.",)
        assert all("night" in text for text in texts(some))
        assert ask(desk, "zebra quokka", match="all", mode=mode).memories == ()
        # Half is not most.
        half = ask(desk, "retry limit zebra quokka", match="all", mode=mode)
        assert half.notes == ("No memory holds all of the words; these hold some of them.",)
    assert len(ask(desk, "retry limit queue").memories) > 1


def test_each_score_is_reported_in_numbers(desk: Desk) -> None:
    """CF-13: the parts make the score, and telling them does not reorder."""
    plain = ask(desk, "retry limit at night", mode="keyword")
    found = ask(desk, "retry limit at night", mode="keyword", explain=True)
    assert plain.scores == () and texts(plain) == texts(found)
    assert [score.id for score in found.scores] == [memory.id for memory in found.memories]
    for memory, output in zip(found.memories, found.scores, strict=True):
        parts = output.parts
        assert [*parts][-3:] == ["weight", "standing", "final"]
        assert memory.score == pytest.approx(
            parts["words"] * parts["weight"] * parts["standing"], abs=0.002
        )
    fused = ask(desk, "retry limit at night", explain=True)
    for memory, output in zip(fused.memories, fused.scores, strict=True):
        assert output.parts["meaning"] == memory.similarity
        made = (output.parts["words"] + max(output.parts["meaning"], 0)) / 2
        assert memory.score is not None and memory.score <= made + 0.002
    shown = desk.text("recall", query="retry limit at night", explain=True)
    assert "\n  = words " in shown and ", meaning " in shown


def test_rank_fusion_is_reported_by_its_ranks(desk: Desk) -> None:
    """CF-13: the places by words and by meaning make the score of rank fusion."""
    found = ask(desk, "retry limit at night", fusion="rrf", explain=True)
    assert len(found.memories) > 1
    for memory, output in zip(found.memories, found.scores, strict=True):
        parts = output.parts
        legs = [parts[name] for name in ("words_rank", "meaning_rank") if name in parts]
        assert parts["rrf"] == pytest.approx(sum(61 / (60 + place) / 2 for place in legs), abs=1e-4)
        factors = parts["weight"] * parts["standing"]
        assert parts["final"] == memory.score == pytest.approx(parts["rrf"] * factors, abs=0.002)
    assert ", words_rank 1, " in desk.text(
        "recall", query="retry limit at night", fusion="rrf", explain=True
    )


def test_a_profile_changes_the_score_and_says_by_how_much(repo: RepoBuilder) -> None:
    """CF-13: age, what cites code, rules; without a moment neither age nor use counts."""
    desk = Desk(repo.path, repo.home)
    repo.commit("Start", {"src/pool.py": "x = 1\n"})
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="The pool of sockets is closed at night", kind="relationship")
    desk.clock.advance(180 * DAY)
    desk.run("remember", text="The pool of sockets is opened at noon", path=("src/pool.py",))
    desk.clock.advance(20 * DAY)

    def parts(profile: str) -> list[dict[str, float]]:
        found = ask(desk, "pool of sockets", profile=profile, explain=True, mode="keyword")
        scored = sorted(found.scores, key=lambda score: score.id)
        for memory, output in zip(found.memories, found.scores, strict=True):
            made = math.prod(value for name, value in output.parts.items() if name != "final")
            assert memory.score == output.parts["final"] == pytest.approx(made, abs=0.002)
        return [score.parts for score in scored]

    old, new = parts("default")
    assert "profile" not in old and old["standing"] < 1
    old, new = parts("benchmark")
    assert (old["standing"], new["standing"]) == (1, 1)
    old, new = parts("temporal")
    assert old["profile"] == pytest.approx(0.5 ** (200 / 90), abs=0.01)
    assert old["profile"] < new["profile"] < 1
    old, new = parts("code")
    assert ("profile" not in old, new["profile"]) == (True, 1.2)
    old, new = parts("preference")
    assert (old["profile"], "profile" not in new) == (1.2, True)


def test_a_layer_and_who_wrote_it_narrow_the_answer(repo: RepoBuilder) -> None:
    """CF-12, CF-43: git's user is the author of what a person writes, and of nothing else."""
    desk = Desk(repo.path, repo.home)
    repo.commit("Start", {"a.py": "x = 1\n"})
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="Whales sing in the project")
    desk.run("remember", text="Whales sing for a while", layer="working")
    desk.run("remember", text="Whales sing everywhere", layer="global")
    desk.run("remember", text="Whales sing to an agent", by="codex")
    desk.run("remember", text="Whales sing for Grace", author="Grace Hopper")

    def found(**narrower: Any) -> set[str]:
        result = ask(desk, "whales", **narrower)
        assert {m.id for m in result.memories} == {
            m.id for m in desk.run("list", layer=narrower.get("layer", ())).memories
        } or "author" in narrower
        return {memory.content.removeprefix("Whales sing ") for memory in result.memories}

    assert found(layer=("working",)) == {"for a while"}
    assert found(layer=("global",)) == {"everywhere"}
    assert found(layer=("project",)) == {"in the project", "to an agent", "for Grace"}
    assert len(found(layer=("project", "working"))) == 4
    mine = {"in the project", "for a while", "everywhere"}
    assert found(author="Ada Lovelace") == found(author="lovelace") == mine
    assert found(author="grace") == {"for Grace"} and found(author="codex") == {"to an agent"}
    shown = desk.text("show", id=[desk.run("list", layer=("global",)).memories[0].id])
    assert "author  Ada Lovelace" in shown
    empty = ask(desk, "whales", layer=("working",), author="Nobody")
    assert empty.notes == ("No memory is by Nobody.",)


def test_a_part_of_a_word_is_found_where_no_word_is(repo: RepoBuilder) -> None:
    """CF-11."""
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    for text, tag in (
        ("mykafkahost answers in 5 ms", ()),
        ("The broker restarts at night", ("ourkafkatag",)),
        ("100% of the calls are_signed", ()),
    ):
        desk.run("remember", text=text, tag=tag)
    for query, found in (
        ("KAFKA", 2),
        ("who runs kafka", 2),
        ("kaf", 0),  # too short to say anything
        ("%of%the", 0),
        ("restart", 1),  # a stem is a word: nothing is let go
        ("zookeeper", 0),
    ):
        for mode in ("keyword", "hybrid"):
            answer = ask(desk, query, mode=mode)
            parts = [memory for memory in answer.memories if "*" in "".join(memory.why)]
            assert len(parts) == (found if "kafka" in query.lower() else 0), (query, mode)
            inside = "No memory holds these words; some hold them inside of others."
            assert (answer.notes == (inside,)) == bool(parts), (query, mode)
    (first, *_) = ask(desk, "kafka", mode="keyword").memories
    assert first.why[0] == "matches *kafka*"
    assert 0 < first.score <= 0.5
    assert not any(
        "*" in "".join(memory.why) for memory in ask(desk, "kafka", mode="semantic").memories
    )
    assert ask(desk, "kafka", mode="keyword", tag=("ourkafkatag",)).memories[0].tags
    desk.run("forget", id=(first.id,))
    assert len(ask(desk, "kafka", mode="keyword").memories) == 1
    # A word that is held says more than one that is held inside of another.
    desk.run("remember", text="Only kafka itself")
    assert [memory.content for memory in ask(desk, "kafka", mode="keyword").memories] == [
        "Only kafka itself"
    ]


def test_the_heavy_ones_alone_can_be_asked_for(repo: RepoBuilder) -> None:
    """CE-8, CT-5."""
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    for weight in (1, 3, 4, 5):
        desk.run("remember", text=f"The kettle number {weight} boils", weight=weight)
    for least, found in ((None, {1, 3, 4, 5}), (1, {1, 3, 4, 5}), (4, {4, 5}), (5, {5})):
        for query in ("kettle", "*"):
            output = ask(desk, query, weight=least).memories
            assert {item.weight for item in output} == found, (query, least)
    # A word that is a tag says more than one in the text.
    desk.run("remember", text="Pots are tinned by hand in this old place", tag=("copper",))
    desk.run("remember", text="Pans of copper are tinned by hand in the place")
    best = ask(desk, "copper tinned", mode="keyword").memories
    assert [item.tags for item in best] == [("copper",), ()]
    assert set(recall.highlighted_words(desk.run("recall", query="copper kettle"))) == {
        "copper",
        "kettle",
    }
    inside = desk.run("recall", query="oppe", mode="keyword")
    assert recall.highlighted_words(inside) == ("oppe",)


def test_two_questions_in_one_are_both_answered(desk: Desk) -> None:
    """Each half is asked on its own, and their answers come in turns."""
    first, second = "at what time is the queue drained", "which port is taken by service 12"
    found = ask(desk, f"{first} and {second}", limit=10)
    halves = [texts(ask(desk, item, limit=10)) for item in (first, second)]
    assert texts(found)[:2] == [halves[0][0], halves[1][0]]
    assert found.notes[0] == f"Searched separately: {first} | {second}"
    whole = ask(desk, f"{first} and {second}\n", limit=10)
    assert texts(whole) != texts(found) and not whole.notes
    more = ask(desk, f"{first} and {second}", limit=4, offset=6)
    assert texts(more) == texts(found)[6:]
