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

    id: Annotated[tuple[str, ...], Arg("Ids or unique prefixes", positional=True)]
    tier: Annotated[
        str,
        Arg(
            "accepted: trusted as your own; foreign: shown only when asked for",
            flag="--as",
            choices=("accepted", "foreign"),
        ),
    ] = "accepted"


def trust(app: App, request: Trust) -> Outcomes:
    """Accept memories from others, or mark them as foreign.

    Only a person can: an agent that could accept memories would review its own. Either way the
    memory keeps who said it.
    """
    refuse_agents(app, "decide what is trusted")
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
