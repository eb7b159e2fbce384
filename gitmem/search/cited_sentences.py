"""Splitting passages into sentences, and choosing those that answer. Pure.

Sentences are verbatim, without the marks of comments, lists and headings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from gitmem.model.frozen import dataclass
from gitmem.search import asked_value, best_piece, common_tasks
from gitmem.search.common_tasks import CommonTask
from gitmem.search.matched_words import words_in_text
from gitmem.text import identifiers, note_lines

LONGEST = 400
_COMMENT = re.compile(
    r"\s*(?://+!?|#+(?!\[|!|include|define|if|end|pragma)|/\*+!?|\*+(?!\*)|--+|;+|<!--|%+)(?:\s|$)"
)
_MARKS = re.compile(r"^\s*(?://+[!/]?|#+:?|/\*+!?|\*+/?|--+|;+|<!--|%+)?\s*|\s*(?:\*+/|-->)\s*$")
_TRIPLE = re.compile(r'"""|\'\'\'')
# Begins a new sentence in a note: an item, a row, a definition, a quotation.
_ITEM = re.compile(r"\s*(?:[-*+>|]|\d+[.)])\s+|\s*\|")
# Begins a new sentence in documentation: a parameter, in the styles of several tools.
_PARAMETER = re.compile(r"\s*(?:[*\w]+ ?\([^()\n]{1,60}\)\s?:\s|[@:\\]\w+\b|[-*+] )")
_DOCTEST = re.compile(r"\s*(?:>>>|\.\.\.) ")
_ITEM_MARK = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s+(?:\[[ x]\]\s+)?")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9`\"'(\[*_])")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Anchors, pictures and badges, which are no text.
_MARKUP = re.compile(r"<[^<>\n]{0,300}>|!\[[^\]\n]{0,200}\]\([^)\n]{0,400}\)")
_CODE_WORDS = re.compile(r"[A-Za-z]\w+")
# A line with only these words is no answer.
_SYNTAX_WORDS = (
    "raise throw throws return yield try catch except exception finally ensure rescue else then do "
    "begin end fi done esac pass break continue default as err error null none nil true false"
)
_SYNTAX = frozenset(_SYNTAX_WORDS.split())


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may answer: ``lines`` (line number -> text), and its search score (0 to 1).

    ``kind`` is code, note, commit, memory or session; a commit and a memory have their text as line
    1. ``starts_in_code``: the lines of a note begin inside a block of code.
    """

    kind: str
    lines: Mapping[int, str]
    score: float
    starts_in_code: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or line of code, its first and last line, and ``value``: how well it answers."""

    text: str
    first: int
    last: int
    code: bool
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """What sentences are valued by: ``idf`` (word -> rarity) and ``cosines`` (text -> cosine).

    A sentence with the command for the ``task`` that is asked about counts more. ``related`` is the
    rarity of what code may call the words of the question.
    """

    idf: Mapping[str, float]
    cosines: Mapping[str, float]
    task: CommonTask | None = None
    related: Mapping[str, float] = MappingProxyType({})


# Weights of words and similarity, and the bonus of prose over code.
WORDS, MEANING, PROSE = 0.6, 0.4, 0.15
# Factor of a short line of code that only repeats the question.
ECHO, _SHORT_LINE = 0.5, 80
# Bonus of a command that does the task, half of it if quoted within a sentence.
COMMAND = 0.8


def split_sentences(passage: Passage) -> list[Sentence]:
    """All sentences of a passage as Sentence values, in order; a line of code is one, too."""
    if passage.kind in ("commit", "memory"):
        return _split([(1, passage.lines[1])]) if passage.lines.get(1, "").strip() else []
    prose = passage.kind in ("note", "session")
    runs = _of_note(passage) if prose else _of_code(passage.lines)
    found: list[Sentence] = []
    for code, run in runs:
        found += _lines(run) if code else _split(run)
    return found


def best_sentences(
    candidates: Sequence[Sentence], weights: SentenceWeights, limit: int
) -> list[Sentence]:
    """The sentences that answer best, at most ``limit``, the best first, by ``weights``.

    After the first, only those that add a word of the question or a command to type.
    """
    valued = sorted(
        (_valued(sentence, weights) for sentence in candidates),
        key=lambda sentence: (-sentence.value, sentence.first),
    )
    chosen: list[Sentence] = []
    there: set[str] = set()
    words = [*weights.idf, *weights.related]
    for sentence in valued:
        new = {*words_in_text(words, sentence.text), *_typed(sentence, weights)} - there
        if chosen and (not new or sentence.value < chosen[0].value / 2):
            continue
        chosen.append(sentence)
        there |= new
        if len(chosen) == limit:
            break
    return chosen


def _typed(sentence: Sentence, weighed: SentenceWeights) -> tuple[str, ...]:

    return ("$",) if common_tasks.contains_task_command(weighed.task, sentence.text) else ()


