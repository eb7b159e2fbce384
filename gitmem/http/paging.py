"""Lists in pages: ``offset``, ``limit`` and ``hasMore`` in every answer that is a list.

An answer of a verb that reads is a list if its first field is an array of objects, or if such an
array has a name that stands for one. A verb that can skip does so itself; of the others what comes
before the page is read as well, and left out.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, get_args, get_type_hints

from gitmem.app import App
from gitmem.http import verbs
from gitmem.mcp.tools.offer import OfferedTool, check_arguments
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation

# What a page adds to an answer.
FIELDS = ("offset", "limit", "hasMore")
# Arrays that are the list wherever they stand, and the one whose newest item is the last.
_LISTS, _NEWEST_LAST = ("items", "versions", "entries"), "entries"
# Their limit counts hits of each relation or project.
_OF_EACH = frozenset(("related", "projects", "projects list"))
Perform = Callable[[App, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ListPageRequest:
    """Arguments for a page of a list: items to skip, and how many to return (None: the rest)."""

    offset: Annotated[int, Arg("Skip this many", minimum=0, maximum=10_000)] = 0
    limit: Annotated[int | None, shared.limit_arg(1000)] = None


def echo_page_request(_: App, request: ListPageRequest) -> ListPageRequest:
    """Return the request unchanged: for an operation that only checks ``offset`` and ``limit``."""
    return request


PAGE = verbs.operation_as_tool(Operation("page", echo_page_request, str, READ))


@cache
def list_field_of_verb(verb: str) -> str:
    """The field of a command's answer that is the list; "" if it answers with something else."""
    offered = verbs.verb_as_tool(verb)
    if verb in _OF_EACH or not ("offset" in offered.fields or offered.operation.effect == READ):
        return ""
    result = _result(offered)
    types = get_type_hints(result)
    arrays = [
        field
        for field in result.__match_args__
        if any(hasattr(item, "__match_args__") for item in get_args(types[field])[:1])
    ]
    return next((name for name in (result.__match_args__[0], *_LISTS) if name in arrays), "")


def _result(offered: OfferedTool) -> Any:
    return get_type_hints(offered.operation.run)["return"]


def paging_arguments(tool: OfferedTool) -> list[str]:
    """Those of ``limit`` and ``offset`` that a command which lists does not take itself, or []."""
    if not list_field_of_verb(tool.name):
        return []
    return [name for name in PAGE.fields if name not in tool.fields]


def wrap_with_paging(
    tool: OfferedTool, given_arguments: dict[str, Any], perform: Perform
) -> Perform:
    """A function like ``perform`` that returns only the page that the given arguments ask for.

    ``limit`` and ``offset`` are removed from ``given_arguments`` unless the command takes them.
    Raises InvalidInput for wrong ones. For a command that does not list, ``perform`` is returned.
    """
    field = list_field_of_verb(tool.name)
    if not field:
        return perform
    arguments = {
        name: given_arguments.pop(name)
        for name in paging_arguments(tool)
        if name in given_arguments
    }
    part: ListPageRequest = check_arguments(PAGE, arguments)
    tells = "has_more" in _result(tool).__match_args__
    skips, limits = "offset" in tool.fields, "limit" in tool.fields

    def perform_page(app: App, request: Any) -> dict[str, Any]:
        offset = (request.offset or 0) if skips else part.offset
        limit: int | None = request.limit if limits else part.limit
        limit = limit or (app.settings.number("recall.limit") if limits else None)
        if tells:
            result = perform(app, request)
            return result | _fields(offset, limit, result["has_more"], result[field])
        if limit and limits:  # one more, to see whether there is one
            request = replace(request, limit=limit + 1 + (0 if skips else offset))
        result = perform(app, request)
        items, more = slice_page(
            result[field], 0 if skips else offset, limit, newest_last=field == _NEWEST_LAST
        )
        return result | {field: items} | _fields(offset, limit, more, items)

    return perform_page


def slice_page(
    items: Sequence[Any], offset: int, limit: int | None, *, newest_last: bool = False
) -> tuple[list[Any], bool]:
    """The items of a page, as a list, and whether more follow.

    ``limit`` None: all after ``offset``. ``newest_last``: the first page is the end of the list.
    """
    order = items[::-1] if newest_last else items
    end = len(order) if limit is None else offset + limit
    shown = list(order[offset:end])
    return shown[::-1] if newest_last else shown, len(order) > end


def page_of_items(
    query_pairs: Sequence[tuple[str, str]], list_name: str, items: Sequence[Any]
) -> dict[str, Any]:
    """A page of a list as a dict: its items as ``list_name``, ``offset``, ``limit``, ``hasMore``.

    ``query_pairs`` are the request's query string, with offset and limit. Raises InvalidInput for
    wrong ones.
    """
    part: ListPageRequest = check_arguments(PAGE, verbs.arguments_from_query(PAGE, query_pairs))
    shown, more = slice_page(items, part.offset, part.limit)
    return {list_name: shown} | _fields(part.offset, part.limit, more, shown)


def _fields(offset: int, limit: int | None, more: bool, items: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(FIELDS, (offset, len(items) if limit is None else limit, more), strict=True))
