"""The lines of code and notes that go into a context: chosen, widened and fitted into its room."""

from collections.abc import Callable, Mapping, Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, present_text, repository_search
from gitmem.retrieval.edited_file import EDITED
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Question, Scope
from gitmem.search import best_piece, spans
from gitmem.search.spans import Piece, Span
from gitmem.store.code import chunks, symbols
from gitmem.store.code.indexed_files import TreeState
from gitmem.text.fence import neutralise, one_line
from gitmem.text.redact import redact

# Files that a context tells of. Of commit subjects asked of twelve histories 93 % have a file that
# the commit changed among the first 10, 96 % among 15, 97 % among 25 (docs/benchmarks.md).
MOST_FILES = 15
# Lines of a span before its file's turn comes to be shown more of.
FIRST_LINES = 10
# Lines to which a span is widened, and the part of the room that one file may take.
MOST_LINES = 80
MOST_SHARE = 0.4
# Of so many files also the other pieces are read that answer nearly as well; what they count.
SEVERAL, ALSO = 6, 0.8
MOST_SPANS = 3
_LONGEST_LINE = 240
# Room in which no line more is worth looking for, and by which factor the tokens of a text may
# differ from those that a part of it foretells.
_LEAST_ROOM, _SURELY = 16, 1.6
_WIDTH = 160

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """A file that answers, how well, its present lines as far as they are known, by number.

    ``spans`` are the best first, each with the lines to which it may be widened; ``told`` are the
    lines as they are shown: long ones cut.
    """

    item: HitItem
    score: float
    known: Mapping[int, str]
    spans: tuple[tuple[Span, Lines], ...]
    told: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class FileLines:
    """What a context shows of a file: stretches of lines, both ends in."""

    answer: Answer
    lines: tuple[Lines, ...]

    @property
    def text(self) -> str:
        """The lines as Markdown, under a heading that says where they stand."""
        item = self.answer.item
        told = ", ".join(f"{first}-{last}" for first, last in self.lines)
        # What stands around the piece that was found says nothing of lines elsewhere in the file.
        start, end = item.start_line or 0, item.end_line or 0
        near = any(first <= end and start <= last for first, last in self.lines)
        where = one_line(item.context, 80) if near else ""
        heading = f"### {item.path}:{told}" + (f" {where}" if where else "")
        body = "\n...\n".join(map(self._body, self.lines))
        fence = "```" if "```" not in body else "~~~~"
        return f"{one_line(heading, _WIDTH)}\n{fence}\n{body}\n{fence}"

    def _body(self, stretch: Lines) -> str:
        told = self.answer.told
        return "\n".join([told.get(number, "") for number in range(stretch[0], stretch[1] + 1)])


def gather(app: App, question: Question, known: TreeState | None) -> tuple[list[Answer], bool]:
    """The files that answer as they are now, the best first; edited ones with their present lines.

    And whether one of the first likely answers, not only is the nearest there is. ``known`` is how
    far the worktree was indexed before.
    """
    files = repository_search.Sources(Scope(frozenset(("code", "notes"))), False, False)
    best = repository_search.ranked(
        app, question, files, mode="hybrid", method="score", each_kind=False
    )
    best = best[: question.limit]
    rarity = repository_search.rarity(app, question.asked.words)
    told = repository_search.relevance(app, question, files, best, mode="hybrid", known=rarity)
    hits = [(hit.score, item) for hit, item in best]
    return of_hits(app, question, known, hits, rarity=rarity), told == "good"


