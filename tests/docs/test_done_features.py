"""Rows that the table of features calls done, each run from end to end in a real repository.

These are rows whose id no other test names. Each test runs what the row in ``docs/features.md``
promises, as its users would.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import apsw
import pytest

from gitmem.embedding.registry import open_embedder
from gitmem.errors import GitmemError
from gitmem.git import runner
from tests.mcp.peers import FULL, Raw
from tests.support.apps import DAY, HOUR, Desk
from tests.support.cli import Program
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store


@pytest.fixture
def cheap(bare_desk: Desk, ready: SetUp) -> Desk:
    """Set up and indexed with the model that costs nothing, without hooks."""
    bare_desk.env["GITMEM_MODEL"] = "hashed"
    ready(bare_desk, no_hooks=True)
    return bare_desk


def rows(store: Path, query: str) -> list[tuple[object, ...]]:
    """What a store holds, asked of the file itself."""
    connection = apsw.Connection(str(store))
    try:
        return list(connection.execute(query))
    finally:
        connection.close()


def damage(store: Path, statement: str) -> None:
    """Change a store as no command does."""
    database = open_store(str(store))
    try:
        database.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        with database.write():
            database.run(statement)
    finally:
        database.close()


def findings(desk: Desk, **values: object) -> dict[str, tuple[str, str]]:
    """State and message of each check of doctor."""
    return {
        finding.check: (finding.state, finding.message)
        for finding in desk.run("doctor", **values).findings
    }


def texts(answer: object) -> list[str]:
    """What the memories of an answer say, in its order."""
    return [memory.content for memory in answer.memories]  # type: ignore[attr-defined]


# --- Context Fabric -----------------------------------------------------------------------------


def test_three_layers_are_kept_apart_and_found_together(desk: Desk, repo: RepoBuilder) -> None:
    """CF-1: working for an hour, project in the repository's store, global in the user's."""
    desk.run("remember", text="The staging server sleeps today", layer="working")
    desk.run("remember", text="The linter runs before each commit")
    everywhere = "The development server must be restarted after a change of its settings"
    desk.run("remember", text=everywhere, layer="global")
    listed = desk.run("recall", query="*").memories
    assert {item.layer for item in listed} == {"working", "project", "global"}
    own = rows(desk.store, "SELECT count(*) FROM memories WHERE scope = 'global'")
    assert own == [(0,)]
    desk.clock.advance(2 * HOUR)
    assert {memory.layer for memory in desk.run("recall", query="*").memories} == {
        "project",
        "global",
    }
    other = desk.at(repo.clone(repo.path.parent / "other").path)
    other.run("init", no_hooks=True)
    text = "relaunch the dev server when the configuration is edited"
    assert texts(other.run("recall", query=text, mode="semantic")) == [everywhere]


def test_a_project_memory_keeps_every_column_and_its_words_are_stemmed(desk: Desk) -> None:
    """CF-3: kind, tags, metadata, times, branch, commit and pin come back, and the use is kept."""
    message = {"tag": ("ops",), "metadata": '{"ticket": 7}', "pin": True, "kind": "workflow"}
    id = desk.run("remember", text="Déploying needs the VPN", **message).id
    (found,) = desk.run("recall", query="deployed", mode="keyword").memories
    assert (found.kind, found.tags, found.pinned) == ("workflow", ("ops",), True)
    assert found.created_at and found.updated_at and found.branch == "main" and found.commit
    shown = desk.run("show", id=id)
    assert shown.metadata == {"ticket": 7}
    assert shown.accesses == 1 and shown.last_access
    desk.run("orient")
    assert rows(desk.store, "SELECT count(*) FROM presence") == [(1,)]
    ((sql,),) = rows(desk.store, "SELECT sql FROM sqlite_schema WHERE name = 'memory_text'")
    assert "porter unicode61" in str(sql)


def test_the_better_match_has_the_larger_score(desk: Desk) -> None:
    """CF-10: what holds more of the question scores higher and comes first, not the reverse."""
    for text in ("The cart keeps lines", "The cart total adds tax to its lines", "Tax is due"):
        desk.run("remember", text=text, duplicates="allow")
    found = desk.run("recall", query="cart total tax", mode="keyword").memories
    assert found[0].content == "The cart total adds tax to its lines"
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] < scores[0] <= 1


def test_what_was_used_twice_does_not_fade(desk: Desk) -> None:
    """CF-18: two uses shield a note where one that was never used goes to the archive."""
    desk.run("remember", text="The demo server is called otter")
    desk.run("remember", text="Uploads over four megabytes are queued")
    for _ in range(2):
        assert len(desk.run("recall", query="otter", mode="keyword").memories) == 1
    desk.clock.advance(60 * DAY)
    desk.run("decay")
    assert texts(desk.run("list", state=("archived",))) == [
        "Uploads over four megabytes are queued"
    ]
    assert texts(desk.run("list")) == ["The demo server is called otter"]


def test_code_is_found_by_meaning_through_the_sign_bits(desk: Desk) -> None:
    """CF-34: bits choose, the cosine decides; what shares no word with the question is found."""
    desk.place.joinpath("pay.py").write_text('"""Charge a credit card."""\ncharge = 1\n', "utf-8")
    desk.run("index")
    assert rows(desk.store, "SELECT count(*) > 0 FROM vector_bits") == [(1,)]
    (hit,) = desk.run("search", query="customer payment", mode="semantic", limit=1).hits
    assert hit.path == "pay.py"
    assert hit.similarity is not None and hit.similarity > 0


def test_doctor_counts_what_the_index_lacks_and_fix_makes_it(
    cheap: Desk, repo: RepoBuilder
) -> None:
    """CF-36: stale and deleted files and missing vectors are told, and made by --fix alone."""
    repo.write({"new.py": "n = 1\n"})
    (repo.path / "README.md").unlink()
    damage(cheap.store, "DELETE FROM vectors WHERE id = (SELECT min(id) FROM vectors)")
    before = rows(cheap.store, "SELECT count(*) FROM vectors")
    output = findings(cheap)
    assert "missing: 1, gone: 1" in output["files"][1]
    assert output["vectors"][0] == "problem"
    assert rows(cheap.store, "SELECT count(*) FROM vectors") == before
    run = findings(cheap, fix=True)["index run"][1]
    assert re.match(r"1 file added, 1 dropped, \d+ commits?, \d+ vectors", run)
    output = findings(cheap)
    assert output["files"][0] == output["vectors"][0] == "ok"


def test_a_batch_is_reported_by_line_or_kept_whole(program: Program) -> None:
    """CF-42: 500 lines at once, an error for each that fails, all or nothing with --atomic."""
    lines = "\n".join(json.dumps({"content": f"Fact number {n}"}) for n in range(500))
    program("remember", "-", stdin=lines.encode())
    assert program("stats", "--json").json["total"] == 500
    bad = b'{"content": "A line that is kept"}\n{"content": ""}\n'
    result = program("remember", "-", stdin=bad, status=1)
    assert "1 added, 1 failed" in result.out
    assert "line 2" in result.out
    refused = program("remember", "-", "--atomic", stdin=b'{"content": "Lost"}\n{}\n', status=2)
    assert "line 2" in refused.err
    assert program("stats", "--json").json["total"] == 501


def test_agents_keep_several_memories_in_one_call(desk: Desk, program: Program) -> None:
    """CF-42 over MCP: several in one call, the error in its place, the others kept."""
    message = ("Redis is on 6380", "", "The linter runs first")
    with Raw(desk.place, program.env, options=FULL) as raw:
        raw.open()
        raw.call("batch", calls=[{"tool": "remember", "arguments": {"text": t}} for t in message])
    assert desk.run("stats").total == 2


def test_an_export_is_the_same_bytes_and_an_import_numbers_bad_lines(
    program: Program, repo: RepoBuilder
) -> None:
    """CF-52, CE-38: nothing is lost on the way, vectors stay behind and are made again."""
    saved = "The development server must be restarted after a change of its settings"
    program("remember", saved, "--tag", "infra")
    program("export", "a.jsonl")
    program("export", "b.jsonl")
    text = (program.cwd / "a.jsonl").read_bytes()
    assert text == (program.cwd / "b.jsonl").read_bytes()
    assert b"vector" not in text
    other = repo.clone(repo.path.parent / "other").path
    program("init", "--no-hooks", cwd=other)
    (other / "mixed.jsonl").write_bytes(b"{nonsense\n" + text)
    result = program("import", "mixed.jsonl", "--trust", cwd=other, status=1)
    assert "line 1" in result.out
    query = (
        "recall",
        "relaunch the dev server when the configuration is edited",
        "--mode",
        "semantic",
    )
    (found,) = program(*query, "--json", cwd=other).json["memories"]
    assert (found["content"], found["tags"]) == (saved, ["infra"])


def test_a_backup_is_one_whole_file_and_can_be_gone_back_to(desk: Desk) -> None:
    """CF-53, CE-38: made in use, dated, complete; what was there is kept aside on going back."""
    desk.run("remember", text="Before the backup")
    made = Path(desk.run("backup").written)
    assert re.search(r"\d{8}", made.name)
    assert rows(made, "PRAGMA integrity_check") == [("ok",)]
    desk.run("remember", text="After the backup")
    gone_back = desk.run("restore-backup", source=str(made))
    assert texts(desk.run("list")) == ["Before the backup"]
    assert Path(gone_back.aside).is_file()


def test_one_server_serves_many_repositories_from_their_own_stores(
    desk: Desk, program: Program, repo: RepoBuilder
) -> None:
    """CF-59: each call may name its project, each has its own store, the global one is shared."""
    other = repo.clone(repo.path.parent / "other").path
    program("init", "--no-hooks", cwd=other)
    program("remember", "Said in the first")
    program("remember", "Said in the second", cwd=other)
    program("remember", "Said for all", "--scope", "global")
    program("config", "--user", "mcp.projects", str(other))
    with Raw(desk.place, program.env, options=FULL) as raw:
        raw.open()
        for place, own in ((repo.path, "Said in the first"), (other, "Said in the second")):
            answer = raw.call("recall", query="said", mode="keyword", repo=str(place))
            memories = answer["structuredContent"]["memories"]
            assert {memory["content"] for memory in memories} == {own, "Said for all"}


# --- Context Cache ------------------------------------------------------------------------------


def test_markdown_is_recut_where_it_changed_and_dropped_where_it_went(
    cheap: Desk, repo: RepoBuilder
) -> None:
    """CC-1: in every folder, by content; the unchanged is skipped, pieces go with their file."""
    repo.write({"docs/deep/a.md": "# Alpha\nzebra\n", "docs/b.md": "# Beta\nyak\n"})
    assert cheap.run("index").added == 2
    again = cheap.run("index")
    assert (again.added, again.kept) == (0, 4)

    def found(word: str) -> list[str]:
        hits = cheap.run("search", query=word, sources=("notes",), mode="keyword").hits
        return [hit.path for hit in hits]

    repo.write({"docs/deep/a.md": "# Alpha\nwalrus\n"})
    (repo.path / "docs" / "b.md").unlink()
    cheap.run("index")
    assert (found("zebra"), found("yak"), found("walrus")) == ([], [], ["docs/deep/a.md"])
    cheap.run("index", action="prune")
    lost = "SELECT count(*) FROM chunks WHERE blob NOT IN (SELECT id FROM blobs)"
    assert rows(cheap.store, lost) == [(0,)]


def test_full_text_tables_keep_no_second_copy_of_a_text(desk: Desk) -> None:
    """CC-5: porter over unicode61, contentless, kept in step by code and by no trigger."""
    desk.run("remember", text="Redis listens on 6380")
    tables = rows(desk.store, "SELECT name, sql FROM sqlite_schema WHERE sql LIKE '%USING fts5%'")
    assert {name for name, _ in tables} >= {"memory_text", "chunk_text", "commit_text"}
    for name, sql in tables:
        bare = str(sql).replace('"', "'").replace(" ", "")
        assert "porterunicode61" in bare, name
        assert "content=''" in bare, name
    assert rows(desk.store, "SELECT name FROM sqlite_schema WHERE type = 'trigger'") == []
    assert texts(desk.run("recall", query="listening", mode="keyword"))


def test_settings_come_from_three_files_and_the_environment(program: Program) -> None:
    """CC-9: the user's file, then the repository's, then the store's, then the environment."""

    def value() -> object:
        return program("config", "recall.limit", "--json").json["settings"][0]["value"]

    program("config", "recall.limit", "7", "--user")
    assert value() == 7
    (program.cwd / ".gitmem.toml").write_text("[recall]\nlimit = 8\n", "utf-8")
    assert value() == 8
    program("config", "recall.limit", "9")
    assert value() == 9
    program.env["GITMEM_RECALL_LIMIT"] = "11"
    assert value() == 11


