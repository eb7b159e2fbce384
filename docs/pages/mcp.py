"""What an agent sees of gitmem: the live server's own lists, made readable."""

from __future__ import annotations

import json
from typing import Any

from docs.pages.markdown import anchor, code, fenced, table, wrapped
from gitmem.errors import EXIT_STATUS
from gitmem.mcp import handlers
from gitmem.mcp.tools import batch, catalogue, compact, profiles, prompts, resources, truncation
from gitmem.mcp.tools.offer import OfferedTool
from gitmem.operations.registry import DELETE, READ, WRITE, Operation

_OPENING = """\
# MCP server

`gitmem mcp` serves agents over standard input and output: JSON-RPC 2.0, one message a line. It
serves the repository it is started in (`-C PATH` names another folder)."""
_PROFILES = """\
## Profiles

`gitmem mcp --profile NAME` says which tools are listed; a tool list is paid for in every session.
That of the default profile has less than 1,000 tokens (characters / 4); a test measures it. It
names the arguments that agents usually give, in few words and without schemas of answers, and takes
all the others that `full` lists. Which tools are in it was measured (docs/benchmarks.md, "Which
tools an agent needs"). It declares no resources and no prompts, for which hosts add tools of their
own to every session; the other profiles have them. A tool that it does not list is there with
`--profile full` in the command of the host's entry for gitmem, or as a command: `gitmem show`."""
_TOOLS = """\
## Tools

A call answers text for the agent and the same as structured content, the JSON of the command it
belongs to; the arguments stand beside it, and mean what the command's options do. Unknown arguments
are refused. Text that quotes memories or history stands inside a fence that nobody could have
written into a memory beforehand: it is data, not instructions.

Arguments are also taken under the names that other memory servers have for them (`q`, `top_k`,
`memory_id`, `content`, `tags`, `metadata` with fields in it, camel case and so on), in every
profile; two that mean the same and differ are refused. `as_of` and some more that are listed in
`full` only are taken everywhere."""
_COMPACT = """\
## Compact answers

Answers are compact unless `session_defaults` says `format: full`:

- Inside of an answer's lists, empty fields are left out, and fields with their ordinary value:
  {ordinary}.
- A list of memories leaves out what `show` tells: {beside}.
- `orient` does not repeat as lists what its text says.
- Decimal numbers have three digits, commits twelve.
- The text of `recall`, `list_memories`, `search` and `verify` is a table:
  `memories[2]{{id,kind,...}}:`, and a row for each, its cells divided by tabs.

The fields of an answer itself stay: an empty list says that nothing was found.

An answer has at most {most:,} characters of text and as many of data: long texts in lists end
early first, then items are left out, and `cut` says so. The `budget` of `orient` and `ask`
raises the bound; nothing else does: ask for less, or go on with `offset`."""
_BATCH = f"""\
## Several calls in one

`batch` makes up to {batch.MOST} calls in the order given. Each answers
`{{"tool", "result"}}` or `{{"tool", "error"}}` in its place; a call that fails does not stop the
others. All texts together have at most {batch.ROOM:,} characters, and so has the data: what is
longer is cut and marked `cut`. A batch cannot contain a batch."""
_COMPAT = """\
## Names of five other systems

The profile `compat` also answers the calls of five other systems, with the arguments and the fields
that their documents show: see [compat](compat.md)."""
_ERRORS = """\
## Errors

A call that fails answers `{"error": {"code", "message", "hint"}}` and is marked as an error; its
text is the message and the hint. The codes are stable and those of the
[command line](cli.md#exit-statuses). The second column has the nearest of the codes that Context
Engine documents, or one in its manner. A tool that is not offered is an error of the protocol
(-32602), and `not_found` in a batch."""
# CE-36 has the first three words and TIMEOUT; RATE_LIMIT, SEARCH and DECODER have no cause here.
EQUIVALENTS = {
    "invalid": "VALIDATION_ERROR",
    "not_initialized": "COLLECTION_NOT_FOUND",
    "not_found": "NOT_FOUND",
    "busy": "TIMEOUT",
    "ambiguous": "AMBIGUOUS",
    "conflict": "CONFLICT",
    "not_a_repository": "WORKSPACE_NOT_FOUND",
    "unavailable": "UNAVAILABLE",
    "disk_full": "STORAGE_FULL",
    "read_only": "READ_ONLY",
    "shutting_down": "SHUTTING_DOWN",
    "not_ours": "STORAGE_REFUSED",
    "foreign_store": "STORAGE_REFUSED",
    "damaged": "STORAGE_DAMAGED",
    "foreign_row": "STORAGE_DAMAGED",
    "memory_damaged": "STORAGE_DAMAGED",
    "too_new": "VERSION_MISMATCH",
    "internal": "INTERNAL_ERROR",
}
_FOR = {
    "default": "What an agent needs; `gitmem mcp` without an option.",
    "full": "Every operation that makes sense for an agent.",
    "readonly": "Nothing that writes; the store is opened for reading only.",
    "compat": "`full`, and the names of five other systems.",
}
_INSTRUCTIONS = """\
## Instructions

What the server tells an agent at the start, before any tool is called:"""
_RESOURCES = """\
## Resources

What a client may read without a call. Reading changes nothing: no visit is noted and no use
counted."""
_PROMPTS = """\
## Prompts

What a person may pick in a client."""
_EFFECTS = {READ: "reads", WRITE: "writes", DELETE: "puts away or removes"}
_WORDS = {"string": "text"}


