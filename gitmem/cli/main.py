"""Running a command line: from its words to an exit status.

``quick`` reads a command line first, without click; whatever it does not understand goes to click,
which explains it. Both read the same table.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from gitmem.errors import EXIT_STATUS, INTERRUPTED, GitmemError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of gitmem and print its result or its error; return the exit status.

    ``arguments`` are the words after ``gitmem``; None for those of the process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    wants_json = "--json" in words
    try:
        return _dispatch(words)
    except GitmemError as error:
        _print_error(error, wants_json)
        return EXIT_STATUS[error.code]
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe closed it early, as in `gitmem list | head`: no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # a bug: a traceback in the log, none on the screen
        from gitmem import crashlog  # noqa: PLC0415 - only when something broke

        _print_error(crashlog.record_crash(error, words), wants_json)
        return EXIT_STATUS["internal"]


def _dispatch(words: list[str]) -> int:
    if words == ["--version"]:
        from gitmem import __version__  # noqa: PLC0415 - a literal, and only asked for here

        sys.stdout.write(f"gitmem {__version__}\n")
        return 0
    if words and words[0] == "hook":
        from gitmem.cli import hook  # noqa: PLC0415 - a host calls this, and it must be quick

        if hook.is_call_by_agent_host(words):
            return hook.run(words)
    if words and words[0] == "mcp" and (options := parse_mcp_command(words)):
        from gitmem.mcp import server  # noqa: PLC0415 - a host calls this in every session

        return server.serve(*options)
    if words and not words[0].startswith("-"):
        from gitmem.cli import quick  # noqa: PLC0415 - `--help` needs no operation

        call = quick.parse_command(words)
        if call is not None:
            from gitmem.cli import execute  # noqa: PLC0415

            return execute.run(call)
    from gitmem.cli import commands  # noqa: PLC0415 - click costs four bare starts of Python

    return commands.run(words)


def _print_error(error: GitmemError, wants_json: bool) -> None:
    if sys.stderr is None:  # closed: the exit status has to suffice
        return
    if wants_json:
        import json  # noqa: PLC0415

        sys.stderr.write(json.dumps({"error": error.as_json_object()}, ensure_ascii=False) + "\n")
        return
    hint = f"hint: {error.hint}\n" if error.hint else ""
    sys.stderr.write(f"gitmem: {error.message}\n{hint}")


def parse_mcp_command(arguments: Sequence[str]) -> tuple[str, str] | None:
    """Return the folder and the profile (a set of tools) in ``mcp [-C PATH] [--profile NAME]``.

    Returns None for any other form, which click has to read.
    """
    from gitmem.mcp.tools.profiles import NAMES  # noqa: PLC0415 - for this command only

    place, profile = ".", NAMES[0]
    rest = iter(arguments[1:])
    for word in rest:
        value = next(rest, "")
        if word == "-C" and value:
            place = value
        elif word == "--profile" and value in NAMES:
            profile = value
        else:
            return None
    return place, profile
