"""Pushing and pulling: the store, the repository of records and the remote, in this order.

What was changed is first written as records into the repository of this store, then fetched records
are taken, then the device's own ref is pushed. A process that is killed in between leaves a state
from which the next run goes on: a ref that is ahead of the store is read like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from gitmem.app import App
from gitmem.errors import Conflict, GitmemError, InvalidInput, Unavailable
from gitmem.git.commit_signature import CommitSignature
from gitmem.git.config import commit_user_name
from gitmem.git.log_output import author_without_email
from gitmem.git.record_repository import SharedMemoryBlob, SharedMemoryRepository
from gitmem.model.frozen import dataclass, replace
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes, sync_rows
from gitmem.store.memory.sync_rows import SyncDeviceRow
from gitmem.sync import belief, link, merge, outgoing, segment
from gitmem.sync.incoming import ArrivedRecord, RecordImport
from gitmem.sync.link import SyncProgress, SyncRemote
from gitmem.sync.outgoing import BlockedItem, OutgoingRecords, row_to_record_node
from gitmem.sync.record import SyncRecord, is_device_id

TRIES = 4
# Devices of one remote, and bytes of records that one pull reads.
MAX_DEVICES = 500
MAX_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class SyncProblem:
    """Something that another device sent and that was refused, with the reason in ``error``.

    ``device`` is its id (empty: none), ``where`` names the record, git blob or ref.
    """

    device: str
    where: str
    error: str


@dataclass(frozen=True, slots=True)
class PullResult:
    """What fetching and storing the memories of other devices changed.

    ``counts`` maps added, updated, purged, conflicts and links to numbers, ``changed`` are pairs
    (memory id, one of these words), ``devices`` the ids of devices with something new. ``renamed``
    says that another store used this device's id, so that this one took a new id.
    """

    counts: Mapping[str, int]
    changed: tuple[tuple[str, str], ...]
    problems: tuple[SyncProblem, ...]
    devices: tuple[str, ...]
    renamed: bool


def check_sharing_agreed(app: App, remote: SyncRemote) -> None:
    """Raise Conflict unless a person agreed that memories go to this remote's address."""
    if link.is_sharing_agreed(app, remote):
        return
    changed = bool(link.read_sharing_agreement(app))
    raise Conflict(
        "The remote is another than the one you agreed to share with."
        if changed
        else "Nothing is shared from this repository: you have not agreed to it.",
        f"See what would leave: gitmem sync push --dry-run. Then: gitmem sync enable --remote "
        f"{remote.name}",
    )


def preview_push(
    app: App, remote: SyncRemote, *, include_unchanged: bool = False
) -> OutgoingRecords:
    """Return what ``push_records`` would send to a remote; nothing is sent or stored.

    ``include_unchanged`` also counts, by reason, the memories that stay here and did not change
    since the last push.
    """
    progress = link.read_sync_progress(app.store)
    ready = outgoing.prepare_outgoing_records(
        app, app.store, progress, include_unchanged=include_unchanged
    )
    if not link.has_record_repository(app):
        return ready
    repository = link.open_record_repository(app)
    written = [
        record
        for blob in _unsent(repository, remote, progress.device)
        for record in segment.parse_segment(blob, app.store.key, device=progress.device).records
    ]
    return replace(ready, records=(*written, *ready.records))


def _unsent(repository: SharedMemoryRepository, remote: SyncRemote, device: str) -> list[bytes]:
    """The segments of this device's own ref that the remote does not have yet."""
    if not (own := repository.device_tip(device)):
        return []
    tip = repository.fetched_device_tips(remote.name).get(device, "")
    return [
        blob.content
        for blob in repository.shared_memory_blobs([own], [tip])
        if blob.content is not None
    ]


def pull_records(app: App, remote: SyncRemote, *, timeout: float = 60.0) -> PullResult:
    """Fetch what all devices of a remote share and store it; return what changed.

    ``timeout`` is in seconds. Raises Unavailable if the remote cannot be reached.
    """
    repository = link.open_record_repository(app)
    repository.fetch_devices(remote.url, remote.name, timeout=timeout)
    # What was changed here and not yet shared becomes records first: else it would seem older.
    with suppress(Conflict):
        write_changes_as_records(app, repository, remote)
    return store_fetched_records(app, repository, remote.name)


