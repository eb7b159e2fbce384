"""How much of the cited places an answer reads, and how long it is itself, in tokens."""

from math import inf

from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence, group_sources
from gitmem.model.frozen import replace
from gitmem.text.quantity import quantity
from gitmem.text.tokens import clip_to_tokens, estimate_tokens


def fit_answer_to_budget(
    answer: CitedAnswer, max_tokens: int | None, max_answer_tokens: int | None, *, quotes_only: bool
) -> CitedAnswer:
    """Return the answer cut to a budget of tokens; None is no limit.

    ``max_tokens`` limits the excerpts of its sources together, ``max_answer_tokens`` the sentences
    quoted from them. With ``quotes_only`` excerpts are reduced to the quoted sentences, and one
    that does not fit is skipped. The first source and sentence always stay; an excerpt too long is
    cut.
    """
    if answer.words or not answer.sources or not (max_tokens or max_answer_tokens or quotes_only):
        return answer
    left = max_tokens or inf
    numbers: dict[int, int] = {}
    excerpts = []
    for source, whole in zip(answer.sources, answer.excerpts, strict=True):
        excerpt = _quoted(answer, source.number) or whole if quotes_only else whole
        cost = estimate_tokens(excerpt)
        if cost > left and numbers:
            if quotes_only:
                continue
            break
        excerpts.append(clip_to_tokens(excerpt, int(left)) if cost > left else excerpt)
        left -= cost
        numbers[source.number] = len(numbers) + 1
    sources = [
        replace(source, number=numbers[source.number])
        for source in answer.sources
        if source.number in numbers
    ]
    sentences: list[CitedSentence] = []
    room = max_answer_tokens or inf
    for sentence in answer.sentences:
        if not all(number in numbers for number in sentence.sources):
            continue
        room -= estimate_tokens(sentence.text)
        if room < 0 and sentences:
            break
        cited = tuple(numbers[number] for number in sentence.sources)
        sentences.append(replace(sentence, sources=cited))
    return replace(
        answer,
        sentences=tuple(sentences),
        sources=tuple(sources),
        groups=group_sources(sources),
        excerpts=tuple(excerpts),
    )


def describe_omitted_sources(answer: CitedAnswer, fitted: CitedAnswer) -> list[str]:
    """Return a list with one sentence on how much ``fitted`` lacks of ``answer``; [] if nothing."""
    places, sentences = (
        len(getattr(answer, name)) - len(getattr(fitted, name)) for name in ("sources", "sentences")
    )
    if not places and not sentences:
        return []
    left = f"{quantity(places, 'place')} and {quantity(sentences, 'sentence')}"
    return [f"Left out to stay within the tokens asked for: {left}."]


def _quoted(answer: CitedAnswer, number: int) -> str:
    return "\n".join(row.text for row in answer.sentences if number in row.sources)
