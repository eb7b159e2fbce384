"""Merging memories that say the same into one."""

from gitmem.app import App
from gitmem.capture import consolidate
from gitmem.capture.edit_each import Outcome, for_each
from gitmem.errors import Conflict, InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, given
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids

_SAME = 1.0  # how alike two are that somebody says are the same
STRATEGIES = ("smart_merge", "latest_wins", "append")


@dataclass(frozen=True, slots=True)
class Merge:
    """Which memory takes in which others."""

    target: Annotated[str, given("The memory that stays", metavar="ID")]
    source: Annotated[tuple[str, ...], given("The memories that it takes in", metavar="OTHER")]
    strategy: Annotated[
        str,
        Arg(
            "What becomes of the text: each sentence once (smart_merge), that of the other one "
            "(latest_wins), or both (append); duplicates.strategy if not given",
            choices=STRATEGIES,
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that stays, as version ``version``, and what became of each that it took in."""

    id: str
    version: int
    items: tuple[Outcome, ...]
    failed: int


def merge(app: App, request: Merge) -> Merged:
    """Merge memories that say the same into one.

    The others stay in the store as superseded by it, and `gitmem inbox undo ID` takes a merge back.
    Tags join, and the larger weight and importance count. An agent cannot merge what a person said.
    """
    holder, target = short_ids.find(app.stores(), request.target)

    def take_in(text: str) -> Outcome:
        database, other = short_ids.find(app.stores(), text)
        _check((holder, target), (database, other))
        with holder.write():
            kept_memory, source = (consolidate.in_use(holder, id) for id in (target.id, other.id))
            consolidate.merge(app, holder, kept_memory, source, _SAME, strategy=request.strategy)
        return Outcome(other.id, "merged", "")

    items = for_each(request.source, take_in, lambda text, error: Outcome(text, "", error))
    _, now = short_ids.find([holder], target.id)
    return Merged(target.id, now.version, items, sum(1 for item in items if item.error))


def _check(target: tuple[Database, Memory], source: tuple[Database, Memory]) -> None:
    """Raise InvalidInput or Conflict where the two cannot become one."""
    if target[0] is not source[0]:
        raise InvalidInput(
            "One is a project memory and the other a global one.",
            "Move one first: gitmem promote.",
        )
    if target[1].id == source[1].id:
        raise InvalidInput("A memory cannot take in itself.", "Give two different ids.")
    if "decision" in (target[1].kind, source[1].kind) and target[1].kind != source[1].kind:
        raise Conflict(
            "A decision has a status, and the other memory has none.",
            "Link them: gitmem link A B --as RELATED_TO.",
        )


def view(result: Merged) -> str:
    """A line for each, then the memory that stays."""
    lines = [item.error or f"{item.action} {item.id}" for item in result.items]
    return "\n".join([*lines, f"into {result.id}, version {result.version}"])


MERGE = Operation("merge", merge, view, WRITE, "01M6ZK3P 01M6ZK9T", tool="merge_memories")