def of_hits(
    app: App,
    question: Question,
    known: TreeState | None,
    hits: Sequence[tuple[float, HitItem]],
    *,
    rarity: repository_search.Rarity | None = None,
) -> list[Answer]:
    """The same of files that were found already, each with its score.

    ``rarity`` is how rare the question's words are, where that was counted.
    """
    now = present_text.present(app, known, [item for _, item in hits])
    there = [
        (score, item)
        for (score, _), item in zip(hits, now.items, strict=True)
        if item is not None and item.start_line is not None
    ]
    pieces = [
        (place, piece)
        for place, (score, item) in enumerate(there)
        for piece in _pieces(app, item, score, alone=place >= SEVERAL)
    ]
    rare, most = rarity or repository_search.rarity(app, question.asked.words)
    if question.asked.task:
        more, _ = repository_search.rarity(app, question.asked.task.words)
        rare = {**more, **rare}
    related = explicit_files.other_words(app, question.asked)
    telling = _meant(related) | _telling(rare, most)
    found_in = _cleaned([piece for _, piece in pieces])
    chosen = spans.choose(found_in, telling)
    own: list[list[tuple[Piece, list[Span]]]] = [[] for _ in there]
    for (place, _), piece, found in zip(pieces, found_in, chosen, strict=True):
        own[place].append((piece, found))
    answers = [
        _answer(app, item, score, found) for (score, item), found in zip(there, own, strict=True)
    ]
    return [answer for answer in answers if answer.spans]


def _pieces(app: App, item: HitItem, score: float, *, alone: bool) -> list[Piece]:
    """The piece that stands for a file, and unless ``alone`` those that answer nearly as well."""
    first = Piece(score, item.start_line or 1, item.snippet)
    if EDITED in item.why:
        return [first]
    found = [_with_next(app, item, first)]
    if alone:
        return found
    starts = [int(one.partition("-")[0]) for one in item.also]
    others = chunks.starting(app.store, app.worktree, item.path, starts) if starts else {}
    return found + [Piece(score * ALSO, line, others[line]) for line in starts if line in others]


def _with_next(app: App, item: HitItem, piece: Piece) -> Piece:
    """A piece of few lines, such as the head of a block, with the piece that follows it."""
    count = piece.text.count("\n") + 1
    if count >= spans.THINNEST:
        return piece
    follows = piece.start + count
    head = chunks.at_line(app.store, app.worktree, item.path, follows)
    if head is None or head.start_line != follows:
        return piece
    text = chunks.texts(app.store, [head.id])[head.id]
    return replace(piece, text=f"{piece.text}\n{text}")


def _answer(
    app: App, item: HitItem, score: float, found: Sequence[tuple[Piece, list[Span]]]
) -> Answer:
    """The spans of a file's pieces, the best first; what answers beside the first must do well."""
    known: dict[int, str] = {}
    ranked = []
    around = _symbols(app, item)
    for piece, chosen in found:
        lines = piece.text.split("\n")
        known.update(enumerate(lines, piece.start))
        within = piece.start, piece.start + len(lines) - 1
        for span in chosen:
            wide = spans.widened(span, around, within, MOST_LINES)
            wide = spans.readable(wide, within)
            ranked.append((-span.weight * piece.score, span, wide))
    ranked.sort(key=lambda one: (one[0], one[1].first))
    item = replace(item, context=_clean(item.context))
    best = tuple((span, wide) for _, span, wide in ranked[:MOST_SPANS])
    long = {number: _cut(line) for number, line in known.items() if len(line) > _LONGEST_LINE}
    return Answer(item, score, known, best, {**known, **long} if long else known)


def _telling(rare: Mapping[str, float], most: float) -> dict[str, float]:
    """By word of a question that stands here at all how much it tells: the rarer, the more."""
    return {word: value for word, value in rare.items() if value < most}


def _meant(related: Mapping[str, float]) -> dict[str, float]:
    """What code calls the words of a question: a file found by it is shown where it stands."""
    return {word: best_piece.RELATED * value for word, value in related.items()}


