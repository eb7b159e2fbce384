"""Searching one file of a host for impostors: entries with gitmem's name that are not gitmem's."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    OWN,
    PROJECT,
    SWITCH,
    TEXT,
    TEXTS,
    USER,
)
from gitmem.agents.wiring import (
    edit_text,
    file_pieces,
    host_targets,
    installed_commands,
    manifest,
    templates,
)
from gitmem.agents.wiring.templates import NAME, SET, SKILL, StartCommand
from gitmem.model.frozen import dataclass
from gitmem.text import jsonc
from gitmem.text.fence import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import PathTemplateFolders
    from gitmem.agents.wiring.manifest import Records
    from gitmem.agents.wiring.templates import ConfigFragment

    # Removes impostors from a file: takes path, scope, content and (agent, part) pairs.
    Clean = Callable[[str, str, bytes, Collection[tuple[str, str]]], bytes | None]

# The keys under which hosts name what a hook starts.
_RUN = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")
_IS_HOOK = re.compile(
    r"(?:^|[\s/\\\"'=;&|(`$])gitmem(?:\.\w+)?[\"']?\s+hook(?:\s|$)", re.IGNORECASE
)
_FIRST_WORD = re.compile(r"\s*(?:&\s*)?(?:\w+=\S*\s+)*[\"']?([^\s\"';&|]+)")
_DECIDES = re.compile(
    r"GITMEM_|XDG_(?:DATA|CONFIG|STATE)_HOME$|(?:HOME|USERPROFILE)$", re.IGNORECASE
)
_AS_MODULE = re.compile(r"\s-m\s+gitmem(?:\s|$)", re.IGNORECASE)
_MOST_SHOWN = 160  # characters of a value


@dataclass(frozen=True, slots=True)
class OwnEntryIdentity:
    """What tells gitmem's own entries in files of agent programs from others.

    ``ways`` are the commands that start this gitmem, the one that setup writes first; ``records``
    (scope -> path -> record) are what setup wrote for this user.
    """

    bases: PathTemplateFolders
    ways: tuple[tuple[str, ...], ...]
    records: Records


@dataclass(frozen=True, slots=True)
class ImpostorEntry:
    """An entry named gitmem in an agent program's file that is not gitmem's, for the ``reason``.

    ``at`` are the keys that lead to it, empty if it is the ``whole`` file; ``value`` is the hook in
    the list there, None for all that stands there. ``event`` is the event that fires it;
    ``setup_for`` is the program that only reads this file of another one.
    """

    agent: str
    part: str
    scope: str
    path: str
    at: tuple[str, ...]
    reason: str
    value: dict[str, Any] | None = None
    whole: bool = False
    event: str = ""
    setup_for: str = ""

    @property
    def message(self) -> str:
        """A sentence that says where the entry is and how it differs."""
        where = f": {'.'.join(self.at)}" if self.at else ""
        return one_line(f"{self.path}{where} is not gitmem's: {self.reason}", 400)

    @property
    def hint(self) -> str:
        """A sentence on what a person can do about the entry."""
        return impostor_hint((self,))


def impostor_hint(impostors: Collection[ImpostorEntry]) -> str:
    """A sentence on what a person can do about entries named gitmem that gitmem did not write."""
    names = " ".join(dict.fromkeys(entry.setup_for or entry.agent for entry in impostors))
    # Without --scope, setup would write these to the project.
    users = any(
        entry.scope == USER and (entry.part, PROJECT) in registry.find_host(entry.agent).places
        for entry in impostors
    )
    skills = any(entry.part.startswith(SKILL) for entry in impostors)
    more = " --scope user" * users + " --skills" * skills
    return f"Look at it. `gitmem setup {names}{more} --replace` puts gitmem's own there."


@dataclass(frozen=True, slots=True)
class ImpostorSearch:
    """A search in one file for impostors: entries named gitmem that gitmem did not write.

    For one part (mcp, hooks, rules) of one agent program, in a file of ``scope`` project or user.
    """

    entry_identity: OwnEntryIdentity
    host: Host
    part: str
    scope: str
    path: str

    def find_server_entries(
        self, text: str, value: Any, key_path: tuple[str, ...]
    ) -> Iterator[ImpostorEntry]:
        """Yield an ImpostorEntry for each MCP entry named gitmem, in any spelling, and not its own.

        ``text`` is the file's, ``value`` parsed from it, ``key_path`` the keys of gitmem's own
        entry.
        """
        above = jsonc.value_at_keys(value, key_path[:-1])
        for key, entry in above.items() if isinstance(above, dict) else ():
            if key.strip().casefold() != NAME:
                continue
            reason = f"its name is {_show(key)}" if key != NAME else self._of_entry(entry)
            count = 1
            if not self.path.endswith(".toml"):
                # Which of several equal keys counts depends on the host.
                clean = jsonc.blank_comments(text)
                start, _ = jsonc.json_value_span(clean, key_path[:-1])
                count = sum(member.key == key for member in jsonc.json_entries_at(clean, start))
            if count > 1:
                reason = f"the name stands there {count} times"
            if reason:
                yield self._impostor((*key_path[:-1], key), reason)

    def _of_entry(self, entry: Any) -> str:
        if not isinstance(entry, dict):
            return f"it is {_show(entry)} and no entry"
        words = installed_commands.argv_of_server_entry(entry)
        start_argv = words[: words.index("mcp")] if "mcp" in words else ()
        place = host_targets.folder_named_in_server_entry(
            self.entry_identity.bases, self.host, MCP, self.scope
        )
        if self.scope == USER and "-C" in words[:-1]:
            place = words[words.index("-C") + 1]
        expected = [
            piece.value
            for way in self._ways(start_argv)
            for where in dict.fromkeys((place, ""))
            for piece in self._pieces(self.host.name, MCP, way, where)
            if piece.kind == SET
        ]
        expected += self._recorded_entries(MCP)
        expected = [templates.copy_tool_profile_arguments(value, entry) for value in expected]
        return _difference(entry, expected, self._harmless(self.host))

    def find_hooks(self, value: Any, top_keys: Collection[str]) -> Iterator[ImpostorEntry]:
        """Yield an ImpostorEntry for each hook that calls or is called gitmem and is not its own.

        ``value`` is the file's, parsed; ``top_keys`` are the keys at its top that gitmem writes.
        """
        named = os.path.basename(self.path).split(".")[0] == NAME
        whole = named and self.path not in self.entry_identity.records.get(self.scope, {})
        if not isinstance(value, dict):
            return
        if whole and (strange_keys := [key for key in value if key not in {*top_keys, "version"}]):
            yield self._impostor((), f"it holds {_show(strange_keys[0])}", whole=True)
        yield from self._variables(value)
        for top, below in value.items():
            named = NAME in top_keys and top.strip().casefold() == NAME
            if named and top != NAME:
                yield self._impostor((top,), f"its name is {_show(top)}")
            elif top in top_keys or NAME in top_keys:
                yield from self._find_below(value, top, below, named=named, whole=whole)

    def _variables(self, value: dict[str, Any]) -> Iterator[ImpostorEntry]:
        """Environment variables of a project's file that decide where gitmem's data is."""
        variables = value.get("env")
        if self.scope != PROJECT or not isinstance(variables, dict):
            return
        for key in variables:
            if _DECIDES.match(key):
                yield self._impostor(("env", key), "it decides for you where or how gitmem works")

    def _find_below(
        self, value: Any, top: str, below: Any, *, named: bool, whole: bool
    ) -> Iterator[ImpostorEntry]:
        for key_path, entry, _ in installed_commands.nested_json_objects(below, (top,)):
            line = _line(entry)
            # Not a group of hooks, nor the object of events.
            is_handler = entry is not below and not isinstance(entry.get("hooks"), list)
            if not (_starts_gitmem(line) or ((named or whole) and is_handler)):
                continue
            if reason := self._of_handler(entry, line, alone=named or whole):
                at = () if whole else (top,) if named else _list_above(value, key_path)
                event = installed_commands.event_named_in_hook_line(line)
                item = None if named or whole else entry
                yield self._impostor(at, reason, value=item, whole=whole, event=event)

    def _of_handler(self, entry: dict[str, Any], line: str, *, alone: bool) -> str:
        _, words = installed_commands.shell_line_and_argv(entry, self.entry_identity.bases.system)
        is_hook = _IS_HOOK.search(line) is not None
        if not is_hook and not alone and self._is_plain(entry, words):
            return ""
        agent = templates.agent_in_hook_line(line) or self.host.name
        host = registry.find_host(agent)
        if HOOKS not in host.setup_parts:
            host = self.host
        expected = [
            handler
            for way in self._ways(words[:-3])
            for piece in self._pieces(host.name, HOOKS, way, "")
            for handler in _handlers_in(piece.value)
        ]
        return _difference(entry, [*expected, *self._recorded_entries(HOOKS)], self._harmless(host))

    def _is_plain(self, entry: dict[str, Any], argv: tuple[str, ...]) -> bool:
        """Whether it is a single call of this gitmem for something else, as its user may make."""
        lines = [entry[key] for key in _RUN if isinstance(entry.get(key), str)]
        if len(lines) != 1 or not installed_commands.is_single_shell_command(lines[0]):
            return False
        return any(argv[: len(way)] == way for size in (1, 3, 4) for way in self._ways(argv[:size]))

    def find_text_lines(self, content: bytes, fragment: ConfigFragment) -> Iterator[ImpostorEntry]:
        """Yield an ImpostorEntry for the whole file if it holds lines that gitmem did not write.

        For a plugin, or a file of rules that is all gitmem's (``fragment`` has a head). Rules of
        another version are only outdated, and additions to a recorded text are the user's.
        """
        text = edit_text.parse(file_pieces.decode_file(content).text).replace("\r\n", "\n")
        record = self.entry_identity.records.get(self.scope, {}).get(self.path)
        if self.path.endswith(".js"):
            written = record is not None and manifest.sha256_hex(content) == record.after
            rest = "" if written else self._not_of_program(text)
        else:
            rest = (
                edit_text.remove_fragments(text, (fragment,), None)
                if fragment.head and not record
                else ""
            )
        if rest.strip():
            first = _show(rest.strip().splitlines()[0])
            yield self._impostor(
                (), f"it holds lines that gitmem did not write: {first}", whole=True
            )

    def _not_of_program(self, text: str) -> str:
        """The lines of a plugin that differ from the nearest one that gitmem writes."""
        words = installed_commands.argv_in_plugin(text)
        expected = [
            piece.value.splitlines()
            for way in self._ways(words)
            for piece in self._pieces(self.host.name, self.part, way, "")
        ]
        lines = text.strip("\n").splitlines()
        if not lines or lines in expected:
            return ""
        rests = [[line for line in lines if line not in ours] for ours in expected]
        nearest = min(rests, key=len)
        return "\n".join(nearest) or "lines are missing"

    def _ways(self, argv: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """The commands with which an entry that starts ``argv`` may start gitmem."""
        ways = self.entry_identity.ways
        named = not os.path.dirname(argv[0]) or os.path.isabs(argv[0]) if argv else False
        if not named or not installed_commands.starts_only_gitmem(argv):
            return ways
        fits = self.scope == USER or installed_commands.is_own_command(argv, ways)
        return (*ways, argv) if fits else ways

    def _harmless(self, host: Host) -> dict[str, str | tuple[object, ...]]:
        """The additional keys that an entry may have here."""
        listed = host.harmless.get(self.part, {})
        return {key: kind for key, kind in listed.items() if self.scope == USER or kind != OWN}

    def _pieces(
        self, agent: str, setup_part: str, way: tuple[str, ...], place: str
    ) -> tuple[ConfigFragment, ...]:
        return templates.config_fragments(
            agent, setup_part, StartCommand(way, self.entry_identity.bases.system, place)
        )

    def _recorded_entries(self, setup_part: str) -> list[dict[str, Any]]:
        """The entries that setup wrote into this file."""
        record = self.entry_identity.records.get(self.scope, {}).get(self.path)
        pieces = record.fragments if record else ()
        values = [piece.value for piece in pieces if piece.part == setup_part]
        if setup_part == MCP:
            return [value for value in values if isinstance(value, dict)]
        return [handler for value in values for handler in _handlers_in(value)]

    def _impostor(
        self,
        at: tuple[str, ...],
        reason: str,
        *,
        value: dict[str, Any] | None = None,
        whole: bool = False,
        event: str = "",
    ) -> ImpostorEntry:
        agent, part = self.host.name, self.part
        event = event or part.partition(" ")[0]
        return ImpostorEntry(agent, part, self.scope, self.path, at, reason, value, whole, event)


def _handlers_in(value: Any) -> list[dict[str, Any]]:
    return [entry for _, entry, _ in installed_commands.nested_json_objects(value) if _line(entry)]


def _line(entry: dict[str, Any]) -> str:
    """All commands of an entry in one text, to search for words."""
    lines = [entry[key] for key in _RUN if isinstance(entry.get(key), str)]
    words = entry.get("args")
    return " ".join([*lines, *map(str, words if isinstance(words, list) else ())])


def _starts_gitmem(line: str) -> bool:
    """Whether a command starts something called gitmem, or gitmem's hooks in any way."""
    first = _FIRST_WORD.match(line)
    name = re.split(r"[\\/]", first[1])[-1] if first else ""
    named = name.partition(".")[0].casefold() == NAME
    return named or bool(_IS_HOOK.search(line) or _AS_MODULE.search(line))


