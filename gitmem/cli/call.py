"""One command as it was asked for: an operation, the values of its request, where and how."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Operation

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """``values`` are fields of the request that were given; ``place`` is the folder of ``-C``.

    ``timezone`` is that of the times in its text, empty for the one that is set.
    """

    operation: Operation
    values: dict[str, Any]
    place: str
    json: bool
    agent: str = ""
    timezone: str = ""


def takes_agent(operation: Operation) -> bool:
    """Whether ``--agent`` says who writes: not where agents are what the command is about."""
    return operation.effect != READ and "agents" not in operation.request.__annotations__
