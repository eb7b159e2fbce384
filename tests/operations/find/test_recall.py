"""Finding memories by words: order, filters, reasons, and input that is no question."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import GitmemError, InvalidInput
from gitmem.operations.find import recall
from gitmem.operations.registry import as_json_values
from gitmem.retrieval.vectors import LEAST_ALIKE
from tests.support.apps import DAY, SECOND, Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table

NASTY = [
    '"',
    '""',
    '"""',
    "redis AND",
    "NOT",
    "redis NOT port",
    "NEAR(redis port)",
    "NEAR/2",
    "title:redis",
    "redis*",
    "^redis",
    "{title body}: redis",
    "- redis",
    "redis + port",
    "(redis",
    "redis)",
    "re'dis",
    "redis; DROP TABLE memories",
    "\x00redis",
    "\\",
    "_",
    "__init__",
    "redis\nport",
    "ﬁ ²³ ٣",
    "🙂",
    "a\u0301",
    "\u202eredis",
    "memory_text MATCH 'x'",
    "--",
    "%s %d {0}",
]


def found(desk: Desk, query: str, **values: object) -> list[str]:
    return [memory.content for memory in desk.run("recall", query=query, **values).memories]


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.run("remember", text="Redis listens on port 6380", kind="convention", tag=("infra",))
    desk.run("remember", text="The cart is cached", path=("src/cart/cart.py:1",), by="codex")
    desk.clock.advance(10 * DAY)
    desk.run("decide", title="Use SQLite", why="Redis was too much", status="proposed")
    desk.run("remember", text="My editor is vim", scope="global")
    return desk


def test_the_answer_has_the_promised_shape(filled: Desk) -> None:
    answer = as_json_values(filled.run("recall", query="redis port"))
    assert set(answer) >= {"memories"}
    first = answer["memories"][0]
    assert {
        "id", "kind", "title", "content", "tags", "score", "similarity", "state", "created_at",
        "why",
    } <= set(first)  # fmt: skip
    assert 0 < first["similarity"] <= 1
    assert first["score"] > 0
    assert first["project"] == "", "only one project was asked"
    assert filled.text("recall", query="redis port").startswith(f"{first['handle']}  ")
    assert first["why"][0] in ("matches redis, port", "matches port, redis")
    assert first["why"][1] == f"similar {first['similarity']:.2f}"
    assert f"{'; '.join(first['why'])}\n" in filled.text("recall", query="redis port") + "\n"


def test_the_memory_that_holds_more_of_the_question_comes_first(filled: Desk) -> None:
    assert found(filled, "redis port")[0] == "Redis listens on port 6380"
    assert found(filled, "why was Redis too much")[0] == "Redis was too much"


def test_by_words_only_nothing_is_compared(filled: Desk) -> None:
    answer = filled.run("recall", query="redis port", mode="keyword").memories
    assert {item.similarity for item in answer} == {None}
    assert answer[0].why in (("matches redis, port",), ("matches port, redis",))


def test_a_memory_that_shares_no_word_is_found_where_it_is_alike_enough(desk: Desk) -> None:
    """CF-4: by meaning; the words of question and memory differ."""
    for text in ("Passwords are hashed", "Remove the directory first", "The logo is green"):
        desk.run("remember", text=text)
    assert found(desk, "delete a folder", mode="keyword") == []
    for question, text in (
        ("delete a folder", "Remove the directory first"),
        ("hash of passwds password-hashing", "Passwords are hashed"),
    ):
        for mode in ("hybrid", "semantic"):
            (only,) = desk.run("recall", query=question, mode=mode).memories
            assert only.content == text, mode
            assert only.similarity is not None and only.similarity >= LEAST_ALIKE


def test_what_is_only_a_little_alike_is_no_answer(desk: Desk) -> None:
    for text in ("Releases are tagged", "The logo is green", "Tests run on push"):
        desk.run("remember", text=text)
    assert found(desk, "football results", mode="semantic") == []


