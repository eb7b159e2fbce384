"""`gitmem report --html`: one file that opens from the disk, whatever is written in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.http.pages.browser.chromium import SCHEMES, SIZES, opened
from tests.http.pages.browser.hostile import BRANCH, SCRIPT, fill
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a repository full of hostile texts."""
    folder = tmp_path_factory.mktemp("hostile")
    repo = RepoBuilder(folder / "repo")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed", GITMEM_MEMORY_MAX_BYTES="200000")
    fill(desk, repo)
    written = folder / "report.html"
    desk.run("report", html=str(written), since="all")
    return written


def test_the_file_opens_and_every_text_in_it_is_a_text(
    browser: Any, hostile: Path, full: bool
) -> None:
    for size in SIZES if full else SIZES[1:]:
        for scheme in SCHEMES if full else SCHEMES[:1]:
            with opened(browser, hostile.as_uri(), size=size, scheme=scheme) as page:
                assert page.locator(".chart canvas").count() == 3
                for summary in page.locator("summary").all():
                    summary.focus()
                    page.keyboard.press("Enter")
                assert page.get_by_text(SCRIPT, exact=False).count() >= 3
                assert page.get_by_text(BRANCH, exact=False).count() >= 1
                assert "\u202e" not in page.inner_text("body")
                assert page.locator("img, iframe, object, a[href^=javascript]").count() == 0


def test_its_policy_lets_nothing_else_run(browser: Any, hostile: Path, tmp_path: Path) -> None:
    """The harness itself: a script of somebody else's in the file is refused and noted."""
    changed = tmp_path / "changed.html"
    text = hostile.read_text().replace("</main>", "<script>alert(1)</script></main>", 1)
    changed.write_text(text)
    refused = pytest.raises(AssertionError, match="Content Security Policy")
    with refused, opened(browser, changed.as_uri(), axe=False):
        pass
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy and "unsafe" not in policy[1] and "http" not in policy[1]


@pytest.mark.usefixtures("only_full")
def test_without_scripts_the_tables_and_lists_are_there(browser: Any, hostile: Path) -> None:
    with opened(browser, hostile.as_uri(), script=False) as page:
        assert page.locator("table").count() == 3
        assert page.locator(".chart:visible").count() == 0
        assert page.locator("#look").is_visible()


@pytest.mark.usefixtures("only_full")
def test_a_report_without_memories_says_how_to_have_some(
    browser: Any, tmp_path: Path, repo: RepoBuilder
) -> None:
    repo.commit("Start", {"src/app.py": "x = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.clock.advance(90 * DAY)
    written = tmp_path / "report.html"
    desk.run("report", html=str(written))
    with opened(browser, written.as_uri(), size=SIZES[1]) as page:
        assert "No memory cites code yet" in page.inner_text("main")
        assert "looks further back" in page.inner_text("main")
