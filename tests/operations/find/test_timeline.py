"""The timeline: commits, sessions, notes and memories in one order."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput, NotARepository
from gitmem.operations.find import related
from gitmem.operations.registry import as_json_values
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder

JANUARY = 1_704_067_200_000  # 2024-01-01T00:00:00Z, where the commits of the small repository are


@pytest.fixture
def january(desk: Desk, repo: RepoBuilder) -> Desk:
    """A desk one hour after the last commit, with one of everything."""
    desk.clock.advance(JANUARY + HOUR - desk.clock.now())
    desk.run("session start", goal="look around")
    desk.clock.advance(HOUR)
    desk.run("session note", text="the cart is odd")
    desk.clock.advance(HOUR)
    desk.run("remember", text="Redis is on 6380")
    desk.clock.advance(HOUR)
    desk.run("decide", title="Use SQLite")
    desk.clock.advance(HOUR)
    desk.run("session end", summary="looked around")
    return desk


def report(desk: Desk, **values: object) -> list[tuple[str, str]]:
    return [(entry.type, entry.text) for entry in desk.run("timeline", **values).entries]


def test_everything_comes_in_order(january: Desk) -> None:
    """ML-3."""
    assert report(january) == [
        ("commit", "Start"),
        ("commit", "Add the cart"),
        ("commit", "Mend the cart"),
        ("session start", "look around"),
        ("note", "the cart is odd"),
        ("memory", "Redis is on 6380"),
        ("decision", "Use SQLite"),
        ("session end", "looked around"),
    ]


def test_a_summary_tells_what_was_decided_done_and_left_with_where_from(
    january: Desk,
) -> None:
    """CF-41."""
    january.clock.advance(HOUR)
    running = january.run("session start", goal="mend the cart").session.id
    entries = january.run("timeline").entries
    summed = january.run("timeline", summary=True, limit=1)
    assert [(item.label, item.text) for item in summed.summary] == [
        ("all", "3 commits by 2 people, 2 sessions, 1 decision, 1 other memory, 1 note"),
        ("decided", "Use SQLite"),
        ("done", "looked around"),
        ("committed", "Mend the cart"),
        ("committed", "Add the cart"),
        ("committed", "Start"),
        ("noted", "the cart is odd"),
        ("left", "mend the cart"),
    ]
    message = {(entry.ref, entry.text) for entry in entries}
    for line in summed.summary[1:]:
        assert line.refs and all((ref, line.text) in message for ref in line.refs), line
    assert summed.summary[-1].refs == (running,)
    report = january.text("timeline", summary=True).split("\n")
    assert report[0].startswith("3 commits")
    assert report[-1] == f"left       mend the cart [{running[:12]}]"
    # Of many the newest; what is said twice is one line, and no stretch without a word.
    for number in range(8):
        january.run("session note", text=f"note {min(number, 6)}")
        january.clock.advance(HOUR)
    noted = [
        item for item in january.run("timeline", summary=True).summary if item.label == "noted"
    ]
    newest = ["note 6", *(f"note {n}" for n in (5, 4, 3, 2)), "… 3 more"]
    assert [item.text for item in noted] == newest
    assert (len(noted[0].refs), len(noted[-1].refs)) == (2, 3)
    assert january.text("timeline", summary=True, since="1s").startswith("Nothing happened")


def test_an_entry_has_time_type_reference_who_and_text(january: Desk, repo: RepoBuilder) -> None:
    answer = as_json_values(january.run("timeline"))
    assert set(answer) == {"since", "entries", "summary", "target", "note"}
    assert answer["entries"][2] == {
        "at": "2024-01-01T00:03:00Z",
        "type": "commit",
        "ref": repo.head(),
        "who": "Ada Lovelace",
        "text": "Mend the cart",
        "local": "",
    }


@pytest.mark.parametrize(
    ("only", "types"),
    [
        (("commits",), {"commit"}),
        (("memories",), {"memory", "decision"}),
        (("sessions",), {"session start", "session end"}),
        (("notes",), {"note"}),
        (("notes", "commits"), {"note", "commit"}),
    ],
)
def test_only_shows_one_sort(january: Desk, only: tuple[str, ...], types: set[str]) -> None:
    assert {type for type, _ in report(january, only=only)} == types


def test_since_takes_lengths_words_dates_tags_and_commits(january: Desk, repo: RepoBuilder) -> None:
    """CF-30."""
    second = repo.git("rev-parse", "HEAD~1")
    repo.git("tag", "v1.0", "HEAD~1")
    january.clock.advance(DAY)
    every = report(january, since="7d")
    assert len(every) == 8
    assert report(january, since="yesterday") == every
    assert report(january, since="2024-01-01") == every
    for name in ("v1.0", second[:10], "HEAD~1", "last release", "since v1.0"):
        assert report(january, since=name) == every[1:], name
    assert report(january, since="today") == []


def test_until_ends_it(january: Desk) -> None:
    assert report(january, until="2024-01-01T00:02:00Z") == [
        ("commit", "Start"),
        ("commit", "Add the cart"),
    ]


def test_an_old_stretch_is_reported_however_much_came_after_it(
    january: Desk, repo: RepoBuilder
) -> None:
    for number in range(12):
        repo.commit(f"Later {number}")
    shown = report(january, until="2024-01-01T00:03:00Z", limit=2, only=("commits",))
    assert shown == [("commit", "Add the cart"), ("commit", "Mend the cart")]


def test_a_limit_keeps_the_newest(january: Desk) -> None:
    assert report(january, limit=2) == report(january)[-2:]


def test_an_author_narrows_the_commits(january: Desk) -> None:
    assert report(january, author="Grace", only=("commits",)) == [("commit", "Add the cart")]
    assert report(january, author="Gra.e", only=("commits",)) == []


def test_it_is_reported_without_a_store_too(bare_desk: Desk) -> None:
    bare_desk.clock.advance(JANUARY + HOUR - bare_desk.clock.now())
    assert [type for type, _ in report(bare_desk)] == ["commit"] * 3


def test_an_empty_stretch_reads_as_a_sentence(desk: Desk) -> None:
    assert desk.text("timeline") == "Nothing happened since 2026-11-14."


def test_the_view_has_a_heading_for_each_day_and_no_control_characters(
    january: Desk, repo: RepoBuilder
) -> None:
    january.run("remember", text="evil\x1b[31m\u202e\nnext line")
    text = january.text("timeline")
    assert text.splitlines()[0] == "2024-01-01"
    assert "\x1b" not in text and "\u202e" not in text
    assert len(text.splitlines()) == 1 + 9


@pytest.mark.parametrize(
    "values", [{"since": "soon"}, {"until": "--all"}, {"only": ("gossip",)}, {"since": "v9.9"}]
)
def test_a_stretch_that_cannot_be_is_refused(january: Desk, values: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        january.run("timeline", **values)


def test_outside_a_repository_there_is_no_timeline(bare_desk: Desk) -> None:
    with pytest.raises(NotARepository):
        bare_desk.run("timeline", place=bare_desk.home)


def test_what_is_not_in_force_or_unreviewed_is_marked(desk: Desk) -> None:
    """On every screen, and before the text: a long one is cut at its end."""
    desk.run("decide", title="Use Redis", why="fast", path=("src/app.py",), status="proposed")
    desk.run("decide", by="codex", title="Use Marshmallow", why="known", path=("src/app.py",))
    for shown in (desk.text("timeline"), desk.text("timeline", target="src/app.py")):
        assert "[proposed] Use Redis" in shown and "[unreviewed] Use Marshmallow" in shown
    summary = desk.text("timeline", summary=True)
    assert "decided    [unreviewed] Use Marshmallow" in summary
    lines = desk.text("report").split("\n")
    assert [line[13:] for line in lines[lines.index("Decided:") + 1 :][:2]] == [
        "Use Marshmallow  [unreviewed]",
        "Use Redis  [proposed]",
    ]
    drawn = desk.run("related", id="src/app.py")
    assert any("[proposed]" in box.text for box in related.make_relation_diagram(drawn).boxes)
