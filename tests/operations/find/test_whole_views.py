"""Every verb that quotes a memory quotes all of it in a pipe, and keeps to a terminal's width."""

from __future__ import annotations

from typing import Any

from gitmem import operations
from gitmem.text.wrapping import display_width, wrap
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

SAID = " ".join(f"redis{number} is told of." for number in range(90))


def test_no_view_cuts_a_memory_and_none_is_wider_than_the_terminal(
    desk: Desk, repo: RepoBuilder
) -> None:
    desk.run("session start", goal=f"goal {SAID}")
    item = desk.run("remember", text=SAID, path=("src/cart/cart.py",), kind="convention").id
    other = desk.run("remember", text=f"Another {SAID}", duplicates="allow").id
    desk.run("link", source=item, target=other)
    (repo.path / "src/cart/cart.py").write_text("x = 3\n")
    calls: dict[str, dict[str, Any]] = {
        "recall": {"query": "redis7"},
        "list": {},
        "show": {"id": item},
        "related": {"id": item},
        "affected": {},
        "check": {"file": ("src/cart/cart.py",)},
        "timeline": {},
        "session show": {},
        "verify": {"id": (item,)},
    }
    for name, values in calls.items():
        operation = operations.load_operation(name)
        result = desk.run(name, **values)
        assert SAID in operation.view(result), name
        for width in (60, 80, 120):
            shown = (
                operation.view_for_terminal(result, width)
                if operation.view_for_terminal
                else operation.view(result)
            )
            output = wrap(shown, width).split("\n")
            assert max(map(display_width, output)) <= width, (name, width)