def test_meaning_keeps_to_the_filters_too(filled: Desk) -> None:
    question = "Redis port listening"
    assert found(filled, question, mode="semantic", kind=("fix",)) == []
    assert "Redis listens on port 6380" in found(filled, question, mode="semantic")
    (gone,) = [
        memory.id
        for memory in filled.run("recall", query="redis port", kind=("convention",)).memories
    ]
    filled.run("forget", id=(gone,))
    assert "Redis listens on port 6380" not in found(filled, question, mode="semantic")
    assert found(filled, question, mode="semantic", state=("archived",)) == [
        "Redis listens on port 6380"
    ]


def test_a_model_that_is_not_there_leaves_the_words(repo: RepoBuilder) -> None:
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="Redis listens on port 6380")
    desk.env["GITMEM_MODEL"] = "fastembed:nobody/nothing"
    (result,) = desk.run("recall", query="redis").memories
    assert result.similarity is None
    with pytest.raises(GitmemError):
        desk.run("recall", query="redis", mode="semantic")


def test_an_edit_is_compared_as_it_is_now(desk: Desk) -> None:
    stored = desk.run("remember", text="Deploys happen on friday")
    found(desk, "deploy friday")
    desk.run("revise", id=stored.id, text="Bananas are yellow fruit")
    (result,) = desk.run("recall", query="yellow fruit bananas", mode="semantic").memories
    assert result.similarity > 0.8


def test_project_and_global_memories_answer_together(filled: Desk) -> None:
    assert found(filled, "editor") == ["My editor is vim"]
    assert found(filled, "editor", scope="project") == []
    assert found(filled, "editor", scope="global") == ["My editor is vim"]


@table(
    ("values", "expected"),
    [
        ({"kind": ("rule",)}, ["Redis listens on port 6380"]),
        ({"kind": ("decision", "rule")}, ["Redis was too much", "Redis listens on port 6380"]),
        ({"tag": ("INFRA",)}, ["Redis listens on port 6380"]),
        ({"state": ("proposed",)}, ["Redis was too much"]),
        ({"since": "7d"}, ["Redis was too much"]),
        ({"since": "yesterday"}, ["Redis was too much"]),
        ({"until": "7d"}, ["Redis listens on port 6380"]),
        ({"since": "2026-11-22"}, ["Redis was too much"]),
        ({"agent": "codex"}, []),
    ],
)
def test_filters_narrow_the_answer(
    filled: Desk, values: dict[str, object], expected: list[str]
) -> None:
    assert sorted(found(filled, "redis", **values)) == sorted(expected)


def test_branch_author_glob_and_commits_narrow_the_answer(repo: RepoBuilder, filled: Desk) -> None:
    """CF-12: each by itself and together; a filter that nothing passes is named."""
    start = repo.git("rev-parse", "HEAD").strip()
    repo.git("switch", "-qc", "topic")
    repo.commit("Try a queue", {"queue.py": "q = 1\n"})
    filled.run("remember", text="The queue is tried", path=("src/queue/core.py:3-9", "notes.md"))
    repo.git("switch", "-q", "main")
    repo.commit("Go on", {"more.py": "m = 1\n"})
    filled.run("decide", title="Keep redis", why="It is there", author="Grace Hopper")
    old = {"Redis listens on port 6380", "The cart is cached", "Redis was too much"}
    for values, expected in (
        ({}, {*old, "It is there", "My editor is vim"}),
        ({"branch": "topic"}, {"The queue is tried"}),
        ({"branch": "top"}, set()),
        ({"author": "hopper"}, {"It is there"}),
        ({"author": "CODEX"}, {"The cart is cached"}),
        (
            {"glob": "src/**/*.py", "all_branches": True},
            {"The cart is cached", "The queue is tried"},
        ),
        ({"glob": "src/**/*.py"}, {"The cart is cached"}),
        ({"glob": "*.md", "branch": "topic"}, {"The queue is tried"}),
        ({"glob": "src/*.py"}, set()),
        ({"commits": f"{start}..topic"}, {"The queue is tried"}),
        ({"commits": f"{start}..main"}, {"It is there"}),
        ({"commits": f"{start}.."}, {"It is there"}),
        ({"commits": "topic"}, {"The queue is tried"}),
        ({"commits": f"..{start}"}, old),
        ({"commits": f"{start}..main", "author": "nobody"}, set()),
    ):
        assert set(found(filled, "*", limit=50, **values)) == expected, values
    assert found(filled, "queue", branch="topic", mode="keyword") == ["The queue is tried"]
    for values, message in (
        ({"author": "nobody"}, "No memory is by nobody."),
        ({"branch": "gone"}, "No memory is of branch gone."),
        ({"glob": "*.rs"}, "No memory is about such files."),
        ({"commits": "HEAD..HEAD"}, "No memory was written at these commits."),
    ):
        assert filled.run("recall", query="redis", **values).notes == (message,), values
    for values in ({"commits": "nowhere"}, {"commits": "a..b"}, {"glob": "src/["}):
        with pytest.raises(GitmemError):
            filled.run("recall", query="redis", **values)


