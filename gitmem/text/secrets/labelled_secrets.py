"""Secrets without a format of their own, found by a label: ``password = ...``, ``API_KEY: ...``.

Precision first: a false redaction destroys knowledge for good. A label is followed by an operator
(an assignment with or without a type, an option's blank, a call, a sentence) and by a value, which
``secret_values`` judges.
"""

from __future__ import annotations

import functools
import re

from gitmem.text.lazy_pattern import lazy_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.text.secrets.secret_values import LabelledValue

# Labels, with a look-ahead. "access" and "private" are labels only in capitals.
_WORDS = (
    *("pass(?:word|wd|phrase|code)?", "pwd", "secret", "token", "key", "_auth", "credentials?"),
    *("_pat", "key_base", "access", "private"),
)
_FOLLOWED = r"(?=[\\\"'`\]:= \t\r\n>({\[,|-])"
_LABEL = f"(?:{'|'.join(_WORDS)}){_FOLLOWED}"
_NAMES = {"key_base": "key", "pwd": "pass", "credentials": "credential"}
_ONLY_LOUD = ("access", "private")
_LONG = 1024
_KINDS = {
    "pass": "password",
    "key": "api-key",
    "some key": "api-key",
    "_auth": "auth",
    "_pat": "token",
    "access": "api-key",
    "private": "api-key",
}
# "key" alone says nothing; after one of these words it does.
_KEY_WORDS = (
    *("api", "access", "secret", "private", "encryption", "signing", "master", "app", "auth"),
    *("application", "account", "storage", "shared", "license", "session", "subscription"),
    *("x-functions", "consumer", "deploy", "client", "webhook", "using", "hmac"),
)
# Keys for looking something up.
_HARMLESS_KEYS = (
    *("cache", "sort", "primary", "foreign", "hash", "row", "map", "object", "partition", "index"),
    *("idempotency", "lookup", "item", "group", "unique", "dedup", "public", "s3", "i18n", "etag"),
    *("react", "query", "lock", "route", "build", "content", "file", "artifact", "checksum"),
)
_OWNERS = (
    *("access", "auth", "api", "refresh", "bearer", "secret", "server", "client", "personal"),
    *("jenkins", "postmark", "deploy", "consul_http", "private"),
)
# Owners of harmless tokens: a page, a request, a click.
_HARMLESS_TOKENS = (
    *(
        "page",
        "next",
        "prev",
        "sync",
        "request",
        "continuation",
        "cancel",
        "cancellation",
        "device",
    ),
    *("push", "public", "idempotency", "correlation", "trace", "cursor", "resume", "start", "end"),
    *("invite", "upload", "share", "event", "test", "the", "lock", "file", "change", "state"),
)
_OPTION_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_"
_PLACEHOLDER = "[redacted:"
_LONGEST_PLACEHOLDER = 60
# The operators: an assignment (perhaps with a type), a sentence, the end of an XML tag, an option's
# blank; then weak ones, after which only a quoted literal counts.
_OPERATORS = (
    r"(?P<typed>\s?:\s?[a-z&'*_(][\w&'*<>()\[\]|.;, ?]{0,40}?\s{0,2}=\s{0,3}"
    r"|\s[\w.*\[\]]{1,20}\s{1,3}:?=\s{0,3}|\s?\[\w{0,10}\]\s{0,3}=\s{0,3})",
    r"(?P<said>[`'\"]?\s{1,2}(?:is|was)\s{1,2}(?:now |set to |currently )?)",
    r"(?P<about>\s{1,2}(?:for|of|to|on|at|in)\s[^\n:=\"'`]{1,40}?(?::|\s(?:is|was))\s{1,2})",
    r"(?P<named>\\?[\"'`]?\s{0,3},?\s{0,40}\\?[\"'`]?(?:value|default)\\?[\"'`]?\s{0,3}[:=]\s{0,3})",
    r"(?P<assigned>\\?[\"'`]?\]?[ \t]{0,20}(?::=|=>|[:=](?![:=]))[ \t]{0,20}(?:!!str )?)",
    r"(?P<compared>[\"'`]?\]?\s{0,4}[!=]==?\s{0,4})",
    r"(?P<below>\s{0,3}\n\s{0,40}[:=]\s{0,20}(?=[\"'`])|[:=]?\s{0,3}\n\s{0,40}(?=[\"'`]))",
    r"(?P<xml>>)",
    r"(?P<dash>\s{0,2}-\s{0,2})",
    r"(?P<blank>[ \t]{1,8})",
    r"(?P<cell>[ \t]{0,40}\|{1,2}\s{0,40})",
    r"(?P<call>\s{0,2}[({\[]\s{0,40}|[\"'`]\]?\s{0,2},\s{0,2})",
)
# Longer bare values are followed to their end only once they are known to be secrets.
_LONGEST_BARE = 128
_BARE = r"[^\s\"'`,;&<>(){}\[\]|\\]"
_VALUE = (
    r"(?:[rbuf@]?(?P<quote>[\"'`])\s?(?P<quoted>(?:(?!(?P=quote))[^\n\\]|\\[^\n]){4,4096}+)(?P=quote)"
    r"|\\\"(?P<escaped>[^\"\n\\]{4,4096}+)\\\""
    rf"|(?P<bare>{_BARE}{{4,{_LONGEST_BARE}}}+)(?P<next>[(\[{{]|::)?(?P<aside>\s{{1,2}}\()?)"
)
# How a bare password may continue: with a mark that ends other values, but no further assignment.
_TAIL = r"[&|<>](?![&|/])[^\s\"'`=\\]{0,200}+={0,2}(?=\s|$)"
# Operator and value after a label; compiled on first use: most processes never meet one.
_rest = lazy_pattern(f"(?:{'|'.join(_OPERATORS)}){_VALUE}")
_tail = lazy_pattern(_TAIL)
_closing_tag = lazy_pattern("[^<>\\s\"'`]{0,200}+(?=</)")
_label = lazy_pattern(_LABEL)


