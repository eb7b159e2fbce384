"""What a page is: an entry of the table, a function from an App to plain data, and a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.http import verbs
from gitmem.http.jobs import Job
from gitmem.http.pages.rendering import address_with_query
from gitmem.mcp.tools.offer import check_arguments
from gitmem.model.frozen import dataclass
from gitmem.operations.result_json import result_as_json

_LONGEST = 100_000


class PageParameters:
    """The parameters of a page's address: those in its path, and those of the query string."""

    def __init__(self, path: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {name: [value] for name, value in path.items()}
        for name, value in pairs:
            if name not in path:
                self._values.setdefault(name, []).append(value[:_LONGEST])

    def text(self, name: str, default: str = "") -> str:
        """The first value of a parameter, without blanks around it; if empty, ``default``."""
        return self._values.get(name, [default])[0].strip() or default

    def texts(self, name: str) -> list[str]:
        """All values of a parameter that are not empty."""
        return [value for value in self._values.get(name, []) if value.strip()]

    def number(self, name: str, default: int, maximum: int) -> int:
        """A parameter as a whole number, at most ``maximum``; ``default`` if there is none.

        Raises InvalidInput if it is not a number.
        """
        given = self.text(name)
        if not given:
            return default
        if not (given.isascii() and given.isdecimal() and len(given) < 10):
            raise InvalidInput(f"{name} is no number: {given[:40]!r}.", "Give a whole number.")
        return min(int(given), maximum)

    def parameters_except(self, *names: str) -> list[tuple[str, str]]:
        """All parameters as (name, value), but those named, to make another address from."""
        return [
            (name, value)
            for name, values in self._values.items()
            if name not in names
            for value in values
            if value
        ]


@dataclass(frozen=True, slots=True)
class Page:
    """A page for browsers at the address ``path``, made with the template ``<name>.html``.

    ``title`` is the question that it answers. ``read`` returns its template values, which its JSON
    shows as well; ``of_jobs`` adds values made from the server's jobs. ``label`` is its name in the
    navigation, empty for a page that others lead to; ``command`` is the command line that shows the
    same. ``script`` names more scripts and style sheets. A ``minor`` page is named at the foot of
    pages, not at their top.
    """

    name: str
    path: str
    title: str
    read: Callable[[App, PageParameters], dict[str, Any]]
    label: str = ""
    command: str = ""
    script: tuple[str, ...] = ()
    of_jobs: Callable[[list[Job]], dict[str, Any]] | None = None
    minor: bool = False

    @property
    def json_address(self) -> str:
        """The address of the page's values as JSON; "" if the page's own may end in ``.json``."""
        if self.path.endswith(":path}"):
            return ""
        return f"{self.path.rstrip('/') or '/' + self.name}.json"


def pager_links(
    query: PageParameters,
    path: str,
    offset: int,
    item_count: int,
    page_size: int,
    total: int | None,
    has_more: bool = True,
) -> dict[str, str]:
    """A dict for the pager of a list: addresses ``before`` and ``after`` ("" for none), ``line``.

    ``line`` is text such as ``41–80 of 120``. ``path`` is the list's address, ``offset`` the number
    of items before the page, ``item_count`` of those on it. ``total`` is None where it is not
    known; then ``has_more`` says whether more follow.
    """
    rest = query.parameters_except("offset", "did")

    def page_address(page_offset: int) -> str:
        return address_with_query(
            path, [*rest, ("offset", str(page_offset))] if page_offset else rest
        )

    follows = has_more if total is None else offset + item_count < total
    of = "" if total is None else f" of {total:,}"
    return {
        "before": page_address(max(0, offset - page_size)) if offset else "",
        "after": page_address(offset + page_size) if follows else "",
        "line": f"{offset + 1:,}–{offset + item_count:,}{of}" if item_count else "",
    }


def result_of_verb(app: App, verb: str, /, **arguments: Any) -> Any:
    """Run a command of gitmem that changes nothing; returns its result as JSON values.

    Empty arguments are left out. No memory counts as used by it. Raises GitmemError.
    """
    offered = verbs.verb_as_tool(verb)
    operation = offered.operation
    # None and empty texts are what an empty field of a form means.
    values = check_arguments(
        offered, {k: v for k, v in arguments.items() if v not in (None, "", [])}
    )
    if operation.run_uncounted is not None:
        result = operation.run_uncounted(app, operation.make_request_paths_relative(app, values))
    else:
        result = operation.run_request(app, values)
    return result_as_json(app, operation, result, for_agent=False)
