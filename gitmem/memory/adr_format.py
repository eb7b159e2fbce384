"""Reading and writing architecture decision records: MADR, Nygard and simple ones. Pure.

A record that gitmem wrote ends with a comment that holds what Markdown has no place for, so reading
it gives back the same decision. Of any other record the title, status and date are read and
everything below the title is the content, so that it can be written again byte for byte.
"""

from __future__ import annotations

import json
import re

from gitmem.model.frozen import dataclass
from gitmem.text.digest import sha256

FORMATS = ("madr", "nygard", "simple")
LARGEST = 200_000  # characters; a longer file is not taken for a record
# Status words that people write -> the status in gitmem.
_STATUSES = {
    "proposed": "proposed",
    "draft": "proposed",
    "pending": "proposed",
    "accepted": "accepted",
    "approved": "accepted",
    "implemented": "accepted",
    "decided": "accepted",
    "done": "accepted",
    "deprecated": "deprecated",
    "rejected": "deprecated",
    "superseded": "superseded",
    "superceded": "superseded",
    "replaced": "superseded",
}
# `_heading` takes closing signs off: here that would cost the cube of a line's length.
_HEADING = r"(?m)^#[ \t]+(\S.*)$"
# "ADR-7: x", "7. x", "7 - x", "0007 x"; but "3 tiers" and "2.0 for all" are names.
_NUMBERED = (
    r"(?i)^(?:adr[ -]*|(?=0\d|\d+(?:[.:]| ?[\u2013\u2014-])[ \t]))"
    r"(\d{1,6})[ .:\u2013\u2014-]++[ \t]*+(?=\S)"
)
_FRONT = r"\A---[ \t]*\n(.*?)\n---[ \t]*\n"
_KEY = r"(?im)^[ \t]*(?:[*+-][ \t]+)?(?:\*\*)?%s(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*[\"'*]*"
_STATUS_LINE = _KEY % "status" + "([a-z]+)"
_STATUS_PART = r"(?im)^#{2,3}[ \t]+status[ \t]*[\r\n]+[ \t]*[\"'*]*([a-z]+)"
_DATE = _KEY % "date" + r"(\d{4}-\d\d-\d\d)"
_CONTEXT = {"madr": "\n\n## Context and Problem Statement\n\n", "nygard": "\n\n## Context\n\n"}
_DECISION = {"madr": "\n\n## Decision Outcome\n\n", "nygard": "\n\n## Decision\n\n"}
_OWN = r"\n\n<!-- gitmem decision (\{.*\}) -->\n\Z"
_FILE = (
    r"(?i)(?:^|/)(?:adrs?|decisions?|decision[-_]records?|architecture[-_]decisions?)"
    r"/[^/]+\.(?:md|markdown)$"
)
_NAMED = r"(?i)(?:^|/)adr[-_]?\d+[^/]*\.(?:md|markdown)$"
_NO_RECORD = r"(?i)(?:^|/)(?:index|readme|template[^/]*|[^/]*-template)\.(?:md|markdown)$"


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """An architecture decision record (ADR), read from a Markdown file or to be written to one.

    ``status`` is proposed, accepted, deprecated or superseded, ``date`` YYYY-MM-DD or empty,
    ``number`` 0 if there is none. ``content`` holds the reasons or, if gitmem did not write the
    file, all text below the title; ``head`` and ``tail`` are the text around it. If gitmem wrote
    the file, ``id`` is that of the decision, ``form`` one of ``FORMATS``, and ``edited`` says that
    it was changed since.
    """

    title: str
    content: str
    status: str
    date: str = ""
    number: int = 0
    head: str = ""
    id: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    form: str = ""
    tail: str = ""
    edited: bool = False


def is_decision_record_path(path: str) -> bool:
    """Whether a path is a Markdown file in a folder such as ``adr``, or is named like ``adr-7.md``.

    False for an index, a readme and a template.
    """
    return not is_decision_records_index_path(path) and bool(
        re.search(_FILE, path) or re.search(_NAMED, path)
    )


def is_decision_records_index_path(path: str) -> bool:
    """Whether a path is that of a Markdown file named index, readme or template: not a record."""
    return re.search(_NO_RECORD, path) is not None


def parse_decision_record(text: str) -> DecisionRecord | None:
    """The DecisionRecord in a file's text; None if it has no title or content, or is too long.

    Line ends become line feeds; the limit is 200,000 characters.
    """
    text = text.replace("\r\n", "\n")
    if len(text) > LARGEST or "\0" in text:
        return None
    return _parse_own(text) or _parse_foreign(text)


