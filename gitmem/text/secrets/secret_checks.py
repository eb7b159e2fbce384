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
    """A format of secrets. ``accept`` finally decides on a match; the default requires randomness.

    ``triggers`` are texts of which one occurs in every text with a match. ``near`` limits the
    search in long texts: with ``line`` every match is on the line of a trigger, with ``run`` it
    holds a run of ``LONG_RUN`` word characters and hyphens, with ``number`` a run that has a digit
    in it or joined to it. ``needs`` is a pattern that begins with a rare character and occurs, in
    lower case, wherever the rule matches: most texts need no test of the triggers.
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
    """Whether a match looks random: enough different characters, no filler word, no sequence."""
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
    """Whether a match of a provider's form is no plain placeholder, such as ``ghp_xxxx...``.

    It looks random or has a sequence (``0123456789``), or a repeated letter not used for masks.
    """
    low = secret.lower()
    return (_varied(low) and not _filled(low, _FILLERS)) or _ONE_LETTER.search(secret) is not None


_ONE_LETTER = re.compile(r"([A-WYZa-wyz1-9])\1{15}$")


def has_random_tail(secret: str) -> bool:
    """Whether a match looks random, for formats that are padded with the letter A."""
    return looks_random(re.sub("A{3,}", "", secret))


def has_mixed_case(secret: str) -> bool:
    """Whether a match looks random, in letters of both cases, and is no word, name or hex hash."""
    digits = any(char.isdigit() for char in secret)
    return looks_random(secret) and has_random_case(
        secret, min_length=16, min_change_fraction=0.25 if digits else 0.35
    )


def has_mixed_case_and_digits(secret: str) -> bool:
    """Whether a match has mixed case, as above, and at least three digits, unlike CamelCase."""
    return _THREE_DIGITS.match(secret) is not None and has_mixed_case(secret)


_THREE_DIGITS = re.compile(r"(?:[^0-9]*[0-9]){3}")


def has_random_case(value: str, *, min_length: int = 20, min_change_fraction: float = 0.35) -> bool:
    """Whether letters change case at random, not as in camelCase."""
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
    """Whether a match is random letters and digits, neither a name nor a file."""
    return (
        _LETTERS_AND_DIGITS.match(secret) is not None
        and looks_random(secret)
        and "://" not in secret
    )


_LETTERS_AND_DIGITS = re.compile(
    r"(?=[^0-9]*[0-9][^0-9]*[0-9])[^A-Za-z]*[A-Za-z][^A-Za-z]*[A-Za-z]"
)


def looks_machine_made(value: str) -> bool:
    """Whether a value looks random by itself, and is no hash, number or name."""
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
    """Whether a password has letters of both cases, digits and special characters."""
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
    """Whether a password is no placeholder: documentation is full of ``user:password@host``."""
    low = password.lower().rstrip("0123456789")
    if low in _STAND_INS or password[0] in "$%{*(<" or (not low and len(password) < 6):
        return False
    return not _filled(low)


def is_password_in_sentence(password: str) -> bool:
    """Whether a word in a sentence is a strong password, neither a path nor a version."""
    return "/" not in password and is_strong_password(password.rstrip(".,;:!?)"))


def is_github_token(token: str) -> bool:
    """Whether GitHub's checksum (the last six characters, CRC-32) is right, or the token random."""
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
    """The bytes that base64 of either alphabet encodes; empty if it is invalid."""
    import binascii  # noqa: PLC0415  # rarely needed

    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    standard = standard[:-1] if len(standard) % 4 == 1 else standard  # truncated
    try:
        return binascii.a2b_base64(standard + "=" * (-len(standard) % 4))
    except ValueError:  # a length or a character that base64 never has
        return b""


def is_jwt(token: str) -> bool:
    """Whether a token begins with a JWT header: a JSON object that names an algorithm."""
    header = decode_base64(token.partition(".")[0])
    return header.startswith(b"{") and (b'"alg"' in header or b'"enc"' in header)


def is_discord_token(token: str) -> bool:
    """Whether a token begins with the number of a bot, as Discord's do."""
    return decode_base64(token.partition(".")[0]).isdigit()


def is_basic_credentials(encoded: str) -> bool:
    """Whether a text is base64 of ``user:password``."""
    user, colon, password = decode_base64(encoded).partition(b":")
    if not colon or password in {b"", b"password", b"pass"}:
        return False
    # A word such as "Operations" decodes to a colon and untypeable bytes.
    return user.isascii() if user else password.isascii() and password.decode().isprintable()


def is_encoded_private_key(encoded: str) -> bool:
    """Whether a text is base64 of an armoured private key; certificates begin alike."""
    return b"PRIVATE KEY" in decode_base64(encoded[:120])