def _list_above(value: Any, way: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that lead to the first list along ``way``."""
    ends = range(1, len(way) + 1)
    return next(
        (way[:end] for end in ends if isinstance(jsonc.value_at_keys(value, way[:end]), list)), way
    )


# --- how an entry differs from what gitmem writes ------------------------------------------------


def _difference(
    entry: Mapping[str, Any],
    expected: Sequence[Mapping[str, Any]],
    harmless: Mapping[str, str | tuple[object, ...]],
) -> str:
    """How an entry differs from the nearest expected one; empty if it equals one of them.

    ``harmless`` are additional keys that do not count, as in ``Host.harmless``.
    """
    bare = _without(entry, harmless)
    candidates = [_without(candidate, harmless) for candidate in expected]
    if any(_same(bare, candidate) for candidate in candidates):
        return ""
    words = _words(bare)
    nearest = max(candidates, key=lambda candidate: len(words & _words(candidate)), default={})
    reasons = []
    for key, item in bare.items():
        if key not in nearest or not _same(item, nearest[key]):
            more = f" where gitmem writes {_show(nearest[key])}" if key in nearest else ""
            reasons.append(f"{key} is {_show(item)}{more}")
    reasons += [f"{key} is missing" for key in nearest if key not in bare]
    return ", ".join(reasons)


def _words(entry: Mapping[str, Any]) -> set[str]:
    return set(re.findall(r"[^\s\"',:{}\[\]]+", _to_json(entry)))


def _without(
    entry: Mapping[str, Any], harmless: Mapping[str, str | tuple[object, ...]]
) -> dict[str, Any]:
    return {
        key: item
        for key, item in entry.items()
        if key not in harmless or not _is_harmless(item, harmless[key])
    }


def _is_harmless(item: Any, kind: str | tuple[object, ...]) -> bool:
    if isinstance(kind, tuple):
        return any(_same(item, value) for value in kind)
    number = isinstance(item, int | float) and not isinstance(item, bool)
    texts = isinstance(item, list) and all(isinstance(text, str) for text in item)
    fits: dict[str, bool] = {
        NUMBER: number,
        SWITCH: isinstance(item, bool),
        TEXT: isinstance(item, str),
        TEXTS: texts,
        EMPTY: _same(item, {}),
        OWN: True,
    }
    return fits[kind]


def _same(left: Any, other: Any) -> bool:
    """Whether both are the same JSON; in Python ``1`` equals ``True``."""
    return _to_json(left) == _to_json(other)


def _to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _show(value: Any) -> str:
    """A value for a message, with secrets masked."""
    from gitmem.text.redact import redact  # noqa: PLC0415 - only where something is refused

    return one_line(redact(_to_json(value)).text, _MOST_SHOWN)
