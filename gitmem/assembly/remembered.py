"""Memories, commits, archived memories, past sessions about a question, each as a line."""

import re
from collections.abc import Sequence

from gitmem.app import App
from gitmem.indexing import commit_releases
from gitmem.memory import trust
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory, join_title
from gitmem.model.session import Session
from gitmem.retrieval import (
    annotate,
    memory_recall,
    memory_view,
    repository_search,
    request_filters,
)
from gitmem.retrieval.hit_view import DisplayOptions, HitItem, make_displayed_hit
from gitmem.retrieval.question import Question
from gitmem.search import matched_words
from gitmem.search.rank import MemoryHit
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.fence import escape_for_model, one_line
from gitmem.timeline.features import Feature

DECISIONS, NOTES, COMMITS, PAST_COMMITS, ARCHIVED, EXCHANGES = 5, 8, 5, 10, 3, 3
# Below this score an exchange is not about the question.
MIN_EXCHANGE_SCORE = 0.45
# Memories with a lower score are left out of a context.
MIN_SCORE = 0.15
# Wordings of a question about what was said, not about the code.
_ABOUT_SESSIONS = (
    r"(?i)\b(?:(?:did|have|had) (?:we|i|you) .*\b(?:try|tried|discuss\w*|talk\w*|say|said"
    r"|agree\w*)|we (?:tried|discussed|talked|agreed|said)|in (?:a|the|which) (?:session|"
    r"conversation)|(?:last|past|earlier|previous) (?:time|sessions?))\b"
)
# Recent sessions that are searched for words of the question.
SESSIONS = 50
_WIDTH = 320


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory that may answer a question, with the store it is in.

    ``standing`` says whether the code that it cites is unchanged; ``against`` are the ids of active
    memories that it may contradict.
    """

    hit: MemoryHit
    store: Database
    standing: Freshness
    against: tuple[str, ...] = ()

    @property
    def reasons_to_check(self) -> tuple[str, ...]:
        """Short words on why to check the memory first: changed code, contradicting memories."""
        handles = [short_ids.shortest_unique_prefix(self.store, id) for id in self.against]
        doubts = (
            memory_view.freshness_label(self.standing.freshness),
            memory_view.contradiction_label(handles),
        )
        return tuple(filter(None, doubts))

    @property
    def as_line(self) -> str:
        """The memory as a line of Markdown: short id, kind, reasons to check it, and text."""
        memory = self.hit.memory
        handle = short_ids.shortest_unique_prefix(self.store, memory.id)
        label = (
            f"{handle} {memory.kind}",
            trust.trust_tier_mark(memory.trust_tier),
            *self.reasons_to_check,
        )
        return f"- [{', '.join(filter(None, label))}] {one_line(memory_full_text(memory), _WIDTH)}"


def memory_full_text(memory: Memory | memory_view.MemoryItem) -> str:
    """Return a memory's title and content; the content alone if it begins with the title."""
    return join_title(memory.title, memory.content)


def recall_memories_for_question(app: App, question: str) -> list[RecalledMemory]:
    """Return the memories that best match a question, best first.

    Those that came from other devices and were not accepted yet are left out.
    """
    views = request_filters.memory_filters_by_store(
        app, "all", MemoryFilter(now=app.now, trusted_only=True)
    )
    freshness: dict[str, Freshness] = {}
    most = 2 * (DECISIONS + NOTES)
    hits = memory_recall.rank_memories(
        app, question, views, most, mode="hybrid", freshness=freshness
    )
    hits = [hit for hit in hits if hit.score >= MIN_SCORE]
    home = {database.scope: database for database in views}
    pairs = [(hit.memory, home[hit.memory.scope]) for hit in hits]
    against = annotate.contradicted_memory_ids(pairs)
    return [
        RecalledMemory(
            hit, store, freshness.get(memory.id, memory_view.NOWHERE), against.get(memory.id, ())
        )
        for hit, (memory, store) in zip(hits, pairs, strict=True)
    ]


def find_commits_for_question(app: App, question: Question) -> list[tuple[float, HitItem]]:
    """Return the commits that best match a question, as (score, search hit) pairs, best first.

    They are at most ``COMMITS``, or ``PAST_COMMITS`` if the question is about the past.
    """
    past = repository_search.SearchSources(None, True, False)
    most = PAST_COMMITS if question.parsed.is_about_past else COMMITS
    limited = replace(question, limit=most)
    best = repository_search.rank_hits(app, limited, past, mode="hybrid", fusion_method="score")
    release = commit_releases.make_first_release_lookup(app)
    return [
        (hit.score, replace(item, release=release(item.commit)))
        for hit, item in best
        if hit.score >= MIN_SCORE
    ][:most]


