"""Secrets on changed lines, by the rules that keep them out of the store."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitmem.languages.index import CODE
from gitmem.model.review_finding import ERROR, NOTE, WARNING, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_imports import SAMPLES
from gitmem.search import file_kinds
from gitmem.text.redact import redact

_REDACTED = re.compile(r"\[redacted:([\w-]+)\]")
# What redaction takes by the name beside it: a person looks, since the value may be anything.
_BY_NAME = frozenset(
    {
        *("api-key", "basic-auth", "bearer-token", "command-password", "cookie", "credential"),
        *("jwt", "netrc-password", "password", "secret", "sql-password", "token", "url-password"),
    }
)
_NO_VALUE = re.compile(
    r"[{}<>$\s]|%s|^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$|"
    r"(?i:example|placeholder|change_?me|dummy|localhost)"
)
_ASIDE = re.compile(r"(?:^|/)(?:docs?|examples?|demos?|t|bench(?:marks?)?)/")
_LOCAL = re.compile(r"@(?:localhost|127\.|\[?::1|[\w.-]*example\.)")


def find_secrets_in_file(file: ReviewedFile) -> Iterator[ReviewFinding]:
    """Yield a finding for each secret on a file's changed lines; in a test or example a note."""
    lines = list(file.numbered_added_lines)
    shown = redact("\n".join(line for _, line in lines), keep_line_ends=True)
    if not shown.found:
        return
    aside = (
        file_kinds.is_test_path(file.path) or SAMPLES.search(file.path) or _ASIDE.search(file.path)
    )
    for (number, line), after in zip(lines, shown.text.split("\n"), strict=False):
        kind = next(iter(_REDACTED.findall(after)), "")
        if after == line or not kind or f"[redacted:{kind}]" in line:
            continue
        by_name = kind in _BY_NAME
        if by_name and not _is_value(line, after, file.language in CODE):
            continue
        level = NOTE if aside else WARNING if by_name else ERROR
        message = f"This line holds a secret ({kind}): take it out and revoke it"
        yield ReviewFinding(f"secret/{kind}", level, file.path, number, message, cwe="CWE-798")


def _is_value(line: str, after: str, code: bool) -> bool:
    """Whether what was redacted of a line is written out: in code as a string, and no template."""
    before = after.partition("[redacted:")[0]
    behind = after.rpartition("]")[2]
    secret = line[len(before) : len(line) - len(behind)]
    if _NO_VALUE.search(secret.strip("\"'`")) or _LOCAL.search(line):
        return False
    quotes = sum(before.count(quote) for quote in "\"'`")
    return not code or quotes % 2 == 1 or secret[:1] in "\"'`"
