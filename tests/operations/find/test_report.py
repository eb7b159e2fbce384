"""`gitmem report`: what happened and what needs a look, as text and as a page."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import pytest

from gitmem import operations
from gitmem.errors import Conflict, InvalidInput
from gitmem.text.wrapping import display_width, wrap
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder

JANUARY = 1_704_067_200_000


@pytest.fixture
def january(desk: Desk, repo: RepoBuilder) -> Desk:
    """An hour after the last commit: a session, a decision, and a memory of code that changed."""
    desk.clock.advance(JANUARY + HOUR - desk.clock.now())
    desk.run("session start", goal="look around")
    desk.run("decide", title="Use SQLite", why="One file")
    desk.run("remember", text="The cart is one number", path="src/cart/cart.py")
    desk.clock.advance(HOUR)
    desk.run("session end", summary="looked around")
    repo.commit("Change the cart", {"src/cart/cart.py": "y = [1, 2]\n"})
    desk.run("index")
    return desk


def test_the_text_says_what_happened_and_what_to_look_at(january: Desk) -> None:
    result = january.run("report")
    assert result.counts == {"commits": 4, "sessions": 1, "decisions": 1, "memories": 1}
    assert result.happened == "4 commits, 1 session, 1 decision, 1 memory"
    (stale,) = result.stale
    assert (stale.title, result.stale_total) == ("The cart is one number", 1)
    assert stale.citations[0].startswith("src/cart/cart.py changed")
    text = january.text("report")
    for part in ("Check first: 1 memory cites code", "Use SQLite", "looked around", "src/cart"):
        assert part in text, text
    screen = operations.load_operation("report").view_for_terminal
    assert screen
    drawn = wrap(screen(result, 60), 60)
    assert "█" in drawn and all(display_width(line) <= 60 for line in drawn.split("\n"))


def test_a_period_without_anything_says_so(january: Desk) -> None:
    january.clock.advance(90 * DAY)
    result = january.run("report", since="7d")
    assert result.happened == "no commits, no sessions, no decisions, no memories"
    assert (result.stale_total, result.decisions, result.sessions) == (1, (), ())
    assert january.run("report", since="all").counts["commits"] == 4
    with pytest.raises(InvalidInput):
        january.run("report", since="once upon a time")


def test_the_page_is_one_file_whose_policy_names_its_scripts_alone(
    january: Desk, tmp_path: Path
) -> None:
    written = tmp_path / "report.html"
    told = january.text("report", html=str(written))
    assert told.startswith(f"Wrote {written} (")
    page = written.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    said = html.unescape(policy[1])
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    styles = re.findall(r"<style>(.*?)</style>", page, re.S)
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (*scripts, *styles)
    ]
    assert (len(scripts), len(styles)) == (2, 1)
    assert said == (
        f"default-src 'none'; script-src {hashes[0]} {hashes[1]}; style-src {hashes[2]}; "
        "base-uri 'none'; form-action 'none'"
    )
    without = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page, flags=re.S)
    assert not re.search(r"\s(?:src|href|style|on\w+)=", without)
    blocks = re.findall(r'<script type="application/json" id="(.*?)">(.*?)</script>', page)
    assert [name for name, _ in blocks] == ["timeline", "map-hot", "map-remembered"]
    assert [json.loads(text)["kind"] for _, text in blocks] == ["timeline", "treemap", "treemap"]
    assert "The cart is one number" in without and "src/cart/cart.py changed" in without
    with pytest.raises(Conflict):
        january.run("report", html=str(written))
    assert january.run("report", html=str(written), force=True).bytes == written.stat().st_size
