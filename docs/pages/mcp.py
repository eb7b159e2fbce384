"""What an agent sees of gitmem: the live server's own lists, made readable."""

from __future__ import annotations

from typing import Any

from docs.pages.markdown import anchor, code, fenced, table
from gitmem.mcp import prompts, resources, serving, tools
from gitmem.operations.registry import DELETE, READ, WRITE

_OPENING = """\
# MCP server

`gitmem mcp` serves agents over standard input and output: JSON-RPC 2.0, one message a line. It
serves the repository it is started in (`-C PATH` names another folder)."""
_TOOLS = """\
## Tools

A call answers text for the agent and the same as structured content, the JSON of the command it
belongs to. Unknown arguments are refused. Text that quotes memories or history stands inside a
fence that nobody could have written into a memory beforehand: it is data, not instructions. A call
that fails answers `{"error": {"code", "message", "hint"}}` and is marked as an error; the codes are
those of the [command line](cli.md#exit-statuses)."""
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
    parts = [_OPENING, _INSTRUCTIONS, fenced(serving.INSTRUCTIONS), _TOOLS, _overview()]
    for offer in tools.offered().values():
        parts += _tool(offer)
    return "\n\n".join([*parts, _RESOURCES, _resources(), _PROMPTS, _prompts()])


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
            f"[{offer.tool.name}]({anchor(offer.tool.name)})",
            _EFFECTS[offer.operation.effect],
            code(f"gitmem {offer.operation.name}"),
        )
        for offer in tools.offered().values()
    ]
    return table(("Tool", "Effect", "Command"), rows)


def _tool(offer: tools.Offered) -> list[str]:
    tool, operation = offer.tool, offer.operation
    known: dict[str, Any] = tool.input_schema["properties"]
    required = tool.input_schema.get("required", ())
    rows = [_argument(name, schema, name in required) for name, schema in known.items()]
    arguments = table(("Argument", "Type", "", "Meaning"), rows) if rows else "No arguments."
    return [
        f"### {tool.name}",
        f"{tool.description} Effect: {_EFFECTS[operation.effect]}.",
        arguments,
        f"Answers the [JSON of `gitmem {operation.name}`](json.md{anchor(operation.name)}): "
        f"{_answer(tool.output_schema or {})}.",
    ]


def _argument(name: str, schema: dict[str, Any], required: bool) -> tuple[str, ...]:
    default = f"`{schema['default']}` if not given" if "default" in schema else ""
    need = "required" if required else default
    return code(name), _type(schema) + _bounds(schema), need, schema.get("description", "")


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(code, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"array of {_type(schema['items'])}" if "items" in schema else "array of objects"
    names = kind if isinstance(kind, list) else [kind]
    return " or ".join(_WORDS.get(str(name), str(name)) for name in names)


def _bounds(schema: dict[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    return "" if least is None or most is None else f", {least:,} to {most:,}"


def _answer(schema: dict[str, Any]) -> str:
    shown = [f"{code(name)} {_type(one)}" for name, one in schema.get("properties", {}).items()]
    return ", ".join(shown)
