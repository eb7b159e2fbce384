"""What was appended is handed over once, whoever writes late or dies, and whatever lies there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.spool import event_log, git_events
from gitmem.spool.event_log import LogLineBatch
from tests.support import children

LINE = b"one event\n"
Event = tuple[bytes, str]


def event(line: bytes, key: str) -> Event | None:
    return (line, key) if line else None


def take(folder: Path, now: int = 5) -> tuple[tuple[Event, ...], LogLineBatch]:
    return event_log.take_line_batch(str(folder), event, now_ms=now, pid=7)


def finish(folder: Path, batch: LogLineBatch) -> None:
    event_log.discard_line_batch(str(folder), batch, now_ms=9)


def test_events_are_handed_over_once(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(LINE * 2)
    assert event_log.count_unread_log_bytes(str(tmp_path)) == 2 * len(LINE)
    found, batch = take(tmp_path)
    assert len(found) == 2
    finish(tmp_path, batch)
    finish(tmp_path, batch)
    assert take(tmp_path)[0] == ()
    assert event_log.count_unread_log_bytes(str(tmp_path)) == 0


def test_two_takes_in_the_same_millisecond_are_two(tmp_path: Path) -> None:
    taken = []
    for _ in range(3):
        (tmp_path / "events").write_bytes(LINE)
        found, batch = take(tmp_path)
        taken.append(found)
        finish(tmp_path, batch)
    assert [len(found) for found in taken] == [1, 1, 1]
    assert len({found[0][1] for found in taken}) == 3


def test_files_of_dead_drains_are_read_in_the_order_of_their_events(tmp_path: Path) -> None:
    """Each died when it had set the file aside; a process id and a clock may be lower later."""
    for number, (now, pid) in enumerate([(5, 9998), (5, 10001), (3, 7), (5, 8)]):
        (tmp_path / "events").write_bytes(b"%d\n" % number)
        event_log.rotate_log_file(str(tmp_path), now_ms=now, pid=pid)
    found, batch = event_log.take_line_batch(str(tmp_path), event, now_ms=1, pid=7)
    assert [line for line, _ in found] == [b"0", b"1", b"2", b"3"]
    assert len({key for _, key in found}) == 4
    assert batch.invalid_line_count == 0


def test_a_file_that_was_read_is_removed_some_seconds_later(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(LINE)
    finish(tmp_path, take(tmp_path)[1])
    assert len(list(tmp_path.iterdir())) == 1
    event_log.discard_line_batch(str(tmp_path), take(tmp_path, now=20_000)[1], now_ms=20_000)
    assert list(tmp_path.iterdir()) == []


def test_lines_that_were_dealt_with_are_gone_at_once(tmp_path: Path) -> None:
    """They hold names of branches and files as somebody chose them; a late line is still read."""
    (tmp_path / "events").write_bytes(LINE * 2)
    late = os.open(tmp_path / "events", os.O_WRONLY | os.O_APPEND)
    _, batch = take(tmp_path)
    finish(tmp_path, batch)
    assert b"event" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    os.write(late, b"a late one\n")
    os.close(late)
    found, batch = take(tmp_path)
    assert [line for line, _ in found] == [b"a late one"]
    finish(tmp_path, batch)
    assert b"late" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("waits", [True, False])
def test_a_spool_is_cleared_only_when_nothing_waits(tmp_path: Path, waits: bool) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    (folder / "drain").write_text("1")
    (folder / "events").write_bytes(LINE)
    finish(folder, take(folder)[1])
    if waits:
        (folder / "events").write_bytes(LINE)
    git_events.remove_empty_spool(str(folder))
    assert folder.exists() == waits


def test_what_a_dead_drain_left_comes_again_with_the_same_keys(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(LINE)
    first, _ = take(tmp_path, now=5)
    (tmp_path / "events").write_bytes(LINE)
    again, _ = take(tmp_path, now=6)
    assert again[0][1] == first[0][1]
    assert len(again) == 2


def test_a_hook_that_writes_late_loses_nothing(tmp_path: Path) -> None:
    late = os.open(tmp_path / "events", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(late, LINE)
    _, batch = take(tmp_path)
    os.write(late, LINE)
    os.close(late)
    finish(tmp_path, batch)
    assert event_log.count_unread_log_bytes(str(tmp_path)) == len(LINE)
    ((_, key),), _ = take(tmp_path, now=10)
    assert key.endswith(f":{len(LINE)}")


def test_an_event_noted_later_than_any_hook_should_take_is_not_removed_unread(
    tmp_path: Path,
) -> None:
    late = os.open(tmp_path / "events", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(late, LINE)
    _, batch = take(tmp_path)
    os.write(late, LINE)
    os.close(late)
    event_log.discard_line_batch(str(tmp_path), batch, now_ms=20_000)
    assert event_log.count_unread_log_bytes(str(tmp_path)) == len(LINE)
    assert len(take(tmp_path, now=20_001)[0]) == 1


def test_no_spool_holds_nothing(tmp_path: Path) -> None:
    assert take(tmp_path / "nowhere")[0] == ()
    assert event_log.count_unread_log_bytes(str(tmp_path / "nowhere")) == 0


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(LINE)
    (tmp_path / "events").symlink_to("secret")
    (tmp_path / "events.1.work").symlink_to("secret")
    os.mkfifo(tmp_path / "events.2.work")
    (tmp_path / "events.3.work").mkdir()
    assert take(tmp_path)[0] == ()
    assert (tmp_path / "secret").read_bytes() == LINE
    assert event_log.count_unread_log_bytes(str(tmp_path)) == 0


def test_a_clock_that_went_back_keeps_no_file_for_as_long_as_it_was_ahead(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(LINE)
    _, batch = take(tmp_path, now=10**12)
    event_log.discard_line_batch(str(tmp_path), batch, now_ms=5)
    assert list(tmp_path.iterdir()) == []


def test_a_log_never_grows_beyond_its_size_and_takes_more_once_it_was_read(tmp_path: Path) -> None:
    def append() -> bool:
        return event_log.append_lines(str(tmp_path), LINE, max_bytes=25)

    assert [append(), append(), append()] == [True, True, False]
    assert (tmp_path / "events").stat().st_size <= 25
    assert len(take(tmp_path)[0]) == 2
    assert append()


def test_half_a_line_spoils_no_line_that_is_appended_after_it(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(LINE[:4])
    assert event_log.append_lines(str(tmp_path), LINE, max_bytes=100)
    assert [line for line, _ in take(tmp_path)[0]] == [LINE[:4], LINE[:-1]]


@children.needs_fork
def test_a_file_that_nobody_can_read_keeps_no_drain_at_work() -> None:
    with children.open_folder() as folder:
        (folder / "events").write_bytes(LINE)
        (folder / "events").chmod(0o000)
        children.give_away(folder)

        def work() -> None:
            assert event_log.count_unread_log_bytes(str(folder)) == 0
            assert take(folder)[0] == ()

        assert children.run(children.as_nobody(work)) == children.DONE