def test_a_path_finds_what_is_about_a_file_or_folder(filled: Desk) -> None:
    assert found(filled, "*", path="src/cart/cart.py") == ["The cart is cached"]
    assert found(filled, "*", path="src/cart") == ["The cart is cached"]
    assert found(filled, "*", path="src/car") == []


def test_a_star_lists_the_newest_first(filled: Desk) -> None:
    listed = found(filled, "*")
    assert listed[-1] in ("Redis listens on port 6380", "The cart is cached")
    assert len(listed) == 4
    assert len(found(filled, "*", limit=2)) == 2


def test_weight_moves_a_memory_up_and_says_so(desk: Desk) -> None:
    """CF-15: weight multiplies ranking."""
    desk.run("remember", text="deploy on friday morning", weight=1)
    desk.run("remember", text="deploy on friday evening", weight=5)
    answer = desk.run("recall", query="deploy friday").memories
    assert [item.weight for item in answer] == [5, 1]
    assert answer[0].score == pytest.approx(5 * answer[1].score, rel=0.05)
    assert "weight 5" in answer[0].why


def test_weight_lifts_a_memory_from_beyond_the_limit(desk: Desk) -> None:
    """More are fetched than are shown: the best by words or meaning alone need not be first."""
    desk.run("remember", text="deploy on friday")
    heavy = "deploy on friday evening"
    desk.run("remember", text=heavy, weight=5)
    for mode in ("keyword", "semantic", "hybrid"):
        best, _ = desk.run("recall", query="deploy friday", mode=mode).memories
        assert best.content == heavy, mode
        assert found(desk, "deploy friday", mode=mode, limit=1) == [heavy], mode


def test_archived_and_superseded_memories_are_left_out_unless_asked_for(desk: Desk) -> None:
    gone = desk.run("remember", text="Redis is on 6380")
    desk.run("forget", id=(gone.id,))
    assert found(desk, "redis") == []
    assert found(desk, "redis", state=("archived",)) == ["Redis is on 6380"]
    assert found(desk, "redis", state=("any",)) == ["Redis is on 6380"]


def test_an_identifier_is_found_by_its_parts_and_whole(desk: Desk) -> None:
    desk.run("remember", text="parseUserName drops the domain")
    for query in ("parseUserName", "user name", "parse"):
        assert found(desk, query), query


def test_nothing_relevant_reads_as_a_sentence(desk: Desk) -> None:
    assert desk.text("recall", query="unheard of") == "No relevant memories."


def test_answering_is_counted_once_for_each_memory(filled: Desk) -> None:
    filled.run("recall", query="redis")
    assert filled.run("stats").accesses == 2


