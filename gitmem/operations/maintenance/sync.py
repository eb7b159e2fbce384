"""Sharing memories by the user's own git remote."""

from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.clock import format_iso
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.maintenance import purged_copies, schedule
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.store.db import projects
from gitmem.store.memory import memories, sync_rows
from gitmem.sync import acceptance, exchange, link, record, review
from gitmem.sync.exchange import PullResult, SyncProblem
from gitmem.sync.incoming import PURGED
from gitmem.sync.link import SyncRemote
from gitmem.sync.outgoing import OutgoingRecords
from gitmem.sync.review import ReceivedMemory
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

ACTIONS = ("now", "push", "pull", "review", "status", "enable", "disable", "prune", "auto")
_WIDTH = 100
# Seconds that a remote may take to answer in the background.
_PATIENCE = 20.0
_LAST = "sync_last"
_SHOWN = 20
_MIRROR = (
    "{remote} is set up as a mirror: `git push --mirror` deletes the refs of other devices there, "
    "and publishes nothing of yours. Use `git push` with names, or another remote."
)


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Arguments of `gitmem sync`, which shares memories by a git remote: ``action`` is what to do.

    ``remote`` is the name of the remote (empty: origin); ``limit`` and ``offset`` choose the page
    that ``review`` lists, ``yes`` lets ``enable`` ask nothing.
    """

    action: Annotated[
        str,
        positional_arg(
            "now (pull, then push), push, pull, review (what came), status, enable, disable, "
            "prune, or auto (as now, if sync.auto is set)",
            choices=ACTIONS,
        ),
    ] = "now"
    remote: Annotated[
        str, Arg("The remote of git to share by (default: origin)", metavar="NAME")
    ] = ""
    dry_run: shared.DryRun = False
    yes: Annotated[bool, Arg("enable: do not ask", short="-y")] = False
    limit: shared.Limit = 20
    offset: shared.Offset = 0


@dataclass(frozen=True, slots=True)
class SyncedChangeItem:
    """A memory or link that sharing sent or received: what happened to it (``change``).

    That is send, added, updated, purged or conflicts; ``trust`` is how far it is trusted here.
    """

    kind: str
    id: str
    title: str
    change: str
    trust: str = ""


@dataclass(frozen=True, slots=True)
class SyncDevice:
    """Another clone whose shared memories were read; ``accepted``: a person here believes it.

    ``signature`` is verified, unverified or bad; ``key`` is the fingerprint of the key that signs.
    """

    device: str
    author: str
    accepted: bool
    memories: int
    signature: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What `gitmem sync` sent and received, or, for status, how things stand.

    ``lines`` are with ``dry_run`` the records exactly as they would be sent, ``staying`` says how
    many memories stay and why, ``waiting`` counts versions that wait in the inbox, ``problems`` is
    what of the remote was refused. ``sent`` counts records; in a dry run and for status, those that
    would be sent. For review ``received`` is a page of the ``total`` memories that came. ``last``
    is what automatic sharing did the last time.
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
    items: tuple[SyncedChangeItem, ...] = ()
    lines: tuple[str, ...] = ()
    staying: tuple[tuple[str, int], ...] = ()
    devices: tuple[SyncDevice, ...] = ()
    problems: tuple[SyncProblem, ...] = ()
    warnings: tuple[str, ...] = ()
    pruned: int = 0
    received: tuple[ReceivedMemory, ...] = ()
    total: int = 0
    last: str = ""


def sync_memories(app: App, request: SyncRequest) -> SyncResult:
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
        raise InvalidInput(
            f"`gitmem sync {request.action}` has no --dry-run.", "Use: gitmem sync push --dry-run"
        )
    if request.action == "disable":
        require_person(app, "decide what leaves this machine")
        link.withdraw_sharing_agreement(app)
        return _standing(app, "disable", None)
    if request.action == "status":
        return _status(app, request)
    if request.action == "review":
        page, total = review.received_memories(app, request.limit, request.offset)
        return _standing(app, "review", None, received=page, total=total)
    if request.action == "auto":
        return _auto(app, request)
    remote = link.find_sync_remote(app, request.remote)
    if request.action == "enable":
        return _enable(app, remote, yes=request.yes)
    if request.dry_run:
        return _preview(app, remote)
    exchange.check_sharing_agreed(app, remote)
    if request.action == "prune":
        before, after = exchange.prune_device_ref(app, remote)
        return _standing(app, "prune", remote, pruned=before - after, sent=after)
    return _exchange(app, request.action, remote)


def _exchange(app: App, action: str, remote: SyncRemote, timeout: float = 60.0) -> SyncResult:
    pulled = (
        exchange.pull_records(app, remote, timeout=timeout) if action in ("now", "pull") else None
    )
    if pulled and (purged := [id for id, change in pulled.changed if change == PURGED]):
        purged_copies.purge_memories_from_all_copies(app, app.store, purged)
    sent = exchange.push_records(app, remote, timeout=timeout) if action in ("now", "push") else 0
    return _exchanged(app, action, remote, pulled, sent)


def _auto(app: App, request: SyncRequest) -> SyncResult:
    """Pull and push in the background, at most once a minute; what came of it is noted."""
    with app.store.write():
        if not schedule.is_sync_due(app, at_session_start=True):
            return _standing(app, "auto", None)
        projects.set_meta(app.store, schedule.SHARING, str(app.now))
    done = None
    try:
        remote = link.find_sync_remote(app, request.remote)
        exchange.check_sharing_agreed(app, remote)
        done = _exchange(app, "now", remote, _PATIENCE)
        last = f"{done.added} added, {done.updated} updated, {done.purged} purged, {done.sent} sent"
    except GitmemError as error:
        last = one_line(error.message, _WIDTH)
    with app.store.write():
        name = done.remote if done else ""
        projects.set_meta(app.store, schedule.SHARING, f"{app.now} {name}".strip())
        projects.set_meta(app.store, _LAST, f"{format_iso(app.now)}: {last}")
    return _standing(app, "auto", None)


def _enable(app: App, remote: SyncRemote, *, yes: bool) -> SyncResult:
    require_person(app, "decide what leaves this machine")
    ready = exchange.preview_push(app, remote, include_unchanged=True)
    count = sum(1 for each in ready.records if each.kind == record.MEMORY)
    if not yes:
        if app.ask is None:
            raise InvalidInput(
                "There is no terminal to confirm on.",
                "See what would be sent with `gitmem sync push --dry-run`, then add --yes.",
            )
        shown = one_line(remote.display_url, len(remote.display_url))
        question = (
            f"{quantity(count, 'memory')} would leave now, and later ones as you write them, to "
            f"{shown}, where all who can read that repository can read them. Share them?"
        )
        if not app.ask(question, False):
            return _standing(app, "enable", remote)
    link.record_sharing_agreement(app, remote)
    return _standing(app, "enable", remote, sent=len(ready.records))


def _preview(app: App, remote: SyncRemote) -> SyncResult:
    ready = exchange.preview_push(app, remote)
    exchange.check_no_secrets_blocked(ready.blocked)
    return _standing(
        app,
        "push",
        remote,
        dry_run=True,
        sent=len(ready.records),
        items=_outgoing(app, ready),
        lines=tuple(map(record.record_as_line, ready.records)),
        staying=tuple(sorted(ready.staying.items())),
    )


def _outgoing(app: App, ready: OutgoingRecords) -> tuple[SyncedChangeItem, ...]:
    return tuple(
        SyncedChangeItem(each.kind, each.id, _title(app, each.id), "send") for each in ready.records
    )


def _title(app: App, id: str) -> str:
    memory = memories.get_undamaged_memory(app.store, id)
    return "" if memory is None else one_line(memory.headline, _WIDTH)


def _status(app: App, request: SyncRequest) -> SyncResult:
    try:
        remote = link.find_sync_remote(app, request.remote)
    except NotFound:
        if request.remote:
            raise
        return _standing(app, "status", None)
    ready = exchange.preview_push(app, remote, include_unchanged=True)
    blocked = tuple(
        SyncProblem("", each.id, f"It holds a secret, so nothing is sent: {each.title}")
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
    return tuple(
        SyncDevice(each.device, each.author, each.accepted, each.records, each.signature, each.key)
        for each in acceptance.list_remote_devices(app)
    )


def _exchanged(
    app: App, action: str, remote: SyncRemote, pulled: PullResult | None, sent: int
) -> SyncResult:
    if pulled is None:
        return _standing(app, action, remote, sent=sent)
    items = tuple(_changed_item(app, id, change) for id, change in pulled.changed[:_SHOWN])
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


def _changed_item(app: App, id: str, change: str) -> SyncedChangeItem:
    memory = memories.get_undamaged_memory(app.store, id)
    if memory is None:
        return SyncedChangeItem("memory", id, "", change)
    title = one_line(memory.headline, _WIDTH)
    return SyncedChangeItem("memory", id, title, change, memory.trust_tier)


def _standing(
    app: App,
    action: str,
    remote: SyncRemote | None,
    *,
    warnings: tuple[str, ...] = (),
    **more: object,
) -> SyncResult:
    """A result with how things stand here, and ``more``."""
    if remote is not None and remote.mirrors:
        warnings = (*warnings, _MIRROR.format(remote=remote.name))
    return SyncResult(
        action=action,
        remote=remote.name if remote else "",
        address=remote.display_url if remote else "",
        enabled=remote is not None and link.is_sharing_agreed(app, remote),
        device=link.read_sync_progress(app.store).device,
        waiting=len(sync_rows.sync_records_in_states(app.store, (sync_rows.CONFLICT,))),
        last=projects.get_meta(app.store, _LAST) or "",
        warnings=warnings,
        **more,  # type: ignore[arg-type]
    )


def view(result: SyncResult) -> str:
    """Return the text to print: what was sent and received, in a dry run the records to send."""
    if result.action == "review":
        return _review(result)
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
    if any(item.trust == "foreign" for item in result.items):
        lines.append(f"Foreign until you accept it: gitmem trust --remote {result.remote}")
    lines += [f"warning: {text}" for text in result.warnings]
    return "\n".join([*lines, *result.lines])


def _review(result: SyncResult) -> str:
    """A page of what came, by device, as a difference."""
    lines, head = list[str](), ""
    for item in result.received:
        signed = " ".join(filter(None, (item.signature, item.key)))
        who = f"from {item.author or 'nobody named'} (device {item.device[:8]}, {signed})"
        if who != head:
            lines.append(head := who)
        waits = ", waits for you" if item.waits else ""
        title = item.title or "a memory that is not here"
        lines.append(f"  {item.change:<8} {item.id[:12]}  {title}  [{item.trust or 'gone'}{waits}]")
        lines += [f"    {line}" for line in item.lines]
    lines.append(f"{len(result.received)} of {quantity(result.total, 'memory')} that came")
    mine = [item.change == review.GONE or item.trust != "foreign" for item in result.received
            if item.waits]  # fmt: skip
    if not all(mine):
        lines.append("To accept one: gitmem trust ID; a whole remote: gitmem trust --remote NAME")
    if any(mine):
        lines.append("To settle an edit or a purge of what is here: gitmem inbox")
    return "\n".join(lines)


def _head(result: SyncResult) -> list[str]:
    place = one_line(result.address, 200)
    where = f"{result.remote} ({place})" if result.remote else "no remote"
    if result.action == "status":
        return _status_lines(result, where)
    if result.action == "auto":
        return [result.last or "Nothing is shared by itself: gitmem config sync.auto 1"]
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


def _status_lines(result: SyncResult, where: str) -> list[str]:
    state = "shared" if result.enabled else "not shared: gitmem sync enable"
    if not result.remote:
        where, state = "none to share by", "add one: git remote add origin ADDRESS"
    lines = [f"remote     {where}, {state}", f"device     {result.device}"]
    lines.append(f"to send    {quantity(result.sent, 'record')}")
    if result.last:
        lines.append(f"by itself  {result.last}")
    if result.staying:
        lines.append("staying    " + ", ".join(f"{count} {why}" for why, count in result.staying))
    lines += [
        f"device     {each.device[:8]}  {one_line(each.author, 40) or 'nobody named'}  "
        f"{'accepted' if each.accepted else 'foreign'}, {quantity(each.memories, 'record')}, "
        f"{each.signature}"
        for each in result.devices
    ]
    return lines


SYNC = Operation("sync", sync_memories, view, WRITE, "status")
