"""Making a click command from an operation: its arguments, options, help and question."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from gitmem.cli.quick import ParsedCommand
from gitmem.errors import InvalidInput
from gitmem.operations.registry import Operation, RequestField, request_fields

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


# Where a command runs; the same may be given before its name.
WHERE: list[click.Parameter] = [
    click.Option(["-C", "start_folder"], metavar="PATH", help="Run as if started in PATH"),
    click.Option(
        ["-P", "start_project"],
        metavar="NAME",
        help="Run in the project of this name, key or folder",
    ),
]


def global_option_value(name: str) -> str | None:
    """Return the value of an option given before the command's name, as in ``gitmem -C . list``.

    ``name`` is ``start_folder`` (``-C``) or ``start_project`` (``-P``); None if it is not given.
    """
    return click.get_current_context().find_root().params.get(name)


class VerbCommand(click.Command):
    """A click command whose help shows its everyday options, or with ``--all`` all of them."""

    everyday: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read ``config KEY -5`` as ``config KEY -- -5``: no option begins with a digit."""
        known = {name for param in self.get_params(ctx) for name in param.opts}
        odd = [word for word in args if word[:1] == "-" and word.partition("=")[0] not in known]
        ctx.ignore_unknown_options = bool(odd) and all(re.match(r"-\d", word) for word in odd)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the everyday options into the help, and how to see the others."""
        if not self.everyday or ctx.obj:
            return super().format_options(ctx, formatter)
        rows = [
            row
            for param in self.get_params(ctx)
            if param.name in (*self.everyday, "start_folder", "start_project", "json")
            and (row := param.get_help_record(ctx))
        ]
        with formatter.section("Everyday options"):
            formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(f"All options: {ctx.command_path} --help --all")
        return None


def build_command(name: str, operation: Operation) -> click.Command:
    """Return the click command ``name`` that runs an operation and prints its result."""
    params: list[click.Parameter] = []
    for field in request_fields(operation.request_class):
        if field.arg.cli:
            params.append(_parameter(field))
    if operation.confirm:
        params.append(
            click.Option(["--yes", "-y"], is_flag=True, help="Do not ask for confirmation")
        )
    if operation.has_agent_option:
        params.append(
            click.Option(
                ["--agent", "by"], default="", help="Who is writing (the name of an agent)"
            )
        )
    if operation.shows_times:
        about = "Time zone of the times shown, such as Asia/Tokyo"
        params.append(click.Option(["--timezone", "zone"], default="", help=about))
    params += WHERE
    params.append(click.Option(["--json", "json"], is_flag=True, help="Print JSON"))
    verb = VerbCommand(
        name,
        params=params,
        callback=_callback(operation),
        help="\n".join(line.strip() for line in operation.help.splitlines()),
        epilog=f"Example: {operation.example_command_line}",
        context_settings=CONTEXT,
    )
    verb.everyday = operation.everyday
    return verb


def _parameter(field: RequestField) -> click.Parameter:
    arg = field.arg
    if arg.positional:
        return click.Argument(
            [field.name],
            type=_type(field),
            required=field.required,
            nargs=-1 if field.many or arg.words else 1,
            metavar=_argument(field),
        )
    names = [field.option_name, field.name, *([arg.short] if arg.short else [])]
    if field.type is bool:
        return click.Option(names, is_flag=True, default=False, help=field.help)
    default = "" if field.default in (None, "", ()) or field.many else f"  [{field.default}]"
    return click.Option(
        names,
        type=_type(field),
        required=field.required,
        multiple=field.many,
        help=field.help + default,
        metavar=arg.metavar or None,
    )


def _argument(field: RequestField) -> str:
    """An argument in the usage line; click's own form would list all choices."""
    name = field.arg.metavar or field.name.upper()
    several = "..." if field.many or field.arg.words else ""
    return (name if field.required else f"[{name}]") + several


def _type(field: RequestField) -> click.ParamType[Any] | type:
    arg = field.arg
    if arg.choices:
        return _Choice(arg.choices, arg.resolve_synonym)
    if field.type is int and (arg.minimum is not None or arg.maximum is not None):
        return click.IntRange(_as_int(arg.minimum), _as_int(arg.maximum))
    if field.type is float and (arg.minimum is not None or arg.maximum is not None):
        return click.FloatRange(arg.minimum, arg.maximum)
    return field.type


class _Choice(click.Choice[str]):
    """One of some words, or another word that means one."""

    def __init__(self, choices: Sequence[str], meant: Callable[[str], str] | None) -> None:
        super().__init__(choices)
        self._meant = meant or str

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the allowed word that ``value`` means. Raises BadParameter for any other."""
        return super().convert(self._meant(value), param, ctx)


def _as_int(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


def _callback(operation: Operation) -> Any:
    spoken = [field.name for field in request_fields(operation.request_class) if field.arg.words]

    def callback(**kwargs: Any) -> int:
        from gitmem.cli import execute  # noqa: PLC0415 - help needs no store

        start_folder = kwargs.pop("start_folder") or global_option_value("start_folder") or "."
        start_project = kwargs.pop("start_project")
        start_project = (
            global_option_value("start_project") if start_project is None else start_project
        )
        json = kwargs.pop("json")
        agent = kwargs.pop("by", "")
        zone = kwargs.pop("zone", "")
        # An operation without ``confirm`` may have a field ``yes`` of its own.
        answered = kwargs.pop("yes", False) if operation.confirm else False
        applies = not operation.confirm_if or kwargs[operation.confirm_if]
        if operation.confirm and applies and not kwargs.get("dry_run") and not answered:
            _confirm(operation)
        for name in spoken:
            kwargs[name] = " ".join(kwargs[name]) if kwargs[name] else None
        # By identity: a number 0 was given, a flag that is False was not.
        values = {
            name: value
            for name, value in kwargs.items()
            if value is not None and value is not False and value != ()
        }
        return execute.run(
            ParsedCommand(operation, values, start_folder, json, agent, zone, start_project)
        )

    return callback


def _confirm(operation: Operation) -> None:
    """Ask the person at the terminal. Raises InvalidInput without a terminal."""
    if not (sys.stdin and sys.stdin.isatty()):
        raise InvalidInput(
            f"`gitmem {operation.name}` asks first, and there is no terminal to ask on.",
            "If you are a person and sure, add --yes.",
        )
    # On standard error: standard output may be piped into a file.
    click.confirm(operation.confirm, abort=True, err=True)
