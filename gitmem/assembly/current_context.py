"""The context of this moment, without a question: what runs, what bears on it, what to do next."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.assembly import file_context, token_budget
from gitmem.assembly.orientation_facts import HEARD
from gitmem.errors import GitmemError
from gitmem.git import status
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.section import Pack, Section
from gitmem.model.session import QUERY, Session
from gitmem.retrieval import citing_memories, memory_recall, request_filters
from gitmem.sessions import feature_context, injection
from gitmem.store.code import symbols
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.store.session import sessions
from gitmem.text.fence import one_line
from gitmem.text.name_secrets import hide
from gitmem.text.token_ceiling import ceiling
from gitmem.timeline import current_scores, resumption
from gitmem.timeline.current_scores import RECENT, Situation, Suggestion, Weighed

# Caps of the published window: working memories, recent and alike ones, what is told of them.
WORKING, LATEST, ALIKE, RELEVANT, PATTERNS, GHOSTS, RELATED, QUERIES = 10, 5, 5, 10, 5, 5, 8, 5
_BUILT_FROM = 3  # working memories that make the question
_WIDTH, _SHORT, _ERROR = 300, 200, 180
_OF_FILE = 12  # lines on the active file
_OF_FEATURE = 8  # files
_PATTERNS = ("pattern", "convention", "workflow")
_FIXES = ("fix", "error", "problem")


@dataclass(frozen=True, slots=True)
class Ghost:
    """A message that a hook may slip into a session: ``trigger`` says why it is there."""

    trigger: str
    content: str
    memory: str = ""


@dataclass(frozen=True, slots=True)
class CurrentContext:
    """The window of this moment, the best first, each part within its cap.

    ``symbol`` is what the active file is most about, ``related`` are ids of memories on it.
    ``queries`` are the last questions of the session, ``error`` is its last, ``blocker`` what
    probably stopped it.
    """

    working: tuple[Memory, ...]
    relevant: tuple[Weighed, ...]
    patterns: tuple[Memory, ...]
    suggestions: tuple[Suggestion, ...]
    ghosts: tuple[Ghost, ...]
    symbol: str
    related: tuple[str, ...]
    session: Session | None
    queries: tuple[str, ...]
    error: str
    blocker: str
    sections: tuple[Section, ...]

    def pack(self, budget: int, count: token_budget.Count) -> Pack:
        """The sections as Markdown within so many tokens."""
        return token_budget.pack(self.sections, budget, markdown=True, count=count)


def gather(
    app: App, session: Session | None, *, file: str = "", command: str = ""
) -> CurrentContext:
    """What is known of this moment. ``file`` and ``command`` are those somebody is at."""
    file = file or (session.active_file if session else "")
    heard = _heard(app, session)
    error = heard.get("error", "")
    command = command or heard.get("command", "")
    cut = injection.of(app.store, session)
    own = _select(app, WORKING, session=session.id, layer=True) if session else []
    working = [one for one in own if one.pinned or one.id not in cut.out]
    told = [session.goal, *heard.get("note", "").split("\n")] if session else []
    texts = [one.content for one in working[:_BUILT_FROM]] or [text for text in told if text]
    situation = Situation(
        session.id if session else "", file, command, error, current_scores.terms([*texts, *told])
    )
    # What is critical is always in where less is told.
    critical = _select(app, RELEVANT, pinned=True) if cut.strategy else []
    relevant = [current_scores.weigh(one, RECENT, situation) for one in critical]
    known = {one.id for one in (*own, *critical)}
    alike = _relevant(app, situation, texts, known)
    relevant += [one for one in alike if one.memory.id not in cut.out]
    patterns = _select(app, PATTERNS, kinds=_PATTERNS)
    symbol = _symbol(app, file, situation)
    found = CurrentContext(
        working=tuple(working),
        relevant=tuple(relevant),
        patterns=tuple(patterns),
        suggestions=tuple(
            current_scores.suggestions(
                relevant,
                symbol=symbol,
                file=file,
                error=one_line(error, _ERROR),
                used={id: many for id, (many, _) in _uses(app, relevant).items()},
            )
        ),
        ghosts=_ghosts(session, relevant, file=file, symbol=symbol, command=command, error=error),
        symbol=symbol,
        related=tuple(one.memory.id for one in relevant if "cites the active file" in one.why)[
            :RELATED
        ],
        session=session,
        queries=tuple(heard[QUERY].split("\n")) if heard.get(QUERY) else (),
        error=error,
        blocker=heard.get("blocker", ""),
        sections=(),
    )
    return replace(found, sections=tuple(_sections(app, found, file)))


def _heard(app: App, session: Session | None) -> dict[str, str]:
    """By type of event what the session said last: one error, one command, some notes, queries."""
    if session is None:
        return {}
    heard = {}
    for type, most in (("error", 1), ("command", 1), ("note", 3), (QUERY, QUERIES)):
        last = sessions.events(app.store, session=session.id, types=(type,), limit=most)
        heard[type] = "\n".join(one_line(one.text, _WIDTH) for one in last)
    latest = sessions.events(app.store, session=session.id, types=resumption.TYPES, limit=HEARD)
    heard["blocker"] = one_line(resumption.blocker(latest), _WIDTH)
    return heard


def _select(app: App, limit: int, *, layer: bool = False, **wanted: object) -> list[Memory]:
    here = request_filters.here(app, app.store, Filter(now=app.now, own=True, **wanted))  # type: ignore[arg-type]
    found = memories.select(app.store, here, limit=limit)
    return [one for one in found if one.layer == "working"] if layer else found


def _relevant(
    app: App, situation: Situation, texts: Sequence[str], known: set[str]
) -> list[Weighed]:
    """Recent memories, those that cite the active file and those alike, weighed and capped."""
    base: dict[str, tuple[Memory, float]] = {}
    for memory in _select(app, LATEST):
        base[memory.id] = memory, RECENT
    if situation.file:
        for memory, _ in citing_memories.citing(app, [situation.file])[:RELATED]:
            base.setdefault(memory.id, (memory, 0.0))
    question = " ".join(text for text in texts if text)[: _WIDTH * 3]
    views = request_filters.views(app, "all", Filter(now=app.now, own=True))
    freshness: dict[str, Freshness] = {}
    with suppress(GitmemError):  # a goal without a word asks nothing
        for hit in memory_recall.ranked(
            app, question, views, ALIKE, mode="hybrid", freshness=freshness
        ):
            alike = hit.similarity if hit.similarity is not None else hit.score
            before = base.get(hit.memory.id)
            base[hit.memory.id] = hit.memory, max(alike, before[1] if before else 0.0)
    weighed = [
        current_scores.weigh(memory, score, situation)
        for id, (memory, score) in base.items()
        if id not in known
    ]
    weighed.sort(key=lambda one: (-one.score, -one.memory.updated_at, one.memory.id))
    return weighed[:RELEVANT]


def _uses(app: App, relevant: Sequence[Weighed]) -> dict[str, tuple[int, int | None]]:
    return memories.usages(app.store, [one.memory.id for one in relevant])


def _symbol(app: App, file: str, situation: Situation) -> str:
    """The definition of the active file that the session speaks of, else its first."""
    defined = [one for one in symbols.of_path(app.store, app.worktree, file) if not one.container]
    spoken = (one for one in defined if one.name.lower() in situation.terms)
    large = (one for one in defined if one.kind in ("class", "function") and one.exported)
    return next((one.name for one in (*spoken, *large, *defined)), "") if file else ""


def _ghosts(
    session: Session | None,
    relevant: Sequence[Weighed],
    *,
    file: str,
    symbol: str,
    command: str,
    error: str,
) -> tuple[Ghost, ...]:
    found = []
    if session is not None and session.files:
        files = ", ".join(session.files[:3])
        found.append(Ghost("session_context", f"Recent files: {one_line(files, _SHORT)}"))
    decisions = [one.memory for one in relevant if one.memory.kind == "decision"]
    for memory in decisions[:2]:
        said = one_line(f"{memory.headline}: {memory.content}", _SHORT)
        found.append(Ghost("relevant_decision", said, memory.id))
    fix = next((one.memory for one in relevant if one.memory.kind in _FIXES), None)
    if fix is not None:
        found.append(Ghost("bug_fix_context", one_line(fix.content, _SHORT), fix.id))
    if error:
        found.append(Ghost("recent_error", one_line(error, _ERROR)))
    if symbol:
        found.append(Ghost("active_code_context", one_line(f"At {symbol} in {file}", _SHORT)))
    if command:
        found.append(Ghost("command_context", one_line(f"Last check: {command}", _SHORT)))
    return tuple(found[:GHOSTS])


def _sections(app: App, found: CurrentContext, file: str) -> list[Section]:
    """The sections with their published ranks; those without lines are dropped."""
    decisions = [one for one in found.relevant if one.memory.kind == "decision"]
    others = [one for one in found.relevant if one.memory.kind != "decision"]
    made = [
        Section("active code", "Active Code", tuple(_active(app, file)), 100),
        Section("working", "Working Context", tuple(_working(app, found)), 90),
        Section("decisions", "Related Decisions", tuple(map(_line, decisions)), 85),
        Section("errors", "Recent Errors", tuple(_bullets([found.error])), 80),
        Section("relevant", "Relevant Memories", tuple(map(_line, others)), 70),
        Section(
            "suggestions", "Suggestions", tuple(_bullets(one.text for one in found.suggestions)), 60
        ),
        Section("ghosts", "Reminders", tuple(_bullets(one.content for one in found.ghosts)), 50),
    ]
    return [one for one in made if one.lines]


def _active(app: App, file: str) -> list[str]:
    if not file:
        return []
    with suppress(GitmemError):
        summary, _ = file_context.summed_up(app, file, ceiling)
        return [one_line(file, _WIDTH), *filter(None, summary.split("\n"))][:_OF_FILE]
    return []


def _working(app: App, found: CurrentContext) -> list[str]:
    session = found.session
    lines = []
    if session is not None:
        for label, text in (
            ("goal", session.goal),
            ("active file", session.active_file),
            ("viewed", " ".join(session.files[:8])),
            ("asked", "; ".join(found.queries)),
            ("probable blocker", found.blocker),
        ):
            if text:
                lines.append(f"- {label}: {one_line(text, _WIDTH)}")
    lines.append(f"- branch: {hide(app.head.branch or '') or 'detached HEAD'}")
    lines += _feature(app, session)
    with suppress(GitmemError):
        tree = status.read(app.layout)
        dirty = [*tree.staged, *tree.modified, *tree.untracked] if tree is not None else []
        if dirty:
            lines.append(
                f"- uncommitted: {one_line(' '.join(map(hide, dict.fromkeys(dirty))), _WIDTH)}"
            )
    return [*lines, *(f"- {one_line(one.content, _WIDTH)}" for one in found.working)]


def _feature(app: App, session: Session | None) -> list[str]:
    """The feature where it has a name, and its files of before that this session has not viewed."""
    feature = feature_context.current(app)
    known = set(session.files) if session else set()
    files = [path for path in feature.files if path not in known][:_OF_FEATURE]
    name = one_line(feature.name, _WIDTH)
    lines = [f"- feature: {name}"] if feature.by_hand else []
    return [*lines, f"- earlier on {name}: {one_line(' '.join(files), _WIDTH)}"] if files else lines


def _line(one: Weighed) -> str:
    memory = one.memory
    said = f"{memory.title}: {memory.content}" if memory.title else memory.content
    return f"- [{memory.kind} {one.score:.2f}] {one_line(said, _WIDTH)}"


def _bullets(texts: Iterable[str]) -> list[str]:
    return [f"- {one_line(text, _WIDTH)}" for text in texts if text]
