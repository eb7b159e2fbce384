"""Whether a memory repeats another one, and whether to skip, merge or suggest then. Pure.

The cosine alone cannot decide. The built-in model gives 0.95 to two sentences of which one says
port 6380 and the other 6379, 0.99 where only one of them says "not", and 1.00 to "tabs instead of
spaces" and "spaces instead of tabs". So the cosine proposes, and the words decide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from gitmem.memory import edit, rewording, trust
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text.stem import singular
from gitmem.text.stop_words import EMPTY

ADD, SKIP, MERGE, SUGGEST = "add", "skip", "merge", "suggest"
# Cosines from which two memories are the same, merged, or worth a look.
SAME, FULLER, ALIKE = 0.95, 0.92, 0.75


@dataclass(frozen=True, slots=True)
class DuplicateThresholds:
    """The least cosines of two texts at which one may be skipped, or the two merged or suggested.

    ``same`` is for skipping, ``merge`` for merging, ``suggest`` for asking a person about the pair.
    """

    same: float = SAME
    merge: float = FULLER
    suggest: float = ALIKE


BUILT_IN_THRESHOLDS = DuplicateThresholds()
_COMMON = 40  # texts that have a word, from which on it counts as common
# The share of words in common from which one replaced word makes two texts differ; and a denial.
_CLOSE, _CLOSER = 0.5, 0.7
# In these kinds a small difference matters, or repetition is normal.
EXACT_KINDS = frozenset(("code", "example", "command", "error", "conversation"))

# Words that negate or bound a sentence: both texts must have the same.
_TURNING_WORDS = (
    "not no never none nor neither nobody nothing without cannot instead rather than avoid unless "
    "except only always before after until if when while but either or should must may might can "
    "could would will shall was were been had did any all every each both most least more less few "
    "once again over under above below up down off out from to into onto against between through "
    "stop skip forbid deprecated removed former formerly"
)
_TURNING = frozenset(_TURNING_WORDS.split())
_MARKS = ".,;:!?\"'()[]{}`\u2018\u2019\u201c\u201d\u2026\u00ab\u00bb"
_SYMBOL = re.compile(r"[<>=!+/%&|~^$\\]+")
_CAPITAL = re.compile(r"[A-Z].*[A-Z]|[a-z].*[A-Z]")
_SPLIT = re.compile(r"n['\u2019]t$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DuplicateJudgement:
    """What to do with a new memory that may repeat an old one, and the words in which they differ.

    ``verdict`` is ``skip`` (the same words in the same order), ``merge`` (one says everything that
    the other says, and more), ``suggest`` (alike, so that a person is asked) or ``add``
    (unrelated). ``differs`` is sorted. ``apart``: they differ in a name, a number or a negation, or
    one cannot stand for the other, as ``may_replace_memory`` says.
    """

    verdict: str
    differs: tuple[str, ...] = ()
    apart: bool = False


@dataclass(frozen=True, slots=True)
class _Words:
    """The content words of a text in order, and those that are numbers, paths or names."""

    words: tuple[str, ...]
    names: frozenset[str]


def judge_duplicate(
    new: Memory,
    old: Memory,
    similarity: float,
    thresholds: DuplicateThresholds = BUILT_IN_THRESHOLDS,
) -> DuplicateJudgement:
    """The DuplicateJudgement on a new memory beside an old one: skip, merge, suggest or add.

    ``similarity`` is the cosine of the vectors of their texts.
    """
    if similarity < thresholds.suggest:
        return DuplicateJudgement(ADD)
    first, other = read_content_words(_text(new)), read_content_words(_text(old))
    differs = tuple(sorted(set(first.words) ^ set(other.words)))
    if not may_replace_memory(new, old) or _differ_in_substance(first, other):
        return DuplicateJudgement(SUGGEST, differs, apart=True)
    if _differ_in_bounds(first, other):
        return DuplicateJudgement(
            SUGGEST, differs
        )  # an "all" or a "was" is not dropped without asking
    if first.words == other.words and similarity >= thresholds.same and _adds_no_facts(new, old):
        return DuplicateJudgement(SKIP, differs)
    fuller, shorter = (first, other) if len(first.words) > len(other.words) else (other, first)
    # A longer text does not replace one that is trusted more.
    rewrites = fuller is first and trust.is_more_trusted(old.trust_tier, new.trust_tier)
    if (
        similarity >= thresholds.merge
        and not rewrites
        and _is_subsequence(shorter.words, fuller.words)
    ):
        return DuplicateJudgement(MERGE, differs)
    return DuplicateJudgement(SUGGEST, differs)


def merge_memories(old: Memory, new: Memory) -> Memory:
    """``old`` with the fuller of two texts and the tags, paths and metadata of both; not stored."""
    if len(read_content_words(_text(new)).words) < len(read_content_words(_text(old)).words):
        return merge_into(old, new, old.title, old.content, {})
    return merge_into(old, new, new.title or old.title, new.content, {})


def parse_metadata(memory: Memory) -> dict[str, object]:
    """The metadata of a memory as a dict, empty if it is no object. Raises ValueError if broken."""
    value = json.loads(memory.metadata or "{}")
    return value if isinstance(value, dict) else {}


def merge_into(
    old: Memory, new: Memory, title: str, content: str, extra_metadata: Mapping[str, object]
) -> Memory:
    """``old`` with this title and content, and the tags, paths and metadata of both; not stored.

    Of weight, importance and confidence it has the larger values. Values of ``extra_metadata`` win
    over those of ``new``, these over those of ``old``.
    """
    metadata = json.dumps(
        {**parse_metadata(old), **parse_metadata(new), **extra_metadata},
        ensure_ascii=False,
        sort_keys=True,
    )
    both = replace(
        edit.merge_repeated_memory(old, new), title=title, content=content, metadata=metadata
    )
    if (title, content) == (old.title, old.content):
        return both
    return replace(both, trust=trust.trust_after_edit(both, by_agent=new.trust_tier != "person"))


def mark_memory_as_duplicate(new: Memory, duplicated_memory_id: str, similarity: float) -> Memory:
    """``new`` with the keys ``duplicate_of`` and ``similarity`` (the cosine) in its metadata.

    ``duplicated_memory_id`` is the id of the memory that it repeats.
    """
    noted = {**parse_metadata(new), "duplicate_of": duplicated_memory_id, "similarity": similarity}
    return replace(new, metadata=json.dumps(noted, ensure_ascii=False, sort_keys=True))


def contains_text(fuller: str, shorter: str) -> bool:
    """Whether ``fuller`` has all content words of ``shorter`` in the same order.

    It must also have the same names and negations. False if ``shorter`` is empty.
    """
    first, other = read_content_words(fuller), read_content_words(shorter)
    if not other.words or _differ_in_bounds(first, other):
        return False
    return _is_subsequence(other.words, first.words)


def shared_word_fraction(text: str, other_text: str) -> float:
    """The fraction (0 to 1) of the words of the longer text that the other text has, too.

    It is computed with and without words such as "the"; the larger result is returned.
    """
    words, others = (set(read_content_words(text).words), set(read_content_words(other_text).words))
    among = len(words & others) / max(len(words), len(others), 1)
    return max(
        among,
        rewording.shared_content_fraction(
            read_content_words(text).words, read_content_words(other_text).words
        ),
    )


def differs_in_single_word(text: str, other_text: str) -> bool:
    """Whether two texts have mostly the same words, but one name or word was replaced by another.

    Also True where the only difference is a negation, a bound or the order of words.
    """
    first, second = read_content_words(text), read_content_words(other_text)
    close = rewording.shared_content_fraction(first.words, second.words)
    if close < _CLOSE:
        return False
    if first.names - set(second.words) and second.names - set(first.words):
        return True
    left, right = rewording.replaced_words(first.words, second.words)
    if len(left) == len(right) == 1:
        return True
    return (
        close >= _CLOSER
        and (not (left or right) or rewording.differ_in_meaning(first.words, second.words))
        and _differ_in_substance(first, second)
    )


def indices_of_earlier_similar_texts(
    texts: Sequence[str], min_fraction: float, max_matches: int
) -> list[list[int]]:
    """For each text, the indices of earlier texts that share words with it, the most similar first.

    At most ``max_matches`` each; of the longer of two texts, the fraction ``min_fraction`` (0 to 1)
    of the words must be in both. Texts that share only very common words may be missed.
    """
    places: dict[str, list[int]] = {}
    sets: list[frozenset[str]] = []
    result: list[list[int]] = []
    for at, text in enumerate(texts):
        words = frozenset(read_content_words(text).words)
        places_of_words = [places.get(word, []) for word in words]
        rare = [earlier for earlier in places_of_words if len(earlier) < _COMMON]
        # Where all words are common, some of their places: many short texts would be quadratic.
        rare = rare or [earlier[:_COMMON] for earlier in places_of_words]
        counts: dict[int, int] = {}
        for earlier in rare:
            for place in earlier:
                counts[place] = counts.get(place, 0) + 1
        enough = min_fraction * len(rare)
        near = [
            (len(words & sets[place]) / max(len(words), len(sets[place]), 1), place)
            for place, count in counts.items()
            if count >= enough
        ]
        near = sorted((-share, place) for share, place in near if share >= min_fraction)
        result.append([place for _, place in near[:max_matches]])
        sets.append(words)
        for word in words:
            places.setdefault(word, []).append(at)
    return result


@lru_cache(1 << 13)
def read_content_words(text: str) -> _Words:
    """The content words of a text in order (``words``), and those that are names (``names``).

    They are in lower case, plurals become singulars, "don't" becomes "do not". Numbers, paths and
    identifiers count as names.
    """
    words: list[str] = []
    names: set[str] = set()
    begins = True
    for raw in text.split():
        token = raw.strip(_MARKS)
        for low, exact, capital, empty, upper in _read_token(token):
            # "A" within a sentence is a name, as in "option A".
            if empty and (begins or not upper):
                continue
            words.append(low)
            if exact or (capital and not begins):
                names.add(low)
        # After a full stop or a bullet a capital says nothing.
        begins = not token or raw[-1:] in ".:!?" or (begins and not token.isalnum())
    return _Words(tuple(words), frozenset(names))


@lru_cache(1 << 14)
def _read_token(token: str) -> tuple[tuple[str, bool, bool, bool, bool], ...]:
    """The words in a token, each as (folded, is a name, capitalised, function word, upper case)."""
    tokens = []
    for word in _split_token(token):
        # A number, a path, a flag or an identifier.
        low, exact = word.casefold(), not word.isalpha() or bool(_CAPITAL.match(word))
        folded = low if exact or low in _TURNING else singular(low)
        tokens.append((folded, exact, word[:1].isupper(), low in EMPTY, word.isupper()))
    return tuple(tokens)


def _split_token(token: str) -> Iterator[str]:
    if not token or not any(letter.isalnum() for letter in token):
        # An operator counts; a bullet or a dash does not.
        if _SYMBOL.fullmatch(token):
            yield token
        return
    if _SPLIT.search(token):
        yield {"ca": "can", "wo": "will"}.get(token[:-3].lower(), token[:-3])
        yield "not"
        return
    if token.lower() == "cannot":
        yield from ("can", "not")
        return
    yield re.sub("['\u2019](s|re|ve|ll|d|m)?$", "", token)


def _differ_in_substance(read: _Words, other: _Words) -> bool:
    if _differ_in_names(read, other) or rewording.differ_in_meaning(read.words, other.words):
        return True
    return all(rewording.replaced_words(read.words, other.words))


def _differ_in_names(read: _Words, other: _Words) -> bool:
    return bool((read.names - set(other.words)) | (other.names - set(read.words)))


def _differ_in_bounds(read: _Words, other: _Words) -> bool:
    """Whether the texts have different names, negations or bounds ("only", "before")."""
    if _differ_in_names(read, other):
        return True
    bounds = (sorted(filter(_TURNING.__contains__, text.words)) for text in (read, other))
    return next(bounds) != next(bounds)


def may_replace_memory(new: Memory, old: Memory) -> bool:
    """Whether a new memory may stand for an old one, so that the two are merged without asking.

    They must have the same kind, scope, layer, status, validity and state, and not be code, a
    command, an error or the like. The old one must not be foreign (imported, not accepted).
    """
    return (
        _identity(new) == _identity(old)
        and new.kind not in EXACT_KINDS
        and old.trust_tier != "foreign"
        and trust.is_new_memory_redundant(old, new)
        and old.state == new.state
    )


def _identity(memory: Memory) -> tuple[object, ...]:
    session = memory.session if memory.layer == "working" else ""
    bounds = (memory.valid_from, memory.valid_until)
    return (memory.kind, memory.scope, memory.layer, session, memory.status, *bounds)


def _adds_no_facts(new: Memory, old: Memory) -> bool:
    return new.metadata == "{}" or parse_metadata(new).items() <= parse_metadata(old).items()


def _is_subsequence(shorter: Sequence[str], longer: Sequence[str]) -> bool:
    """Whether the words occur in the longer text in this order, with others between them."""
    rest = iter(longer)
    return all(word in rest for word in shorter)


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()
