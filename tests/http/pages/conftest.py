"""A browser without scripts: it keeps cookies, reads pages, and sends the forms that it finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from tests.http.conftest import Answer, Serving, serving
from tests.mcp.conftest import Site, make_site

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
BEFORE = "def cart():\n    total = 0\n    return total\n"
AFTER = "def cart():\n    total = 1\n    return total\n"


class _Forms(HTMLParser):
    """The forms of a page: their actions and the fields that stand in them."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, list[tuple[str, str]]]] = []
        self._open: tuple[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((given.get("action", ""), []))
        elif tag == "input" and self.forms and given.get("type") != "checkbox" and "name" in given:
            self.forms[-1][1].append((given["name"], given.get("value", "")))
        elif tag in ("textarea", "select") and self.forms:
            self._open = (tag, given.get("name", ""))
            self.forms[-1][1].append((given.get("name", ""), ""))

    def handle_data(self, data: str) -> None:
        if self._open and self._open[0] == "textarea" and self.forms:
            name, value = self.forms[-1][1].pop()
            # A browser drops the line end after the tag.
            self.forms[-1][1].append((name, value + (data if value else data.removeprefix("\n"))))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("textarea", "select"):
            self._open = None


class Browser:
    """A browser at a server; ``page`` is the last answer, ``at`` its address."""

    def __init__(self, server: Serving, *, opened: bool = True) -> None:
        self.server = server
        self.cookies: dict[str, str] = {}
        self.page: Answer
        self.at = ""
        if opened and server.opened:
            self.get(server.opened)

    @property
    def text(self) -> str:
        """The HTML of the page."""
        return self.page.body.decode()

    def get(self, path: str) -> Answer:
        """Read a page, and follow where it leads."""
        return self._ask("GET", path, None, {})

    def send(self, action: str, **fields: str | list[str]) -> Answer:
        """Send the form of the page with this action; ``fields`` replace what stands in it."""
        stands = next(fields for to, fields in self.forms() if to == action)
        return self.post(action, [*(f for f in stands if f[0] not in fields), *_pairs(fields)])

    def post(self, action: str, fields: list[tuple[str, str]]) -> Answer:
        """Send fields of one's own."""
        origin = {"Origin": self.server.url, **FORM}
        return self._ask("POST", action, urlencode(fields).encode(), origin)

    def forms(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The forms of the page."""
        parser = _Forms()
        parser.feed(self.text)
        return parser.forms

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"Accept": "text/html", **headers, **({"Cookie": cookie} if cookie else {})}
        self.at = path
        self.page = self.server.send(method, path, body, sent)
        if "set-cookie" in self.page.headers:
            name, value = self.page.headers["set-cookie"].partition(";")[0].split("=")
            self.cookies[name] = value
        if self.page.status == 303:
            return self.get(self.page.headers["location"])
        return self.page


def _pairs(fields: dict[str, str | list[str]]) -> list[tuple[str, str]]:
    return [
        (name, each)
        for name, value in fields.items()
        for each in (value if isinstance(value, list) else [value])
    ]


def done_line(browser: Browser) -> str:
    """What the page says was done."""
    found = re.search(r'<div class="done" role="status">\s*<span>(.*?)</span>', browser.text, re.S)
    assert found, browser.text
    return found[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A repository with memories, of which one cites code that changed."""
    made = make_site(tmp_path_factory.mktemp("pages"))
    made.repo.commit("Count", {"src/cart.py": BEFORE})
    made.gitmem("remember", "The total starts at zero", "--anchor", "src/cart.py:1-3")
    made.gitmem("remember", "Redis listens on 6380", "--title", "The port of Redis")
    old = made.gitmem("decide", "Carts live in files", "--json").json["id"]
    made.gitmem("decide", "Carts live in Redis", "--why", "Several servers", "--supersedes", old)
    made.repo.commit("Start at one", {"src/cart.py": AFTER})
    made.gitmem("verify")
    return made


@pytest.fixture(scope="module")
def server(site: Site) -> Iterator[Serving]:
    """A server of that repository."""
    with serving(site.path, site.env) as running:
        yield running


@pytest.fixture
def browser(server: Serving) -> Browser:
    """A new browser at it."""
    return Browser(server)


def id_of(site: Site, words: str) -> str:
    """The id of the memory with these words."""
    listed = site.gitmem("list", "--state", "any", "--limit", "1000", "--json").json["memories"]
    return next(str(m["id"]) for m in listed if words in m["content"] or words in m["title"])


def new_memory(site: Site, text: str) -> str:
    """A memory of this test's own."""
    return str(site.gitmem("remember", text, "--json").json["id"])