@table("query", ["", "   ", "?!", '"', "\x00", "🙂", "-- ()"])
def test_a_question_without_words_is_refused(filled: Desk, query: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        filled.run("recall", query=query)
    assert refused.value.hint


@table("query", NASTY)
def test_nothing_a_person_types_is_search_syntax(filled: Desk, query: str) -> None:
    try:
        answer = filled.run("recall", query=query)
    except InvalidInput:
        assert not any(letter.isalnum() for letter in query.replace("_", ""))
        return
    if "redis" in query.lower():
        assert any("edis" in memory.content for memory in answer.memories)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("recall") / "repo")
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    desk.run("remember", text="Redis AND port OR near NOT title body tags parts")
    return desk


@given(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet=string.punctuation + " ab\x00", max_size=40),
        st.lists(
            st.sampled_from(["AND", "OR", "NOT", "NEAR(", ")", '"', "redis", "*", ":", "^", "{"]),
            max_size=10,
        ).map(" ".join),
    )
)
def test_any_text_is_answered_or_refused_with_a_sentence(shared: Desk, query: str) -> None:
    try:
        answer = shared.run("recall", query=query)
    except GitmemError as refused:
        assert isinstance(refused, InvalidInput)
        return
    assert all(memory.score is not None for memory in answer.memories)


