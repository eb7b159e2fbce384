"""Arguments of `gitmem search` that page, narrow and show (CE-9, CF-33, CC-6)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem import operations
from gitmem.cli import execute
from gitmem.errors import InvalidInput
from gitmem.operations.find.search_view import SearchResult, StepTimer
from gitmem.retrieval import search_notes
from gitmem.retrieval.hit_view import HitItem
from gitmem.settings import Settings
from tests.support.amounts import examples
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET
from tests.support.stores import open_store

FILES = {
    "src/pool.py": "class RedisPool:\n    port = 6380\n\n\ndef open_pool(port):\n"
    '    """Open the redis pool."""\n    return RedisPool(port)\n',
    "src/server.ts": "export class HttpServer { listen(redisPort) {} }\n// Redis is near\n",
    "src/many.py": "".join(
        f"def redis_step_{n}(queue):\n    '''Redis step {n} of the queue.'''\n"
        + "".join(f"    queue.put({n}, {m})\n" for m in range(16))
        + "\n\n"
        for n in range(6)
    ),
    "tests/test_pool.py": "def test_redis_pool():\n    assert RedisPool.port == 6380\n",
    "docs/guide.md": "# Guide\n\nRedis listens on port 6380.\n\n```\nport = 6380\n```\n",
    "docs/old/notes.md": "# Old\n\nRedis was slow; 100% of it. Ärger mit ÄPFELN.\n",
    "conf/app.d.ts": "declare const redis: string\n",
    "conf/secret.py": f'TOKEN = "{SECRET}"\n',
    **{f"lib/part_{n:02}.py": f"# redis part {n}\nPART_{n} = {n}\n" for n in range(24)},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository indexed once; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("options") / "repo")
    repo.commit("Add the redis pool", FILES)
    repo.commit("Speed up redis", {"x.py": "x = 1\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("remember", text="Redis runs on port 6380 here", kind="convention")
    made.run("index")
    return made


@pytest.fixture
def edited(tmp_path: Path) -> Desk:
    """A small repository whose files changed after they were indexed."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("First", {"a.py": "one = 1\nneedle = 2\n", "b.py": "needle = 3\n", "c.py": "c = 1"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("index")
    (repo.path / "a.py").write_text("zero = 0\none = 1\nneedle = 2\n")
    (repo.path / "b.py").unlink()
    (repo.path / "new.py").write_text("x = 'needle'\n")
    return made


def ask(desk: Desk, query: str, **values: Any) -> SearchResult:
    found: SearchResult = desk.run("search", query=query, **values)
    return found


def key(hit: HitItem) -> tuple[object, ...]:
    return hit.kind, hit.id or hit.commit or hit.path, hit.start_line


def keys(found: SearchResult) -> list[tuple[object, ...]]:
    return [key(hit) for hit in found.hits]


def places(found: SearchResult) -> list[str]:
    return [f"{hit.path}:{hit.start_line}" for hit in found.hits]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_pages_of_any_size_join_to_the_whole_list(desk: Desk, mode: str) -> None:
    """CT-4: with an offset nothing is left out and nothing told twice."""
    whole = keys(ask(desk, "redis", mode=mode, limit=100))
    assert len(whole) > 20
    for size in (7, 15):
        joined: list[tuple[object, ...]] = []
        more = True
        while more:
            page = ask(desk, "redis", mode=mode, limit=size, offset=len(joined))
            joined += keys(page)
            more = page.has_more
            assert len(page.hits) == size or not more
        assert joined == whole


def test_whether_more_follows_is_reported(desk: Desk) -> None:
    assert ask(desk, "redis", limit=3).has_more
    assert not ask(desk, "redis", limit=100).has_more
    total = len(ask(desk, "redis", limit=100).hits)
    past = ask(desk, "redis", offset=5000)
    assert past.hits == () and past.notes == (f"The list ends before that: {total} hits in all.",)


