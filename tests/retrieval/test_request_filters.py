"""Filters over memories that nothing passes, and those that no memory ever could."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from tests.support.apps import HOUR, Desk, small_repo


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = small_repo(tmp_path_factory.mktemp("filters"))
    made = Desk(repo.path, repo.home)
    made.run("init", no_hooks=True)
    made.run("remember", text="Carts expire", kind="fix", tag=("cart",), by="codex", path=("src",))
    return made


def test_a_filter_that_no_memory_passes_is_reported(desk: Desk) -> None:
    for filters, notes in (
        ({"kind": ("decision",)}, ("No memory is of kind decision.",)),
        ({"tag": ("zebra",)}, ("No memory has the tag zebra.",)),
        ({"agent": "nobody"}, ("No memory was written by nobody.",)),
        ({"path": "docs"}, ("No memory is about docs.",)),
        ({"agent": "codex", "kind": ("fix",)}, ()),
    ):
        found = desk.run("recall", query="zebra", **filters)
        assert (found.memories, found.notes) == ((), notes), filters
        listed = desk.run("list", **filters)
        assert listed.notes == notes, filters
    assert desk.text("list", agent="nobody") == "No memory was written by nobody."
    assert desk.text("recall", query="zebra", agent="nobody").endswith(
        "\nNo memory was written by nobody."
    )
    # What is archived was written all the same.
    (id,) = (memory.id for memory in desk.run("list").memories)
    desk.run("forget", id=(id,))
    assert desk.run("list", agent="codex").notes == ()


def test_what_has_come_to_its_end_is_archived_for_who_asks(desk: Desk) -> None:
    desk.run("remember", text="The server is down", ttl="1h")
    away = desk.run("remember", text="The server is slow", ttl="1h").id
    desk.run("forget", id=(away,))
    desk.clock.advance(2 * HOUR)
    # What was put away before its end is there as well.
    assert [memory.id for memory in desk.run("list", state=("archived",)).memories] == [away]
    assert desk.run("upkeep").expired == 1
    for state, shown in (("archived", True), ("any", True), ("active", False)):
        for found in (
            desk.run("list", state=(state,)), desk.run("recall", query="server", state=(state,)),
        ):  # fmt: skip
            texts = [memory.content for memory in found.memories]
            assert ("The server is down" in texts) == shown, state


def test_a_range_of_commits_is_read_with_two_dots_and_with_three(desk: Desk) -> None:
    for commits, shown in (
        ("HEAD~1..HEAD", 1), ("HEAD~1...HEAD", 1), ("HEAD~1..", 1), ("HEAD~1...", 1),
        ("HEAD~2...HEAD~1", 0), ("HEAD", 1),
    ):  # fmt: skip
        assert len(desk.run("recall", query="carts", commits=commits).memories) == shown, commits


def test_a_span_that_ends_before_it_begins_is_refused(desk: Desk) -> None:
    span = {"since": "2026-01-02", "until": "2026-01-01"}
    for verb, more in (("list", {}), ("recall", {"query": "x"}), ("timeline", {})):
        with pytest.raises(InvalidInput, match="--until is before --since"):
            desk.run(verb, **more, **span)


def test_what_would_hold_at_no_moment_is_refused(desk: Desk) -> None:
    for since, until in (("2026-01-02", "2026-01-01"), ("2026-01-02", "2026-01-02")):
        with pytest.raises(InvalidInput, match="end before it begins"):
            desk.run("remember", text="Never", valid_from=since, valid_until=until)
    desk.run("remember", text="A day", valid_from="2026-01-02", valid_until="2026-01-03")
