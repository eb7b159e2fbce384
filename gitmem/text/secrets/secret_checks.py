"""Telling a secret from an example, among the matches of a rule's pattern.

Documentation is full of examples, and a false redaction destroys knowledge for good; so each check
requires randomness, a checksum, or a decoded form that only real secrets have.
"""

from __future__ import annotations

import itertools
import re

from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Rule:
    """A format of secrets: its kind, its regular expression, and what else must hold of a match.

    ``accept`` decides on a match (None: it must look random). One of ``triggers``, in lower case,
    is in every text with a match. ``near`` limits the search in long texts: with "line" a match is
    on the line of a trigger, with "run" it holds 24 word characters and hyphens in a row, with
    "number" such a row with a digit. ``needs`` is a pattern that a text with a match also matches,
    in lower case.
    """

    kind: str
    triggers: tuple[str, ...]
    pattern: str
    accept: Callable[[str], bool] | None = None
    near: str = "line"
    needs: str = ""


LONG_RUN = 24
# A token neither begins nor ends in the middle of a longer word.
NOT_INSIDE_A_WORD = r"(?<![A-Za-z0-9])"
NOT_BEFORE_A_WORD = r"(?![A-Za-z0-9])"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

_FILLERS = (
    *("example", "placeholder", "changeme", "change_me", "change-me", "redacted", "replace"),
    *("dummy", "sample", "insert", "yourtoken", "your_", "your-", "yourkey", "yourapi"),
    *("xxxx", "aaaaa", "00000000", "****", "...."),
)
# Of alphabets in code, and of some examples; but what has a provider's form is redacted with them.
_SEQUENCES = ("0123456789", "1234567890", "abcdefgh")
_STAND_INS = frozenset(
    (
        *("password", "passwd", "passwort", "pass", "pwd", "pw", "p", "pa", "secret", "token"),
        *("user", "username", "mypassword", "my-password", "userpassword", "userpass", "api_key"),
        *("key", "x", "your-password", "yourpassword", "the_password", "db_password", "xxx"),
        *("access_token", "port", "my_password", "my_pass", "mypass"),
    )
)


def looks_random(secret: str) -> bool:
    """Return whether a match has enough different characters, no filler word and no sequence."""
    low = secret.lower()
    return _varied(low) and not _filled(low)


