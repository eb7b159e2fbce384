"""Trusting memories written by agents or strangers, the devices of a remote, or a whole store."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture.edit_each import MemoryEditOutcome, edit_memories_by_prefix
from gitmem.capture.provenance import require_person
from gitmem.errors import InvalidInput
from gitmem.maintenance import endpoint_consent
from gitmem.memory import edit
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.sync.acceptance import CandidateDevice
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class MemoryTrustRequest:
    """Arguments of `gitmem trust`: memories to trust, by ids, or all of a store or of devices.

    ``tier`` is accepted or foreign. ``store`` is for the whole store here, ``remote`` for the
    devices that share by this git remote, ``team`` for those in the repository's team file.
    """

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
    remote: Annotated[
        str, Arg("Believe the devices that share memories by this remote of git", metavar="NAME")
    ] = ""
    team: Annotated[
        bool, Arg("Believe whom the repository's team file proposes, until it changes")
    ] = False
    dry_run: Annotated[
        bool, Arg("With --store, --remote or --team: show what it is about, and change nothing")
    ] = False
    yes: Annotated[bool, Arg("With --store, --remote or --team: do not ask", short="-y")] = False
    key: Annotated[bool, Arg("With --store: print the store's key, for GITMEM_STORE_KEY")] = False


@dataclass(frozen=True, slots=True)
class ForeignStoreContents:
    """What a store of memories, made elsewhere, holds.

    ``shown`` are the first lines of its pinned and newest memories. ``settings`` are the settings
    in the store, a line for each key; they are not adopted with it. ``damaged`` counts memories
    that do not match their hash and are left out.
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
class MemoryTrustResult:
    """What was done with each memory, or the contents of the store; ``key`` is for --key.

    With --remote and --team ``devices`` are those that it is about, with the trust that they have
    now, and ``memories`` counts the memories whose trust changed; none do with ``dry_run``, nor if
    the answer to the question was no (``declined``).
    """

    items: tuple[MemoryEditOutcome, ...]
    failed: int
    store: ForeignStoreContents | None = None
    key: str = ""
    devices: tuple[CandidateDevice, ...] = ()
    memories: int = 0
    problems: tuple[str, ...] = ()
    dry_run: bool = False
    declined: bool = False


def set_memory_trust(app: App, request: MemoryTrustRequest) -> MemoryTrustResult:
    """Accept memories from others, or mark them as foreign.

    With --store a whole store is adopted. Only a person can do this: an agent that could accept
    memories would review its own. A memory always keeps who said it. A store that you did not make,
    such as one in an archive or from another machine, is not used by any command until --store has
    shown you what it holds and you agreed. --remote accepts the devices that share memories by a
    remote now, with all they sent and will send; a device that comes later is foreign until you
    accept it as well. One that signs is believed only while the same key signs. --team accepts the
    devices and keys that .gitmem-team names, for as long as the file stays as it is.
    """
    require_person(app, "decide what is trusted")
    if request.store:
        return _store(app, request)
    if request.remote or request.team:
        return _devices(app, request)
    if not request.id or request.key or request.dry_run:
        raise InvalidInput(
            "No memories are given.", "Give their ids, or --store for the store as a whole."
        )
    action = "accepted" if request.tier == "accepted" else "marked foreign"
    done = edit_memories_by_prefix(
        app, request.id, action, lambda memory: edit.set_memory_trust_tier(memory, request.tier)
    )
    return MemoryTrustResult(done.items, done.failed)


def _store(app: App, request: MemoryTrustRequest) -> MemoryTrustResult:
    from gitmem.capture import store_adoption  # noqa: PLC0415 - once in the life of a store

    if request.id:
        raise InvalidInput("A store is trusted as a whole.", "Leave out the ids, or --store.")
    if request.key:
        return MemoryTrustResult((), 0, key=app.store.key.hex())
    holdings = ForeignStoreContents(
        *store_adoption.describe_store_contents(app), adopted=False, damaged=0
    )
    if request.dry_run:
        return MemoryTrustResult((), 0, holdings, dry_run=True)
    if not request.yes:
        app.say(_store_lines(holdings))
        if app.ask is None:
            raise InvalidInput(
                "There is no terminal to confirm on.",
                "Look at the store with --dry-run, then add --yes.",
            )
        if not app.ask("Is this store yours, or do you trust all it holds?", False):
            return MemoryTrustResult((), 0, holdings)
    damaged = store_adoption.adopt_store(app, mark_as_foreign=request.tier == "foreign")
    return MemoryTrustResult((), 0, replace(holdings, adopted=True, damaged=damaged))