def find_labelled_secrets(text: str, lower_case_text: str) -> list[tuple[int, int, str]]:
    """Return where a text has secrets after a label such as ``password=``, as (start, end, kind).

    ``lower_case_text`` is ``text`` in lower case with the same length; labels are matched there.
    """
    from gitmem.text.secrets import secret_values  # noqa: PLC0415  # only where something follows a label

    rest = _rest()
    spans = []
    run = (0, 0)  # the whole of the last value found: labels inside it are ignored
    for label, begin, stop in _labels(text, lower_case_text):
        match = rest.match(lower_case_text, stop)
        if match is None:
            continue
        before = lower_case_text[max(0, begin - 24) : begin]
        loud = text[begin:stop].isupper()
        if not _operator_fits(match, before, loud):
            continue
        start, end = _value_span(match)
        if run[0] <= start and end <= run[1]:
            continue
        if label == "key" and not before.rstrip("_. -").endswith(_KEY_WORDS):
            label = "some key"
            if before.rstrip("_. -").endswith(_HARMLESS_KEYS):
                continue
        if lower_case_text[start:end].isalpha() and text[start:end] == lower_case_text[start:end]:
            continue  # a plain word, as nearly all are
        candidate = _candidate(label, text[start:end], match, before, loud)
        if secret_values.is_secret(candidate):
            end = start + len(candidate.value)
            whole = _full_end(lower_case_text, end, match)
            run = (start, whole)
            spans.append((start, whole, _KINDS.get(label, label)))
    return spans


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    for group in ("quoted", "escaped", "bare"):
        if match[group] is not None:
            return match.span(group)
    raise AssertionError("a value is one of three")


def _candidate(
    label: str, value: str, match: re.Match[str], before: str, loud: bool
) -> LabelledValue:
    from gitmem.text.secrets.secret_values import LabelledValue  # noqa: PLC0415  # see find_labelled_secrets

    spoken = match["said"] or match["about"]
    quoted = match["bare"] is None
    value = value.rstrip(" ")
    if not quoted:
        value = value.rstrip(".:!?") if spoken else value.rstrip(".:")
    return LabelledValue(
        label,
        value,
        quoted=quoted,
        upper_case_label=loud,
        label_names_owner=_is_owned(before),
        loosely_separated=bool(
            match["about"]
            or match["call"]
            or match["compared"]
            or match["aside"]
            or match["dash"]
            or match["cell"]
            or match["blank"]
        ),
        unquoted_after_blank=not quoted and _joins_words(match, before, loud),
    )