def _varied(low: str) -> bool:
    return len(set(low)) >= min(8, len(low) // 3)


def _filled(low: str, words: tuple[str, ...] = (*_FILLERS, *_SEQUENCES)) -> bool:
    for word in words:  # noqa: SIM110  # a generator takes twice as long
        if word in low:
            return True
    return False


def is_no_placeholder(secret: str) -> bool:
    """Return whether a key of a service's form is no plain placeholder, such as ``ghp_xxxx...``.

    It looks random or has a sequence (``0123456789``), or a repeated letter not used for masks.
    """
    low = secret.lower()
    return (_varied(low) and not _filled(low, _FILLERS)) or _ONE_LETTER.search(secret) is not None


_ONE_LETTER = re.compile(r"([A-WYZa-wyz1-9])\1{15}$")


def has_random_tail(secret: str) -> bool:
    """Return whether a match looks random apart from the letters A that pad its format."""
    return looks_random(re.sub("A{3,}", "", secret))


def has_mixed_case(secret: str) -> bool:
    """Return whether a match looks random, in letters of both cases, unlike a name or hex hash."""
    digits = any(char.isdigit() for char in secret)
    return looks_random(secret) and has_random_case(
        secret, min_length=16, min_change_fraction=0.25 if digits else 0.35
    )


def has_mixed_case_and_digits(secret: str) -> bool:
    """Return whether a match has at least three digits and passes ``has_mixed_case``."""
    return _THREE_DIGITS.match(secret) is not None and has_mixed_case(secret)


_THREE_DIGITS = re.compile(r"(?:[^0-9]*[0-9]){3}")


def has_random_case(value: str, *, min_length: int = 20, min_change_fraction: float = 0.35) -> bool:
    """Return whether the case of letters changes often, unlike in camelCase.

    That is more than ``min_change_fraction`` changes for each character, ``min_length`` at least.
    """
    if len(value) < min_length:
        return False
    if value.isascii():
        cases = value.translate(_CASES)
        changes = cases.count("Aa") + cases.count("aA")
    else:
        changes = sum(a.isupper() != b.isupper() for a, b in itertools.pairwise(value))
    return changes > min_change_fraction * len(value)


_CASES = {code: "A" if chr(code).isupper() else "a" for code in range(128)}


def has_letters_and_digits(secret: str) -> bool:
    """Return whether a match looks random, has two letters and two digits, and is no address."""
    return (
        _LETTERS_AND_DIGITS.match(secret) is not None
        and looks_random(secret)
        and "://" not in secret
    )


_LETTERS_AND_DIGITS = re.compile(
    r"(?=[^0-9]*[0-9][^0-9]*[0-9])[^A-Za-z]*[A-Za-z][^A-Za-z]*[A-Za-z]"
)


def looks_machine_made(value: str) -> bool:
    """Return whether a value of 16 or more characters is random, and no hash, number or name."""
    if len(value) < 16 or not has_letters_and_digits(value) or value.isdigit():
        return False
    low = value.lower()
    if len(value) == 26 and _ULID.fullmatch(low):
        return False
    if value in {low, value.upper()} and not set(low.removeprefix("0x")) & _BEYOND_HEX:
        return False
    if has_mixed_case_and_digits(value):
        return True
    turns = sum(a.isdigit() != b.isdigit() for a, b in itertools.pairwise(low))
    return turns >= max(6, len(low) // 5) and sum(char.isdigit() for char in low) > 2


_ULID = re.compile("[0-7][0-9a-hjkmnp-tv-z]{25}")  # ids of memories, and of much else
_BEYOND_HEX = frozenset("ghijklmnopqrstuvwxyz")
_PROSE_LIKE = re.compile(
    r"[a-z]*[-_./:][a-z./:_-]*|[\d.,:_+/-]+[a-z]{0,3}|[a-z]+\d{0,4}|v?[\d.]+\w*"
)


def is_strong_password(password: str) -> bool:
    """Return whether a word of 6 or more characters looks like a password that was made up.

    It has letters, and digits or special characters, and is no path, version or stand-in.
    """
    if len(password) < 6 or not password.isascii() or password[0] in "$%{*(<[/-~":
        return False
    low = password.lower()
    if _PROSE_LIKE.fullmatch(low) and not has_random_case(password):
        return False
    kinds = (
        any(char.islower() for char in password),
        any(char.isupper() for char in password),
        any(char.isdigit() for char in password),
        any(char in "!@#$%^&*+?~" for char in password),
    )
    return sum(kinds) >= 2 and any(kinds[2:]) and any(kinds[:2]) and is_real_password(password)


def is_real_password(password: str) -> bool:
    """Return whether a password is no stand-in, such as that in ``user:password@host``."""
    low = password.lower().rstrip("0123456789")
    if low in _STAND_INS or password[0] in "$%{*(<" or (not low and len(password) < 6):
        return False
    return not _filled(low)


def is_password_in_sentence(password: str) -> bool:
    """Return whether a word in a sentence is a strong password, and no path."""
    return "/" not in password and is_strong_password(password.rstrip(".,;:!?)"))


def is_github_token(token: str) -> bool:
    """Return whether a token of GitHub's form looks random or has the right checksum."""
    if is_no_placeholder(token):
        return True
    import zlib  # noqa: PLC0415  # rarely needed

    body, checksum = token[4:-6], token[-6:]
    left, digits = zlib.crc32(body.encode()), ""
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    while left:
        left, digit = divmod(left, 62)
        digits = alphabet[digit] + digits
    return digits.rjust(6, "0") == checksum


def decode_base64(text: str) -> bytes:
    """Return the bytes that base64, also that for URLs, encodes; empty if it is invalid."""
    import binascii  # noqa: PLC0415  # rarely needed

    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    standard = standard[:-1] if len(standard) % 4 == 1 else standard  # truncated
    try:
        return binascii.a2b_base64(standard + "=" * (-len(standard) % 4))
    except ValueError:  # a length or a character that base64 never has
        return b""


def is_jwt(token: str) -> bool:
    """Return whether a token begins with the header of a JWT: a JSON object with an algorithm."""
    header = decode_base64(token.partition(".")[0])
    return header.startswith(b"{") and (b'"alg"' in header or b'"enc"' in header)


def is_discord_token(token: str) -> bool:
    """Return whether a token begins with the encoded number of a bot, as Discord's do."""
    return decode_base64(token.partition(".")[0]).isdigit()


def is_basic_credentials(encoded: str) -> bool:
    """Return whether a text is base64 of ``user:password``."""
    user, colon, password = decode_base64(encoded).partition(b":")
    if not colon or password in {b"", b"password", b"pass"}:
        return False
    # A word such as "Operations" decodes to a colon and untypeable bytes.
    return user.isascii() if user else password.isascii() and password.decode().isprintable()


def is_encoded_private_key(encoded: str) -> bool:
    """Return whether a text is base64 of a private key in PEM form."""
    return b"PRIVATE KEY" in decode_base64(encoded[:120])