def _devices(app: App, request: MemoryTrustRequest) -> MemoryTrustResult:
    from gitmem.sync import acceptance, link, team  # noqa: PLC0415 - once in the life of a team

    if request.id or (request.remote and request.team):
        raise InvalidInput(
            "Ids, --remote and --team cannot be combined.", "Give only one of the three."
        )
    proposed = team.read_team_file(app)
    if request.team and not proposed.names:
        raise InvalidInput(
            f"There is no {team.FILE} that names a device or key.",
            "A line has the id of a device or the fingerprint of a key, a space, and a name.",
        )
    remote = link.find_sync_remote(app, request.remote)
    problems = acceptance.fetch_records_as_foreign(app, remote)
    named = acceptance.list_remote_devices(app, remote.name)
    if request.team:
        named = tuple(each for each in named if each.proposed)
    warnings = tuple(f"{each.where}: {each.error}" for each in problems[:20])
    if request.dry_run:
        return MemoryTrustResult((), 0, devices=named, problems=warnings, dry_run=True)
    accepted = request.tier == "accepted"
    lines = _device_lines(named)
    if request.team:
        lines += [f"{team.FILE} names {who} as {name}" for who, name in proposed.names.items()]
    if not _agrees(app, request, lines, accepted=accepted):
        return MemoryTrustResult((), 0, devices=named, problems=warnings, declined=True)
    ids = [each.device for each in named]
    if request.team:
        endpoint_consent.record_consent(app, team.CONSENT, proposed.digest, agreed=accepted)
        changed = acceptance.apply_device_trust(app, remote.name, () if accepted else ids)
    else:
        changed = acceptance.accept_devices(app, remote, ids, accepted=accepted)
    by_id = {each.device: each for each in acceptance.list_remote_devices(app)}
    named = tuple(by_id[id] for id in ids)
    return MemoryTrustResult((), 0, devices=named, memories=changed, problems=warnings)


def _agrees(app: App, request: MemoryTrustRequest, lines: list[str], *, accepted: bool) -> bool:
    """Whether a person agrees to believe the devices in ``lines``; to distrust needs no word."""
    if request.yes or not accepted:
        return True
    app.say("\n".join(lines))
    if app.ask is None:
        raise InvalidInput(
            "There is no terminal to confirm on.",
            "See what would be trusted with --dry-run, then add --yes.",
        )
    return app.ask("Believe what they sent and will send, as if you had accepted it?", False)


def _device_lines(devices: Sequence[CandidateDevice]) -> list[str]:
    lines = []
    for each in devices:
        state = "accepted" if each.accepted else "foreign"
        author = one_line(each.author, 40) or "nobody named"
        proposed = f", in the team file as {each.proposed}" if each.proposed else ""
        lines.append(
            f"{each.device}  {author}, {state}, {quantity(each.records, 'record')}, "
            f"{' '.join(filter(None, (each.signature, each.key)))}{proposed}"
        )
    return lines


def view(result: MemoryTrustResult) -> str:
    """Return the text to print: a line for each memory; for a store its contents."""
    if result.key:
        return result.key
    if result.devices or result.problems:
        changed = f"The trust of {quantity(result.memories, 'memory')} was changed."
        if result.declined:
            changed = "No memory's trust was changed; what was fetched is foreign."
        elif result.dry_run:
            changed = (
                "No memory's trust was changed; what was fetched is foreign. Without --dry-run you "
                "are asked."
            )
        warnings = [f"warning: {one_line(text, 300)}" for text in result.problems]
        return "\n".join([*_device_lines(result.devices), changed, *warnings])
    if result.store is None and not result.items:
        return "No other device has shared anything there."
    if result.store is None:
        return "\n".join(item.error or f"{item.action} {item.id}" for item in result.items)
    lines = [_store_lines(result.store), "", "Nothing was changed."]
    if result.store.adopted:
        lines[-1] = "It is yours from now on. `gitmem index` rebuilds its index."
    if result.store.damaged:
        many = ("memory does not match its hash and is", "memories do not match their hash and are")
        lines.append(f"{quantity(result.store.damaged, *many)} left out.")
    return "\n".join(lines)


def _store_lines(store: ForeignStoreContents) -> str:
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


TRUST = Operation("trust", set_memory_trust, view, WRITE, "01M6ZK3P")
