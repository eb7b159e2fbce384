"""Building the whole command line with click, from the table of operations.

``-C PATH``, ``-P PROJECT``, ``--json`` and the example of the help are added for every command. A
command is built when it is needed, since it imports its operation: all of them together cost 100
ms of CPU.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import click

from gitmem import __version__, operations
from gitmem.cli.from_operation import CONTEXT, WHERE, build_command, global_option_value
from gitmem.errors import InvalidInput

_SUMMARY = "The memory of a git repository: decisions, changes, where things are."
_MCP_SUMMARY = "Serve agents over MCP on standard input and output"
_SERVE_SUMMARY = "Serve programs over HTTP: every verb at /api/v1/, MCP at /mcp"


def run(arguments: Sequence[str]) -> int:
    """Run the command with these words (those after ``gitmem``); return the exit status.

    Raises GitmemError, also for wrong usage.
    """
    arguments, in_full = _parse_help(arguments)
    try:
        status = build_cli().main(
            args=list(arguments), prog_name="gitmem", standalone_mode=False, obj=in_full
        )
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "gitmem"
        text = error.format_message().strip()
        message = text if text.endswith((".", "?")) else text + "."
        raise InvalidInput(message, _hint(where, text)) from error
    except click.Abort:
        raise KeyboardInterrupt from None
    return int(status or 0)


def _hint(where: str, text: str) -> str:
    """What to do about wrong usage: for an agent that cannot be connected, why."""
    if where == "gitmem setup":
        from gitmem.agents.hosts.registry import OUT_OF_REACH  # noqa: PLC0415 - for an error only

        for agent, why in OUT_OF_REACH.items():
            if f": {agent!r} is not" in text:
                return why
    return f"See `{where} --help`."


def _parse_help(words: Sequence[str]) -> tuple[Sequence[str], bool]:
    """The words with ``help VERB`` and ``--help --all`` as ``--help``; and whether ``--all``."""
    if words and words[0] == "help":
        words = [*words[1:], "--help"]
    plain = words[: words.index("--")] if "--" in words else words
    if "--all" not in plain or not (len(words) == 1 or {"-h", "--help"}.intersection(plain)):
        return words, False
    return [*(word for word in words if word not in ("--all", "--help", "-h")), "--help"], True


class LazyCommandMapping(UserDict[str, Any]):
    """A mapping from names to click commands, given as functions that build them.

    Each is called when its name is first looked up.
    """

    def __getitem__(self, name: str) -> click.Command:
        """The command. Raises KeyError."""
        entry = super().__getitem__(name)
        command: click.Command = entry if isinstance(entry, click.Command) else entry()
        self.data[name] = command
        return command


class LazyGroup(click.Group):
    """A click group that lists its commands from ``rows`` (name, summary), building none."""

    def __init__(self, name: str, rows: Sequence[tuple[str, str]], **attributes: Any) -> None:
        super().__init__(name, context_settings=CONTEXT, **attributes)
        self.rows = rows
        self.alone = operations.ALONE.get(name, "").removeprefix(f"{name} ")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments of the group; without a command, run the default (`projects list`)."""
        if self.alone and not (
            args and (args[0] in ("-h", "--help") or not args[0].startswith("-"))
        ):
            args = [self.alone, *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command of the group into the help."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(self.rows)


class TopCommand(LazyGroup):
    """``gitmem`` itself: its help lists the everyday commands, or with ``--all`` all of them."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name, the command and the remaining words, as click does.

        Raises InvalidInput for a removed command, or one of another system, naming its replacement.
        """
        for name in (" ".join(args[:2]), args[0]):
            if name in operations.GONE:
                raise InvalidInput(f"There is no `gitmem {name}` any more.", operations.GONE[name])
        if args[0] in operations.NAMED_ELSEWHERE:
            hint = operations.NAMED_ELSEWHERE[args[0]]
            raise InvalidInput(f"No such command {args[0]!r}.", hint)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write only the commands into the help, so that it fits a screen."""
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the everyday commands into the help.

        With ``--all`` all commands, in their groups.
        """
        if not ctx.obj:
            shown = dict(self.rows)
            with formatter.section("Everyday commands"):
                formatter.write_dl([(name, shown[name]) for name in operations.EVERYDAY])
            return
        for group, entries in operations.GROUPS.items():
            with formatter.section(group):
                formatter.write_dl(_rows(group, entries))


def build_cli() -> click.Group:
    """Return the click group ``gitmem`` with all its subcommands."""
    rows = [row for group, entries in operations.GROUPS.items() for row in _rows(group, entries)]
    names = [*(name for name, _ in rows), *operations.HIDDEN]
    servers = {"mcp": _mcp, "serve": _serve, "hook": _hook}
    top = TopCommand(
        "gitmem",
        rows,
        help=_SUMMARY,
        epilog="Every command takes -C PATH, -P PROJECT and --json. Help on one: gitmem COMMAND "
        "--help. All commands: gitmem --help --all. Also: gitmem --version",
        commands=LazyCommandMapping({**{name: _builder(name) for name in names}, **servers}),
        params=[*WHERE],
        callback=lambda **_: None,
    )
    click.version_option(__version__, prog_name="gitmem", message="%(prog)s %(version)s")(top)
    return top


def _rows(group: str, entries: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Name and summary of the commands in a section of the help; nested ones share a line."""
    rows = {}
    for name, _, summary in entries:
        first, _, verb = name.partition(" ")
        rows[first] = _nested_summary(first) if verb else summary
    if group == "Maintenance":
        rows["mcp"] = _MCP_SUMMARY
        rows["serve"] = _SERVE_SUMMARY
    return list(rows.items())


# Titles of groups whose name plus "s" is no plural.
_TITLES = {"adr": "Decision records"}


def _nested_verbs(group: str) -> dict[str, str]:
    """The verbs below a name such as ``session``, with their summaries."""
    return {
        name.removeprefix(group + " "): summary
        for entries in operations.GROUPS.values()
        for name, _, summary in entries
        if name.startswith(group + " ")
    }


def _nested_summary(group: str) -> str:
    name = _TITLES.get(group) or f"{group.removesuffix('s').capitalize()}s"
    return f"{name}: {', '.join(_nested_verbs(group))}"


def _builder(name: str) -> Callable[[], click.Command]:
    is_operation = name in operations.PLACES or name in operations.HIDDEN
    return partial(_single if is_operation else _group, name)


def _single(name: str) -> click.Command:
    command = build_command(name.rpartition(" ")[2], operations.load_operation(name))
    command.hidden = name in operations.HIDDEN
    return command


def _group(name: str) -> click.Command:
    verbs = _nested_verbs(name)
    return LazyGroup(
        name,
        list(verbs.items()),
        help=_nested_summary(name),
        epilog=f"Help on one: gitmem {name} COMMAND --help",
        commands=LazyCommandMapping({verb: partial(_single, f"{name} {verb}") for verb in verbs}),
    )


def _start(start_folder: str | None, start_project: str | None) -> str:
    """The folder in which a server starts."""
    start_folder = start_folder or global_option_value("start_folder") or "."
    name = global_option_value("start_project") if start_project is None else start_project
    if name is None:
        return start_folder
    from gitmem.cli import execute  # noqa: PLC0415 - most servers are started in a folder

    return execute.find_project_folder(name, start_folder, "")


def _mcp() -> click.Command:
    def callback(profile: str, **start: str | None) -> int:
        folder = _start(**start)
        from gitmem.mcp import server  # noqa: PLC0415 - the SDK costs a second

        return server.serve(folder, profile)

    from gitmem.mcp.tools.profiles import NAMES  # noqa: PLC0415 - the rest of the server stays unloaded

    return click.Command(
        "mcp",
        params=[
            click.Option(
                ["--profile"],
                type=click.Choice(NAMES),
                default=NAMES[0],
                help="Tools to offer: the ten most useful, all, those that only read, or all plus "
                f"the names other systems use for them  [{NAMES[0]}]",
            ),
            *WHERE,
        ],
        callback=callback,
        help=_MCP_SUMMARY,
        epilog="Example: gitmem mcp",
        context_settings=CONTEXT,
    )


def _serve() -> click.Command:
    def callback(start_folder: str | None, start_project: str | None, **kwargs: Any) -> int:
        start = _start(start_folder, start_project)
        from gitmem.http import server  # noqa: PLC0415 - for this command alone

        return server.serve(start, **kwargs)

    from gitmem.mcp.tools.profiles import NAMES  # noqa: PLC0415 - as above

    return click.Command(
        "serve",
        params=[
            click.Option(
                ["--host"], default="127.0.0.1", help="The address to listen on  [127.0.0.1]"
            ),
            click.Option(
                ["--port"],
                type=click.IntRange(0, 65535),
                default=8420,
                help="The port; 0 takes a free one  [8420]",
            ),
            click.Option(["--read-only"], is_flag=True, help="Serve only verbs that read"),
            click.Option(["--open", "open_page"], is_flag=True, help="Open the pages in a browser"),
            click.Option(
                ["--token-file"],
                default="",
                metavar="FILE",
                help="Ask for the token whose hash is in FILE; without the file, make one",
            ),
            click.Option(
                ["--allow-host", "host_names"],
                multiple=True,
                metavar="NAME",
                help="Answer to this name too, for a proxy before it; needs a token; may be "
                "repeated",
            ),
            click.Option(
                ["--allow-origin", "allowed_origins"],
                multiple=True,
                metavar="ORIGIN",
                help="Let pages of this origin read answers; may be repeated",
            ),
            click.Option(
                ["--profile"],
                type=click.Choice(NAMES),
                default=NAMES[0],
                help=f"The tools offered to MCP clients  [{NAMES[0]}]",
            ),
            *WHERE,
        ],
        callback=callback,
        help=_SERVE_SUMMARY,
        epilog="Example: gitmem serve --read-only",
        context_settings=CONTEXT,
    )


def _hook() -> click.Command:
    """The command for people who ask for its help; hosts' calls go to ``cli.hook`` directly."""

    def callback(words: tuple[str, ...]) -> int:
        from gitmem.cli import hook  # noqa: PLC0415 - only for a host that gives -C and the like

        return hook.run(("hook", *words), global_option_value("start_folder") or ".")

    return click.Command(
        "hook",
        params=[
            click.Argument(["words"], nargs=-1, required=True, metavar="AGENT EVENT"),
        ],
        callback=callback,
        help="Answer a hook of an agent's session; `gitmem setup` installs this",
        epilog="Example: gitmem hook claude-code session-start",
        context_settings=CONTEXT,
        hidden=True,
    )
