"""What bears gitmem's name in a host's file and is not what gitmem writes.

Such a thing may have come with a clone, and its host runs it once its user approved gitmem. So it
is never taken over, only refused and named, or replaced on request. An entry is gitmem's if it is
what setup would write with one of the ways to start this gitmem, or what it wrote by its own
record; what its host's ``harmless`` lists may stand beside. A file of the user's own may name any
gitmem.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    PROJECT,
    SCOPES,
    SWITCH,
    TEXT,
    TEXTS,
    USER,
)
from gitmem.agents.wiring import edit_text, file_pieces, host_targets, installed_commands, templates
from gitmem.agents.wiring.templates import BLOCK, NAME, SET, SKILL, Program
from gitmem.errors import Conflict, GitmemError
from gitmem.model.frozen import dataclass
from gitmem.text import jsonc
from gitmem.text.fence import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import Bases
    from gitmem.agents.wiring.host_targets import Target
    from gitmem.agents.wiring.plan import Records
    from gitmem.agents.wiring.safe_write import Seen
    from gitmem.agents.wiring.templates import Piece

# The keys under which hosts name what a hook starts.
_RUN = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")
_IS_HOOK = re.compile(
    r"(?:^|[\s/\\\"'=;&|(`$])gitmem(?:\.\w+)?[\"']?\s+hook(?:\s|$)", re.IGNORECASE
)
_FIRST_WORD = re.compile(r"\s*(?:&\s*)?(?:\w+=\S*\s+)*[\"']?([^\s\"';&|]+)")
_AS_MODULE = re.compile(r"\s-m\s+gitmem(?:\s|$)", re.IGNORECASE)
_SHOWN, _MOST = 160, 3  # characters of a value, and impostors, that a refusal shows


@dataclass(frozen=True, slots=True)
class Known:
    """What gitmem knows of itself here.

    ``ways`` are those to start it, the one that setup writes down first; ``records`` what setup
    wrote, as far as that can be believed.
    """

    bases: Bases
    ways: tuple[tuple[str, ...], ...]
    records: Records


@dataclass(frozen=True, slots=True)
class Impostor:
    """One thing of gitmem's name that is not gitmem's.

    ``at`` are the keys that lead to it, none where it is the ``whole`` file; ``value`` is the hook
    in the list there, None for all that stands there. ``event`` is the one that it is fired for.
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

    @property
    def message(self) -> str:
        """What it is and how it differs."""
        where = f": {'.'.join(self.at)}" if self.at else ""
        return one_line(f"{self.path}{where} is not gitmem's: {self.reason}", 400)

    @property
    def hint(self) -> str:
        """Who mends it, and how."""
        return hint((self,))


def hint(found: Iterable[Impostor]) -> str:
    """Who mends them, and how."""
    each = list(found)
    names = " ".join(dict.fromkeys(one.agent for one in each))
    users = any(one.scope == USER and _is_in_project(one) for one in each)
    more = " --scope user" * users + " --skills" * any(one.part.startswith(SKILL) for one in each)
    return f"Look at it. `gitmem setup {names}{more} --replace` puts gitmem's own there."


def _is_in_project(one: Impostor) -> bool:
    """Whether setup would write the part to the project where no scope is named."""
    return (one.part, PROJECT) in registry.find(one.agent).places


def refuse(found: Iterable[Impostor]) -> None:
    """Raise Conflict, telling of the first of them, where there are any."""
    each = list(dict.fromkeys(one.message for one in found))
    if each:
        more = f", and {len(each) - _MOST} more" if len(each) > _MOST else ""
        raise Conflict("; ".join(each[:_MOST]) + more, hint(found))


def among(
    known: Known, targets: Iterable[Target], look: Callable[[str, str], Seen]
) -> list[Impostor]:
    """Those in every file in which the parts of some targets may stand in their scope.

    A file that nothing is written to and that cannot be read is passed over.
    """
    found: list[Impostor] = []
    for target in targets:
        host, part, scope = registry.find(target.agent), target.part, target.scope
        content = look(target.path, scope).content
        if content is not None:
            found += find(known, host, part, scope, target.path, content)
        also = host.reads_servers_of if (part, scope) == (MCP, PROJECT) else ()
        for each in (host, *map(registry.find, also)):
            for path in installed_commands.files(known.bases, each, part, scope):
                if path != target.path:
                    found += _in_file(known, each, part, scope, path, look)
    return found


