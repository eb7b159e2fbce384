"""What a session was told is found again by others, and only one of many does a thing."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.agents.events import session_state
from tests.support import children

NOW = 1_795_248_222_000
KEY = "7f9c1e52-3b0a-4c8e-9f53-0d2a61c7b8e4"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "hooks-seen")


def test_only_the_first_may(folder: str) -> None:
    assert session_state.is_claim_available(folder, KEY, "start", NOW)
    assert session_state.acquire_claim(folder, KEY, "start", NOW)
    assert not session_state.is_claim_available(folder, KEY, "start", NOW + 1)
    assert not session_state.acquire_claim(folder, KEY, "start", NOW + 10**9)
    assert session_state.acquire_claim(folder, KEY, "other", NOW)
    assert session_state.acquire_claim(folder, "another-session", "start", NOW)


def test_after_a_while_it_may_be_done_again(folder: str) -> None:
    assert session_state.acquire_claim(folder, KEY, "compact", NOW, interval_ms=10_000)
    assert not session_state.acquire_claim(folder, KEY, "compact", NOW + 9_999, interval_ms=10_000)
    assert not session_state.is_claim_available(
        folder, KEY, "compact", NOW + 9_999, interval_ms=10_000
    )
    assert session_state.is_claim_available(
        folder, KEY, "compact", NOW + 10_000, interval_ms=10_000
    )
    assert session_state.acquire_claim(folder, KEY, "compact", NOW + 10_000, interval_ms=10_000)
    assert not session_state.acquire_claim(folder, KEY, "compact", NOW + 10_001, interval_ms=10_000)
    assert len(os.listdir(folder)) == 1


@children.needs_fork
@pytest.mark.parametrize("every", [None, 10_000])
def test_of_many_processes_at_once_one_may(folder: str, tmp_path: Path, every: int | None) -> None:
    """CF-22."""
    if every:
        session_state.acquire_claim(folder, KEY, "start", NOW - 20_000, interval_ms=every)
    won = tmp_path / "won"
    won.mkdir()
    begin = time.monotonic() + 0.2

    def ask() -> None:
        time.sleep(max(0.0, begin - time.monotonic()))
        if session_state.acquire_claim(folder, KEY, "start", NOW, interval_ms=every):
            (won / str(os.getpid())).touch()

    assert set(children.run_all([ask] * 12)) == {children.DONE}
    assert len(list(won.iterdir())) == 1


def test_what_was_released_may_be_claimed_again_once(folder: str) -> None:
    assert not session_state.release_claim(folder, KEY, "compacted")
    session_state.acquire_claim(folder, KEY, "compacted", NOW)
    assert session_state.release_claim(folder, KEY, "compacted")
    assert not session_state.release_claim(folder, KEY, "compacted")
    assert session_state.acquire_claim(folder, KEY, "compacted", NOW)


@given(st.text(max_size=300))
def test_any_session_has_a_name_of_its_own(key: str) -> None:
    name = session_state._file_name(key)
    assert name == os.path.basename(name) != ""
    assert len(name) <= 100
    assert name.lower() == name
    assert name != session_state._file_name(key + "x")


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes of folders")
def test_where_nothing_can_be_written_the_asker_decides(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "missing" / "hooks-seen")
    assert not session_state.acquire_claim(nowhere, KEY, "start", NOW)
    assert session_state.acquire_claim(nowhere, KEY, "start", NOW, result_if_unwritable=True)
    session_state.record_shown_ids(nowhere, KEY, ["A"])
    session_state.save_session_texts(nowhere, KEY, {"a": "b"})
    assert (
        session_state.read_shown_ids(nowhere, KEY),
        session_state.load_session_texts(nowhere, KEY),
    ) == (
        frozenset(),
        {},
    )
    assert not (tmp_path / "missing").exists()


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    link = tmp_path / "hooks-seen"
    link.symlink_to(target)
    assert not session_state.acquire_claim(str(link), KEY, "start", NOW)
    session_state.record_shown_ids(str(link), KEY, ["A"])
    assert list(target.iterdir()) == []


def test_what_was_reported_is_known_until_it_is_forgotten(folder: str) -> None:
    assert session_state.read_shown_ids(folder, KEY) == frozenset()
    session_state.record_shown_ids(folder, KEY, ["01AA", "01BB"])
    session_state.record_shown_ids(folder, KEY, ["01CC", "no id\n", ""])
    assert session_state.read_shown_ids(folder, KEY) == {"01AA", "01BB", "01CC"}
    assert session_state.read_shown_ids(folder, "another-session") == frozenset()
    session_state.forget_shown_ids(folder, KEY)
    assert session_state.read_shown_ids(folder, KEY) == frozenset()


def test_what_was_reported_is_bounded(folder: str) -> None:
    for number in range(40):
        session_state.record_shown_ids(folder, KEY, [f"{number:05d}{i:05d}" for i in range(500)])
    path = Path(folder, KEY + ".told")
    assert path.stat().st_size < session_state.MOST_SHOWN + 500 * 11


def test_words_of_a_session_are_kept(folder: str) -> None:
    session_state.save_session_texts(folder, KEY, {"clock": "Sat 09:03 = now", "branch": "grün"})
    session_state.save_session_texts(folder, KEY, {"clock": "Sat 09:04 = now", "bad": "two\nlines"})
    assert session_state.load_session_texts(folder, KEY) == {"clock": "Sat 09:04 = now"}


def test_the_delimiter_is_the_same_in_a_session_and_another_in_the_next(folder: str) -> None:
    """The same state gives the same bytes, and nobody outside can know them."""
    first = session_state.quoted_text_delimiter(folder, KEY, os.urandom)
    assert first == session_state.quoted_text_delimiter(folder, KEY, os.urandom)
    assert first.isalnum() and len(first) == 16
    assert first != session_state.quoted_text_delimiter(folder, "another-session", os.urandom)
    assert first != session_state.quoted_text_delimiter(folder + "2", KEY, os.urandom)


def test_without_a_place_for_the_secret_the_delimiter_is_fresh(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "missing" / "hooks-seen")
    drawn = {session_state.quoted_text_delimiter(nowhere, KEY, os.urandom) for _ in range(3)}
    assert len(drawn) == 3


def test_old_files_and_too_many_go(folder: str) -> None:
    session_state.quoted_text_delimiter(folder, KEY, os.urandom)
    for number in range(session_state.MOST_FILES + 5):
        path = Path(folder, f"s{number}.start.0")
        path.touch()
        age = (
            session_state.RETENTION_MS + 1 if number < 3 else session_state.MOST_FILES + 5 - number
        )
        os.utime(path, ((NOW - age) / 1000,) * 2)
    session_state.remove_old_session_files(folder, NOW)
    left = set(os.listdir(folder))
    assert len(left) == session_state.MOST_FILES + 1
    assert "secret" in left
    assert not {"s0.start.0", "s4.start.0"} & left


def test_a_clock_that_went_back_keeps_nobody_silent(folder: str) -> None:
    assert session_state.acquire_claim(folder, KEY, "compact", NOW + 10**9, interval_ms=10_000)
    assert not session_state.acquire_claim(
        folder, KEY, "compact", NOW + 10**9 - 5, interval_ms=10_000
    )
    assert session_state.is_claim_available(folder, KEY, "compact", NOW, interval_ms=10_000)
    assert session_state.acquire_claim(folder, KEY, "compact", NOW, interval_ms=10_000)
    assert not session_state.acquire_claim(folder, KEY, "compact", NOW + 5, interval_ms=10_000)


def test_half_a_secret_is_replaced(folder: str) -> None:
    """A full disk may have cut it off; then it must not be another one each time for ever."""
    os.mkdir(folder)
    secret = Path(folder, "secret")
    secret.write_bytes(b"half")
    first = session_state.quoted_text_delimiter(folder, KEY, os.urandom)
    assert len(secret.read_bytes()) == 32
    assert session_state.quoted_text_delimiter(folder, KEY, os.urandom) == first
    assert os.listdir(folder) == ["secret"]


def test_hosts_that_tell_of_no_start_leave_no_heap_of_files(folder: str) -> None:
    week = session_state.RETENTION_MS // 1000
    for number in range(3):
        session_state.acquire_claim(folder, f"session-{number}", "drain", NOW, interval_ms=30_000)
        path = Path(folder, f"session-{number}.drain.0")
        os.utime(path, (NOW // 1000 - week - 5,) * 2)
    session_state.acquire_claim(folder, "session-9", "drain", NOW, interval_ms=30_000)
    assert not any(f"session-{number}.drain.0" in os.listdir(folder) for number in range(3))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_nobody_waits_for_a_pipe(folder: str) -> None:
    os.mkdir(folder)
    for name in ("secret", f"{KEY}.told", f"{KEY}.state", f"{KEY}.start.0"):
        os.mkfifo(os.path.join(folder, name))
    assert session_state.read_shown_ids(folder, KEY) == frozenset()
    assert session_state.load_session_texts(folder, KEY) == {}
    session_state.record_shown_ids(folder, KEY, ["abc"])
    assert not session_state.acquire_claim(folder, KEY, "start", NOW)
    assert session_state.quoted_text_delimiter(folder, KEY, os.urandom)
