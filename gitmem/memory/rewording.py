"""Whether two texts of nearly the same words differ in meaning or only in wording. Pure.

"The cache must be restarted after each deploy" and "After each deploy the cache has to be
restarted" say the same, "Alice owns billing" and "Carol owns billing" do not, and a cosine prefers
the second pair. So words are read by their role: function words do not count, a negation or a bound
must occur in both texts and before the same words, and if each text has a word that the other
lacks, one thing was replaced by another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import product

from gitmem.model.frozen import dataclass
from gitmem.text import stem as stemming
from gitmem.text.negation_words import DENIALS, LEAVING, OPPOSITES
from gitmem.text.stop_words import ASKING, EMPTY, JOINING, parse_words

_NOT, _WHEN, _EVERY, _MAY = "not", "when", "every", "may"
# Verbs and fillers without content: they say that something is done, not what.
_LIGHT = parse_words(
    "am been being get gets got has have having had keep keeps let made make makes must need needs",
    "needed ought put puts require required requires set sets shall should stay stays take takes",
    "taken use used uses using was were will would go goes done also just please we us our now",
    "longer anymore shall since because via of in at for on as onto",
)
# Negations and bounds: word -> the one that it is equivalent to.
_TURNS = {
    **dict.fromkeys(DENIALS | LEAVING | parse_words("dropped removed stopped"), _NOT),
    **dict.fromkeys(parse_words("when if once whenever"), _WHEN),
    **dict.fromkeys(parse_words("every each all any always both"), _EVERY),
    **dict.fromkeys(parse_words("may might"), _MAY),
    **{
        word: word
        for word in parse_words(
            "only except unless until before after instead rather than over under above below up",
            "down off out against between through from to into with by most least more less few",
            "again",
        )
    },
}
# Both texts need these; the others only must not precede different words.
_BINDING = frozenset((_NOT, "only", "except", "unless", "until", "before", "after", "instead"))
# These belong to the verb before them ("rolled out"), not to what follows.
_PARTICLES = frozenset(("up", "down", "off", "out"))
# Words after a negation or bound that it may apply to.
_REACH = 4
# Words are related if they begin with so many equal letters, and such a share of their length.
_BEGINNINGS = ((4, 0.75), (6, 0.6))
# Negating prefixes, and the least length of the word after them: "unit" has none.
_DENYING = {"un": 4, "non": 4, "dis": 5}
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class _Wording:
    """A text's content words, as stem -> word, and its negations and bounds with their scope."""

    stems: dict[str, str]
    turns: tuple[tuple[str, tuple[str, ...]], ...]


