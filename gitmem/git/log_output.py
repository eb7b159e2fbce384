"""Parsing the output of ``git log`` into commits.

Every field ends with NUL, the one byte that no message, name or path can hold, so no commit can
forge a record. E-mail addresses never leave this module: the author is a name, and addresses in
messages are masked, as are secrets in names and subjects.
"""

from __future__ import annotations

import re

from gitmem.git.display import decode_path
from gitmem.model.frozen import dataclass
from gitmem.text.name_secrets import redact_name

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT = "%x00%H%x00%P%x00%aN%x00%at%x00%ct%x00%s%x00%b%x00"

LONGEST_BODY = 20_000  # characters
LATEST = 253_402_300_799  # 9999-12-31, the last second Python's calendar knows
MASK = "[email]"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. Times are whole seconds since 1970 (UTC), clamped to the years 1970 to 9999.

    ``sha`` and ``parents`` are full ids. ``author`` is a name as ``.mailmap`` gives it, without
    address. ``paths`` are those changed against the first parent, empty unless asked for; of a
    rename both the old and the new path.
    """

    sha: str
    parents: tuple[str, ...]
    author: str
    author_time: int
    committed_time: int
    subject: str
    body: str
    paths: tuple[str, ...] = ()


def parse_commits(chunks: Iterable[bytes]) -> Iterator[Commit]:
    """Yield the Commits in the output of ``git log -z --format=FORMAT [--name-only]``.

    FORMAT is this module's constant; ``chunks`` is the output as it arrives. A truncated record is
    dropped, and one with invalid hashes.
    """
    record: list[bytes] = []
    for token in _tokens(chunks):
        if not token and len(record) >= 9:
            yield from _commit(record)
            record = []
        record.append(token)
    if len(record) >= 9:
        yield from _commit(record)


def _tokens(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The tokens between NULs; a last token without its NUL is dropped."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _commit(record: list[bytes]) -> Iterator[Commit]:
    _, sha, parents, author, authored, committed, subject, body, _, *paths = record
    if not all(part.isalnum() for part in (sha, *parents.split())):
        return
    if paths:
        paths[0] = paths[0].removeprefix(b"\n")
    yield Commit(
        sha=sha.decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        author=redact_name(author_without_email(_text(author))),
        author_time=parse_commit_timestamp(authored),
        committed_time=parse_commit_timestamp(committed),
        subject=redact_name(mask_emails(_text(subject))),
        body=mask_emails(_text(body[: 4 * LONGEST_BODY])[:LONGEST_BODY].rstrip()),
        paths=tuple(map(decode_path, paths)),
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def parse_commit_timestamp(digits: bytes) -> int:
    """The seconds since 1970 in git's digits, clamped to the years 1970 to 9999; 0 if invalid."""
    try:
        return min(max(int(digits[:40]), 0), LATEST)
    except ValueError:
        return 0


def author_without_email(name: str) -> str:
    """An author's name, of which an e-mail address is cut: ``jo`` for ``jo@example.org``."""
    return name.partition("@")[0].strip(" <") if "@" in name else name


def mask_emails(text: str) -> str:
    """The text with e-mail addresses replaced by ``[email]``; ``git@host:path`` stays.

    Versions (``name@1.2``) and decorators do not count as addresses.
    """
    if "@" not in text:
        return text
    return _address().sub(MASK, text)


def _address() -> re.Pattern[str]:
    # Bounded repeats keep a hostile line's cost linear.
    return re.compile(
        r"(?<![\w.+%-])(?!git@)[\w.+%-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
    )


def merged_branch_names(commits: Iterable[Commit]) -> tuple[str, ...]:
    """The branches and pull requests that commits merged: ``feature/pay (#12)``, ``feature/pay``.

    In the order of the commits, read from subjects as git, GitHub, GitLab and Bitbucket write them.
    Of a squashed pull request only the number is known: ``#12``.
    """
    branches: dict[str, None] = {}
    for commit in commits:
        names = branch_names_in_subject(commit.subject) if len(commit.parents) > 1 else ()
        number = pull_request_number(commit.subject)
        branches.update(dict.fromkeys(f"{name} ({number})" if number else name for name in names))
        if number and len(commit.parents) == 1:
            branches[number] = None
    return tuple(branches)


def pull_request_number(subject: str) -> str:
    """The number of the pull request in a commit's subject, as ``#12``; empty without one.

    In the forms of GitHub (merges and squashes) and Bitbucket (merges).
    """
    match = re.match(r"Merge pull request (#\d{1,9}) from ", subject)
    match = match or re.match(r"Merged in \S+ \(pull request (#\d{1,9})\)", subject)
    match = match or re.search(r"\((#\d{1,9})\)$", subject)
    return match[1] if match else ""


def branch_names_in_subject(subject: str) -> tuple[str, ...]:
    """The branch names in a merge commit's subject; empty when it names none."""
    if match := re.match(r"Merge pull request #\d+ from [^\s/]+/(\S+)", subject):
        return (match[1],)
    if match := re.match(r"Merged in (\S+) \(pull request", subject):
        return (match[1],)
    if not re.match(r"Merge (?:branch|branches|remote-tracking branch(?:es)?) '", subject):
        return ()
    sources = subject.partition("' into ")[0] + "'"
    quoted = re.findall(r"'([^']+)'", sources)
    remote = subject.startswith("Merge remote-tracking")
    return tuple(name.partition("/")[2] or name if remote else name for name in quoted)