@pytest.mark.parametrize(
    "values",
    [
        {"since": "someday"},
        {"until": "2026-02-30"},
        {"kind": ("nonsense",)},
        {"state": ("asleep",)},
        {"path": "../x"},
    ],
)
def test_a_filter_that_cannot_be_is_refused(filled: Desk, values: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as refused:
        filled.run("recall", query="redis", **values)
    assert refused.value.hint


TRACE = "\n".join(
    [
        "Traceback (most recent call last):",
        *(
            f'  File "/srv/app/lib{n}/step.py", line {n}, in step_{n}\n    return run({n})'
            for n in range(1500)
        ),
        "PoolExhausted: ConnectionError E2BIG",
    ]
)


def test_a_pasted_stack_trace_is_answered_by_what_tells_most_of_it(desk: Desk) -> None:
    """100 KB of trace: its error comes last, and is looked for first."""
    assert len(TRACE) > 100_000
    desk.run("remember", text="A ConnectionError means that the pool is too small")
    desk.run("remember", text="Lunch is at noon")
    begin = time.process_time()
    (first, *_) = found(desk, TRACE)
    assert time.process_time() - begin < 5  # a square would take minutes
    assert first == "A ConnectionError means that the pool is too small"
    assert found(desk, TRACE, mode="keyword") == [first]


def test_a_question_longer_than_any_trace_is_refused(filled: Desk) -> None:
    with pytest.raises(InvalidInput) as refused:
        filled.run("recall", query="redis " * 40_000)
    assert refused.value.hint


def test_a_question_without_spaces_between_its_words_is_read(desk: Desk) -> None:
    """Chinese and Japanese: a word in the middle of a sentence is found."""
    desk.run("remember", text="我们用中文写文档")
    desk.run("remember", text="The logo is green")
    for question in ("中文", "文档", "请问什么时候用中文写"):
        assert found(desk, question, mode="keyword") == ["我们用中文写文档"]


def test_a_turn_of_a_conversation_is_found_by_what_was_stated_beside_it(desk: Desk) -> None:
    """The answer does not repeat the words of the question that it answers."""
    desk.run("session start", goal="talk")
    for text in (
        "Which port does redis use?",
        "6380, since last week",
        "Good, thanks",
        "You are welcome",
        "Off to write it down",
    ):
        desk.run("remember", text=text, kind="conversation")
    desk.run("remember", text="Lunch is at noon")
    result, answer, _ = desk.run("recall", query="redis port", mode="keyword").memories
    assert result.content == "Which port does redis use?"
    assert answer.content == "6380, since last week"
    assert answer.why == ("next to a matching message",)
    assert result.score > answer.score


def test_turns_are_ranked_by_what_they_tell_and_what_is_beside_them(desk: Desk) -> None:
    """CF-13: what asks stands below what tells, and --explain shows both."""
    desk.run("session start", goal="talk")
    for text in ("Ada: Does redis use the port 6380?", "Bob: The port of redis is 6380.", "Thanks"):
        desk.run("remember", text=text, kind="conversation")
    for mode in ("keyword", "hybrid"):
        result = desk.run("recall", query="which port does redis use", mode=mode, explain=True)
        assert result.memories[0].content == "Bob: The port of redis is 6380.", mode
        parts = {score.id: score.parts for score in result.scores}
        first, second = (parts[memory.id] for memory in result.memories[:2])
        assert (second["turn"], "turn" in first) == (0.7, False), mode
        assert ("beside" in first) == (mode == "hybrid"), mode


def test_what_has_faded_is_reported_where_nothing_in_use_answers(desk: Desk) -> None:
    """Archived is not lost: whoever asks for it learns that it is there."""
    old = desk.run("remember", text="Redis is on 6380").id
    desk.run("forget", id=(old,))
    assert desk.run("recall", query="redis").archived == 1
    assert "1 archived memory may match: add --state archived" in desk.text("recall", query="redis")
    assert desk.run("recall", query="kafka").archived == 0
    # Who said which states are meant was not after the archive, or has looked into it.
    for states in (("active",), ("proposed", "superseded")):
        assert desk.run("recall", query="redis", state=states).archived == 0, states
        text = desk.text("recall", query="redis", state=states)
        assert text == "No relevant memories.", states
    desk.run("remember", text="Redis is on 6381")
    assert desk.run("recall", query="redis").archived == 0


def test_a_memory_whose_code_changed_ranks_below_one_that_stands(desk: Desk) -> None:
    repo = RepoBuilder(desk.place, init=False)
    repo.write({"a.py": "port = 6380\n", "b.py": "port = 6381\n"})
    desk.run("remember", text="The redis port is read here", path=("a.py:1",))
    desk.clock.advance(SECOND)
    desk.run("remember", text="The redis port is read there", path=("b.py:1",))
    repo.write({"b.py": "timeout = 3\n"})
    first, last = desk.run("recall", query="redis port", mode="keyword").memories
    assert (first.content[-4:], last.content[-5:]) == ("here", "there")
    assert (first.freshness, last.freshness) == ("fresh", "changed")
    assert "check first: changed" in last.why
    assert last.score < first.score
    assert "! b.py:1 changed" in desk.text("recall", query="redis port")


def test_every_text_is_read_once_for_a_word_of_none_and_not_again_for_an_empty_archive(
    filled: Desk,
) -> None:
    def readings() -> int:
        app, read = filled.app(), list[str]()
        app.store.connection.exec_trace = lambda _, sql, __: read.append(sql) or True
        recall.recall_memories(app, recall.RecallRequest(query="qqqqq", mode="keyword"))
        app.close()
        return sum(" LIKE ? ESCAPE " in sql for sql in read)

    assert readings() == 1
    filled.run("forget", id=(filled.run("list").memories[0].id,))
    assert readings() == 2


def test_what_is_to_be_checked_first_does_not_come_first_for_holding_both_words(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.commit("Add the stand", {"src/stand.py": "x = 1\n"})
    long = "Kiosks of the fair have an awning " + "and many things to be said about it " * 6
    both = desk.run("remember", text=long, path=("src/stand.py:1",)).id
    item = desk.run("remember", text="Kiosk, kiosk, kiosk").id
    for line, expected in (("x = 1", [both, item]), ("y = 9", [item, both])):
        (repo.path / "src/stand.py").write_text(f"{line}\n")
        found = [each.id for each in desk.run("recall", query="kiosk awning").memories]
        assert [id for id in found if id in (both, item)] == expected, line
