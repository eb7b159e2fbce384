"""Summaries that consist of sentences of the memories, each with the memories it is from. Pure.

The rule is SumBasic (Nenkova and Vanderwende, 2005). A word's score is the share of the memories
that have it; a sentence's score is the mean of its words (divided by at least six, as a short one
says less), times the memory's weight over the usual 3; a question counts half. The best sentence is
taken, then the scores of its words are squared, which prevents repetition. Three changes: first
each memory gets one sentence, so that all are cited; a sentence that most memories have is taken
only where a memory has no other; and a sentence like an earlier one only adds its memory to that
one's sources. Sentences are added until the requested tokens, or half of those of the memories, are
spent. The same memories always give the same text.
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
from gitmem.text.stem import strip_inflection
from gitmem.text.stop_words import STOP_WORDS
from gitmem.text.tokens import estimate_tokens

MAX_TOKENS = 600
# Fewer memories are as quickly read as their summary.
MIN_GROUP_SIZE = 3
# Larger groups are split: each memory is compared with all others of its group.
MAX_GROUP_SIZE = 300
LONGEST = 280  # characters of a sentence
CITED = 10  # letters of an id, at least: its time
USUAL_WEIGHT = 3
# The share of words in common from which two sentences say the same.
SAME = 0.8

# Kinds that are never summarised.
NEVER = ("decision", "convention", "skill")
# Kinds that are summarised only when named: people look these memories up one by one.
NAMED_ONLY = ("fix", "error", "problem", "workflow", "pattern", "task", "command", "summary")

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LEAD = re.compile(r"^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+|\d{1,3}[.)]\s+)+")
# A full stop after an abbreviation, an initial or a number does not end a sentence.
_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bca\.)(?<!\b[A-Z]\.)"
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]*[A-Z0-9])"
)
_WORD = re.compile(r"[^\W_]+")
_LEAST_WORDS = 2
# A shorter sentence of a conversation ("All done.") says nothing by itself.
_FEWEST_WORDS = 4
QUESTION = 0.5  # a question says less than its answer
_FULL = 6  # words of a sentence that is not short


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of a summary, and ``sources``, the ids of the memories that say it.

    ``at`` is its place: the index of the first such memory among those summarised, and the
    sentence's index in that memory.
    """

    text: str
    sources: tuple[str, ...]
    at: tuple[int, int]


@dataclass(frozen=True, slots=True)
class MemorySummary:
    """A summary of several memories: these, oldest first, and the chosen sentences in order."""

    memories: tuple[Memory, ...]
    sentences: tuple[CitedSentence, ...]


def reason_excluded_from_summaries(memory: Memory, allowed_kinds: Sequence[str] = ()) -> str:
    """Why a memory is left out of summaries, such as ``marked critical``; empty if it is not.

    If the user named ``allowed_kinds``, memories of other kinds are left out.
    """
    if memory.kind in NEVER or (memory.kind in NAMED_ONLY and memory.kind not in allowed_kinds):
        return memory.kind
    if allowed_kinds and memory.kind not in allowed_kinds:
        return "another kind"
    critical = any(tag.startswith("critical") for tag in memory.tags)
    return "marked critical" if critical else ""


def group_for_summaries(
    memories: Iterable[Memory], month_by_id: dict[str, str]
) -> list[list[Memory]]:
    """The memories in lists to summarise, oldest first; lists of fewer than three are left out.

    In each they have the same scope, project, branch, kind, trust and month, and are at most 300.
    ``month_by_id`` maps the id of each memory to its month.
    """
    groups: dict[tuple[str, ...], list[Memory]] = {}
    for memory in sorted(memories, key=lambda memory: (memory.created_at, memory.id)):
        key = (
            month_by_id[memory.id],
            memory.scope,
            memory.project,
            memory.branch,
            memory.kind,
            memory.trust_tier,
        )
        groups.setdefault(key, []).append(memory)
    cut = (
        groups[key][at : at + MAX_GROUP_SIZE]
        for key in sorted(groups)
        for at in range(0, len(groups[key]), MAX_GROUP_SIZE)
    )
    return [group for group in cut if len(group) >= MIN_GROUP_SIZE]


