"""Notes shown beside the hits of a search, such as why a page is empty."""

from collections.abc import Iterable, Mapping, Sequence

from gitmem.app import App
from gitmem.retrieval.question import FileScope
from gitmem.search import fuzzy
from gitmem.search.fusion import WEIGHTED
from gitmem.search.question import ParsedQuestion
from gitmem.store.code import symbols
from gitmem.text import identifiers
from gitmem.text.quantity import quantity

# Names that are suggested, and that are compared.
MOST_NAMES, COMPARED = 5, 2_000
NOT_IMPORTED = (
    "No session was imported. `gitmem session import` reads those that your agents wrote."
)
# From so many milliseconds on a search says what took them.
SLOW_MS = 2_000
# The fewest characters of a part of a name, and the most of a name.
SHORTEST, LONGEST = 3, 80


def explain_empty_page(
    app: App, scope: FileScope | None, shown_count: int, offset: int, total: int
) -> tuple[str, ...]:
    """Sentences on why a page is empty: it lies past the last hit, or filters leave no files.

    ``scope`` are the filters, None if no files were searched; the page has ``shown_count`` hits
    after the first ``offset`` of ``total``. Mostly an empty tuple if the page has hits.
    """
    if scope is not None and not app.settings.number("index.enabled"):
        return ("No file is indexed: index.enabled is 0 (see `gitmem config index.enabled`).",)
    if shown_count or (not offset and (scope is None or not scope.excludes_files)):
        return ()
    if offset and total:
        return (f"The list ends before that: {quantity(total, 'hit')} in all.",)
    if scope is None:
        return ()
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - for who finds nothing

    return file_filters.describe_filters_without_files(app, scope)


def describe_missing_sessions(app: App) -> tuple[str, ...]:
    """A tuple with a sentence if no session was imported, so that none can be found; else empty."""
    from gitmem.store.session import exchange_search  # noqa: PLC0415 - on request

    return () if exchange_search.has_exchanges(app.store) else (NOT_IMPORTED,)


def explain_keyword_only_search(missing_reasons: Iterable[str]) -> tuple[str, ...]:
    """Sentences that say why only words were compared although meaning was requested."""
    reasons = dict.fromkeys(lack for lack in missing_reasons if lack)
    return tuple(f"Only words were compared. {reason}" for reason in reasons)


def describe_slow_search(
    app: App, step_times_ms: Mapping[str, float], model_ms: float, reranker_ms: float
) -> tuple[str, ...]:
    """A sentence on where a search of over two seconds spent its time, and what to do; else none.

    ``step_times_ms`` are the milliseconds of the steps read, ranked and shown; ``model_ms`` and
    ``reranker_ms`` are part of ``ranked``.
    """
    total = sum(step_times_ms.values())
    if total < SLOW_MS:
        return ()
    parts = {
        "read": step_times_ms.get("read", 0.0),
        "model": model_ms,
        "reranker": reranker_ms,
        "ranked": step_times_ms.get("ranked", 0.0) - model_ms - reranker_ms,
        "shown": step_times_ms.get("shown", 0.0),
    }
    slowest = max(parts, key=lambda part: parts[part])
    what, advice = _SLOW[slowest]
    if slowest == "model":
        advice = _SLOW_MODEL.get(app.settings.text("model").partition(":")[0], advice)
    return (
        f"This took {total / 1000:.1f} s, {parts[slowest] / 1000:.1f} s of it {what}. {advice}",
    )


_SERVED = "Its server is slow: see `embedding.timeout`, and `gitmem model status`."
_SLOW_MODEL = {
    "fastembed": "Each command loads it anew; an MCP server (`gitmem mcp`) keeps it loaded.",
    "ollama": _SERVED,
    "openai": _SERVED,
}
_SLOW = {
    "read": ("preparing the index of this worktree", "That is done once: see `gitmem status`."),
    "model": ("the model that compares by meaning", "`--mode keyword` does without it."),
    "reranker": ("the reranker", "`gitmem model rerank off` does without it."),
    "ranked": (
        "comparing and ranking",
        "`--in` and `--path` narrow it; `gitmem doctor` says whether sqlite-vec works.",
    ),
    "shown": ("reading what is shown", "`gitmem index` takes in edited files."),
}


def describe_fusion_method(method: str) -> tuple[str, ...]:
    """A sentence on how scores of words and of meaning are joined, by score, rrf or weighted."""
    wordings = {
        "score": "by score",
        "rrf": "by rank (rrf)",
        "weighted": f"by fixed weights ({WEIGHTED:g} of the cosine)",
    }
    return (f"Words and meaning are joined {wordings[method]}; see search.fusion.",)


def suggest_similar_names(
    app: App, questions: Sequence[ParsedQuestion], *, is_answer_sure: bool
) -> tuple[str, ...]:
    """Sentences that suggest names similar to those in the questions that no code has.

    If the search is ``is_answer_sure`` of its answer, lower-case words are not treated as names.
    """
    notes = []
    for question in questions:
        name = _unknown(app, question)
        if name and (not is_answer_sure or name.lower() != name):
            notes += _similar_names(app, name)
    return tuple(notes)


def _unknown(app: App, question: ParsedQuestion) -> str:
    """The name that a question consists of, if nothing here has it; else empty."""
    name = (
        question.symbols[0]
        if question.is_single_name and question.symbols and not question.paths
        else ""
    )
    if not SHORTEST <= len(name) <= LONGEST:
        return ""
    spelt = symbols.javascript_name_spellings(name)
    return "" if symbols.definitions_of_names(app.store, app.worktree, spelt, 1) else name


def _similar_names(app: App, name: str) -> list[str]:
    parts = [part for part in identifiers.split_identifiers(name) if len(part) >= SHORTEST]
    begin = symbols.normalise_name(name)[:2] + "*"
    names = symbols.defined_names_containing(app.store, app.worktree, [*parts, begin], COMPARED)
    found = fuzzy.closest_names(name, names, MOST_NAMES)
    return [f"Nothing is called {name} here; like it: {', '.join(found)}."] if found else []
