"""Summaries made of sentences of the memories themselves, each with the memories it is from. Pure.

The rule is SumBasic (Nenkova and Vanderwende, 2005). A word is worth the share of the memories that
have it, a sentence the mean of its words (of six at least: a short one has less to say), times the
memory's weight over the usual 3; a question counts half. The worthiest sentence is taken, then the
worth of its words is squared, so that the same is not said twice. Three changes: a memory that has
no sentence yet comes before those that have one, so that each is cited; it is cited by a sentence
that most others have only if it has no other; and a sentence that says the same as one before only
adds its memory to that one's. Sentences are added until half the tokens of
the memories, or those asked for, are spent. Nothing is worded anew; the same memories give the same
text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text.fence import one_line
from gitmem.text.stem import uninflected
from gitmem.text.stop_words import STOP_WORDS
from gitmem.text.tokens import estimate

TOKENS = 600
# Fewer than three memories are as quickly read as their summary.
LEAST = 3
# More of one month are summarised apart: each is held against all others of its group.
MOST = 300
LONGEST = 280  # characters of a sentence
CITED = 10  # letters of an id, at least: its time
USUAL_WEIGHT = 3
# From this share of their words on, two sentences say the same.
SAME = 0.8

# These are nothing that age turns into a note among others, whoever asks.
NEVER = ("decision", "convention", "skill")
# How something was mended or is done is looked up by itself: only who names the kind means it.
NAMED_ONLY = ("fix", "error", "problem", "workflow", "pattern", "task", "command", "summary")

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LEAD = re.compile(r"^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+|\d{1,3}[.)]\s+)+")
# A full stop after a short form, an initial or a number ends no sentence.
_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bca\.)(?<!\b[A-Z]\.)"
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]*[A-Z0-9])"
)
_WORD = re.compile(r"[^\W_]+")
_LEAST_WORDS = 2
QUESTION = 0.5  # a question tells less than its answer
_FULL = 6  # words of a sentence that is not short


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in ``sources``, the ids of the memories that say it.

    ``at`` is the place of its first memory among those summarised, and its own place in it.
    """

    text: str
    sources: tuple[str, ...]
    at: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """A summary: the memories that it is of, oldest first, and its sentences in their order."""

    memories: tuple[Memory, ...]
    sentences: tuple[Sentence, ...]


def spared(memory: Memory, kinds: Sequence[str] = ()) -> str:
    """Why this is never summarised away, whatever its age; empty where it may be.

    ``kinds`` are those that were asked for by name.
    """
    if memory.kind in NEVER or (memory.kind in NAMED_ONLY and memory.kind not in kinds):
        return memory.kind
    if kinds and memory.kind not in kinds:
        return "another kind"
    critical = any(tag.startswith("critical") for tag in memory.tags)
    return "marked critical" if critical else ""


def grouped(memories: Iterable[Memory], month: dict[str, str]) -> list[list[Memory]]:
    """Memories that one summary may be of, each group and all groups oldest first.

    Alike are place, branch, kind, trust, and ``month``, which maps ids to months.
    """
    groups: dict[tuple[str, ...], list[Memory]] = {}
    for memory in sorted(memories, key=lambda one: (one.created_at, one.id)):
        key = (
            month[memory.id],
            memory.scope,
            memory.project,
            memory.branch,
            memory.kind,
            memory.tier,
        )
        groups.setdefault(key, []).append(memory)
    cut = (
        groups[key][at : at + MOST]
        for key in sorted(groups)
        for at in range(0, len(groups[key]), MOST)
    )
    return [group for group in cut if len(group) >= LEAST]