def test_the_embedder_of_tests_needs_nothing_and_always_says_the_same() -> None:
    """CC-17: stores and repositories are real in tests, and so is a model that costs nothing."""
    model = open_embedder("hashed")
    assert model.embed(["a cart"]) == open_embedder("hashed").embed(["a cart"])
    assert model.embed(["a cart"]) != model.embed(["a ship"])
    assert len(model.embed(["a cart"])[0]) == model.dimension


def test_vectors_are_compared_by_sqlite_vec_and_an_index_can_be_made_in_full(desk: Desk) -> None:
    """CC-18: sqlite-vec, a full run, and notes that are cut along their headings."""
    pytest.importorskip("sqlite_vec")
    assert findings(desk)["sqlite-vec"][0] == "ok"
    desk.place.joinpath("guide.md").write_text("# One\nfirst\n\n# Two\nsecond\n", "utf-8")
    assert desk.run("index", full=True).added == 3
    contexts = rows(desk.store, "SELECT context FROM chunks WHERE context IN ('One', 'Two')")
    assert len(contexts) == 2


# --- MemoryLayer --------------------------------------------------------------------------------


def test_a_search_tells_file_lines_preview_and_relevance(cheap: Desk) -> None:
    """ML-6: path, range of lines, snippet, score and why, ten at most unless more are asked for."""
    cheap.place.joinpath("tax.py").write_text("def add_tax(total):\n    return total\n", "utf-8")
    cheap.run("index")
    answer = cheap.run("search", query="add tax", sources=("code",), mode="keyword")
    (hit,) = answer.hits
    assert (hit.path, hit.start_line, hit.end_line) == ("tax.py", 1, 2)
    assert "add_tax" in hit.snippet
    assert hit.score > 0 and hit.why


