"""An answer in sentences quoted from the lines it cites, or "I do not know"."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import inf
from time import perf_counter

from gitmem.app import App
from gitmem.assembly import answer_confidence
from gitmem.assembly.answer_confidence import (
    UNJUDGED,
    AnswerConfidence,
    confidence_of_command,
)
from gitmem.assembly.answer_evidence import (
    FILES,
    EvidencePassage,
    QuestionEvidence,
    gather_question_evidence,
)
from gitmem.errors import Unavailable
from gitmem.indexing import text_vectors
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, repository_search
from gitmem.retrieval.question import FileScope
from gitmem.search import (
    answered,
    best_piece,
    cited_sentences,
    common_tasks,
    file_kinds,
    passage_support,
)
from gitmem.search.cited_sentences import Sentence, SentenceWeights
from gitmem.search.matched_words import words_in_text
from gitmem.search.passage_support import PassageSupport
from gitmem.search.question import ParsedQuestion
from gitmem.search.question_forms import KnownQuestion
from gitmem.search.question_plan import QuestionPlan, QuestionPlanStep

# Places that an answer cites, that are considered for it, and whose meaning is compared (those
# ranked first by their words).
MAX_SOURCES, _LOOKED_AT, _PLACES_COMPARED = 5, 20, 6
# Places of one file, unless they were looked up by name.
_OF_ONE_FILE = 3
# Characters of a place whose meaning is compared: embedding 600 takes 1 ms.
_BEGINNING = 600
# Commits among them for a question that is not about the past.
_COMMITS = 1
# Subtracted from a document's value when the question asks where something is: code is meant.
_PLACE = 0.4
# Sentences of one place, and the weight of the best one relative to the value of its place.
MAX_SENTENCES_OF_PLACE, _SENTENCE = 2, 0.2
# Sentences of a place whose meaning is compared: those with most words of the question.
_COMPARED = 3
MAX_RELATED = 6
COMMIT = 10  # characters of a commit's id in an answer
UNKNOWN = "I do not know: nothing here clearly answers this."


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A file, memory, commit or session cited in an answer, with its number there (from 1).

    ``kind`` is code, note, commit, memory, decision or session; ``lines`` is a range such as 3-9.
    ``cite`` is the text in brackets that cites it, ``release`` the first release with the commit.
    """

    number: int
    kind: str
    cite: str
    path: str = ""
    lines: str = ""
    commit: str = ""
    id: str = ""
    title: str = ""
    at: str | None = None
    score: float = 0.0
    note: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """A file's path or a topic (code, tests, docs ...) and the numbers of the sources under it."""

    name: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence quoted from the sources with these numbers; ``code``: it is a line of code."""

    text: str
    sources: tuple[int, ...]
    code: bool = False


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer to a question: quoted sentences and numbered sources; ``known`` is false if none.

    Then ``sentences`` is empty and ``sources`` are the nearest matches. ``excerpts`` are the lines
    of each source, secrets removed, ``related`` further names. If a command answered, ``words`` is
    its text, ``by`` its name and ``total`` the number of things that it lists.
    """

    known: bool
    sentences: tuple[CitedSentence, ...]
    sources: tuple[CitedSource, ...]
    groups: tuple[SourceGroup, ...]
    related: tuple[str, ...]
    excerpts: tuple[str, ...]
    confidence: AnswerConfidence = UNJUDGED
    words: str = ""
    by: str = ""
    total: int = 0


