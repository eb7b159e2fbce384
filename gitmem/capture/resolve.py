"""What a person or agent makes of a memory that may not hold any more.

Accepted, corrected and re-anchored ones stand on the code as it is now; what they said and cited
before is an earlier version of theirs.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture.change import change
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.freshness import anchoring
from gitmem.memory import citations, draft, edit, trust
from gitmem.memory.edit import Changes
from gitmem.model.anchor import Anchor, Freshness, Verdict
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is to become of it: one of these, or ``correct`` (new words) with ``re_anchor``.

    ``re_anchor`` is the place to cite, ``cited`` the citation that it replaces, empty where only
    one can be meant.
    """

    accept: bool = False
    re_anchor: str = ""
    cited: str = ""
    correct: str = ""
    retire: bool = False


def apply(
    app: App, resolution: Resolution, database: Database, memory: Memory, known: Freshness
) -> str:
    """Do what was asked for; the word for it, empty where nothing was."""
    if resolution.retire:
        _store(app, database, memory, edit.archived(memory, app.now), "archived", None)
        return "retired"
    if not (resolution.accept or resolution.re_anchor or resolution.correct):
        return ""
    if database is not app.store:
        raise Conflict(
            f"Memory {memory.id} is global: it cannot cite files of this repository.",
            "gitmem revise changes its text, --retire archives it.",
        )
    before = anchors.of(database, [memory.id]).get(memory.id, [])
    paths, kept = _cited(app, resolution, memory, known, before)
    new = _revised(app, memory, resolution.correct, paths)
    made = anchoring.anchor_citations(app, new, kept=kept)
    _refuse_nothing(made, kept, () if resolution.re_anchor else known.anchors)
    action = (
        "corrected" if resolution.correct else "re-anchored" if resolution.re_anchor else "accepted"
    )
    _store(app, database, memory, new, action, made.anchors)
    return action


def _cited(
    app: App, resolution: Resolution, memory: Memory, known: Freshness, before: Sequence[Anchor]
) -> tuple[tuple[str, ...], list[Anchor]]:
    """What the memory is to cite, and the anchors that stay as they are."""
    if resolution.re_anchor:
        # What is cited, one place replaced by another; the anchors of all others stay.
        new = draft.check_paths([resolution.re_anchor])[0]
        old = _replaced(memory, known, resolution.cited)
        paths = tuple(new if path == old else path for path in memory.paths) if old else (new,)
        return tuple(dict.fromkeys(paths)), [
            anchor for anchor in before if anchor.cited not in (old, new)
        ]
    if not memory.paths and not resolution.correct:
        raise Conflict(
            f"Memory {memory.id} cites nothing, so there is nothing to accept.",
            "Cite a place: --re-anchor src/app.py:40-60.",
        )
    return _today(app, memory, before, known), []


def _revised(app: App, memory: Memory, text: str, paths: tuple[str, ...]) -> Memory:
    wanted = Changes(content=text or None, paths=paths)
    most = app.settings.number("memory.max_bytes")
    new = edit.revised(memory, wanted, now=app.now, max_bytes=most)
    return replace(new, trust=trust.after_edit(memory, by_agent=bool(app.agent))) if text else new


def _refuse_nothing(
    made: anchoring.Anchored, kept: Sequence[Anchor], known: Sequence[Verdict]
) -> None:
    """Raise Conflict where what was to be anchored is not there: nothing would be any better.

    One that could not be told before does not stop the others of a memory.
    """
    old = {anchor.cited for anchor in kept}
    before = {verdict.cited for verdict in known if verdict.verdict == "unknown"}
    new = [anchor for anchor in made.anchors if anchor.cited not in old]
    bare = [anchor for anchor in new if not anchor.blob]
    if bare and (len(bare) == len(new) or any(anchor.cited not in before for anchor in bare)):
        raise Conflict(
            made.notes[0] if made.notes else f"A memory cannot be anchored to {bare[0].cited}.",
            "Cite an existing text file with --re-anchor, or archive the memory with --retire.",
        )


def _store(
    app: App,
    database: Database,
    old: Memory,
    new: Memory,
    action: str,
    made: Sequence[Anchor] | None,
) -> None:
    """A new version of the memory with its anchors. Raises Conflict if another came between."""
    with database.write():
        current = memories.get(database, old.id)
        if current is None or current.version != old.version:
            raise Conflict(
                f"Memory {old.id} was changed in the meantime.", "Run the command again."
            )
        change(app, database, current, new, action)
        if made is not None:
            anchors.replace(database, old.id, made)


# --- places -------------------------------------------------------------------------------------


def _replaced(memory: Memory, known: Freshness, cited: str) -> str:
    """The citation to replace, empty where there is none yet. Raises InvalidInput and NotFound."""
    if cited:
        if cited in memory.paths:
            return cited
        raise NotFound(
            f"Memory {memory.id} does not cite {cited[:80]!r}.",
            f"It cites: {', '.join(memory.paths) or 'nothing'}.",
        )
    wrong = [verdict.cited for verdict in known.anchors if verdict.verdict != "fresh"]
    for choice in (wrong, list(memory.paths)):
        if len(choice) == 1:
            return choice[0]
        if choice:
            raise InvalidInput(
                f"Memory {memory.id} cites more than one place: {', '.join(choice)}.",
                "Choose the one to replace with --cited.",
            )
    return ""


def _today(app: App, memory: Memory, before: Sequence[Anchor], known: Freshness) -> tuple[str, ...]:
    """What the memory cites, as it is called today. Raises Conflict where something is gone."""
    verdicts = {verdict.cited: verdict for verdict in known.anchors}
    own = {anchor.cited: anchor for anchor in before}
    return tuple(
        _name(app, own[path], verdicts[path]) if path in own and path in verdicts else path
        for path in memory.paths
    )


def _name(app: App, anchor: Anchor, verdict: Verdict) -> str:
    if verdict.verdict == "gone":
        raise Conflict(
            f"{anchor.cited} is gone: neither the place nor the code that was there exists "
            "any more.",
            "Cite another place with --re-anchor, or archive the memory with --retire.",
        )
    path = verdict.path or anchor.path
    if verdict.verdict == "unknown":
        return anchor.cited
    if anchor.symbol:
        return citations.format(citations.Citation(path, symbol=anchor.symbol))
    if citations.parse(anchor.cited).whole:
        return path
    changed = verdict.verdict == "changed"
    lines = _lines_now(app, anchor, verdict) if changed else (verdict.first_line, verdict.last_line)
    return citations.format(citations.Citation(path, *lines))


def _lines_now(app: App, anchor: Anchor, verdict: Verdict) -> tuple[int, int]:
    """Which lines took the place of those that changed. Raises Conflict where none did."""
    from gitmem.freshness import line_mapping  # noqa: PLC0415 - difflib, and seldom needed

    found = line_mapping.lines(app, anchor, verdict.path or anchor.path)
    if found is None and verdict.first_line is not None and verdict.last_line is not None:
        found = verdict.first_line, verdict.last_line
    if found is None:
        raise Conflict(
            f"{anchor.path} has nothing left where {anchor.cited} was.",
            "Cite the lines you mean with --re-anchor, or archive the memory with --retire.",
        )
    return found