def replaced_words(
    words: Sequence[str], other_words: Sequence[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """For each of two texts, the content words that the other text has in no form.

    Texts are given as ``words`` of what ``dedupe.read_content_words`` returns.
    """
    first, second = _read(tuple(words)), _read(tuple(other_words))
    return _lacking(first, second), _lacking(second, first)


def shared_content_fraction(words: Sequence[str], other_words: Sequence[str]) -> float:
    """The fraction, 0 to 1, of the longer text's content words that the other has in some form.

    Texts are given as lists of words in lower case.
    """
    first, second = _read(tuple(words)), _read(tuple(other_words))
    most = max(len(first.stems), len(second.stems))
    if not most:
        return 0.0
    here, there = len(_lacking(first, second)), len(_lacking(second, first))
    return min(len(first.stems) - here, len(second.stems) - there) / most


def differ_in_meaning(words: Sequence[str], other_words: Sequence[str]) -> bool:
    """Whether a "not", "only", "before" or the like is in one text only, or before other words.

    Texts are given as lists of words in lower case.
    """
    first, second = _read(tuple(words)).turns, _read(tuple(other_words)).turns
    for turn in {name for name, _ in (*first, *second)}:
        here = [after for name, after in first if name == turn]
        there = [after for name, after in second if name == turn]
        if len(here) != len(there):
            if turn in _BINDING:
                return True
            continue
        if turn != _WHEN and len(here) == 1 and _elsewhere(here[0], there[0]):
            return True
    return False


@lru_cache(1 << 13)
def stem_word(word: str) -> str:
    """The stem of a word, without a doubled letter at its end: "log" for logged, "rol" for roll."""
    short = stemming.stem(stemming.base_form_of_verb(word))
    doubled = len(short) > _SHORTEST and short[-1] == short[-2]
    return short[:-1] if doubled else short


def negation_words(words: Sequence[str]) -> tuple[str, ...]:
    """Those of the words, in lower case, that negate, such as "not", "never" and "without"."""
    return tuple(word for word in words if _TURNS.get(word) == _NOT)


def find_opposite_words(words: Iterable[str], other_words: Iterable[str]) -> tuple[str, str] | None:
    """The first (word, other word) that are opposites, such as enable and disable, or None."""
    pairs = product(words, other_words)
    return next(((word, against) for word, against in pairs if are_opposites(word, against)), None)


def are_opposites(
    word: str, other_word: str, opposite_pairs: Sequence[Sequence[str]] = OPPOSITES
) -> bool:
    """Whether two words are in ``opposite_pairs`` in any form, or differ by "un", "non", "dis"."""
    if frozenset((stem_word(word), stem_word(other_word))) in _stemmed(tuple(opposite_pairs)):
        return True
    shorter, longer = sorted((word, other_word), key=len)
    return any(
        len(shorter) >= least
        and longer.startswith(prefix)
        and stem_word(longer[len(prefix) :]) == stem_word(shorter)
        for prefix, least in _DENYING.items()
    )


@cache
def _stemmed(pairs: tuple[Sequence[str], ...]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(map(stem_word, pair)) for pair in pairs)


@lru_cache(1 << 12)
def _read(words: tuple[str, ...]) -> _Wording:
    stems: dict[str, str] = {}
    order: list[tuple[str, bool]] = []
    # Verbs of removal may follow their object ("3.7 is not supported"): they have no scope.
    leaves: set[int] = set()
    verbs: dict[int, str] = {}
    for at, word in enumerate(words):
        turn = _TURNS.get(word)
        if word in ("can", "could") and words[at + 1 : at + 2] == ("not",):
            continue
        if turn is not None:
            order.append((turn, True))
            leaves |= {len(order) - 1} if word in LEAVING else set()
            if word in _PARTICLES and len(order) > 1 and not order[-2][1]:
                verbs[len(order) - 1] = order[-2][0]
        elif word not in _SILENT:
            stems.setdefault(stem_word(word), word)
            order.append((stem_word(word), False))
    turns = []
    for at, (name, turns_here) in enumerate(order):
        if turns_here:
            scope = (verbs[at],) if at in verbs else _following(order, at)
            turns.append((name, () if at in leaves else scope))
    return _Wording(stems, tuple(turns))


_SILENT = (EMPTY | JOINING | ASKING | _LIGHT) - _TURNS.keys()


def _following(order: Sequence[tuple[str, bool]], at: int) -> tuple[str, ...]:
    """The stems in the scope of a negation or bound: those after it, up to the next one."""
    ends = _BINDING if order[at][0] in _BINDING else _TURNS.values()
    stems_after: list[str] = []
    for name, turns in order[at + 1 :]:
        if len(stems_after) == _REACH or (turns and stems_after and name in ends):
            break
        if not turns:
            stems_after.append(name)
    return tuple(stems_after)


def _elsewhere(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether two scopes differ: neither has a word related to the first word of the other."""
    if not (left and right):
        return False
    return not (
        any(_akin(left[0], word) for word in right) or any(_akin(right[0], word) for word in left)
    )


def _lacking(here: _Wording, there: _Wording) -> frozenset[str]:
    """The words of a text that the other has in no form."""
    rest = here.stems.keys() - there.stems.keys()
    return frozenset(
        here.stems[stem] for stem in rest if not any(_akin(stem, form) for form in there.stems)
    )


def _akin(left: str, right: str) -> bool:
    """Whether two stems are forms of one word, as own and owner."""
    if left == right:
        return True
    if not (left.isalpha() and right.isalpha()):
        return False
    shorter = min(len(left), len(right))
    alike = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    share = alike / max(len(left), len(right))
    return any(alike >= least and share >= of for least, of in _BEGINNINGS)
