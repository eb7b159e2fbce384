"""What is remembered about a question: decisions, notes, past commits, the archive, as lines."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.indexing import commit_releases
from gitmem.memory import trust
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.model.session import Session
from gitmem.retrieval import (
    annotate,
    memory_recall,
    memory_view,
    repository_search,
    request_filters,
)
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Question
from gitmem.search import matched_words
from gitmem.search.rank import Hit
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from gitmem.store.memory.filters import Filter
from gitmem.store.session import sessions
from gitmem.text.fence import one_line
from gitmem.timeline.features import Feature

DECISIONS, NOTES, COMMITS, PAST_COMMITS, ARCHIVED = 5, 8, 5, 10, 3
# Of memories that answer worse nothing is told: who reads a context did not ask for each of them.
LEAST = 0.15
# Sessions that are looked through for words of the question.
SESSIONS = 50
_WIDTH = 320


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that answers, with the store it is in and what to know before it is believed.

    ``against`` are the ids of those in force that it may contradict.
    """

    hit: Hit
    store: Database
    standing: Freshness
    against: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """What to know before it is believed: that its code has changed, what it may contradict."""
        handles = [short_ids.shortest(self.store, id) for id in self.against]
        told = memory_view.doubt(self.standing.freshness), memory_view.opposes(handles)
        return tuple(filter(None, told))

    @property
    def line(self) -> str:
        """One line: handle, kind, doubts, and what it says."""
        memory = self.hit.memory
        handle = short_ids.shortest(self.store, memory.id)
        label = (f"{handle} {memory.kind}", trust.mark(memory.tier), *self.doubts)
        return f"- [{', '.join(filter(None, label))}] {one_line(said(memory), _WIDTH)}"


def said(memory: Memory) -> str:
    """Title and content of a memory."""
    return f"{memory.title}: {memory.content}" if memory.title else memory.content


def about(app: App, text: str) -> list[Remembered]:
    """Memories that answer, the best first; what nobody here vouches for is left out."""
    views = request_filters.views(app, "all", Filter(now=app.now, own=True))
    freshness: dict[str, Freshness] = {}
    most = 2 * (DECISIONS + NOTES)
    hits = memory_recall.ranked(app, text, views, most, mode="hybrid", freshness=freshness)
    hits = [hit for hit in hits if hit.score >= LEAST]
    home = {database.scope: database for database in views}
    pairs = [(hit.memory, home[hit.memory.scope]) for hit in hits]
    against = annotate.opposed(pairs)
    return [
        Remembered(
            hit, store, freshness.get(memory.id, memory_view.NOWHERE), against.get(memory.id, ())
        )
        for hit, (memory, store) in zip(hits, pairs, strict=True)
    ]


def commits(app: App, question: Question) -> list[tuple[float, HitItem]]:
    """Commits that speak of it, with their scores, the best first; more where the past is asked."""
    past = repository_search.Sources(None, True, False)
    most = PAST_COMMITS if question.asked.past else COMMITS
    few = replace(question, limit=most)
    best = repository_search.ranked(app, few, past, mode="hybrid", method="score")
    release = commit_releases.of(app)
    return [
        (hit.score, replace(item, release=release(item.commit)))
        for hit, item in best
        if hit.score >= LEAST
    ][:most]


def commit_line(item: HitItem) -> str:
    """A commit in one line."""
    since = f", since {item.release}" if item.release else ""
    told = f"{item.commit[:10]} {(item.at or '')[:10]}{since} {item.author}: {item.title}"
    return f"- {one_line(told, _WIDTH)}"


def archived(app: App, text: str, words: Sequence[str]) -> list[str]:
    """What lies in the archive about it: memories put aside, and sessions that ended, as lines."""
    wanted = Filter(states=("archived", "superseded"), own=True)
    views = request_filters.views(app, "project", wanted)
    hits = memory_recall.ranked(app, text, views, ARCHIVED, mode="keyword")
    old = [
        f"- [{short_ids.shortest(app.store, hit.memory.id)} {hit.memory.kind}, {hit.memory.state}] "
        f"{one_line(said(hit.memory), _WIDTH)}"
        for hit in hits
        if hit.score >= LEAST
    ]
    return [*old, *past_sessions(app, words)][:ARCHIVED]


def past_sessions(app: App, words: Sequence[str]) -> list[str]:
    """Sessions that ended and whose goal or summary holds most of the words, as lines."""
    ended = (one for one in sessions.recent(app.store, SESSIONS) if one.ended_at is not None)
    matches = [(len(matched_words.held(words, _told(one))), one) for one in ended]
    kept = [(count, one) for count, one in matches if count and 2 * count >= len(words)]
    kept.sort(key=lambda pair: -pair[0])
    return [f"- session {one.id[-6:]}: {one_line(_told(one), _WIDTH)}" for _, one in kept]


def _told(session: Session) -> str:
    return " ".join(filter(None, (session.goal, session.summary)))


def working(session: Session | None, feature: Feature) -> list[str]:
    """What a session is at: goal, active file, files viewed; the feature, where it has a name."""
    lines = []
    if feature.by_hand:
        lines.append(f"- feature: {one_line(feature.name, _WIDTH)}")
    if session is None:
        return lines
    if session.goal:
        lines.append(f"- goal: {one_line(session.goal, _WIDTH)}")
    if session.active_file:
        lines.append(f"- active file: {one_line(session.active_file, _WIDTH)}")
    others = [path for path in session.files if path != session.active_file]
    if others:
        lines.append(f"- viewed: {one_line(' '.join(others[:20]), 2 * _WIDTH)}")
    return lines
