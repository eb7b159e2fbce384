"""The clocks, UTC text and the name of the local zone."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem import clock
from gitmem.clock import local_zone
from gitmem.errors import InvalidInput
from tests.support.tables import table

SECONDS = st.integers(clock.MIN_MS // 1000, clock.MAX_MS // 1000)


def test_the_system_clock_tells_milliseconds_of_the_present() -> None:
    before = time.time() * 1000
    assert before - 1 <= clock.SystemClock().now() <= time.time() * 1000 + 1


def test_a_fixed_clock_moves_only_by_hand() -> None:
    fixed = clock.FixedClock(1000)
    assert (fixed.now(), fixed.now()) == (1000, 1000)
    fixed.advance(250)
    assert fixed.now() == 1250


@given(SECONDS)
def test_iso_agrees_with_the_calendar_of_the_standard_library(seconds: int) -> None:
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=seconds)
    assert clock.format_iso(seconds * 1000) == moment.isoformat() + "Z"


@given(SECONDS, st.integers(0, 999))
def test_iso_truncates_to_seconds_and_reads_back(seconds: int, rest: int) -> None:
    assert clock.parse_iso(clock.format_iso(seconds * 1000 + rest)) == seconds * 1000


def test_a_commit_with_an_absurd_date_is_clamped() -> None:
    assert clock.format_iso(10**18) == "9999-12-31T23:59:59Z"
    assert clock.format_iso(-(10**18)) == "0001-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:01", 1000),
        (" 1970-01-01T01:00:00.5+01:00 ", 500),
        ("0001-01-01T00:00:00+23:00", clock.MIN_MS),
    ],
)
def test_iso_text_is_read_with_utc_as_default(text: str, ms: int) -> None:
    assert clock.parse_iso(text) == ms


@table("text", ["", "yesterday", "2026-13-01", "2026-02-30", "x" * 500])
def test_text_that_is_no_date_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not an ISO") as caught:
        clock.parse_iso(text)
    assert "2026-" in caught.value.hint
    assert len(caught.value.message) < 120


@table(
    ("value", "name"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("Etc/UTC", "UTC"),
        ("UTC", "UTC"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "UTC"),
        ("../../etc/passwd", "UTC"),
        ("/somewhere/else", "UTC"),
        ("Europe", "UTC"),
        ("", "UTC"),
        (None, "UTC"),
    ],
)
def test_the_variable_names_the_zone_or_is_skipped(
    tmp_path: Path, value: str | None, name: str
) -> None:
    assert local_zone.local_zone_name(value, etc_folder=str(tmp_path)) == name


def test_the_link_of_the_system_names_the_zone(tmp_path: Path) -> None:
    target = tmp_path / "zoneinfo" / "America" / "Havana"
    target.parent.mkdir(parents=True)
    target.touch()
    (tmp_path / "localtime").symlink_to(target)
    (tmp_path / "timezone").write_text("Asia/Tokyo\n")
    assert local_zone.local_zone_name(None, etc_folder=str(tmp_path)) == "America/Havana"
    assert local_zone.local_zone_name("Europe/Paris", etc_folder=str(tmp_path)) == "Europe/Paris"


def test_the_written_name_is_the_last_source(tmp_path: Path) -> None:
    (tmp_path / "localtime").write_bytes(b"TZif")
    (tmp_path / "timezone").write_text("Asia/Tokyo\n")
    assert local_zone.local_zone_name(None, etc_folder=str(tmp_path)) == "Asia/Tokyo"


@pytest.mark.parametrize("module", ["gitmem.clock", "gitmem.clock.durations"])
def test_importing_the_hot_modules_loads_nothing_heavy(module: str) -> None:
    code = f"import sys; import {module}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    heavy = {"re", "typing", "datetime", "zoneinfo", "dataclasses", "enum", "pathlib", "json"}
    assert heavy.isdisjoint(done.stdout.split())
