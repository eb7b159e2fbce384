"""The command line: what ``--help`` says of every command, and the exit statuses."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from docs.pages.markdown import code, escaped, fenced, filled, first_sentence, table
from gitmem import errors, operations
from gitmem.cli import commands

# Fixed, so that the page does not depend on the terminal of whoever writes it.
WIDTH = 96
_OPENING = """\
# Command line

Every command takes `-C PATH` (run as if started there), `-P NAME` (run in the project of this name,
key or folder), both before or after the command, and `--json` (print the result as JSON, see
[json.md](json.md)). Commands that write take `--agent NAME`, which says who writes. `-h` is short
for `--help`; `gitmem --version` prints the version. An option's default stands in brackets, and
after it the bounds of a number.

Results go to standard output, errors to standard error: one sentence, then a hint on what to do.
With `--json` an error is an object there."""
_ZONES = "These take `--timezone TEXT`, the time zone of the times shown, such as Asia/Tokyo: "
_ZONE = "Time zone of the times shown, such as Asia/Tokyo"
# Options that are described once, at the top.
_SHARED = (
    "Run as if ",
    "Run in the project ",
    "Print JSON",
    "Show this message",
    "Who is writing ",
)
_ALL = "`gitmem --help` shows the everyday commands, `gitmem --help --all` all of them:"


def page() -> str:
    """The whole page."""
    top = commands.build_cli()
    zones = [
        code(name) for name in operations.PLACES if _ZONE in dict(_options(top, name)).values()
    ]
    parts = [_OPENING, filled(_ZONES + ", ".join(zones) + ".")]
    parts += [_ALL, fenced(_help(top, "gitmem"))]
    for group, entries in operations.GROUPS.items():
        parts.append(f"## {group}")
        for name, *_ in entries:
            parts += [f"### gitmem {name}", *_command(top, name)]
    parts.append("## Servers")
    for name in ("mcp", "serve"):
        parts += [f"### gitmem {name}", *_command(top, name)]
    parts += ["## Exit statuses", _statuses()]
    return "\n\n".join(parts)


def _command(top: click.Group, name: str) -> Iterator[str]:
    """Usage, description, options and example of a command."""
    command, context = _found(top, name)
    first, *more = inspect.cleandoc(command.help or "").split("\n\n")
    usage = " ".join([f"gitmem {name}", *command.collect_usage_pieces(context)])
    example = (
        f" Example: {code(command.epilog.removeprefix('Example: '))}" if command.epilog else ""
    )
    yield f"{code(usage)}: {escaped(' '.join(first.split())).rstrip('.')}.{example}"
    for paragraph in more:
        yield filled(escaped(paragraph))
    items = [
        f"- {code(names)}: {escaped(text)}"
        for names, text in _options(top, name)
        if text != _ZONE and not text.startswith(_SHARED)
    ]
    if items:
        yield "\n".join(items)


def _options(top: click.Group, name: str) -> list[tuple[str, str]]:
    """The options of a command as its help shows them, each with what it does."""
    command, context = _found(top, name)
    records = (option.get_help_record(context) for option in command.get_params(context))
    return [record for record in records if record and record[0].startswith("-")]


def _found(top: click.Group, name: str) -> tuple[click.Command, click.Context]:
    """A command by its name, which may stand inside a group."""
    command: click.Command = top
    context = _context(top, "gitmem")
    for word in name.split(" "):
        assert isinstance(command, click.Group)
        command = command.commands[word]
        context = _context(command, word, context)
    return command, context


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