def push_records(app: App, remote: SyncRemote, *, timeout: float = 60.0) -> int:
    """Send this store's memories that are not on the remote yet; return the number of records.

    ``timeout`` is in seconds. Raises Conflict if a memory holds a secret, Unavailable if the remote
    refuses or its ref of this device keeps moving.
    """
    repository = link.open_record_repository(app)
    write_changes_as_records(app, repository, remote)
    for _ in range(TRIES):
        device = link.read_sync_progress(app.store).device
        if not repository.device_tip(device):
            return 0
        waiting = _unsent(repository, remote, device)
        if waiting:
            _sign(app, repository)
        if repository.push_device(remote.push_url, remote.name, device, timeout=timeout):
            return sum(content.count(b"\n") - 1 for content in waiting)
        # The ref has moved there: this store was restored from a backup, or has a copy elsewhere.
        repository.fetch_devices(remote.url, remote.name, timeout=timeout)
        store_fetched_records(app, repository, remote.name)
        _bring_together(app, repository, remote.name)
        write_changes_as_records(app, repository, remote)
    raise Unavailable(
        f"The remote's ref of this device moved {TRIES} times while it was pushed.",
        "Another process shares at the same time. Nothing is lost; run `gitmem sync push` again.",
    )


def write_changes_as_records(
    app: App, repository: SharedMemoryRepository, remote: SyncRemote
) -> int:
    """Write memories and links changed since the last time as records; return their number.

    They are committed to ``repository`` (the store's own git repository for sharing); nothing is
    sent. Raises Conflict, naming the memories, if any of them holds a secret.
    """
    database = app.store
    author = author_name(app)
    _restore_lost(app, repository, remote)
    with database.write():
        before = link.read_sync_progress(database)
        ready = outgoing.prepare_outgoing_records(app, database, before)
        check_no_secrets_blocked(ready.blocked)
        if not ready.records:
            if ready.progress != before:
                link.save_sync_progress(database, replace(ready.progress, counter=before.counter))
            return 0
        segments = segment.make_segments(
            ready.records, device=before.device, author=author, seal_key=database.key
        )
        parents = [tip] if (tip := repository.device_tip(before.device)) else []
        signed = _signed(author, before.device)
        tip = repository.commit_memory_records(
            before.device, segments, parents=parents, author=signed, at_ms=app.now
        )
        outgoing.store_outgoing_records(database, ready, tip)
    return len(ready.records)


def _sign(app: App, repository: SharedMemoryRepository) -> None:
    """Sign this device's own ref, if the user signs."""
    device = link.read_sync_progress(app.store).device
    own = repository.device_tip(device)
    signed = belief.sign_device_ref(app, repository, device, own, _signed(author_name(app), device))
    if signed != own:
        with app.store.write():
            link.save_sync_progress(
                app.store, replace(link.read_sync_progress(app.store), tip=signed)
            )


def author_name(app: App) -> str:
    """Return git's configured user name, without address, or ``somebody`` if there is none."""
    try:
        return author_without_email(commit_user_name(app.layout)) or "somebody"
    except GitmemError:
        return "somebody"


def _signed(author: str, device: str) -> str:
    plain = "".join(letter for letter in author if letter.isprintable() and letter not in "<>")
    return f"{plain} <{device[:8]}@gitmem.invalid>"


def _restore_lost(app: App, repository: SharedMemoryRepository, remote: SyncRemote) -> None:
    """Where the repository of records was lost, go on from what the remote has of this device.

    What had not been sent is then not known any more, so that it is written again.
    """
    before = link.read_sync_progress(app.store)
    if not before.tip or repository.device_tip(before.device):
        return
    repository.fetch_devices(remote.url, remote.name)
    remote_tip = repository.fetched_device_tips(remote.name).get(before.device, "")
    if remote_tip:
        repository.set_device_tip(before.device, remote_tip)
        if repository.history_contains(remote_tip, before.tip):
            return
    with app.store.write():
        sync_rows.delete_all_sync_records(app.store)
        link.save_sync_progress(app.store, SyncProgress(before.device))
    store_fetched_records(app, repository, remote.name)


def check_no_secrets_blocked(blocked: Sequence[BlockedItem]) -> None:
    """Raise Conflict, naming the first five, if there are items ``blocked`` for a secret."""
    if blocked:
        titles = ", ".join(f"{item.id[:12]} ({item.title[:60]})" for item in blocked[:5])
        raise Conflict(
            f"Nothing was sent, since it would hold a secret: {titles}.",
            f"Write it without: gitmem revise {(id := blocked[0].id[:12])} TEXT, or keep it here: "
            f"gitmem revise {id} --tag private",
        )


