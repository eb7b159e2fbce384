"""The bound for merging follows what people made of suggestions, a little at a time."""

from __future__ import annotations

from gitmem.memory.merge_policy import tuned


def test_few_accepted_raise_it_nearly_all_lower_it_and_it_stays_within_bounds() -> None:
    """CT-26."""
    for current, accepted, rejected, advised in (
        (0.92, 6, 14, 0.93),
        (0.92, 7, 13, 0.92),  # 35 % are not few
        (0.92, 16, 4, 0.92),  # 80 % are not nearly all
        (0.92, 17, 3, 0.915),
        (0.965, 0, 20, 0.97),
        (0.97, 0, 20, 0.97),
        (0.902, 20, 0, 0.90),
        (0.92, 0, 19, 0.92),  # too few to tell
        (1.01, 10, 10, 1.01),  # never merged, as somebody set it
    ):
        assert tuned(current, accepted, rejected) == advised, (current, accepted, rejected)
