"""Sharing memories by the user's own git remote."""

from gitmem.app import App
from gitmem.capture.provenance import refuse_agents
from gitmem.errors import InvalidInput, NotFound
from gitmem.maintenance import purged_copies
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, given
from gitmem.store.memory import memories, sync_rows
from gitmem.sync import exchange, link, record
from gitmem.sync.exchange import Problem, Pulled
from gitmem.sync.incoming import PURGED
from gitmem.sync.link import Remote
from gitmem.sync.outgoing import Outgoing
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

ACTIONS = ("now", "push", "pull", "status", "enable", "disable", "prune")
_WIDTH = 100
_SHOWN = 20
_MIRROR = (
    "{remote} is set up as a mirror: `git push --mirror` deletes the refs of other devices there, "
    "and publishes nothing of yours. Use `git push` with names, or another remote."
)


@dataclass(frozen=True, slots=True)
class Sync:
    """A request to share memories by a remote."""

    action: Annotated[
        str,
        given(
            "now (pull, then push), push, pull, status, enable, disable or prune", choices=ACTIONS
        ),
    ] = "now"
    remote: Annotated[
        str, Arg("The remote of git to share by (default: origin)", metavar="NAME")
    ] = ""
    dry_run: shared.DryRun = False
    yes: Annotated[bool, Arg("enable: do not ask", short="-y")] = False


@dataclass(frozen=True, slots=True)
class SyncItem:
    """A memory or link that leaves or came: ``change`` is send, added, updated, purged or
    conflicts.
    """

    kind: str
    id: str
    title: str
    change: str


@dataclass(frozen=True, slots=True)
class SyncDevice:
    """A device whose records were read; ``accepted`` says that a person here believes it."""

    device: str
    author: str
    accepted: bool
    memories: int


