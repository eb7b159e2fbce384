"""Finding the receiver of a call by reading backwards: ``self.store`` for ``self.store.add()``.

From the bytes before the name, in the same way for every language: a dot, an arrow or a pair of
colons and the word before it, as far as that goes. What stands in brackets is not looked at, so
that ``open(path).read`` is reported as ``open().read``, and what no name begins as ``?``.
"""

from __future__ import annotations

from re import compile

# Bytes that are looked at, parts reported, and bytes of what stands in one pair of brackets.
_FAR, _PARTS, _INSIDE = 2_000, 6, 1_000
# A private field of a script: `this.#store`.
_WORD = compile(rb"(?:(?<=\.)#)?[\w$@]+[?!]?$")
_JOINT = compile(rb"(?:\?\.|!\.|&\.|\?->|->|::|\.|\\)\s*$")
_GENERIC = compile(rb"<[\w\s,.:&'\[\]]*>$")
_TYPED = 200  # bytes of the type arguments of a call
_ANGLES = compile(rb"[<>]")
_BRACKETS = compile(rb"[()\[\]]")
_OPENING = {b")": b"(", b"]": b"["}
UNKNOWN = "?"


def receiver_before_name(data: bytes, name_start: int) -> str:
    """The names before the name that begins at byte ``name_start``, joined by dots; "" if none."""
    before = data[max(0, name_start - _FAR) : name_start]
    parts: list[str] = []
    while len(parts) < _PARTS:
        joint = _JOINT.search(before[-24:])
        if joint is None:
            return ".".join(parts[::-1])
        before = before[: len(before) - (min(24, len(before)) - joint.start())].rstrip()
        part, before = _part(before)
        parts.append(part)
        if part == UNKNOWN:
            break
    else:
        parts.append(UNKNOWN)
    return ".".join(parts[::-1])


def _part(before: bytes) -> tuple[str, bytes]:
    """The last name, with brackets where it is called or indexed, and what stands before it."""
    after = ""
    while before[-1:] in _OPENING and len(after) < 8:
        pair = "()" if before.endswith(b")") else "[]"
        cut = _opened(before)
        if cut < 0:
            return UNKNOWN, b""
        after = pair + after
        before = before[:cut].rstrip()
    if (generic := _GENERIC.search(before[-60:])) and generic.start() > 0:
        before = before[: len(before) - (generic.end() - generic.start())].removesuffix(b"::")
    elif after == "()" and (cut := _typed(before)) > 0:
        before = before[:cut]
    word = _WORD.search(before[-80:])
    if word is None:
        return UNKNOWN, b""
    return word[0].decode("utf-8", "replace") + after, before[: len(before) - len(word[0])]


def _opened(before: bytes) -> int:
    """Where the bracket opens that ends the bytes; -1 where that is too far away."""
    depth = 0
    marks = [found.start() for found in _BRACKETS.finditer(before, max(0, len(before) - _INSIDE))]
    for at in reversed(marks):
        depth += 1 if before[at] in b")]" else -1
        if not depth:
            return at
    return -1


def _typed(before: bytes) -> int:
    """Where the type arguments open that end the bytes, of whatever shape; -1 without any."""
    if not before.endswith(b">") or before.endswith((b"=>", b"->", b">>>")):
        return -1
    depth = 0
    marks = [found.start() for found in _ANGLES.finditer(before, max(0, len(before) - _TYPED))]
    for at in reversed(marks):
        if before[at] == ord("<"):
            depth -= 1
        elif before[at - 1 : at] not in (b"=", b"-"):  # no arrow
            depth += 1
        if not depth:
            return at
    return -1
