"""A memory was in force from when it was said until it was replaced, put away or ran out."""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.memory import EarlierMemoryVersion
from gitmem.retrieval.annotate import memory_version_at
from tests.support.stores import START, said
from tests.support.tables import table
from tests.support.validity import in_force

DAY = 86_400_000
LATER = START + 10 * DAY


@table(
    ("fields", "first", "last"),
    [
        ({}, 0, None),
        ({"valid_from": START + DAY}, 1, None),
        # CF-45 asks when it held, not when somebody said so.
        ({"valid_from": START - DAY}, -1, None),
        ({"valid_until": START + 3 * DAY}, 0, 2),
        ({"superseded_by": "A" * 26, "valid_until": START + 3 * DAY}, 0, 2),
        # Replaced before ends were kept: until its last edit at most.
        ({"superseded_by": "A" * 26, "updated_at": START + 2 * DAY}, 0, 1),
        ({"kind": "decision", "status": "deprecated", "updated_at": START}, None, None),
        ({"archived_at": START + 2 * DAY}, 0, 1),
        ({"expires_at": START + 2 * DAY}, 0, 1),
        ({"expires_at": START + 2 * DAY, "pinned": True}, 0, None),
        ({"kind": "decision", "status": "proposed"}, 0, None),
        ({"valid_from": START + 3 * DAY, "valid_until": START + DAY}, None, None),
    ],
    ids=str,
)
def test_it_is_in_force_on_these_days(
    fields: dict[str, object], first: int | None, last: int | None
) -> None:
    """CF-45."""
    memory = said(**fields)
    days = [day for day in range(-5, 10) if in_force(memory, START + day * DAY)]
    expected = [] if first is None else list(range(first, 10 if last is None else last + 1))
    assert days == expected


def test_the_first_moment_belongs_to_it_and_the_last_does_not() -> None:
    memory = said(valid_until=LATER)
    assert [in_force(memory, at) for at in (START - 1, START, LATER - 1, LATER)] == [
        False,
        True,
        True,
        False,
    ]


def test_its_words_are_those_of_the_time() -> None:
    old = said("On 6379")
    new = replace(old, content="On 6380", version=2)
    newest = replace(old, content="On 6381", version=3)
    earlier = [
        EarlierMemoryVersion(old, START + DAY, "revised", ""),
        EarlierMemoryVersion(new, START + 2 * DAY, "revised", ""),
    ]
    words = [
        memory_version_at(newest, earlier, START + day * DAY).content[-1] for day in range(-1, 4)
    ]
    assert words == ["9", "9", "0", "1", "1"]