def summaries(group: Sequence[Memory], tokens: int = TOKENS) -> list[Part]:
    """Summaries of about ``tokens`` each that together cite every memory of a group.

    Where one has no room for a sentence of each, several follow each other in time.
    """
    said = [_sentences(memory) for memory in group]
    worth = _worth(said)
    lead = _leading(group, said, worth, _common(said))
    parts = []
    for first, last in _cut([_cost(one.text) for one in lead], tokens):
        # What is alike is one sentence within a summary: another one is read by itself.
        chosen = _joined(lead[first:last])
        more = [
            sentence for at in range(first, last) for sentence in _as_sentences(group, said, at)
        ]
        known = {one.at for one in lead[first:last]}
        rest = [one for one in more if one.at not in known]
        whole = sum(estimate(f"{one.title} {one.content}") for one in group[first:last])
        chosen = _filled(group, chosen, rest, worth, min(tokens, whole // 2))
        parts.append(Part(tuple(group[first:last]), tuple(sorted(chosen, key=lambda s: s.at))))
    return parts


def lines(sentences: Iterable[Sentence], cite: dict[str, str]) -> str:
    """The sentences as text, each with its memories as ``cite`` names them.

    What follows each other and is of the same memories shares a line.
    """
    return "\n".join(
        f"- {' '.join(one.text for one in same)} [{', '.join(cite[id] for id in sources)}]"
        for sources, same in groupby(sentences, key=lambda one: one.sources)
    )


# --- sentences ----------------------------------------------------------------------------------


def _sentences(memory: Memory) -> list[str]:
    """What may be taken of a memory: its title, and the sentences of its text but for code."""
    found = []
    for line in [memory.title, *_FENCED.sub("\n", memory.content).split("\n")]:
        bare = _LEAD.sub("", line).strip()
        found += [one_line(part, LONGEST) for part in _END.split(bare) if part.strip()]
    telling = [one for one in found if len(_WORD.findall(one)) >= _LEAST_WORDS]
    chosen = telling or found or [one_line(memory.headline, LONGEST)]
    return list(dict.fromkeys(chosen))


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    """What a sentence is about: its words without endings and function words."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(uninflected(word) for word in found if word not in STOP_WORDS)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one or other) and len(one & other) >= SAME * len(one | other)


def _as_sentences(group: Sequence[Memory], said: Sequence[list[str]], at: int) -> list[Sentence]:
    return [Sentence(text, (group[at].id,), (at, n)) for n, text in enumerate(said[at])]


# --- choosing -----------------------------------------------------------------------------------


def _worth(said: Sequence[list[str]]) -> dict[str, float]:
    """Each word with the share of the memories that have it."""
    counts: dict[str, int] = {}
    for texts in said:
        for word in frozenset[str]().union(*map(_words, texts)):
            counts[word] = counts.get(word, 0) + 1
    return {word: count / len(said) for word, count in counts.items()}


def _score(text: str, weight: int, worth: dict[str, float]) -> float:
    words = _words(text)
    mean = sum(worth[word] for word in sorted(words)) / max(len(words), _FULL)
    return mean * weight / USUAL_WEIGHT * (QUESTION if text.endswith("?") else 1)


def _common(said: Sequence[list[str]]) -> frozenset[str]:
    """Sentences that most memories have: none of these is told apart from the others by them."""
    counts = Counter(text for texts in said for text in texts)
    return frozenset(text for text, count in counts.items() if count > max(LEAST, len(said) / 2))


def _leading(
    group: Sequence[Memory],
    said: Sequence[list[str]],
    worth: dict[str, float],
    common: frozenset[str],
) -> list[Sentence]:
    """For each memory the sentence by which it is cited, in the order of the memories."""
    left, taken = dict(worth), dict[int, Sentence]()
    best = {at: _best(group, said, at, left, common) for at in range(len(group))}
    while best:
        # What was the best may have lost since: it is looked at again before it is taken.
        at = max(best, key=lambda at: (best[at][0], -at))
        now = _best(group, said, at, left, common)
        if now[0] < best[at][0]:
            best[at] = now
            continue
        del best[at]
        taken[at] = now[1]
        for word in _words(now[1].text):
            left[word] **= 2
    return [taken[at] for at in range(len(group))]


def _best(
    group: Sequence[Memory],
    said: Sequence[list[str]],
    at: int,
    worth: dict[str, float],
    common: frozenset[str],
) -> tuple[float, Sentence]:
    every = _as_sentences(group, said, at)
    own = [one for one in every if one.text not in common] or every
    found = [(_score(one.text, group[at].weight, worth), one) for one in own]
    return max(found, key=lambda pair: (pair[0], -pair[1].at[1]))


def _cut(costs: Sequence[int], tokens: int) -> list[tuple[int, int]]:
    """First and last (exclusive) of each summary: of equal length, and of ``LEAST`` at least."""
    many = max(1, min(-(-sum(costs) // tokens), len(costs) // LEAST))
    cuts, spent, first = list[tuple[int, int]](), 0, 0
    for at, cost in enumerate(costs):
        spent += cost
        enough = at + 1 - first >= LEAST and len(costs) - at - 1 >= LEAST
        if len(cuts) < many - 1 and enough and spent >= sum(costs) * (len(cuts) + 1) / many:
            cuts.append((first, at + 1))
            first = at + 1
    return [*cuts, (first, len(costs))]


def _joined(found: Sequence[Sentence]) -> list[Sentence]:
    """The sentences; of those that say the same the first, with the memories of all."""
    kept: list[tuple[frozenset[str], Sentence]] = []
    for one in found:
        words = _words(one.text)
        for at, (known, before) in enumerate(kept):
            if _same(words, known) or one.text == before.text:
                sources = tuple(dict.fromkeys((*before.sources, *one.sources)))
                kept[at] = (known, replace(before, sources=sources))
                break
        else:
            kept.append((words, one))
    return [one for _, one in kept]


def _filled(
    group: Sequence[Memory],
    chosen: list[Sentence],
    rest: list[Sentence],
    worth: dict[str, float],
    tokens: int,
) -> list[Sentence]:
    """As many further sentences as there is room for, the worthiest first."""
    left = dict(worth)
    known = [_words(one.text) for one in chosen]
    for words in known:
        for word in words:
            left[word] **= 2
    room = tokens - sum(_cost(one.text) for one in chosen)
    while rest and room > 0:
        best = max(
            rest, key=lambda one: (_score(one.text, group[one.at[0]].weight, left), _up(one))
        )
        rest.remove(best)
        words = _words(best.text)
        if _cost(best.text) > room or any(_same(words, one) for one in known):
            continue
        room -= _cost(best.text)
        chosen.append(best)
        known.append(words)
        for word in words:
            left[word] **= 2
    return chosen


def _up(sentence: Sentence) -> tuple[int, int]:
    return -sentence.at[0], -sentence.at[1]


def _cost(text: str) -> int:
    return estimate(f"- {text} [{'0' * CITED}]\n")
