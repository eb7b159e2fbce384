"""Searching what was said in past sessions: exchanges, and the commits that came of them."""

from gitmem.agents.hosts.registry import resolve_host_name
from gitmem.app import App
from gitmem.maintenance import index_request, usage
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, unquoted_words_arg
from gitmem.retrieval import exchange_candidates, hit_view, repository_search, request_filters
from gitmem.retrieval import search_notes as notes_of
from gitmem.retrieval.memory_view import CommitItem
from gitmem.search import pages
from gitmem.store.session import exchange_search
from gitmem.store.session.exchange_search import ExchangeFilter
from gitmem.text.fence import escape_for_model, one_line

NEAREST = "No exchange clearly answers; the nearest:"
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class SearchSessionsRequest:
    """Arguments of `gitmem session search`: what to look for in past sessions; empty: no filter."""

    query: Annotated[str, unquoted_words_arg('What to look for; "..." finds a phrase')]
    after: Annotated[str, Arg("Only said after this: 7d, yesterday, 2026-01-31, v1.2")] = ""
    before: Annotated[str, Arg("Only said before this")] = ""
    agent: Annotated[str, Arg("Only sessions of this agent: claude, codex, ...")] = ""
    branch: Annotated[str, Arg("Only sessions begun on this branch")] = ""
    file: Annotated[
        str, Arg("Only where this file or folder was read or written", path_kind="path")
    ] = ""
    mode: Annotated[
        str, Arg("Match words, meaning or both", choices=("hybrid", "keyword", "semantic"))
    ] = "hybrid"
    limit: shared.HitLimit = None
    offset: shared.HitOffset = None


@dataclass(frozen=True, slots=True)
class ExchangeHit:
    """An exchange that matches: what was asked (``question``) and the part of it that answers.

    ``id`` is that of the conversation with the exchange's ``number``; ``commits`` are those that
    probably came of it, by time and files. What it says is what was said, and nothing more.
    """

    id: str
    conversation: str
    number: int
    at: str | None
    agent: str
    branch: str
    question: str
    snippet: str
    files: tuple[str, ...]
    commits: tuple[CommitItem, ...]
    score: float
    similarity: float | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchSessionsResult:
    """What was said and matches, best first; ``relevance`` is good, weak (the nearest) or none."""

    hits: tuple[ExchangeHit, ...]
    relevance: str
    has_more: bool = False
    notes: tuple[str, ...] = ()


def search_sessions(app: App, request: SearchSessionsRequest) -> SearchSessionsResult:
    """Search what was said in past sessions, by words and by meaning.

    Each hit has the question, the day and the agent, and the commits that probably came of it.
    `gitmem session show ID` shows the rest. Without a model the words decide alone. It needs
    transcripts that were read with `gitmem session import`.
    """
    since = request_filters.parse_time_ms(app, request.after)
    until = request_filters.parse_time_ms(app, request.before)
    request_filters.validate_time_order(since, until, ("--after", "--before"))
    some = ExchangeFilter(
        since, until, resolve_host_name(request.agent).lower(), request.branch, request.file
    )
    offset, limit = request.offset or 0, request.limit
    limit = limit or app.project_settings.number("recall.limit")
    question = repository_search.prepare_question(
        app, request.query, pages.FIRST, mode=request.mode, embed_new_memories=False
    )
    if not exchange_search.has_exchanges(app.store):
        return SearchSessionsResult((), "none", notes=(notes_of.NOT_IMPORTED,))
    sources = repository_search.SearchSources(None, False, False, sessions=some)
    answers = repository_search.list_ranked_hits(
        app,
        question,
        sources,
        mode=request.mode,
        fusion_method="score",
        last_hit_number=offset + limit,
    )
    best = answers[offset : offset + limit]
    exchange_by_id = exchange_candidates.exchange_and_commits_by_hit(
        app, [item for _, item in best]
    )
    hits = []
    for ranked, stored in best:
        if stored.id not in exchange_by_id:
            continue
        exchange, commits = exchange_by_id[stored.id]
        item = hit_view.make_displayed_hit(
            stored, ranked, question.parsed.words, hit_view.DisplayOptions(), request.query
        )
        hits.append(
            copy_fields(
                ExchangeHit, item,
                conversation=exchange.conversation, number=exchange.number, agent=item.author,
                branch=item.context, question=escape_for_model(item.title),
                snippet=escape_for_model(item.snippet), files=exchange.written_paths,
                commits=commits,
            )
        )  # fmt: skip
    relevance = (
        repository_search.relevance_of_best_hits(app, question, sources, best, mode=request.mode)
        if hits
        else "none"
    )
    usage.record_question_usage(app, "search", answered=bool(hits))
    notes = notes_of.explain_keyword_only_search([question.lacks])
    if any(hit.files and not hit.commits for hit in hits):  # its commit may not be indexed yet
        notes = (*notes, *index_request.describe_stale_index(app))
    return SearchSessionsResult(tuple(hits), relevance, len(answers) > offset + limit, notes)


def view(result: SearchSessionsResult) -> str:
    """Return the text to print: a line for each exchange, lines that answer, commits of it."""
    lines = [] if result.hits else ["No relevant results."]
    if result.relevance == "weak":
        lines.append(NEAREST)
    for hit in result.hits:
        head = f"{hit.id} {(hit.at or '')[:10]} {hit.agent}: {hit.question}"
        lines.append(f"{one_line(head, _WIDTH)}  [{hit.score:.2f}: {'; '.join(hit.why)}]")
        texts = [text for text in hit.snippet.split("\n") if text.strip() not in hit.question]
        lines += [f"    {one_line(text, _WIDTH)}" for text in texts]
        lines += [
            f"    {exchange_candidates.format_following_commit(commit)}" for commit in hit.commits
        ]
    return "\n".join([*lines, *result.notes])


SEARCH = Operation(
    "session search",
    search_sessions,
    view,
    READ,
    '"what did we try against the flaky test" --after 30d',
    tool="session_search",
    shows_times=True,
)
