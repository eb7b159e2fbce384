"""Reading gitmem's hooks and servers from hosts' files, and deciding which may be run.

A project's file may have come with a clone, so only calls of the gitmem that runs now are made from
there. From a user's own files any gitmem is called, but no line from which a shell would make more
than one call.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import host_paths, registry
from gitmem.agents.hosts.host import EVENTS, HOOKS, MCP, PROJECT, RULES, SCOPES
from gitmem.agents.wiring import edit_text, file_pieces, templates
from gitmem.agents.wiring.templates import NAME, SET, StartCommand
from gitmem.model.frozen import dataclass, replace
from gitmem.text import jsonc, toml

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import PathTemplateFolders

# Words of a line that a shell leaves as they are: bare, in single or in double quotes.
_WORD = r"(?:[A-Za-z0-9/._+:@,-]|'[^'\r\n]*'|\"[^\"$`\\\r\n]*\"|\\')+"
_CALL = re.compile(rf"{_WORD}(?:[ \t]+{_WORD})*")
_LONGEST = 4096  # characters of a line
_LONGEST_WAIT = 600  # seconds: a file may say any number, also one that no clock holds
_DEEPEST = 8  # objects in objects; hosts' hooks lie four deep at most
_PYTHON = re.compile(r"python[0-9.]*(?:\.exe)?")
# What a plugin starts that is JavaScript, not data.
_JS_PROGRAM = re.compile(r"^const program = (\[.*\])$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class InstalledCommand:
    """A hook or an MCP server in an agent program's file that starts gitmem.

    ``event`` is empty for a server. ``words`` is the command (empty if it cannot be split),
    ``line`` the command as the program gives it to a shell, empty if it uses none. ``at`` are the
    keys that lead to it; ``seconds`` is the time limit, 0 if the file sets none; ``matcher`` the
    program's filter for it; ``entry`` its value in the file; ``off``: switched off.
    """

    agent: str
    event: str
    words: tuple[str, ...]
    line: str
    at: tuple[str, ...]
    path: str
    scope: str
    seconds: float = 0.0
    matcher: str = ""
    entry: Any = None
    off: bool = False


def existing_files_of_part(
    bases: PathTemplateFolders, host: Host, setup_part: str, scope: str
) -> list[str]:
    """The existing files that may hold a part (mcp, hooks, rules) of an agent program's setup."""
    paths = host_paths.all_files_of_setup_part(bases, host, setup_part, scope)
    if setup_part == HOOKS and host.hooks_beside:
        name = host.hooks_beside.name
        paths += [os.path.join(os.path.dirname(path), name) for path in paths]
    return [path for path in dict.fromkeys(paths) if os.path.lexists(path)]


def all_existing_host_files(
    bases: PathTemplateFolders, host: Host
) -> Iterator[tuple[str, str, str]]:
    """Yield (part, scope, path) of each existing file of a program that may hold gitmem's entries.

    A part is mcp, hooks or rules, a scope project or user.
    """
    for part in host.setup_parts:
        for scope in SCOPES:
            for path in existing_files_of_part(bases, host, part, scope):
                yield part, scope, path


def parse_config_file(path: str, content: bytes) -> Any:
    """The parsed value of a JSON or TOML file, by the end of its path. Raises InvalidInput."""
    text = file_pieces.decode_file(content).text
    return toml.parse_toml(text) if path.endswith(".toml") else jsonc.parse_jsonc(text)


def installed_hook_commands(
    bases: PathTemplateFolders, host: Host, scope: str, path: str, content: bytes
) -> list[InstalledCommand]:
    """An InstalledCommand for each hook in a file that runs gitmem. Raises InvalidInput."""
    if path.endswith(".js"):
        words = argv_in_plugin(file_pieces.decode_file(content).text)
        named = {event for _, event in host.script_events}
        return [
            InstalledCommand(
                host.name, event, (*words, "hook", host.name, event), "", (), path, scope
            )
            for event in EVENTS
            if words and event in named
        ]
    value = parse_config_file(path, content)
    return [replace(call, scope=scope, path=path) for call in _hook_calls(value, (), bases.system)]


def hooks_setup_writes(host: Host, system: str) -> frozenset[tuple[tuple[str, ...], str, str]]:
    """(keys that lead to it, agent, event) of each hook that setup writes for a program."""
    template: Any = templates.read_config_template(host.name).get(HOOKS)
    if isinstance(template, str):
        if "." in template:
            return frozenset(((), host.name, event) for _, event in host.script_events)
        template = templates.read_config_template(template)[HOOKS]
    return frozenset(
        (call.at, call.agent, call.words[-1]) for call in _hook_calls(template, (), system)
    )


