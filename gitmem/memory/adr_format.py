"""Architecture decision records as text: MADR, Nygard and simple, read and written. Pure (ML-35).

Records that gitmem wrote end with a line that holds what Markdown has no place for; read again they
give the decision that they were made of. Of all other records title, status and date are read, and
everything below the title is the content, so that they can be written again byte for byte.
"""

from __future__ import annotations

import json
import re

from gitmem.model.frozen import dataclass

FORMATS = ("madr", "nygard", "simple")
LARGEST = 200_000  # characters; what is longer is no record
# How the statuses that people write are called here.
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
_HEADING = r"(?m)^#[ \t]+(\S.*?)[ \t]*#*[ \t]*$"
_NUMBERED = r"(?i)^(?:adr[ -]*)?(\d{1,6})[ .:\u2013\u2014-]+[ \t]*(?=\S)"
_FRONT = r"\A---[ \t]*\n(.*?)\n---[ \t]*\n"
_KEY = r"(?im)^[ \t]*(?:[*+-][ \t]+)?(?:\*\*)?%s(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*[\"'*]*"
_STATUS_LINE = _KEY % "status" + "([a-z]+)"
_STATUS_PART = r"(?im)^#{2,3}[ \t]+status[ \t]*\n+[ \t]*[\"'*]*([a-z]+)"
_DATE = _KEY % "date" + r"(\d{4}-\d\d-\d\d)"
_OWN = r"\n\n<!-- gitmem decision (\{.*\}) -->\n\Z"
_FILE = (
    r"(?i)(?:^|/)(?:adrs?|decisions?|decision[-_]records?|architecture[-_]decisions?)"
    r"/[^/]+\.(?:md|markdown)$"
)
_NAMED = r"(?i)(?:^|/)adr[-_]?\d+[^/]*\.(?:md|markdown)$"
_NO_RECORD = r"(?i)(?:^|/)(?:index|readme|template[^/]*|[^/]*-template)\.(?:md|markdown)$"


@dataclass(frozen=True, slots=True)
class Record:
    """A decision record. ``date`` is YYYY-MM-DD or empty, ``number`` 0 where it has none.

    ``status`` is one of gitmem's. ``content`` is why; of a record that gitmem did not write it is
    all that stands below the title, and ``head`` what stands above and in the title's line.
    ``id`` is that of the decision that it was written from, empty for others.
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


def is_record(path: str) -> bool:
    """Whether a file's place says that it is a decision record."""
    if re.search(_NO_RECORD, path):
        return False
    return bool(re.search(_FILE, path) or re.search(_NAMED, path))


def parse(text: str) -> Record | None:
    """The record that a file holds; None where it is none: no title, nothing said, or too long."""
    text = text.replace("\r\n", "\n")
    if len(text) > LARGEST or "\0" in text:
        return None
    return _own(text) or _foreign(text)


