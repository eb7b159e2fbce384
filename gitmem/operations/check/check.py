"""Before something is done: what was decided about it, and whether it goes against that (ML-26).

Nothing watches in the background. Whoever is about to do something asks, and one process answers
from the store; a cache of decisions in memory, as ML-26 has it, would have nothing to save here.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Annotated

from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import InvalidInput
from gitmem.memory import citations, conflict
from gitmem.memory.conflict import RULES
from gitmem.memory.draft import check_paths
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.retrieval import annotate, memory_view, request_filters
from gitmem.retrieval.keyword import look_up
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.retrieval.request_filters import scoped
from gitmem.search import query
from gitmem.sessions.current_session import current_session
from gitmem.store.db.connection import Database
from gitmem.store.memory import cited_by, memories, memory_search
from gitmem.store.memory.filters import Filter
from gitmem.store.memory.rewritten_commits import array
from gitmem.store.session import recent_files
from gitmem.text.fence import one_line

MINUTE_MS = 60_000
# ML-26: the 20 newest files of an hour, and what the last half hour touched.
MOST_ACTIVE, ACTIVE_MS, IMPACT_MS = 20, 60 * MINUTE_MS, 30 * MINUTE_MS
WARNINGS = ("fix", "problem", "error")
CANDIDATES = 40
MOST = 10
# Of those that cite a folder many files lie in.
MOST_READ = 500
# A memory speaks of a plan that holds so much of it: two words at least, if the plan has two.
_SHARE, _LEAST = 0.3, 2


@dataclass(frozen=True, slots=True)
class Check:
    """What is about to be done."""

    plan: Annotated[
        str,
        Arg(
            "What you are about to do, in a sentence; - reads it from standard input",
            positional=True,
            words=True,
            stdin=True,
        ),
    ] = ""
    file: Annotated[tuple[str, ...], Arg("A file you are about to change; may be repeated")] = ()
    session: Annotated[
        str, Arg("The session whose active files count (default: the running one)", mcp=False)
    ] = ""


@dataclass(frozen=True, slots=True)
class Against:
    """A memory that the plan goes against: the words in which it does, and why that is thought."""

    terms: tuple[str, ...]
    why: str
    memory: MemoryItem


@dataclass(frozen=True, slots=True)
class Active:
    """A file that the session viewed lately, and the ids of memories that cite it."""

    path: str
    at: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be thought of first.

    ``conflicts`` go against the plan; ``related`` speak of it; ``citing`` cite the ``files`` named.
    ``active`` are the files of the session's last hour; those of the last half hour tell which
    memories cite them.
    """

    plan: str
    files: tuple[str, ...]
    conflicts: tuple[Against, ...]
    related: tuple[MemoryItem, ...]
    citing: tuple[MemoryItem, ...]
    active: tuple[Active, ...]


def check(app: App, request: Check) -> Checked:
    """Show which decisions concern a plan, and which conflict with it.

    Lists decisions, conventions and warnings that reject what the plan wants, or want what it
    rejects, with the words and the reason; those that only mention it; and what cites the files
    given, with its freshness. Superseded and foreign memories do not count. It compares
    words, not intentions: an empty answer proves nothing. Without a plan and files it shows which
    memories cite what the running session has worked on for half an hour.
    """
    files = check_paths(request.file)
    if not (request.plan.strip() or files) and current_session(app, request.session) is None:
        raise InvalidInput(
            "There is nothing to check.", 'gitmem check "switch the store to sqlite3"'
        )
    found = _speaking(app, request.plan) if request.plan.strip() else []
    against = [(clash, pair) for clash, pair in found if clash is not None][:MOST]
    beside = [pair for clash, pair in found if clash is None][:MOST]
    cites = list(_citing(app, files))[:MOST] if files else []
    told = annotate.items_of(app, [*(pair for _, pair in against), *beside, *cites])
    middle, last = len(against), len(against) + len(beside)
    for database in app.stores():
        ids = [one.id for one in told if one.scope == database.scope]
        annotate.count(app, database, list(dict.fromkeys(ids)))
    return Checked(
        request.plan.strip(),
        files,
        tuple(
            Against(clash.terms, clash.why, item)
            for (clash, _), item in zip(against, told[:middle], strict=True)
        ),
        tuple(told[middle:last]),
        tuple(told[last:]),
        tuple(_active(app, request.session)),
    )


# --- what speaks of it --------------------------------------------------------------------------

Pair = tuple[Memory, Database]


def _speaking(app: App, plan: str) -> list[tuple[conflict.Clash | None, Pair]]:
    """Rules and warnings that speak of a plan, with where they clash; the most telling first."""
    stance, asked = conflict.stance(plan), conflict.words(plan)
    found = []
    for database in scoped(app, "all"):
        for score, memory in _candidates(app, database, plan):
            said = f"{memory.title}\n{memory.content}"
            least = 1 if memory.kind in RULES else 2
            clash = conflict.between(stance, conflict.stance(said), least=least)
            shared = asked.keys() & conflict.words(said).keys()
            if clash or len(shared) >= _enough(len(asked)):
                found.append((clash, score * memory.weight, memory, database))
    found.sort(key=lambda one: (one[0] is None, -one[1], one[2].id))
    return [(clash, (memory, database)) for clash, _, memory, database in found]


