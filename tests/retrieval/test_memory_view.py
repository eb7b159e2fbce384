"""How a memory is shown in a list."""

from __future__ import annotations

from gitmem.retrieval import memory_view
from tests.support.apps import Desk


def test_of_a_long_memory_its_beginning_is_shown_and_how_to_read_all(desk: Desk) -> None:
    """A document that was taken in would drown the other nine."""
    lines = "\n".join(f"line {number} of the manual of the kangaroo" for number in range(200))
    long = desk.run("remember", text=lines).id
    short = "A kangaroo jumps. " * 100
    desk.run("remember", text=short)
    text = desk.text("recall", query="kangaroo")
    assert short.strip() in text and lines not in text
    assert len(text) < 2 * memory_view.LONGEST + 300
    (rest,) = [line for line in text.splitlines() if "more characters: gitmem show" in line]
    assert long.startswith(rest.rsplit(" ", 1)[1])
    assert "line 199 of" in desk.text("show", id=long)
    shown = text.split("line 0 of")[1].split("    … ")[0]
    assert shown.rstrip().endswith("kangaroo")
    cut = int(rest.split()[1].replace(",", ""))
    assert 0 < cut < len(lines) * 2


def test_where_it_went_is_reported_what_a_memory_cites(desk: Desk) -> None:
    place = desk.place / "twenty.txt"
    place.write_text("".join(f"line {number} of twenty\n" for number in range(1, 21)))
    desk.run("remember", text="Kangaroos count", path=("twenty.txt:3-6",))
    assert "moved" not in desk.text("recall", query="kangaroos")
    place.rename(desk.place / "src/twenty.txt")
    text = desk.text("recall", query="kangaroos")
    assert "! twenty.txt:3-6 moved to src/twenty.txt:3-6" in text


def test_no_project_is_named_where_only_this_was_asked(desk: Desk) -> None:
    desk.run("remember", text="Kangaroos count")
    (memory,) = desk.run("recall", query="kangaroos").memories
    assert memory.project == desk.run("list").memories[0].project == ""
    assert desk.text("recall", query="kangaroos").startswith(f"{memory.handle}  note")
