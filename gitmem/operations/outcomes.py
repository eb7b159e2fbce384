"""The request and the view shared by verbs that edit several memories by id."""

from gitmem.capture.edit_each import MemoryEditOutcomes
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared


@dataclass(frozen=True, slots=True)
class MemoryIdsRequest:
    """A request with the ids of memories."""

    id: shared.Ids


def view(result: MemoryEditOutcomes) -> str:
    """Text for people: a line for each memory and what was done with it."""
    return "\n".join(outcome.error or f"{outcome.action} {outcome.id}" for outcome in result.items)
