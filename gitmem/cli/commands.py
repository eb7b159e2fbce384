"""The whole command line, made with click from the table of operations.

Every command has ``-C PATH``, ``--json`` and an example in its help, because they are added here
and nowhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from gitmem import __version__, operations
from gitmem.cli import execute
from gitmem.cli.call import Call
from gitmem.errors import InvalidInput
from gitmem.operations.registry import Field, Operation, fields

_CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_SUMMARY = "The memory of a git repository: what was decided, what changed, where things are."


def run(words: Sequence[str]) -> int:
    """Run a command line through click. Raises GitmemError, also for wrong usage."""
    try:
        status = build().main(args=list(words), prog_name="gitmem", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        execute.write(error.format_message())
        return 0
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "gitmem"
        raise InvalidInput(_sentence(error), f"See `{where} --help`.") from error
    except click.Abort:
        raise KeyboardInterrupt from None
    return int(status or 0)


def _sentence(error: click.UsageError) -> str:
    text = error.format_message().strip()
    return text if text.endswith((".", "?")) else text + "."


class Grouped(click.Group):
    """A group whose help lists the commands by what a person wants to do."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Only the commands: a line below tells of the few options, so that all fits a screen."""
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section for each group of the table, a line for each command."""
        del ctx
        for group, entries in operations.GROUPS.items():
            names = list(dict.fromkeys(name.split(" ")[0] for name, _ in entries))
            if group == "Look after":
                names.append("mcp")
            rows = [(name, self.commands[name].get_short_help_str(70)) for name in names]
            with formatter.section(group):
                formatter.write_dl(rows)


def build() -> click.Group:
    """The ``gitmem`` command with all its subcommands."""
    top = Grouped(
        "gitmem",
        help=_SUMMARY,
        epilog="Every command takes -C PATH and --json. Help on one: gitmem COMMAND --help. "
        "Also: gitmem --version",
        context_settings=_CONTEXT,
        params=[
            click.Option(
                ["-C", "place"], default=".", metavar="PATH", help="Run as if started there."
            )
        ],
        callback=lambda **_: None,
    )
    click.version_option(__version__, prog_name="gitmem", message="%(prog)s %(version)s")(top)
    for name in operations.PLACES:
        _add(top, name, operations.load(name))
    for name in operations.HIDDEN:
        hidden = _command(name, operations.load(name))
        hidden.hidden = True
        top.add_command(hidden)
    top.add_command(_mcp())
    top.add_command(_hook())
    return top


def _add(top: click.Group, name: str, operation: Operation) -> None:
    group_name, _, verb = name.rpartition(" ")
    if not group_name:
        top.add_command(_command(name, operation))
        return
    group = top.commands.get(group_name)
    if not isinstance(group, click.Group):
        verbs = ", ".join(
            one.rpartition(" ")[2] for one in operations.PLACES if _under(group_name, one)
        )
        group = click.Group(
            group_name,
            help=f"{group_name.removesuffix('s').capitalize()}s: {verbs}.",
            epilog=f"Help on one: gitmem {group_name} COMMAND --help",
            context_settings=_CONTEXT,
        )
        top.add_command(group)
    group.add_command(_command(verb, operation))


def _under(group_name: str, name: str) -> bool:
    return name.startswith(group_name + " ")


def _command(name: str, operation: Operation) -> click.Command:
    params: list[click.Parameter] = []
    for field in fields(operation.request):
        if field.arg.cli:
            params.append(_parameter(field))
    if operation.confirm:
        params.append(click.Option(["--yes", "-y"], is_flag=True, help="Do not ask."))
    # Where agents are what a command is about, --agent would be taken for one of them.
    if operation.effect != "read" and "agents" not in operation.request.__annotations__:
        params.append(click.Option(["--agent", "by"], default="", help="Who writes this."))
    params.append(click.Option(["-C", "place"], metavar="PATH", help="Run as if started there."))
    params.append(click.Option(["--json", "json"], is_flag=True, help="Print JSON."))
    return click.Command(
        name,
        params=params,
        callback=_callback(operation),
        help=_paragraphs(operation.help),
        epilog=f"Example: {operation.example}",
        context_settings=_CONTEXT,
    )


def _paragraphs(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def _parameter(field: Field) -> click.Parameter:
    arg = field.arg
    if arg.positional:
        return click.Argument(
            [field.name],
            type=_type(field),
            required=field.required,
            nargs=-1 if field.many or arg.words else 1,
            metavar=arg.metavar or field.name.upper() + ("..." if field.many or arg.words else ""),
        )
    names = [field.option, field.name, *([arg.short] if arg.short else [])]
    if field.type is bool:
        return click.Option(names, is_flag=True, default=False, help=arg.help)
    return click.Option(
        names,
        type=_type(field),
        required=field.required,
        multiple=field.many,
        help=arg.help + _default(field),
        metavar=arg.metavar or None,
    )


def _default(field: Field) -> str:
    if field.default in (None, "", ()) or field.many:
        return ""
    return f"  [{field.default}]"


def _type(field: Field) -> click.ParamType[Any] | type:
    arg = field.arg
    if arg.choices:
        return click.Choice(arg.choices)
    if field.type is int and (arg.least is not None or arg.most is not None):
        return click.IntRange(_whole(arg.least), _whole(arg.most))
    if field.type is float and (arg.least is not None or arg.most is not None):
        return click.FloatRange(arg.least, arg.most)
    return field.type


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


def _callback(operation: Operation) -> Any:
    spoken = [field.name for field in fields(operation.request) if field.arg.words]

    def callback(**given: Any) -> int:
        above = click.get_current_context().find_root().params.get("place", ".")
        place = given.pop("place") or above
        json = given.pop("json")
        agent = given.pop("by", "")
        answered = given.pop("yes", False)
        if _asks(operation, given) and not answered and sys.stdin and sys.stdin.isatty():
            # On standard error: standard output may be on its way into a file.
            click.confirm(operation.confirm, abort=True, err=True)
        for name in spoken:
            given[name] = " ".join(given[name]) if given[name] else None
        values = {name: value for name, value in given.items() if _given(value)}
        return execute.run(Call(operation, values, place, json, agent))

    return callback


def _asks(operation: Operation, given: dict[str, Any]) -> bool:
    wanted = not operation.confirm_if or given[operation.confirm_if]
    return bool(operation.confirm and wanted and not given.get("dry_run"))


def _given(value: Any) -> bool:
    # By identity: a strength of 0 was given, a flag that is False was not.
    return value is not None and value is not False and value != ()


def _mcp() -> click.Command:
    def callback(place: str | None, profile: str) -> int:
        above = click.get_current_context().find_root().params.get("place", ".")
        from gitmem.mcp import server  # noqa: PLC0415 - the SDK costs a second

        return server.serve(place or above, profile)

    from gitmem.mcp.profiles import NAMES  # noqa: PLC0415 - the rest of the server stays unloaded

    return click.Command(
        "mcp",
        params=[
            click.Option(
                ["--profile"],
                type=click.Choice(NAMES),
                default=NAMES[0],
                help="Which tools: the ten that matter, all, those that only read, or all and "
                f"other systems' names for them.  [{NAMES[0]}]",
            ),
            click.Option(["-C", "place"], metavar="PATH", help="Run as if started there."),
        ],
        callback=callback,
        help="Serve agents over MCP on standard input and output.",
        epilog="Example: gitmem mcp",
        context_settings=_CONTEXT,
    )


def _hook() -> click.Command:
    """What a person reads about ``gitmem hook``; hosts are answered by ``cli.hook`` itself."""

    def callback(words: tuple[str, ...]) -> int:
        from gitmem.cli import hook  # noqa: PLC0415 - only for a host that gives -C and the like

        place = click.get_current_context().find_root().params.get("place", ".")
        return hook.run(("hook", *words), place)

    return click.Command(
        "hook",
        params=[
            click.Argument(["words"], nargs=-1, required=True, metavar="AGENT EVENT"),
        ],
        callback=callback,
        help="Answer an agent's host at a moment of its session; `gitmem setup` installs this.",
        epilog="Example: gitmem hook claude-code session-start",
        context_settings=_CONTEXT,
        hidden=True,
    )
