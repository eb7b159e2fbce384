"""The README stays short, and no link in it or in the pages beside it leads nowhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^()\s]+)\)")
MOST_LINES = 155
SOURCE = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.(?:py|scm|sql|sh|toml|json|bin|md))`")
# A name that begins so is a file of this repository, from its root or from the program.
TOPS = {"gitmem", "tests", "docs"}
TOPS |= {path.parent.name for top in sorted(TOPS) for path in (ROOT / top).glob("*/*")}
ELSEWHERE = {"gitmem/hook.sh"}  # in the git directory of a user's repository


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_every_link_leads_to_a_file_and_to_a_heading_in_it() -> None:
    assert [link for page in PAGES for link in broken(page)] == []


def test_every_page_is_reached_from_the_readme() -> None:
    observed: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in observed and page.suffix == ".md" and page.is_file():
            observed.add(page)
            waiting += [target for target, _ in links(page)]
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in observed] == []


def test_every_source_file_that_a_page_names_is_there() -> None:
    """Pages written by hand name modules, and modules move."""
    wrong = {
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for name in SOURCE.findall(prose(page))
        if name.partition("/")[0] in TOPS and name not in ELSEWHERE
        if not any((top / name).exists() for top in (ROOT, ROOT / "gitmem"))
    }
    assert wrong == set()


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    return [
        f"{page.relative_to(ROOT)}: {target.name}#{heading}"
        for target, heading in links(page)
        if not target.exists() or (heading and heading not in headings(target))
    ]


def links(page: Path) -> list[tuple[Path, str]]:
    """File and heading of each link of a page that stays in the repository."""
    found = []
    for link in LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", link):
            path, _, heading = link.partition("#")
            found.append(((page.parent / path).resolve() if path else page, heading))
    return found


@cache
def headings(page: Path) -> frozenset[str]:
    """The anchors that GitHub gives the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return frozenset(
        re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles
    )


@cache
def prose(page: Path) -> str:
    """A page without its blocks of code, where a bracket is no link and a hash no heading."""
    return re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