def _enough(words: int) -> int:
    return max(min(_LEAST, words), -int(-_SHARE * words // 1), 1)


def _candidates(app: App, database: Database, plan: str) -> list[tuple[float, Memory]]:
    plain = Filter(states=request_filters.SHOWN, kinds=(*RULES, *WARNINGS), now=app.now, own=True)
    wanted = request_filters.here(app, database, plain)
    scores, _ = look_up(
        query.parse(plan),
        partial(memory_search.frequency, database),
        lambda expression: memory_search.match(database, expression, wanted, CANDIDATES),
        partial(memory_search.matched, database),
    )
    if not scores:
        return []
    found = memories.by_seq(database, list(scores), wanted)
    return [(scores[one.seq], one) for one in found]


# --- what cites it ------------------------------------------------------------------------------


def _citing(app: App, files: Sequence[str]) -> Iterator[Pair]:
    """Memories that cite one of the files or a folder above it, the heaviest first."""
    if not app.has_store:
        return
    ids = list(_cited(app.store, files))
    wanted = request_filters.here(app, app.store, Filter(now=app.now, own=True))
    found = [one for one in _each(app.store, ids, wanted) if one.scope == "project"]
    found.sort(key=lambda one: (-one.weight, -one.updated_at, one.id))
    for memory in found:
        yield memory, app.store


def _each(database: Database, ids: Sequence[str], wanted: Filter) -> list[Memory]:
    """The newest memories with these ids that pass the filter."""
    if not ids:
        return []
    among = ("m.id IN (SELECT value FROM json_each(?))", [array(ids)])
    return memories.select(
        database, replace(wanted, beside=(*wanted.beside, among)), limit=MOST_READ
    )


def _cited(database: Database, files: Iterable[str]) -> dict[str, set[str]]:
    """Id of each memory that cites one of the files or a folder above it -> which of them."""
    found: dict[str, set[str]] = {}
    for file in dict.fromkeys(citations.parse(one).path.rstrip("/") for one in files):
        for id, cited in cited_by.at(database, file):
            if any(_covers(_path(text), file) for text in cited):
                found.setdefault(id, set()).add(file)
    return found


def _covers(place: str, file: str) -> bool:
    """Whether a cited place is the file, a folder above it, or (of a folder) something in it."""
    return place == file or file.startswith(f"{place}/") or place.startswith(f"{file}/")


def _path(cited: str) -> str:
    try:
        return citations.parse(cited).path.rstrip("/")
    except InvalidInput:
        return cited


# --- what is being worked on --------------------------------------------------------------------


def _active(app: App, asked: str) -> Iterator[Active]:
    """The session's files of the last hour; of the last half hour also who cites them."""
    session = current_session(app, asked) if app.has_store else None
    if session is None:
        return
    recent = recent_files.recent(app.store, session.id, app.now - ACTIVE_MS, MOST_ACTIVE)
    lately = [path for path, at in recent if at >= app.now - IMPACT_MS]
    cited = _cited(app.store, lately)
    wanted = request_filters.here(app, app.store, Filter(now=app.now, own=True))
    seen = {one.id for one in _each(app.store, list(cited), wanted)}
    for path, at in recent:
        ids = tuple(id for id, here in cited.items() if path in here and id in seen)
        yield Active(path, iso(at), ids[:MOST])


# --- what is shown ------------------------------------------------------------------------------


def view(result: Checked) -> str:
    """What goes against the plan first; where nothing was asked, what the active files concern."""
    lines = []
    for one in result.conflicts:
        lines.append(f"! {memory_view.headline(one.memory)}")
        lines.append("    " + one_line(f"{one.why} ({', '.join(one.terms)})", 96))
    for title, found in (("Related:", result.related), ("Cites these files:", result.citing)):
        if found:
            lines += [title, *map(memory_view.headline, found)]
    if not (result.plan or result.files):
        return "\n".join(_impacts(result.active)) or "No memory cites these files."
    return "\n".join(lines) or "No memory mentions this."


def _impacts(active: Sequence[Active]) -> Iterator[str]:
    for file in active:
        if file.memories:
            many = "1 memory cites" if len(file.memories) == 1 else f"{len(file.memories)} cite"
            yield f"active now: {one_line(file.path, 60)}; {many} it: {' '.join(file.memories)}"


CHECK = Operation(
    name="check",
    request=Check,
    run=check,
    view=view,
    effect=READ,
    example='gitmem check "switch the store to sqlite3" --file gitmem/store/db/connection.py',
    tool="check",
)
