"""Reading the tables: one text in ``systems`` for each of five systems, turned into its calls.

Below ``tool NAME, OTHER NAME: VERB``, indented, is what the tool takes and answers. ``tool NAME
like OTHER`` takes from another call what is not given here. A ``choice`` is one name for several
calls, each an ``action``. ``--`` at the beginning continues the line above, ``#`` begins a comment.

``takes`` has arguments, separated by commas: ``limit: integer = 10 -> limit -- Why.`` is a name, a
JSON type or words to choose from (``!``: required), a default, and the meaning: a field of the
operation (``field+``: added to it), ``field by FUNCTION`` of ``argument_converters``,
``sift FUNCTION`` of ``item_filters``, a field and a filter joined by ``and``, ``by FUNCTION``
alone, which may refuse the value, or nothing; with ``stays`` the value also stays in its object,
with ``only`` an object has no other fields. A bare name is one of the text's ``arguments``,
``<name>`` a group of them, ``<base>`` all arguments of the call that this one is like.

``answers`` has fields, separated by commas: ``name`` is that field of the result, ``name: path`` a
path in it, in the arguments (``asked.``) or in the project (``here.``); ``name: FUNCTION(...)`` is
the result of a function of the system's words, of ``memory_layer_check_answers``,
``answer_converters`` or ``argument_converters``, whose arguments are paths or functions; JSON is
itself, and a text with ``{path}`` or ``{FUNCTION(...)}`` is filled in. ``each path {...}`` is a
list, ``<name at path>`` a ``shape``, ``..path`` all fields that are there; ``name if path: ...`` is
present only if there is a value. ``also`` adds to the fields of the call that this one is like,
``under FIELD`` puts them below a field.

``fixed`` are arguments of the operation, ``first`` and ``then`` additional operations; ``field <-
path`` is looked up, ``most 50`` cuts it, ``by FUNCTION`` converts it. ``retry FIELD: VALUE ->
OTHER`` asks again where there are no items. The rest is as in ``emulated_tool``. A table with an
unknown name raises at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from gitmem.mcp.compat import (
    answer_converters,
    argument_converters,
    item_filters,
    memory_layer_check_answers,
)
from gitmem.mcp.compat.answer_template import (
    FACTS,
    ComputedValueTemplate,
    ConstantTemplate,
    ListTemplate,
    OptionalFieldTemplate,
)
from gitmem.mcp.compat.emulated_tool import (
    AdditionalOperation,
    ArgumentMapping,
    ArgumentValuePath,
    EmulatedMultiActionTool,
    EmulatedTool,
)
from gitmem.model.frozen import replace

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "any")
_ARGUMENT = re.compile(r"(\w+): ([\w|-]+(?:\| [\w|-]+)*)(!?)(?: = (.+?))?(?: -> (.+?))?")
_SIFTED = re.compile(r"(?:(.+) and )?sift (.+)")
_FIELD = re.compile(r"(\w+)(?: if ([\w.]+))?(?::(?: (.+))?)?")
_EACH = re.compile(r"each ([\w.]+)(?: most (\d+))?(?: (.+))?")
_SHAPE = re.compile(r"<([\w ]+?)(?: at ([\w.]+))?>")
_FUNCTION = re.compile(r"(\w+)\((.*)\)")
_PLACE = re.compile(r"([\w.]+)(?: each (\w+))?(?: most (\d+))?(?: or ([\w.]+))?(?: by (\w+))?")
_STEP = re.compile(r"(\w+): ([^,]+?)(?: if ([\w. ]+))?(?:, (.+))?")
_BRACES = re.compile(r"\{([\w.(), ]+)\}")
# Paths into what was asked and where are the same wherever a shape is used.
_AROUND = ("asked.", "here.")
Node = tuple[str, list[Any]]  # a line, and those below it that are indented further


class EmulatedToolRegistry:
    """The tools of other memory systems and how gitmem answers them, read from text tables.

    ``calls`` and ``choices`` map names of tools to their records, ``waiting`` each system to the
    tools that cannot be answered yet, with the reason.
    """

    def __init__(self) -> None:
        self.calls: dict[str, EmulatedTool] = {}
        self.choices: dict[str, EmulatedMultiActionTool] = {}
        self.waiting: dict[str, dict[str, str]] = {}
        self._system = ""
        self._words: tuple[ModuleType, ...] = ()
        self._arguments: dict[str, ArgumentMapping] = {}
        self._groups: dict[str, dict[str, ArgumentMapping]] = {}
        self._shapes: dict[str, dict[str, Any]] = {}

    def add_tools_from_table(self, table_text: str, function_module: ModuleType) -> None:
        """Add the tools in one system's table to ``calls``, ``choices`` or ``waiting``.

        Functions that the table names are looked up in the module ``function_module``, then in
        those that all tables share. Raises ValueError for a line or function that is unknown.
        """
        self._words = (
            function_module,
            memory_layer_check_answers,
            answer_converters,
            argument_converters,
        )
        self._arguments, self._groups = {}, {}
        for line, below in _tree(table_text):
            what, _, rest = line.partition(" ")
            if what == "system":
                self._system = rest
                self.waiting.setdefault(rest, {})
            elif what == "arguments":
                into = self._groups.setdefault(rest, {}) if rest else self._arguments
                into |= self._takes("", below, {})
            elif what == "shape":
                self._shapes[rest] = self._object("", below)
            elif what == "tool":
                names, base, verb = _head(line)
                like = (
                    self.calls[base] if base else EmulatedTool(self._system, names, verb, {}, None)
                )
                self.calls |= dict.fromkeys(names, self._call(names, like, below))
            elif what == "choice":
                self._choice(_head(line)[0], below)
            else:
                self.waiting[self._system] |= dict(name.split(" -- ", 1) for name, _ in below)

    # --- calls -----------------------------------------------------------------------------------

    def _choice(self, names: tuple[str, ...], below: list[Node]) -> None:
        actions: dict[str, EmulatedTool] = {}
        facts: dict[str, Any] = {"by": "", "detect": ()}
        for line, inner in below:
            what, _, rest = line.partition(" ")
            if what == "action":
                (name,), base, verb = _head(line)
                like = EmulatedTool(self._system, names, verb, {}, None)
                if base:
                    like = actions.get(base) or self.calls[base]
                actions[name] = self._call(names, like, inner)
            elif what == "detect":
                facts[what] = tuple(tuple(sign.split(" -> ")) for sign in _parts(rest))
            else:
                facts[what] = _function(rest, self._words) if what == "guess" else rest
        for name in names:
            self.choices[name] = EmulatedMultiActionTool(
                self._system, name, actions=actions, **facts
            )

    def _call(self, names: tuple[str, ...], like: EmulatedTool, below: list[Node]) -> EmulatedTool:
        facts: dict[str, Any] = {"names": names}
        for line, inner in below:
            what, _, rest = line.partition(" ")
            if what == "takes":
                facts[what] = self._takes(rest, inner, like.takes)
            elif what == "answers":
                facts[what] = self._object(rest, inner)
            elif what == "also":
                facts["answers"] = {**(like.answers or {}), **self._object(rest, inner)}
            elif what == "under":
                facts["answers"] = self._under(rest, inner, like)
            elif what == "fixed":
                facts[what] = dict(map(_value, _parts(rest)))
            elif what in ("first", "then"):
                facts[what] = {**facts.get(what, getattr(like, what)), **_step(rest)}
            elif what == "retry":
                field, _, values = rest.partition(": ")
                tried, _, other = values.partition(" -> ")
                facts[what] = {field: (tried, other)}
            elif what == "sift":
                function, _, value = rest.partition(" = ")
                facts["sifts"] = ((_function(function, (item_filters,)), json.loads(value)),)
            else:
                facts[what] = rest or True
        return replace(like, **facts)

    def _under(self, line: str, below: list[Node], like: EmulatedTool) -> dict[str, Any]:
        """The answer of another call, a part of it or another shape under a field of a gateway."""
        field, _, part = line.partition(" from ")
        field, _, text = field.partition(" = ")
        shape: Any = like.answers or {}
        if text or below:
            shape = self._expression(text, below)
        return {
            "sources_used": ConstantTemplate([like.names[0]]),
            field: shape[part] if part else shape,
        }

    # --- arguments -------------------------------------------------------------------------------

    def _takes(
        self, line: str, below: list[Node], base: Mapping[str, ArgumentMapping]
    ) -> dict[str, ArgumentMapping]:
        takes: dict[str, ArgumentMapping] = {}
        for text, inner in [(line, []), *below]:
            head, _, why = text.partition(" -- ")
            parts = _parts(head)
            for number, part in enumerate(parts, 1):
                # What is indented, and why, belongs to the last argument of the line above.
                last = number == len(parts)
                if part.startswith("<"):
                    takes |= base if part == "<base>" else self._groups[part[1:-1]]
                elif ": " in part:
                    takes |= self._argument(part, why if last else "", inner if last else [])
                else:
                    name, _, default = part.partition(" = ")
                    to = takes.get(name) or self._arguments[name]
                    takes[name] = replace(to, default=json.loads(default)) if default else to
        return takes

    def _argument(self, text: str, why: str, below: list[Node]) -> dict[str, ArgumentMapping]:
        name, kind, needed, default, target = _match(_ARGUMENT, text)
        if below and kind != "object":
            raise ValueError(f"a table has something below {text!r}, which is no object")
        choices = () if kind in _TYPES else tuple(kind.replace(" ", "").split("|"))
        field, change, sift = target or "", None, None
        words = field.split(" ")
        # At the beginning, "only" is the field of that name.
        stays, only = "stays" in words, "only" in words[1:]
        field = " ".join(
            word for at, word in enumerate(words) if word != "stays" and (word != "only" or not at)
        )
        if match := _SIFTED.fullmatch(field):
            field, sift = match[1] or "", _function(match[2], (item_filters,))
        if " by " in f" {field}":
            field, _, function = f" {field}".partition(" by ")
            field = field.strip()
            change = _function(function, (argument_converters,))
        adds, field = field.endswith("+"), field.removesuffix("+")
        kind = "string" if choices else kind
        inside = self._takes("", below, {})
        value = default and _literal(default)
        mapping = ArgumentMapping(
            kind, field, value, bool(needed), change, sift, why, inside, choices, stays, only
        )
        return {name: replace(mapping, adds=adds)}

    # --- answers ---------------------------------------------------------------------------------

    def _object(self, line: str, below: list[Node]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for text, inner in [(line, []), *below]:
            parts = _parts(text)
            for number, part in enumerate(parts, 1):
                if part.startswith("<"):
                    fields |= self._shape(part)
                    continue
                if part.startswith(FACTS):
                    fields[FACTS] = part.removeprefix(FACTS)
                    continue
                # What is indented belongs to the last field of the line above.
                under = inner if number == len(parts) else []
                name, where, content = _match(_FIELD, part)
                shape = self._expression(content if content or under else name, under)
                fields[name] = OptionalFieldTemplate(where, shape) if where else shape
        return fields

    def _expression(self, text: str | None, below: list[Node]) -> Any:
        if not text:
            return self._object("", below)
        if text.startswith("each "):
            path, most, item = _match(_EACH, text)
            shape = self._expression(item, below)
            return ListTemplate(path, shape, int(most)) if most else ListTemplate(path, shape)
        if below:
            raise ValueError(f"a table has something below {text!r}, which is no list or object")
        if text.startswith("{"):
            return self._object(text[1:-1], [])
        if text.startswith("<"):
            return self._shape(text)
        if text.startswith('"') and (parts := _BRACES.findall(text)):
            fill = _BRACES.sub("{}", json.loads(text)).format
            return ComputedValueTemplate(fill, *(self._expression(part, []) for part in parts))
        if text[0] in '"[0123456789' or text in ("true", "false", "null"):
            return ConstantTemplate(json.loads(text))
        if "(" in text:
            name, inner = _match(_FUNCTION, text)
            parts = [self._expression(part, []) for part in _parts(inner)]
            return ComputedValueTemplate(_function(name, self._words), *parts)
        return text

    def _shape(self, text: str) -> dict[str, Any]:
        name, at = _match(_SHAPE, text)
        shape = self._shapes[name]
        return _prefix_paths(shape, f"{at}.") if at else shape


def _tree(text: str) -> list[Node]:
    top: list[Node] = []
    parents: list[tuple[int, list[Node]]] = [(-1, top)]
    for line in text.splitlines():
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        if content.startswith("-- "):
            siblings = parents[-2][1]
            before, below = siblings[-1]
            siblings[-1] = (f"{before} {content[3:]}", below)
            continue
        indent = len(line) - len(line.lstrip())
        while parents[-1][0] >= indent:
            parents.pop()
        node: Node = (content, [])
        parents[-1][1].append(node)
        parents.append((indent, node[1]))
    return top


def _parts(text: str) -> list[str]:
    """What stands between commas that are in no bracket and no quotes."""
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    for at, sign in enumerate(text):
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in "([{)]}":
            depth += 1 if sign in "([{" else -1
        elif sign == "," and not quoted and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, last] if (last := text[start:].strip()) else parts


def _match(pattern: re.Pattern[str], text: str) -> tuple[Any, ...]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(f"a table has {text!r}, which is not {pattern.pattern}")
    return match.groups()


def _head(line: str) -> tuple[tuple[str, ...], str, str]:
    """``tool a, b like c: verb`` as names, the call they are like, and the verb."""
    names, _, verb = line.partition(" ")[2].partition(": ")
    names, _, base = names.partition(" like ")
    return tuple(_parts(names)), base, verb


def _function(text: str, modules: tuple[ModuleType, ...]) -> Callable[..., Any]:
    """A function by its name; with parentheses the one that it makes of words or of pairs."""
    name, bracket, inner = text.partition("(")
    function: Any = next((vars(module)[name] for module in modules if name in vars(module)), None)
    if not callable(function):
        raise ValueError(f"a table has the function {text!r}, which is not there")
    words = _parts(inner.removesuffix(")"))
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    made: Callable[..., Any] = function if not bracket else function(*([pairs] if pairs else words))
    return made


def _literal(text: str) -> Any:
    """JSON, else a word as it stands."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _value(text: str) -> tuple[str, Any]:
    """``name=JSON``, or ``name <- path``."""
    name, _, place = text.partition(" <- ")
    if place:
        path, each, most, other, function = _match(_PLACE, place)
        change = _function(function, (argument_converters,)) if function else None
        return name, ArgumentValuePath(path, int(most or 0), other or "", each or "", change)
    name, _, text = text.partition("=")
    value = _literal(text)
    return name, tuple(value) if isinstance(value, list) else value


def _step(text: str) -> dict[str, AdditionalOperation]:
    """``name: verb if path and not path, field <- path``."""
    name, verb, where, gives = _match(_STEP, text)
    return {name: AdditionalOperation(verb, dict(map(_value, _parts(gives or ""))), where or "")}


def _prefix_paths(shape: Any, under: str) -> Any:
    """A shape whose paths lie under another one."""
    if isinstance(shape, str):
        return shape if shape.startswith(_AROUND) else under + shape
    if isinstance(shape, ComputedValueTemplate):
        return ComputedValueTemplate(
            shape.change, *(_prefix_paths(part, under) for part in shape.parts)
        )
    if isinstance(shape, Mapping):
        return {name: _prefix_paths(part, under) for name, part in shape.items()}
    raise ValueError("a shape with a list or a constant is used where it stands")
