"""Follow every link of the pages of a server, some of each kind."""

from __future__ import annotations

import re
from collections import Counter, deque
from typing import Any
from urllib.parse import urldefrag, urlsplit

from tests.http.pages.browser.chromium import check, visit, window

# What a link may lead to that is no page.
_NO_PAGE = re.compile(r"^/(?:static|api|openapi\.json|metrics)\b|\.json$")
# Those in a drawing hold more than a text.
_ADDRESSES = "all => all.map(a => new URL(a.getAttribute('href'), location).href)"
_ID = re.compile(r"^(?:[0-9A-Z]{6,26}|[0-9a-f]{7,64})$")


def crawl(
    browser: Any, url: str, *, each: int = 1, queries: bool = True, axe: bool = True, **how: Any
) -> dict[str, str]:
    """Open every page that can be reached from the first, in one window that is watched.

    ``each`` of every kind of address, without ``queries`` those alone that ask nothing; their kinds
    by address. What is wrong on any of them is raised at the end, all of it.
    """
    home = urlsplit(url)
    queue, queued, counts = deque(["/"]), {"/"}, Counter[str]()
    visited, wrong = dict[str, str](), list[str]()
    with window(browser, url, **how) as (page, problems):
        while queue:
            path = queue.popleft()
            kind = kind_of(path)
            counts[kind] += 1
            if counts[kind] > each or ("?" in kind and not queries):
                continue
            visited[path] = kind
            try:
                visit(page, f"{url}{path}")
                check(page, axe=axe)
                assert page.locator("h1").count() == 1, (path, "not one heading")
                assert not problems, (path, problems)
            except AssertionError as error:
                wrong.append(f"{path}: {error}")
                problems.clear()
            for link in page.eval_on_selector_all("a[href]", _ADDRESSES):
                place = urlsplit(urldefrag(link)[0])
                if (place.scheme, place.netloc) != (home.scheme, home.netloc):
                    wrong.append(f"{path} leads to {link}")
                further = place.path + (f"?{place.query}" if place.query else "")
                if further not in queued and not _NO_PAGE.search(place.path):
                    queued.add(further)
                    queue.append(further)
    assert not wrong, "\n".join(wrong)
    return visited


def kind_of(address: str) -> str:
    """``/memories/01M8.../edit`` -> ``/memories/*/edit``; of a query its first name."""
    place = urlsplit(address)
    parts = place.path.strip("/").split("/")
    shape = ["*" if _ID.match(part) else part for part in parts]
    shape = ["files", "*"] if parts[0] == "files" else shape
    name = min((pair.partition("=")[0] for pair in place.query.split("&") if pair), default="")
    return f"/{'/'.join(shape)}" + (f"?{name}" if name else "")
