"""A new store of what can be read of a damaged one."""

import os

from gitmem.app import App
from gitmem.capture.provenance import refuse_agents
from gitmem.maintenance import recovery
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import DELETE, Annotated, Arg, Operation
from gitmem.text.quantity import quantity

SHOWN = 50
_OTHER = "Your own store, of global memories: `gitmem recover --scope global`."


@dataclass(frozen=True, slots=True)
class Recover:
    """Where else to look, and whether only to look."""

    source: Annotated[
        str, Arg("Also use this file, which `gitmem export` wrote", flag="--from", metavar="FILE")
    ] = ""
    scope: Annotated[
        str,
        Arg("This project's store, or your own for all projects", choices=("project", "global")),
    ] = "project"
    dry_run: Annotated[bool, Arg("Show what would be done, and do nothing")] = False


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the new store holds.

    ``whole``: the store is not damaged, and nothing was done. ``kept`` memories are from the store
    itself, those of ``restored`` from the files named there; ``lost`` are the ids of memories that
    no file could give back. ``aside`` is where the damaged file is now. ``scope`` is which store.
    """

    whole: bool
    kept: int
    restored: tuple[recovery.Source, ...]
    lost: tuple[str, ...]
    aside: str
    dry_run: bool
    scope: str


def recover(app: App, request: Recover) -> Recovered:
    """Make a new store of what can be read of a damaged one and of its backups.

    Of each memory the newest version that is whole comes along, with history, links and sessions;
    what was purged stays purged. Works where the store does not open at all or is gone. The damaged
    file is moved into .gitmem/backups, never deleted. Agents may only look (`--dry-run`). The index
    is empty afterwards: run `gitmem index`. --scope global mends the store of your global memories,
    whose damaged file is kept beside it.
    """
    if not request.dry_run:
        refuse_agents(app, "replace the store")
    export = os.path.abspath(os.path.join(app.start, request.source)) if request.source else ""
    done = recovery.recover(app, export, scope=request.scope, dry_run=request.dry_run)
    return Recovered(
        whole=done.whole,
        kept=done.kept,
        restored=done.restored,
        lost=done.lost,
        aside=done.aside,
        dry_run=request.dry_run,
        scope=request.scope,
    )


def view(result: Recovered) -> str:
    """What was kept, brought back and lost, a line each."""
    if result.whole:
        told = f"The store is whole: {quantity(result.kept, 'memory')}, nothing to recover."
        return f"{told} {_OTHER}" if result.scope == "project" else told
    would = "would be " if result.dry_run else ""
    lines = [f"{quantity(result.kept, 'memory')} {would}kept"]
    lines += [f"{one.memories} {would}brought back from {one.path}" for one in result.restored]
    lines.append(f"{len(result.lost)} {would}lost{':' if result.lost else ''}")
    lines += [f"  {id}" for id in result.lost[:SHOWN]]
    if result.aside:
        lines.append(f"the damaged file is in {result.aside}")
    if not result.dry_run and result.scope == "project":
        lines.append("Run `gitmem index` to make the index again.")
    return "\n".join(lines)


RECOVER = Operation(
    name="recover",
    request=Recover,
    run=recover,
    view=view,
    effect=DELETE,
    example="gitmem recover --dry-run",
)
