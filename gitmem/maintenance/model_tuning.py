"""Tuning the model to one repository: learned from its own words, judged by its newest commits.

What is learned is a map of questions' vectors (``embedding.question_map``). It comes into use only
where the newest fifth of the commits, which it did not see, find their files better than before,
surely, and where documentation that it did not see finds its definition no worse.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import pairwise

from gitmem.app import App
from gitmem.embedding import base, tuning
from gitmem.embedding.question_map import QuestionMap
from gitmem.errors import InvalidInput, NotFound
from gitmem.files import atomic_write
from gitmem.indexing import question_maps, text_vectors
from gitmem.languages.index import PROSE
from gitmem.maintenance import settings_file
from gitmem.model.frozen import dataclass, replace
from gitmem.search import file_kinds
from gitmem.store.code import tuning_rows
from gitmem.store.code.tuning_rows import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

# A commit that changed more files is about none of them; a subject of two words says little.
MOST_FILES, LEAST_WORDS = 5, 3
# Commits that are learned from and asked at most, and without which nothing can be told.
MOST_COMMITS, MOST_ASKED, LEAST_ASKED = 4_000, 400, 40
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning came to. ``version`` is in use from now on (0: the model as it came).

    ``why`` says why nothing changed, and is empty where a new version is in use. ``learned`` counts
    pairs by where they are from. Scores are NDCG@10 of the meaning alone: of ``asked`` commits by
    their subjects ``before`` and ``after``, with the 95 % interval of the difference, and of
    ``documented`` pieces of documentation.
    """

    version: int
    why: str = ""
    learned: dict[str, int] | None = None
    asked: int = 0
    before: float = 0.0
    after: float = 0.0
    least: float = 0.0
    most: float = 0.0
    documented: int = 0
    documented_before: float = 0.0
    documented_after: float = 0.0


@dataclass(frozen=True, slots=True)
class _Pair:
    source: str
    text: str
    answers: tuple[int, ...]


