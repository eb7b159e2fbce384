"""Choosing the lines of code and notes for a context, within its budget."""

from collections.abc import Callable, Mapping, Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, present_text, repository_search
from gitmem.retrieval.edited_file import EDITED
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import FileScope, Question
from gitmem.search import best_piece, spans
from gitmem.search.spans import LineSpan, ScoredChunk
from gitmem.store.code import chunks, symbols
from gitmem.store.code.indexed_files import WorktreeIndexState
from gitmem.text.fence import make_printable, one_line
from gitmem.text.redact import redact

# Files in a context. Asked with the commit subjects of twelve histories, 93 % of the questions find
# a file that the commit changed among the first 10, 96 % among 15, 97 % among 25
# (docs/benchmarks.md).
MAX_FILES = 15
# Lines of each file that are shown before any file gets more.
FIRST_LINES = 10
# Lines to which a span may be widened, and the part of the budget that one file may take.
MAX_LINES = 80
MAX_FILE_FRACTION = 0.4
# The first files, of which further chunks that answer nearly as well are read, and their factor.
SEVERAL, ALSO = 6, 0.8
MAX_SPANS = 3
_MAX_LINE_LENGTH = 240
# Tokens below which no further line is tried, and the factor by which the tokens of a text may
# differ from an extrapolation of a part of it.
_MIN_ROOM, _SURELY = 16, 1.6
_WIDTH = 160

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AnsweringFile:
    """A file that may answer a question: its search hit, score and relevant line ranges.

    ``known`` maps line numbers to texts, ``display`` is the same with long lines cut. ``spans`` are
    the best ranges first, each with the wider range to which it may grow.
    """

    item: HitItem
    score: float
    known: Mapping[int, str]
    spans: tuple[tuple[LineSpan, Lines], ...]
    display: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class ShownFileLines:
    """The line ranges of a file that a context shows; first and last line are included."""

    answer: AnsweringFile
    lines: tuple[Lines, ...]

    @property
    def as_markdown(self) -> str:
        """The lines as Markdown, under a heading with path and line numbers."""
        item = self.answer.item
        lines = ", ".join(f"{first}-{last}" for first, last in self.lines)
        # The enclosing names belong to the chunk that was found, not to lines elsewhere.
        start, end = item.start_line or 0, item.end_line or 0
        near = any(first <= end and start <= last for first, last in self.lines)
        where = one_line(item.context, 80) if near else ""
        heading = f"### {item.path}:{lines}" + (f" {where}" if where else "")
        body = "\n...\n".join(map(self._body, self.lines))
        fence = "```" if "```" not in body else "~~~~"
        return f"{one_line(heading, _WIDTH)}\n{fence}\n{body}\n{fence}"

    def _body(self, stretch: Lines) -> str:
        text = self.answer.display
        return "\n".join([text.get(number, "") for number in range(stretch[0], stretch[1] + 1)])


def find_answering_files(
    app: App, question: Question, indexed_state: WorktreeIndexState | None
) -> tuple[list[AnsweringFile], bool]:
    """Return the files that best match a question, and whether one of the first likely answers it.

    The files are best first, with the lines that they have now. ``indexed_state`` is what is known
    of the worktree's index.
    """
    files = repository_search.SearchSources(FileScope(frozenset(("code", "notes"))), False, False)
    best = repository_search.rank_hits(
        app, question, files, mode="hybrid", fusion_method="score", mix_kinds=False
    )
    best = best[: question.limit]
    rarity = repository_search.idf_of_words(app, question.parsed.words)
    relevance = repository_search.relevance_of_best_hits(
        app, question, files, best, mode="hybrid", known_idf=rarity
    )
    hits = [(hit.score, item) for hit, item in best]
    return answering_files_of_hits(
        app, question, indexed_state, hits, term_rarity=rarity
    ), relevance == "good"


