"""Deciding how far a memory is believed: what agents and strangers said is accepted by a person."""

from typing import Annotated

from gitmem.app import App
from gitmem.capture.edit_each import Outcomes, edit_each
from gitmem.capture.provenance import refuse_agents
from gitmem.memory import edit
from gitmem.model.frozen import dataclass
from gitmem.operations.outcomes import failures, view
from gitmem.operations.registry import WRITE, Arg, Operation


@dataclass(frozen=True, slots=True)
class Trust:
    """Which memories, and how far they are believed from now on."""

    id: Annotated[tuple[str, ...], Arg("Ids or beginnings of ids.", positional=True)]
    tier: Annotated[
        str,
        Arg(
            "accepted: as if you had said it; foreign: never told unasked.",
            flag="--as",
            choices=("accepted", "foreign"),
        ),
    ] = "accepted"


def trust(app: App, request: Trust) -> Outcomes:
    """Accept what others said, or stop believing it.

    Only a person can: an agent that could accept memories would review its own. Who said it stays
    in the memory either way.
    """
    refuse_agents(app)
    action = "accepted" if request.tier == "accepted" else "marked foreign"
    return edit_each(app, request.id, action, lambda memory: edit.trusted(memory, request.tier))


TRUST = Operation(
    name="trust",
    request=Trust,
    run=trust,
    view=view,
    effect=WRITE,
    example="gitmem trust 01M6ZK3P",
    failures=failures,
)