def tune(app: App) -> Tuned:
    """Learn a map, judge it, and use it if it is better. Raises InvalidInput, Unavailable."""
    store = app.store  # opened first: with it the project's settings are known
    embedder = text_vectors.model(app)
    if embedder.provider != "builtin":
        raise InvalidInput(
            "Only the built-in model can be tuned.", "Go back to it: gitmem model use builtin"
        )
    now = app.settings.number(question_maps.SETTING)
    pieces = tuning_rows.pieces(store, app.worktree, base.identity(embedder))
    commits = _telling(app, pieces)
    asked = commits[-min(len(commits) // 5, MOST_ASKED) :] if len(commits) >= 5 else []
    if len(asked) < LEAST_ASKED:
        return Tuned(
            now,
            f"{len(commits)} indexed commits tell which files of today they are about; "
            f"{5 * LEAST_ASKED} are needed to know whether a tuned model is better",
        )
    documents = [*_documented(app, pieces), *_headed(pieces)]
    kept_back = documents[::5]
    learned = [*commits[: -len(asked)], *(one for at, one in enumerate(documents) if at % 5)]
    made, told = _judged(embedder, pieces, learned, asked, kept_back)
    if told.why:
        return replace(told, version=now)
    version = _kept(app, made.content())
    settings_file.use(app, question_maps.SETTING, version)
    return replace(told, version=version)


def go_back(app: App, *, off: bool) -> Tuned:
    """Use the version before the one in use, or with ``off`` the model as it came.

    Raises NotFound where none is in use.
    """
    app.store  # noqa: B018 - with it the project's settings are known
    now = app.settings.number(question_maps.SETTING)
    if not now:
        raise NotFound("No tuned model is in use.", "Make one: gitmem model tune")
    older = [version for version in versions(app) if version < now]
    version = 0 if off or not older else max(older)
    settings_file.use(app, question_maps.SETTING, version or None)
    return Tuned(version)


def versions(app: App) -> list[int]:
    """The versions that lie beside the store, the oldest first."""
    with suppress(OSError):
        names = os.listdir(question_maps.folder(app))
        return sorted(
            int(name[:-4]) for name in names if name[:-4].isdigit() and name[-4:] == ".map"
        )
    return []


def _kept(app: App, content: bytes) -> int:
    version = max([0, *versions(app)]) + 1
    os.makedirs(question_maps.folder(app), exist_ok=True)
    atomic_write.replace(question_maps.place(app, version), content)
    question_maps.note_made(app, version, content)
    return version


def _telling(app: App, pieces: list[Piece]) -> list[_Pair]:
    """The commits that say what some sources of today are about, the oldest first.

    Which tests, changelogs and manifests change along says nothing of what is asked for: learned
    from these too, the newest commits found more and later questions did not (docs/benchmarks.md).
    """
    of_path: dict[str, list[int]] = {}
    for at, piece in enumerate(pieces):
        if piece.language not in PROSE and not file_kinds.kinds(piece.path, piece.language):
            of_path.setdefault(piece.path, []).append(at)
    found = []
    for subject, paths in tuning_rows.history(app.store)[-MOST_COMMITS:]:
        there = [path for path in paths if path in of_path]
        words = subject.split()
        if 1 <= len(there) <= len(paths) <= MOST_FILES and len(words) >= LEAST_WORDS:
            answers = tuple(at for path in there for at in of_path[path])
            found.append(_Pair("commits", subject, answers))
    return found


def _documented(app: App, pieces: list[Piece]) -> list[_Pair]:
    """What is said of a definition, and the piece that it begins in."""
    of_blob: dict[int, list[int]] = {}
    for at, piece in enumerate(pieces):
        of_blob.setdefault(piece.blob, []).append(at)
    found = []
    for blob, line, said in tuning_rows.documented(app.store, app.worktree):
        first = said.strip().partition("\n\n")[0][:_LONGEST]
        if len(first.split()) < LEAST_WORDS:
            continue
        there = [
            one
            for one in of_blob.get(blob, ())
            if pieces[one].start_line <= line <= pieces[one].end_line
        ]
        found += [_Pair("documentation", first, (at,)) for at in there[:1]]
    return found


def _headed(pieces: list[Piece]) -> list[_Pair]:
    """Headings of documents, and what stands below them."""
    return [
        _Pair("headings", piece.context[:_LONGEST], (at,))
        for at, piece in enumerate(pieces)
        if piece.language in PROSE and len(piece.context.split()) >= LEAST_WORDS
    ]


def _judged(
    embedder: Embedder,
    pieces: list[Piece],
    learned: list[_Pair],
    asked: list[_Pair],
    kept_back: list[_Pair],
) -> tuple[QuestionMap, Tuned]:
    """The map, and what became of questions that it did not see."""
    told = tuning.units([piece.vector for piece in pieces])
    questions = tuning.units(embedder.embed([one.text for one in learned], query=True))
    # Of all that a commit changed, what is most alike already.
    right = [
        one.answers[int((told[list(one.answers)] @ questions[at]).argmax())]
        for at, one in enumerate(learned)
    ]
    found = tuning.learn(questions, told[right], told)
    made = tuning.as_map(found, base.identity(embedder), questions, told)
    owners = _numbered([piece.path for piece in pieces])

    def scores(pairs: list[_Pair]) -> tuple[tuning.Matrix, tuning.Matrix]:
        plain = embedder.embed([pair.text for pair in pairs], query=True)
        wanted = [{owners[at] for at in pair.answers} for pair in pairs]
        before, after = (
            tuning.gains(tuning.units(some), told, owners, wanted)
            for some in (plain, [made.mapped(one) for one in plain])
        )
        return before, after

    before, after = scores(asked)
    least, most = tuning.interval(after - before)
    why = "" if least > 0 else "the newest commits do not surely find their files better"
    documented = kept_back[:MOST_ASKED]
    docs = (0.0, 0.0)
    if documented:
        plain, mapped = scores(documented)
        docs = float(plain.mean()), float(mapped.mean())
        if tuning.interval(mapped - plain)[1] < 0:
            why = why or "documentation finds its definitions less well"
    count = {source: sum(one.source == source for one in learned) for source in _SOURCES}
    return made, Tuned(
        version=0,
        why=why,
        learned=count,
        asked=len(asked),
        before=float(before.mean()),
        after=float(after.mean()),
        least=least,
        most=most,
        documented=len(documented),
        documented_before=docs[0],
        documented_after=docs[1],
    )


_SOURCES = ("commits", "documentation", "headings")


def _numbered(paths: list[str]) -> list[int]:
    """The number of each path, in the order in which they come: equal ones stand together."""
    numbers = [0]
    for one, following in pairwise(paths):
        numbers.append(numbers[-1] + (one != following))
    return numbers