def test_a_decision_has_author_files_tags_status_and_a_successor(desk: Desk) -> None:
    """ML-7: recorded, listed, found by meaning, its status changed, replaced by another."""
    given = {"path": ("src/cart/cart.py",), "tag": ("db",), "author": "Grace"}
    first = desk.run("decide", title="Use SQLite", why="One file", status="proposed", **given).id
    (found,) = desk.run("list", kind=("decision",)).memories
    assert (found.status, found.tags, found.paths) == ("proposed", ("db",), ("src/cart/cart.py",))
    desk.run("revise", id=first, status="accepted")
    assert desk.run("show", id=first).memory.status == "accepted"
    assert len(desk.run("recall", query="SQLite in one file", mode="semantic").memories) == 1
    second = desk.run("decide", title="Use a server", why="Many writers", supersedes=first).id
    old = desk.run("show", id=first).memory
    assert (old.status, old.superseded_by) == ("superseded", second)


def test_data_lies_in_a_folder_of_the_project_that_git_never_sees(
    program: Program, repo: RepoBuilder
) -> None:
    """ML-42: one private folder in the main work tree, ignored by itself."""
    program("remember", "Redis is on 6380")
    assert (repo.path / ".gitmem" / "memory.db").is_file()
    assert repo.git("status", "--porcelain", "--ignored=no") == ""
    assert (repo.path / ".gitmem" / ".gitignore").read_text("utf-8").strip() == "*"


