"""The tool ``batch``: several calls in one, with each answer or error in its place.

It saves the overhead of each call, and up to nine turns of ten. Without ``from __future__ import
annotations``, as every module with a request.
"""

from collections.abc import Callable, Mapping
from typing import Any

from gitmem import crashlog
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.mcp.rpc.store_cache import HARMLESS
from gitmem.mcp.tools import truncation
from gitmem.mcp.tools.profiles import BATCH
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.text.fence import escape_data_for_model, escape_for_model

MOST = 10
# Characters of all answers' text, and of their data: about 9,000 tokens each. Ten compact searches
# fit, and the whole is below what any answer may have.
ROOM = 36_000
_ALONE = "make this call alone"
# The separator of cells in a table (``tools.toon``).
_CELL = "\t"


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """Arguments of the tool ``batch``: ``calls`` (``{"tool", "arguments"}``) made in this order."""

    calls: Annotated[
        tuple[dict[str, Any], ...],
        Arg('Up to 10 of {"tool": "recall", "arguments": {"query": "redis"}}; no nested batch'),
    ]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """``results`` has ``{"tool", "result"}`` for each call, ``{"tool", "error"}`` if it failed.

    ``failed`` counts the failed calls. A result with ``cut`` was too long and is incomplete.
    """

    results: tuple[dict[str, Any], ...]
    failed: int


# Tool name and arguments -> the answer's text and data. Raises GitmemError.
Caller = Callable[[str, Mapping[str, Any]], tuple[str, dict[str, Any]]]


class BatchContext:
    """What a batch runs with: an App, the function ``call``, and the answers' ``texts`` so far."""

    def __init__(self, app: App, call: Caller) -> None:
        self.app = app
        self.call = call
        self.texts: list[str] = []
        self._shown_rows: set[str] = set()

    def shorten_repeated_rows(self, text: str) -> str:
        """The text; of table rows that an earlier text had, only the id and ``(above)`` stay."""
        lines = text.split("\n")
        short = [
            f"{line.partition(_CELL)[0]}{_CELL}(above)" if line in self._shown_rows else line
            for line in lines
        ]
        self._shown_rows.update(line for line in lines if _CELL in line)
        return "\n".join(short)


def batch(context: BatchContext, request: BatchRequest) -> BatchResult:
    """Make up to 10 calls in one; a call that fails does not stop the others."""
    count = len(request.calls)
    if count > MOST:
        raise InvalidInput(
            f"{count} calls are too many for one batch.", f"A batch has at most {MOST} calls."
        )
    text_room = data_room = ROOM
    results = []
    for number, call in enumerate(request.calls):
        # Outside of the ``try`` in ``_make``: cancelling raises here.
        context.app.progress("batch", number, count)
        text, item = _make(context, call)
        text = truncation.cut_text(
            context.shorten_repeated_rows(text), text_room // (count - number), _ALONE
        )
        item = _fit(item, data_room // (count - number))
        text_room, data_room = text_room - len(text), data_room - truncation.json_size(item)
        context.texts.append(f"[{number + 1}] {item['tool']}\n{text}")
        results.append(item)
    return BatchResult(tuple(results), sum(1 for result in results if "error" in result))


def _make(asker: BatchContext, call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    # ``name`` is the key of the protocol's own calls.
    name = str(call.get("tool") or call.get("name") or "")[:60]
    try:
        text, data = asker.call(name, _arguments(call))
    except GitmemError as error:
        return _error_item(asker.app, name, error)
    except Exception as error:  # a bug in one call must not lose the others
        return _error_item(asker.app, name, crashlog.record_crash(error, ["mcp"]))
    return text, {"tool": name, "result": data}


def _arguments(call: Mapping[str, Any]) -> Mapping[str, Any]:
    strange = sorted(str(key) for key in call.keys() - {"tool", "name", "arguments"})
    given = call.get("arguments")
    if strange:
        raise InvalidInput(
            f"A call has no key {strange[0][:60]!r}.", 'Write {"tool": ..., "arguments": {...}}.'
        )
    if BATCH in (call.get("tool"), call.get("name")):
        raise InvalidInput("A batch cannot contain a batch.", "Put its calls into the outer one.")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            "The arguments of a call must be an object.", 'Such as {"query": "redis"}.'
        )
    return given


def _error_item(app: App, name: str, error: GitmemError) -> tuple[str, dict[str, Any]]:
    if not isinstance(error, HARMLESS):
        app.close_stores()
    fields = escape_data_for_model(error.as_json_object())
    text = f"{error.code}: {error.message} {error.hint}".rstrip()
    return text, {"tool": escape_for_model(name), "error": fields}


def _fit(item: dict[str, Any], most: int) -> dict[str, Any]:
    """The item, with its result cut so that it has at most ``most`` characters."""
    over = truncation.json_size(item) - most
    if over <= 0 or "result" not in item:
        return item
    result = item["result"]
    return item | {
        "result": truncation.cut_data_to_fit(result, max(0, truncation.json_size(result) - over))
    }


def view(result: BatchResult) -> str:
    """Return the line ``N calls, M failed``; the answers are in ``BatchContext.texts``."""
    return f"{len(result.results)} calls, {result.failed} failed"


BATCHED = Operation(BATCH, batch, view, WRITE, tool=BATCH)
