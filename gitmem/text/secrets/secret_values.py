"""Whether a labelled value is a secret, and not a name, call, path, number, environment look-up,
placeholder or word of prose.
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass
from gitmem.text.secrets.secret_checks import (
    has_letters_and_digits,
    has_random_case,
    is_strong_password,
    looks_machine_made,
)

# Programs, formats and algorithms with digits in their names, and common stand-ins.
_STEMS = re.compile(
    r"pass|pwd|secret|token|key|user|name|value|field|input|test|example|sample|dummy|fake|mock"
    r"|demo|default|change|your|placeholder|redacted|insert|none|null|true|false|todo|xxx|\*\*\*"
    r"|sha\d|md5|oauth|base64|base32|pbkdf|argon|bcrypt|scrypt|hmac|utf|ascii|latin|pkcs|x509|http"
    r"|rfc|iso\d|python|django|version|string|int\d|uint|bytes?\d|param|arg|var|self|ctx|row|col"
    r"|foo|bar|baz|abc|123456|qwert|asdf|0000"
)
# The end of "hunter2pass": names that begin with a program or a format are recognised by that.
_GLUED = re.compile(r"(?<=\d)(?:pass|pw|pwd|password|key|token|secret)$")
_FILLER = re.compile(
    r"x{4,}|\*{3,}|\.{3}|…|example|placeholder|change.?me|redacted|dummy|replace|insert|your.?(?:api"
    r"|own|key|token|secret|pass|app|client)|^<.*>$|^\$|^%|\{\{|\$\{|\$\(|^__\w+__$|12345|abcdef|qwerty"
    r"|0{6}|^(?:my|the|a|some|any|new|old|user|db|root|admin|test|bad|good|wrong|invalid|valid|super)?"
    r"[-_ ]?(?:top)?[-_ ]?(?:password|passwd|pass|pwd|secret|token|key|pw)[-_ ]?\d{0,4}$"
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_ASSIGNS = re.compile(r"(?:pass\w{0,6}|token|key|secret|pwd)=")
_HEX = re.compile("[0-9a-fA-F]+")
_NUMERIC = re.compile(r"[\d.,:_+-]+(?:[a-z%]{1,12})?")  # 3600s, 1.2.3rc1, 2026-11-21, 12-character
_WORDS = re.compile(r"[a-z]*(?:[-_./: +@][a-z]*)*")
_NAMED = re.compile(r"(?:[a-z]{2,}\d{0,3}|\d{1,4})(?:[-_./:][a-z]*\d{0,4})*")
_PATH = re.compile(
    r"[~.]{0,2}/[\w./-]*|[a-z]:\\.*|[\w-]+/[\w./-]+\.\w{1,5}|.*://.*|.*\.(?:py|txt|md|json|ya?ml|pem)"
)
_CODE = re.compile(r"[a-z_]\w*(?:(?:\.|->|::)[a-z_]\w*)+[.:;!]*")
_ATTRIBUTE = re.compile(r"[a-z_]\w*(?:\.\w+)*\.\w*(?:key|token|secret|password)(?:s|id)?")
_BASE32 = re.compile(r"(?=[A-Z]{0,40}[2-7])[A-Z2-7]{16,128}")
_SPECIAL = re.compile(r"[!@#$%^&*+?~]")


_REGEX_OR_HOLE = re.compile(r"\\[dwsbnDWS]|\{\w{1,40}\}|%\(\w+\)s|%s")


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A value after a label such as ``token``, and what the text around it says.

    ``quoted``: it is in quotes. ``upper_case_label``: the label is in capitals.
    ``label_names_owner``: as ACCESS_TOKEN does. ``loosely_separated``: only white space or a
    bracket separates them, so the value must look like a secret by itself.
    ``unquoted_after_blank``: only a blank or a hyphen does, and there are no quotes, so it must be
    random.
    """

    label: str
    value: str
    quoted: bool = False
    upper_case_label: bool = False
    label_names_owner: bool = False
    loosely_separated: bool = False
    unquoted_after_blank: bool = False