@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.sampled_from(["redis", "redis pool port", "where is the pool opened", "RedisPool"]),
    least=st.floats(0, 1),
    mode=st.sampled_from(["semantic", "hybrid"]),
)
def test_a_threshold_only_removes(desk: Desk, query: str, least: float, mode: str) -> None:
    """CC-4: the least similarity that a hit may have."""
    whole = ask(desk, query, mode=mode, limit=100).hits
    saved = ask(desk, query, mode=mode, limit=100, threshold=least).hits
    likely = [item for item in whole if item.similarity is not None and item.similarity >= least]
    shown = {key(item) for item in saved}
    # Told to four digits: one on the edge may fall on either side.
    assert {
        key(item) for item in likely if item.similarity and item.similarity > least
    } - shown == (set())
    assert [key(item) for item in whole if key(item) in shown] == [key(item) for item in saved]
    assert all(item.similarity is not None and item.similarity >= least - 1e-4 for item in saved)


def test_files_that_are_left_out_are_never_shown(desk: Desk) -> None:
    found = ask(desk, "redis", not_path=("docs", "lib/*.py", "*.ts"), limit=100)
    shown = {hit.path for hit in found.hits}
    assert {"src/pool.py", "src/many.py", "tests/test_pool.py"} <= shown
    assert not [
        item for item in shown if item.startswith(("docs/", "lib/")) or item.endswith(".ts")
    ]
    assert {hit.kind for hit in found.hits} == {"code"}
    for values in ({"mode": "text"}, {"mode": "symbol"}):
        found = ask(desk, "RedisPool", not_path=("src/",), limit=100, **values)
        assert not [hit for hit in found.hits if hit.path.startswith("src/")]
    with pytest.raises(InvalidInput, match="is not a path inside"):
        ask(desk, "redis", not_path=("/etc",))
    with pytest.raises(InvalidInput, match="is not a pattern"):
        ask(desk, "redis", not_path=("src/[ab",))
    output = ask(desk, "redis", not_path=("*",)).notes
    assert output == ("No indexed file fits all of these filters together.",)


def test_files_by_their_ending(desk: Desk) -> None:
    for given_, expected in (
        (("ts",), {"src/server.ts", "conf/app.d.ts"}),
        ((".d.ts",), {"conf/app.d.ts"}),
        (("*.MD", "d.ts"), {"docs/guide.md", "docs/old/notes.md", "conf/app.d.ts"}),
    ):
        found = ask(desk, "redis", ext=given_, limit=100)
        assert {hit.path for hit in found.hits} == expected, given_
    assert ask(desk, "redis", ext=("xyz",)).notes == ("No indexed file ends in .xyz.",)
    with pytest.raises(InvalidInput, match="not the ending of a file name"):
        ask(desk, "redis", ext=("src/*",))


def test_so_many_of_each_source(desk: Desk) -> None:
    found = ask(desk, "redis", per_source=("code=2,commits=1", "notes=0"), limit=100)
    kinds = [hit.kind for hit in found.hits]
    assert (kinds.count("code"), kinds.count("commit"), kinds.count("note")) == (2, 1, 0)
    assert kinds.count("memory") == 1
    whole = keys(ask(desk, "redis", limit=100))
    assert [item for item in whole if item in keys(found)] == keys(found)


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_several_pieces_of_a_file_as_hits_of_their_own(desk: Desk, mode: str) -> None:
    alone = ask(desk, "redis step of the queue", sources=("code",), mode=mode)
    assert [hit.path for hit in alone.hits].count("src/many.py") == 1
    for most in (2, 3):
        found = ask(desk, "redis step of the queue", per_path=most, mode=mode, limit=30)
        pieces = [hit for hit in found.hits if hit.path == "src/many.py"]
        assert len(pieces) == most
        assert len({hit.start_line for hit in pieces}) == most
        assert all(hit.also == () and "redis_step" in hit.snippet for hit in pieces)
        paths = [hit.path for hit in found.hits if hit.kind == "code"]
        assert max(paths.count(path) for path in paths) == most
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)


