"""Resolving a memory whose cited code changed: accept, correct, re-anchor or retire the memory.

After the first three it is anchored to the code as it is now; the old text and anchors belong to an
earlier version.
"""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture.change import store_memory_version
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.freshness import anchoring
from gitmem.memory import citations, draft, edit, trust
from gitmem.memory.edit import MemoryChanges
from gitmem.model.anchor import CitedCodeVerdict, CodeAnchor, Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories


@dataclass(frozen=True, slots=True)
class StaleMemoryResolution:
    """What to do about a memory whose cited code changed; one field is set, or ``correct`` and one.

    ``accept``: the text still holds. ``correct`` is a new text, ``re_anchor`` a new citation,
    ``cited`` the citation it replaces (empty: the only candidate). ``retire``: archive it.
    """

    accept: bool = False
    re_anchor: str = ""
    cited: str = ""
    correct: str = ""
    retire: bool = False


def resolve_stale_memory(
    app: App,
    resolution: StaleMemoryResolution,
    database: Database,
    memory: Memory,
    freshness: Freshness,
) -> str:
    """Carry out the resolution of a memory whose cited code changed; returns what was done.

    This is retired, corrected, re-anchored or accepted; empty if the resolution is empty.
    ``freshness`` has the verdicts on the cited code. Raises Conflict, InvalidInput and NotFound.
    """
    if resolution.retire:
        _store(app, database, memory, edit.archive_memory(memory, app.now), "archived", None)
        return "retired"
    if not (resolution.accept or resolution.re_anchor or resolution.correct):
        return ""
    if database is not app.store:
        raise Conflict(
            f"Memory {memory.id} is global: it cannot cite files of this repository.",
            "`gitmem revise` changes its text; `gitmem verify ID --retire` archives it.",
        )
    before = anchors.anchors_by_memory(database, [memory.id]).get(memory.id, [])
    paths, unchanged = _choose_citations(app, resolution, memory, freshness, before)
    new = _revise(app, memory, resolution.correct, paths)
    anchored = anchoring.make_code_anchors(app, new, existing_anchors=unchanged)
    _refuse_nothing(anchored, unchanged, () if resolution.re_anchor else freshness.anchors)
    action = (
        "corrected" if resolution.correct else "re-anchored" if resolution.re_anchor else "accepted"
    )
    _store(app, database, memory, new, action, anchored.anchors)
    return action


def _choose_citations(
    app: App,
    resolution: StaleMemoryResolution,
    memory: Memory,
    freshness: Freshness,
    before: Sequence[CodeAnchor],
) -> tuple[tuple[str, ...], list[CodeAnchor]]:
    """The paths that the memory will cite, and the anchors that stay as they are."""
    if resolution.re_anchor:
        new = draft.check_paths([resolution.re_anchor])[0]
        old = _citation_to_replace(memory, freshness, resolution.cited)
        paths = tuple(new if path == old else path for path in memory.paths) if old else (new,)
        return tuple(dict.fromkeys(paths)), [
            anchor for anchor in before if anchor.cited not in (old, new)
        ]
    if not memory.paths and not resolution.correct:
        raise Conflict(
            f"Memory {memory.id} cites no code, so there is no change to accept.",
            "Cite a place: --re-anchor src/app.py:40-60.",
        )
    return _current_citations(app, memory, before, freshness), []


def _revise(app: App, memory: Memory, text: str, paths: tuple[str, ...]) -> Memory:
    changes = MemoryChanges(content=text or None, paths=paths)
    most = app.settings.number("memory.max_bytes")
    new = edit.revise_memory(memory, changes, now_ms=app.now, max_bytes=most)
    return (
        replace(new, trust=trust.trust_after_edit(memory, by_agent=bool(app.agent)))
        if text
        else new
    )