def of_host(known: Known, host: Host, look: Callable[[str, str], Seen]) -> list[Impostor]:
    """Those in all files of a host that can be read."""
    return [
        one
        for part in host.parts
        for scope in SCOPES
        for path in installed_commands.files(known.bases, host, part, scope)
        for one in _in_file(known, host, part, scope, path, look)
    ]


def _in_file(
    known: Known, host: Host, part: str, scope: str, path: str, look: Callable[[str, str], Seen]
) -> list[Impostor]:
    with suppress(GitmemError):
        content = look(path, scope).content
        if content is not None:
            return find(known, host, part, scope, path, content)
    return []


def find(
    known: Known, host: Host, part: str, scope: str, path: str, content: bytes
) -> list[Impostor]:
    """Those in one file for one part. Raises InvalidInput for what does not parse."""
    if part.startswith(SKILL):
        pieces: tuple[Piece, ...] = (templates.skill(host.name, part.removeprefix(SKILL)),)
    else:
        pieces = templates.pieces(host.name, part, Program((NAME,), known.bases.system))
    search = _Search(known, host, part, scope, path)
    try:
        if any(piece.kind == BLOCK for piece in pieces):
            return list(search.beside_lines(content, pieces[0]))
        text = file_pieces.decoded(content).text
        value = installed_commands.parsed(path, content)
        if part == MCP:
            at = next(piece.path for piece in pieces if piece.kind == SET)
            return list(search.entries(text, value, at))
        return list(search.hooks(value, {piece.path[0] for piece in pieces}))
    except GitmemError as error:
        raise file_pieces.telling(path)(error) from error


def cleaned(
    known: Known, path: str, scope: str, content: bytes, whose: Collection[tuple[str, str]]
) -> bytes | None:
    """The file without impostors of some agents' parts; None where it was one as a whole.

    Raises InvalidInput where one cannot be taken out without changing the rest.
    """
    now = content
    for agent, part in whose:
        found = find(known, registry.find(agent), part, scope, path, now)
        if any(one.whole for one in found):
            return None
        if found:
            now = file_pieces.without(path, now, [(one.at, one.value) for one in found])
            if left := find(known, registry.find(agent), part, scope, path, now):
                raise file_pieces.entangled(path, ".".join(left[0].at))
    return now


