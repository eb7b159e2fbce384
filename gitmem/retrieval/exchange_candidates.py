"""Candidates for a search from exchanges with agents, and the commits that followed each.

An exchange is what somebody typed or a model wrote: it is shown as data and never as a fact.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from gitmem.app import App
from gitmem.clock import DAY, format_iso
from gitmem.git.lines import line_history
from gitmem.git.log_output import Commit
from gitmem.indexing import dropped_commits
from gitmem.model.exchange import Conversation, Exchange
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.keyword import score_rows_by_keywords
from gitmem.retrieval.memory_view import CommitItem
from gitmem.retrieval.question import Candidates, Question, Within
from gitmem.search import fusion
from gitmem.search.profiles import age_rank_factor
from gitmem.sessions import meanwhile
from gitmem.store.code import code_search
from gitmem.store.db.connection import Database
from gitmem.store.memory import message_scores
from gitmem.store.session import exchange_search, exchanges
from gitmem.store.session.exchange_search import ExchangeFilter
from gitmem.text.fence import one_line
from gitmem.text.stop_words import parse_words

OVERFETCH = 4
# The source of exchanges in candidates' keys, in the full-text tables and among vectors.
SOURCE = "exchange"
# Between the id of a conversation and the number of an exchange in it.
NUMBER = "#"
# Commits that followed which are shown, and those of the time that are examined.
MOST_COMMITS, _EXAMINED = 3, 60
# Work that was committed longer ago than this was not begun for the commit.
_LONGEST_WORK = 3 * DAY
_TITLE, _SUBJECT, _PATHS = 160, 100, 5
# Words of a question about sessions that say nothing of what is looked for: "what did we try".
_ASKING = parse_words(
    "try tried discuss discussed say said talk talked against about",
)
# The weight of files and of parts of names.
_NAMES = 0.5


def find_exchange_candidates(app: App, question: Question, filter: ExchangeFilter) -> Candidates:
    """The exchanges (a prompt to an agent and its answer) that match a question, unranked.

    Each is (candidate for ranking, hit to show); only exchanges that pass ``filter``.
    """
    store = app.store
    if not exchange_search.has_exchanges(store):
        return []
    within = (
        exchange_search.exchange_row_numbers_matching(store, filter)
        if filter.has_conditions
        else None
    )
    scores: dict[int, float] = {}
    labels: dict[int, list[str]] = {}
    if question.lexical:
        telling = [term for term in question.terms if term.label not in _ASKING]
        scores, labels = score_rows_by_keywords(
            telling or question.terms,
            partial(code_search.count_full_text_matches, store, SOURCE),
            lambda expression: _match(store, expression, question.limit * OVERFETCH, within),
            partial(code_search.matching_expression_labels_by_row, store, SOURCE),
        )
    cosines = question.similar(SOURCE, list(scores), within)
    near = [number for number, cosine in cosines.items() if cosine >= fusion.LEAST_ALIKE]
    known = exchanges.exchanges_by_row(store, dict.fromkeys([*scores, *near]))
    of = conversations_of_exchanges(store, known.values())
    found: Candidates = []
    for number, exchange in known.items():
        if exchange.conversation not in of:
            continue
        made = question.make_candidate(
            (SOURCE, number),
            scores.get(number, 0.0),
            cosines.get(number),
            labels.get(number, ()),
            {"age": age_rank_factor(exchange.at, app.now, question.ranking_profile)},
        )
        item = make_exchange_hit(exchange, of[exchange.conversation])
        found.append((made, item))
    return found


def _match(
    database: Database, expression: str, limit: int, within: Within
) -> list[tuple[int, float]]:
    """The best exchanges by the words of what was asked, with the answer beside: (row, score).

    FTS5 knows one length for a row: beside a long answer the question would hardly count. To score
    the answer by itself as well and take the better of the two loses a little (benchmarks).
    """
    more = message_scores.OVERFETCH * limit
    numbers = [
        row for row, _ in code_search.best_matching_rows(database, SOURCE, expression, more, within)
    ]
    weights = {"user": 1.0, "paths": _NAMES, "parts": _NAMES}
    scored = message_scores.score_messages(
        database, "exchange_text", expression, numbers, weights, "assistant"
    )
    return sorted(scored.items(), key=lambda pair: (-pair[1], -pair[0]))[:limit]


def conversations_of_exchanges(
    database: Database, found_exchanges: Iterable[Exchange]
) -> dict[str, Conversation]:
    """Conversation id -> the conversation that some of these exchanges are part of."""
    ids = {exchange.conversation for exchange in found_exchanges}
    return {made.id: made for made in exchanges.read_conversations(database, sorted(ids))}


def make_exchange_hit(exchange: Exchange, conversation: Conversation) -> HitItem:
    """An exchange (a prompt and its answer) as a hit; its id is ``<conversation id>#<number>``."""
    return HitItem(
        kind="session",
        path=" ".join(exchange.written_paths[:_PATHS]),
        context=conversation.branch,
        id=f"{exchange.conversation}{NUMBER}{exchange.number}",
        title=one_line(exchange.user, _TITLE),
        author=conversation.host,
        at=format_iso(exchange.at) if exchange.at else None,
        snippet=f"{exchange.user}\n{exchange.assistant}".strip(),
    )


