"""What is used is counted for who used it, and shown by `gitmem stats --funnel` (CT-25, ML-21)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import InvalidInput
from gitmem.maintenance import usage
from gitmem.maintenance.schedule import MAX_USAGE_LOG_BYTES, is_maintenance_due
from gitmem.operations.registry import as_json_values
from gitmem.store.db import preflight
from gitmem.store.session import usage as kept
from tests.support import children
from tests.support.apps import DAY, HOUR, Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET, leaked
from tests.support.timing import seconds


def funnel(desk: Desk, since: str = "") -> dict[str, dict[str, Any]]:
    """By agent what is not zero."""
    output = as_json_values(desk.run("stats", funnel=True, since=since))["funnel"]
    return {
        item["agent"]: {name: value for name, value in item.items() if value and name != "agent"}
        for item in output
    }


def note(desk: Desk, what: str, *, by: str = "", place: Path | None = None, **more: int) -> None:
    app = desk.app(agent=by, place=place)
    usage.record_usage_event(app, what, **more)
    app.close()


def spool(desk: Desk) -> Path:
    return Path(f"{desk.store}{preflight.USAGE}")


def test_questions_are_counted_with_what_they_found(desk: Desk) -> None:
    desk.run("remember", text="Redis listens on port 6380")
    for query in ("redis", "port 6380", "kubernetes"):
        desk.run("recall", query=query, mode="keyword", by="codex")
    desk.run("search", query="cart", mode="keyword", by="codex")
    desk.run("search", query="zebra", mode="keyword", by="codex")
    desk.run("search", query="nothing", mode="symbol", by="codex")
    output = funnel(desk)
    assert output["codex"] == {"recalls": 3, "hits": 2, "searches": 3, "search_hits": 1}
    assert output[""] == {"stores": 1}


def test_a_list_of_all_is_no_question(desk: Desk) -> None:
    desk.run("remember", text="Redis listens on port 6380", by="codex")
    desk.run("recall", query="*", by="codex")
    assert funnel(desk) == {"codex": {"stores": 1}}


def test_what_was_stored_is_counted_and_what_was_refused_is_not(desk: Desk) -> None:
    desk.run("decide", title="Use SQLite", by="codex")
    desk.run("remember", text="Redis listens on port 6380", by="codex")
    batch = "\n".join(json.dumps({"content": text}) for text in ("one", "two", "", "three"))
    assert desk.run("remember", text=batch, piped=True, by="codex").failed == 1
    with pytest.raises(InvalidInput):
        desk.run("remember", text=" ", by="codex")
    assert funnel(desk) == {"codex": {"stores": 5}}


def test_what_was_injected_and_what_was_saved(desk: Desk) -> None:
    note(desk, "injection", by="claude-code", tokens=1200)
    note(desk, "injection", by="claude-code", tokens=300, saved_tokens=900)
    note(desk, "tool_call", by="claude-code", tokens=7000, saved_tokens=100)  # asked for
    note(desk, "hook", by="claude-code", times=4)
    note(desk, "session", by="claude-code")
    assert funnel(desk) == {
        "claude-code": {
            "sessions": 1,
            "injections": 2,
            "injected_tokens": 1500,
            "tool_calls": 1,
            "hooks": 4,
            "saved_tokens": 1000,
            "session_tokens": 1500,
        }
    }
    note(desk, "injection", by="codex", tokens=500)
    result = desk.run("stats", funnel=True)
    assert (result.injected_tokens, result.project) == (2000, desk.place.name)
    assert f"2,000 tokens injected into 1 session in {desk.place.name}" in desk.text(
        "stats", funnel=True
    )


def test_all_begins_with_the_first_commit_or_memory(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    note(desk, "injection", by="codex", tokens=500)
    desk.clock.advance(40 * DAY)
    assert funnel(desk, "7d") == {}
    counted = desk.run("stats", funnel=True, since="all")
    assert counted.injected_tokens == 500
    assert counted.since <= format_iso(desk.clock.now() - 40 * DAY)[:10]


def test_tool_calls_are_counted_with_the_time_they_took(desk: Desk) -> None:
    app = desk.app(agent="codex")
    for ms in (10, 21, -5):  # a clock that was set back
        usage.record_tool_call_usage(app, tokens=7, saved_tokens=2, duration_ms=ms)
    app.close()
    assert funnel(desk) == {"codex": {"tool_calls": 3, "saved_tokens": 6, "call_ms": 10.3}}
    assert "  tool calls  3, 10 ms each" in desk.text("stats", funnel=True)


def test_recalls_are_counted_by_mode_with_the_time_they_took(desk: Desk) -> None:
    """CF-55."""
    assert desk.text("stats", metrics=True) == "Nothing was recalled since 2026-10-22."
    app = desk.app()
    for ms in [*range(1, 95), 900, 900, 900, 900, 900, 10**9]:
        usage.record_recall_usage(app, "hybrid", answered=True, duration_ms=ms)
    app.close()
    desk.run("recall", query="redis", mode="keyword", by="codex")
    desk.run("recall", query="*", by="codex")  # a list of all
    desk.run("recall", query="redis", mode="keyword", by="codex", offset=5)  # read on
    output = as_json_values(desk.run("stats", metrics=True))["latencies"]
    assert output == {
        "hybrid": {"count": 100, "p50": 64, "p95": 1024, "p99": 1024},
        "keyword": {"count": 1, "p50": 1, "p95": 1, "p99": 1},
    }
    assert funnel(desk)[""] == {"recalls": 100, "hits": 100}
    assert "  hybrid    100: 64 ms, 1,024 ms, 1,024 ms" in desk.text("stats", metrics=True)
    desk.clock.advance(10 * DAY)
    assert desk.run("stats", metrics=True, since="9d").latencies == {}
    with pytest.raises(InvalidInput, match="--funnel and --metrics"):
        desk.run("stats", metrics=True, funnel=True)


def test_sessions_that_are_kept_are_counted(desk: Desk) -> None:
    for _ in range(2):
        desk.run("session start", by="codex")
        desk.run("session end", by="codex")
    note(desk, "session", by="codex")
    assert funnel(desk) == {"codex": {"sessions": 2}}


def test_since_is_a_date_like_any_other(desk: Desk) -> None:
    note(desk, "store", by="codex")
    desk.clock.advance(10 * DAY)
    note(desk, "store", by="codex")
    assert funnel(desk, "9d") == funnel(desk, "today") == {"codex": {"stores": 1}}
    assert funnel(desk) == funnel(desk, "2 weeks ago") == {"codex": {"stores": 2}}
    assert desk.run("stats", funnel=True, since="yesterday").since == "2026-11-30"
    with pytest.raises(InvalidInput):
        funnel(desk, "whenever")
    with pytest.raises(InvalidInput, match="--funnel"):
        desk.run("stats", since="7d")


def test_plain_stats_say_nothing_of_use(desk: Desk) -> None:
    note(desk, "store", by="codex")
    result = desk.run("stats")
    assert (result.funnel, result.since) == ((), "")
    assert "codex" not in desk.text("stats")


def test_the_screen_says_what_the_numbers_are(desk: Desk) -> None:
    assert "Nothing was counted" in desk.text("stats", funnel=True)
    desk.run("recall", query="redis", mode="keyword", by="a\x1b[31mb")
    note(desk, "injection", tokens=1234, saved_tokens=50)
    text = desk.text("stats", funnel=True)
    assert "Usage since 2026-10-22 (UTC):" in text
    assert "  recalls     1, 0 found something (0%)" in text
    assert "person\n  injections  1, 1,234 tokens\n  saved       50 tokens" in text
    assert "characters / 4" in text and "nothing is sent" in text
    assert "\x1b" not in text
    assert "stores" not in text


def test_upkeep_and_the_drain_add_up(desk: Desk) -> None:
    note(desk, "store")
    desk.run("upkeep")
    assert not spool(desk).exists()
    note(desk, "store")
    desk.run("drain")
    assert not spool(desk).exists()
    assert funnel(desk) == {"": {"stores": 2}}


def test_upkeep_is_due_when_much_waits(desk: Desk) -> None:
    app = desk.app()
    assert not is_maintenance_due(app)
    line = kept.format_usage_line(1, "codex", "store", 1, 0, 0, desk.token)
    kept.append_usage_lines(app.store_path, line * (MAX_USAGE_LOG_BYTES // len(line) + 1))
    assert is_maintenance_due(app)
    desk.run("upkeep")
    assert not is_maintenance_due(app)
    app.close()


def test_whoever_says_0_is_not_counted(desk: Desk) -> None:
    desk.run("config", key="usage.enabled", value="0")
    desk.run("remember", text="Redis listens on port 6380", by="codex")
    desk.run("recall", query="redis", mode="keyword", by="codex")
    assert not spool(desk).exists()
    assert funnel(desk) == {}


def test_a_repository_cannot_switch_it_for_its_readers(desk: Desk) -> None:
    (desk.place / ".gitmem.toml").write_text("[usage]\nenabled = 0\n")
    note(desk, "store")
    assert funnel(desk) == {"": {"stores": 1}}


def test_without_a_store_nothing_is_written(bare_desk: Desk, tmp_path: Path) -> None:
    before = sorted(bare_desk.place.rglob("*"))
    note(bare_desk, "hook")
    note(bare_desk, "hook", place=tmp_path)
    (bare_desk.place / ".gitmem").mkdir()
    note(bare_desk, "hook")
    assert sorted(bare_desk.place.rglob("*")) == sorted([*before, bare_desk.place / ".gitmem"])


def test_a_store_that_came_with_a_clone_is_not_written_to(desk: Desk, repo: RepoBuilder) -> None:
    (desk.place / ".gitmem" / ".gitignore").unlink()
    repo.git("add", "-f", ".gitmem/memory.db")
    note(desk, "hook")
    assert not spool(desk).exists()


@pytest.mark.parametrize("damage", [b"", b"garbage" * 100])
def test_a_file_that_is_no_store_gets_no_spool(desk: Desk, damage: bytes) -> None:
    desk.store.write_bytes(damage)
    note(desk, "hook")
    assert not spool(desk).exists()


@children.needs_fork
def test_a_locked_store_is_not_waited_for_and_what_waits_is_shown(desk: Desk) -> None:
    note(desk, "store")
    funnel(desk)
    app = desk.app(agent="codex")
    assert app.store
    with children.holding(str(desk.store)):
        begun = time.monotonic()
        for _ in range(10):
            usage.record_usage_event(app, "store")
        assert time.monotonic() - begun < 5  # one wait for the lock takes ten
        assert funnel(desk) == {"codex": {"stores": 10}, "": {"stores": 1}}
        assert spool(desk).exists()
    app.close()
    assert funnel(desk) == {"codex": {"stores": 10}, "": {"stores": 1}}
    assert not spool(desk).exists()


def test_a_spool_that_cannot_be_written_fails_nothing(desk: Desk) -> None:
    spool(desk).mkdir()
    kept_id = desk.run("remember", text="Redis listens on port 6380").id
    assert [memory.id for memory in desk.run("recall", query="redis").memories] == [kept_id]
    desk.run("upkeep")
    assert funnel(desk) == {}


def test_a_store_that_cannot_be_written_is_not_noted_beside(desk: Desk) -> None:
    app = desk.app()
    app.store.read_only = True
    usage.record_usage_event(app, "store")
    assert not spool(desk).exists()
    app.close()


def test_neither_words_nor_secrets_are_kept(desk: Desk) -> None:
    desk.run("remember", text="The zebra crosses", by=SECRET)
    desk.run("recall", query=f"zebra {SECRET}", mode="keyword", by=SECRET)
    written = spool(desk).read_bytes()
    assert b"zebra" not in written.lower()
    assert not leaked(written)
    (agent,) = funnel(desk)
    assert not leaked(agent.encode())


def test_no_export_takes_the_counts_along(desk: Desk) -> None:
    desk.run("remember", text="Redis listens on port 6380")
    note(desk, "tool_call", by="someagent")
    funnel(desk)
    desk.run("export", target="out.jsonl")
    assert "Redis" in (desk.place / "out.jsonl").read_text()
    assert "someagent" not in (desk.place / "out.jsonl").read_text()


def test_work_trees_count_into_the_store_they_share(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    note(desk, "store", place=linked.path)
    note(desk, "store")
    assert funnel(desk) == {"": {"stores": 2}}


def test_a_day_is_a_day_in_utc(desk: Desk) -> None:
    desk.clock.advance(15 * HOUR)  # 23:03
    note(desk, "store")
    desk.clock.advance(HOUR)
    note(desk, "store")
    assert funnel(desk, "1h") == {"": {"stores": 2}}
    assert funnel(desk, "now") == {"": {"stores": 1}}


def test_counting_costs_as_much_as_a_few_lines_added_to_a_file(desk: Desk, tmp_path: Path) -> None:
    """A fifth of a millisecond on a quiet machine; measured beside what any machine can do."""
    app: App = desk.app(agent="claude-code")
    assert app.store

    def add_a_line() -> None:
        with open(tmp_path / "lines", "ab") as file:
            file.write(b"x" * 100)

    noting = seconds(
        lambda: usage.record_usage_event(app, "injection", tokens=100), times=50, tries=20
    )
    adding = seconds(add_a_line, times=50, tries=20)
    app.close()
    print(f"{noting / adding:.1f} lines, {noting / 50 * 1e6:.0f} us")
    assert noting < 10 * adding


def test_the_program_counts_its_caller(program: Program, desk: Desk) -> None:
    agent = Program(desk.home, desk.place, GITMEM_AGENT="codex")
    agent("remember", "Redis listens on port 6380")
    agent("recall", "redis")
    program("recall", "redis")
    output = program("stats", "--funnel", "--json").json["funnel"]
    counts = {item["agent"]: (item["stores"], item["recalls"], item["hits"]) for item in output}
    assert counts == {"": (0, 1, 1), "codex": (1, 1, 1)}
    assert "codex" in program("stats", "--funnel", "--since", "today").out
    assert program("stats", "--since", "today", "--json", status=2).error["hint"]