def decision_record_file_name(number: int, title: str) -> str:
    """The file name for a record with this number and title, such as ``0007-use-sqlite.md``."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    name = "-".join(words)[:60].strip("-") or "decision"
    return f"{number:04d}-{name}.md"


def render_decision_record(record: DecisionRecord, format_name: str) -> str:
    """The Markdown text of a record. ``format_name`` is ``madr``, ``nygard`` or ``simple``.

    A record that was read from another program's file keeps that text; only its status is replaced.
    """
    if record.head and not record.id:
        text = record.head + record.content + record.tail
        match = _find_status(text)
        if match is None or _read_status(text) == record.status:
            return text
        word = record.status.capitalize() if match[1][0].isupper() else record.status
        return text[: match.start(1)] + word + text[match.end(1) :]
    body = _body(record, format_name)
    return body + _own_line(record, format_name, body)


def has_no_text_beyond_record(record: DecisionRecord, file_text: str) -> bool:
    """Whether ``file_text``, a record's file that gitmem wrote, has nothing that ``record`` lacks.

    If False, writing the record anew would lose what somebody added to the file.
    """
    return re.sub(_OWN, "", file_text) == _body(record, record.form)


def _body(record: DecisionRecord, form: str) -> str:
    title, why = record.title, record.content
    if form == "madr":
        return (
            f'---\nstatus: "{record.status}"\ndate: {record.date}\n---\n'
            f"# {title}\n\n## Context and Problem Statement\n\n{why}\n\n"
            f"## Decision Outcome\n\n{title}"
        )
    if form == "nygard":
        files = "\n".join(f"* {path}" for path in record.paths) or "Not recorded."
        return (
            f"# {record.number}. {title}\n\nDate: {record.date}\n\n## Status\n\n"
            f"{record.status.capitalize()}\n\n## Context\n\n{why}\n\n## Decision\n\n{title}\n\n"
            f"## Consequences\n\n{files}"
        )
    return f"# {title}\n\nStatus: {record.status}\nDate: {record.date}\n\n{why}"


def render_decision_records_index(records: list[tuple[str, DecisionRecord]]) -> str:
    """A Markdown page with a table of decision records: number, title as link, status and date.

    ``records`` are pairs (file name, record); the rows are sorted by file name.
    """
    rows = []
    for name, record in sorted(records, key=lambda pair: pair[0]):
        title = record.title.replace("|", "\\|")
        rows.append(
            f"| [{record.number:04d}]({name}) | {title} | {record.status} | {record.date} |"
        )
    head = ["# Decisions", "", "| Number | Decision | Status | Date |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def _own_line(record: DecisionRecord, form: str, body: str) -> str:
    facts = {"id": record.id, "form": form, "number": record.number, "sum": _checksum(body)}
    lists = {"tags": list(record.tags), "paths": list(record.paths)}
    # A text with "-->" in it would end the comment.
    line = json.dumps(facts | lists, ensure_ascii=False, sort_keys=True).replace(">", "\\u003e")
    return f"\n\n<!-- gitmem decision {line} -->\n"


def _checksum(body: str) -> str:
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _parse_own(text: str) -> DecisionRecord | None:
    """A record that gitmem wrote; None for other files and where its parts cannot be found."""
    match = re.search(_OWN, text)
    if match is None:
        return None
    try:
        facts = json.loads(match[1])
        body = text[: match.start()]
        title = re.search(_HEADING, body)
        form, number = str(facts["form"]), int(facts["number"])
        if title is None or form not in FORMATS:
            return None
        name = re.sub(rf"^{number}\. ", "", title[1]) if form == "nygard" else title[1]
        why = _cut_reasons(body, title.end(), form)
        head = body[: body.rindex(why)] if form == "simple" else body[: body.index(_CONTEXT[form])]
        return DecisionRecord(
            title=name,
            content=why,
            status=_read_status(head),
            date=_read_date(head),
            number=number,
            id=str(facts["id"]),
            tags=tuple(map(str, facts["tags"])),
            paths=tuple(map(str, facts["paths"])),
            form=form,
            edited=facts["sum"] != _checksum(body),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _cut_reasons(body: str, title_end: int, form: str) -> str:
    """The text between the heading of the context and our next heading. Raises ValueError."""
    if form == "simple":
        return body[body.index("\n\n", title_end + 2) + 2 :]
    start = body.index(_CONTEXT[form], title_end) + len(_CONTEXT[form])
    return body[start : body.rindex(_DECISION[form])]


def _parse_foreign(text: str) -> DecisionRecord | None:
    front = re.match(_FRONT, text, re.DOTALL)
    title = re.compile(_HEADING).search(text, front.end() if front else 0)
    if title is None:
        return None
    heading = _heading(title[1])
    numbered = re.match(_NUMBERED, heading)
    name = heading[numbered.end() :] if numbered else heading
    content = text[title.end() :].strip("\r\n").rstrip()
    if not content.strip() or not name.strip():
        return None
    start = text.index(content, title.end())
    return DecisionRecord(
        title=" ".join(name.split()),
        content=content,
        status=_read_status(text),
        date=_read_date(text),
        number=int(numbered[1]) if numbered else 0,
        head=text[:start],
        tail=text[start + len(content) :],
    )


def _heading(line: str) -> str:
    """The words of a heading, without closing ``#`` signs; "Use C#" has none."""
    bare = line.rstrip(" \t")
    words = bare.rstrip("#")
    return words.rstrip(" \t") if words.endswith((" ", "\t")) else bare


def _read_status(text: str) -> str:
    """The status of a record; ``accepted`` where it gives none that is known."""
    match = _find_status(text)
    return _STATUSES.get(match[1].lower(), "accepted") if match else "accepted"


def _find_status(text: str) -> re.Match[str] | None:
    """The first mention of a status: on a line of its own, or below a heading."""
    matches = [re.search(_STATUS_LINE, text), re.search(_STATUS_PART, text)]
    return min((match for match in matches if match), key=lambda match: match.start(), default=None)


def _read_date(text: str) -> str:
    match = re.search(_DATE, text)
    return match[1] if match else ""