def store_fetched_records(
    app: App, repository: SharedMemoryRepository, remote: str, *, reimport_existing: bool = False
) -> PullResult:
    """Store the records fetched from ``remote``, and this device's own; return what changed.

    Records stored before are skipped unless ``reimport_existing``, which judges all of them again.
    """
    database = app.store
    progress = link.read_sync_progress(database)
    known = {row.device: row for row in sync_rows.list_sync_devices(database)}
    tips, problems = _tips(repository, remote)
    own = repository.device_tip(progress.device)
    read_own = partial(_read, repository, database.key, progress.device, own)
    arrivals, reached, renamed = list[ArrivedRecord](), dict[str, tuple[str, str]](), False
    room = MAX_BYTES
    fresh = [
        tip for device, tip in tips.items() if reimport_existing or tip != _read_to(known, device)
    ]
    signatures = belief.read_tip_signatures(repository, fresh)
    for device, tip in tips.items():
        read_to = "" if reimport_existing else _read_to(known, device)
        if tip == read_to or (device == progress.device and tip == own == progress.tip):
            continue
        if why := belief.why_device_is_refused(known.get(device), signatures[tip]):
            problems.append(SyncProblem(device, tip[:12], why))
            continue
        without = [read_to, *([progress.tip] if device == progress.device else [])]
        try:
            part, author, size = _read(
                repository, database.key, device, tip, without, problems, room
            )
        except GitmemError as error:  # it is read again the next time
            problems.append(SyncProblem(device, tip[:12], error.as_sentences()))
            continue
        room -= size
        renamed |= device == progress.device and not all(arrival.sealed for arrival in part)
        arrivals += part
        reached[device] = (tip, author)
    if own and own != progress.tip:
        part, *_ = read_own([progress.tip], problems, room)
        arrivals += [arrival for arrival in part if arrival.sealed]
    renamed = renamed or _collides(database, progress.device, arrivals)
    fetched = {device: signatures[tip] for device, (tip, _) in reached.items()}
    trusted = belief.trusted_device_ids(app, known.values(), fetched)
    intake = RecordImport(app, remote, trusted, "" if renamed else progress.device)
    intake.store_records(database, arrivals, reimport_existing=reimport_existing)
    with database.write():
        _note_devices(app, remote, reached, signatures)
        if renamed:
            unsent, *_ = read_own([tips.get(progress.device, "")], problems, room)
            _take_new_id(app, unsent)
        elif own and own != progress.tip:
            link.save_sync_progress(database, replace(progress, tip=own))
    if intake.compact:
        memory_writes.erase_deleted_text_from_file(database)
        _compact(app, repository)
    problems += [
        SyncProblem(refused.device, refused.id, refused.error) for refused in intake.refused
    ]
    devices = tuple(device for device in reached if device != progress.device)
    return PullResult(intake.counts, tuple(intake.changed), tuple(problems), devices, renamed)


def _take_new_id(app: App, unsent: Iterable[ArrivedRecord]) -> None:
    """Go on under a new id; what was not sent under the old one is written again under it."""
    sync_rows.delete_sync_records(app.store, (arrival.record.hash for arrival in unsent))
    link.save_sync_progress(app.store, SyncProgress(app.entropy(16).hex()))


def _note_devices(
    app: App,
    remote: str,
    reached: Mapping[str, tuple[str, str]],
    signatures: Mapping[str, CommitSignature],
) -> None:
    """Store the tip, author and signature up to which each device was read."""
    for device, (tip, author) in reached.items():
        signature = signatures[tip].state, signatures[tip].key
        sync_rows.save_device_progress(
            app.store,
            device,
            remote=remote,
            author=author,
            last_read_commit=tip,
            signature_state_and_key=signature,
            at_ms=app.now,
        )


def _read_to(known: Mapping[str, SyncDeviceRow], device: str) -> str:
    return known[device].tip if device in known else ""


def _tips(
    repository: SharedMemoryRepository, remote: str
) -> tuple[dict[str, str], list[SyncProblem]]:
    """The fetched devices with their tips, and refs that no device of gitmem's has."""
    tips, problems = dict[str, str](), list[SyncProblem]()
    for device, tip in sorted(repository.fetched_device_tips(remote).items()):
        if not is_device_id(device):
            problems.append(SyncProblem("", device[:80], "The ref is not of a device of gitmem's."))
        elif len(tips) == MAX_DEVICES:
            problems.append(SyncProblem(device, "", f"Only {MAX_DEVICES} devices are read."))
        else:
            tips[device] = tip
    return tips, problems


def _read(
    repository: SharedMemoryRepository,
    key: bytes,
    device: str,
    tip: str,
    without: Sequence[str],
    problems: list[SyncProblem],
    room: int,
) -> tuple[list[ArrivedRecord], str, int]:
    """The new records of a device, the author it names, and the number of bytes read.

    What cannot be read is added to ``problems``. Raises Unavailable where the ref itself cannot.
    """
    arrivals, author, size = list[ArrivedRecord](), "", 0
    for blob in repository.shared_memory_blobs([tip], without):
        if blob.content is None or size + blob.size > room:
            problems.append(SyncProblem(device, blob.id[:12], _why_unread(blob)))
            continue
        size += blob.size
        try:
            part = segment.parse_segment(blob.content, key, device=device)
        except InvalidInput as error:
            problems.append(SyncProblem(device, blob.id[:12], error.as_sentences()))
            continue
        author = part.author or author
        arrivals += [ArrivedRecord(record, part.author, part.sealed) for record in part.records]
        problems += [
            SyncProblem(device, f"{blob.id[:12]} line {problem.line}", problem.error)
            for problem in part.problems
        ]
    return arrivals, author, size


