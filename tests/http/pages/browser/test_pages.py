"""Every page that can be reached: no finding, no error, nothing foreign, nothing too wide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitmem.http.pages import table
from tests.http.conftest import Serving, serving
from tests.http.pages.browser.chromium import SCHEMES, SIZES, opened
from tests.http.pages.browser.crawl import crawl, kind_of
from tests.http.pages.browser.hostile import SCRIPT, fill
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

# With `--tier full` hundreds of pages, each four times.
pytestmark = pytest.mark.timeout(3600)
LABELLED = [page for page in table.PAGES if page.label]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """The server of a repository full of hostile texts."""
    folder = tmp_path_factory.mktemp("hostile")
    repo = RepoBuilder(folder / "repo")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed", GITMEM_MEMORY_MAX_BYTES="200000")
    fill(desk, repo)
    with serving(repo.path, desk.env) as server:
        yield server


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Serving]:
    """The server of a project without a memory."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"src/app.py": "x = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    with serving(repo.path, desk.env) as server:
        yield server


def looks(full: bool) -> list[dict[str, Any]]:
    """Sizes and schemes to try: on a phone and in the dark, and with ``--tier full`` all."""
    if not full:
        return [{"size": SIZES[1], "scheme": "dark"}]
    return [{"size": size, "scheme": scheme} for size in SIZES for scheme in SCHEMES]


def test_every_page_shows_hostile_text_as_text(browser: Any, hostile: Serving, full: bool) -> None:
    for how in looks(full):
        each = 3 if full else 1
        visited = crawl(browser, hostile.url, each=each, queries=full, key=hostile.opened, **how)
        assert {kind_of(page.path) for page in LABELLED} <= set(visited.values())


@pytest.mark.usefixtures("only_full")
def test_a_project_without_memories_has_pages_that_say_what_to_do(
    browser: Any, empty: Serving, full: bool
) -> None:
    for how in looks(full):
        crawl(browser, empty.url, key=empty.opened, **how)
    for page in LABELLED:
        with opened(browser, empty.url + page.path, key=empty.opened, axe=False) as shown:
            assert shown.locator("h1").inner_text() == page.title
            assert "gitmem " in shown.inner_text("body")


def test_what_is_asked_or_not_there_is_shown_as_text(browser: Any, hostile: Serving) -> None:
    with opened(browser, hostile.url, key=hostile.opened, size=SIZES[1]) as page:
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"
        page.keyboard.type(SCRIPT)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.locator("main img").count() == 0
    for path in ("/memories/%3Cscript%3Ealert(1)", "/files/%3Cimg%20src=x%3E", "/" + "W" * 3000):
        answer = hostile.get(path, Accept="text/html")
        assert answer.status == 404, (path, answer.status)


def test_every_answer_has_the_policy(hostile: Serving) -> None:
    for page in LABELLED:
        headers = hostile.get(page.path, Accept="text/html").headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy and "default-src 'none'" in policy, (page.path, policy)
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.usefixtures("only_full")
def test_pages_are_useful_without_scripts(browser: Any, hostile: Serving) -> None:
    for page in LABELLED:
        with opened(browser, hostile.url + page.path, key=hostile.opened, script=False) as shown:
            assert shown.locator("h1").inner_text() == page.title
            assert len(shown.inner_text("main")) > len(page.title)


def test_the_keys_are_shown_and_go_away(browser: Any, hostile: Serving) -> None:
    with opened(browser, hostile.url, key=hostile.opened) as page:
        page.keyboard.press("?")
        assert page.locator("dialog[open]").is_visible()
        page.keyboard.press("Escape")
        assert page.locator("dialog[open]").count() == 0
        page.keyboard.press("Tab")
        assert "skip" in str(page.evaluate("document.activeElement.className"))
