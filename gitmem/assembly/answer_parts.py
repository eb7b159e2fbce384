"""Two questions in one sentence: each planned, looked up and answered for itself, then joined."""

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
class Found:
    """The answer, the places looked at, and the steps with what they brought."""

    answer: CitedAnswer
    places: tuple[Evidence, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]


Tell = Callable[[App, Known], CitedAnswer | str | None]


def planned(plans: Sequence[QuestionPlan]) -> QuestionPlan:
    """The plans of some questions as one: the kind of the first, as sure as the least sure."""
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
) -> Found:
    """What answers each of some questions: the verb of its form (``tell``), else by its plan."""
    some = [_found(app, text, one, tell, near) for text, one in zip(texts, plans, strict=True)]
    unknown = (
        one.answer.words or f"I do not know: {text}"
        for text, one in zip(texts, some, strict=True)
        if not one.answer.known and any(other.answer.known for other in some)
    )
    return Found(
        joined([one.answer for one in some]),
        tuple(chain.from_iterable(one.places for one in some)),
        tuple(chain.from_iterable(one.steps for one in some)),
        (*unknown, *dict.fromkeys(chain.from_iterable(one.notes for one in some))),
    )


def _found(app: App, text: str, plan: QuestionPlan, tell: Tell, near: str) -> Found:
    """What answers one question; of a known form what the verb says, unless lines name it too."""
    began = perf_counter()
    known = tell(app, plan.form) if plan.form else None
    took = round(1000 * (perf_counter() - began), 1)
    if isinstance(known, CitedAnswer):
        asked = replace(plan.steps[0], found=known.total, milliseconds=took)
        return Found(known, (), (asked, *plan.steps[1:]), ())
    gathered = answer_evidence.gather(app, text, plan, near=near)
    answer, notes = cited_answer.compose(app, gathered), gathered.notes
    if known is not None:
        looked_up = {plan.steps[place.step].mode for place in gathered.places if place.exact}
        if answer.known and plan.form and plan.form.kind in looked_up:
            notes = (known, *notes)
            answer = replace(answer, confidence=answer_confidence.of_verb(complete=False))
        else:
            answer = replace(answer, known=False, sentences=(), words=known)
    return Found(answer, gathered.places, gathered.steps, notes)


def joined(answers: Sequence[CitedAnswer]) -> CitedAnswer:
    """The answers one after the other, a place that two of them cite with one number.

    Those that know nothing are left out while another knows something; as sure as the least sure.
    """
    told = [answer for answer in answers if answer.known] or list(answers)
    if len(told) == 1:
        return told[0]
    sources: dict[str, Source] = {}
    excerpts: list[str] = []
    sentences: dict[str, CitedSentence] = {}
    for one in told:
        numbers = {}
        for source, excerpt in zip(one.sources, one.excerpts, strict=True):
            if source.cite not in sources:
                sources[source.cite] = replace(source, number=len(sources) + 1)
                excerpts.append(excerpt)
            numbers[source.number] = sources[source.cite].number
        for sentence in one.sentences:
            cited = tuple(numbers[number] for number in sentence.sources)
            sentences.setdefault(sentence.text, replace(sentence, sources=cited))
    every = tuple(sources.values())
    words = [cited_answer.told(one) for one in told] if any(one.words for one in told) else []
    related = dict.fromkeys(chain.from_iterable(one.related for one in told))
    return CitedAnswer(
        told[0].known,
        tuple(sentences.values()),
        every,
        cited_answer.groups(every),
        tuple(related)[: cited_answer.MOST_RELATED],
        tuple(excerpts),
        min((one.confidence for one in told), key=lambda sure: sure.score),
        "\n\n".join(words),
        told[0].by if len({one.by for one in told}) == 1 else "",
    )
