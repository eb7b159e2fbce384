"""The command line: what every command answers to ``--help``, and the exit statuses."""

from __future__ import annotations

import re

import click

from docs.pages.markdown import code, fenced, first_sentence, indented, table
from gitmem import errors, operations
from gitmem.cli import commands

# Fixed, so that the page does not depend on the terminal of whoever writes it.
WIDTH = 96
_OPENING = """\
# Command line

Every command takes `-C PATH` (run as if started there, before or after the command) and `--json`
(print the result as JSON, see [json.md](json.md)). Commands that write take `--agent NAME`, which
says who writes. `-h` is short for `--help`; `gitmem --version` prints the version.

Results go to standard output, errors to standard error: one sentence, then a hint on what to do.
With `--json` an error is an object there."""


_EVERY = (
    r"(?m)^  (?:-C PATH +Run as if|--json +Print JSON|-h, --help +Show this|--agent TEXT +Who is w)"
    r".*\n?"
)
_ALL = "`gitmem --help` shows the everyday commands, `gitmem --help --all` all of them:"


def page() -> str:
    """The whole page."""
    top = commands.build()
    parts = [_OPENING, _ALL, fenced(_help(top, "gitmem"))]
    for group, entries in operations.GROUPS.items():
        parts.append(f"## {group}")
        for name, *_ in entries:
            parts += [f"### gitmem {name}", indented(_of(top, name))]
    parts += ["## Agents", "### gitmem mcp", indented(_of(top, "mcp"))]
    parts += ["## Exit statuses", _statuses()]
    return "\n\n".join(parts)


def _of(top: click.Group, name: str) -> str:
    """The help of a command, which may stand inside a group."""
    command: click.Command = top
    context = _context(top, "gitmem")
    context.obj = True
    for word in name.split(" "):
        assert isinstance(command, click.Group)
        command = command.commands[word]
        context = _context(command, word, context)
    # What every command takes is told once, at the top.
    own = re.sub(_EVERY, "", command.get_help(context))
    own = re.sub(r"\nOptions:\n(?=\n|$)", "", own)
    # On a page of a hundred commands no empty line sets off the first and the last line of each.
    return re.sub(r"\n\n+(?=  Example)", "\n", own.replace("\n\n", "\n", 1))


def _help(command: click.Command, name: str) -> str:
    context = _context(command, name)
    context.obj = True
    return command.get_help(context)


def _context(
    command: click.Command, name: str, parent: click.Context | None = None
) -> click.Context:
    own = {"max_content_width": WIDTH, **command.context_settings}
    return click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, **own)


def _statuses() -> str:
    rows = [("0", "", "It worked."), (str(errors.PARTIAL), "", "Some of the items failed.")]
    for error in sorted(_family(), key=lambda one: (errors.EXIT_STATUS[one.code], one.code)):
        meaning = first_sentence(error.__doc__)
        rows.append((str(errors.EXIT_STATUS[error.code]), code(error.code), meaning))
    rows.append((str(errors.INTERRUPTED), "", "Interrupted, for example by Ctrl-C."))
    return table(("Status", "Code", "Meaning"), rows)


def _family() -> list[type[errors.GitmemError]]:
    """Every class of error with a code of its own."""
    return [
        value
        for value in vars(errors).values()
        if isinstance(value, type)
        and issubclass(value, errors.GitmemError)
        and value is not errors.GitmemError
    ]
