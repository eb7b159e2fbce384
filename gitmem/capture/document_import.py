"""The documents that tell people and agents how to work here, as memories (CF-47).

One memory a document, which follows the file: read again, the same content changes nothing. What
gitmem wrote into such a file itself is left out. Nobody vouches for what a file says, so it is
marked as the repository's word, and what an agent imports waits in the inbox.
"""

import re

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.capture import adr_import, proposals
from gitmem.capture.adr_import import FileOutcome
from gitmem.capture.proposals import Found
from gitmem.capture.provenance import by_agent
from gitmem.errors import Conflict, GitmemError, InvalidInput
from gitmem.freshness import anchoring
from gitmem.git import listing
from gitmem.indexing import file_filter
from gitmem.memory import adr_format, decision_finder, draft, trust
from gitmem.memory.draft import Draft, Origin
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.memory.imported_files import KEY, made_of, origin_of
from gitmem.text.marked_block import Marks, take
from gitmem.timeline import command_output

MOST_CHARACTERS = 50_000
_LARGEST = 1 << 20
_CUT = "\n\n(cut: the file has more)"
# The lines that `gitmem setup` puts into files of rules; a test holds them against its own.
OWN_BLOCK = Marks(b">>> gitmem >>>", b"<<< gitmem <<<")
_CONVENTION, _DOCUMENTATION = "convention", "documentation"
# Where such files lie, in any case of letters, and what each is.
_KINDS = (
    (r"(?:claude|agents|gemini)\.md|\.cursorrules|\.github/copilot-instructions\.md", _CONVENTION),
    (r"(?:|docs/|\.github/)contributing\.(?:md|rst|txt)", _CONVENTION),
    (r"\.cursor/rules/[^/]+\.mdc?", _CONVENTION),
    (r"(?:readme|changelog|changes|roadmap)(?:\.(?:md|rst|txt))?", _DOCUMENTATION),
    (r"(?:|docs/)architecture\.(?:md|rst|txt)", _DOCUMENTATION),
)
_IMPORTANCE = {_CONVENTION: 0.8, _DOCUMENTATION: 0.5}


@dataclass(frozen=True, slots=True)
class Wishes:
    """How documents are taken in: ``most`` characters of each, ``pin`` them, into the inbox."""

    most: int = MOST_CHARACTERS
    pin: bool = False
    propose: bool = False
    dry_run: bool = False


def import_documents(app: App, paths: tuple[str, ...], wishes: Wishes) -> list[FileOutcome]:
    """Take in some documents, else all of the usual names, and the decision records.

    A document that cannot be taken stops no other.
    """
    if by_agent(app):
        wishes = replace(wishes, propose=True)
    paths = tuple(path for path in paths if path != ".")  # the whole is what none means
    found = listing.read(app.layout, file_filter.refuse_name, only=paths).blobs
    records = [path for path in found if adr_format.is_record(path)]
    kinds = {path: kind_of(path) or (_DOCUMENTATION if path in paths else "") for path in found}
    done = [
        _taken(app, path, found[path], kinds[path], wishes)
        for path in sorted(found)
        if kinds[path] and path not in records
    ]
    done += [
        FileOutcome(path, "", "missing", f"{path} is not here, or may not be read.")
        for path in paths
        if path not in found and not any(one.startswith(f"{path}/") for one in found)
    ]
    if records:
        done += adr_import.import_records(
            app, tuple(sorted(records)), propose=wishes.propose, dry_run=wishes.dry_run
        )
    return done


def kind_of(path: str) -> str:
    """The kind of memory that a file of a usual name makes; empty for all others."""
    low = path.lower()
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, low)), "")


def _taken(app: App, path: str, blob: str, kind: str, wishes: Wishes) -> FileOutcome:
    try:
        known = [one for one in made_of(app.store, path) if one.kind != "decision"]
        text = _text(app, path)
        if not text:
            return FileOutcome(path, "", "empty")
        said = _draft(app, path, blob, kind, text, wishes)
        if known and known[-1].archived_at is None and _is_of(known[-1], said):
            waits = known[-1].state == "proposed"
            return FileOutcome(path, known[-1].id, "waits in the inbox" if waits else "unchanged")
        note = _left_out(app, text, said.content, wishes)
        return FileOutcome(path, *_kept(app, path, said, known, wishes), note=note)
    except Conflict as error:
        return FileOutcome(path, "", "left alone", error.message)
    except GitmemError as error:
        return FileOutcome(path, "", "failed", error.message)


