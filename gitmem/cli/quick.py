"""Reading the arguments of the hot commands without click.

Understands exactly what click would accept, or answers None and leaves it to click: whatever is
unusual (an abbreviation, ``--help``, a wrong value) is not worth a second implementation. A test
holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitmem import operations
from gitmem.cli.call import Call
from gitmem.operations.registry import READ, Field, fields


def read(words: Sequence[str]) -> Call | None:
    """The call that a command line means, or None where click is to read it."""
    operation = operations.load(words[0])
    known = [field for field in fields(operation.request) if field.arg.cli]
    positional = [field for field in known if field.arg.positional]
    options = _spellings(known)
    given: dict[str, Any] = {}
    place, wants_json, agent = ".", False, ""
    loose: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        name, equals, inline = word.partition("=")
        if word == "--json":
            wants_json = True
        elif word == "-C":
            place = next(rest, "")
        elif name == "--agent" and operation.effect != READ:
            said = inline if equals else next(rest, None)
            if said is None:
                return None
            agent = said
        elif word.startswith("-") and word != "-":
            field = options.get(name if name.startswith("--") else word)
            if field is None or (equals and not name.startswith("--")):
                return None
            if field.type is bool:
                if equals:
                    return None
                given[field.name] = True
                continue
            value = _value(field, inline if equals else next(rest, None))
            if value is None:
                return None
            given[field.name] = (*given.get(field.name, ()), value) if field.many else value
        else:
            loose.append(word)
    if not place or not _place(positional, loose, given):
        return None
    if any(field.required and field.name not in given for field in known):
        return None
    return Call(operation, given, place, wants_json, agent)


def _spellings(known: Sequence[Field]) -> dict[str, Field]:
    found = {}
    for field in known:
        if not field.arg.positional:
            found[field.option] = field
            if field.arg.short:
                found[field.arg.short] = field
    return found


def _value(field: Field, raw: str | None) -> Any:
    """The value of an option, or None where click would refuse it."""
    if raw is None or (raw.startswith("-") and raw != "-" and field.type is str):
        # A value that looks like an option: click takes it, but let click say so.
        return None
    try:
        value = field.type(raw)
    except ValueError:
        return None
    arg = field.arg
    if arg.choices and value not in arg.choices:
        return None
    if arg.least is not None and not value >= arg.least:
        return None
    if arg.most is not None and not value <= arg.most:
        return None
    return value


def _place(positional: Sequence[Field], loose: list[str], given: dict[str, Any]) -> bool:
    """Put loose words into positional fields; False where they do not fit."""
    for field in positional:
        if field.many:
            if not loose:
                return False
            given[field.name] = tuple(loose)
            loose = []
        elif field.arg.words and loose:
            given[field.name] = " ".join(loose)
            loose = []
        elif loose:
            given[field.name] = loose.pop(0)
            if field.arg.choices and given[field.name] not in field.arg.choices:
                return False
        elif field.required:
            return False
    return not loose
