"""Learning patterns from memories, commits and code. What is learned waits for a person's consent.

Known names are not proposed again, whatever became of them (``capture.proposals``).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from gitmem import languages
from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.proposals import Found, propose
from gitmem.git import line_history
from gitmem.model.frozen import dataclass
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
    """What the sources teach, each name once: what people said before what they did.

    What commits replaced and the code still does in many places is no convention.
    """
    said = list(_from_memories(app)) if "memories" in sources else []
    mended = list(_from_commits(app)) if "commits" in sources else []
    now, kept = _in_code(app, mended, tally="code" in sources)
    mended = [one for one in mended if now[one.pattern.name] <= _allowed(one)]
    found: dict[str, Learned] = {}
    for one in (*said, *mended, *kept):
        found.setdefault(one.pattern.name, one)
    return sorted(found.values(), key=lambda one: (-one.confidence, one.pattern.name))


def _allowed(one: Learned) -> int:
    """In how many lines the code may still do what so many commits replaced."""
    return max(5, 2 * len(one.pattern.commits))


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


def _in_code(
    app: App, learned: Sequence[Learned], *, tally: bool
) -> tuple[Counter[str], list[Learned]]:
    """How many lines go against each pattern now, and with ``tally`` what the code itself keeps."""
    against: Counter[str] = Counter()
    counted = code_mining.Tally()
    usual = [one.rule for one, _ in built_in.PATTERNS if one.rule is not None]
    files = validation.every_file(app) if learned or tally else ()
    for path, data in islice(files, MOST_FILES):
        language = languages.language(path)
        wanted = [rule for rule in usual if not rule.node or language in rule.languages]
        source = checker.source(path, language, data, wanted)
        if source is None:
            continue
        if tally:
            counted.add(source)
        for one in learned:
            rule = one.pattern.rule
            if rule is not None:
                against[one.pattern.name] += len(checker.breaches(rule, "", source))
    return against, [_kept(one) for one in counted.kept()]


def _kept(kept: code_mining.Kept) -> Learned:
    reason = f"the code keeps it in {kept.kept:,} of {kept.places:,} places"
    # Of what nobody said, however often it is done, nobody can be that sure.
    return Learned(kept.pattern, reason, 0.8 * kept.kept / kept.places)
