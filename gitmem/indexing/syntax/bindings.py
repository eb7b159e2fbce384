"""Finding the types of names: ``store: Database``, ``app = App()``, ``self.app = app``.

Read by patterns, one for each way of writing it: a line says it in nearly every language, and a
second walk through the tree would cost a third of the first. Comments are blank by then. What is
taken wrongly (``key: value`` of a table) names no type that anybody defines.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from re import MULTILINE, Match, Pattern, compile

from gitmem.languages import registry

# Kinds: declared as a type, made from an expression.
DECLARED, MADE = ":", "="
EXPORTED = "export"  # a name for other files: `export { here as name }`
RETURNED = "return"  # stands for the name of what a function gives back
MOST = 4_000
_NAME = rb"[A-Za-z_$][\w$]*"
_PATH = rb"[A-Za-z_$\\][\w$.:\\]*"


@cache
def _patterns(grammar: str) -> tuple[Pattern[bytes], ...]:
    return tuple(_pattern(text) for text in registry.language_properties(grammar).bindings)


def _pattern(text: bytes) -> Pattern[bytes]:
    words = text.replace(b"NAME", _NAME).replace(b"PATH", _PATH)
    return compile(words, MULTILINE)


_DEFAULT = compile(
    rb"^[ \t]*export[ \t]+default[ \t]+(?:abstract[ \t]+)?(?:async[ \t]+)?"
    rb"(?:function\b\*?|class\b)?[ \t]*(?P<value>[A-Za-z_$][\w$]*)",
    MULTILINE,
)
_LISTED = compile(rb"\bexport[ \t]+(?:type[ \t]+)?\{([^{}]*)\}(\s*from\b)?")
_STARRED = compile(rb"\bexport[ \t]*\*[ \t]*as[ \t]+([\w$]+)")
# What a function of no declared type gives back: something new, or what it was called on.
_RETURNED = _pattern(rb"\breturn[ \t]+(?:new[ \t]+(?P<value>PATH)[(<]|(?P<own>this)[ \t]*;?$)")
# A value of a value: `export const procedure = t.procedure;`.
_PLAIN = _pattern(rb"^(?:export )?const (?P<name>NAME)[ \t]*=[ \t]*(?P<value>NAME(?:\.NAME)+);?$")
_NOT_TYPES = frozenset(
    b"return new else throw await yield delete case in of not and or if is None True False true "
    b"false null nil str int bool float bytes object any string number boolean void char byte long "
    b"short double size_t error self let const var func public private static final package import "
    b"goto typedef extends implements unsigned signed unknown never undefined lambda for while i32 "
    b"i64 u8 u16 u32 u64 usize isize f32 f64 require t.Any Any None".split()
)
_NOT_NAMES = frozenset(
    b"if return else for while switch case default as in of do try class import from export".split()
)
_MODULE_EXPORTS = compile(rb"module\.exports\s*=\s*(?:new )?([A-Za-z_$][\w$]*)[ \t]*(?:[;\n(]|\Z)")


def find_name_bindings(
    grammar: str, data: bytes, comment_spans: list[tuple[int, int]]
) -> list[tuple[int, str, str, str]]:
    """The names that a file declares with a type or assigns to, in the order of the lines.

    Each is (line, name, kind, type or assigned expression); the kind is ``:`` for a declared type,
    ``=`` for an assignment, ``export`` for a name given to other files. ``comment_spans`` are the
    (first byte, end) of comments, which are skipped. At most 4,000; none for a language without
    patterns.
    """
    patterns = _patterns(grammar)
    if not patterns:
        return []
    text = _without(data, comment_spans)
    starts = _starts(text)
    found: list[tuple[int, str, str, str]] = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            kind, value = _read_binding(groups)
            if value and len(value) <= 100 and len(found) < MOST:
                fixed = "default" if "default" in groups else RETURNED
                name = groups.get("name", fixed.encode()).decode("utf-8", "replace")
                name = name.replace("->", ".").removeprefix("cls.")
                place = match.start("name" if "name" in groups else "value")
                found.append((bisect_right(starts, place), name, kind, value))
    if registry.language_properties(grammar).exports_alone:
        found += _exported(text, starts)
    return sorted(set(found))


def _read_binding(groups: dict[str, bytes]) -> tuple[str, str]:
    """The kind of a binding, and its type or expression; "" where it says nothing."""
    if groups.get("name") in _NOT_NAMES:
        return MADE, ""
    declared = groups.get("type")
    if declared is not None:
        bare = declared.strip(b"\"':")
        return DECLARED, "" if bare in _NOT_TYPES or len(bare) < 2 else _text(bare)
    value = groups["value"]
    if "default" in groups:
        return MADE, _text(value)
    if value in _NOT_TYPES:
        return MADE, ""
    call = groups["call"]
    if call:
        return MADE, _text(value) + "()"
    # A plain name matters where an attribute is set from a parameter.
    attribute = groups.get("name", b"").startswith((b"self.", b"this.", b"$this"))
    return MADE, _text(value) if attribute else ""


def _exported(text: bytes, starts: list[int]) -> list[tuple[int, str, str, str]]:
    """What a module of JavaScript is as a whole, its values of values, what functions return."""
    found = []
    for match in _RETURNED.finditer(text):
        given = "this" if match["own"] else _text(match["value"]) + "()"
        found.append((bisect_right(starts, match.start()), RETURNED, MADE, given))
    for match in _PLAIN.finditer(text):
        line = bisect_right(starts, match.start())
        found.append((line, _text(match["name"]), MADE, _text(match["value"])))
    for match in _DEFAULT.finditer(text):
        value = match["value"]
        if value not in (b"new", b"await", b"async", b"function", b"class"):
            found.append((bisect_right(starts, match.start()), "default", MADE, _text(value)))
    for match in _LISTED.finditer(text):
        found += _listed(match, bisect_right(starts, match.start()))
    for match in _STARRED.finditer(text):
        name = _text(match[1])
        found.append((bisect_right(starts, match.start()), name, EXPORTED, name))
    for match in _MODULE_EXPORTS.finditer(text):
        if match[1] not in (b"function", b"class", b"async", b"require"):
            line = bisect_right(starts, match.start())
            found.append((line, "default", MADE, _text(match[1])))
    return found


def _listed(match: Match[bytes], line: int) -> list[tuple[int, str, str, str]]:
    """The names of a list of exports; what stands behind ``from`` is known here by the same."""
    found = []
    for part in match[1].split(b",")[:MOST]:
        words = part.replace(b"type ", b" ").split()
        if words:
            name = _text(words[-1])
            found.append((line, name, EXPORTED, name if match[2] else _text(words[0])))
    return found


def _text(value: bytes) -> str:
    words = value.decode("utf-8", "replace")
    return words.replace("->", ".").replace("::", ".").replace("\\", ".").strip(".")


def _without(data: bytes, remarks: list[tuple[int, int]]) -> bytes:
    """The source with its comments blank; lines stay where they are."""
    if not remarks:
        return data
    parts: list[bytes] = []
    at = 0
    for start, stop in remarks:
        if start >= at:
            parts += (data[at:start], b"\n" * data.count(b"\n", start, stop))
            at = stop
    return b"".join([*parts, data[at:]])


def _starts(text: bytes) -> list[int]:
    starts, at = [0], text.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find(b"\n", at + 1)
    return starts