def asks_about_sessions(question: str) -> bool:
    """Whether a question is about what was said or tried in sessions."""
    return bool(re.search(_ABOUT_SESSIONS, question))


def find_exchanges_for_question(app: App, question: Question) -> list[tuple[float, HitItem]]:
    """Return past exchanges (a prompt and its reply) on a question, as (score, search hit).

    Best first. The ``note`` of a hit lists the commits that probably followed, a line for each.
    """
    from gitmem.retrieval import exchange_candidates  # noqa: PLC0415 - few stores hold any
    from gitmem.store.session import exchange_search  # noqa: PLC0415 - few stores hold any

    if not exchange_search.has_exchanges(app.store):
        return []
    past = repository_search.SearchSources(
        None, False, False, sessions=exchange_search.ExchangeFilter()
    )
    limited = replace(question, limit=EXCHANGES)
    best = repository_search.rank_hits(app, limited, past, mode="hybrid", fusion_method="score")
    best = [pair for pair in best[:EXCHANGES] if pair[0].score >= MIN_EXCHANGE_SCORE]
    by_id = exchange_candidates.exchange_and_commits_by_hit(app, [item for _, item in best])
    words, text = question.parsed.words, question.parsed.text
    return [
        (
            hit.score,
            replace(
                make_displayed_hit(item, hit, words, DisplayOptions(), text),
                note="\n".join(map(exchange_candidates.format_following_commit, by_id[item.id][1])),
            ),
        )
        for hit, item in best
        if item.id in by_id
    ]


def exchange_as_lines(item: HitItem) -> str:
    """Return an exchange found by search as a Markdown list item with id, day, author and text.

    The commits that followed it are further lines.
    """
    both = f"{item.title} … {item.snippet}" if item.title not in item.snippet else item.snippet
    text = f"[{item.id} {(item.at or '')[:10]} {item.author}] {both}"
    commits = [f"\n  {escape_for_model(line)}" for line in item.note.split("\n") if line]
    return "".join([f"- {one_line(escape_for_model(text), _WIDTH)}", *commits])


def commit_as_line(item: HitItem) -> str:
    """Return a commit found by search as a line of Markdown: id, day, author and subject."""
    since = f", since {item.release}" if item.release else ""
    text = f"{item.commit[:10]} {(item.at or '')[:10]}{since} {item.author}: {item.title}"
    return f"- {one_line(text, _WIDTH)}"


def archived_items_as_lines(app: App, question: str, query_words: Sequence[str]) -> list[str]:
    """Return at most ``ARCHIVED`` lines on archived or replaced memories and past sessions.

    The memories match ``question``, the sessions hold at least half of ``query_words``.
    """
    put_aside = MemoryFilter(states=("archived", "superseded"), trusted_only=True)
    views = request_filters.memory_filters_by_store(app, "project", put_aside)
    hits = memory_recall.rank_memories(app, question, views, ARCHIVED, mode="keyword")
    old = [
        f"- [{short_ids.shortest_unique_prefix(app.store, hit.memory.id)} "
        f"{hit.memory.kind}, {hit.memory.state}] "
        f"{one_line(memory_full_text(hit.memory), _WIDTH)}"
        for hit in hits
        if hit.score >= MIN_SCORE
    ]
    return [*old, *past_sessions_as_lines(app, query_words)][:ARCHIVED]


def past_sessions_as_lines(app: App, query_words: Sequence[str]) -> list[str]:
    """Return lines on ended sessions whose goal or summary has at least half of the words."""
    ended = (
        session
        for session in sessions.recent_sessions(app.store, SESSIONS)
        if session.ended_at is not None
    )
    matches = [
        (len(matched_words.words_in_text(query_words, _text_of(session))), session)
        for session in ended
    ]
    best = [
        (count, session) for count, session in matches if count and 2 * count >= len(query_words)
    ]
    best.sort(key=lambda pair: -pair[0])
    return [f"- session {each.id[-6:]}: {one_line(_text_of(each), _WIDTH)}" for _, each in best]


def _text_of(session: Session) -> str:
    return " ".join(filter(None, (session.goal, session.summary)))


def current_session_as_lines(session: Session | None, feature: Feature) -> list[str]:
    """Return lines on the running session: its feature, goal, active file and viewed files.

    A feature is a task that somebody named; one inferred from the branch is not listed.
    """
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