def fit(answers: Sequence[Answer], room: int, count: Callable[[str], int]) -> list[FileLines]:
    """What of the files goes into so many tokens: a little of each first, then more of the best.

    No file takes more than ``MOST_SHARE`` of the room. The best stretch of every file comes first:
    who reads from the top meets the next file after some twenty lines, not after three stretches
    of a file that may be the wrong one. Their further stretches follow, the best file's first.
    """
    shown: dict[int, FileLines] = {}
    left, cost_of = room, _costs(count)
    for place, answer in enumerate(answers):
        short = FileLines(answer, (_first(answer),))
        cost = cost_of(short)
        if cost <= min(left, MOST_SHARE * room):
            shown[place] = short
            left -= cost
    for place, before in list(shown.items()):
        own = cost_of(before)
        if left < _LEAST_ROOM:
            break
        for more in dict.fromkeys(_wider(answers[place])):
            grown = FileLines(answers[place], more)
            # What is surely too long is not counted: that takes most of the time.
            if own * len(grown.text) > _SURELY * len(before.text) * (left + own):
                continue
            cost = cost_of(grown)
            if cost - own <= left and cost <= MOST_SHARE * room:
                shown[place] = grown
                left -= cost - own
                break
    parts = [_parts(shown[place]) for place in sorted(shown)]
    return [first for first, *_ in parts] + [one for _, *further in parts for one in further]


def _costs(count: Callable[[str], int]) -> Callable[[FileLines], int]:
    """What lines of a file cost; each stretch is told and counted once."""
    known: dict[tuple[str, tuple[Lines, ...]], int] = {}

    def cost(shown: FileLines) -> int:
        total = 0
        for part in _parts(shown):
            key = part.answer.item.path, part.lines
            if key not in known:
                known[key] = count(part.text) + 1
            total += known[key]
        return total

    return cost


def _parts(shown: FileLines) -> list[FileLines]:
    """The stretch with the best span, and the others, if there are any."""
    best = shown.answer.spans[0][0].peak
    first = next((line for line in shown.lines if line[0] <= best <= line[1]), shown.lines[0])
    others = tuple(line for line in shown.lines if line != first)
    return [replace(shown, lines=one) for one in ((first,), others) if one]


def _first(answer: Answer) -> Lines:
    """A few lines of the best span, from just above where it is best."""
    best, wide = answer.spans[0]
    first = max(best.first, best.peak - 1)
    last = min(best.last, first + FIRST_LINES - 1)
    while first < last and not answer.known.get(first, "").strip():
        first += 1
    while last > first and not answer.known.get(last, "").strip():
        last -= 1
    return spans.readable((first, last), wide)


def _wider(answer: Answer) -> list[tuple[Lines, ...]]:
    """Other choices of lines, the fullest first: spans with the symbols around them, or bare."""
    wide = [around for _, around in answer.spans]
    bare = [spans.readable((span.first, span.last), around) for span, around in answer.spans]
    return [_joined(wide), _joined([wide[0], *bare[1:]]), _joined(wide[:1]), _joined(bare)]


def _joined(found: Sequence[Lines]) -> tuple[Lines, ...]:
    """The lines in order, those that touch as one stretch."""
    joined: list[Lines] = []
    for first, last in sorted(found):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return tuple(joined)


def _symbols(app: App, item: HitItem) -> tuple[Lines, ...]:
    """The lines of what a file defines; nothing where it was edited, since they have moved."""
    if EDITED in item.why or item.kind != "code":
        return ()
    return tuple(sorted(symbols.lines_of(app.store, app.worktree, item.path)))


def _cleaned(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without secrets. Read together, which finds as much, they cost half: only where
    one is found each is read alone."""
    clean = _clean if redact("\n\n".join(piece.text for piece in pieces)).found else neutralise
    return [replace(piece, text=clean(piece.text)) for piece in pieces]


def _clean(text: str) -> str:
    """What is stored was redacted as a whole file; again, for what the rules learned since."""
    return neutralise(redact(text).text)


def _cut(line: str) -> str:
    return line[: _LONGEST_LINE - 1] + "…"
