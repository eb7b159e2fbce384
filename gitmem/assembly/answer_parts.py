"""Two questions in one sentence: each planned, looked up and answered for itself, then joined."""

from collections.abc import Sequence
from itertools import chain

from gitmem.app import App
from gitmem.assembly import answer_evidence, answer_sources, cited_answer
from gitmem.assembly.answer_evidence import Evidence
from gitmem.assembly.answer_sources import Source
from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence
from gitmem.model.frozen import dataclass, replace
from gitmem.search.question_plan import QuestionPlan


@dataclass(frozen=True, slots=True)
class Found:
    """The answer, the places looked at, and by step how many it brought and its milliseconds."""

    answer: CitedAnswer
    places: tuple[Evidence, ...]
    found: tuple[int, ...]
    milliseconds: tuple[float, ...]
    notes: tuple[str, ...]


def planned(plans: Sequence[QuestionPlan]) -> QuestionPlan:
    """The plans of some questions as one: the kind of the first, as sure as the least sure."""
    first, *more = plans
    if not more:
        return first
    return replace(
        first,
        sure=min(one.sure for one in plans),
        limit=max(one.limit for one in plans),
        steps=tuple(chain.from_iterable(one.steps for one in plans)),
        left_out=sum(one.left_out for one in plans),
    )


def find(app: App, texts: Sequence[str], plans: Sequence[QuestionPlan], *, near: str = "") -> Found:
    """What answers each of some questions, by its plan."""
    gathered = [
        answer_evidence.gather(app, text, plan, near=near)
        for text, plan in zip(texts, plans, strict=True)
    ]
    answers = [cited_answer.compose(app, one) for one in gathered]
    lacks = dict.fromkeys(chain.from_iterable(one.notes for one in gathered))
    unknown = (
        f"I do not know: {text}"
        for text, one in zip(texts, answers, strict=True)
        if not one.known and any(other.known for other in answers)
    )
    return Found(
        joined(answers),
        tuple(chain.from_iterable(one.places for one in gathered)),
        tuple(chain.from_iterable(one.found for one in gathered)),
        tuple(chain.from_iterable(one.milliseconds for one in gathered)),
        (*unknown, *lacks),
    )


def joined(answers: Sequence[CitedAnswer]) -> CitedAnswer:
    """The answers one after the other, a place that two of them cite with one number.

    Those that know nothing are left out while another knows something; as sure as the least sure.
    """
    told = [one for one in answers if one.known] or list(answers)
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
    related = dict.fromkeys(chain.from_iterable(one.related for one in told))
    return CitedAnswer(
        told[0].known,
        tuple(sentences.values()),
        every,
        answer_sources.groups(every),
        tuple(related)[: cited_answer.MOST_RELATED],
        min((one.confidence for one in told), key=lambda sure: sure.score),
        tuple(excerpts),
    )