def compose_answer(app: App, evidence: QuestionEvidence) -> CitedAnswer:
    """Return an answer of sentences quoted from ``evidence``; not ``known`` if nothing answers."""
    query = evidence.question.parsed
    rarity, most = repository_search.idf_of_words(app, query.words)
    related = explicit_files.related_code_word_idf(app, query)
    places, supported = _choose_places(app, evidence, rarity, related)
    weights = SentenceWeights(rarity, {}, query.task, related)
    drawn = _choose_sentences(app, query, [place for place, _ in places], weights)
    pairs = zip(places, drawn, strict=True)
    cited = [(place, some, value) for (place, value), some in pairs if some]

    # Code does not say when something happened.
    def place_sort_key(place: tuple[EvidencePassage, list[Sentence], float]) -> tuple[float, ...]:
        evidence, some, worth = place
        silent = query.is_about_past and evidence.item.kind == "code"
        best = max(sentence.value for sentence in some)
        return silent, *_lookup_order(evidence), -worth - _SENTENCE * best

    cited.sort(key=place_sort_key)
    known = bool(cited) and (
        any(place.exact for place, _, _ in cited)
        or _is_answered(app, evidence, supported, rarity, most)
    )
    sentences = [
        CitedSentence(sentence.text, (number,), sentence.code)
        for number, (_, some, _) in enumerate(cited, 1)
        for sentence in some
    ]
    sources = tuple(source_of_evidence(number, hit[0]) for number, hit in enumerate(cited, 1))
    return CitedAnswer(
        known,
        tuple(sentences) if known else (),
        sources,
        group_sources(sources),
        _related_names([place for place, _, _ in cited], query.words),
        tuple(_body(place) for place, _, _ in cited),
        _confidence(evidence, places) if known else UNJUDGED,
    )


def _choose_places(
    app: App, gathered: QuestionEvidence, rarity: Mapping[str, float], related: Mapping[str, float]
) -> tuple[list[tuple[EvidencePassage, float]], list[PassageSupport]]:
    """The best places, each with its value, and the support for an answer by the first places.

    Places looked up by name come first; of commits only the best, unless the question is about
    the past.
    """
    query, places = gathered.question.parsed, gathered.places
    # Judged in the order of the search: places ranked by the words they hold would all hold some.
    nearest = range(min(MAX_SOURCES, len(places)))
    looked_at = _candidates(gathered)
    supports = {
        at: passage_support.measure_passage_support(
            places[at].score, _names(places[at]), _body(places[at]), rarity, related
        )
        for at in {*looked_at, *nearest}
    }

    def worth_of_place(at: int) -> float:
        return _worth(query, places[at], supports[at])

    def sort_key_of_index(at: int) -> tuple[float, ...]:
        return *_lookup_order(places[at]), -worth_of_place(at)

    compared = {*nearest, *sorted(looked_at, key=sort_key_of_index)[:_PLACES_COMPARED]}
    # With path and names, since these are indexed too.
    texts = {
        at: f"{_names(places[at])} {' '.join(_body(places[at]).split())}"[:_BEGINNING]
        for at in sorted(compared)
    }
    cosines = _similarities(app, query.text, [*texts.values()])
    for at, text in texts.items():
        supports[at] = replace(supports[at], cosine=max(cosines[text], 0.0))
    best = _limit_per_file(places, sorted(looked_at, key=sort_key_of_index))
    return [(places[at], worth_of_place(at)) for at in best], [supports[at] for at in nearest]


def _candidates(gathered: QuestionEvidence) -> list[int]:
    """The places that are considered, as indices into those found."""
    most = MAX_SOURCES if gathered.question.parsed.requested_kinds.get("history", 0.0) else _COMMITS
    candidates: list[int] = []
    for at, place in enumerate(gathered.places):
        most -= place.item.kind == "commit"
        if place.item.kind != "commit" or most >= 0:
            candidates.append(at)
    return candidates[:_LOOKED_AT]


def _worth(query: ParsedQuestion, evidence: EvidencePassage, supported: PassageSupport) -> float:
    extra = 0.0
    if evidence.item.kind == "note":
        extra = passage_support.documentation_bonus(evidence.item.path, query.requested_kinds)
        extra -= _PLACE if query.asks_where else 0.0
    # A place that holds the command for a common task (install, test, build) is worth more.
    if common_tasks.contains_task_command(query.task, _body(evidence)):
        extra += cited_sentences.COMMAND
    return passage_support.passage_support_score(supported) + extra + evidence.tells


