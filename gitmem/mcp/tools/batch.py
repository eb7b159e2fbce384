"""Several calls in one (CE-19): each answer or error in its place, one fence around all.

What is saved is not the answers but what stands around each of them, and for whoever pays by the
turn nine turns of ten. Without ``from __future__ import annotations``, as every module with a
request is.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from gitmem import crashlog
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.mcp.rpc.store_cache import HARMLESS
from gitmem.mcp.tools import truncation
from gitmem.mcp.tools.profiles import BATCH
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.text.fence import inert, inert_data

MOST = 10
# Characters of text, and of data, that all answers have together: about 6,000 tokens each.
ROOM = 24_000
_ALONE = "make this call alone"
# What divides the cells of a table (``mcp.tables``).
_CELL = "\t"


@dataclass(frozen=True, slots=True)
class Batch:
    """The calls, in the order in which they are made."""

    calls: Annotated[
        tuple[dict[str, Any], ...],
        Arg('Up to 10 of {"tool": "recall", "arguments": {"query": "redis"}}; no nested batch'),
    ]


@dataclass(frozen=True, slots=True)
class Batched:
    """For each call ``{"tool", "result"}`` or ``{"tool", "error"}``; ``failed`` counts the latter.

    ``cut`` in a result: it was too long; as much of it as there was room for is there.
    """

    results: tuple[dict[str, Any], ...]
    failed: int


# Tool name and arguments -> the answer's text and data. Raises GitmemError.
Caller = Callable[[str, Mapping[str, Any]], tuple[str, dict[str, Any]]]


class Asker:
    """Who asks for a batch: an App, and how a call is made. ``texts`` are the answers' texts."""

    def __init__(self, app: App, call: Caller) -> None:
        self.app = app
        self.call = call
        self.texts: list[str] = []
        self._told: set[str] = set()

    def once(self, text: str) -> str:
        """The text, with rows of a table that an answer above has only named here."""
        lines = text.split("\n")
        short = [
            f"{line.partition(_CELL)[0]}{_CELL}(above)" if line in self._told else line
            for line in lines
        ]
        self._told.update(line for line in lines if _CELL in line)
        return "\n".join(short)


def batch(asker: Asker, request: Batch) -> Batched:
    """Make up to 10 calls in one; a call that fails does not stop the others."""
    count = len(request.calls)
    if count > MOST:
        raise InvalidInput(f"{count} calls are too many for one batch.", f"Make at most {MOST}.")
    text_room = data_room = ROOM
    results = []
    for number, one in enumerate(request.calls):
        # Outside of what is caught: whoever cancels does it here.
        asker.app.progress("batch", number, count)
        text, item = _made(asker, one)
        text = truncation.short(asker.once(text), text_room // (count - number), _ALONE)
        item = _fitted(item, data_room // (count - number))
        text_room, data_room = text_room - len(text), data_room - truncation.size(item)
        asker.texts.append(f"[{number + 1}] {item['tool']}\n{text}")
        results.append(item)
    return Batched(tuple(results), sum(1 for result in results if "error" in result))


def _made(asker: Asker, one: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    # ``name``, as the protocol's own calls have it.
    name = str(one.get("tool") or one.get("name") or "")[:60]
    try:
        text, data = asker.call(name, _arguments(one))
    except GitmemError as error:
        return _failed(asker.app, name, error)
    except Exception as error:  # a bug in one must not take the others with it
        return _failed(asker.app, name, crashlog.record(error, ["mcp"]))
    return text, {"tool": name, "result": data}


def _arguments(one: Mapping[str, Any]) -> Mapping[str, Any]:
    strange = sorted(str(key) for key in one.keys() - {"tool", "name", "arguments"})
    given = one.get("arguments")
    if strange:
        raise InvalidInput(
            f"A call has no key {strange[0][:60]!r}.", 'Write {"tool": ..., "arguments": {...}}.'
        )
    if BATCH in (one.get("tool"), one.get("name")):
        raise InvalidInput("A batch cannot contain a batch.", "Put its calls into the outer one.")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            "The arguments of a call must be an object.", 'Such as {"query": "redis"}.'
        )
    return given


def _failed(app: App, name: str, error: GitmemError) -> tuple[str, dict[str, Any]]:
    if not isinstance(error, HARMLESS):
        app.release()
    told = inert_data(error.plain())
    text = f"{error.code}: {error.message} {error.hint}".rstrip()
    return text, {"tool": inert(name), "error": told}


def _fitted(item: dict[str, Any], most: int) -> dict[str, Any]:
    """The item, with a result that is as much of it as there is room for."""
    over = truncation.size(item) - most
    if over <= 0 or "result" not in item:
        return item
    result = item["result"]
    return item | {"result": truncation.fitted(result, max(0, truncation.size(result) - over))}


def view(result: Batched) -> str:
    """How many calls were made; their answers are told by whoever made them."""
    return f"{len(result.results)} calls, {result.failed} failed"


BATCHED = Operation(BATCH, batch, view, WRITE, tool=BATCH)