def summarise_group(group: Sequence[Memory], max_tokens: int = MAX_TOKENS) -> list[MemorySummary]:
    """MemorySummaries of about ``max_tokens`` tokens, which together cite every memory of a group.

    There are several, in order of time, if one sentence of each memory would be too long.
    """
    texts_of = [_sentences(memory) for memory in group]
    worth = _worth(texts_of)
    lead = _choose_leads(group, texts_of, worth, _common(texts_of))
    parts = []
    for first, last in _split_evenly([_cost(sentence.text) for sentence in lead], max_tokens):
        # Merged within a summary only: each is read by itself.
        chosen = _merge_alike(lead[first:last])
        more = [
            sentence for at in range(first, last) for sentence in _as_sentences(group, texts_of, at)
        ]
        lead_places = {sentence.at for sentence in lead[first:last]}
        rest = [sentence for sentence in more if sentence.at not in lead_places]
        whole = sum(
            estimate_tokens(f"{memory.title} {memory.content}") for memory in group[first:last]
        )
        weights = [memory.weight for memory in group]
        chosen = _fill_up(weights, chosen, rest, worth, min(max_tokens, whole // 2))
        parts.append(
            MemorySummary(tuple(group[first:last]), tuple(sorted(chosen, key=lambda s: s.at)))
        )
    return parts


def most_informative_sentences(texts: Sequence[str], max_tokens: int) -> list[CitedSentence]:
    """The sentences of some texts that say most, up to ``max_tokens`` tokens, in order of texts.

    ``at`` of a sentence is (index of the text, index of the sentence in it).
    """
    texts_of = [
        [part for part in _telling(text) if len(_WORD.findall(part)) >= _FEWEST_WORDS]
        for text in texts
    ]
    every = [
        CitedSentence(text, (str(at),), (at, n))
        for at, text_sentences in enumerate(texts_of)
        for n, text in enumerate(text_sentences)
    ]
    weights = [USUAL_WEIGHT] * len(texts)
    chosen = _fill_up(weights, [], every[: 4 * MAX_GROUP_SIZE], _worth(texts_of), max_tokens)
    return sorted(chosen, key=lambda sentence: sentence.at)


def format_sentences(sentences: Iterable[CitedSentence], labels_by_id: dict[str, str]) -> str:
    """The sentences as lines of a Markdown list, each with its sources: ``- Text. [label, label]``.

    ``labels_by_id`` maps the id of a memory to what is shown for it. Neighbouring sentences of the
    same memories share a line.
    """
    rows = []
    for sources, same in groupby(sentences, key=lambda sentence: sentence.sources):
        text = " ".join(sentence.text for sentence in same)
        rows.append(f"- {text} [{', '.join(labels_by_id[id] for id in sources)}]")
    return "\n".join(rows)


def _sentences(memory: Memory) -> list[str]:
    """The sentences of a memory's title and text, without code."""
    text = f"{memory.title}\n{memory.content}"
    return _telling(text) or _parts(text) or [one_line(memory.headline, LONGEST)]


def _parts(text: str) -> list[str]:
    parts = []
    for line in _FENCED.sub("\n", text).split("\n"):
        bare = _LEAD.sub("", line).strip()
        parts += [one_line(part, LONGEST) for part in _END.split(bare) if part.strip()]
    return list(dict.fromkeys(parts))


def _telling(text: str) -> list[str]:
    """The sentences of a text that have more than a word."""
    return [part for part in _parts(text) if len(_WORD.findall(part)) >= _LEAST_WORDS]


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    """The stems of a sentence's words, without function words."""
    lowered = (word.lower() for word in _WORD.findall(text))
    return frozenset(strip_inflection(word) for word in lowered if word not in STOP_WORDS)


def _are_alike(left: frozenset[str], other: frozenset[str]) -> bool:
    return bool(left or other) and len(left & other) >= SAME * len(left | other)


def _as_sentences(
    group: Sequence[Memory], texts_of: Sequence[list[str]], at: int
) -> list[CitedSentence]:
    return [CitedSentence(text, (group[at].id,), (at, n)) for n, text in enumerate(texts_of[at])]


def _worth(texts_of: Sequence[list[str]]) -> dict[str, float]:
    """Word -> share of the memories that have it."""
    counts: dict[str, int] = {}
    for texts in texts_of:
        for word in frozenset[str]().union(*map(_words, texts)):
            counts[word] = counts.get(word, 0) + 1
    return {word: count / len(texts_of) for word, count in counts.items()}


def _score(text: str, weight: int, worth: dict[str, float]) -> float:
    words = _words(text)
    mean = sum(worth[word] for word in sorted(words)) / max(len(words), _FULL)
    return mean * weight / USUAL_WEIGHT * (QUESTION if text.endswith("?") else 1)


def _common(texts_of: Sequence[list[str]]) -> frozenset[str]:
    """Sentences that most memories have, such as headings: they characterise none of them."""
    counts = Counter(text for texts in texts_of for text in texts)
    return frozenset(
        text for text, count in counts.items() if count > max(MIN_GROUP_SIZE, len(texts_of) / 2)
    )


def _choose_leads(
    group: Sequence[Memory],
    texts_of: Sequence[list[str]],
    worth: dict[str, float],
    common: frozenset[str],
) -> list[CitedSentence]:
    """For each memory, in order, the sentence by which it is cited."""
    left, leads = dict(worth), dict[int, CitedSentence]()
    best = {at: _best(group, texts_of, at, left, common) for at in range(len(group))}
    while best:
        # Scores only fall, so the best one is computed again before it is taken.
        at = max(best, key=lambda at: (best[at][0], -at))
        now = _best(group, texts_of, at, left, common)
        if now[0] < best[at][0]:
            best[at] = now
            continue
        del best[at]
        leads[at] = now[1]
        for word in _words(now[1].text):
            left[word] **= 2
    return [leads[at] for at in range(len(group))]


def _best(
    group: Sequence[Memory],
    texts_of: Sequence[list[str]],
    at: int,
    worth: dict[str, float],
    common: frozenset[str],
) -> tuple[float, CitedSentence]:
    every = _as_sentences(group, texts_of, at)
    own = [sentence for sentence in every if sentence.text not in common] or every
    scored = [(_score(sentence.text, group[at].weight, worth), sentence) for sentence in own]
    return max(scored, key=lambda pair: (pair[0], -pair[1].at[1]))


def _split_evenly(costs: Sequence[int], tokens: int) -> list[tuple[int, int]]:
    """(first, end) of each summary: of similar cost, at least ``MIN_GROUP_SIZE`` memories."""
    many = max(1, min(-(-sum(costs) // tokens), len(costs) // MIN_GROUP_SIZE))
    cuts, spent, first = list[tuple[int, int]](), 0, 0
    for at, cost in enumerate(costs):
        spent += cost
        enough = at + 1 - first >= MIN_GROUP_SIZE and len(costs) - at - 1 >= MIN_GROUP_SIZE
        if len(cuts) < many - 1 and enough and spent >= sum(costs) * (len(cuts) + 1) / many:
            cuts.append((first, at + 1))
            first = at + 1
    return [*cuts, (first, len(costs))]


def _merge_alike(sentences: Sequence[CitedSentence]) -> list[CitedSentence]:
    """The sentences; of several alike only the first, with the sources of all."""
    merged: list[tuple[frozenset[str], CitedSentence]] = []
    for sentence in sentences:
        words = _words(sentence.text)
        for at, (known, before) in enumerate(merged):
            if _are_alike(words, known) or sentence.text == before.text:
                sources = tuple(dict.fromkeys((*before.sources, *sentence.sources)))
                merged[at] = (known, replace(before, sources=sources))
                break
        else:
            merged.append((words, sentence))
    return [sentence for _, sentence in merged]


def _fill_up(
    weights: Sequence[int],
    chosen: list[CitedSentence],
    rest: list[CitedSentence],
    worth: dict[str, float],
    tokens: int,
) -> list[CitedSentence]:
    """``chosen`` with the best further sentences that there is room for."""
    left = dict(worth)
    chosen_words = [_words(sentence.text) for sentence in chosen]
    for words in chosen_words:
        for word in words:
            left[word] **= 2
    room = tokens - sum(_cost(sentence.text) for sentence in chosen)
    while rest and room > 0:
        # Of equals the first: the rest is in order.
        best = max(rest, key=lambda sentence: _score(sentence.text, weights[sentence.at[0]], left))
        rest.remove(best)
        words = _words(best.text)
        if _cost(best.text) > room or any(_are_alike(words, earlier) for earlier in chosen_words):
            continue
        room -= _cost(best.text)
        chosen.append(best)
        chosen_words.append(words)
        for word in words:
            left[word] **= 2
    return chosen


def _cost(text: str) -> int:
    return estimate_tokens(f"- {text} [{'0' * CITED}]\n")
