"""Which devices are believed: those that a person accepted, by themselves or by the team file.

A signature alone makes nobody believed. But a device that was accepted while its records were
signed is believed for as long as that key signs them: a remote that lets others push to its ref
does not let them speak in its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gitmem.app import App
from gitmem.git import commit_signature
from gitmem.git.commit_signature import CommitSignature
from gitmem.git.record_repository import SharedMemoryRepository
from gitmem.store.memory.sync_rows import SyncDeviceRow
from gitmem.sync import team


def read_tip_signatures(
    repository: SharedMemoryRepository, tips: Collection[str]
) -> dict[str, CommitSignature]:
    """Return for each commit id in ``tips`` how that commit is signed.

    A tip is the last commit of a device's ref (a device is a copy of the store); its signature
    vouches for all commits below it.
    """
    checked = commit_signature.check_signatures(repository.path, tuple(tips))
    return {tip: checked.get(tip, CommitSignature()) for tip in tips}


def why_device_is_refused(device_row: SyncDeviceRow | None, signature: CommitSignature) -> str:
    """Return a message why nothing more is read from a device; empty if it may be read.

    It is refused if a person accepted it with a signing key, and ``signature`` (of what it sends
    now) is by another key or missing. ``device_row`` is what the store knows of it, None if
    nothing.
    """
    if (
        device_row is None
        or not device_row.accepted
        or not device_row.key
        or signature.key == device_row.key
    ):
        return ""
    how = f"signed by another key ({signature.key})" if signature.key else "not signed"
    return (
        f"It was accepted with the key {device_row.key}, and what it sends now is {how}: "
        "nothing of that "
        "was read. If that is right, accept it anew: gitmem trust --remote NAME"
    )


def trusted_device_ids(
    app: App, rows: Iterable[SyncDeviceRow], tip_signatures: Mapping[str, CommitSignature]
) -> set[str]:
    """Return the ids of the devices that a person accepted, or that an accepted team file names.

    ``rows`` are the devices in the store; ``tip_signatures`` maps device ids to signatures just
    fetched, which replace the stored ones.
    """
    proposed = team.read_team_file(app)
    by_team = team.is_team_file_accepted(app, proposed)
    stored_signatures = {row.device: CommitSignature(row.signature, row.signer) for row in rows}
    every = {**stored_signatures, **tip_signatures}
    accepted = {row.device for row in rows if row.accepted}
    if by_team:
        accepted |= {device for device in every if proposed.name_of_device(device, every[device])}
    return accepted


def sign_device_ref(
    app: App, repository: SharedMemoryRepository, device: str, tip_commit: str, author: str
) -> str:
    """Sign what this device shares, if the user signs; return the last commit of its ref.

    That is a new signed commit on top of ``tip_commit``, or ``tip_commit`` itself if it is signed
    already or signing is off. ``author`` is ``NAME <ADDRESS>``. Raises Conflict if git cannot sign.
    """
    choice = app.settings.text("sync.sign")
    if choice == "no" or commit_signature.is_commit_signed(repository.path, tip_commit):
        return tip_commit
    settings = commit_signature.signing_settings(app.layout.cwd)
    if choice == "git" and not commit_signature.is_commit_signing_enabled(settings):
        return tip_commit
    name, _, address = author.rstrip(">").rpartition(" <")
    signed = commit_signature.add_signed_commit(
        repository.path, tip_commit, settings, author=name, email=address
    )
    repository.set_device_tip(device, signed)
    return signed