def installed_server_command(
    bases: PathTemplateFolders, host: Host, scope: str, path: str, content: bytes
) -> InstalledCommand | None:
    """The InstalledCommand of a file's entry that starts gitmem as MCP server, or None.

    ``scope`` is project or user. Raises InvalidInput if the file cannot be parsed.
    """
    fragments = templates.config_fragments(host.name, MCP, StartCommand((NAME,), bases.system))
    at = next(piece.path for piece in fragments if piece.kind == SET)
    entry = jsonc.value_at_keys(parse_config_file(path, content), at)
    if not templates.is_gitmem_server_entry(entry):
        return None
    off = entry.get("enabled") is False or entry.get("disabled") is True
    return InstalledCommand(
        host.name, "", argv_of_server_entry(entry), "", at, path, scope, entry=entry, off=off
    )


def argv_of_server_entry(entry: dict[str, Any]) -> tuple[str, ...]:
    """The words of the command in the entry of an MCP server, as texts."""
    return tuple(map(str, templates.server_command_words(entry)))


def read_rules_text(content: bytes) -> str:
    """A file's text if it has gitmem's marked lines, else empty. Raises InvalidInput."""
    text = edit_text.parse(file_pieces.decode_file(content).text)
    return text if edit_text.has_marked_lines(text) else ""


def has_current_rules(host: Host, rules_text: str) -> bool:
    """Whether gitmem's lines in a rules file's text are those that this version writes."""
    (fragment,) = templates.config_fragments(host.name, RULES, StartCommand((NAME,), ""))
    plain = rules_text.replace("\r\n", "\n")
    alone = plain.strip() == (fragment.head + fragment.value).strip()
    return alone if fragment.head else fragment.value.strip() in plain


def gitmem_start_argv(installed: InstalledCommand) -> tuple[str, ...]:
    """The first words of a command, which start gitmem: ``gitmem``, ``python -m gitmem``.

    Without ``hook AGENT EVENT`` or ``mcp``. Empty if the command does more, or does not start
    gitmem.
    """
    if installed.event:
        return (
            installed.words[:-3]
            if installed.words[-3:] == ("hook", installed.agent, installed.event)
            else ()
        )
    place = installed.words.index("mcp") if "mcp" in installed.words else 0
    rest = installed.words[place + 1 :]
    is_plain_start = not rest or (len(rest) == 2 and rest[0] in ("-C", "--profile"))
    return installed.words[:place] if is_plain_start else ()


def reason_not_allowed(
    installed: InstalledCommand, own_commands: Collection[tuple[str, ...]]
) -> str:
    """The reason why an installed command may not be run; empty if it may.

    ``own_commands`` are the commands that start the gitmem that runs now, the only ones allowed in
    a project's file.
    """
    words = gitmem_start_argv(installed)
    if not starts_only_gitmem(words) or not is_single_shell_command(installed.line):
        return "it does more than start gitmem"
    if os.path.dirname(words[0]) and not os.path.isabs(words[0]):
        return "it starts a program by a relative path"
    if installed.scope != PROJECT or is_own_command(words, own_commands):
        return ""
    return f"it names {words[0]}, not the gitmem installed here, and may have come with a clone"


def reason_not_startable(argv: tuple[str, ...], search_path: str) -> str:
    """Why the program in ``argv`` cannot be started; empty if it can, or ``argv`` is empty.

    ``search_path`` is the PATH.
    """
    if not argv or shutil.which(argv[0], path=search_path):
        return ""
    if os.path.isabs(argv[0]):
        exists = os.path.exists(argv[0])
        return f"{argv[0]} is {'not executable' if exists else 'no longer there'}"
    return f"{argv[0]} is not on the PATH"


def is_single_shell_command(shell_line: str) -> bool:
    """Whether a shell runs just one command for this line; True for an empty line."""
    return not shell_line or (
        len(shell_line) <= _LONGEST and _CALL.fullmatch(shell_line) is not None
    )


def is_own_command(argv: tuple[str, ...], own_commands: Collection[tuple[str, ...]]) -> bool:
    """Whether ``argv`` is one of ``own_commands``, which start the gitmem that runs now.

    One word is also compared as a file.
    """
    if argv in own_commands:
        return True
    # Only commands of one word are compared as files: for a Python its folder matters too.
    alone = [way[0] for way in own_commands if len(way) == 1] if len(argv) == 1 else []
    for path in alone:
        with suppress(OSError):
            if os.path.samefile(argv[0], path):
                return True
    return False