def _limit_per_file(places: Sequence[EvidencePassage], ranked: Iterable[int]) -> list[int]:
    """The first of them, few of one file: if that file is the wrong one, others are cited too."""
    spread: list[int] = []
    of_file: Counter[str] = Counter()
    for at in ranked:
        path = "" if places[at].exact else places[at].item.path
        if path and of_file[path] == _OF_ONE_FILE:
            continue
        of_file[path] += 1
        spread.append(at)
        if len(spread) == MAX_SOURCES:
            break
    return spread


def _lookup_order(evidence: EvidencePassage) -> tuple[float, ...]:
    """Sort key: places looked up by name come first, in the order of the lookup."""
    return (0, evidence.step, -evidence.score) if evidence.exact else (1, 0, 0)


def _body(evidence: EvidencePassage) -> str:
    return "\n".join(evidence.passage.lines.values())


def _names(evidence: EvidencePassage) -> str:
    item = evidence.item
    return f"{item.path} {item.symbol} {item.context}"


def _similarities(app: App, text: str, others: Sequence[str]) -> dict[str, float]:
    """Cosine of the question and each text by the model in use; 0 if the model is unavailable."""
    if not others:
        return {}
    from gitmem.embedding import base  # noqa: PLC0415 - only a question needs its arithmetic

    try:
        embedder = text_vectors.configured_embedder(app)
        own = embedder.embed([text], is_query=True)[0]
        vectors = embedder.embed(list(others))
    except Unavailable:
        return dict.fromkeys(others, 0.0)
    return {text_: base.cosine(own, vector) for text_, vector in zip(others, vectors, strict=True)}


def _confidence(
    found: QuestionEvidence, places: Sequence[tuple[EvidencePassage, float]]
) -> AnswerConfidence:
    """The confidence by the value of the best place; a name that was looked up is worth most."""
    exact = any(place.exact for place, _ in places[:1])
    worth = inf if exact else max(worth for _, worth in places)
    return answer_confidence.confidence_of_sentences(
        found.question.parsed.text, worth, dict(found.best)
    )


def _is_answered(
    app: App,
    gathered: QuestionEvidence,
    some: Sequence[PassageSupport],
    rarity: Mapping[str, float],
    most: float,
) -> bool:
    """Whether the places probably answer, rather than merely being the nearest."""
    query = gathered.question.parsed
    best = [answered.HitRelevance(support.words, support.cosine, support.score) for support in some]
    usual = False
    if query.requested_kinds.get("config", 0.0) >= repository_search.SURELY:
        topic_files = explicit_files.usual_answer_files(app, query)
        usual = any(place.item.path in topic_files for place in gathered.places[: answered.TOP])
    words = answered.names_in_question(query.text)
    rarity = answered.idf_without_embedded_numbers(rarity, query.text)
    return answered.has_likely_answer(rarity, most, best, "hybrid", words, is_at_usual_place=usual)


def _choose_sentences(
    app: App, query: ParsedQuestion, places: Sequence[EvidencePassage], weighed: SentenceWeights
) -> list[list[Sentence]]:
    """The sentences of each place that answer, in their original order."""
    split = [cited_sentences.split_sentences(place.passage) for place in places]
    compared = [_most_matching(some, weighed) for some in split]
    cosines = _similarities(app, query.text, [each.text for some in compared for each in some])
    weighed = replace(weighed, cosines=cosines)
    best = (cited_sentences.best_sentences(some, weighed, MAX_SENTENCES_OF_PLACE) for some in split)
    return [sorted(chosen, key=lambda sentence: sentence.first) for chosen in best]


def _most_matching(some: Sequence[Sentence], weighed: SentenceWeights) -> list[Sentence]:
    share = [
        (best_piece.question_coverage(sentence.text, weighed.idf, weighed.related), sentence)
        for sentence in some
    ]
    share.sort(key=lambda pair: (-pair[0], pair[1].first))
    return [sentence for _, sentence in share[:_COMPARED]]