def _text(app: App, path: str) -> str:
    """What a document says, without what gitmem wrote into it. Raises InvalidInput."""
    data = listing.read_file(listing.root(app.layout), path, _LARGEST)
    if data is None:
        raise InvalidInput(f"{path} cannot be read.", "It is a link, or gone.")
    if not data.strip():
        return ""
    if reason := file_filter.refuse_content(data, _LARGEST):
        raise InvalidInput(f"{path} is left out: {reason}.", "Only texts are taken in.")
    text = command_output.unframed(file_filter.decode(take(data, OWN_BLOCK)))
    return "\n".join(decision_finder.own_words_out(text)).strip()


def _draft(app: App, path: str, blob: str, kind: str, text: str, wishes: Wishes) -> Draft:
    content = _cut(text, wishes.most, app.settings.number("memory.max_bytes"))
    origin: dict[str, object] = {"file": path, "blob": blob}
    if content != text:
        origin["kept"] = len(content)  # asked for more of it, it is another memory
    return Draft(
        content=content,
        title=path,
        kind=kind,
        tags=("document",),
        paths=(path,),
        importance=_IMPORTANCE[kind],
        pinned=wishes.pin,
        metadata={KEY: origin},
    )


def _is_of(known: Memory, draft: Draft) -> bool:
    """Whether a memory was made of just this much of just this file."""
    return draft.metadata is not None and origin_of(known) == draft.metadata[KEY]


def _left_out(app: App, text: str, kept: str, wishes: Wishes) -> str:
    """Says that a document is kept in part, and what bounds it; empty where it is kept whole."""
    if kept == text:
        return ""
    limit = app.settings.number("memory.max_bytes")
    by_size = len(_fitting(text, limit)) < wishes.most
    bound = f"memory.max_bytes is {limit}" if by_size else f"--max-chars is {wishes.most}"
    return f"Its beginning is kept, {len(kept):,} of {len(text):,} characters: {bound}."


def _cut(text: str, most: int, most_bytes: int) -> str:
    """The text whole or its beginning, cut between paragraphs where there is one to cut at."""
    if len(text) <= most and len(text.encode("utf-8", "surrogatepass")) <= most_bytes:
        return text
    head = _fitting(text, most_bytes)[:most]
    end = head.rfind("\n\n")
    return (head[:end] if end > len(head) // 2 else head).rstrip() + _CUT


def _fitting(text: str, most_bytes: int) -> str:
    """The beginning of a text that fits beside the note that it was cut."""
    room = most_bytes - len(_CUT)
    return text.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore")


def _kept(
    app: App, path: str, draft: Draft, known: list[Memory], wishes: Wishes
) -> tuple[str, str]:
    """The id of the memory and what was done. Raises GitmemError."""
    if known and known[-1].archived_at is not None:
        return known[-1].id, "archived here"
    if known:
        # The memory of a file that changed, as the file is now.
        old = known[-1]
        new = _checked(app, draft, old.id)
        changed = replace(old, content=new.content, metadata=new.metadata)
        changed = replace(changed, trust=trust.after_import(old, changed))
        adr_import.refuse_following(app, old)
        if wishes.dry_run:
            return old.id, "would be updated"
        cited = anchoring.anchor_citations(app, changed).anchors
        adr_import.follow(app, old, changed, cited)
        return old.id, "updated"
    if wishes.propose:
        found = Found(draft, f"document {path}", 0.7, identity=f"document\x1f{path}")
        if wishes.dry_run:
            return "", "would be proposed"
        return proposals.propose_file(app, app.store, found)
    return adr_import.add(app, _checked(app, draft, app.new_id()), dry_run=wishes.dry_run)


def _checked(app: App, said: Draft, id: str) -> Memory:
    origin = Origin(
        id=id,
        now=app.now,
        project=subprojects.key(app),
        branch=app.head.branch or "",
        commit=app.head.commit or "",
        source=app.source,
    )
    limit = app.settings.number("memory.max_bytes")
    return draft.prepare(said, origin, max_bytes=limit).memory
