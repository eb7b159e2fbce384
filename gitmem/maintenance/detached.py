"""Starting a command of gitmem in a detached process."""

import os
import sys

from gitmem.app import App


def start_background_command(app: App, *command_words: str) -> None:
    """Start ``gitmem WORDS`` as a background process and return at once. Raises OSError."""
    # -P: no module in the user's repository may be imported.
    command = [sys.executable, "-P", "-m", "gitmem", *command_words, "-C", app.worktree]
    # Nobody is there to answer a question.
    environment = {**app.settings.environment, "SSH_ASKPASS_REQUIRE": "never"}
    if os.name == "posix":
        null = os.open(os.devnull, os.O_RDWR)
        try:
            # A child that kept its parent's output would make readers of that output wait.
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
