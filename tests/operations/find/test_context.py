"""`gitmem context QUERY`: what answers inside a token budget, with sources (ML-4, CE-4, ML-32)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.app import App
from gitmem.assembly import query_context
from gitmem.errors import GitmemError, InvalidInput, NotFound, Unavailable
from gitmem.operations.find.context import ContextRequest, assemble_context
from gitmem.operations.registry import as_json_values
from gitmem.text.token_ceiling import max_token_count
from tests.embedding.test_tokenizer_file import made as made_tokenizer
from tests.support.apps import Desk, indexed_copy
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET
from tests.support.stores import open_store

# 40 requests in the suite; GITMEM_TEST_REQUESTS=10000 looks further.
REQUESTS, STEPS = int(os.environ.get("GITMEM_TEST_REQUESTS", "40")), 5
LONG = "".join(
    f"def fetch_{n}(url):\n    reply = backoff(url, {n})\n    return reply\n\n\n" for n in range(60)
)
FILES = {
    "src/cache/redis_pool.py": "class RedisPool:\n    port = 6380\n\n    def acquire(self):\n"
    + "".join(f"        self.step_{n}()\n" for n in range(30))
    + "        return self.connection_from_pool()\n",
    "src/net/fetch.py": LONG,
    "src/net/retry.py": "def backoff(url, times):\n    return retry(url, times)\n",
    "docs/guide.md": "# Guide\n\n## Redis\n\nRedis listens on port 6380.\n",
    "src/gauge.rs": "pub enum Scale {\n"
    + "    MillibarOfALongSpellOfRain,\n" * 23
    + "}\n\nimpl Barometer {\n"
    "    fn read(&self) -> u8 {\n" + "        self.measure_for_a_while(1);\n" * 26 + "    }\n}\n",
    "src/config.py": f'TOKEN = "{SECRET}"\nTIMEOUT = 30\n',
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository with code, notes, memories and a session, indexed once; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("context") / "repo")
    repo.commit("Add the redis pool", FILES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("decide", title="Redis listens on port 6380", why="6379 is taken", path=("src/cache",))
    desk.run("remember", text="Take the redis pool from one place only", kind="convention")
    gone = desk.run("remember", text="The redis pool leaked in March", kind="note").id
    desk.run("forget", id=(gone,))
    desk.run("session start", goal="Make the redis pool faster")
    desk.run("session note", file=("src/net/retry.py",))
    desk.run("index")
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    return indexed_copy(model, tmp_path / "copy")


def headings(text: str) -> list[str]:
    outside = re.sub(r"^```\n(.|\n)*?^```$", "", text, flags=re.MULTILINE)
    return re.findall(r"^## (.+)$", outside, re.MULTILINE)


def test_every_source_has_its_section_and_is_cited(model: Desk) -> None:
    found = model.run("context", query="redis pool")
    assert headings(found.context) == [
        *("Working Context", "Codebase Context", "Notes", "Relevant Decisions"),
        *("Related Commits", "From the Archive"),
    ]
    assert {source.kind for source in found.sources} == {
        "code",
        "note",
        "memory",
        "decision",
        "commit",
    }
    assert [decision.title for decision in found.decisions] == ["Redis listens on port 6380"]
    assert "- goal: Make the redis pool faster" in found.context
    assert "leaked in March" in found.context.split("## From the Archive")[1]
    assert found.token_count == max_token_count(found.context) <= found.max_tokens == 6000
    assert found.counted_by == "estimate"


def test_a_source_names_the_lines_that_are_shown(model: Desk) -> None:
    found = model.run("context", query="connection_from_pool", max_tokens=300)
    first = found.sources[0]
    assert first.path == "src/cache/redis_pool.py"
    assert f"### {first.path}:{first.lines}" in found.context
    start, last = map(int, first.lines.split("-"))
    shown = FILES[first.path].split("\n")[start - 1 : last]
    assert "\n".join(shown) in found.context and "connection_from_pool" in "\n".join(shown)


def test_with_room_the_lines_grow_to_the_symbol_around_them(model: Desk) -> None:
    small = model.run("context", query="connection_from_pool", max_tokens=250)
    large = model.run("context", query="connection_from_pool")
    assert "def acquire" not in small.context.split("```")[1]
    assert "def acquire" in large.context.split("```")[1]


def test_the_head_of_a_block_is_shown_with_what_it_begins(model: Desk) -> None:
    found = model.run("context", query="barometer", max_tokens=300)
    assert "impl Barometer {\n    fn read(&self) -> u8 {\n" in found.context


def test_no_file_takes_all_the_room(model: Desk) -> None:
    found = model.run("context", query="backoff url reply", max_tokens=700)
    assert {"src/net/fetch.py", "src/net/retry.py"} <= {source.path for source in found.sources}
    for budget in (100, 500, 1000):
        text = model.run("context", query="backoff url reply", max_tokens=budget).context
        stretches = re.split(r"^### |^## ", text, flags=re.MULTILINE)
        own = [stretch for stretch in stretches if stretch.startswith("src/net/fetch.py:")]
        assert sum(map(max_token_count, own)) <= 0.4 * budget, budget


def test_a_file_of_long_lines_takes_no_more(desk: Desk) -> None:
    wide = "".join(f"ZEBRA_{n} = '{'stripes of a zebra, ' * 9}{n}'\n" for n in range(9))
    (desk.place / "src/wide.py").write_text(wide)
    desk.run("index")
    for budget in range(100, 2000, 100):
        text = desk.run("context", query="zebra stripes", max_tokens=budget).context
        own = [
            item for item in re.split(r"^### ", text, flags=re.MULTILINE) if "src/wide.py" in item
        ]
        assert sum(map(max_token_count, own)) <= 0.4 * budget, budget
    assert own


def test_the_best_stretch_of_each_file_comes_before_further_ones(model: Desk) -> None:
    found = model.run("context", query="backoff url reply")
    output = re.findall(r"^### (\S+?):([\d, -]+)$", found.context, re.MULTILINE)
    paths = [path for path, _ in output]
    assert paths.count("src/net/fetch.py") == 2 and paths[-1] == "src/net/fetch.py"
    assert paths[:2] == ["src/net/fetch.py", "src/net/retry.py"]
    cited = {
        source.path: source.lines for source in found.sources if source.kind in ("code", "note")
    }
    assert {path for path, _ in output} == cited.keys()
    own = [lines for path, lines in output if path == "src/net/fetch.py"]
    assert cited["src/net/fetch.py"] == ", ".join(own) and "," not in own[0]
    numbers = re.findall(r"backoff\(url, (\d+)\)", found.context)
    assert len(numbers) == len(set(numbers))
    assert found.left_out == 0


def test_what_one_part_does_not_need_the_others_get(model: Desk) -> None:
    query = "backoff url reply port timeout acquire"
    found = model.run("context", query=query, max_tokens=400)
    code = found.context.split("## Codebase Context")[1].split("\n## ")[0]
    assert max_token_count(code) > 400 * 3200 / 6000


def test_the_file_one_is_in_ranks_its_folder_higher(model: Desk) -> None:
    def score(**near: str) -> float:
        found = model.run("context", query="redis port", **near).sources
        return float(next(item.score for item in found if item.path == "docs/guide.md"))

    assert score(file="docs/other.md") == pytest.approx(1.5 * score(), rel=0.01)


def test_the_answer_says_how_sure_it_is(model: Desk) -> None:
    sure = model.run("context", query="redis pool port").confidence
    unsure = model.run("context", query="quantum entanglement of whales").confidence
    assert sure.score > unsure.score
    assert set(sure.parts) == {"codebase", "decisions", "patterns"}
    assert unsure.level == "guess"


def test_a_question_whose_telling_words_nothing_holds_is_answered_with_a_guess(
    model: Desk,
) -> None:
    """The nearest code may score well beside other code: that says nothing of the question."""
    found = model.run("context", query="retry of the kubernetes terraform helm chart")
    assert found.confidence.parts["codebase"] <= 0.15
    assert model.run("context", query="retry").confidence.parts["codebase"] > 0.5


def test_nothing_known_and_nothing_that_fits_are_reported(model: Desk) -> None:
    none = model.run("context", query="zzyzx")
    assert none.context == "## Working Context\n- goal: Make the redis pool faster\n" + (
        "- active file: src/net/retry.py"
    )
    tight = model.run("context", query="redis", max_tokens=10)
    assert (tight.context, tight.token_count, tight.sources) == ("", 0, ())
    assert tight.left_out > 0 and "raise --max-tokens" in tight.notes[0]


def test_bad_input_is_a_sentence(model: Desk) -> None:
    for values, error in (
        ({"query": "?!"}, InvalidInput),
        ({"query": "redis", "file": "../outside.py"}, InvalidInput),
        ({"query": "redis", "session": "01NOTHING"}, NotFound),
        ({"query": "x" * 300_000}, InvalidInput),
    ):
        with pytest.raises(error):
            model.run("context", **values)  # type: ignore[arg-type]


def test_a_question_of_a_hundred_kilobytes_is_answered(model: Desk) -> None:
    found = model.run("context", query="why does the redis pool wait " * 3500)
    assert found.sources and found.token_count <= 6000


def test_an_empty_repository_says_so(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    found = desk.run("context", query="anything")
    assert (found.context, found.confidence.level) == ("", "guess")
    assert found.notes[0].startswith("Nothing is known about this")


def test_a_secret_and_a_foreign_memory_are_not_in_it(desk: Desk) -> None:
    id = desk.run("remember", text="Foreign redis pool advice").id
    desk.run("trust", id=(id,), tier="foreign")
    found = desk.text("context", query="redis pool TOKEN TIMEOUT config advice")
    assert "TIMEOUT = 30" in found
    assert SECRET not in found and "Foreign" not in found
    # Nor where it was put away.
    own = desk.run("remember", text="Our old redis pool advice").id
    for item in (id, own):
        desk.run("forget", id=(item,))
    found = desk.text("context", query="redis pool advice", max_tokens=8000)
    assert "Our old redis pool advice" in found and "Foreign" not in found


def test_a_past_session_that_holds_half_of_the_words_is_in_it(desk: Desk) -> None:
    desk.run("session start", goal="Drain the zebra queue")
    desk.run("session end", summary="Half done")
    for query, expected in (("zebra quokka", True), ("zebra quokka lemur", False)):
        found = desk.run("context", query=query, max_tokens=8000).context
        assert ("Drain the zebra queue" in found) == expected, query


def test_a_secret_that_the_rules_did_not_know_when_it_was_indexed_is_not_in_it(desk: Desk) -> None:
    """What is stored is read again: the store may be older than the rules."""
    database = open_store(str(desk.store))
    with database.write():
        database.run("UPDATE chunks SET text = text || ?", (f"\n# redis pool token {SECRET}",))
    database.close()
    found = desk.text("context", query="redis pool token")
    assert "# redis pool token [redacted" in found and SECRET not in found


def test_an_edited_file_is_shown_as_it_is(desk: Desk) -> None:
    place = desk.place / "src/net/retry.py"
    place.write_text("import time\n\n" + place.read_text())
    found = desk.run("context", query="backoff retry times")
    cited = next(source for source in found.sources if source.path == "src/net/retry.py")
    assert cited.lines.startswith("3-")


def test_a_fence_in_a_file_does_not_end_the_fence_around_it(desk: Desk) -> None:
    (desk.place / "docs/fences.md").write_text("# Zebra\n\n```\nzebra crossing\n```\n")
    desk.run("index")
    found = desk.run("context", query="zebra crossing").context
    assert re.search(r"^~~~~\n(.|\n)*```\nzebra crossing\n(```\n)?~~~~$", found, re.MULTILINE)


def test_tokens_are_counted_with_the_tokenizer_of_the_settings(model: Desk, tmp_path: Path) -> None:
    path = made_tokenizer(tmp_path / "tokenizer.json")
    own = model.at(model.place)
    own.env = own.env | {"GITMEM_CONTEXT_TOKENIZER": path}
    found = own.run("context", query="redis pool", max_tokens=200)
    assert found.counted_by == "tokenizer.json"
    assert found.token_count == len(re.findall(r"\w+|[^\w\s]+", found.context)) <= 200
    own.env["GITMEM_CONTEXT_TOKENIZER"] = str(tmp_path / "none.json")
    with pytest.raises(Unavailable):
        own.run("context", query="redis")


def test_json_has_what_the_text_tells(model: Desk) -> None:
    found: dict[str, Any] = as_json_values(model.run("context", query="redis pool", max_tokens=900))
    assert set(found) == {
        *("context", "sources", "token_count", "max_tokens", "counted_by", "decisions"),
        *("confidence", "left_out", "notes", "now"),
    }
    assert found["now"] is None
    text = model.text("context", query="redis pool", max_tokens=900)
    assert f"({found['token_count']} of 900 tokens, estimated; confidence" in text
    for budget in (200, 300, 500):
        less = model.run("context", query="redis pool", max_tokens=budget)
        assert bool(less.decisions) == ("Relevant Decisions" in headings(less.context)), budget
    # Of the archive nothing is told where room is scarce.
    assert "From the Archive" not in headings(less.context)


WORDS = st.sampled_from(
    ["redis", "pool", "backoff", "fetch", "url", "the", "port", "6380", "zebra", '"redis pool"']
)


@pytest.fixture(scope="module")
def opened(model: Desk) -> Iterator[App]:
    """One invocation for many requests: opening the store each time would be most of the cost."""
    app = model.app()
    yield app
    app.close()


def test_each_tier_has_its_share_of_the_tokens() -> None:
    """ML-1: about 1,000 for what runs, 4,000 for what is indexed, 500 for the archive."""
    shares = query_context.SHARES
    indexed = sum(shares[name] for name in ("code", "notes", "commits"))
    assert (shares["working"], indexed, shares["archive"]) == (1000, 4000, 500)
    assert shares["decisions"] == 500


@settings(max_examples=max(1, REQUESTS // STEPS), suppress_health_check=list(HealthCheck))
@given(
    query=st.lists(WORDS | st.text(max_size=12), min_size=1, max_size=6).map(" ".join),
    budget=st.integers(1, 300) | st.integers(1, 9000),
    file=st.sampled_from(["", "src/net/retry.py", "docs/x.md"]),
)
def test_no_request_is_ever_over_its_budget(
    opened: App, query: str, budget: int, file: str
) -> None:
    """Nor with a token less than what was just told: whoever allows a few too many is seen there.

    Budgets drawn at will leave room behind most last lines, in which an overrun hides.
    """
    for _ in range(STEPS):
        try:
            found = assemble_context(opened, ContextRequest(query, file=file, max_tokens=budget))
        except GitmemError:
            return
        assert max_token_count(found.context) == found.token_count <= budget
        assert found.left_out >= 0
        budget = max(1, found.token_count - 1)


def test_two_questions_in_one_both_have_their_files(model: Desk) -> None:
    halves = ("where does the barometer measure for a while", "which redis port is taken")
    both = model.run("context", query=f"{halves[0]} and {halves[1]}")
    parts = [model.run("context", query=halve) for halve in halves]
    files = [[source.path for source in each.sources if source.kind == "code"] for each in parts]
    assert [source.path for source in both.sources if source.kind == "code"][:2] == [
        files[0][0],
        next(path for path in files[1] if path != files[0][0]),
    ]
    assert any(source.kind == "decision" for source in both.sources)
    assert both.confidence.score == min(part.confidence.score for part in parts)


def test_who_asks_of_the_past_is_shown_commits_before_code(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Add the redis pool", FILES)
    text = "Raise the ceiling of the redis pool"
    repo.commit(text, {"src/cache/redis_pool.py": FILES["src/cache/redis_pool.py"] + "# 20\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("index")

    def asked(query: str) -> list[str]:
        found = desk.run("context", query=query)
        assert found.token_count <= found.max_tokens
        return headings(found.context)

    plain = desk.run("context", query="when was the ceiling of the redis pool raised?")
    assert headings(plain.context)[:2] == ["Related Commits", "Codebase Context"]
    assert plain.sources[0].kind == "commit" and text in plain.context
    # Of a known form: what the verb says, then the commits.
    known = desk.run("context", query="why was RedisPool changed?")
    assert headings(known.context)[:2] == ["Answer", "Related Commits"]
    answer = known.context.partition("## Related Commits")[0]
    assert "RedisPool in src/cache/redis_pool.py" in answer and "Add the redis pool" in answer
    assert asked("who calls RedisPool?")[:2] == ["Answer", "Codebase Context"]
    assert asked("redis pool")[0] == "Codebase Context"
    # What the verb cannot know is told too.
    assert (
        "Nothing named 'RedisPond' is indexed."
        in desk.run("context", query="who calls RedisPond?").context
    )
