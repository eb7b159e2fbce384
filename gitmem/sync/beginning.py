"""Beginning with the memories that a remote holds: what a new clone is offered."""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import record_repository
from gitmem.sync import link, team
from gitmem.text.quantity import quantity

_SECONDS = 5.0


def find_remote_with_shared_memories(app: App) -> tuple[str, str]:
    """Return (name of the remote with shared memories, a sentence on them) for a new clone.

    Both are empty if none is known. Without a person at a terminal only a remote in a local folder
    is asked; for others the file ``.gitmem-team`` in the repository counts as a hint.
    """
    try:
        remote = link.find_sync_remote(app)
        local = os.path.isdir(remote.url.removeprefix("file://"))
        if app.ask is not None or local:
            headers = record_repository.read_http_header_settings(app.layout.cwd)
            tips = record_repository.read_remote_device_tips(
                remote.url, git_settings=headers, timeout=_SECONDS
            )
            if tips:
                return (
                    remote.name,
                    f"{remote.name} holds memories of {quantity(len(tips), 'device')}",
                )
            return "", ""
    except GitmemError:
        return "", ""
    if team.has_team_file(app):
        return remote.name, f"{team.FILE} says that a team shares memories, perhaps by a remote"
    return "", ""
