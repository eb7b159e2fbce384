"""The spool of the session hooks: nothing waits, nothing is lost, nothing is read twice (CT-22)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.agents.events import event_log
from gitmem.agents.events.event_log import RecordedEvent
from gitmem.model.frozen import replace
from gitmem.spool import event_log as spool
from tests.support.children import DONE, finish, start

AT = 1_795_248_222_000
KEY = b"k" * 32
NO_NUL = st.characters(exclude_characters="\0")
NOTE = RecordedEvent(
    "edit", AT, "claude-code", "session-1", "/repo", "main", "a" * 40, ("a.py",), ""
)


def taken(folder: Path, now: int = AT) -> list[RecordedEvent]:
    """What a drain reads, each note without its key; dealt with."""
    found, batch = event_log.take_logged_events(
        str(folder), KEY, now_ms=now, process_id=os.getpid()
    )
    spool.discard_line_batch(str(folder), batch, now_ms=now)
    return [replace(item, key="") for item in found]


def test_a_note_comes_back_as_it_was_and_once(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    assert event_log.append_session_event(str(folder), NOTE, KEY)
    assert taken(folder) == [NOTE]
    assert taken(folder) == []
    assert spool.count_unread_log_bytes(str(folder)) == 0


def test_a_drain_that_was_killed_leaves_its_notes_with_the_same_keys(tmp_path: Path) -> None:
    event_log.append_session_event(str(tmp_path), NOTE, KEY)
    first, _ = event_log.take_logged_events(str(tmp_path), KEY, now_ms=AT, process_id=1)
    event_log.append_session_event(str(tmp_path), replace(NOTE, text="later"), KEY)
    again, batch = event_log.take_logged_events(str(tmp_path), KEY, now_ms=AT + 5, process_id=2)
    assert [item.key for item in again][:1] == [item.key for item in first]
    assert len({item.key for item in again}) == 2
    spool.discard_line_batch(str(tmp_path), batch, now_ms=AT + 5)
    assert taken(tmp_path, AT + 6) == []


def test_what_was_written_to_a_file_that_was_set_aside_is_read_later(tmp_path: Path) -> None:
    """A hook may have opened the file just before the drain renamed it."""
    event_log.append_session_event(str(tmp_path), NOTE, KEY)
    with (tmp_path / "events").open("ab") as slow:
        assert taken(tmp_path) == [NOTE]
        slow.write(event_log.format_log_line(replace(NOTE, text="slow"), KEY))
    assert [item.text for item in taken(tmp_path, AT + 1)] == ["slow"]


def test_damaged_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    nul = b'{"what":"edit","at":1,"tree":"\\u0000"}'
    lines = (
        nul,
        b"not json",
        b"[1]",
        b'{"what":"edit"}',
        b'{"what":"dance","at":1}',
        b"\xff{",
        b"null",
    )
    event_log.append_session_event(str(tmp_path), NOTE, KEY)
    with (tmp_path / "events").open("ab") as file:
        file.write(b"\n".join(lines) + b"\n")
    event_log.append_session_event(str(tmp_path), replace(NOTE, text="after"), KEY)
    found, batch = event_log.take_logged_events(str(tmp_path), KEY, now_ms=AT, process_id=1)
    assert [item.text for item in found] == ["", "after"]
    assert batch.invalid_line_count == len(lines)


def test_half_a_line_spoils_no_other(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(event_log.format_log_line(NOTE, KEY)[:-20])
    event_log.append_session_event(str(tmp_path), replace(NOTE, text="after"), KEY)
    found, batch = event_log.take_logged_events(str(tmp_path), KEY, now_ms=AT, process_id=1)
    assert [item.text for item in found] == ["after"]
    assert batch.invalid_line_count == 1


def test_a_full_spool_takes_no_more(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(b"\n" * (event_log.LARGEST - 10))
    assert not event_log.append_session_event(str(tmp_path), NOTE, KEY)
    assert (tmp_path / "events").stat().st_size == event_log.LARGEST - 10


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "no place", "read-only"])
def test_where_nothing_can_be_noted_nobody_waits(tmp_path: Path, kind: str) -> None:
    place, target = tmp_path / "events", tmp_path / "target"
    folder = tmp_path
    if kind == "link":
        target.write_text("")
        place.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "no place":
        folder = tmp_path / "gone" / "sessions"
    else:
        folder = tmp_path / "file"
        folder.write_text("in its place")
    assert not event_log.append_session_event(str(folder), NOTE, KEY)
    if kind == "link":
        assert target.read_text() == ""


def test_what_is_noted_by_many_at_once_is_all_there(tmp_path: Path) -> None:
    """Two agents at once in one repository (CT-22): appending needs no lock."""
    each, many = 50, 4

    def work(number: int) -> None:
        for turn in range(each):
            assert event_log.append_session_event(
                str(tmp_path), replace(NOTE, text=f"{number}/{turn}"), KEY
            )

    children = [start(lambda number=number: work(number)) for number in range(many)]
    assert [finish(child) for child in children] == [DONE] * many
    found = [item.text for item in taken(tmp_path)]
    assert sorted(found) == sorted(f"{n}/{t}" for n in range(many) for t in range(each))


def test_a_session_finds_its_own_notes_while_they_are_dealt_with(tmp_path: Path) -> None:
    """What a drain has taken and not yet stored is told as well; nothing of it stays then."""
    event_log.append_session_event(str(tmp_path), replace(NOTE, session="other-session"), KEY)
    event_log.append_session_event(str(tmp_path), NOTE, KEY)
    _, batch = event_log.take_logged_events(str(tmp_path), KEY, now_ms=AT, process_id=7)
    event_log.append_session_event(str(tmp_path), replace(NOTE, text="new"), KEY)
    mine = event_log.read_unstored_events(str(tmp_path), "session-1", "claude-code", KEY)
    assert [item.text for item in mine] == ["", "new"]
    spool.discard_line_batch(str(tmp_path), batch, now_ms=AT)
    assert len(event_log.read_unstored_events(str(tmp_path), "session-1", "claude-code", KEY)) == 1


def test_a_short_id_belongs_to_one_agent_a_long_one_to_whoever_reads_its_hooks(
    tmp_path: Path,
) -> None:
    for session in ("1", "session-1"):
        event_log.append_session_event(str(tmp_path), replace(NOTE, session=session), KEY)
    assert event_log.read_unstored_events(str(tmp_path), "1", "cursor", KEY) == []
    assert len(event_log.read_unstored_events(str(tmp_path), "session-1", "cursor", KEY)) == 1


def test_notes_are_due_when_they_are_many_or_wait_for_long(tmp_path: Path) -> None:
    assert not event_log.is_event_log_drain_due(str(tmp_path), AT)
    event_log.append_session_event(str(tmp_path), NOTE, KEY)
    assert not event_log.is_event_log_drain_due(str(tmp_path), AT + 59_000)
    assert event_log.is_event_log_drain_due(str(tmp_path), AT + 61_000)
    assert event_log.is_event_log_drain_due(str(tmp_path), AT - 1)  # the clock went back
    for _ in range(200):
        event_log.append_session_event(str(tmp_path), replace(NOTE, text="x" * 200), KEY)
    assert event_log.is_event_log_drain_due(str(tmp_path), AT)


@given(
    what=st.sampled_from(event_log.WHATS),
    at=st.integers(0, (1 << 53) - 1),
    text=st.text(NO_NUL, max_size=200),
    files=st.lists(st.text(NO_NUL, max_size=40), max_size=5),
)
def test_whatever_a_note_says_it_is_one_line_that_reads_back(
    what: str, at: int, text: str, files: list[str]
) -> None:
    note = RecordedEvent(what, at, "codex", "s", "/r\ud800", files=tuple(files), text=text)
    content = event_log.format_log_line(note, KEY)
    assert content.count(b"\n") == 1
    (found,), skipped = event_log.parse_logged_events(content, "k", KEY)
    assert (replace(found, key=""), skipped) == (note, 0)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault(content: bytes) -> None:
    found, skipped = event_log.parse_logged_events(content, "k", KEY)
    assert len(found) + skipped <= content.count(b"\n") + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_nobody_waits_for_a_pipe_in_the_place_of_the_notes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "events")
    assert not event_log.append_session_event(str(tmp_path), NOTE, KEY)
    assert not event_log.is_event_log_drain_due(str(tmp_path), AT)
