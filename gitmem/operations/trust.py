"""Deciding how far a memory is believed: what agents and strangers said is accepted by a person."""

from typing import Annotated

from gitmem.app import App
from gitmem.errors import Conflict
from gitmem.memory import edit
from gitmem.model.value import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.operations.retire import Outcomes, edit_each, failures, view


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


def refuse_agents(app: App) -> None:
    """Raise Conflict where an agent is asking: what is trusted is for people to say."""
    if app.agent or app.source == "ai_inferred":
        raise Conflict(
            f"{app.agent or 'An agent'} is an agent, and only a person says what is trusted.",
            "Ask the person you work for to run this command in a terminal.",
        )


TRUST = Operation(
    name="trust",
    request=Trust,
    run=trust,
    view=view,
    effect=WRITE,
    example="gitmem trust 01M6ZK3P",
    failures=failures,
)