def _related_names(cited: Sequence[EvidencePassage], words: Sequence[str]) -> tuple[str, ...]:
    """Names and headings around the cited lines that the question does not contain, each once."""
    names: dict[str, None] = {}
    for evidence in cited:
        item = evidence.item
        if item.kind == "note":
            names.setdefault(item.context.rpartition(" > ")[2].strip(), None)
        elif item.kind == "code":
            names.update(dict.fromkeys(item.symbol.split()[:2]))
    new_names = (name for name in names if name and not words_in_text(words, name))
    return tuple(name for name, _ in zip(new_names, range(MAX_RELATED), strict=False))


def source_of_evidence(number: int, evidence: EvidencePassage) -> CitedSource:
    """Return the source, with the given number, that cites a passage found."""
    item = evidence.item
    lines = ""
    if item.kind in ("code", "note"):
        first, last = min(evidence.passage.lines), max(evidence.passage.lines)
        lines = f"{first}-{last}" if first != last else str(first)
    cite = item.id or item.commit[:COMMIT] or f"{item.path}:{lines}"
    return CitedSource(
        number=number,
        kind="decision" if item.kind == "memory" and item.context == "decision" else item.kind,
        cite=cite,
        path=item.path,
        lines=lines,
        commit=item.commit,
        id=item.id,
        title=item.title,
        at=item.at,
        score=round(evidence.score, 3),
        note=item.note,
        release=item.release,
    )


def group_sources(sources: Sequence[CitedSource]) -> tuple[SourceGroup, ...]:
    """Return the sources grouped by file if two are of one file, else by topic (code, tests)."""
    paths = [source.path for source in sources if source.lines]
    by_file = len(set(paths)) < len(paths)
    groups: dict[str, list[int]] = {}
    for source in sources:
        kinds = file_kinds.kinds_of_file(source.path, "") or ("code",)
        name = source.path if by_file and source.lines else _TOPICS.get(source.kind) or kinds[0]
        groups.setdefault(name, []).append(source.number)
    return tuple(SourceGroup(name, tuple(numbers)) for name, numbers in groups.items())


_TOPICS = {kind: f"{kind}s" for kind in ("commit", "decision", "session")}
_TOPICS |= {"note": "docs", "memory": "memories"}


def format_answer(answer: CitedAnswer, sentences: Sequence[CitedSentence] | None = None) -> str:
    """Return an answer as text: ``words``, or a line per sentence with its sources in brackets.

    ``sentences`` replaces those of the answer. The text is ``UNKNOWN`` if nothing answered.
    """
    if answer.words:
        return answer.words
    if not answer.known:
        return UNKNOWN
    cites = {source.number: _cite_with_date(source) for source in answer.sources}
    lines = []
    for sentence in answer.sentences if sentences is None else sentences:
        marks = " ".join(f"[{cites[number]}]" for number in sentence.sources)
        quote = "`" if sentence.code and "`" not in sentence.text else ""
        lines.append(f"{quote}{sentence.text}{quote} {marks}")
    return "\n".join(lines)


def _cite_with_date(source: CitedSource) -> str:
    day = source.at[:10] if source.commit and source.at else ""
    return ", ".join(
        filter(None, (source.cite, day, f"since {source.release}" if source.release else ""))
    )


@dataclass(frozen=True, slots=True)
class AnswerWithSteps:
    """An answer, all passages considered for it, and the searches run, with their hit counts."""

    answer: CitedAnswer
    places: tuple[EvidencePassage, ...]
    steps: tuple[QuestionPlanStep, ...]
    notes: tuple[str, ...]


FormAnswerer = Callable[[App, KnownQuestion], CitedAnswer | str | None]


