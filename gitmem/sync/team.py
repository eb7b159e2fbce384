"""The team file: a file of the repository that proposes whose memories to believe.

Each line of ``.gitmem-team`` has a device's id or the fingerprint of a signing key, and a name. The
repository only proposes: nothing follows from the file until a person has accepted its content, and
when that changes, nothing follows from it again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from gitmem.app import App
from gitmem.files.plain_file import open_regular_file
from gitmem.git.commit_signature import BAD, CommitSignature
from gitmem.model.frozen import dataclass
from gitmem.store.file import consent
from gitmem.sync.record import is_device_id
from gitmem.text.digest import sha256
from gitmem.text.fence import one_line

FILE = ".gitmem-team"
CONSENT = "sync.team"
_MAX_BYTES = 1 << 16
_MAX_NAMES = 500


@dataclass(frozen=True, slots=True)
class TeamFile:
    """The file ``.gitmem-team``, which proposes whose memories to believe.

    ``names`` maps a device's id or a key's fingerprint to a person's name; ``digest`` is the file's
    SHA-256 (empty: no readable file).
    """

    names: Mapping[str, str]
    digest: str

    def name_of_device(self, device: str, signature: CommitSignature) -> str:
        """Return the name that the file gives a device, by id or signing key; empty if none."""
        by_key = self.names.get(signature.key, "") if signature.state != BAD else ""
        return self.names.get(device, "") or by_key


def read_team_file(app: App) -> TeamFile:
    """Return the file ``.gitmem-team`` of this worktree; without names if it cannot be read."""
    try:
        with open_regular_file(os.path.join(app.worktree, FILE)) as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError:
        return TeamFile({}, "")
    if len(content) > _MAX_BYTES:
        return TeamFile({}, "")
    names = dict[str, str]()
    for line in content.decode("utf-8", "replace").splitlines():
        who, _, name = line.strip().partition(" ")
        if len(names) < _MAX_NAMES and (is_device_id(who) or _is_key(who)):
            names[who] = one_line(name, 80) or "nobody named"
    return TeamFile(names, sha256(content).hexdigest())


def has_team_file(app: App) -> bool:
    """Return whether ``.gitmem-team``, which proposes whose memories to believe, names anybody."""
    return bool(read_team_file(app).names)


def is_team_file_accepted(app: App, team: TeamFile) -> bool:
    """Return whether a person here accepted ``.gitmem-team`` with exactly this content."""
    path = (
        consent.consent_answer_path(app.keys.stores_folder, app.store.store, CONSENT)
        if team.names
        else ""
    )
    return bool(path) and consent.read_consent_answer(path, team.digest) == consent.YES


def _is_key(word: str) -> bool:
    """Whether a word has the form of a fingerprint, as git prints it."""
    hexadecimal = len(word) in (40, 64) and not set(word) - set("0123456789ABCDEF")
    return hexadecimal or (word.startswith("SHA256:") and 20 < len(word) < 80)
