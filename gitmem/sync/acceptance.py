"""Accepting the devices of a remote: a person says whom to believe, for what came and comes."""

from __future__ import annotations

from collections.abc import Collection

from gitmem.app import App
from gitmem.capture.change import Usage, edit_memories
from gitmem.errors import Unavailable
from gitmem.git.commit_signature import BAD, CommitSignature
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.memory import sync_rows
from gitmem.store.memory.sync_rows import CURRENT
from gitmem.sync import belief, bodies, exchange, link, record, team
from gitmem.sync.exchange import SyncProblem
from gitmem.sync.link import SyncRemote
from gitmem.sync.record import MEMORY


@dataclass(frozen=True, slots=True)
class CandidateDevice:
    """Another copy of the store that shares memories by a remote, for a person to accept or not.

    ``device`` is its id, ``signature`` the state of its commits' signature and ``key`` the
    fingerprint of that key; ``accepted`` says that it is believed already, ``proposed`` is its name
    in the file ``.gitmem-team`` (empty: none), and ``records`` is the number of records that came
    from it.
    """

    device: str
    author: str
    signature: str
    key: str
    accepted: bool
    proposed: str
    records: int


def list_remote_devices(app: App, remote: str = "") -> tuple[CandidateDevice, ...]:
    """Return the other devices whose memories were fetched from a remote.

    A device is a copy of the store on some machine. ``remote`` is the name of a git remote; empty
    means all remotes.
    """
    own, counts = (
        link.read_sync_progress(app.store).device,
        sync_rows.record_counts_by_device(app.store),
    )
    rows = [row for row in sync_rows.list_sync_devices(app.store) if row.device != own]
    proposed, accepted = team.read_team_file(app), belief.trusted_device_ids(app, rows, {})
    return tuple(
        CandidateDevice(
            row.device,
            row.author,
            row.signature,
            row.signer,
            row.device in accepted,
            proposed.name_of_device(row.device, CommitSignature(row.signature, row.signer)),
            counts.get(row.device, 0),
        )
        for row in rows
        if remote in ("", row.remote)
    )


def fetch_records_as_foreign(app: App, remote: SyncRemote) -> tuple[SyncProblem, ...]:
    """Fetch the memories that a remote's devices share; return what was refused, and why.

    Memories of devices that no person accepted are stored as foreign: they are shown only on
    request. Nothing is sent. Raises Unavailable if the remote cannot be reached and nothing was
    fetched before.
    """
    try:
        return exchange.pull_records(app, remote).problems
    except Unavailable as error:
        if not list_remote_devices(app, remote.name):
            raise
        return (SyncProblem("", remote.name, error.message),)


def accept_devices(
    app: App, remote: SyncRemote, device_ids: Collection[str], *, accepted: bool
) -> int:
    """Save that a person believes some devices, or with ``accepted`` false no longer does.

    ``device_ids`` are ids of stores on other machines that share by ``remote``; one that signs is
    believed only while the same key signs. Returns the number of memories whose trust changed.
    """
    repository = link.open_record_repository(app)
    fetched = repository.fetched_device_tips(remote.name)
    tips = {device: fetched[device] for device in device_ids if device in fetched}
    signatures = belief.read_tip_signatures(repository, tips.values())
    with app.store.write():
        for device in device_ids:
            signature = signatures.get(tips.get(device, ""), CommitSignature())
            key = signature.key if accepted and signature.state != BAD else ""
            sync_rows.set_device_accepted(app.store, device, accepted=accepted, key=key)
    return apply_device_trust(app, remote.name, device_ids)


def apply_device_trust(app: App, remote: str, rejected_device_ids: Collection[str] = ()) -> int:
    """Set the trust of the memories that came from other devices; return how many changed.

    They become accepted if their device (a store elsewhere) is, and foreign (not accepted) again if
    it is in ``rejected_device_ids``. ``remote`` is the name of the git remote.
    """
    exchange.store_fetched_records(
        app, link.open_record_repository(app), remote, reimport_existing=True
    )
    accepted = belief.trusted_device_ids(app, sync_rows.list_sync_devices(app.store), {})
    raised = _set_tier(app, accepted, "foreign", "accepted")
    return raised + _set_tier(app, set(rejected_device_ids) - accepted, "accepted", "foreign")


def _set_tier(app: App, devices: Collection[str], old: str, new: str) -> int:
    """Trust memories as their devices, where what is here is exactly what the device sent."""
    content = {
        row.id: row.content
        for row in sync_rows.sync_records_in_states(app.store, (CURRENT,), MEMORY)
        if row.device in devices
    }

    def with_device_trust(memory: Memory, _: Usage) -> Memory:
        same = (
            record.text_and_content_digests(bodies.record_body_of_memory(memory, ()))[1]
            == content[memory.id]
        )
        return replace(memory, trust=new) if same and memory.trust_tier == old else memory

    return len(edit_memories(app, app.store, sorted(content), with_device_trust, new).changed)
