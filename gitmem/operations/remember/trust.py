"""Trusting memories written by agents or strangers, or a whole store."""

from gitmem.app import App
from gitmem.capture.edit_each import Outcome, edit_each
from gitmem.capture.provenance import refuse_agents
from gitmem.errors import InvalidInput
from gitmem.memory import edit
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Trust:
    """A request to trust or distrust memories, or to adopt a store."""

    id: shared.Ids = ()
    tier: Annotated[
        str,
        Arg(
            "accepted: trusted as your own; foreign: shown only when asked for",
            flag="--as",
            choices=("accepted", "foreign"),
        ),
    ] = "accepted"
    store: Annotated[
        bool, Arg("Adopt the store here with all it holds; --as foreign marks its memories")
    ] = False
    dry_run: Annotated[bool, Arg("With --store: show what it holds, and change nothing")] = False
    yes: Annotated[bool, Arg("With --store: do not ask", short="-y")] = False
    key: Annotated[bool, Arg("With --store: print the store's key, for GITMEM_STORE_KEY")] = False


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a store holds. ``shown`` are the first lines of its pinned and newest memories.

    ``settings`` are the settings in the store, a line for each key; they are not adopted with it.
    ``damaged`` counts memories that do not match their hash and are left out.
    """

    id: str
    path: str
    owner: str
    memories: int
    decisions: int
    pinned: int
    shown: tuple[str, ...]
    settings: tuple[str, ...]
    adopted: bool
    damaged: int


@dataclass(frozen=True, slots=True)
class Trusted:
    """The outcome for each memory, or for the store; ``key`` is empty without --key."""

    items: tuple[Outcome, ...]
    failed: int
    store: Holdings | None = None
    key: str = ""


def trust(app: App, request: Trust) -> Trusted:
    """Accept memories from others, or mark them as foreign.

    With --store a whole store is adopted. Only a person can do this: an agent that could accept
    memories would review its own. A memory always keeps who said it. A store that you did not make,
    such as one in an archive or from another machine, is not used by any command until --store has
    shown you what it holds and you agreed.
    """
    refuse_agents(app, "decide what is trusted")
    if request.store:
        return _store(app, request)
    if not request.id or request.key or request.dry_run:
        raise InvalidInput(
            "No memories are given.", "Give their ids, or --store for the store as a whole."
        )
    action = "accepted" if request.tier == "accepted" else "marked foreign"
    done = edit_each(app, request.id, action, lambda memory: edit.set_trust(memory, request.tier))
    return Trusted(done.items, done.failed)


def _store(app: App, request: Trust) -> Trusted:
    from gitmem.capture import store_adoption  # noqa: PLC0415 - once in the life of a store

    if request.id:
        raise InvalidInput("A store is trusted as a whole.", "Leave out the ids, or --store.")
    if request.key:
        return Trusted((), 0, key=app.store.key.hex())
    holdings = Holdings(*store_adoption.examine(app), adopted=False, damaged=0)
    if request.dry_run:
        return Trusted((), 0, holdings)
    if not request.yes:
        app.say(_store_lines(holdings))
        if app.ask is None:
            raise InvalidInput(
                "There is no terminal to confirm on.",
                "Look at the store with --dry-run, then add --yes.",
            )
        if not app.ask("Is this store yours, or do you trust all it holds?", False):
            return Trusted((), 0, holdings)
    damaged = store_adoption.adopt(app, foreign=request.tier == "foreign")
    return Trusted((), 0, replace(holdings, adopted=True, damaged=damaged))


def view(result: Trusted) -> str:
    """A line for each memory; for a store its contents and the outcome."""
    if result.key:
        return result.key
    if result.store is None:
        return "\n".join(item.error or f"{item.action} {item.id}" for item in result.items)
    lines = [_store_lines(result.store), "", "Nothing was changed."]
    if result.store.adopted:
        lines[-1] = "It is yours from now on. `gitmem index` rebuilds its index."
    if result.store.damaged:
        many = ("memory does not match its hash and is", "memories do not match their hash and are")
        lines.append(f"{quantity(result.store.damaged, *many)} left out.")
    return "\n".join(lines)


def _store_lines(store: Holdings) -> str:
    lines = [
        f"store    {one_line(store.path, 300)}",
        f"id       {store.id}, owned by {store.owner}",
        f"holds    {quantity(store.memories, 'memory')}, "
        f"{quantity(store.decisions, 'decision')}, {store.pinned} pinned",
    ]
    lines += [f"  > {one_line(text, _WIDTH)}" for text in store.shown]
    if store.settings:
        lines.append("settings that came with it, adopted only by `gitmem config --adopt`:")
    return "\n".join([*lines, *(f"  > {one_line(line, len(line))}" for line in store.settings)])


TRUST = Operation("trust", trust, view, WRITE, "01M6ZK3P")