def _why_unread(blob: SharedMemoryBlob) -> str:
    if blob.content is not None:
        return f"More than {MAX_BYTES >> 20} MB of records: the rest is left out."
    if blob.size:
        return f"It is {blob.size >> 20} MB, too large to be records; it was not read."
    return "It is missing in what the remote sent."


def _collides(database: Database, device: str, arrivals: Sequence[ArrivedRecord]) -> bool:
    nodes = [arrival.record.without_body for arrival in arrivals if arrival.record.device == device]
    used = sync_rows.record_hashes_by_counter(database, device, (node.counter for node in nodes))
    return merge.is_device_id_reused(device, used, nodes)


def _bring_together(app: App, repository: SharedMemoryRepository, remote: str) -> None:
    """Make the device's own ref contain what the remote has of it."""
    progress = link.read_sync_progress(app.store)
    own = repository.device_tip(progress.device)
    remote_tip = repository.fetched_device_tips(remote).get(progress.device, "")
    if not remote_tip or not own or repository.history_contains(own, remote_tip):
        return
    if repository.history_contains(remote_tip, own):
        repository.set_device_tip(progress.device, tip := remote_tip)
    else:
        author = _signed("gitmem", progress.device)
        tip = repository.commit_memory_records(
            progress.device, (), parents=(own, remote_tip), author=author, at_ms=app.now
        )
    with app.store.write():
        link.save_sync_progress(app.store, replace(link.read_sync_progress(app.store), tip=tip))


def prune_device_ref(app: App, remote: SyncRemote, *, timeout: float = 60.0) -> tuple[int, int]:
    """Rewrite what this device shares so that only current versions remain in its git history.

    Purged and replaced text is then gone from this device's ref, here and on the remote. Returns
    the number of records (before, after). ``timeout`` is in seconds. Raises Conflict if a memory
    holds a secret, Unavailable if the remote refuses.
    """
    repository = link.open_record_repository(app)
    pull_records(app, remote, timeout=timeout)
    write_changes_as_records(app, repository, remote)
    device = link.read_sync_progress(app.store).device
    own = repository.device_tip(device)
    if not own:
        return 0, 0
    _bring_together(app, repository, remote.name)
    lease = repository.fetched_device_tips(remote.name).get(device, "")
    written = {
        record.hash: record
        for blob in repository.shared_memory_blobs([own, *([lease] if lease else [])], ())
        if blob.content is not None
        for record in segment.parse_segment(blob.content, app.store.key, device=device).records
    }
    standing = _in_force(app.store, written)
    left = [record for record in written.values() if record.hash in standing]
    author = author_name(app)
    segments = segment.make_segments(
        sorted(left, key=lambda each: each.counter),
        device=device,
        author=author,
        seal_key=app.store.key,
    )
    signed = _signed(author, device)
    tip = repository.commit_memory_records(
        device, segments, parents=None, author=signed, at_ms=app.now
    )
    tip = belief.sign_device_ref(app, repository, device, tip, signed)
    if not repository.push_device(
        remote.push_url, remote.name, device, expected_remote_tip=lease, timeout=timeout
    ):
        repository.set_device_tip(device, own)
        raise Unavailable(
            "The remote's ref of this device moved meanwhile, and was left as it is.",
            "Run `gitmem sync prune` again.",
        )
    with app.store.write():
        link.save_sync_progress(app.store, replace(link.read_sync_progress(app.store), tip=tip))
    _compact(app, repository)
    return len(written), len(left)


def _compact(app: App, repository: SharedMemoryRepository) -> None:
    """Delete what no ref leads to; meanwhile no other process may write records."""
    with app.store.write():
        repository.delete_unreferenced_objects()


def _in_force(database: Database, written: Mapping[str, SyncRecord]) -> set[str]:
    """Which records are tombstones, or versions that nothing replaces and nothing ended.

    Only this device's own records and those of accepted ones replace or end its own.
    """
    rows = sync_rows.sync_records_by_id(database, {record.id for record in written.values()})
    believed = {row.device for row in sync_rows.list_sync_devices(database) if row.accepted}
    believed.add(link.read_sync_progress(database).device)
    standing = set[str]()
    for group in rows.values():
        nodes = merge.merge_records(
            {row.hash: row_to_record_node(row) for row in group if row.device in believed}
        )
        standing |= {node.hash for node in merge.unreplaced_records(nodes.values())}
    return standing
