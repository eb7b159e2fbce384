"""Decision records as text: what is read of a heading, and how long it takes at worst."""

from __future__ import annotations

import pytest

from gitmem.memory import adr_format
from tests.support.timing import assert_linear


def titled(heading: str) -> tuple[int, str]:
    record = adr_format.parse_decision_record(f"# {heading}\n\nStatus: accepted\n\nBecause.\n")
    assert record is not None
    return record.number, record.title


@pytest.mark.parametrize("unit", [" ", " #", "#", "\t", "1 ", "- "])
def test_a_long_heading_takes_no_longer_than_its_length(unit: str) -> None:
    """A heading of blanks took the cube of its length: a stranger's file stopped the drain."""

    def read(size: int) -> None:
        adr_format.parse_decision_record(f"# 1 {unit * (size // len(unit))}\x0b\n\nBecause.\n")

    read(3_000)
    assert_linear(read, 100_000)


def test_a_number_is_taken_off_a_heading_only_where_it_counts_records() -> None:
    output = {
        "7. Use carts": (7, "Use carts"),
        "0007 Use carts": (7, "Use carts"),
        "7 - Use carts": (7, "Use carts"),
        "ADR-0007: Use carts": (7, "Use carts"),
        "adr 7 Use carts ##": (7, "Use carts"),
        "3 tiers, not 2": (0, "3 tiers, not 2"),
        "2.0 for all": (0, "2.0 for all"),
        "2-phase commit": (0, "2-phase commit"),
        "Use C#": (0, "Use C#"),
        "Use C# #": (0, "Use C#"),
    }
    assert {heading: titled(heading) for heading in output} == output


def test_what_gitmem_wrote_keeps_signs_at_the_end_of_its_title() -> None:
    record = adr_format.DecisionRecord("Use C#", "It is known.", "accepted", id="01", number=1)
    for form in adr_format.FORMATS:
        read = adr_format.parse_decision_record(adr_format.render_decision_record(record, form))
        assert read is not None
        assert (read.title, read.content, read.edited) == ("Use C#", "It is known.", False)
