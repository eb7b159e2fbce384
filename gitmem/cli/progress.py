"""A progress bar for long commands, on a terminal only."""

from __future__ import annotations

import sys

WIDTH = 30


class ProgressLine:
    """A progress bar on standard error: call it to show it, and ``clear`` to remove it."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show ``done`` of ``total`` (0: unknown) in a stage."""
        if total > 0:
            filled = WIDTH * min(done, total) // total
            text = f"{stage:<8} [{'#' * filled}{'.' * (WIDTH - filled)}] {done:,}/{total:,}"
        else:
            text = f"{stage:<8} {done:,}"
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Remove the progress line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
