"""Redaction: the one place where secrets are removed from text.

Everything stored, exported or shown passes here. A secret becomes a visible ``[redacted:kind]``;
the rest is unchanged. Precision comes first (a false redaction destroys knowledge for good):
formats with a signature, key blocks, URLs with credentials, labelled values, keys assigned to a
name. Randomness alone is never a reason, so hashes, UUIDs and digests stay. The tables of rules are
loaded for the first text that could hold what they list.
"""

from __future__ import annotations

import functools
import re

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.text.lazy_pattern import lazy_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Span = tuple[int, int, str]

_DEEPEST = 200
_PASSES = 4
_LONG = 8192
# In texts this long the rules first narrow down, with ``stretches``, where they may match.
_WORTH_A_LOOK = 1024
# Ends of a key's name (letters only) that make the whole value a secret.
_SENSITIVE = (
    *("password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "accesskey"),
    *("privatekey", "secretkey", "authorization", "credential", "credentials", "cookie", "authkey"),
    *("signingkey", "encryptionkey", "connectionstring", "creds"),
    *("passwords", "passphrases", "apikeys", "accesskeys", "privatekeys", "secretkeys"),
)
# Such names may also mean a count: only values that look like a password are replaced.
_DOUBTFUL = frozenset(("pass", "auth", "pw", "passcode"))
_DOUBTFUL_ENDS = ("secrets", "tokens", "cookies")
_MAYBE = "maybe"
_HARMLESS = ("pagetoken", "nexttoken", "continuationtoken", "synctoken", "cancellationtoken")
_run = lazy_pattern("[A-Za-z0-9_-]{16}")
_numbered_run = lazy_pattern(r"(?<![\w+/.@-])(?=[A-Za-z_+/-]{0,24}[0-9])\w[\w+/-]{15}", re.ASCII)
_joint = lazy_pattern(
    r"[\"'`][ \t]{0,4}(?:[+.&~|<>]{0,2}\s{0,40}[\"'`]|[+.&~|<>]{0,2}[ \t]{0,4}\\)"
)
_long_run = lazy_pattern("[A-Za-z0-9+/_-]{24}")


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text with its secrets replaced; ``found`` are their kinds, in order, with repeats."""

    text: str
    found: tuple[str, ...] = ()


def redact(text: str, *, keep_line_ends: bool = False) -> Redaction:
    """Return the text with every secret replaced by ``[redacted:kind]``, and the kinds.

    With ``keep_line_ends`` line ends inside a secret stay.
    """
    if not text:
        return Redaction(text)
    # Cached: the author and place of a batch of memories are the same, and the text of a memory
    # passes here when it is drafted and again when it is stored.
    return (_redacted_before if len(text) <= _WORTH_A_LOOK else _redacted)(text, keep_line_ends)


def _redacted(text: str, keep_lines: bool) -> Redaction:
    kinds: list[str] = []
    spans = _spans(text)
    # Replacing a secret can expose a second one that was joined to it.
    for _ in range(_PASSES):
        if not spans:
            break
        from gitmem.text.secrets import secret_spans  # noqa: PLC0415  # only for texts that hold one

        before, text = text, secret_spans.redact_spans(text, spans, keep_line_ends=keep_lines)
        kinds += [kind for _, _, kind in spans if kind]
        near = secret_spans.line_spans_with_redactions(
            before, spans, text, keep_line_ends=keep_lines
        )
        spans = _spans_near(text, near) if near else _spans(text)
    return Redaction(text, tuple(kinds))


_redacted_before = functools.lru_cache(maxsize=1024)(_redacted)


def _spans_near(text: str, near: list[tuple[int, int]]) -> list[Span]:
    """The secrets in parts of the text, and their other occurrences in all of it."""
    from gitmem.text.secrets import secret_spans  # noqa: PLC0415  # only for texts that hold one

    spans = [
        (start + begin, end + begin, kind)
        for begin, stop in near
        for start, end, kind in _spans(text[begin:stop])
    ]
    return (
        secret_spans.merge_spans(spans + secret_spans.find_repeated_secrets(text, spans))
        if spans
        else spans
    )


def _spans(text: str) -> list[Span]:
    """The secrets as (start, end, kind), sorted, without overlaps."""
    if len(text) < _LONG:
        return _all_spans(text)
    from gitmem.text.secrets import repetition  # noqa: PLC0415  # only for long texts

    cuts = repetition.find_repeated_stretches(text)
    if not cuts:
        return _all_spans(text)
    spans = repetition.restore_spans(_all_spans(repetition.remove_stretches(text, cuts)), cuts)
    return _all_spans(text) if spans is None else spans


def _all_spans(text: str) -> list[Span]:
    spans = _plain(text)
    long = len(text) > _WORTH_A_LOOK
    if _is_written_otherwise(text, long=long):
        from gitmem.text.secrets import disguised_secrets  # noqa: PLC0415  # only for texts that hold one

        spans += disguised_secrets.find_disguised_secrets(text, _plain)
    if long or _long_run().search(text):
        from gitmem.text.secrets import encoded_secrets  # noqa: PLC0415  # as above

        spans += encoded_secrets.find_encoded_secrets(text, _plain)
    if not spans:
        return spans
    from gitmem.text.secrets import secret_spans  # noqa: PLC0415  # as above

    return secret_spans.merge_spans(spans + secret_spans.find_repeated_secrets(text, spans))


def _plain(text: str) -> list[Span]:
    """Secrets that are not disguised or encoded, the most certain kinds first."""
    low = _lowered(text)
    spans: list[Span] = []
    if "private key" in low or "private-lines:" in low:
        from gitmem.text.secrets import private_keys  # noqa: PLC0415  # only for texts that hold one

        spans += private_keys.find_private_keys(text)
    long = len(text) > _WORTH_A_LOOK
    long_word = long or _run().search(text) is not None
    tables = ("formats",) * long_word + ("contexts",) * _has_context(low)
    if tables:
        from gitmem.text.secrets import secret_matching  # noqa: PLC0415  # see the docstring

        spans += secret_matching.find_rule_matches(text, low, tables)
    if long_word and (long or _numbered_run().search(text) is not None):
        from gitmem.text.secrets import provider_keys  # noqa: PLC0415  # as above

        spans += provider_keys.find_provider_keys(text, low)
    if _has_label(low) or "ACCESS" in text or "PRIVATE" in text:
        from gitmem.text.secrets import labelled_secrets  # noqa: PLC0415  # only for texts that name a secret

        spans += labelled_secrets.find_labelled_secrets(text, low)
    return spans


@functools.cache
def _context_words() -> tuple[str, ...]:
    return tuple(_CONTEXT_WORDS.split("|"))


def _has_context(low: str) -> bool:
    """Whether any rule of ``secret_contexts`` may match; most texts have no such word."""
    for word in _context_words():  # noqa: SIM110  # a generator takes twice as long
        if word in low:
            return True
    return False


# Every text that a rule of ``secret_contexts`` matches has one of these; frequent ones first.
_CONTEXT_WORDS = (
    " -|\t-|\\\n-|://|@|$|auth|cookie|sess|pass|-key|token|x-|basic |bearer |-crumb|ssws|sig=|"
    "accesskey=|accountkey=|q~|akia|asia|unseal|bootstrap|echo |printf |securestring|"
    "identified|sha}|sha2|sha5|md5}|otp|2fa|mfa|log in|login|logged in|sign in|cred|"
    "account|pw|p/w|.sid|csrf|:*:|:5432:|+ast|+abc|+amc|/user:|wordpress_|kennwort|"
    'networkcred|directoryent|secret>|privatekey>|krb5|</d>|</p>|</q>|inverseq|"kty"|id>{|session>{|'
    "username>{|appid=|sonar.l|cc_test|client(|geniekey|codecov|splunk |wandb |0x|"
    "mnemonic|phrase|scram-"
)


def _is_written_otherwise(text: str, *, long: bool) -> bool:
    """Whether there may be escapes, invisible characters or split strings."""
    return (
        long
        or not text.isascii()
        or "\\" in text
        or "%" in text
        or "&#" in text
        or _joint().search(text) is not None
    )


def _lowered(text: str) -> str:
    """The text in lower case, with the same length (a few letters, such as İ, would grow)."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join([char.lower() if char.isascii() else char for char in text])


def _has_label(low: str) -> bool:
    return (
        "pass" in low
        or "token" in low
        or "secret" in low
        or "key" in low
        or "pwd" in low
        or "_auth" in low
        or "credential" in low
        or "_pat" in low
    )


def redact_value(value: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a copy of JSON-like values without secrets, and the kinds of the secrets in order.

    Every string, keys too, is redacted; strings under a key such as ``password`` or
    ``Authorization`` are replaced whole, unless empty or a stand-in. Other types are returned as
    they are, but for numbers under ``password``. Raises InvalidInput for values nested deeper than
    200 levels.
    """
    kinds: list[str] = []
    return _walk(value, kinds, sensitive="", depth=0), tuple(kinds)


def _walk(value: Any, kinds: list[str], sensitive: str, depth: int) -> Any:
    if depth > _DEEPEST:
        raise InvalidInput(
            f"The value is nested deeper than {_DEEPEST} levels.", "Pass a flatter value."
        )
    if isinstance(value, str):
        return _text_value(value, kinds, sensitive)
    if isinstance(value, dict):
        return {
            _text_value(key, kinds, "") if isinstance(key, str) else key: _walk(
                item, kinds, _sensitive_kind(key) or sensitive, depth + 1
            )
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        items = [_walk(item, kinds, sensitive, depth + 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if sensitive == "password" and type(value) is int:
        return _text_value(str(value), kinds, sensitive)
    return value


def _text_value(value: str, kinds: list[str], sensitive: str) -> str:
    redaction = redact(value)
    kinds += redaction.found
    if not sensitive or redaction.found or "[redacted:" in value or _is_stand_in(value):
        return redaction.text
    if sensitive == _MAYBE:
        if not _looks_like_password(value):
            return value
        sensitive = "password"
    kinds.append(sensitive)
    return f"[redacted:{sensitive}]"


def _looks_like_password(value: str) -> bool:
    from gitmem.text.secrets import secret_values  # noqa: PLC0415  # only under a doubtful key

    return secret_values.is_secret(secret_values.LabelledValue("pass", value, quoted=True))


def _is_stand_in(value: str) -> bool:
    """Whether a value is a stand-in: empty, a reference to a variable, or a mask."""
    return not value.strip("*x.- ") or value.startswith(("$", "<", "{{", "%"))


def _sensitive_kind(key: object) -> str:
    """The kind of secret that a key of a dict implies; "" for an ordinary key."""
    if not isinstance(key, str):
        return ""
    letters = "".join([char for char in key.lower() if char.isalnum()]).rstrip("0123456789")
    if letters in _DOUBTFUL or letters.endswith(_DOUBTFUL_ENDS):
        return _MAYBE
    if not letters.endswith(_SENSITIVE) or letters.endswith(_HARMLESS):
        return ""
    letters = letters.removesuffix("s")
    if letters.endswith(("password", "passwd", "passphrase", "pwd")):
        return "password"
    if letters.endswith("key"):
        return "api-key"
    return "token" if letters.endswith("token") else "secret"
