"""What a review found that a git hook started: a file beside the spool, read once.

Its first line is the word that only this user's gitmem knows, as in the spool: a clone cannot bring
a note along.
"""

import os
from collections.abc import Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.files import atomic_write
from gitmem.files.plain_file import open_regular_file
from gitmem.store.db import seals
from gitmem.text.fence import one_line

NAME = "review"
_LARGEST, _WIDTH = 8192, 400


def write_review_note(app: App, lines: Sequence[str]) -> None:
    """Save lines about what a background review found, for the next git hook to print.

    They replace earlier ones, and are cut to 400 characters each and 8 KB in all. Raises OSError.
    """
    text = "\n".join(
        [seals.derive_log_line_token(app.signing_key), *(one_line(line, _WIDTH) for line in lines)]
    )
    for _ in range(3):
        os.makedirs(app.spool_folder, 0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # the hooks are uninstalled just now
            atomic_write.replace_file(_path(app), text.encode("utf-8", "replace")[:_LARGEST], 0o600)
            return


def take_review_note(app: App) -> tuple[str, ...] | None:
    """Read and delete the lines that a background review left for the next git hook to print.

    None if there are none, or another process took them; empty if they were not written by this
    user's gitmem.
    """
    claimed = f"{_path(app)}.{app.entropy(8).hex()}"
    try:
        os.rename(_path(app), claimed)  # of several processes one succeeds
        with open_regular_file(claimed) as file:
            text = file.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        with suppress(OSError):
            os.unlink(claimed)
    token, _, rest = text.partition("\n")
    lines = (
        rest.split("\n") if rest and token == seals.derive_log_line_token(app.signing_key) else []
    )
    return tuple(one_line(line, _WIDTH) for line in lines)


def _path(app: App) -> str:
    return os.path.join(app.spool_folder, NAME)
