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
    return "\n".join(one.error or f"{one.action} {one.id}" for one in result.items)
