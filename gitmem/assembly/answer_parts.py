"""Several questions in one sentence: each is planned and answered alone, then the answers join."""

from collections.abc import Callable, Sequence
from itertools import chain
from time import perf_counter

from gitmem.app import App
from gitmem.assembly import answer_confidence, answer_evidence, cited_answer
from gitmem.assembly.answer_evidence import Evidence
from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence, Source
from gitmem.model.frozen import dataclass, replace
from gitmem.search.question_forms import Known
from gitmem.search.question_plan import QuestionPlan, Step


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """An answer, the places considered for it, and the steps with the number of their results."""

    answer: CitedAnswer
    places: tuple[Evidence, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]


Tell = Callable[[App, Known], CitedAnswer | str | None]


def join_plans(plans: Sequence[QuestionPlan]) -> QuestionPlan:
    """The plans of several questions as one: the kind of the first, the lowest certainty."""
    first, *more = plans
    if not more:
        return first
    return replace(
        first,
        sure=min(plan.sure for plan in plans),
        limit=max(plan.limit for plan in plans),
        steps=tuple(chain.from_iterable(plan.steps for plan in plans)),
        left_out=sum(plan.left_out for plan in plans),
    )


def find(
    app: App, texts: Sequence[str], plans: Sequence[QuestionPlan], tell: Tell, *, near: str = ""
) -> PartAnswer:
    """The joined answer to several questions: each by its form's verb (``tell``) or its plan."""
    some = [
        _answer_question(app, text, plan, tell, near)
        for text, plan in zip(texts, plans, strict=True)
    ]
    unknown = (
        result.answer.words or f"I do not know: {text}"
        for text, result in zip(texts, some, strict=True)
        if not result.answer.known and any(other.answer.known for other in some)
    )
    return PartAnswer(
        join_answers([result.answer for result in some]),
        tuple(chain.from_iterable(result.places for result in some)),
        tuple(chain.from_iterable(result.steps for result in some)),
        (*unknown, *dict.fromkeys(chain.from_iterable(result.notes for result in some))),
    )


def _answer_question(app: App, text: str, plan: QuestionPlan, tell: Tell, near: str) -> PartAnswer:
    """The answer to one question: that of the form's verb, else of the plan.

    A verb's reason for having no answer becomes a note if lines of code answer.
    """
    began = perf_counter()
    known = tell(app, plan.form) if plan.form else None
    took = round(1000 * (perf_counter() - began), 1)
    if isinstance(known, CitedAnswer):
        step = replace(plan.steps[0], found=known.total, milliseconds=took)
        return PartAnswer(known, (), (step, *plan.steps[1:]), ())
    gathered = answer_evidence.gather(app, text, plan, near=near)
    answer, notes = cited_answer.compose(app, gathered), gathered.notes
    if known is not None:
        looked_up = {plan.steps[place.step].mode for place in gathered.places if place.exact}
        if answer.known and plan.form and plan.form.kind in looked_up:
            notes = (known, *notes)
            answer = replace(answer, confidence=answer_confidence.of_verb(complete=False))
        else:
            answer = replace(answer, known=False, sentences=(), words=known)
    return PartAnswer(answer, gathered.places, gathered.steps, notes)


def join_answers(answers: Sequence[CitedAnswer]) -> CitedAnswer:
    """The answers one after the other; a place that two of them cite has one number.

    Answers that know nothing are left out if another knows something; the lowest confidence counts.
    """
    known = [answer for answer in answers if answer.known] or list(answers)
    if len(known) == 1:
        return known[0]
    sources: dict[str, Source] = {}
    excerpts: list[str] = []
    sentences: dict[str, CitedSentence] = {}
    for answer in known:
        numbers = {}
        for source, excerpt in zip(answer.sources, answer.excerpts, strict=True):
            if source.cite not in sources:
                sources[source.cite] = replace(source, number=len(sources) + 1)
                excerpts.append(excerpt)
            numbers[source.number] = sources[source.cite].number
        for sentence in answer.sentences:
            cited = tuple(numbers[number] for number in sentence.sources)
            sentences.setdefault(sentence.text, replace(sentence, sources=cited))
    every = tuple(sources.values())
    words = (
        [cited_answer.as_text(answer) for answer in known]
        if any(answer.words for answer in known)
        else []
    )
    related = dict.fromkeys(chain.from_iterable(answer.related for answer in known))
    return CitedAnswer(
        known[0].known,
        tuple(sentences.values()),
        every,
        cited_answer.group_sources(every),
        tuple(related)[: cited_answer.MOST_RELATED],
        tuple(excerpts),
        min((answer.confidence for answer in known), key=lambda sure: sure.score),
        "\n\n".join(words),
        known[0].by if len({answer.by for answer in known}) == 1 else "",
    )