def test_several_questions_are_answered_at_once(desk: Desk) -> None:
    found = ask(desk, "HttpServer", queries=("speed up redis", "redis pool"), limit=30)
    assert len(set(keys(found))) == len(found.hits)
    assert found.hits[0].path == "src/server.ts"
    assert "HttpServer" in found.hits[0].answers
    assert found.hits[1].title == "Speed up redis"
    pool = next(hit for hit in found.hits if hit.path == "src/pool.py")
    assert {"speed up redis", "redis pool"} <= set(pool.answers)
    assert ask(desk, "redis").hits[0].answers == ()
    only = ask(desk, "", queries=("HttpServer", "RedisPool"), mode="symbol")
    assert [(hit.symbol, hit.answers) for hit in only.hits] == [
        ("HttpServer", ("HttpServer",)),
        ("RedisPool", ("RedisPool",)),
    ]
    text = desk.text("search", query="HttpServer", queries=("redis pool",))
    assert "\n    answers: HttpServer" in text
    with pytest.raises(InvalidInput, match="at most 20"):
        ask(desk, "a", queries=tuple(map(str, range(1000))))


def test_pages_of_several_questions_join_too(desk: Desk) -> None:
    query: dict[str, Any] = {"queries": ("HttpServer", "port 6380")}
    whole = keys(ask(desk, "redis", limit=40, **query))
    joined = [
        key
        for offset in range(0, 40, 8)
        for key in keys(ask(desk, "redis", limit=8, offset=offset, **query))
    ]
    assert joined == whole