def exchange_and_commits_by_hit(
    app: App, hits: Iterable[HitItem]
) -> dict[str, tuple[Exchange, tuple[CommitItem, ...]]]:
    """Hit id -> (the exchange, the commits that probably came of it), for hits of exchanges.

    An exchange is a prompt and its answer. See ``following_commits`` for the commits.
    """
    begun: dict[str, tuple[Exchange, int]] = {}
    for item in hits:
        conversation, _, number = item.id.partition(NUMBER)
        first = int(number)
        some = exchanges.read_exchanges(app.store, conversation, first, first + 1)
        if some and some[0].number == first:
            begun[item.id] = (some[0], some[1].at if len(some) > 1 else 0)
    talks = conversations_of_exchanges(app.store, [exchange for exchange, _ in begun.values()])
    dropped = dropped_commits.make_dropped_commit_lookup(app)
    return {
        id: (made, following_commits(app, talks[made.conversation], made, next_at, dropped))
        for id, (made, next_at) in begun.items()
    }


def format_following_commit(commit: CommitItem) -> str:
    """A line of text for a commit that followed an exchange: ``then``, id, date and subject."""
    return f"then {commit.commit[:10]} {commit.at[:10]} {one_line(commit.subject, _SUBJECT)}"


def following_commits(
    app: App,
    conversation: Conversation,
    exchange: Exchange,
    next_exchange_ms: int,
    find_dropped_commit_ids: Callable[[], frozenset[str]],
) -> tuple[CommitItem, ...]:
    """The commits that probably came of an exchange (a prompt and its answer), oldest first.

    If the exchange wrote files, these are the commits until the end of the session that changed one
    of them; else the commits until ``next_exchange_ms`` (milliseconds since 1970).
    ``find_dropped_commit_ids`` returns the ids of commits that no branch contains, which are left
    out.
    """
    if not exchange.at:
        return ()
    written = set(exchange.written_paths)
    end = 0 if written else next_exchange_ms
    made = meanwhile.commits_during_session(app, conversation, exchange.at, end, written)
    made = [commit for commit in made if not written or written.intersection(commit.paths)]
    gone = find_dropped_commit_ids() if made else frozenset[str]()
    return tuple(
        CommitItem(commit.sha, commit.author, format_iso(commit.at), commit.subject)
        for commit in made
        if commit.sha not in gone
    )[:MOST_COMMITS]


def exchanges_that_wrote_commits(
    app: App, commits: Iterable[Commit], path_by_commit: Mapping[str, str]
) -> dict[str, Exchange]:
    """Commit id -> the exchange (a prompt and its answer) that most likely wrote its file.

    ``path_by_commit`` has that file for each commit. It is the last exchange that changed the file
    between the author times of the parent and of the commit; commits without one are left out.
    """
    some = list(commits)
    parents = [parent for commit in some for parent in commit.parents[:1]]
    before = line_history.read_commits(app.layout.cwd, parents) if parents else {}
    found: dict[str, Exchange] = {}
    for commit in some:
        path, until = path_by_commit[commit.sha], 1000 * (commit.author_time + 1)
        times = [1000 * before[sha].author_time for sha in commit.parents[:1] if sha in before]
        since = next((at for at in times if until - _LONGEST_WORK < at < until), 0)
        since = since or until - _LONGEST_WORK
        rows = exchange_search.exchange_row_numbers_naming_files(
            app.store, (path,), since, until, _EXAMINED
        )
        near = exchanges.exchanges_by_row(app.store, rows).values()
        wrote = [exchange for exchange in near if path in exchange.written_paths]
        if wrote:
            found[commit.sha] = max(wrote, key=lambda exchange: exchange.at)
    return found