@dataclass(frozen=True, slots=True)
class _Search:
    """The search in one file for one part of one host."""

    known: Known
    host: Host
    part: str
    scope: str
    path: str

    def entries(self, text: str, value: Any, at: tuple[str, ...]) -> Iterator[Impostor]:
        """MCP entries of the name, however it is spelt."""
        above = jsonc.value_at(value, at[:-1])
        for key, entry in above.items() if isinstance(above, dict) else ():
            if key.strip().casefold() != NAME:
                continue
            reason = f"its name is {_shown(key)}" if key != NAME else self._of_entry(entry)
            count = 1 if self.path.endswith(".toml") else _count(text, at, key)
            if count > 1:
                reason = f"the name stands there {count} times"
            if reason:
                yield self._impostor((*at[:-1], key), reason)

    def _of_entry(self, entry: Any) -> str:
        if not isinstance(entry, dict):
            return f"it is {_shown(entry)} and no entry"
        words = installed_commands.server_words(entry)
        own = words[: words.index("mcp")] if "mcp" in words else ()
        place = host_targets.named(self.known.bases, self.host, MCP, self.scope)
        if self.scope == USER and "-C" in words[:-1]:
            place = words[words.index("-C") + 1]
        wanted = [
            piece.value
            for way in self._ways(own)
            for where in dict.fromkeys((place, ""))
            for piece in self._pieces(self.host.name, MCP, way, where)
            if piece.kind == SET
        ]
        return self._difference(entry, [*wanted, *self._recorded(MCP)], self.host)

    def hooks(self, value: Any, tops: Collection[str]) -> Iterator[Impostor]:
        """Hooks that call something of the name, and all others where the place bears it."""
        whole = _is_named(self.path) and self.path not in self.known.records.get(self.scope, {})
        if not isinstance(value, dict):
            return
        if whole and (strange := [key for key in value if key not in {*tops, "version"}]):
            yield self._impostor((), f"it holds {_shown(strange[0])}", whole=True)
        for top, below in value.items():
            named = NAME in tops and top.strip().casefold() == NAME
            if named and top != NAME:
                yield self._impostor((top,), f"its name is {_shown(top)}")
            elif top in tops or NAME in tops:
                yield from self._below(value, top, below, named=named, whole=whole)

    def _below(
        self, value: Any, top: str, below: Any, *, named: bool, whole: bool
    ) -> Iterator[Impostor]:
        for way, entry, _ in installed_commands.handlers(below, (top,)):
            line = _line(entry)
            if not (_calls(line) or ((named or whole) and _is_handler(entry, below))):
                continue
            if reason := self._of_handler(entry, line, alone=named or whole):
                at = () if whole else (top,) if named else _list_above(value, way)
                event = installed_commands.event_in(line)
                one = None if named or whole else entry
                yield self._impostor(at, reason, value=one, whole=whole, event=event)

    def _of_handler(self, entry: dict[str, Any], line: str, *, alone: bool) -> str:
        words = installed_commands.words_of(entry, self.known.bases.system)
        is_hook = _IS_HOOK.search(line) is not None
        if not is_hook and not alone and self._is_plain(entry, words):
            return ""
        agent = templates.hook_agent(line) or self.host.name
        host = registry.find(agent)
        if HOOKS not in host.parts:
            host = self.host
        wanted = [
            handler
            for way in self._ways(words[:-3])
            for piece in self._pieces(host.name, HOOKS, way, "")
            for handler in _handlers_in(piece.value)
        ]
        return self._difference(entry, [*wanted, *self._recorded(HOOKS)], host)

    def _is_plain(self, entry: dict[str, Any], words: tuple[str, ...]) -> bool:
        """Whether it is one call of gitmem for something else, which is its user's affair."""
        lines = [entry[key] for key in _RUN if isinstance(entry.get(key), str)]
        if len(lines) != 1 or not installed_commands.is_one_call(lines[0]):
            return False
        return any(
            words[: len(way)] == way for size in (1, 3, 4) for way in self._ways(words[:size])
        )

    def beside_lines(self, content: bytes, piece: Piece) -> Iterator[Impostor]:
        """A text that bears the name and holds more than gitmem's lines."""
        own = bool(piece.head) or self.path.endswith(".js")
        if not own or self.path in self.known.records.get(self.scope, {}):
            return
        text = edit_text.parse(file_pieces.decoded(content).text)
        rest = edit_text.take(text.replace("\r\n", "\n"), (piece,), None).strip()
        if rest:
            told = _shown(rest.splitlines()[0])
            yield self._impostor(
                (), f"it holds lines that gitmem did not write: {told}", whole=True
            )

    def _ways(self, words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """The ways in which an entry may start gitmem, where it starts it with these words."""
        ways = self.known.ways
        named = not os.path.dirname(words[0]) or os.path.isabs(words[0]) if words else False
        if not named or not installed_commands.is_gitmem(words):
            return ways
        fits = self.scope == USER or installed_commands.is_this(words, ways)
        return (*ways, words) if fits else ways

    def _pieces(self, agent: str, part: str, way: tuple[str, ...], place: str) -> tuple[Piece, ...]:
        return templates.pieces(agent, part, Program(way, self.known.bases.system, place))

    def _recorded(self, part: str) -> list[dict[str, Any]]:
        """The entries that setup wrote into this file."""
        record = self.known.records.get(self.scope, {}).get(self.path)
        mine = [one.value for one in record.pieces if one.part == part] if record else []
        if part == MCP:
            return [one for one in mine if isinstance(one, dict)]
        return [handler for one in mine for handler in _handlers_in(one)]

    def _difference(self, entry: dict[str, Any], wanted: list[dict[str, Any]], host: Host) -> str:
        """How an entry differs from all that are gitmem's; empty where it is one of them."""
        harmless = host.harmless.get(self.part, {})
        bare = _without_harmless(entry, harmless)
        each = [_without_harmless(one, harmless) for one in wanted]
        if any(_same(bare, one) for one in each):
            return ""
        nearest = max(each, key=lambda one: _alike(bare, one), default={})
        told = [
            _told(key, item, nearest) for key, item in bare.items() if _differs(key, item, nearest)
        ]
        told += [f"{key} is missing" for key in nearest if key not in bare]
        return ", ".join(told)

    def _impostor(
        self,
        at: tuple[str, ...],
        reason: str,
        *,
        value: dict[str, Any] | None = None,
        whole: bool = False,
        event: str = "",
    ) -> Impostor:
        part = self.part
        told = event or part.partition(" ")[0]
        return Impostor(self.host.name, part, self.scope, self.path, at, reason, value, whole, told)


def _count(text: str, at: tuple[str, ...], key: str) -> int:
    """How often a key stands in its object: of several, hosts take one or another."""
    clean = jsonc.blanked(text)
    start, _ = jsonc.span(clean, at[:-1])
    return sum(1 for one in jsonc.entries(clean, start) if one.key == key)


def _is_named(path: str) -> bool:
    return os.path.basename(path).split(".")[0] == NAME


def _is_handler(entry: dict[str, Any], events: Any) -> bool:
    """Whether an object is a hook, and not a group of them or the events that hold them."""
    return entry is not events and not isinstance(entry.get("hooks"), list)


def _handlers_in(value: Any) -> list[dict[str, Any]]:
    return [one for _, one, _ in installed_commands.handlers(value) if _line(one)]


def _line(entry: dict[str, Any]) -> str:
    """All that an entry says to start, to look for words in."""
    told = [entry[key] for key in _RUN if isinstance(entry.get(key), str)]
    more = entry.get("args")
    return " ".join([*told, *(str(one) for one in (more if isinstance(more, list) else ()))])


def _calls(line: str) -> bool:
    """Whether it starts something called gitmem, or hooks of gitmem by whatever way."""
    first = _FIRST_WORD.match(line)
    name = re.split(r"[\\/]", first[1])[-1] if first else ""
    named = name.partition(".")[0].casefold() == NAME
    return named or bool(_IS_HOOK.search(line) or _AS_MODULE.search(line))


def _list_above(value: Any, way: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that lead to the first list on a way."""
    ends = range(1, len(way) + 1)
    return next(
        (way[:end] for end in ends if isinstance(jsonc.value_at(value, way[:end]), list)), way
    )


def _without_harmless(
    entry: Mapping[str, Any], harmless: Mapping[str, str | tuple[object, ...]]
) -> dict[str, Any]:
    return {
        key: item
        for key, item in entry.items()
        if key not in harmless or not _fits(item, harmless[key])
    }


def _fits(item: Any, kind: str | tuple[object, ...]) -> bool:
    if isinstance(kind, tuple):
        return any(_same(item, one) for one in kind)
    number = isinstance(item, int | float) and not isinstance(item, bool)
    texts = isinstance(item, list) and all(isinstance(one, str) for one in item)
    fits = {NUMBER: number, SWITCH: isinstance(item, bool), TEXT: isinstance(item, str)}
    return (fits | {TEXTS: texts, EMPTY: item == {}})[kind]


def _same(one: Any, other: Any) -> bool:
    """Whether both are the same JSON: to Python ``1`` and ``true`` are equal."""
    return _as_json(one) == _as_json(other)


def _as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _alike(entry: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """How many words both have."""
    return len({*_as_json(entry).split()} & {*_as_json(other).split()})


def _differs(key: str, item: Any, nearest: Mapping[str, Any]) -> bool:
    return key not in nearest or not _same(item, nearest[key])


def _told(key: str, item: Any, nearest: Mapping[str, Any]) -> str:
    more = f" where gitmem writes {_shown(nearest[key])}" if key in nearest else ""
    return f"{key} is {_shown(item)}{more}"


def _shown(value: Any) -> str:
    """A value for people, its secrets masked."""
    from gitmem.text.redact import redact  # noqa: PLC0415 - only where something is refused

    return one_line(redact(_as_json(value)).text, _SHOWN)
