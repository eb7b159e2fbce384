"""Formatting the hits of a search as JSON and as text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from gitmem.clock import format_iso
from gitmem.git.display import display_path
from gitmem.memory import trust
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval.memory_view import parse_memory_metadata, project_label
from gitmem.search import copies, fusion
from gitmem.search.matched_words import words_in_text
from gitmem.search.snippet import best_line_with_context, choose_snippet
from gitmem.text.fence import join_lines, make_printable, one_line
from gitmem.text.redact import redact

WIDTH = 100
# The fewest characters of a name or heading.
_TELLING = 40
# The most characters of a path with its lines.
LONGEST_PLACE = 400
# The name part of "class Cart(Base)" or "def add(self, item".
_HEAD = re.compile(r"[^({:<=]*")
_FACTORS = frozenset(("kind", "boost"))
# Redacted texts of up to this many characters are cached.
_REMEMBERED = 8192
_redacted = lru_cache(maxsize=256)(redact)


@dataclass(frozen=True, slots=True)
class DefinitionItem:
    """A definition in code, with its plain kind: class, function, method, ....

    ``signature`` is its declaration on one line, ``doc`` the start of its documentation; lines
    count from 1, both ends included.
    """

    name: str
    kind: str
    signature: str
    doc: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class HitItem:
    """A search hit; ``kind`` is code, note, commit, memory or session. Lines count from 1.

    ``file_kind`` is what a file is shown as: code, docs, test, config, changelog, ....

    ``similarity`` is the cosine or null. ``id`` names a memory or an exchange of a session,
    ``commit`` a commit; ``snippet`` is text with secrets masked. ``also`` are further
    matching lines of the file; ``parts`` are the parts of the score, on request. ``note`` is a
    caution about a memory, such as unreviewed or check first: changed. ``matched`` are words of the
    question in the hit, ``answers`` which of several questions it answers. On request ``content``
    is the whole text of the hit, and ``chunk`` the place of its piece in the file, from 0.
    ``release`` is the first release with a commit, or empty. ``language`` is that of the file,
    ``definition`` what a hit in code shows or is part of; ``weight`` and ``metadata`` are those of
    a memory. ``project`` is the project it comes from, if several were searched.
    """

    kind: str
    path: str = ""
    start_line: int | None = None
    end_line: int | None = None
    symbol: str = ""
    context: str = ""
    commit: str = ""
    id: str = ""
    title: str = ""
    author: str = ""
    at: str | None = None
    score: float = 0.0
    similarity: float | None = None
    snippet: str = ""
    why: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    parts: dict[str, float] | None = None
    note: str = ""
    matched: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    content: str = ""
    release: str = ""
    file_kind: str = ""
    language: str = ""
    definition: DefinitionItem | None = None
    weight: int | None = None
    metadata: dict[str, object] | None = None
    chunk: int | None = None
    project: str = ""


def make_memory_hit(memory: Memory, text: str, notes: Iterable[str]) -> HitItem:
    """A memory as a hit whose snippet is ``text``; empty ``notes`` are left out."""
    return HitItem(
        kind="memory",
        path=" ".join(memory.paths),
        context=memory.kind,
        id=memory.id,
        title=memory.title,
        author=memory.agent,
        at=format_iso(memory.created_at),
        snippet=text,
        note=", ".join(filter(None, (trust.trust_tier_mark(memory.trust_tier), *notes))),
        weight=memory.weight,
        metadata=parse_memory_metadata(memory),
    )


def kind_of_hit(hit: HitItem) -> str:
    """The kind of a hit: for a file docs, test, config, ..., else memory, commit or session."""
    return hit.file_kind or hit.kind


def escape_path(path: str) -> str:
    """The path, with unprintable characters escaped."""
    return path if path.isascii() or path.isprintable() else display_path(path)


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """What to show of a hit: ``lines`` before and after the best one (None: four in all).

    ``content``: its whole text, too; ``explain``: the parts of its score.
    """

    lines: int | None = None
    content: bool = False
    explain: bool = False


def make_displayed_hit(
    item: HitItem,
    ranked_hit: fusion.RankedHit,
    question_words: Sequence[str],
    display: DisplayOptions,
    question: str = "",
) -> HitItem:
    """The hit with score and reasons, secrets masked, and its text cut to the lines that answer.

    ``ranked_hit`` is the ranked hit; lines are chosen by the ``question_words`` of the question in
    it or, if it has none of them, by words related to those of ``question``.
    """
    similarity = ranked_hit.candidate.similarity
    text = (_redacted if len(item.snippet) <= _REMEMBERED else redact)(item.snippet).text
    whole = f"{item.path} {item.symbol} {item.context} {item.title} {text}"
    there = words_in_text(question_words, whole)
    other = () if there or not question else _in_other_words(question, whole)
    labelled = [("matches ", there), ("related words: ", other)]
    matches = [label + ", ".join(held_words) for label, held_words in labelled if held_words]
    labels, lines = there or other or question_words, display.lines
    cut = (
        choose_snippet(text, labels)
        if lines is None
        else best_line_with_context(text, labels, lines)
    )
    return replace(
        item,
        score=ranked_hit.score,
        similarity=None if similarity is None else round(similarity, 4),
        snippet=make_printable(cut),
        content=make_printable(text) if display.content else "",
        context=make_printable(redact(item.context).text),
        title=redact(item.title).text,
        why=(*matches, *ranked_hit.why, *_copied(question, text), *item.why)
        or ("holds none of the words",),
        parts=_parts(ranked_hit) if display.explain else None,
        matched=there,
    )


def _copied(question: str, text: str) -> tuple[str, ...]:
    """Whether a hit is a near copy of pasted code, as a reason."""
    share = copies.copied_fraction(question, text)
    return (f"near copy {share:.2f}",) if share else ()


def _in_other_words(question: str, text: str) -> tuple[str, ...]:
    from gitmem.search.related_words import related_code_words  # noqa: PLC0415 - for few hits

    return words_in_text(related_code_words(question), text)


def _parts(hit: fusion.RankedHit) -> dict[str, float]:

    candidate = hit.candidate
    return {
        **dict(candidate.parts),
        "words": round(candidate.lexical, 4),
        "meaning": round(candidate.similarity or 0.0, 4),
        **dict(hit.ranks),
        "boost": round(candidate.boost, 4),
    }


def mask_secrets_in_hit(item: HitItem) -> HitItem:
    """The hit with secrets masked; ``make_displayed_hit`` does this for hits that are ranked."""
    return replace(
        item,
        snippet=make_printable(redact(item.snippet).text),
        context=make_printable(redact(item.context).text),
    )


def format_hit(hit: HitItem) -> str:
    """The hit as text: a headline, then the parts of its score, if present, and its snippet."""
    shown = [line for line in (hit.content or hit.snippet).split("\n") if line.strip()]
    made = [] if hit.parts is None else [describe_score_parts(hit.parts)]
    answers = [f"    answers: {one_line('; '.join(hit.answers), WIDTH)}"] if hit.answers else []
    return "\n".join(
        [project_label(hit.project) + _headline(hit), *answers, *made, *_indented(shown)]
    )


def _indented(lines: Sequence[str]) -> list[str]:
    """The lines with common indentation replaced by four spaces."""
    widths = [len(line) - len(line.lstrip()) for line in map(_untabbed, lines)]
    least = min(widths, default=0)
    return [
        "    " + " " * min(width - least, WIDTH // 2) + one_line(line, WIDTH - (width - least))
        for line, width in zip(lines, widths, strict=True)
    ]


def _untabbed(line: str) -> str:
    return line.expandtabs(4)


def symbol_or_heading_of_hit(hit: HitItem) -> str:
    """The class and function, or the headings, of a hit; empty if there are none."""
    if hit.kind == "note":
        return hit.context
    outer = _HEAD.match(hit.context)
    names = hit.symbol.split()
    words = set(re.findall(r"\w+", hit.snippet))
    # No pattern is compiled for a plain name.
    shown = [name for name in names if name in words or _is_odd_name_in(name, hit.snippet)]
    inner = (shown or names)[0] if shown or len(names) == 1 else ""
    within = (outer[0].strip() if outer else "").rpartition(" ")[2]
    return ".".join(part for part in dict.fromkeys((within, inner)) if part)


def _is_odd_name_in(name: str, text: str) -> bool:
    """Whether a name such as ``operator+``, which is no word, stands in a text."""
    return bool(re.search(r"\W", name) and re.search(rf"\b{re.escape(name)}\b", text))


def describe_score_parts(score_parts: Mapping[str, float]) -> str:
    """The parts of a score as a line: first the parts that are added, then the factors."""
    labels = [
        f"{name} {'x' * (name in _FACTORS)}{value if isinstance(value, int) else f'{value:.2f}'}"
        for name, value in score_parts.items()
    ]
    return "    = " + ", ".join(labels)


def format_hit_location(hit: HitItem, max_width: int) -> str:
    """Path, lines, further lines and name of a passage, in about ``max_width`` characters.

    Path and lines are never cut. If there is too little room, further lines are left out first.
    """
    lines = f"{hit.start_line}-{hit.end_line}" if hit.start_line != hit.end_line else hit.start_line
    text = one_line(f"{hit.path}:{lines}", LONGEST_PLACE)
    named, further = join_lines(symbol_or_heading_of_hit(hit)), ", ".join(["", *hit.also])
    # The name tells more than where else something stands.
    if len(text) + len(further) + len(named) < max_width:
        text += further
    return f"{text} {one_line(named, max(max_width - len(text) - 1, _TELLING))}" if named else text


def _headline(hit: HitItem) -> str:
    if hit.kind == "commit":
        since = f", since {hit.release}" if hit.release else ""
        text = f"{hit.commit[:10]} {(hit.at or '')[:10]}{since} {hit.author}: {hit.title}"
    elif hit.kind == "memory":
        marked = f" [{hit.note}]" if hit.note else ""
        text = f"{hit.id} {hit.context}{marked}: {hit.title or hit.snippet}"
    elif hit.kind == "session":
        text = f"{hit.id} {(hit.at or '')[:10]} {hit.author}: {hit.title}"
    else:
        why = f"{kind_of_hit(hit)}, {hit.score:.2f}: {'; '.join(hit.why)}"
        return f"{format_hit_location(hit, WIDTH)}  [{why}]"
    return f"{one_line(text, WIDTH)}  [{hit.score:.2f}: {'; '.join(hit.why)}]"