def is_secret(candidate: LabelledValue) -> bool:
    """Return whether the value is a secret, and not a name, call, path, number or stand-in."""
    if not _is_literal(candidate):
        return False
    if candidate.loosely_separated and not (
        is_strong_password(candidate.value) or has_letters_and_digits(candidate.value)
    ):
        return False
    if candidate.unquoted_after_blank and not _is_bare_key(candidate):
        return False
    if (
        candidate.label == "credential"
        and candidate.quoted
        and not _NAMED.fullmatch(candidate.value.lower())
    ):
        return _password(candidate)
    if candidate.label == "secret" and _password(candidate):
        return True
    return _password(candidate) if candidate.label == "pass" else _key(candidate)


def _is_bare_key(candidate: LabelledValue) -> bool:
    """Whether a bare value, after a label in capitals, is random."""
    if _UUID.fullmatch(candidate.value.lower()) or (
        len(candidate.value) >= 32 and _HEX.fullmatch(candidate.value)
    ):
        return candidate.label != "some key"
    return looks_machine_made(candidate.value)


def _is_literal(candidate: LabelledValue) -> bool:
    """Whether the value is a literal: no stand-in, number, path, name or call."""
    value, low = candidate.value, candidate.value.lower()
    if (
        not candidate.quoted
        and "=" in value.rstrip("=")
        and (len(value) > 100 or _ASSIGNS.search(low))
    ):
        return False  # a chain of assignments, whose labels are read one by one
    if (
        len(value) < 6
        or not value.isascii()
        or _FILLER.search(low.rstrip("="))
        or _NUMERIC.fullmatch(low)
    ):
        return False
    if not candidate.quoted and _CODE.fullmatch(low) and not has_random_case(value):
        return False
    if not candidate.quoted and _ATTRIBUTE.fullmatch(low):
        return False
    if candidate.quoted and (any(char.isspace() for char in value) or _REGEX_OR_HOLE.search(value)):
        return False
    return not _PATH.fullmatch(low) or has_random_case(value)


def _password(candidate: LabelledValue) -> bool:
    """Whether it is letters with digits or special characters, and not a name."""
    low = candidate.value.lower()
    if _WORDS.fullmatch(low):
        return has_random_case(candidate.value)
    if not any(char.isalpha() for char in low):
        return len(candidate.value) >= 8 and bool(_SPECIAL.search(candidate.value))
    if _STEMS.search(_GLUED.sub("", low)):
        name = low.isidentifier() and not candidate.quoted and not candidate.upper_case_label
        if name or _NAMED.fullmatch(low):
            return False
    return candidate.quoted or not re.fullmatch(r"\d+[-_][a-z]+|[=@].*", low)


def _key(candidate: LabelledValue) -> bool:
    """Whether it is a random key: long, letters and digits mixed, or letters in random case."""
    value, low = candidate.value, candidate.value.lower()
    if _UUID.fullmatch(low):  # a secret only with an unambiguous label
        return candidate.label != "token" or candidate.label_names_owner
    if candidate.label == "some key":  # perhaps of a cache, table or map: only in random case
        if (
            len(value) >= 32
            and candidate.quoted
            and has_letters_and_digits(value)
            and low.isalnum()
        ):
            return True
        return len(value) >= 20 and looks_machine_made(value)
    if _BASE32.fullmatch(value) and len(set(value)) >= 8:
        return True
    if len(value) < 10:
        return False
    if has_random_case(value):
        return True
    digits = sum(char.isdigit() for char in value)
    if digits < 2 or digits == len(value) or _NAMED.fullmatch(low):
        return False
    if not candidate.quoted and _STEMS.search(low) and len(value) < 24:
        return False
    return len(set(value)) >= 7
