"""Finding secrets inside base64 and hex: a run that encodes a secret is replaced as a whole."""

from __future__ import annotations

import binascii
import re

from gitmem.text.secrets import stretches
from gitmem.text.secrets.secret_checks import decode_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]
    Finder = Callable[[str], list[Span]]

_BASE64 = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{24,8192}+={0,2}(?![\w+/-])")
_HEX = re.compile(r"(?:[2-7][0-9a-fA-F]){12,2048}")
# Four characters encode three bytes; that all three are ASCII leaves an eighth of the values.
_ASCII_GROUP = "[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]"
_ASCII_BASE64 = re.compile(rf"[A-Za-f](?<![\w+/-].){_ASCII_GROUP[8:]}(?:{_ASCII_GROUP}){{5}}")
_ASCII_HEX = re.compile("[2-7][0-9a-fA-F](?:[2-7][0-9a-fA-F]){11}")
_DEEPEST = 2


def find_encoded_secrets(text: str, find_plain: Finder, depth: int = 1) -> list[Span]:
    """Return where a text has base64 or hex that encodes a secret, as (start, end, kind).

    ``find_plain`` returns this for plain text; ``depth`` counts the layers of encoding, from 1.
    """
    if not _may_hold(
        stretches.find_token_candidates(text).joined if len(text) > stretches.WORTH_IT else text
    ):
        return []
    return [
        (match.start(), match.end(), kind)
        for pattern, decode in ((_BASE64, decode_base64), (_HEX, _unhexed))
        for match in pattern.finditer(text)
        if (kind := _kind_within(decode(match[0]), find_plain, depth))
    ]


def _may_hold(text: str) -> bool:
    """Whether the beginning of any run decodes to ASCII."""
    return _ASCII_BASE64.search(text) is not None or _ASCII_HEX.search(text) is not None


def _unhexed(digits: str) -> bytes:
    return binascii.unhexlify(digits)


def _kind_within(data: bytes, inside: Finder, depth: int) -> str:
    """The kind of the first secret in the decoded bytes; "" if they are no text or hold none."""
    if not data.isascii() or len(data) < 8:
        return ""
    plain = data.decode()
    if not plain.replace("\n", "").replace("\t", "").replace("\r", "").isprintable():
        return ""
    kind = inside(plain)
    if not kind and depth < _DEEPEST:
        kind = find_encoded_secrets(plain, inside, depth + 1)
    return kind[0][2] if kind else ""
