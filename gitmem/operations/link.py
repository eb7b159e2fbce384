"""Tying two memories together."""

from typing import Annotated

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.memory.draft import one_of
from gitmem.model.kinds import RELATIONS
from gitmem.model.memory import Link
from gitmem.model.value import dataclass
from gitmem.operations.decide import supersede
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.store import lookup, revisions


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """Which memories to link, and how."""

    source: Annotated[str, Arg("The memory the link starts at.", positional=True, metavar="A")]
    target: Annotated[str, Arg("The memory it points to.", positional=True, metavar="B")]
    relation: Annotated[str, Arg(f"How A relates to B: {', '.join(RELATIONS)}.", flag="--as")] = (
        "RELATED_TO"
    )
    strength: Annotated[float, Arg("How strongly.", least=0, most=1)] = 0.5
    context: Annotated[str, Arg("In a few words, why.")] = ""


@dataclass(frozen=True, slots=True)
class Linked:
    """The link made; ``action`` is ``added`` or ``renewed``."""

    source: str
    target: str
    relation: str
    action: str


def link(app: App, request: LinkRequest) -> Linked:
    """Tie two memories together: one SOLVES, CAUSES ... the other."""
    relation = one_of("--as", request.relation.upper().replace("-", "_"), RELATIONS)
    holder, source = lookup.find(app.stores(), request.source)
    other, target = lookup.find(app.stores(), request.target)
    if holder is not other:
        raise InvalidInput(
            "One of the two is a project memory and the other a global one.",
            "Link memories of the same scope.",
        )
    if source.id == target.id:
        raise InvalidInput("A memory cannot be linked to itself.", "Give two different ids.")
    made = Link(
        app.new_id(), source.id, target.id, relation, request.strength, request.context, app.now
    )
    with holder.write():
        new = revisions.add_link(holder, made)
        if relation == "SUPERSEDES" and new:
            supersede(app, holder, target, source.id)
    return Linked(source.id, target.id, relation, "added" if new else "renewed")


def view(result: Linked) -> str:
    """The link in a line."""
    return f"{result.action}: {result.source} {result.relation} {result.target}"


LINK = Operation(
    name="link",
    request=LinkRequest,
    run=link,
    view=view,
    effect=WRITE,
    example="gitmem link 01M6ZK3P 01M6ZJ8Q --as SOLVES",
)
