"""From the words of a command line to an exit status.

Every command line is read by ``quick`` first, without click; whatever ``quick`` does not understand
at once goes to click, which explains it. Both read the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gitmem.errors import EXIT_STATUS, INTERRUPTED, GitmemError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status (see ``gitmem.errors``)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    wants_json = "--json" in words
    try:
        return _dispatch(words)
    except GitmemError as error:
        _tell(error, wants_json)
        return EXIT_STATUS[error.code]
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe left early, as in `gitmem list | head`: nothing is wrong.
        _silence_stdout()
        return 0
    except Exception as error:  # a bug: never a traceback on the screen, always one in the log
        from gitmem import crashlog  # noqa: PLC0415 - only when something broke

        _tell(crashlog.record(error, words), wants_json)
        return EXIT_STATUS["internal"]


def _dispatch(words: list[str]) -> int:
    if words == ["--version"]:
        from gitmem import __version__  # noqa: PLC0415 - a literal, and only asked for here

        sys.stdout.write(f"gitmem {__version__}\n")
        return 0
    if words and words[0] == "hook":
        from gitmem.cli import hook  # noqa: PLC0415 - a host calls this, and it must be quick

        if hook.understood(words):
            return hook.run(words)
    if words and words[0] == "mcp":
        from gitmem.cli import serve  # noqa: PLC0415 - a host calls this in every session

        if asked := serve.understood(words):
            return serve.run(*asked)
    if words and not words[0].startswith("-"):
        from gitmem.cli import quick  # noqa: PLC0415 - `--help` needs no operation

        call = quick.read(words)
        if call is not None:
            from gitmem.cli import execute  # noqa: PLC0415

            return execute.run(call)
    from gitmem.cli import commands  # noqa: PLC0415 - click costs four bare starts of Python

    return commands.run(words)


def _tell(error: GitmemError, wants_json: bool) -> None:
    if sys.stderr is None:  # started with it closed: the status has to do
        return
    if wants_json:
        import json  # noqa: PLC0415

        sys.stderr.write(json.dumps({"error": error.plain()}, ensure_ascii=False) + "\n")
        return
    hint = f"hint: {error.hint}\n" if error.hint else ""
    sys.stderr.write(f"gitmem: {error.message}\n{hint}")


def _silence_stdout() -> None:
    import os  # noqa: PLC0415

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