def answering_files_of_hits(
    app: App,
    question: Question,
    indexed_state: WorktreeIndexState | None,
    hits: Sequence[tuple[float, HitItem]],
    *,
    term_rarity: repository_search.Rarity | None = None,
) -> list[AnsweringFile]:
    """Return the files of search ``hits`` (score, hit) as ``find_answering_files`` does.

    ``term_rarity`` is the weight (idf) of the question's words, None to look it up.
    """
    now = present_text.update_hits_from_files(app, indexed_state, [item for _, item in hits])
    existing = [
        (score, item)
        for (score, _), item in zip(hits, now.items, strict=True)
        if item is not None and item.start_line is not None
    ]
    pieces = [
        (place, piece)
        for place, (score, item) in enumerate(existing)
        for piece in _pieces(app, item, score, alone=place >= SEVERAL)
    ]
    rare, most = term_rarity or repository_search.idf_of_words(app, question.parsed.words)
    if question.parsed.task:
        more, _ = repository_search.idf_of_words(app, question.parsed.task.words)
        rare = {**more, **rare}
    related = explicit_files.related_code_word_idf(app, question.parsed)
    # The rarer a word of the question, the more it counts; related words of the code count less.
    telling = {word: best_piece.RELATED * value for word, value in related.items()}
    telling |= {word: value for word, value in rare.items() if value < most}
    found_in = _redact_all([piece for _, piece in pieces])
    chosen = spans.choose_line_spans(found_in, telling)
    own: list[list[tuple[ScoredChunk, list[LineSpan]]]] = [[] for _ in existing]
    for (place, _), piece, piece_spans in zip(pieces, found_in, chosen, strict=True):
        own[place].append((piece, piece_spans))
    answers = [
        _answer(app, item, score, pieces_of_file)
        for (score, item), pieces_of_file in zip(existing, own, strict=True)
    ]
    return [answer for answer in answers if answer.spans]


def _pieces(app: App, item: HitItem, score: float, *, alone: bool) -> list[ScoredChunk]:
    """The best chunk of a file, and unless ``alone`` those that answer nearly as well."""
    first = ScoredChunk(score, item.start_line or 1, item.snippet)
    if EDITED in item.why:
        return [first]
    pieces = [_join_next_chunk(app, item, first)]
    if alone:
        return pieces
    starts = [int(lines.partition("-")[0]) for lines in item.also]
    others = (
        chunks.chunk_texts_by_line(app.store, app.worktree, item.path, starts) if starts else {}
    )
    return pieces + [
        ScoredChunk(score * ALSO, line, others[line]) for line in starts if line in others
    ]


def _join_next_chunk(app: App, item: HitItem, piece: ScoredChunk) -> ScoredChunk:
    """A chunk of few lines, such as the head of a block, joined with the one that follows it."""
    count = piece.text.count("\n") + 1
    if count >= spans.THINNEST:
        return piece
    follows = piece.start + count
    head = chunks.chunk_at_line(app.store, app.worktree, item.path, follows)
    if head is None or head.start_line != follows:
        return piece
    text = chunks.chunk_texts(app.store, [head.id])[head.id]
    return replace(piece, text=f"{piece.text}\n{text}")


def _answer(
    app: App, item: HitItem, score: float, pieces: Sequence[tuple[ScoredChunk, list[LineSpan]]]
) -> AnsweringFile:
    """A file with the spans of its chunks, best first."""
    texts: dict[int, str] = {}
    ranked = []
    around = _symbols(app, item)
    for piece, chosen in pieces:
        lines = piece.text.split("\n")
        texts.update(enumerate(lines, piece.start))
        within = piece.start, piece.start + len(lines) - 1
        for span in chosen:
            wide = spans.widen_span_to_symbol(span, around, within, MAX_LINES)
            wide = spans.extend_short_span(wide, within)
            ranked.append((-span.weight * piece.score, span, wide))
    ranked.sort(key=lambda candidate: (candidate[0], candidate[1].first))
    item = replace(item, context=_redact(item.context))
    best = tuple((span, wide) for _, span, wide in ranked[:MAX_SPANS])
    longest = _MAX_LINE_LENGTH
    long = {at: f"{line[: longest - 1]}…" for at, line in texts.items() if len(line) > longest}
    return AnsweringFile(item, score, texts, best, {**texts, **long} if long else texts)


