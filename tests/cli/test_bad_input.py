"""Everything the issue calls bad input, through the real program: a sentence, a hint, a status."""

from __future__ import annotations

import hashlib

from tests.support.cli import Program


def content(program: Program) -> list[str]:
    return [memory["content"] for memory in program("list", "--json").json["memories"]]


def test_ids_kinds_and_dates_that_are_not(program: Program) -> None:
    item = program("remember", "one", "--json").json["id"]
    two = program("remember", "two", "--json").json["id"]
    shared = item[: next(n for n in range(27) if item[:n] != two[:n]) - 1]
    for words in (("show",), ("forget",), ("purge", "--yes")):
        program.refused(4, "not_found", *words, "ZZZZZZ")
    error = program.refused(5, "ambiguous", "show", shared)
    assert item in error.err and two in error.err
    program.refused(5, "ambiguous", "purge", "-y", shared)
    program.refused(2, "invalid", "remember", "x", "--kind", "nonsense")
    program.refused(2, "invalid", "list", "--since=2026-02-30")
    program.refused(2, "invalid", "recall", "x", "--until=soon")
    program.refused(2, "invalid", "timeline", "--since=--all")
    program.refused(2, "invalid", "time", "whenever")
    program.refused(2, "invalid", "remember", "x", "--ttl", "soon")
    assert sorted(content(program)) == ["one", "two"]


def test_texts_that_cannot_be_kept(program: Program) -> None:
    for words, stdin, word in (
        (("remember", ""), b"", "empty"),
        (("remember", " \n"), b"", "empty"),
        (("remember", "-"), b"", "empty"),
        (("remember", "-"), b"x" * 1_000_000, "1,000,000"),
        (("remember", "-"), b"a\x00b", "NUL"),
        (("remember", "-"), b"caf\xe9", "UTF-8"),
        (("remember", "-"), "utf-16".encode("utf-16"), "UTF-8"),
        (("decide", "x", "--why", "-"), b"\xff\xff", "UTF-8"),
        (("decide", ""), b"", "empty"),
        (("import", "-"), b"\xff", "UTF-8"),
        (("session", "note", "-"), b"\x00", "NUL"),
    ):
        error = program.refused(2, "invalid", *words, stdin=stdin)
        assert word in error.err, error
    assert content(program) == []


def test_questions_that_are_none_and_questions_like_syntax(program: Program) -> None:
    program("remember", "Redis is on 6380")
    for query in ("", "   ", '"', "?!", "*^"):
        program.refused(2, "invalid", "recall", query)
    for query in ("redis AND", '"redis', "NEAR(redis", "title:redis", "redis*", "-redis OR (6380"):
        found = program("recall", "--json", "--", query).json["memories"]
        assert [item["content"] for item in found] == ["Redis is on 6380"], query


def test_sessions_files_and_settings_that_contradict(program: Program) -> None:
    program.refused(5, "conflict", "session", "end")
    program.refused(4, "not_found", "session", "show")
    program.refused(4, "not_found", "import", "missing.jsonl")
    program.refused(4, "not_found", "restore-backup", "--yes")
    program("export", "out.jsonl")
    program.refused(5, "conflict", "export", "out.jsonl")
    program.refused(2, "invalid", "config", "nonsense", "1")
    program.refused(2, "invalid", "config", "orient.budget", "lots")
    program.refused(2, "invalid", "config", "orient.budget", "-5", "--unsett")
    below = program.refused(2, "invalid", "config", "orient.budget", "-5")
    assert "between 200 and" in below.error["hint"]
    env = program.env | {"GITMEM_RECALL_LIMIT": "lots"}
    result = program("recall", "x", env=env)
    assert result.err.startswith(
        "gitmem: warning: GITMEM_RECALL_LIMIT: recall.limit cannot be 'lots'"
    )
    assert result.err.count("\n") == 1


def test_a_refusal_changes_no_byte_of_the_store(program: Program) -> None:
    program("remember", "Redis is on 6380")
    program("orient")
    path = program.cwd / ".gitmem" / "memory.db"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    for words, status in (
        (("remember", ""), 2),
        (("show", "ZZZZ"), 4),
        (("forget", "ZZZZ"), 4),
        (("session", "end"), 5),
    ):
        program(*words, status=status)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_a_broken_settings_file_of_the_user_is_named(program: Program) -> None:
    path = program.cwd.parent / "home" / "gitmem" / "config.toml"
    path.write_text("orient = [broken\n")
    error = program.refused(2, "invalid", "orient")
    assert str(path) in error.err
    path.write_text("[orient]\nbudget = 'lots'\n")
    (error,) = program("status", "--json").json["warnings"]
    assert str(path) in error and "orient.budget" in error
