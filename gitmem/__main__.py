"""``python -m gitmem`` and the console script: starting and ending the process of a command."""

from __future__ import annotations

import gc
import os
import sys

from gitmem.cli.main import main as run


def main() -> int:
    """Run the command line; does not return where the process can be ended at once.

    Garbage collection, and tearing down all modules at the end, cost a short process 5 ms of CPU
    for memory that is freed anyway. So the collector starts late, and once the stores are closed
    and the streams flushed the process just exits. A process with threads (the MCP server, a
    measured one) ends the usual way.
    """
    gc.set_threshold(50_000, 20, 50)
    status = run()
    if "threading" not in sys.modules:
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:  # None where the caller closed it
                    stream.flush()
        except (OSError, ValueError):  # the reader has closed the pipe
            return status
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