def fit_lines_to_budget(
    answers: Sequence[AnsweringFile], max_tokens: int, count_tokens: Callable[[str], int]
) -> list[ShownFileLines]:
    """Return the lines of the files to show within ``max_tokens``, the best file first.

    The best range of every file comes first, then more of the best ones; no file takes more than
    ``MAX_FILE_FRACTION`` (0.4) of the tokens. ``count_tokens`` counts those of a text.
    """
    shown: dict[int, ShownFileLines] = {}
    left, cost_of = max_tokens, _cost_counter(count_tokens)
    for place, answer in enumerate(answers):
        short = ShownFileLines(answer, (_first_lines(answer),))
        cost = cost_of(short)
        if cost <= min(left, MAX_FILE_FRACTION * max_tokens):
            shown[place] = short
            left -= cost
    for place, before in list(shown.items()):
        own = cost_of(before)
        if left < _MIN_ROOM:
            break
        for more in dict.fromkeys(_wider_choices(answers[place])):
            grown = ShownFileLines(answers[place], more)
            # A text that is certainly too long is not counted: counting takes most of the time.
            if own * len(grown.as_markdown) > _SURELY * len(before.as_markdown) * (left + own):
                continue
            cost = cost_of(grown)
            if cost - own <= left and cost <= MAX_FILE_FRACTION * max_tokens:
                shown[place] = grown
                left -= cost - own
                break
    parts = [_split_best(shown[place]) for place in sorted(shown)]
    return [first for first, *_ in parts] + [range_ for _, *further in parts for range_ in further]


def _cost_counter(count: Callable[[str], int]) -> Callable[[ShownFileLines], int]:
    """A cached count of the tokens of a file's lines; each range is formatted and counted once."""
    token_counts: dict[tuple[str, tuple[Lines, ...]], int] = {}

    def tokens_of_lines(shown: ShownFileLines) -> int:
        total = 0
        for part in _split_best(shown):
            key = part.answer.item.path, part.lines
            if key not in token_counts:
                token_counts[key] = count(part.as_markdown) + 1
            total += token_counts[key]
        return total

    return tokens_of_lines


def _split_best(shown: ShownFileLines) -> list[ShownFileLines]:
    """The range with the best span, and the others, if there are any."""
    best = shown.answer.spans[0][0].peak
    first = next((line for line in shown.lines if line[0] <= best <= line[1]), shown.lines[0])
    others = tuple(line for line in shown.lines if line != first)
    return [replace(shown, lines=lines) for lines in ((first,), others) if lines]


def _first_lines(answer: AnsweringFile) -> Lines:
    """A few lines of the best span, from the line above its best one."""
    best, wide = answer.spans[0]
    first = max(best.first, best.peak - 1)
    last = min(best.last, first + FIRST_LINES - 1)
    while first < last and not answer.known.get(first, "").strip():
        first += 1
    while last > first and not answer.known.get(last, "").strip():
        last -= 1
    return spans.extend_short_span((first, last), wide)


def _wider_choices(answer: AnsweringFile) -> list[tuple[Lines, ...]]:
    """Other choices of lines, the longest first: spans with the symbols around them, or alone."""
    wide = [around for _, around in answer.spans]
    bare = [
        spans.extend_short_span((span.first, span.last), around) for span, around in answer.spans
    ]
    return [
        _merge_ranges(wide),
        _merge_ranges([wide[0], *bare[1:]]),
        _merge_ranges(wide[:1]),
        _merge_ranges(bare),
    ]


def _merge_ranges(stretches: Sequence[Lines]) -> tuple[Lines, ...]:
    """The ranges in order, adjacent and overlapping ones merged."""
    joined: list[Lines] = []
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return tuple(joined)


def _symbols(app: App, item: HitItem) -> tuple[Lines, ...]:
    """The line ranges of a file's definitions; none for an edited file, where they have moved."""
    if EDITED in item.why or item.kind != "code":
        return ()
    return tuple(sorted(symbols.definition_line_ranges(app.store, app.worktree, item.path)))


def _redact_all(pieces: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """The chunks without secrets.

    Scanning them together costs half and finds as much; each is redacted alone only after a find.
    """
    clean = _redact if redact("\n\n".join(piece.text for piece in pieces)).found else make_printable
    return [replace(piece, text=clean(piece.text)) for piece in pieces]


def _redact(text: str) -> str:
    """Redacted again: the stored file was redacted by the rules of that time."""
    return make_printable(redact(text).text)
