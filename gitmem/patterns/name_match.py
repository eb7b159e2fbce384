"""Matching names in rules with names in code: ``print``, ``console.log``, ``new Date``. Pure.

A name matches exactly, as written or as an import renamed it: ``print`` does not match
``self.print``. A leading dot matches any receiver, ``*`` any single name. Naming styles are here,
too.
"""

from __future__ import annotations

import re

from gitmem.indexing.syntax.code_facts import CodeFact, split_name_chain
from gitmem.model.frozen import dataclass

MAX_NAMES, LONGEST = 50, 120
_SHAPE = re.compile(r"(?:new )?\.?[\w$@*#]+!?(?:(?:\.|::|->)[\w$*#]+!?)*(?:\(\))?")
# Receivers of global names: `window.fetch` is `fetch`.
_GLOBALS = frozenset({"window", "globalThis", "global", "std", "core", "builtins"})
STYLES: dict[str, re.Pattern[str]] = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*"),
    "camelCase": re.compile(r"[a-z]+[a-zA-Z0-9]*"),
    "PascalCase": re.compile(r"[A-Z][a-zA-Z0-9]*"),
    "UPPER_CASE": re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)*"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*"),
}


@dataclass(frozen=True, slots=True)
class NameInRule:
    """A name in a rule, such as ``console.log``: its parts, outermost first.

    ``any_receiver``: it may follow any object, as ``.log``. ``needs_new``: ``new`` must precede it.
    """

    parts: tuple[str, ...]
    any_receiver: bool
    needs_new: bool


def is_code_name(text: str) -> bool:
    """Whether a text can be a name in a rule, such as ``print``, ``os.path`` or ``new Date``."""
    return len(text) <= LONGEST and _SHAPE.fullmatch(text.strip()) is not None


def parse_name_in_rule(text: str) -> NameInRule:
    """The NameInRule in a text for which ``is_code_name`` is true."""
    bare = text.strip().removesuffix("()")
    needs_new = bare.startswith("new ")
    bare = bare.removeprefix("new ").strip()
    anywhere = bare.startswith(".")
    return NameInRule(split_name_chain(bare.lstrip(".")), anywhere, needs_new)


def is_call_of_name(name: NameInRule, fact: CodeFact) -> bool:
    """Whether a call, found in code, calls a name of a rule, directly or as imports renamed it."""
    if name.needs_new and not fact.made:
        return False
    return any(_same(name, path) for path in _spellings(name, fact))


def is_use_of_name(name: NameInRule, fact: CodeFact) -> bool:
    """Whether a dotted name in code begins with a name of a rule, as ``os.environ.get`` may."""
    size = len(name.parts)
    for path in _spellings(name, fact):
        if name.any_receiver:
            if any(
                _fits(name.parts, path[at : at + size]) for at in range(1, len(path) - size + 1)
            ):
                return True
        elif _fits(name.parts, path[:size]) or (
            path[:1] and path[0] in _GLOBALS and _fits(name.parts, path[1 : size + 1])
        ):
            return True
    return False


def _spellings(name: NameInRule, fact: CodeFact) -> set[tuple[str, ...]]:
    """The name as written and as imports resolve it; a module does not count as a receiver."""
    return {fact.path} if name.any_receiver else {fact.path, fact.full}


def _same(name: NameInRule, path: tuple[str, ...]) -> bool:
    size = len(name.parts)
    if name.any_receiver:
        return len(path) > size and _fits(name.parts, path[-size:])
    if path[:1] and path[0] in _GLOBALS and len(path) == size + 1:
        path = path[1:]
    return _fits(name.parts, path)


def _fits(parts: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(parts) == len(path) and all(
        part in ("*", own) for part, own in zip(parts, path, strict=True)
    )


def is_import_of_module(rule_module: str, import_spellings: tuple[str, ...]) -> bool:
    """Whether an imported module is the module that a rule names, or inside it.

    ``import_spellings`` are ways to write the imported module. ``requests`` matches
    ``requests.adapters`` too, ``lodash`` also ``lodash/fp``.
    """
    want = _LINKS.split(rule_module.strip().removeprefix("node:"))
    for module in import_spellings:
        have = _LINKS.split(module.removeprefix("node:"))[: len(want)]
        if _fits(tuple(want), tuple(have)):
            return True
    return False


_LINKS = re.compile(r"[./]|::")


def follows_naming_style(style: str, name: str) -> bool:
    """Whether a name follows a style, a key of ``STYLES`` such as ``snake_case``.

    Leading and trailing underscores do not count; names such as ``__init__`` follow every style.
    """
    if name.startswith("__") and name.endswith("__"):
        return True
    bare = name.strip("_$#@").rstrip("?!=")
    if style == "PascalCase" and len(bare) > 3 and bare.isupper():
        return False
    return not bare or STYLES[style].fullmatch(bare) is not None


def naming_style(name: str) -> str:
    """The only style of ``STYLES`` that a name follows, such as ``camelCase``; else empty."""
    styles = [style for style in STYLES if follows_naming_style(style, name)]
    return styles[0] if len(styles) == 1 else ""
