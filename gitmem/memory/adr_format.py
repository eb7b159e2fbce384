"""Architecture decision records as text: MADR, Nygard and simple, read and written. Pure (ML-35).

Records that gitmem wrote end with a line that holds what Markdown has no place for; read again they
give the decision that they were made of. Of all other records title, status and date are read, and
everything below the title is the content, so that they can be written again byte for byte.
"""

from __future__ import annotations

import json
import re

from gitmem.model.frozen import dataclass
from gitmem.text.digest import sha256

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
# What may end the line is taken off in `_heading`: here it would cost the cube of a line's length.
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
class Record:
    """A decision record. ``date`` is YYYY-MM-DD or empty, ``number`` 0 where it has none.

    ``status`` is one of gitmem's. ``content`` is why; of a record that gitmem did not write it is
    all that stands below the title; ``head`` and ``tail`` are what stands around that. ``id`` is
    that of the decision that it was written from, empty for others, and ``edited`` says that
    somebody changed the file since.
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


def is_record(path: str) -> bool:
    """Whether a file's place says that it is a decision record."""
    if is_index(path):
        return False
    return bool(re.search(_FILE, path) or re.search(_NAMED, path))


def is_index(path: str) -> bool:
    """Whether a file's name says that it stands beside records: an index, a template."""
    return re.search(_NO_RECORD, path) is not None


def parse(text: str) -> Record | None:
    """The record that a file holds; None where it is none: no title, nothing said, or too long.

    Lines end with a line feed in it, whatever they end with in the file.
    """
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
        # The text of a record that was read, with the status that the decision has now.
        text = record.head + record.content + record.tail
        found = _said_status(text)
        if found is None or _status(text) == record.status:
            return text
        word = record.status.capitalize() if found[1][0].isupper() else record.status
        return text[: found.start(1)] + word + text[found.end(1) :]
    body = _body(record, form)
    return body + _own_line(record, form, body)


def _body(record: Record, form: str) -> str:
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


def _own_line(record: Record, form: str, body: str) -> str:
    said = {"id": record.id, "form": form, "number": record.number, "sum": _sum(body)}
    lists = {"tags": list(record.tags), "paths": list(record.paths)}
    # A text with "-->" in it would end the comment.
    told = json.dumps(said | lists, ensure_ascii=False, sort_keys=True).replace(">", "\\u003e")
    return f"\n\n<!-- gitmem decision {told} -->\n"


def _sum(body: str) -> str:
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _own(text: str) -> Record | None:
    """The record that gitmem wrote; None where it did not, or where its parts cannot be told."""
    match = re.search(_OWN, text)
    if match is None:
        return None
    try:
        said = json.loads(match[1])
        body = text[: match.start()]
        title = re.search(_HEADING, body)
        form, number = str(said["form"]), int(said["number"])
        if title is None or form not in FORMATS:
            return None
        name = re.sub(rf"^{number}\. ", "", title[1]) if form == "nygard" else title[1]
        why = _why(body, title.end(), form)
        head = body[: body.rindex(why)] if form == "simple" else body[: body.index(_CONTEXT[form])]
        return Record(
            title=name,
            content=why,
            status=_status(head),
            date=_date(head),
            number=number,
            id=str(said["id"]),
            tags=tuple(map(str, said["tags"])),
            paths=tuple(map(str, said["paths"])),
            form=form,
            edited=said["sum"] != _sum(body),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _why(body: str, title_end: int, form: str) -> str:
    """What stands between the heading of the context and the next of ours. Raises ValueError."""
    if form == "simple":
        return body[body.index("\n\n", title_end + 2) + 2 :]
    start = body.index(_CONTEXT[form], title_end) + len(_CONTEXT[form])
    return body[start : body.rindex(_DECISION[form])]


def _foreign(text: str) -> Record | None:
    front = re.match(_FRONT, text, re.DOTALL)
    title = re.compile(_HEADING).search(text, front.end() if front else 0)
    if title is None:
        return None
    said = _heading(title[1])
    numbered = re.match(_NUMBERED, said)
    name = said[numbered.end() :] if numbered else said
    content = text[title.end() :].strip("\r\n").rstrip()
    if not content.strip() or not name.strip():
        return None
    start = text.index(content, title.end())
    return Record(
        title=" ".join(name.split()),
        content=content,
        status=_status(text),
        date=_date(text),
        number=int(numbered[1]) if numbered else 0,
        head=text[:start],
        tail=text[start + len(content) :],
    )


def _heading(line: str) -> str:
    """The words of a heading, without the signs that may close it; "Use C#" has none."""
    bare = line.rstrip(" \t")
    words = bare.rstrip("#")
    return words.rstrip(" \t") if words.endswith((" ", "\t")) else bare


def _status(text: str) -> str:
    """What a record says of itself, in our words; what says nothing we know is accepted."""
    found = _said_status(text)
    return _STATUSES.get(found[1].lower(), "accepted") if found else "accepted"


def _said_status(text: str) -> re.Match[str] | None:
    """Where a record says it first: in a line of its own, or below a heading."""
    found = [re.search(_STATUS_LINE, text), re.search(_STATUS_PART, text)]
    return min((one for one in found if one), key=lambda one: one.start(), default=None)


def _date(text: str) -> str:
    match = re.search(_DATE, text)
    return match[1] if match else ""
