"""After a replacement only what is around it is read again, and the same is found."""

from __future__ import annotations

from itertools import pairwise

from gitmem.text.redact import redact
from gitmem.text.secrets import secret_spans
from tests.support.secrets import SECRET
from tests.text.secret_table import samples
from tests.text.secrets.test_stretches import SOURCE

FAR = SOURCE * 6  # more than is read on either side of what was replaced


def test_secrets_that_lay_one_another_bare_are_found_in_a_long_text_as_in_a_short_one() -> None:
    some = list(samples("near"))[::23]
    for item, other in pairwise(some):
        for glue in ("", "\n"):
            alone = redact(f"\n\n{item.text}{glue}{other.text}\n\n", keep_line_ends=True)
            long = redact(f"{FAR}\n\n{item.text}{glue}{other.text}\n\n{FAR}", keep_line_ends=True)
            assert long.text == f"{FAR}{alone.text}{FAR}", (item, other)


def test_what_a_second_look_finds_is_replaced_far_away_too() -> None:
    twice = f"{FAR}token = '{SECRET}'\n{FAR}{SECRET}\n{FAR}"
    assert SECRET not in redact(twice).text


def test_only_the_lines_around_are_read_again() -> None:
    before = f"{FAR}x = '{SECRET}'\n{FAR}"
    start = before.index(SECRET)
    span = (start, start + len(SECRET), "github-token")
    after = secret_spans.redact_spans(before, [span])
    ((begin, stop),) = secret_spans.line_spans_with_redactions(before, [span], after)
    assert 4096 <= start - begin < 4200 and 4096 <= stop - start < 4300
    assert after[begin - 1] == after[stop] == "\n"
    # Where that is most of the text, all of it is.
    assert (
        secret_spans.line_spans_with_redactions(SECRET, [(0, len(SECRET), "x")], "[redacted:x]")
        == []
    )


def test_the_places_of_later_ones_move_with_what_was_replaced() -> None:
    parts = [FAR, "password = 'Zx81-secret'\n" * 3, FAR * 2, f"y = '{SECRET}'\n", FAR * 3]
    before = "".join(parts)
    found = [(len(FAR), len(FAR) + 70, ""), (at := before.index(SECRET), at + len(SECRET), "k")]
    after = secret_spans.redact_spans(before, found, keep_line_ends=True)
    places = secret_spans.line_spans_with_redactions(before, found, after, keep_line_ends=True)
    at = after.index("[redacted:k]")
    assert len(places) == 2 and places[1][0] < at - 4000 and places[1][1] > at + 4000
    assert at - places[1][0] < 4300
