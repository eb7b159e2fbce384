"""Times of a result in a zone: fields that are times, and nothing that somebody wrote."""

from __future__ import annotations

import pytest

from gitmem.clock import local_times
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

UTC = "2026-11-21T16:03:42Z"
BERLIN = "2026-11-21T17:03:42+01:00"


@dataclass(frozen=True, slots=True)
class Inner:
    at: str | None
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Outer:
    created_at: str
    content: str
    items: tuple[Inner, ...]
    last: Inner


def test_only_times_are_reported_in_the_zone() -> None:
    edited = Inner(UTC, "valid_until", "", UTC)
    renamed = Inner(None, "title", UTC, f"{UTC} or so")
    found = local_times.with_local_times(
        Outer(UTC, UTC, (edited, renamed), edited), "Europe/Berlin"
    )
    moved = Inner(BERLIN, "valid_until", "", BERLIN)
    assert found == Outer(BERLIN, UTC, (moved, renamed), moved)


def test_what_is_no_whole_utc_time_stays() -> None:
    for text in ("", "2026-11-21", BERLIN, f"{UTC} ", "2026-11-21T16:03:42z", "yesterday"):
        value = Inner(text, "at", "", "")
        assert local_times.with_local_times(value, "Europe/Berlin") is value


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidInput):
        local_times.with_local_times(Inner(None, "", "", ""), "Europe/Berlim")
