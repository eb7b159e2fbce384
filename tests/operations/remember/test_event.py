"""Events that agents report: eight types with their effects, and errors that are known again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitmem.clock import format_iso
from gitmem.errors import InvalidInput, NotInitialized
from gitmem.memory import event_types
from gitmem.operations.remember.event import ReportEventResult
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET
from tests.support.tables import table

TRACE = """Traceback (most recent call last):
  File "{root}/shop/cache.py", line {line}, in connect
    raise ConnectionError(...)
redis.exceptions.ConnectionError: Error 111 connecting to {host}:6379. Connection refused.
"""


def trace(root: str = "/home/ann/shop", line: int = 4, host: str = "10.2.0.9") -> str:
    return TRACE.format(root=root, line=line, host=host)


def report(desk: Desk, type: str, payload: object = "", **more: Any) -> ReportEventResult:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    found = desk.run("event", type=type, payload=text, **more)
    assert isinstance(found, ReportEventResult)
    return found


def saved(desk: Desk, id: str) -> dict[str, Any]:
    item = desk.run("show", id=id).memory
    return {name: getattr(item, name) for name in type(item).__match_args__}


@pytest.fixture
def quiet(desk: Desk) -> Desk:
    desk.env["GITMEM_HOOKS_ENABLED"] = "0"
    return desk


def test_each_type_has_its_layer_its_kind_and_its_end(quiet: Desk) -> None:
    """CF-37."""
    desk, now = quiet, quiet.clock.now()
    for type, payload, layer, kind, end in (
        ("file_opened", {"path": "README.md"}, "working", "file_context", HOUR),
        ("command_executed", {"command": "ls", "output": "a b"}, "working", "command", 2 * HOUR),
        ("error_occurred", {"error": "KeyError: 'price'"}, "project", "error", DAY),
        ("decision_made", {"title": "Use SQLite", "why": "One file"}, "project", "decision", None),
        ("session_start", {"goal": "Mend the cart"}, "working", "summary", DAY),
        ("session_end", {"summary": "It works"}, "working", "summary", DAY),
        ("pattern_detected", {"name": "Guard first"}, "global", "pattern", None),
        ("user_feedback", {"rating": 4, "comment": "Terse"}, "global", "relationship", None),
    ):
        found = report(desk, type, payload)
        assert found.processed, type
        assert found.triggered_actions, type
        item = saved(desk, found.memory_id)
        expires = None if end is None else format_iso(now + end)
        assert (item["layer"], item["kind"], item["expires_at"]) == (layer, kind, expires), type
    assert {row.content for row in desk.run("list", kind=("relationship",)).memories} == {
        "Rated 4/5: Terse"
    }


def test_a_link_is_not_followed_out_of_the_repository(
    quiet: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "diary.txt").write_text("Nobody's business")
    (repo.path / "diary.txt").symlink_to(outside / "diary.txt")
    (repo.path / "linked").symlink_to(outside)
    for path in ("diary.txt", "linked/diary.txt"):
        opened = report(quiet, "file_opened", {"path": path})
        assert saved(quiet, opened.memory_id)["content"] == "", path


def test_of_a_file_and_of_an_output_the_beginning_is_kept(quiet: Desk) -> None:
    (quiet.place / "long.txt").write_text("z" * 3000)
    opened = report(quiet, "file_opened", {"path": "long.txt"})
    assert saved(quiet, opened.memory_id)["content"] == "z" * event_types.OPENED_LENGTH
    assert "reindex" in opened.triggered_actions
    given = report(quiet, "file_opened", {"filePath": "README.md", "content": "Read me"})
    assert saved(quiet, given.memory_id)["content"] == "Read me"
    ran = report(quiet, "command_executed", {"command": "make", "output": "y" * 3000})
    content = saved(quiet, ran.memory_id)["content"]
    assert content == "$ make\n" + "y" * event_types.OUTPUT_LENGTH


def test_an_output_that_looks_like_an_error_is_kept_as_one_too(quiet: Desk) -> None:
    found = report(quiet, "command_executed", {"command": "pytest", "output": trace()})
    assert found.triggered_actions == ("added", "new error", "added")
    assert saved(quiet, found.memory_id)["kind"] == "error"
    assert len(quiet.run("list", kind=("command",)).memories) == 1
    fine = report(quiet, "command_executed", {"command": "pytest", "output": "3 passed"})
    assert (fine.signature, fine.triggered_actions) == ("", ("added",))


def test_an_error_that_returns_is_answered_with_its_fix_and_the_commit(
    quiet: Desk, repo: RepoBuilder
) -> None:
    """CF-37, CF-38: whatever the folder, the line and the address."""
    first = report(quiet, "error_occurred", trace())
    assert (first.seen, first.fix) == (0, None)
    assert first.triggered_actions == ("new error", "added")
    assert "not seen before" in first.message
    again = report(quiet, "error_occurred", {"stack": trace("/srv/app", 77, "127.0.0.1")})
    assert (again.memory_id, again.seen, again.fix) == (first.memory_id, 1, None)
    assert "seen 2 times" in again.message

    sha = repo.commit("Start the cache before the shop")
    fixed = report(
        quiet, "error_occurred", {"error": trace(line=9), "fix": "Start redis", "commit": sha[:9]}
    )
    assert fixed.triggered_actions == ("known error", "fix stored")
    last = report(quiet, "error_occurred", trace("/builds/7"))
    assert last.fix is not None
    assert (last.fix.id, last.fix.text) == (fixed.memory_id, "Start redis")
    assert (last.fix.commit, last.fix.subject) == (sha, "Start the cache before the shop")
    assert last.seen == 3
    text = quiet.text("event", type="error_occurred", payload=trace("/opt"))
    assert "Start redis" in text
    assert f"{sha[:10]} Start the cache before the shop" in text
    # Another service, another error.
    other = report(quiet, "error_occurred", trace().replace("6379", "5432"))
    assert (other.seen, other.fix) == (0, None)


def test_a_fix_by_tag_or_by_link_counts_and_one_of_elsewhere_that_says_nothing_does_not(
    quiet: Desk,
) -> None:
    first = report(quiet, "error_occurred", {"error": "KeyError: 'price'"})
    quiet.run("remember", text="Prices are optional", kind="fix", tag=(first.signature,))
    known = report(quiet, "error_occurred", {"error": "KeyError: 'price'"}).fix
    assert known is not None
    assert known.text == "Prices are optional"

    second = report(quiet, "error_occurred", {"error": "KeyError: 'total'"})
    cure = quiet.run("remember", text="Sum before you save", kind="note").id
    quiet.run("link", source=cure, target=second.memory_id, relation="SOLVES")
    linked = report(quiet, "error_occurred", {"error": "KeyError: 'total'"}).fix
    assert linked is not None
    assert linked.id == cure

    bare = "java.lang.NullPointerException\n\tat com.acme.{}.run(A.java:3)"
    report(quiet, "error_occurred", {"error": bare.format("Cart"), "fix": "Check the cart"})
    assert report(quiet, "error_occurred", bare.format("Cart")).fix is not None
    assert report(quiet, "error_occurred", bare.format("Mail")).fix is None


def test_a_bare_name_of_an_error_is_no_known_trouble(quiet: Desk) -> None:
    report(quiet, "error_occurred", {"error": "Error", "fix": "Restart it"})
    assert report(quiet, "error_occurred", "Error").fix is None
    report(quiet, "error_occurred", {"error": "StockEmptyError", "fix": "Order more"})
    assert report(quiet, "error_occurred", "StockEmptyError").fix is not None


def test_an_error_of_the_archive_is_known_again_and_comes_back_for_a_day(quiet: Desk) -> None:
    """CT-7: what nobody met for a day is put away, and not lost."""
    quiet.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    first = report(quiet, "error_occurred", trace())
    quiet.clock.advance(30 * DAY)
    assert quiet.run("upkeep").expired == 1
    again = report(quiet, "error_occurred", trace(line=90))
    assert (again.memory_id, again.seen) == (first.memory_id, 1)
    found = saved(quiet, first.memory_id)
    # A day, and half a day more for meeting it again.
    end = format_iso(quiet.clock.now() + DAY + DAY // 2)
    assert (found["state"], found["expires_at"]) == ("active", end)


def test_an_error_that_is_met_five_times_stays(quiet: Desk) -> None:
    """CT-8."""
    quiet.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    first = report(quiet, "error_occurred", trace())
    for line in range(5):
        report(quiet, "error_occurred", trace(line=line))
    quiet.clock.advance(30 * DAY)
    assert quiet.run("upkeep").promoted == 1
    assert saved(quiet, first.memory_id)["expires_at"] is None


def test_what_gitmem_wrote_and_what_is_secret_is_not_kept(quiet: Desk, repo: RepoBuilder) -> None:
    own = report(quiet, "command_executed", {"command": "gitmem recall x", "output": trace()})
    assert (own.processed, own.memory_id) == (False, "")
    frame = f"<<<gitmem:abcdef0123 x\n{trace()}\ngitmem:abcdef0123>>>"
    quoted = report(quiet, "command_executed", {"command": "cat log", "output": frame})
    assert quoted.signature == ""
    (quiet.place / ".env").write_text("A=1\n")
    (quiet.place / ".gitignore").write_text("built/\n")
    (quiet.place / "built").mkdir()
    (quiet.place / "built" / "x.txt").write_text("made\n")
    for path in (".env", "built/x.txt"):
        left = report(quiet, "file_opened", {"path": path, "content": "anything"})
        assert (left.processed, left.memory_id) == (False, ""), path
    ran = report(quiet, "command_executed", {"command": "run", "output": f"key {SECRET}"})
    assert SECRET not in saved(quiet, ran.memory_id)["content"]


@table(
    ("type", "payload", "word"),
    [
        ("file_closed", "{}", "file_closed"),
        ("", "{}", "Types"),
        ("error_occurred", "x" * (event_types.LARGEST + 1), "1,048,577"),
        ("error_occurred", "x" * 10_000_000, "10,000,000"),
        ("error_occurred", "", "error"),
        ("error_occurred", "{", "JSON"),
        ("error_occurred", '{"error": 5}', "error is not a string"),
        ("error_occurred", '{"error": "KeyError: 1", "commit": "nonsense"}', "nonsense"),
        ("error_occurred", '{"error": "KeyError: 1", "commit": "--all"}', "--all"),
        ("file_opened", '{"path": "../../etc/passwd"}', "repository"),
        ("file_opened", "{}", "path"),
        ("file_opened", '{"path": "a\\u0000b"}', "a\\x00b"),
        ("file_opened", '{"path": "a\\ud800b"}', "a\\ud800b"),
        ("error_occurred", '{"error": "KeyError: 1", "fix": "x", "path": "a\\u0000b"}', "a\\x00b"),
        ("command_executed", '{"output": "x"}', "command"),
        ("decision_made", "{}", "title"),
        ("pattern_detected", "{}", "title"),
        ("user_feedback", '{"rating": 6}', "6"),
        ("user_feedback", '{"rating": true}', "True"),
        ("user_feedback", '{"rating": NaN}', "nan"),
        ("user_feedback", "{}", "feedback"),
    ],
)
def test_a_bad_event_is_named_and_nothing_is_stored(
    quiet: Desk, type: str, payload: str, word: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        report(quiet, type, payload)
    assert word in f"{refused.value.message} {refused.value.hint}"
    assert refused.value.hint
    assert quiet.run("list", state=("any",)).total == 0


def test_a_time_may_be_given_and_a_clock_that_goes_back_loses_nothing(quiet: Desk) -> None:
    first = report(quiet, "error_occurred", trace(), at="2024-01-31")
    assert saved(quiet, first.memory_id)["created_at"] == format_iso(quiet.clock.now())
    report(quiet, "error_occurred", trace(), at=str(quiet.clock.now() + 9 * DAY))
    quiet.clock.advance(-400 * DAY)
    again = report(quiet, "error_occurred", trace())
    assert (again.memory_id, again.seen) == (first.memory_id, 2)
    assert quiet.run("list").total == 1
    for bad in ("soon", "9" * 19):
        with pytest.raises(InvalidInput):
            report(quiet, "error_occurred", trace(), at=bad)


def test_without_a_store_nothing_is_reported(tmp_path: Any) -> None:
    bare = RepoBuilder(tmp_path / "bare")
    with pytest.raises(NotInitialized):
        report(Desk(bare.path, bare.home), "session_start", {"goal": "x"})