def _is_owned(before: str) -> bool:
    """Whether the text before a label names its owner, or any name is joined to it."""
    if before.rstrip("_- ").endswith(_OWNERS):
        return True
    joined = before[-1:] in {"_", "-"} and before[-3:-1].isalpha()
    return joined and not before[:-1].endswith(_HARMLESS_TOKENS)


def _joins_words(match: re.Match[str], before: str, loud: bool) -> bool:
    """Whether a label and a bare value merely follow each other, as words in prose."""
    if match["dash"] or match["cell"]:
        return True
    return bool(match["blank"]) and not _is_option(before) and (loud or before[-1:].isspace())


def _is_option(before: str) -> bool:
    """Whether a shell reads the label and the blank as an assignment: an option, ``set NAME``."""
    word = before[len(before.rstrip(_OPTION_LETTERS)) :]
    words = before[: len(before) - len(word)].rstrip(" \t")
    return word.startswith("-") or words.endswith(("env", "set", "setx"))


def _full_end(low: str, end: int, match: re.Match[str]) -> int:
    """The full end of a value: long ones go on, and a password may hold ``&`` and the like."""
    if match["bare"] is None or end < match.end("bare"):
        return end
    if len(match["bare"]) == _LONGEST_BARE:
        more = re.compile(f"{_BARE}*+").match(low, end)
        return more.end() if more else end
    if match["xml"]:
        rest = _closing_tag().match(low, end)
        return rest.end() if rest else end
    tail = _tail().match(low, end)
    if tail is None:
        return end
    trimmed = tail[0].rstrip(".,;:!?)]}>")
    return end + len(trimmed) if len(trimmed) > 1 else end


def _matches(text: str, low: str) -> Iterable[re.Match[str]]:
    """Every label with something after it, in order.

    In a long text each word is searched by itself, which is much faster than one of ten at once.
    """
    if len(low) <= _LONG:
        return _label().finditer(low)
    loud = "ACCESS" in text or "PRIVATE" in text
    words = _WORDS if loud else _WORDS[: -len(_ONLY_LOUD)]
    matches = [match for word in words for match in _followed(word).finditer(low)]
    return sorted(matches, key=re.Match.start)


@functools.cache
def _followed(word: str) -> re.Pattern[str]:
    return re.compile(word + _FOLLOWED)


def _labels(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """Every label that a value may follow, as (word, start, end)."""
    for match in _matches(text, low):
        word, (begin, end) = match[0], match.span()
        if word in _ONLY_LOUD:
            if text[begin:end].isupper():
                yield word, begin, end
        elif word.startswith("pass"):
            if _is_label("pass", low, begin, end):
                yield "pass", begin, end
        elif low[end] != "]" or not _in_placeholder(low, begin):
            yield _NAMES.get(word, word), begin, end


def _is_label(word: str, low: str, begin: int, end: int) -> bool:
    if low[end : end + 1] == "]" and _in_placeholder(low, begin):
        return False
    # A bare "pass" is a verb; DB_PASS is a label.
    return word != "pass" or end - begin > 4 or low[begin - 1 : begin] in {"_", "-"}


def _in_placeholder(low: str, begin: int) -> bool:
    """Whether a word is part of a placeholder such as ``[redacted:private-key]``.

    Those name what was removed, and are no labels for what follows.
    """
    start = low.rfind("[", max(0, begin - _LONGEST_PLACEHOLDER), begin)
    return start >= 0 and low.startswith(_PLACEHOLDER, start) and "]" not in low[start:begin]


def _operator_fits(match: re.Match[str], before: str, loud: bool) -> bool:
    """Whether the operator belongs to the label and the value to the operator."""
    if "public" in before[-12:] or "websocket" in before or match["next"]:
        return False
    quoted = match["bare"] is None
    if match["typed"] or match["call"] or match["compared"]:
        return quoted
    if match["cell"]:
        return True
    if match["dash"]:
        return quoted or loud or not match["dash"].strip("-")
    if match["blank"]:
        if loud or before[-1:].isspace():
            return True
        return quoted or _is_option(before)
    return not match["xml"] or _closing_tag().match(match.string, match.end()) is not None