def answer_questions(
    app: App,
    questions: Sequence[str],
    plans: Sequence[QuestionPlan],
    answer_by_form: FormAnswerer,
    *,
    open_file: str = "",
    scope: FileScope = FILES,
) -> AnswerWithSteps:
    """Return one answer to several questions; ``plans`` has the searches to run for each.

    ``answer_by_form`` is called for a question of a known form (such as "who wrote X") and returns
    the answer of the command for it, or None. Files near ``open_file`` rank higher; ``scope``
    limits them.
    """
    results = [
        _answer_question(app, text, plan, answer_by_form, open_file, scope)
        for text, plan in zip(questions, plans, strict=True)
    ]
    unknown = (
        result.answer.words or f"I do not know: {text}"
        for text, result in zip(questions, results, strict=True)
        if not result.answer.known and any(other.answer.known for other in results)
    )
    return AnswerWithSteps(
        join_answers([result.answer for result in results]),
        tuple(chain.from_iterable(result.places for result in results)),
        tuple(chain.from_iterable(result.steps for result in results)),
        (*unknown, *dict.fromkeys(chain.from_iterable(result.notes for result in results))),
    )


def _answer_question(
    app: App, text: str, plan: QuestionPlan, tell: FormAnswerer, near: str, scope: FileScope
) -> AnswerWithSteps:
    """The answer to one question: that of the form's verb, else of the plan.

    A verb's reason for having no answer becomes a note if lines of code answer.
    """
    began = perf_counter()
    form_answer = tell(app, plan.form) if plan.form and not scope.excludes_files else None
    took = round(1000 * (perf_counter() - began), 1)
    if isinstance(form_answer, CitedAnswer):
        step = replace(plan.steps[0], found=form_answer.total, milliseconds=took)
        return AnswerWithSteps(form_answer, (), (step, *plan.steps[1:]), ())
    gathered = gather_question_evidence(app, text, plan, open_file=near, scope=scope)
    answer, notes = compose_answer(app, gathered), gathered.notes
    if form_answer is not None:
        looked_up = {plan.steps[place.step].mode for place in gathered.places if place.exact}
        if answer.known and plan.form and plan.form.kind in looked_up:
            notes = (form_answer, *notes)
            answer = replace(answer, confidence=confidence_of_command(complete=False))
        else:
            answer = replace(answer, known=False, sentences=(), words=form_answer)
    return AnswerWithSteps(answer, gathered.places, gathered.steps, notes)


def join_answers(answers: Sequence[CitedAnswer]) -> CitedAnswer:
    """Return several answers as one, in which each source has one number.

    Answers that are not known are left out if any is; the lowest confidence counts.
    """
    answered = [answer for answer in answers if answer.known] or list(answers)
    if len(answered) == 1:
        return answered[0]
    sources: dict[str, CitedSource] = {}
    excerpts: list[str] = []
    sentences: dict[str, CitedSentence] = {}
    for answer in answered:
        numbers = {}
        for source, excerpt in zip(answer.sources, answer.excerpts, strict=True):
            if source.cite not in sources:
                sources[source.cite] = replace(source, number=len(sources) + 1)
                excerpts.append(excerpt)
            numbers[source.number] = sources[source.cite].number
        for sentence in answer.sentences:
            cited = tuple(numbers[number] for number in sentence.sources)
            sentences.setdefault(sentence.text, replace(sentence, sources=cited))
    merged_sources = tuple(sources.values())
    texts = map(format_answer, answered if any(answer.words for answer in answered) else ())
    related = dict.fromkeys(chain.from_iterable(answer.related for answer in answered))
    return CitedAnswer(
        answered[0].known,
        tuple(sentences.values()),
        merged_sources,
        group_sources(merged_sources),
        tuple(related)[:MAX_RELATED],
        tuple(excerpts),
        min((answer.confidence for answer in answered), key=lambda sure: sure.score),
        "\n\n".join(texts),
        answered[0].by if len({answer.by for answer in answered}) == 1 else "",
    )