def _valued(sentence: Sentence, weighed: SentenceWeights) -> Sentence:
    words = best_piece.question_coverage(sentence.text, weighed.idf, weighed.related)
    value = WORDS * words + MEANING * max(weighed.cosines.get(sentence.text, 0.0), 0.0)
    if sentence.code:
        value *= ECHO if words and _echoes(sentence.text, [*weighed.idf]) else 1.0
    else:
        value *= 1 + PROSE
    if common_tasks.contains_task_command(weighed.task, sentence.text):
        whole = sentence.code or common_tasks.is_task_command_line(weighed.task, sentence.text)
        value += COMMAND if whole else COMMAND / 2
    return Sentence(sentence.text, sentence.first, sentence.last, sentence.code, round(value, 4))


def _echoes(code: str, words: Sequence[str]) -> bool:

    return len(code) <= _SHORT_LINE and all(
        words_in_text(words, part) for part in identifiers.split_identifiers(code)
    )


Run = list[tuple[int, str]]


def _of_code(lines: Mapping[int, str]) -> list[tuple[bool, Run]]:
    """Runs of comment lines, and between them code, a line at a time."""
    runs: list[tuple[bool, Run]] = []
    quoted = _begins_quoted([line for _, line in sorted(lines.items())])
    for number, line in sorted(lines.items()):
        marks = len(_TRIPLE.findall(line))
        opens = line.strip()[:3] in ('"""', "'''")
        prose = quoted or opens or _COMMENT.match(line) is not None
        quoted = quoted != bool(marks % 2) if (opens or quoted) else quoted
        bare = _TRIPLE.sub("", _MARKS.sub("", line)) if prose else line
        if prose and _PARAMETER.match(bare):
            runs.append((False, []))
        _add(runs, not prose or _DOCTEST.match(bare) is not None, number, bare)
    return runs


def _begins_quoted(lines: Sequence[str]) -> bool:
    """Whether lines cut out of code begin inside a docstring, so that the first quotes end it.

    Quotes after a sentence do, and those alone on their line unless the line before opens a block.
    """
    at = next((at for at, line in enumerate(lines) if _TRIPLE.search(line)), None)
    if at is None or len(_TRIPLE.findall(lines[at])) != 1:
        return False
    before, _, after = _TRIPLE.sub("\0", lines[at]).partition("\0")
    if before.strip() or after.strip():
        return not after.strip() and before.rstrip()[-1:] in (".", "!", "?", ")")
    leading = next((line.rstrip() for line in reversed(lines[:at]) if line.strip()), "")
    return bool(leading) and leading[-1] not in ":(,=[{"


def _of_note(passage: Passage) -> list[tuple[bool, Run]]:
    """Paragraphs, items and rows; headings are left out, fenced lines are code."""
    runs: list[tuple[bool, Run]] = []
    kinds = note_lines.note_line_kinds(passage.lines, starts_in_code=passage.starts_in_code)
    for number, line in sorted(passage.lines.items()):
        if kinds[number] == note_lines.CODE:
            _add(runs, True, number, line)
        elif kinds[number] == note_lines.BREAK:
            runs.append((False, []))
        else:
            if _ITEM.match(line):
                runs.append((False, []))
            _add(runs, False, number, _ITEM_MARK.sub("", line))
    return runs


def _add(runs: list[tuple[bool, Run]], code: bool, number: int, text: str) -> None:
    if not text.strip():
        runs.append((False, []))
    elif runs and runs[-1][0] == code and (runs[-1][1] or not code):
        runs[-1][1].append((number, text))
    else:
        runs.append((code, [(number, text)]))


def _lines(run: Run) -> list[Sentence]:
    return [
        Sentence(" ".join(text.split()), number, number, code=True)
        for number, text in run
        if len(text) <= LONGEST and _says_something(text)
    ]


def _says_something(code: str) -> bool:
    """Whether a line has a word beside syntax, or is nothing but a version.

    A line that begins with a closing bracket is the end of what stands above.
    """
    if asked_value.NOTHING_ELSE.fullmatch(code):
        return True
    if code.lstrip()[:1] in (")", "]", "}"):
        return False
    return any(word.lower() not in _SYNTAX for word in _CODE_WORDS.findall(code))


def _split(run: Run) -> list[Sentence]:

    text, starts = "", []
    for number, line in run:
        text += " " if text else ""
        starts.append((len(text), number))
        text += " ".join(line.split())
    found, at = [], 0
    for end in [*(match.start() for match in _END.finditer(text)), len(text)]:
        part = text[at:end].strip()
        if len(_WORD.findall(_MARKUP.sub(" ", part))) > 1:
            begin = at + len(text[at:end]) - len(text[at:end].lstrip())
            found.append(
                Sentence(_short(part), _line(starts, begin), _line(starts, end - 1), code=False)
            )
        at = end
    return found


def _line(starts: Sequence[tuple[int, int]], at_ms: int) -> int:
    return next((number for start, number in reversed(starts) if start <= at_ms), starts[0][1])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"