# --- Context Engine -----------------------------------------------------------------------------


def test_moves_renames_and_branch_switches_make_no_new_vector(
    cheap: Desk, repo: RepoBuilder
) -> None:
    """CE-25: vectors hang on the hash of a text; an edit of one function embeds that one."""
    body = "".join(f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(9))
    repo.commit("Add functions", {"src/many.py": body})
    assert cheap.run("index").vectors > 0
    (repo.path / "src" / "many.py").rename(repo.path / "src" / "moved.py")
    renamed = cheap.run("index")
    assert (renamed.moved, renamed.vectors) == (1, 0)
    repo.commit("Rename")
    cheap.run("index")
    repo.branch("side", "HEAD~1")
    cheap.run("index")
    repo.switch("main")
    back = cheap.run("index")
    assert back.vectors == 0


def test_a_setting_that_changed_since_is_reported_with_what_mends_it(cheap: Desk) -> None:
    """CE-28: each setting the index hangs on says whether a run or a full one is needed."""
    assert findings(cheap)["drift"][0] == "ok"
    effect = cheap.run("config", key="index.words", value="100").effect
    assert "gitmem index" in effect
    cheap.env["GITMEM_INDEX_COMMITS"] = "1"
    messages = [finding for finding in cheap.run("doctor").findings if finding.check == "drift"]
    assert any(
        "index.words" in item.message and "no full rebuild" in item.hint for item in messages
    )
    assert any("history" in item.message for item in messages)
    cheap.env["GITMEM_MODEL"] = "builtin"
    assert any("model" in o.message for o in cheap.run("doctor").findings if o.check == "drift")


