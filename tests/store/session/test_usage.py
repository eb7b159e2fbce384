"""What is noted is added up exactly once, whoever dies when, and whatever stands in the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.file import backup
from gitmem.store.session import usage
from gitmem.store.session.usage import LARGEST, RETAINED_DAYS
from tests.support import children
from tests.support.secrets import SECRET, leaked
from tests.support.stores import START, go_back, make_store, open_store, token
from tests.support.tables import table

TODAY = START // DAY
TOKEN = token()
LATER = START + 60_000
NUMBERS = st.integers(0, 999_999_999)


def noted(
    database: Database, times: int = 1, *, agent: str = "codex", what: str = "recall"
) -> None:
    for _ in range(times):
        usage.append_usage_lines(
            database.path, usage.format_usage_line(TODAY, agent, what, 1, 10, 2, TOKEN)
        )


def fold(database: Database, now: int = START) -> int:
    return usage.move_usage_log_to_table(database, now_ms=now, pid=7)


def counted(database: Database, *, more: bool = False) -> dict[str, dict[str, usage.Sums]]:
    return usage.usage_counts_since(database, 0, include_log=more)


def spool_files(path: Path) -> list[str]:
    return sorted(item.name for item in path.parent.iterdir() if preflight.USAGE in item.name)


@given(st.text(), st.sampled_from(usage.WHATS), NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_line_says_what_was_noted(
    agent: str, what: str, day: int, n: int, tokens: int, saved: int
) -> None:
    counts: usage.Counts = {}
    assert (
        usage.add_usage_lines_to_counts(
            usage.format_usage_line(day, agent, what, n, tokens, saved, TOKEN), counts, TOKEN
        )
        == 1
    )
    ((key, sums),) = counts.items()
    assert (key[0], key[2], sums) == (day, what, (n, tokens, saved))
    assert key[1] == usage.redact_agent_name(agent).encode("utf-8", "replace").decode()


@given(st.binary(max_size=300))
def test_garbage_counts_nothing_and_does_no_harm(content: bytes) -> None:
    assert usage.add_usage_lines_to_counts(content, {}, TOKEN) == 0


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from("ab"), st.sampled_from(usage.WHATS))))
def test_adding_up_in_parts_is_adding_up(lines: list[tuple[int, str, str]]) -> None:
    messages = [
        usage.format_usage_line(day, agent, what, 2, 3, 5, TOKEN) for day, agent, what in lines
    ]
    whole: usage.Counts = {}
    parts: usage.Counts = {}
    assert usage.add_usage_lines_to_counts(b"\n".join(messages), whole, TOKEN) == len(lines)
    assert sum(usage.add_usage_lines_to_counts(item, parts, TOKEN) for item in messages) == len(
        lines
    )
    assert whole == parts
    assert sum(sums[0] for sums in whole.values()) == 2 * len(lines)


@table(
    "line",
    [
        b"19675 recall 1 0 0 cod",  # cut off
        b"19675 guess 1 0 0 codex;",  # no such thing is counted
        b"-1 recall 1 0 0 codex;",
        b"19675 recall 1e9 0 0 codex;",
        b"19675 recall 9999999999 0 0 codex;",  # more than anybody did in a day
        b"19675 recall 1 0 codex;",
    ],
)
def test_a_line_that_makes_no_sense_is_skipped(line: bytes) -> None:
    good = usage.format_usage_line(TODAY, "codex", "hit", 1, 0, 0, TOKEN)
    counts: usage.Counts = {}
    assert usage.add_usage_lines_to_counts(line + b"\n" + good + line, counts, TOKEN) == 1
    assert list(counts) == [(TODAY, "codex", "hit")]


def test_the_lines_of_a_day_agent_and_thing_become_one_row(database: Database) -> None:
    noted(database, 3)
    noted(database, 2, what="hit")
    noted(database, agent="")
    assert fold(database) == 6
    assert counted(database) == {
        "": {"recall": (1, 10, 2)},
        "codex": {"recall": (3, 30, 6), "hit": (2, 20, 4)},
    }
    assert database.value("SELECT count(*) FROM usage_days") == 3


def test_a_second_fold_adds_nothing_and_the_file_goes_when_nobody_can_write_to_it(
    database: Database, path: Path
) -> None:
    noted(database, 3)
    assert [fold(database), fold(database), fold(database, START + 5000)] == [3, 0, 0]
    assert len(spool_files(path)) == 1
    assert fold(database, LATER) == 0
    assert spool_files(path) == []
    assert counted(database) == {"codex": {"recall": (3, 30, 6)}}
    assert database.value("SELECT value FROM meta WHERE key = 'usage_read'") == ""


def test_who_opened_the_file_before_it_was_set_aside_is_counted_all_the_same(
    database: Database,
) -> None:
    noted(database)
    with open(database.path + preflight.USAGE, "ab") as late:
        assert fold(database) == 1
        late.write(usage.format_usage_line(TODAY, "codex", "recall", 1, 0, 0, TOKEN))
    noted(database)
    assert fold(database, START + 1) == 2
    assert fold(database, LATER) == 0
    assert counted(database)["codex"]["recall"][0] == 3


def test_folds_at_the_same_moment_take_files_of_different_names(database: Database) -> None:
    for _ in range(4):
        noted(database)
        assert fold(database) == 1
    assert counted(database)["codex"]["recall"][0] == 4


@children.needs_fork
@pytest.mark.parametrize("before_the_end", [True, False])
def test_a_fold_that_is_killed_loses_and_doubles_nothing(path: Path, before_the_end: bool) -> None:
    """Before its end all it did is undone, the new name of the file excepted; after, it counts."""
    make_store(path).close()

    def work() -> None:
        database = open_store(str(path))
        noted(database, 5)
        if before_the_end:
            database.connection.execute("BEGIN IMMEDIATE")  # the fold's own joins it
        assert fold(database) == 5
        os.kill(os.getpid(), 9)

    assert children.run(work) == -9
    assert len(spool_files(path)) == 1
    database = open_store(str(path))
    noted(database)
    assert fold(database, LATER) == (6 if before_the_end else 1)
    assert counted(database)["codex"]["recall"][0] == 6
    database.close()


def test_what_waits_is_seen_without_writing(database: Database, path: Path) -> None:
    noted(database, 2)
    fold(database)
    noted(database, 3)
    with open(path.parent / spool_files(path)[1], "ab") as late:
        late.write(usage.format_usage_line(TODAY, "codex", "recall", 1, 0, 0, TOKEN))
    before = spool_files(path)
    assert counted(database)["codex"]["recall"][0] == 2
    assert counted(database, more=True)["codex"]["recall"][0] == 6
    assert spool_files(path) == before
    fold(database)
    assert counted(database) == counted(database, more=True)
    assert counted(database)["codex"]["recall"][0] == 6


def test_only_the_days_asked_for_are_counted(database: Database) -> None:
    for day in (TODAY - 2, TODAY - 1, TODAY):
        usage.append_usage_lines(
            database.path, usage.format_usage_line(day, "codex", "store", 1, 0, 0, TOKEN)
        )
    assert usage.usage_counts_since(database, TODAY - 1, include_log=True) == {
        "codex": {"store": (2, 0, 0)}
    }
    fold(database)
    assert usage.usage_counts_since(database, TODAY - 1) == {"codex": {"store": (2, 0, 0)}}


def test_days_long_past_are_forgotten(database: Database) -> None:
    oldest = TODAY - RETAINED_DAYS
    for day in (oldest - 1, oldest, TODAY):
        usage.append_usage_lines(
            database.path, usage.format_usage_line(day, "codex", "store", 1, 0, 0, TOKEN)
        )
    fold(database)
    assert database.rows("SELECT day FROM usage_days ORDER BY day") == [(oldest,), (TODAY,)]
    fold(database, START + DAY)  # nothing waits, and a day has passed
    assert database.rows("SELECT day FROM usage_days") == [(TODAY,)]


def test_a_full_spool_takes_no_more_until_it_was_worked_off(database: Database) -> None:
    line = usage.format_usage_line(TODAY, "codex", "recall", 1, 0, 0, TOKEN)
    fits = (LARGEST - 1) // len(line)
    usage.append_usage_lines(database.path, line * fits)
    size = os.path.getsize(database.path + preflight.USAGE)
    noted(database)
    assert os.path.getsize(database.path + preflight.USAGE) == size
    assert fold(database) == fits
    noted(database)
    assert fold(database) == 1


def test_a_file_that_an_earlier_version_set_aside_is_counted_once(
    database: Database, path: Path
) -> None:
    aside = path.with_name(f"{path.name}{preflight.USAGE}.{START:015d}-3.work")
    aside.write_bytes(usage.format_usage_line(TODAY, "codex", "recall", 1, 0, 0, TOKEN))
    assert [fold(database), fold(database), fold(database, LATER)] == [1, 0, 0]
    assert spool_files(path) == []


def test_half_a_line_of_a_full_disk_spoils_no_other(database: Database) -> None:
    noted(database)
    with open(database.path + preflight.USAGE, "ab") as file:
        file.write(usage.format_usage_line(TODAY, "codex", "recall", 1, 0, 0, TOKEN)[:-3])
    noted(database)
    assert fold(database) == 2
    assert list(counted(database)) == ["codex"]


def test_an_end_that_never_comes_does_not_keep_the_file(database: Database, path: Path) -> None:
    with open(database.path + preflight.USAGE, "ab") as file:
        file.write(b"19675 reca")
    assert [fold(database), fold(database, LATER)] == [0, 0]
    assert spool_files(path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_neither_written_nor_read(
    database: Database, tmp_path: Path, kind: str
) -> None:
    spool = database.path + preflight.USAGE
    target = tmp_path / "target"
    target.write_bytes(usage.format_usage_line(TODAY, "codex", "recall", 1, 0, 0, TOKEN))
    before = target.read_bytes()
    {"link": lambda: os.symlink(target, spool), "pipe": lambda: os.mkfifo(spool),
     "folder": lambda: os.mkdir(spool)}[kind]()  # fmt: skip
    with pytest.raises(OSError):
        noted(database)
    assert fold(database) == 0
    assert counted(database, more=True) == {}
    assert target.read_bytes() == before


def test_no_secret_comes_into_the_spool_or_the_table(database: Database, path: Path) -> None:
    noted(database, agent=SECRET)
    with open(database.path + preflight.USAGE, "ab") as file:
        message = f"{TODAY} recall 1 0 0 x {SECRET};\n"
        file.write(f"{TOKEN} {message}{message}".encode())  # by some other program
    assert fold(database) == 2
    fold(database, LATER)
    assert not leaked("".join(counted(database)).encode())
    assert spool_files(path) == []


def test_a_name_of_several_lines_is_one_name(database: Database) -> None:
    noted(database, agent="Visual Studio\nCode;  Insiders\x00" + "x" * 200)
    fold(database)
    ((name, _),) = counted(database).items()
    assert name.startswith("Visual Studio Code; Insiders")
    assert len(name) <= 80


def test_a_backup_takes_the_counts_along_and_going_back_to_it_doubles_none(
    database: Database, tmp_path: Path
) -> None:
    noted(database, 2)
    fold(database)
    copy = str(tmp_path / "copy.db")
    backup.write_backup(database, copy)
    noted(database, 3)
    fold(database)
    database.close()
    go_back(copy, database.path, str(tmp_path / "aside.db"))
    again = open_store(database.path)
    assert counted(again)["codex"]["recall"][0] == 2
    # What was noted after the backup is still in its file, and not in the table any more.
    assert fold(again, START + 1) == 3
    assert counted(again)["codex"]["recall"][0] == 5
    again.close()


@children.needs_fork
def test_a_store_that_cannot_be_written_tells_what_waits() -> None:
    with children.open_folder() as folder:
        path = folder / ".gitmem" / "memory.db"
        database = make_store(path)
        noted(database, 2)
        fold(database)
        noted(database, 3)
        database.close()
        before = spool_files(path)
        path.parent.chmod(0o500)
        children.give_away(folder)

        def work() -> None:
            reader = open_store(str(path))
            assert reader.read_only
            assert counted(reader, more=True)["codex"]["recall"][0] == 5
            assert spool_files(path) == before

        assert children.run(children.as_nobody(work)) == children.DONE
        path.parent.chmod(0o700)
