"""What the verbs that edit several memories by id share: the request and the view."""

from gitmem.capture.edit_each import Outcomes
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared


@dataclass(frozen=True, slots=True)
class Ids:
    """Which memories."""

    id: shared.Ids


def view(result: Outcomes) -> str:
    """A line for each memory."""
    return "\n".join(outcome.error or f"{outcome.action} {outcome.id}" for outcome in result.items)