def _refuse_nothing(
    anchored: anchoring.AnchoringResult,
    unchanged: Sequence[CodeAnchor],
    verdicts: Sequence[CitedCodeVerdict],
) -> None:
    """Raise Conflict where new citations cannot be anchored, as that would not help.

    Citations whose verdict was unknown before do not count.
    """
    old = {anchor.cited for anchor in unchanged}
    before = {verdict.cited for verdict in verdicts if verdict.verdict == "unknown"}
    new = [anchor for anchor in anchored.anchors if anchor.cited not in old]
    bare = [anchor for anchor in new if not anchor.blob]
    if bare and (len(bare) == len(new) or any(anchor.cited not in before for anchor in bare)):
        raise Conflict(
            anchored.notes[0]
            if anchored.notes
            else f"A memory cannot be anchored to {bare[0].cited}.",
            "Cite an existing text file with --re-anchor, or archive the memory with --retire.",
        )


def _store(
    app: App,
    database: Database,
    old: Memory,
    new: Memory,
    action: str,
    new_anchors: Sequence[CodeAnchor] | None,
) -> None:
    """Store a new version with its anchors. Raises Conflict where the memory was edited."""
    with database.write():
        current = memories.get_memory(database, old.id)
        if current is None or current.version != old.version:
            raise Conflict(
                f"Memory {old.id} was changed in the meantime.", "Run the command again."
            )
        store_memory_version(app, database, current, new, action)
        if new_anchors is not None:
            anchors.replace_anchors(database, old.id, new_anchors)


def _citation_to_replace(memory: Memory, freshness: Freshness, cited: str) -> str:
    """The citation to replace; empty where there is none. Raises InvalidInput and NotFound."""
    if cited:
        if cited in memory.paths:
            return cited
        raise NotFound(
            f"Memory {memory.id} does not cite {cited[:80]!r}.",
            f"It cites: {', '.join(memory.paths) or 'nothing'}.",
        )
    wrong = [verdict.cited for verdict in freshness.anchors if verdict.verdict != "fresh"]
    for choice in (wrong, list(memory.paths)):
        if len(choice) == 1:
            return choice[0]
        if choice:
            raise InvalidInput(
                f"Memory {memory.id} cites more than one place: {', '.join(choice)}.",
                "Choose the one to replace with --cited.",
            )
    return ""


def _current_citations(
    app: App, memory: Memory, before: Sequence[CodeAnchor], freshness: Freshness
) -> tuple[str, ...]:
    """The citations with today's paths and lines. Raises Conflict where one is gone."""
    verdicts = {verdict.cited: verdict for verdict in freshness.anchors}
    own = {anchor.cited: anchor for anchor in before}
    return tuple(
        _current_name(app, own[path], verdicts[path]) if path in own and path in verdicts else path
        for path in memory.paths
    )


def _current_name(app: App, anchor: CodeAnchor, verdict: CitedCodeVerdict) -> str:
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
        return citations.format_citation(citations.Citation(path, symbol=anchor.symbol))
    if citations.parse_citation(anchor.cited).is_whole_file:
        return path
    changed = verdict.verdict == "changed"
    lines = _lines_now(app, anchor, verdict) if changed else (verdict.first_line, verdict.last_line)
    return citations.format_citation(citations.Citation(path, *lines))


def _lines_now(app: App, anchor: CodeAnchor, verdict: CitedCodeVerdict) -> tuple[int, int]:
    """The lines that replaced the cited ones. Raises Conflict where there are none."""
    from gitmem.freshness import line_mapping  # noqa: PLC0415 - difflib, and seldom needed

    lines = line_mapping.current_lines_of_citation(app, anchor, verdict.path or anchor.path)
    if lines is None and verdict.first_line is not None and verdict.last_line is not None:
        lines = verdict.first_line, verdict.last_line
    if lines is None:
        raise Conflict(
            f"The lines that {anchor.cited} cited were removed from {anchor.path}.",
            "Cite the lines you mean with --re-anchor, or archive the memory with --retire.",
        )
    return lines
