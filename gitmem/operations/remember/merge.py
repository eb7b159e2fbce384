"""Merging memories that say the same into one."""

from gitmem.app import App
from gitmem.capture import consolidate, near_duplicates
from gitmem.capture.edit_each import MemoryEditOutcome, apply_to_each_id_prefix
from gitmem.errors import Conflict, InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids

STRATEGIES = ("smart_merge", "latest_wins", "append")


@dataclass(frozen=True, slots=True)
class MergeMemoriesRequest:
    """Arguments of `gitmem merge`: the memory that stays (``target``), those merged into it.

    ``source`` are their ids. ``strategy`` is how the texts are joined: smart_merge (each sentence
    once), latest_wins or append; empty is the setting duplicates.strategy.
    """

    target: Annotated[str, positional_arg("The memory that stays", metavar="ID")]
    source: Annotated[
        tuple[str, ...], positional_arg("The memories to merge into it", metavar="OTHER")
    ]
    strategy: Annotated[
        str,
        Arg(
            "The merged text: each sentence once (smart_merge), that of the other memory "
            "(latest_wins), or both (append); default: duplicates.strategy",
            choices=STRATEGIES,
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class MergeMemoriesResult:
    """The memory that stays and its new version, and the outcome for each memory merged into it."""

    id: str
    version: int
    items: tuple[MemoryEditOutcome, ...]
    failed: int


def merge_memories(app: App, request: MergeMemoriesRequest) -> MergeMemoriesResult:
    """Merge memories that say the same into one.

    The others stay in the store, superseded by it, and `gitmem inbox undo ID` reverts a merge. The
    merged memory has the tags of both, and the larger weight and importance. An agent cannot merge
    what a person said.
    """
    holder, target = short_ids.find_memory(app.stores(), request.target)

    def merge_into_target(id_prefix: str) -> MemoryEditOutcome:
        database, other = short_ids.find_memory(app.stores(), id_prefix)
        _check((holder, target), (database, other))
        with holder.write():
            into, source = (
                consolidate.current_memory_for_merge(holder, id) for id in (target.id, other.id)
            )
            cosine = near_duplicates.cosine_of_memories(into, source)
            consolidate.merge_memories(
                app, holder, into, source, cosine, merge_strategy=request.strategy
            )
        return MemoryEditOutcome(other.id, "merged", "")

    items = apply_to_each_id_prefix(
        request.source, merge_into_target, lambda text, error: MemoryEditOutcome(text, "", error)
    )
    _, now = short_ids.find_memory([holder], target.id)
    return MergeMemoriesResult(
        target.id, now.version, items, sum(1 for item in items if item.error)
    )


def _check(target: tuple[Database, Memory], source: tuple[Database, Memory]) -> None:
    """Raise InvalidInput or Conflict if the two cannot be merged."""
    if target[0] is not source[0]:
        raise InvalidInput(
            "One of the memories belongs to the project, the other is global.",
            "Move one first: gitmem promote.",
        )
    if target[1].id == source[1].id:
        raise InvalidInput("A memory cannot be merged into itself.", "Give two different ids.")
    if "decision" in (target[1].kind, source[1].kind) and target[1].kind != source[1].kind:
        raise Conflict(
            "A decision can only be merged with another decision.",
            "Link the two instead: gitmem link A B --as RELATED_TO.",
        )


def view(result: MergeMemoriesResult) -> str:
    """Return the text to print: a line for each merged memory, then the memory that stays."""
    lines = [item.error or f"{item.action} {item.id}" for item in result.items]
    return "\n".join([*lines, f"into {result.id}, version {result.version}"])


MERGE = Operation("merge", merge_memories, view, WRITE, "01M6ZK3P 01M6ZK9T", tool="merge_memories")
