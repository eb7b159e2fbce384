"""Chromium as the tests drive it: what must not happen on a page is noted, and asserted at once.

    with chromium(home) as browser:
        with opened(browser, url, width=390) as page:
            page.click("text=Memories")

Leaving ``opened`` fails where the page wrote an error to the console, threw, broke its policy,
asked for anything of another place, opened a dialog, or is wider than the window; with ``axe`` also
where axe-core has a serious finding.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

# Of Debian, of Ubuntu, of Google.
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SIZES = ((1280, 800), (390, 844))
SCHEMES = ("light", "dark")
# A page that takes longer is broken, also beside a busy suite.
PATIENCE_MS, START_MS = 8000, 30_000
_SERIOUS = ("serious", "critical")


def program() -> str:
    """The path of a Chromium; skips the test without one."""
    for name in PROGRAMS:
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium is installed: apt-get install chromium")


@contextmanager
def chromium(home: Path) -> Iterator[Any]:
    """A browser with a home of its own; skips the test without one or without Playwright."""
    path = program()
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install -e '.[browser]'"
    )
    home.mkdir(parents=True, exist_ok=True)
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    with playwright.sync_playwright() as driver:
        # In a container there is no user for Chromium's sandbox; pages are our own.
        browser = driver.chromium.launch(
            executable_path=path, args=["--no-sandbox"], env={**os.environ, **places}
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Any,
    url: str,
    *,
    axe: bool = True,
    script: bool = True,
    statuses: tuple[int, ...] = (200,),
    **how: Any,
) -> Iterator[Any]:
    """A page in a window of its own, watched as described above, also after what a test does."""
    with window(browser, url, script=script, **how) as (page, problems):
        visit(page, url, statuses)
        yield page
        if script:
            check(page, axe=axe)
        assert problems == [], (page.url, problems)


@contextmanager
def window(
    browser: Any,
    url: str,
    *,
    size: tuple[int, int] = SIZES[0],
    scheme: str = "light",
    script: bool = True,
    key: str = "",
) -> Iterator[tuple[Any, list[str]]]:
    """A window for the pages of a server, and a list of what happened that must not.

    ``key``: the path that the server printed, opened first, so that the pages offer their forms.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion="reduce",
        java_script_enabled=script,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    problems = _watched(page, urlsplit(url))
    try:
        if key:
            # The first page that a server shows, for which it loads what it needs.
            visit(page, urljoin(url, key), timeout=START_MS)
        yield page, problems
    finally:
        context.close()


def visit(
    page: Any, url: str, statuses: tuple[int, ...] = (200,), timeout: int = PATIENCE_MS
) -> None:
    """Go to an address, and fail where the answer is another than it should be."""
    answer = page.goto(url, timeout=timeout)
    assert answer is None or answer.status in statuses, (url, answer.status)


def check(page: Any, *, axe: bool = True) -> None:
    """Fail where the page is wider than the window, or axe-core has a serious finding."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, (page.url, f"{wide} px wider than the window", _widest(page))
    if axe:
        found = findings(page)
        assert not found, f"{page.url}: {found}"


def findings(page: Any) -> list[str]:
    """The serious findings of axe-core, a line each: the rule, the element, why."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-core is not installed: pip install -e '.[browser]'",
    )
    return [
        f"{found['id']}: {node['html'][:150]}: {node['failureSummary'][:200]}"
        for found in axe.Axe().run(page).response["violations"]
        if found["impact"] in _SERIOUS
        for node in found["nodes"]
    ]


def _watched(page: Any, home: Any) -> list[str]:
    """A list to which everything is added that must not happen on a page."""
    problems: list[str] = []

    def note(what: str, text: object) -> None:
        problems.append(f"{what}: {text}"[:500])

    def asked(request: Any) -> None:
        place = urlsplit(request.url)
        if place.scheme not in ("data", "blob") and (place.scheme, place.netloc) != (
            home.scheme,
            home.netloc,
        ):
            note("foreign", request.url)

    def dialog(opened: Any) -> None:
        note("dialog", opened.message)
        opened.dismiss()

    def said(message: Any) -> None:
        if message.type in ("error", "warning"):
            note(message.type, message.text)

    page.on("console", said)
    page.on("pageerror", lambda error: note("thrown", error))
    page.on("request", asked)
    page.on("dialog", dialog)
    return problems


def _widest(page: Any) -> str:
    """The beginning of the element that reaches furthest to the right."""
    return str(
        page.evaluate(
            """() => [...document.querySelectorAll('body *')]
            .map((each) => [each.getBoundingClientRect().right, each.outerHTML.slice(0, 200)])
            .sort((a, b) => b[0] - a[0])[0]"""
        )
    )
