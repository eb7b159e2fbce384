"""Filling in the templates of ``hooks/agents`` for a host's files.

Each JSON file there shows a host's own format with the bare word ``gitmem``, which is replaced by
the program's command. A key ``gitmem`` in it belongs to gitmem, an item of a list is added to the
items of others, and any other plain value has to exist in the file.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts.host import HOOKS, MCP, RULES
from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "gitmem"
SET, ADD, NEED, BLOCK = "set", "add", "need", "block"
_RULES = "@RULES@"
# gitmem's own skills; each is a part of its own, since each is a file.
SKILLS = ("gitmem-search", "gitmem-remember", "gitmem-organize")
SKILL = "skill "
_HERE = os.path.dirname(os.path.abspath(__file__))
# A wheel has the data below this package, a checkout at the top level.
_FOLDERS = (
    os.path.join(_HERE, "data"),
    os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(_HERE))), "hooks", "agents"),
)


@dataclass(frozen=True, slots=True)
class ConfigFragment:
    """A piece of configuration that gitmem puts into an agent program's file.

    ``part`` is mcp, hooks, rules or a skill. ``kind``: set (the value of gitmem's own key), add (an
    item of a list), need (a plain value that has to exist) or block (marked lines of a text;
    ``head`` precedes them in a file of gitmem's own). ``path`` are the keys that lead to it.
    """

    agent: str
    part: str
    kind: str
    path: tuple[str, ...]
    value: Any
    head: str = ""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """How an agent program starts gitmem: the command's words, the system (as in ``sys.platform``).

    ``server_folder`` is the folder that an MCP server is told to serve, or empty.
    """

    words: tuple[str, ...]
    system: str
    server_folder: str = ""


def config_fragments(
    agent: str, setup_part: str, start_command: StartCommand
) -> tuple[ConfigFragment, ...]:
    """The ConfigFragments to put into an agent program's file for mcp, hooks or rules.

    ``start_command`` is how gitmem is started. Raises Unavailable if gitmem's templates are
    missing.
    """
    entry = read_config_template(agent)[setup_part]
    if setup_part == RULES or (isinstance(entry, str) and "." in entry):
        head, block = _text(entry, start_command)
        return (ConfigFragment(agent, setup_part, BLOCK, (), block, head),)
    if isinstance(entry, str):
        entry = read_config_template(entry)[setup_part]
    filled = fill_start_commands(entry, start_command)
    return tuple(ConfigFragment(agent, setup_part, *item) for item in _walk(filled, ()))


def skill_fragment(agent: str, skill_name: str) -> ConfigFragment:
    """The ConfigFragment to put into the file of a skill of gitmem's, such as gitmem-search.

    Raises Unavailable if it is not installed.
    """
    head, mark, lines = read_template_file(f"skills/{skill_name}.md").partition("<!-- >>>")
    return ConfigFragment(agent, f"{SKILL}{skill_name}", BLOCK, (), mark + lines, head)


def read_config_template(agent: str) -> dict[str, Any]:
    """The template of an agent program's configuration: part (mcp, hooks, rules) -> JSON value.

    The word ``gitmem`` stands in it for the command. Raises Unavailable if it is not installed.
    """
    import json  # noqa: PLC0415 - paid by setup only

    parts: dict[str, Any] = json.loads(read_template_file(f"{agent}.json"))
    return {part: parts[part] for part in (MCP, HOOKS, RULES) if part in parts}


def _walk(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    if path and path[-1] == NAME:
        yield SET, path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, (*path, key))
    elif isinstance(value, list):
        for item in value:
            yield ADD, path, item
    else:
        yield NEED, path, value


def fill_start_commands(value: Any, start_command: StartCommand) -> Any:
    """A template's JSON value with the words of ``start_command`` in place of ``gitmem``."""
    server = ["mcp", *(["-C", start_command.server_folder] if start_command.server_folder else [])]
    if isinstance(value, dict):
        filled = {
            key: fill_hook_line(item, start_command, powershell=key == "powershell")
            if isinstance(item, str) and item.startswith(f"{NAME} hook ")
            else fill_start_commands(item, start_command)
            for key, item in value.items()
        }
        if value.get("command") == NAME:
            first, *rest = start_command.words
            filled |= {"command": first, "args": [*rest, *server]}
        return filled
    if value == [NAME, "mcp"]:
        return [*start_command.words, *server]
    if isinstance(value, list):
        return [fill_start_commands(item, start_command) for item in value]
    return value


def fill_hook_line(
    template_line: str, start_command: StartCommand, *, powershell: bool = False
) -> str:
    """The shell line of a hook with the words of ``start_command`` in place of ``gitmem``.

    ``template_line`` begins with that word. ``powershell``: it is for PowerShell.
    """
    words = [
        quote_shell_word(word, start_command.system, powershell=powershell)
        for word in start_command.words
    ]
    call = "& " if powershell and words[0].startswith(("'", '"')) else ""
    return f"{call}{' '.join(words)}{template_line.removeprefix(NAME)}"


def quote_shell_word(word: str, platform: str, *, powershell: bool = False) -> str:
    """A word quoted for a shell (or ``powershell``) of a system, which is as in ``sys.platform``.

    Raises Unavailable for line breaks and NUL.
    """
    if any(char in word for char in "\n\r\0"):
        raise Unavailable(
            f"A path with a line break cannot be written to a configuration: {word!r}.",
            "Rename the folder.",
        )
    if powershell:
        return word if _is_plain(word) else "'" + word.replace("'", "''") + "'"
    if platform == "win32":
        # In double quotes: Git's bash would take a bare backslash for an escape.
        return word if _is_plain(word) else f'"{word}"'
    return word if _is_plain(word) else "'" + word.replace("'", "'\\''") + "'"


def _is_plain(word: str) -> bool:
    return bool(word) and all(
        char.isascii() and (char.isalnum() or char in "/._-+:") for char in word
    )


def _text(name: str, program: StartCommand) -> tuple[str, str]:
    """The text before gitmem's lines in a file of its own, and the marked lines."""
    import json  # noqa: PLC0415 - paid by setup only

    text = read_template_file(name)
    if name.endswith(".js"):
        words = json.dumps(list(program.words), ensure_ascii=False)
        return "", text.replace(f'["{NAME}"]', words)
    head, mark, _ = text.partition(_RULES)
    return (head, read_template_file("rules.md")) if mark else ("", text)


def read_template_file(name: str) -> str:
    """The text of a template file such as rules.md. Raises Unavailable if it is not installed."""
    for folder in _FOLDERS:
        try:
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                return file.read().replace("\r\n", "\n")
        except FileNotFoundError:
            continue
    raise Unavailable(
        f"The template {name} is missing from this installation of gitmem.",
        "Reinstall gitmem.",
    )


def agents_in_hook_lines(config_value: Any) -> frozenset[str]:
    """The agents named by lines ``gitmem hook AGENT ...`` anywhere in a JSON value."""
    agents: set[str] = set()
    if isinstance(config_value, str):
        if agent := agent_in_hook_line(config_value):
            agents.add(agent)
    elif isinstance(config_value, dict):
        for item in config_value.values():
            agents |= agents_in_hook_lines(item)
    elif isinstance(config_value, list):
        for item in config_value:
            agents |= agents_in_hook_lines(item)
    return frozenset(agents)


def agent_in_hook_line(shell_line: str) -> str:
    """The AGENT in a shell line that runs ``gitmem hook AGENT ...``; empty for any other line.

    gitmem may have any path, quoted or not, or be ``python -m gitmem``.
    """
    import re  # noqa: PLC0415 - paid by setup only

    match = re.search(
        r"(?:^|[\s/\\\"'])gitmem(?:\.exe)?[\"']?\s+hook\s+([a-z-]+)(?:\s|$)", shell_line
    )
    return match[1] if match else ""


def server_command_words(server_entry: Any) -> list[Any]:
    """The words of the command in the entry of an MCP server, which may be of any type."""
    entry = server_entry if isinstance(server_entry, dict) else {}
    command, more = entry.get("command"), entry.get("args")
    words = [*(command if isinstance(command, list) else [command])]
    return words + (more if isinstance(more, list) else [])


def is_gitmem_server_entry(entry: Any) -> bool:
    """Whether the entry of an MCP server starts ``gitmem mcp``, from any path."""
    texts = [word for word in server_command_words(entry) if isinstance(word, str)]
    names = [word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") for word in texts]
    return NAME in names and "mcp" in texts


def copy_tool_profile_arguments(server_entry: Any, present_entry: Any) -> Any:
    """``server_entry`` with the ``--profile NAME`` that ends ``present_entry``'s command, if any.

    Both are JSON values of MCP server entries; a profile is a named selection of gitmem's tools.
    """
    chosen = tool_profile_arguments(present_entry)
    if not chosen or not isinstance(server_entry, dict):
        return server_entry
    key = "args" if "args" in server_entry else "command"
    return {**server_entry, key: [*server_entry[key], *chosen]}


def tool_profile_arguments(server_entry: Any) -> list[str]:
    """``["--profile", NAME]`` if the command of an MCP server entry ends with these; else empty.

    ``server_entry`` is the JSON value of the entry; a profile is a named selection of gitmem's
    tools.
    """
    more = (
        server_entry.get("args", server_entry.get("command"))
        if isinstance(server_entry, dict)
        else None
    )
    words = more[-2:] if isinstance(more, list) else []
    name = words[-1] if words[:1] == ["--profile"] else ""
    return words if isinstance(name, str) and name.isascii() and name.isalpha() else []


def starts_gitmem(config_value: Any) -> bool:
    """Whether a JSON value (an MCP server entry, or hooks) starts gitmem's server or hooks."""
    return is_gitmem_server_entry(config_value) or bool(agents_in_hook_lines(config_value))