def test_a_secret_in_a_heading_that_the_rules_did_not_know_is_not_shown(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("First", {"docs/guide.md": "# Guide\n\nA needle lies here.\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    database = open_store(str(desk.store))
    with database.write():
        database.run("UPDATE chunks SET context = ?", (f"Guide > token {SECRET}",))
    database.close()
    (hit,) = ask(desk, "needle lies", mode="text").hits
    assert hit.context.startswith("Guide > token [redacted")
    assert SECRET not in desk.text("search", query="needle lies", mode="text")


def test_the_text_as_it_stands_is_found_in_exact_lines(desk: Desk) -> None:
    assert places(ask(desk, "port = 6380", mode="text")) == ["src/pool.py:2", "docs/guide.md:6"]
    assert places(ask(desk, "ol(PORT", mode="text")) == ["src/pool.py:5", "src/pool.py:7"]
    assert places(ask(desk, "ol(PORT", mode="text", case=True)) == []
    assert places(ask(desk, "100% of", mode="text")) == ["docs/old/notes.md:3"]
    assert places(ask(desk, "100_ of", mode="text")) == []
    assert places(ask(desk, "ärger MIT äp", mode="text")) == ["docs/old/notes.md:3"]
    assert places(ask(desk, "ärger", mode="text", case=True)) == []
    hit = ask(desk, "return RedisPool(", mode="text").hits[0]
    assert (hit.symbol, hit.end_line, hit.snippet.strip()) == (
        "open_pool",
        7,
        "return RedisPool(port)",
    )
    around = ask(desk, "return RedisPool(", mode="text", context_lines=1).hits[0]
    assert around.start_line == around.end_line == 7
    assert around.snippet.split("\n")[0].strip() == '"""Open the redis pool."""'
    assert ask(desk, "redis", mode="text", per_path=1, limit=100).hits != ()
    paths = [hit.path for hit in ask(desk, "redis", mode="text", per_path=1, limit=100).hits]
    assert len(paths) == len(set(paths)) > 20
    assert places(ask(desk, SECRET[:12], mode="text")) == []
    only = ask(desk, "6380", mode="text", sources=("notes",))
    assert {hit.kind for hit in only.hits} == {"note"}


def test_it_finds_what_git_grep_finds(desk: Desk) -> None:
    for required in ("redis", "6380", "(", "dis p", "Port", "''", "PART_1 ", "%", "\\", '"""'):
        output = subprocess.run(
            ["git", "grep", "-nIiF", "-e", required, "--", ":!conf/secret.py"],
            cwd=desk.place,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        expected = sorted(":".join(line.split(":")[:2]) for line in output.splitlines())
        found: list[str] = []
        more = True
        while more:
            page = ask(desk, required, mode="text", limit=100, offset=len(found))
            found += places(page)
            more = page.has_more
        shown = [item for item in found if not item.startswith("conf/secret.py")]
        assert sorted(shown) == expected, required


def test_files_that_were_edited_are_read_for_the_text(edited: Desk) -> None:
    found = ask(edited, "needle", mode="text")
    assert places(found) == ["a.py:3", "new.py:1"]
    assert all("edited since the index" in hit.why for hit in found.hits)
    assert found.index.reread == 2
    around = ask(edited, "one =", mode="text", context_lines=1).hits[0]
    assert around.snippet == "zero = 0\none = 1\nneedle = 2"


def test_what_cannot_be_looked_for_as_text_is_refused(desk: Desk) -> None:
    for query, expected in (("", "no text"), ("\n", "no text"), ("a\nb", "several lines")):
        with pytest.raises(InvalidInput, match=expected):
            ask(desk, query, mode="text")
    with pytest.raises(InvalidInput, match="100,000 characters; at most 1,000"):
        ask(desk, "x" * 100_000, mode="text")
    with pytest.raises(InvalidInput, match="looks in files"):
        ask(desk, "redis", mode="text", sources=("commits",))


def test_options_that_mean_nothing_together_are_refused(desk: Desk) -> None:
    for option, values in (
        ("--threshold", {"threshold": 0.1, "mode": "keyword"}),
        ("--threshold", {"threshold": 0.0, "mode": "text"}),
        ("--case", {"case": True}),
        ("--per-source", {"per_source": ("code=1",), "mode": "symbol"}),
        ("--include-content", {"include_content": True, "mode": "text"}),
        ("--context-lines", {"context_lines": 0, "mode": "callers"}),
    ):
        with pytest.raises(InvalidInput, match=f"^{option} does not go with --mode"):
            ask(desk, "RedisPool", **values)


def test_case_matters_for_names_where_it_is_asked(desk: Desk) -> None:
    assert [hit.symbol for hit in ask(desk, "redispool", mode="symbol").hits] == ["RedisPool"]
    assert ask(desk, "redispool", mode="symbol", case=True).hits == ()
    assert ask(desk, "RedisPool", mode="symbol", case=True).hits != ()


def test_how_much_of_a_hit_is_shown(desk: Desk) -> None:
    usual = ask(desk, "redis step 3 queue", sources=("code",)).hits[0]
    assert usual.path == "src/many.py" and usual.content == ""
    assert len(usual.snippet.split("\n")) <= 4
    result = ask(desk, "redis step 3 queue", sources=("code",), context_lines=0).hits[0]
    assert len(result.snippet.split("\n")) == 1 and "edis" in result.snippet
    whole = ask(desk, "redis step 3 queue", sources=("code",), include_content=True).hits[0]
    assert whole.start_line and whole.end_line
    length = whole.end_line - whole.start_line + 1
    assert len(whole.content.split("\n")) == length > 4
    text = desk.text("search", query="redis step 3 queue", sources=("code",), include_content=True)
    assert "queue.put(3, 15)" in text
    token = ask(desk, "TOKEN", path="conf", include_content=True).hits[0]
    assert SECRET not in token.content


def test_a_name_that_nothing_has_suggests_what_is_like_it(desk: Desk) -> None:
    for name, like in (("RedisPol", "RedisPool"), ("ServerHttp", "HttpServer")):
        for mode in ("hybrid", "symbol", "callers"):
            notes = ask(desk, name, mode=mode).notes
            assert len(notes) == 1, (name, mode)
            assert notes[0].startswith(f"Nothing is called {name} here; like it: {like}")
    assert ask(desk, "RedisPool").notes == ask(desk, "redis_opener").notes == ()
    assert ask(desk, "redispool").notes == ()
    assert ask(desk, "src/nothing.py").notes == ()
    assert ask(desk, "redis").notes == ()  # a word with answers, no name
    assert ask(desk, "qqxxzz").notes == ()
    assert "Nothing is called RedisPol here" in desk.text("search", query="RedisPol")


def test_a_question_of_100_kb_is_answered(desk: Desk) -> None:
    found = ask(desk, "redis pool port " * 6250, limit=3, offset=2)
    assert len(found.hits) == 3


def test_an_empty_index_answers_nothing(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Nothing", {"empty.txt": ""})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    for values in ({"mode": "text"}, {"mode": "symbol"}, {"offset": 3}, {"threshold": 0.0}):
        found = ask(made, "Redis", sources=("code",), **values)
        assert found.hits == () and not found.has_more, values
    with pytest.raises(InvalidInput, match="inside the repository"):
        ask(made, "Redis", near="/etc/passwd")


def test_words_are_set_off_on_a_terminal_only(desk: Desk) -> None:
    found = ask(desk, "HttpServer", sources=("code",))
    operation = operations.load_operation("search")
    screen = execute._on_screen(operation, found, 100, bold=True)
    assert "class \x1b[1mHttpServer\x1b[22m" in screen
    plain = screen.replace("\x1b[1m", "").replace("\x1b[22m", "")
    assert plain == execute._on_screen(operation, found, 100, bold=False)
    assert "\x1b" not in plain + operation.view(found)
    for environment, expected in (
        ({"TERM": "xterm"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True),
        ({"TERM": "dumb"}, True),
        ({}, True),
    ):
        assert Settings(environment).is_plain_terminal is expected, environment


def test_explaining_tells_what_was_read_and_what_each_step_took(desk: Desk) -> None:
    """CE-19."""
    for values, kind, steps in (
        ({"query": "who calls open_pool"}, "callers", ("read", "ranked", "shown")),
        ({"query": "redis", "queries": ("port",)}, "definition", ("read", "ranked", "shown")),
        ({"query": "RedisPool", "mode": "symbol"}, "definition", ("read", "shown")),
    ):
        result = desk.run("search", explain=True, **values)
        plan = result.plan
        assert (plan.kind, tuple(step.step for step in plan.steps)) == (kind, steps)
        assert 0 < plan.sure <= 1
        assert plan.steps[0].found == 1 + len(values.get("queries", ()))
        assert plan.steps[-1].found == len(result.hits) > 0
        assert desk.run("search", **values).plan is None
        last = desk.text("search", explain=True, **values).splitlines()[-1]
        assert last.startswith(f"(read as {kind}, ")
    now = iter((1.0, 1.5, 1.75))
    watch = StepTimer(lambda: next(now))
    watch.end_step("read", 1)
    answer = watch.add_steps(desk.run("search", query="redis"), "redis")
    assert answer.plan is not None
    assert [step.milliseconds for step in answer.plan.steps] == [500.0, 250.0]


@pytest.mark.parametrize(
    ("times", "model", "reranker", "name", "expected"),
    [
        ((0, 1999, 0), 1900, 0, "builtin", ""),
        ((10, 4000, 200), 3500, 100, "builtin", "4.2 s, 3.5 s of it the model"),
        ((10, 4000, 200), 3500, 100, "fastembed:x", "an MCP server (`gitmem mcp`) keeps it loaded"),
        ((10, 4000, 200), 3500, 100, "ollama:x", "Its server is slow: see `embedding.timeout`"),
        ((10, 4000, 200), 100, 2000, "builtin", "2.0 s of it the reranker. `gitmem model rerank"),
        ((10, 4000, 200), 100, 200, "builtin", "3.7 s of it comparing and ranking. `--in` and"),
        ((9000, 400, 200), 100, 0, "builtin", "9.0 s of it preparing the index of this worktree"),
        ((10, 400, 3000), 100, 0, "builtin", "3.0 s of it reading what is shown. `gitmem index`"),
    ],
)
def test_a_slow_search_says_what_was_slow_and_what_helps(
    desk: Desk, times: tuple[int, ...], model: int, reranker: int, name: str, expected: str
) -> None:
    """CC-16."""
    desk.env["GITMEM_MODEL"] = name
    app = desk.app()
    try:
        steps = dict(zip(("read", "ranked", "shown"), map(float, times), strict=True))
        note = " ".join(search_notes.describe_slow_search(app, steps, model, reranker))
    finally:
        app.close()
    assert expected in note and bool(expected) == bool(note)


def test_a_search_that_is_slow_by_its_worktree_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC-16: measured, whatever the mode; a quick one says nothing."""
    for mode in ("hybrid", "text"):
        assert "This took" not in desk.text("search", query="redis", mode=mode)
    monkeypatch.setattr(search_notes, "SLOW_MS", 0.01)
    for mode in ("hybrid", "keyword", "text", "symbol"):
        (note,) = [
            note
            for note in desk.run("search", query="redis", mode=mode).notes
            if note.startswith("This took ")
        ]
        assert "s of it " in note
        assert "This took " in desk.text("search", query="redis", mode=mode)


def test_two_questions_in_one_are_both_answered(desk: Desk) -> None:
    """Each half is asked on its own; every hit names the half that it answers."""
    first, second = "where is the redis pool opened", "which worker reads the queue"
    found = ask(desk, f"{first} and {second}", limit=6)
    by_hand = ask(desk, first, queries=(second,), limit=6)
    assert keys(found) == keys(by_hand)
    assert {answer for hit in found.hits for answer in hit.answers} == {first, second}
    assert not any(hit.answers for hit in ask(desk, f"{first} and {second}\n").hits)
    exact = ask(desk, "a = 1; where is b", mode="text")
    assert not any(hit.answers for hit in exact.hits)


def test_of_a_path_only_commits_that_changed_it_are_reported(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Walrus here", {"src/a.py": "x = 1\n"})
    repo.commit("Walrus there", {"docs/a.md": "x\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    for path, titles in (("", 2), ("src", 1), ("src/*.py", 1), ("docs/a.md", 1), ("lib", 0)):
        found = desk.run("search", query="walrus", sources=("commits",), path=path)
        assert len(found.hits) == titles, path


def test_diverse_hits_are_the_same_ones_in_another_order(desk: Desk) -> None:
    """CE-3: 24 files say nearly the same; what says something else comes before most of them."""
    plain, diverse = (
        ask(desk, "redis", limit=100, sources=("code", "notes"), diverse=diverse)
        for diverse in (False, True)
    )
    assert sorted(keys(plain)) == sorted(keys(diverse))
    assert keys(plain)[0] == keys(diverse)[0]
    others = [sum(not path.startswith("lib/") for path in places(found)[:10])
              for found in (plain, diverse)]  # fmt: skip
    assert others[1] > others[0]
    pages = [keys(ask(desk, "redis", limit=5, offset=offset, sources=("code", "notes"),
                      diverse=True)) for offset in (0, 5)]  # fmt: skip
    assert pages[0] + pages[1] == keys(diverse)[:10]
    with pytest.raises(InvalidInput, match="--diverse does not go with --mode text"):
        ask(desk, "redis", mode="text", diverse=True)


def test_rank_fusion_is_explained_by_its_ranks(desk: Desk) -> None:
    """CC-4: 1 / (60 + rank) of either leg, as a share of the most that there can be."""
    found = desk.run("search", query="redis port", fusion="rrf", explain=True)
    assert len(found.hits) > 1
    for hit in found.hits:
        legs = [hit.parts[name] for name in ("words_rank", "meaning_rank") if name in hit.parts]
        assert legs and hit.parts["rrf"] == pytest.approx(
            sum(61 / (60 + place) / 2 for place in legs), abs=1e-4
        )
    text = desk.text("search", query="redis port", fusion="rrf", explain=True)
    assert re.search(r", words_rank 1, (meaning_rank \d+, )?rrf \d\.", text)
