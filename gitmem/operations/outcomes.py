"""The request and the view shared by verbs that edit several memories by id."""

from gitmem.capture.edit_each import MemoryEditOutcomes
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared


@dataclass(frozen=True, slots=True)
class MemoryIdsRequest:
    """Arguments of a command on memories: ``id`` are ids or unique beginnings of ids."""

    id: shared.Ids


def view(result: MemoryEditOutcomes) -> str:
    """Return the text to print: a line for each memory and what was done with it."""
    return "\n".join(outcome.error or f"{outcome.action} {outcome.id}" for outcome in result.items)
