"""What people do in the pages: edit, judge, put away, undo, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.http.conftest import Serving, serving
from tests.http.pages.browser.chromium import SIZES, opened
from tests.mcp.conftest import Site, make_site
from tests.mcp.peers import connected

CART = "src/cart.py"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A project with three memories, one of code that changed since."""
    made = make_site(tmp_path)
    made.repo.commit("Write the cart", {CART: "def total(prices):\n    return sum(prices)\n"})
    made.gitmem("remember", "Redis listens on 6380")
    made.gitmem("remember", "Sessions end after an hour", "--kind", "convention")
    made.gitmem("remember", "The total is a plain sum", "--anchor", f"{CART}#total")
    made.repo.commit("Round", {CART: "def total(prices):\n    return round(sum(prices), 2)\n"})
    made.gitmem("index")
    return made


@pytest.fixture
def served(site: Site) -> Iterator[Serving]:
    with serving(site.path, site.env) as server:
        yield server


def memory(site: Site, words: str) -> dict[str, Any]:
    """The memory whose text holds some words, as the command line has it."""
    listed = site.gitmem("list", "--state", "any", "--json").json["memories"]
    (found,) = [each for each in listed if words in each["content"]]
    return dict(found)


def press(page: Any, name: str) -> None:
    """A button by its name, and wait for the answer."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).first.click()


def said(page: Any) -> str:
    """What the page says was done."""
    return str(page.locator("[role=status]").inner_text(timeout=3000))


def test_a_memory_is_edited_and_every_surface_has_it_at_once(
    browser: Any, site: Site, served: Serving
) -> None:
    id = memory(site, "Redis")["id"]
    with (
        connected(site.path, site.env) as agent,
        opened(browser, f"{served.url}/memories/{id}", key=served.opened) as page,
    ):

        def recalled() -> str:
            """What an agent gets, whose server was started before the edit."""
            return str(agent("recall", query="redis").content)

        assert "6380" in recalled()
        page.keyboard.press("e")
        page.wait_for_url("**/edit")
        page.locator("textarea[name=text]").fill("Redis listens on 6390")
        press(page, "Save")
        assert "Changed it" in said(page)
        assert "6390" in page.inner_text("main")
        assert "6390" in site.gitmem("recall", "redis").out
        assert served.get(f"/api/v1/show?id={id}").json["memory"]["content"].endswith("6390")
        assert "6390" in recalled() and "6380" not in recalled()
        press(page, "Undo")
        assert "Undone" in said(page)
        assert "6380" in recalled() and "6390" not in recalled()
    assert memory(site, "Redis")["content"] == "Redis listens on 6380"


def test_who_edits_what_somebody_changed_meanwhile_sees_both(
    browser: Any, site: Site, served: Serving
) -> None:
    id = memory(site, "Redis")["id"]
    # A conflict answers with 409, which Chromium writes to the console.
    with (
        pytest.raises(AssertionError, match="409"),
        opened(browser, f"{served.url}/memories/{id}/edit", key=served.opened, axe=False) as page,
    ):
        site.gitmem("revise", id, "Redis listens on 7000")
        page.locator("textarea[name=text]").fill("Redis listens on 8000")
        press(page, "Save")
        text = page.inner_text("main") + page.input_value("textarea[name=text]")
        assert "7000" in text and "8000" in text
        assert memory(site, "Redis")["content"].endswith("7000")
        press(page, "Save")
        assert memory(site, "Redis")["content"].endswith("8000")


@pytest.mark.usefixtures("only_full")
def test_a_memory_of_changed_code_is_seen_beside_it_and_corrected(
    browser: Any, site: Site, served: Serving
) -> None:
    id = memory(site, "plain sum")["id"]
    with opened(browser, f"{served.url}/stale", key=served.opened, size=SIZES[1]) as page:
        with page.expect_navigation():
            page.get_by_role("link", name="The total is a plain sum").click()
        assert "return sum(prices)" in page.inner_text("main")
        assert "return round(sum(prices), 2)" in page.inner_text("main")
        page.get_by_text("Correct it").click()
        page.locator("details textarea").fill("The total is rounded to cents")
        press(page, "Correct")
        assert "Corrected" in said(page)
    shown = memory(site, "rounded to cents")
    assert (shown["id"], shown["freshness"]) == (id, "fresh")


def test_several_are_chosen_by_keys_and_put_away_and_back(
    browser: Any, site: Site, served: Serving
) -> None:
    with opened(browser, f"{served.url}/memories", key=served.opened) as page:
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.keyboard.press("j")
        page.keyboard.press("x")
        assert page.locator("input[name=id]:checked").count() == 2
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        press(page, "Archive")
        assert "2 memories" in said(page)
        assert site.gitmem("list", "--json").json["total"] == 1
        press(page, "Undo")
        assert site.gitmem("list", "--json").json["total"] == 3
        page.locator("[data-all]").check()
        press(page, "Pin")
    assert memory(site, "Redis")["pinned"] and memory(site, "hour")["pinned"]


@pytest.mark.usefixtures("only_full")
def test_a_row_is_edited_in_its_place_and_escape_leaves_it(
    browser: Any, site: Site, served: Serving
) -> None:
    with opened(browser, f"{served.url}/memories?kind=convention", key=served.opened) as page:
        page.keyboard.press("j")
        page.keyboard.press("e")
        form = page.locator("form.edit")
        form.wait_for()
        page.keyboard.press("Escape")
        assert form.count() == 0 and page.locator("[data-row]:visible").count() == 1
        page.keyboard.press("e")
        form.wait_for()
        form.locator("textarea[name=text]").fill("Sessions end after two hours")
        press(page, "Save")
        assert "kind=convention" in page.url and "two hours" in page.inner_text("main")


@pytest.mark.usefixtures("only_full")
def test_a_question_a_path_and_an_id_go_where_they_belong(
    browser: Any, site: Site, served: Serving
) -> None:
    shown = memory(site, "Redis")
    for text, part in (
        ("which port does redis use", "q=which+port"),
        (CART, f"/files/{CART}"),
        (shown["id"], f"/memories/{shown['id']}"),
        (site.repo.head()[:10], "/commits/"),
    ):
        with opened(browser, served.url, key=served.opened, axe=False) as page:
            page.keyboard.press("/")
            page.keyboard.type(text)
            with page.expect_navigation():
                page.keyboard.press("Enter")
            assert part in page.url, (text, page.url)


@pytest.mark.usefixtures("only_full")
def test_a_form_of_another_origin_or_without_its_token_changes_nothing(
    browser: Any, site: Site, served: Serving, tmp_path: Path
) -> None:
    id = memory(site, "Redis")["id"]
    foreign = tmp_path / "evil.html"
    foreign.write_text(
        f'<h1>x</h1><form id=f method=post action="{served.url}/do/archive">'
        f'<input name=id value="{id}"></form><button onclick="f.submit()">Go</button>'
    )
    with (
        pytest.raises(AssertionError),
        opened(browser, foreign.as_uri(), axe=False) as page,
        page.expect_navigation(),
    ):
        page.click("button")
    assert memory(site, "Redis")["state"] == "active"
    answer = served.send(
        "POST",
        "/do/archive",
        f"id={id}".encode(),
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert answer.status == 403
    assert memory(site, "Redis")["state"] == "active"


def test_a_pair_is_judged_side_by_side_and_taken_back(
    browser: Any, site: Site, served: Serving
) -> None:
    site.gitmem("remember", "Never use Redis for sessions", "--kind", "convention")
    site.gitmem("remember", "Always use Redis for sessions", "--kind", "convention")

    def states() -> list[str]:
        return [memory(site, f"{word} use Redis")["state"] for word in ("Never", "Always")]

    with opened(browser, f"{served.url}/inbox", key=served.opened) as page:
        pair = page.locator("article:has(.pair)").first
        assert "Never use Redis" in pair.inner_text() and "Always use Redis" in pair.inner_text()
        press(page, "Accept")
        assert page.locator(".pair").count() == 0
        assert sorted(states()) != ["active", "active"]
        press(page, "Undo")
        assert "Undone" in said(page) and states() == ["active", "active"]
        # Taken back, the two are two; that is undone in turn, and then the pair waits again.
        assert "stay apart" in said(page) and page.locator(".pair").count() == 0
        with page.expect_navigation():
            page.get_by_role("link", name="What was decided").click()
        press(page, "Undo")
        page.goto(f"{served.url}/inbox")
        assert page.locator("article:has(.pair)").count() == 1