def test_an_empty_and_an_older_index_heal(cheap: Desk) -> None:
    """CE-29: what is missing is a problem that --fix mends; an older index is remade at once."""
    cheap.run("remember", text="Redis is on 6380")
    damage(cheap.store, "DELETE FROM memory_text WHERE rowid > 0")
    assert findings(cheap)["index"][0] == "problem"
    findings(cheap, fix=True)
    assert findings(cheap)["index"][0] == "ok"
    connection = apsw.Connection(str(cheap.store))
    ((version,),) = connection.execute("PRAGMA user_version")
    connection.execute(f"PRAGMA user_version = {version - 1}")
    connection.close()
    assert texts(cheap.run("recall", query="redis", mode="keyword")) == ["Redis is on 6380"]
    assert rows(cheap.store, "PRAGMA user_version") == [(version,)]


def test_gitmemignore_stands_beside_gits_own_rules(cheap: Desk, repo: RepoBuilder) -> None:
    """CE-30: files it names stay out, as do ignored ones, binaries, secrets and lock files."""
    repo.write(
        {
            ".gitignore": "built/\n",
            ".gitmemignore": "vendor/\n",
            "built/a.py": "otter = 1\n",
            "vendor/b.py": "otter = 2\n",
            ".env": "OTTER=3\n",
            "package-lock.json": '{"otter": 4}\n',
            "blob.bin": "otter\0\0",
            "src/own.py": "otter = 5\n",
        }
    )
    cheap.run("index")
    hits = cheap.run("search", query="otter", mode="keyword", sources=("code", "notes")).hits
    assert [hit.path for hit in hits] == ["src/own.py"]


def test_the_ignore_file_of_context_engine_stands_in_for_one_that_is_not_there(
    cheap: Desk, repo: RepoBuilder
) -> None:
    """CE-30."""
    repo.commit("Otters", {"a/own.py": "otter = 5\n", "gen/own.py": "otter = 6\n"})
    for name, line, expected in (
        (".qdrantignore", "gen/\n", {"a/own.py"}),
        (".gitmemignore", "a/\n", {"gen/own.py"}),
    ):
        repo.write({name: line})
        cheap.run("index")
        hits = cheap.run("search", query="otter", mode="keyword", sources=("code",)).hits
        assert {hit.path for hit in hits} == expected


def test_git_runs_in_one_place_with_a_time_out_and_a_limit(repo: RepoBuilder) -> None:
    """CE-39: no shell, a time-out, a limit of bytes, an environment of its own, no child left."""
    place = str(repo.path)
    assert runner.run_git(["rev-parse", "HEAD"], cwd=place).decode().strip() == repo.head()
    with pytest.raises(GitmemError):
        runner.run_git(["log", "--format=%B"], max_bytes=3, cwd=place)
    with pytest.raises(GitmemError):
        runner.run_git(["rev-parse", "$(touch here)"], cwd=place)
    assert not (repo.path / "here").exists()