def page() -> str:
    """The whole page."""
    parts = [_OPENING, _INSTRUCTIONS, fenced(handlers.INSTRUCTIONS), _PROFILES, _offered()]
    parts += [_TOOLS, _overview(), _shortened(), _BATCH, *_own(), _COMPAT]
    parts += [_RESOURCES, _resources(), _PROMPTS, _prompts(), _ERRORS, _codes()]
    return "\n\n".join(parts)


def _offered() -> str:
    rows = [
        (code(name), str(len(catalogue.offered_tools(name))), _FOR[name]) for name in profiles.NAMES
    ]
    return table(("Profile", "Tools", "For"), rows)


def _shortened() -> str:
    ordinary = ", ".join(
        code(f"{name} {json.dumps(value)}")
        for name, value in compact.ORDINARY["MemoryItem"].items()
    )
    beside = ", ".join(map(code, compact.LEFT_OUT["MemoryItem"]))
    return _COMPACT.format(ordinary=ordinary, beside=beside, most=truncation.MAX_CHARACTERS)


def _codes() -> str:
    rows = [(code(one), code(EQUIVALENTS[one]), str(EXIT_STATUS[one])) for one in EQUIVALENTS]
    return table(("Code", "Equivalent", "Exit status"), rows)


def _resources() -> str:
    rows = [
        (code(one.uri), one.mime_type or "", one.description or "") for one in resources.RESOURCES
    ]
    rows += [
        (code(one.uri_template), one.mime_type or "", one.description or "")
        for one in resources.TEMPLATES
    ]
    return table(("URI", "Type", "Holds"), rows)


def _prompts() -> str:
    rows = [
        (
            code(prompt.name),
            ", ".join(
                f"{code(one.name)}{' (required)' if one.required else ''}: {one.description}"
                for one in prompt.arguments or ()
            ),
            prompt.description or "",
        )
        for prompt in prompts.PROMPTS
    ]
    return table(("Prompt", "Arguments", "What it does"), rows)


def _overview() -> str:
    rows = [
        (
            code(name),
            _EFFECTS[offer.effect],
            "" if _is_own(offer) else f"[{offer.operation.name}](json.md{_at(offer)})",
            ", ".join(one for one in profiles.NAMES if name in catalogue.offered_tools(one)),
        )
        for name, offer in catalogue.offered_tools("full").items()
    ]
    return table(("Tool", "Effect", "Command, arguments and answer", "Profiles"), rows)


def _at(offer: OfferedTool) -> str:
    return anchor(offer.operation.name)


def _is_own(offer: OfferedTool) -> bool:
    """Whether a tool has no command."""
    return offer.operation in catalogue.OWN


def call(operation: Operation) -> str:
    """The tool of an operation with its arguments, as a call; empty where it has none."""
    offer = catalogue.offered_tools("full").get(operation.tool or "")
    return _signature(offer) if offer else ""


def _signature(offer: OfferedTool) -> str:
    """``recall(query: text, limit: integer 1 to 100 = 10)``: what may be left out has ``?``."""
    schema = offer.list_entry.input_schema
    known: dict[str, Any] = schema["properties"]
    needed = schema.get("required", ())
    told = [_argument(name, one, name in needed) for name, one in known.items()]
    return wrapped(f"{offer.list_entry.name}(", told, ")")


def _own() -> list[str]:
    """The tools that are no commands, whose arguments stand nowhere else."""
    parts: list[str] = []
    for offer in filter(_is_own, catalogue.offered_tools("full").values()):
        known: dict[str, Any] = offer.list_entry.input_schema["properties"]
        rows = [(code(name), one.get("description", "")) for name, one in known.items()]
        parts += [f"### {offer.list_entry.name}", offer.list_entry.description or ""]
        parts += [fenced(_signature(offer)), table(("Argument", "Meaning"), rows)]
    return parts


def _argument(name: str, schema: dict[str, Any], required: bool) -> str:
    default = f" = {schema['default']}" if "default" in schema else ""
    return f"{name}{'' if required or default else '?'}: {_type(schema)}{_bounds(schema)}{default}"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"[{_type(schema['items'])}]" if "items" in schema else "[object]"
    names = kind if isinstance(kind, list) else [kind]
    return " or ".join(_WORDS.get(str(name), str(name)) for name in names)


def _bounds(schema: dict[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    return "" if least is None or most is None else f" {least:,} to {most:,}"
