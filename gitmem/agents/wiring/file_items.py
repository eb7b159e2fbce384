"""What became of each of the hosts' files, as setup and deinit tell it."""

from collections.abc import Sequence

from gitmem.agents.hosts.host import PARTS, PROJECT, RULES
from gitmem.agents.wiring import plan
from gitmem.agents.wiring.commit_safety import would_commit
from gitmem.agents.wiring.plan import Step
from gitmem.agents.wiring.templates import SKILL
from gitmem.app import App
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class FileItem:
    """One file: what became of it, whose and which parts.

    ``committed``: git would take it; ``personal``: it names this machine's gitmem.
    """

    path: str
    scope: str
    state: str
    agents: tuple[str, ...]
    parts: tuple[str, ...]
    committed: bool
    personal: bool
    note: str


def file_items(
    app: App, steps: Sequence[Step], project: str, *, personal: bool
) -> tuple[FileItem, ...]:
    """Each step's file; ``personal``: programs are named by their place on this machine."""
    committed = would_commit(app, steps, project)
    return tuple(_item(one, one.path in committed, personal) for one in steps)


def _item(step: Step, committed: bool, personal: bool) -> FileItem:
    parts = tuple(part for part in PARTS if part in step.parts)
    parts += ("skill",) if any(part.startswith(SKILL) for part in step.parts) else ()
    # Rules and skills name no program.
    names = personal and step.scope == PROJECT and parts not in ((), (RULES,), ("skill",))
    stays = step.state == plan.REMOVED and step.content is not None
    note = step.note or "the rest of the file is kept" * stays
    return FileItem(step.path, step.scope, step.state, step.agents, parts, committed, names, note)
