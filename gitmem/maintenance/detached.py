"""Starting a command of gitmem as a process of its own, detached, that nobody waits for.

Hooks start one after an edit, so this is light.
"""

import os
import sys

from gitmem.app import App


def start(app: App, verb: str) -> None:
    """Start a command of gitmem that nobody waits for. Raises OSError."""
    # -P: the current folder is the user's repository, and no module in it may run in our name.
    command = [sys.executable, "-P", "-m", "gitmem", verb, "-C", app.worktree]
    environment = dict(app.settings.environment)
    if os.name == "posix":
        null = os.open(os.devnull, os.O_RDWR)
        try:
            # All three streams are closed to the child: one that kept its parent's output would
            # make everybody who reads that output wait.
            streams = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
            os.posix_spawn(sys.executable, command, environment, file_actions=streams, setsid=True)
        finally:
            os.close(null)
        return
    import subprocess  # noqa: PLC0415, TID251 - Windows has no posix_spawn; gitmem starts itself

    subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=0x00000008 | 0x00004000,  # DETACHED_PROCESS, BELOW_NORMAL_PRIORITY_CLASS
    )
