"""How well one piece of a file answers, beside the other pieces of the same file: pure.

BM25 finds the files, but it prefers the shortest piece that repeats one word. Inside a file it
tells more how much of the question a piece holds, by the rarity of its words, and its meaning. A
heading or the name of a symbol is short and says what the piece is about: a word there counts half
as much again. The headings above it do not count: all that stands below them shares them. Of 202
questions that documents of 60 other repositories ask in a heading, which was taken out, the right
section comes first for 98 so, for 85 where they counted (``tests.bench.sections``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum

from gitmem.search.matched_words import held
from gitmem.search.question import ParsedQuestion

# What a word counts once more that stands in the heading or the name.
HEADING = 0.5
# What a word counts that code has for one of the question (``related_words``).
RELATED = 0.6
# BM25, a share of the best, decides only between pieces that hold as much.
TIE = 0.01
# How much the share of the question counts that the piece shown holds, beside all other evidence.
# A few words that ask for no kind are mostly names: at 0.5 those to the code lose 0.010 of NDCG@10
# by it, at 0.1 they and commit subjects gain 0.001 and 0.004 (docs/benchmarks.md).
# Who asks for a place ("where is ...") says what happens there: of 60 such three gain, none loses.
HELD_BY_FEW, HELD, HELD_BY_PLACE, MANY_WORDS = 0.1, 0.5, 1.0, 10
# Between a heading and the one above it.
_BELOW = " > "
# The other pieces are named that answer at least half as well as the best.
NEARLY = 0.5


def value(
    text: str,
    heading: str,
    rarity: Mapping[str, float],
    *,
    alike: float,
    bm25: float,
    related: Mapping[str, float],
) -> float:
    """How well a piece answers, 0 to about 2.5.

    ``heading`` is its own heading or symbol, ``rarity`` has the words of the question, ``related``
    what code may call them, ``alike`` is the cosine, ``bm25`` a share of the best of all pieces.
    """
    total = fsum(rarity.values()) or 1.0
    words = [word for word in rarity if rarity[word]]
    above = held(words, heading) if heading else ()
    there = {*held(words, text), *above}
    named = HEADING * fsum(rarity[word] for word in above)
    own = (
        fsum(rarity[word] for word in there) + named + _related_weight(f"{heading} {text}", related)
    )
    return own / total + max(alike, 0.0) + TIE * bm25


def share(text: str, rarity: Mapping[str, float], related: Mapping[str, float]) -> float:
    """The share of a question that a text holds, by the rarity of its words; 0 to 1."""
    words = [word for word in rarity if rarity[word]]
    return share_of(held(words, text), held(list(related), text), rarity, related)


def share_of(
    own: Collection[str],
    meant: Collection[str],
    rarity: Mapping[str, float],
    related: Mapping[str, float],
) -> float:
    """The same, of these words of the question and these of what code calls them."""
    amount = fsum(rarity[word] for word in own) + RELATED * fsum(related[word] for word in meant)
    return min(1.0, amount / (fsum(rarity.values()) or 1.0))


def heading(symbol: str, context: str, *, prose: bool) -> str:
    """What a piece is called: in a document without the headings above its own."""
    return context.rpartition(_BELOW)[2] if prose else f"{symbol} {context}".strip()


def weight_of_share(question: ParsedQuestion) -> float:
    """What the share of a question counts that the piece shown holds, all else being 1."""
    if question.wants or len(question.words) >= MANY_WORDS:
        return HELD
    if question.place:
        return HELD_BY_PLACE
    return 0.0 if question.single or len(question.words) == 1 else HELD_BY_FEW


def by_place(question: ParsedQuestion) -> bool:
    """Whether what a piece holds counts because a place is asked for."""
    return weight_of_share(question) == HELD_BY_PLACE


def _related_weight(text: str, related: Mapping[str, float]) -> float:
    return RELATED * fsum(related[word] for word in held(list(related), text)) if related else 0.0