def starts_only_gitmem(argv: tuple[str, ...]) -> bool:
    """Whether a command starts gitmem, this one or another, and does nothing else."""
    if not argv:
        return False
    name = re.split(r"[\\/]", argv[0])[-1]
    if len(argv) == 1:
        return name in (NAME, f"{NAME}.exe")
    flags = argv[1:-2]
    return (
        argv[-2:] == ("-m", NAME)
        and _PYTHON.fullmatch(name) is not None
        and all(re.fullmatch(r"-[A-Za-z]", flag) for flag in flags)
    )


def nested_json_objects(
    json_value: Any, key_path: tuple[str, ...] = (), hook_matcher: str = ""
) -> Iterator[tuple[tuple[str, ...], dict[str, Any], str]]:
    """Yield (keys that lead to it, object, matcher above it) of every JSON object inside a value.

    A matcher is an agent program's filter for when a hook runs. ``key_path`` and ``hook_matcher``
    are those of ``json_value``.
    """
    if isinstance(json_value, list):
        for item in json_value:
            if isinstance(item, dict):  # no host puts lists into lists
                yield from nested_json_objects(item, key_path, hook_matcher)
    elif isinstance(json_value, dict):
        own_matcher = json_value.get("matcher")
        hook_matcher = own_matcher if isinstance(own_matcher, str) else hook_matcher
        yield key_path, json_value, hook_matcher
        for key, item in json_value.items():
            if isinstance(item, list | dict) and len(key_path) < _DEEPEST:
                yield from nested_json_objects(item, (*key_path, key), hook_matcher)


def _hook_calls(value: Any, at: tuple[str, ...], system: str) -> Iterator[InstalledCommand]:
    """Every hook of gitmem in a value, without scope and path."""
    for keys, entry, matcher in nested_json_objects(value, at):
        line, words = shell_line_and_argv(entry, system)
        if agent := templates.agent_in_hook_line(line or " ".join(words)):
            event = entry.get("event")
            keys = (*keys, event) if isinstance(event, str) else keys
            named = event_named_in_hook_line(line or " ".join(words)) or "hook"
            limit = _limit(entry, agent)
            yield InstalledCommand(agent, named, words, line, keys, "", "", limit, matcher, entry)


def event_named_in_hook_line(shell_line: str) -> str:
    """The EVENT in a shell line ``gitmem hook AGENT EVENT``; empty for any other line."""
    match = re.search(r"\shook\s+[a-z-]+\s+([a-z-]+)", shell_line)
    return match[1] if match and match[1] in EVENTS else ""


def shell_line_and_argv(hook_entry: dict[str, Any], system: str) -> tuple[str, tuple[str, ...]]:
    """How a hook is run: (its shell line or "", the words of its command).

    ``hook_entry`` is the hook's entry in a file. The words are empty if they cannot be split.
    """
    keys = {host_paths.WINDOWS: ("powershell", "windows"), host_paths.MAC: ("bash", "osx")}
    names = (*keys.get(system, ("bash", "linux")), "command")
    line = next((hook_entry[key] for key in names if isinstance(hook_entry.get(key), str)), "")
    more = hook_entry.get("args")
    if line and isinstance(more, list):
        return "", (line, *(str(word) for word in more))
    if len(line) > _LONGEST:
        return line, ()
    try:
        plain = line.removeprefix("& ") if system == host_paths.WINDOWS else line
        return line, tuple(shlex.split(plain, posix=system != host_paths.WINDOWS))
    except ValueError:
        return line, ()


def _limit(handler: dict[str, Any], agent: str) -> float:
    """The seconds that the host waits for a hook; 0 if not set."""
    for key in ("timeout", "timeoutSec"):
        if isinstance(value := handler.get(key), int | float) and value > 0:
            unit = registry.find_host(agent).timeouts_per_second
            return min(value, _LONGEST_WAIT * unit) / unit
    return 0.0


def argv_in_plugin(plugin_text: str) -> tuple[str, ...]:
    """The words of the command in a JavaScript plugin; empty if it cannot be read."""
    match = _JS_PROGRAM.search(plugin_text)
    try:
        words = json.loads(match[1]) if match else []
    except ValueError:
        words = []
    return tuple(words) if all(isinstance(word, str) for word in words) else ()
