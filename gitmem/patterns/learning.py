"""Learning patterns from memories, commits and code. What is learned waits for a person's consent.

Known names are not proposed again, whatever became of them (``capture.proposals``).
"""

from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.proposals import Found, propose
from gitmem.git import line_history
from gitmem.indexing import languages
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.patterns import (
    built_in,
    checker,
    code_mining,
    commit_mining,
    pattern_store,
    ranking,
    said_rule,
    validation,
)
from gitmem.patterns import pattern as patterns
from gitmem.patterns.pattern import Pattern
from gitmem.store.code import symbols
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.text.fence import one_line

SOURCES = ("memories", "commits", "code")
MOST_COMMITS, MOST_FILES, MOST_MEMORIES = 500, 2000, 1000
SECONDS = 10.0
MOST = 20
_KINDS = ("convention", "decision", "pattern", "warning", "feedback", "workflow", "fact", "note")


@dataclass(frozen=True, slots=True)
class Learned:
    """A pattern that was found, why, and how sure that is (0 to 1)."""

    pattern: Pattern
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a pattern: ``action`` is proposed, known, or found where nothing is kept.

    ``id`` is that of the memory that it is, empty where it was not kept.
    """

    learned: Learned
    id: str
    action: str


def learn(app: App, sources: Sequence[str], *, dry_run: bool) -> list[Outcome]:
    """Look for patterns in some sources and propose them; the surest first."""
    known = {one.pattern.name for one in pattern_store.every(app)}
    done: list[Outcome] = []
    for one in _once(app, sources or SOURCES):
        if one.pattern.name in known:
            done.append(Outcome(one, "", "known"))
        elif dry_run or len(done) >= MOST:
            done.append(Outcome(one, "", "found"))
        else:
            id = propose(app, app.store, _found(one))
            done.append(Outcome(one, id, "proposed" if id else "known"))
    return done


def _once(app: App, sources: Sequence[str]) -> list[Learned]:
    """What the sources teach, each name once: what people said before what they did."""
    found: dict[str, Learned] = {}
    for source in SOURCES:
        for one in _FINDERS[source](app) if source in sources else ():
            found.setdefault(one.pattern.name, one)
    return sorted(found.values(), key=lambda one: (-one.confidence, one.pattern.name))


def _found(one: Learned) -> Found:
    draft = pattern_store.drafted(one.pattern)
    return Found(draft, one.reason, one.confidence, f"pattern\x1f{one.pattern.name}")


def known_to_code(app: App, name: str) -> bool:
    """Whether the code that is indexed calls or imports a name."""
    bare = name.strip("`()!").rpartition(".")[2]
    return bool(
        symbols.references(app.store, app.worktree, bare, ("call",), 1)
        or symbols.importers(app.store, app.worktree, [name], 1)
    )


def _from_memories(app: App) -> Iterator[Learned]:
    for memory in _said(app):
        said = said_rule.derive(
            f"{memory.title}\n{memory.content}", lambda name: known_to_code(app, name)
        )
        if said is None:
            continue
        own = patterns.of_memory(memory)
        if own is not None and patterns.in_force(own, memory):
            continue  # a person's convention that marks its names is checked as it stands
        made = Pattern(
            name=patterns.named_after(said.rule),
            text=said.quote,
            rule=said.rule,
            language=said.rule.languages[0] if said.rule.languages else "",
            origin="memories",
            rests_on=(memory.id,),
        )
        uses, last = memories.usage(app.store, memory.id)
        sure = ranking.confidence(uses, last or memory.updated_at, app.now)
        kind = memory.kind
        yield Learned(made, f"the {kind} {memory.id} says: {one_line(said.quote, 160)}", sure)


def _said(app: App) -> Sequence[Memory]:
    database = app.store
    hidden = visible_here.hidden(app, database).clause()
    wanted = Filter(
        states=("active",),
        kinds=_KINDS,
        now=app.now,
        own=True,
        beside=(*subprojects.seen(app, database), hidden),
    )
    return memories.select(database, wanted, limit=MOST_MEMORIES)


def _from_commits(app: App) -> Iterator[Learned]:
    if app.layout.plain or not app.head.commit:
        return
    replaced, _ = line_history.newest_replacements(app.layout.cwd, MOST_COMMITS, seconds=SECONDS)
    for lesson in commit_mining.lessons(replaced):
        count = len(lesson.commits)
        sure = ranking.confidence(count, lesson.at * 1000, app.now)
        reason = (
            f"{count} commits replace {lesson.old} by {lesson.new}, last {lesson.commits[0][:10]}"
        )
        yield Learned(commit_mining.pattern(lesson), reason, sure)


def _from_code(app: App) -> Iterator[Learned]:
    tally = code_mining.Tally()
    rules = [one.rule for one, _ in built_in.PATTERNS if one.rule is not None]
    for place, (path, data) in enumerate(validation.every_file(app)):
        if place >= MOST_FILES:
            break
        language = languages.language(path)
        own = [rule for rule in rules if not rule.node or language in rule.languages]
        source = checker.source(path, language, data, own)
        if source is not None:
            tally.add(source)
    for kept in tally.kept():
        share = kept.kept / kept.places
        reason = f"the code keeps it in {kept.kept:,} of {kept.places:,} places"
        # Of what nobody said, however often it is done, nobody can be that sure.
        yield Learned(replace(kept.pattern), reason, min(0.8, share * 0.8))


_FINDERS = {"memories": _from_memories, "commits": _from_commits, "code": _from_code}