@dataclass(frozen=True, slots=True)
class Synced:
    """What was sent and what came, or how things stand.

    ``lines`` are with ``dry_run`` the records exactly as they would leave, ``staying`` says how
    many memories stay and why, ``waiting`` counts versions that wait in the inbox, ``problems`` is
    what of the remote was refused. ``sent`` counts records; in a dry run and for status, those that
    would be sent.
    """

    action: str
    remote: str
    address: str
    enabled: bool
    device: str
    dry_run: bool = False
    sent: int = 0
    added: int = 0
    updated: int = 0
    purged: int = 0
    conflicts: int = 0
    links: int = 0
    waiting: int = 0
    items: tuple[SyncItem, ...] = ()
    lines: tuple[str, ...] = ()
    staying: tuple[tuple[str, int], ...] = ()
    devices: tuple[SyncDevice, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    pruned: int = 0


def sync(app: App, request: Sync) -> Synced:
    """Share memories with your other clones and your team, by your own git remote.

    Nothing leaves until a person has run `gitmem sync enable`. Then what you wrote or accepted for
    this project travels in refs under refs/gitmem of the remote: no branch, no tag, not in a plain
    push or fetch. Private (by the tag private), working, global and unreviewed memories stay; one
    that holds a secret stops the push. `push --dry-run` prints exactly what would leave. What
    others send is foreign until you accept it. Edits of one memory on two devices are both kept,
    and wait in the inbox. A purged memory is purged on the other devices too when they pull, but a
    clone that has its record keeps it until then; prune takes replaced and purged versions out of
    this device's ref.
    """
    if request.dry_run and request.action not in ("push", "now"):
        raise InvalidInput(f"{request.action} has no --dry-run.", "It goes with push.")
    if request.action == "disable":
        refuse_agents(app, "decide what leaves this machine")
        link.disagree(app)
        return _standing(app, "disable", None)
    if request.action == "status":
        return _status(app, request)
    remote = link.find_remote(app, request.remote)
    if request.action == "enable":
        return _enable(app, remote, yes=request.yes)
    if request.dry_run:
        return _preview(app, remote)
    exchange.check_agreed(app, remote)
    if request.action == "prune":
        before, after = exchange.prune(app, remote)
        return _standing(app, "prune", remote, pruned=before - after, sent=after)
    pulled = exchange.pull(app, remote) if request.action in ("now", "pull") else None
    if pulled and (purged := [id for id, change in pulled.changed if change == PURGED]):
        purged_copies.clean(app, app.store, purged)
    sent = exchange.push(app, remote) if request.action in ("now", "push") else 0
    return _exchanged(app, request.action, remote, pulled, sent)


def _enable(app: App, remote: Remote, *, yes: bool) -> Synced:
    refuse_agents(app, "decide what leaves this machine")
    ready = exchange.preview(app, remote, whole=True)
    count = sum(1 for each in ready.records if each.kind == record.MEMORY)
    if not yes:
        if app.ask is None:
            raise InvalidInput(
                "There is no terminal to confirm on.",
                "Look at what would leave with `gitmem sync push --dry-run`, then add --yes.",
            )
        shown = one_line(remote.shown, len(remote.shown))
        question = (
            f"{quantity(count, 'memory')} would leave now, and later ones as you write them, to "
            f"{shown}, where all who can read that repository can read them. Share them?"
        )
        if not app.ask(question, False):
            return _standing(app, "enable", remote)
    link.agree(app, remote)
    return _standing(app, "enable", remote, sent=len(ready.records))


def _preview(app: App, remote: Remote) -> Synced:
    ready = exchange.preview(app, remote)
    exchange.refuse_blocked(ready.blocked)
    return _standing(
        app,
        "push",
        remote,
        dry_run=True,
        sent=len(ready.records),
        items=_outgoing(app, ready),
        lines=tuple(map(record.to_line, ready.records)),
        staying=tuple(sorted(ready.staying.items())),
    )


def _outgoing(app: App, ready: Outgoing) -> tuple[SyncItem, ...]:
    return tuple(
        SyncItem(each.kind, each.id, _title(app, each.id), "send") for each in ready.records
    )


def _title(app: App, id: str) -> str:
    memory = memories.get_if_undamaged(app.store, id)
    return "" if memory is None else one_line(memory.headline, _WIDTH)


def _status(app: App, request: Sync) -> Synced:
    try:
        remote = link.find_remote(app, request.remote)
    except NotFound:
        return _standing(app, "status", None)
    ready = exchange.preview(app, remote, whole=True)
    blocked = tuple(
        Problem("", each.id, f"It holds a secret, so nothing is sent: {each.title}")
        for each in ready.blocked
    )
    return _standing(
        app,
        "status",
        remote,
        sent=len(ready.records),
        staying=tuple(sorted(ready.staying.items())),
        devices=_devices(app),
        problems=blocked,
    )


def _devices(app: App) -> tuple[SyncDevice, ...]:
    counts = sync_rows.counts_by_device(app.store)
    own = link.progress(app.store).device
    return tuple(
        SyncDevice(row.device, row.author, row.accepted, counts.get(row.device, 0))
        for row in sync_rows.devices(app.store)
        if row.device != own
    )


def _exchanged(app: App, action: str, remote: Remote, pulled: Pulled | None, sent: int) -> Synced:
    if pulled is None:
        return _standing(app, action, remote, sent=sent)
    items = tuple(
        SyncItem("memory", id, _title(app, id), change) for id, change in pulled.changed[:_SHOWN]
    )
    note = (
        "Another store wrote under this device's id (a copied folder, or a backup in use twice): "
        "this store has a new one from now on, and nothing was lost."
    )
    return _standing(
        app,
        action,
        remote,
        sent=sent,
        items=items,
        problems=pulled.problems[:_SHOWN],
        warnings=(note,) if pulled.renamed else (),
        **pulled.counts,
    )


def _standing(
    app: App, action: str, remote: Remote | None, *, warnings: tuple[str, ...] = (), **more: object
) -> Synced:
    """A result with how things stand here, and ``more``."""
    if remote is not None and remote.mirrors:
        warnings = (*warnings, _MIRROR.format(remote=remote.name))
    return Synced(
        action=action,
        remote=remote.name if remote else "",
        address=remote.shown if remote else "",
        enabled=remote is not None and link.is_agreed(app, remote),
        device=link.progress(app.store).device,
        waiting=len(sync_rows.with_states(app.store, (sync_rows.CONFLICT,))),
        warnings=warnings,
        **more,  # type: ignore[arg-type]
    )


def view(result: Synced) -> str:
    """What was sent and what came, a line each; in a dry run the records as they would leave."""
    lines = [*_head(result)]
    lines += [
        f"  {item.change:<9}  {item.id[:12]}  {item.title or item.kind}"
        for item in result.items
        if not result.lines
    ]
    lines += [
        f"refused    {one_line(f'{each.device[:8]} {each.where}', 60)}: {one_line(each.error, 200)}"
        for each in result.problems
    ]
    if result.waiting:
        wait = "waits" if result.waiting == 1 else "wait"
        lines.append(f"{quantity(result.waiting, 'version')} {wait} in the inbox: gitmem inbox")
    lines += [f"warning: {text}" for text in result.warnings]
    return "\n".join([*lines, *result.lines])


def _head(result: Synced) -> list[str]:
    place = one_line(result.address, 200)
    where = f"{result.remote} ({place})" if result.remote else "no remote"
    if result.action == "status":
        return _status_lines(result, where)
    if result.action == "disable":
        return ["Nothing is shared from this repository any more; what was sent stays there."]
    if result.action == "enable":
        if not result.enabled:
            return ["Nothing was changed."]
        send = quantity(result.sent, "record")
        return [f"Shared with {where} from now on. `gitmem sync` sends {send}."]
    if result.action == "prune":
        old, left = quantity(result.pruned, "old record"), quantity(result.sent, "record")
        return [f"removed {old} from this device's ref on {where}; {left} left"]
    if result.dry_run:
        stays = "".join(f", {count} {why}" for why, count in result.staying)
        stays = f" (staying: {stays[2:]})" if stays else ""
        return [f"{quantity(result.sent, 'record')} would leave for {where}{stays}"]
    sent = f"sent {quantity(result.sent, 'record')} to {where}"
    came = (
        f"{result.added} added, {result.updated} updated, {result.purged} purged, "
        f"{quantity(result.links, 'link')}"
    )
    return {"push": [sent], "pull": [f"from {where}: {came}"]}.get(
        result.action, [f"from {where}: {came}", sent]
    )


def _status_lines(result: Synced, where: str) -> list[str]:
    state = "shared" if result.enabled else "not shared: gitmem sync enable"
    lines = [f"remote     {where}, {state}", f"device     {result.device}"]
    lines.append(f"to send    {quantity(result.sent, 'record')}")
    if result.staying:
        lines.append("staying    " + ", ".join(f"{count} {why}" for why, count in result.staying))
    lines += [
        f"device     {each.device[:8]}  {one_line(each.author, 40) or 'nobody named'}  "
        f"{'accepted' if each.accepted else 'foreign'}, {quantity(each.memories, 'record')}"
        for each in result.devices
    ]
    return lines


SYNC = Operation("sync", sync, view, WRITE, "status")