def file_name(number: int, title: str) -> str:
    """``0007-use-sqlite.md``."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    name = "-".join(words)[:60].strip("-") or "decision"
    return f"{number:04d}-{name}.md"


def render(record: Record, form: str) -> str:
    """The record as a file in one of ``FORMATS``; what was read from one, as it stood there."""
    if record.head and not record.id:
        return _with_status(record.head + record.content, record)
    told = _told(record)
    title, why = record.title, record.content
    if form == "madr":
        front = f'---\nstatus: "{record.status}"\ndate: {record.date}\n---\n'
        body = (
            f"# {title}\n\n## Context and Problem Statement\n\n{why}\n\n"
            f"## Decision Outcome\n\n{title}"
        )
        return f"{front}{body}{_own_line(record, form)}"
    if form == "nygard":
        return (
            f"# {record.number}. {title}\n\nDate: {record.date}\n\n## Status\n\n"
            f"{record.status.capitalize()}\n\n## Context\n\n{why}\n\n## Decision\n\n{title}\n\n"
            f"## Consequences\n\n{told}{_own_line(record, form)}"
        )
    return (
        f"# {title}\n\nStatus: {record.status}\nDate: {record.date}\n\n{why}"
        f"{_own_line(record, form)}"
    )


def index(records: list[tuple[str, Record]]) -> str:
    """The index of a folder of records: (file name, record), in the order of their names."""
    rows = [
        f"| [{one.number:04d}]({name}) | {_cell(one.title)} | {one.status} | {one.date} |"
        for name, one in sorted(records, key=lambda pair: pair[0])
    ]
    head = ["# Decisions", "", "| Number | Decision | Status | Date |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _told(record: Record) -> str:
    return "\n".join(f"* {path}" for path in record.paths) or "Not recorded."


def _own_line(record: Record, form: str) -> str:
    said = {"id": record.id, "form": form, "number": record.number}
    lists = {"tags": list(record.tags), "paths": list(record.paths)}
    # A text with "-->" in it would end the comment.
    told = json.dumps(said | lists, ensure_ascii=False, sort_keys=True).replace(">", "\\u003e")
    return f"\n\n<!-- gitmem decision {told} -->\n"


def _own(text: str) -> Record | None:
    """The record that gitmem wrote; None where it did not, or where its parts cannot be told."""
    found = re.search(_OWN, text)
    if found is None:
        return None
    try:
        said = json.loads(found[1])
        body = text[: found.start()]
        title = re.search(_HEADING, body)
        form, number = str(said["form"]), int(said["number"])
        if title is None or form not in FORMATS:
            return None
        name = re.sub(rf"^{number}\. ", "", title[1]) if form == "nygard" else title[1]
        return Record(
            title=name,
            content=_why(body[title.end() :], form),
            status=_status(body),
            date=_date(body),
            number=number,
            id=str(said["id"]),
            tags=tuple(map(str, said["tags"])),
            paths=tuple(map(str, said["paths"])),
            form=form,
        )
    except (ValueError, KeyError, TypeError):
        return None


def _why(below: str, form: str) -> str:
    """What stands between the heading of the context and the next of ours. Raises ValueError."""
    first, last = {
        "madr": ("\n\n## Context and Problem Statement\n\n", "\n\n## Decision Outcome\n\n"),
        "nygard": ("\n\n## Context\n\n", "\n\n## Decision\n\n"),
        "simple": ("\n\n", ""),
    }[form]
    start = below.index(first) + len(first)
    if form == "simple":
        start = below.index("\n\n", start) + 2
    return below[start : below.rindex(last)] if last else below[start:]


def _foreign(text: str) -> Record | None:
    front = re.match(_FRONT, text, re.DOTALL)
    title = re.compile(_HEADING).search(text, front.end() if front else 0)
    if title is None:
        return None
    numbered = re.match(_NUMBERED, title[1])
    name = title[1][numbered.end() :] if numbered else title[1]
    content = text[title.end() :]
    if not content.strip() or not name.strip():
        return None
    return Record(
        title=" ".join(name.split()),
        content=content,
        status=_status(text),
        date=_date(text),
        number=int(numbered[1]) if numbered else 0,
        head=text[: title.end()],
    )


def _status(text: str) -> str:
    """What a record says of itself, in our words; what says nothing we know is accepted."""
    found = re.search(_STATUS_LINE, text) or re.search(_STATUS_PART, text)
    return _STATUSES.get(found[1].lower(), "accepted") if found else "accepted"


def _date(text: str) -> str:
    found = re.search(_DATE, text)
    return found[1] if found else ""


def _with_status(text: str, record: Record) -> str:
    """The text of a record that was read, with the status that the decision has now."""
    if _status(text) == record.status:
        return text
    for pattern in (_STATUS_LINE, _STATUS_PART):
        if found := re.search(pattern, text):
            word = record.status.capitalize() if found[1][0].isupper() else record.status
            return text[: found.start(1)] + word + text[found.end(1) :]
    return text
