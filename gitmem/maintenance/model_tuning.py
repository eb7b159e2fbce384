"""Tuning the built-in model to a repository: learning from its texts, testing on new commits.

A map of questions' vectors is learned (``embedding.question_map``). It is used only if the newest
fifth of the commits, which was held out, finds its files significantly better, and held-out
documentation finds its definitions no worse.
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
from gitmem.store.code.tuning_rows import ChunkVector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

# A commit with more files is about none of them; a shorter subject says little.
MAX_FILES, MIN_WORDS = 5, 3
# The most commits to learn from and to test with, and the fewest to test with.
MAX_COMMITS, MAX_TESTED, MIN_TESTED = 4_000, 400, 40
_MAX_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class ModelTuningResult:
    """The result of tuning the embedding model; ``version`` is in use now (0: the untuned model).

    ``why`` says why nothing changed. ``learned`` counts training pairs by source. Scores are
    NDCG@10 (0 to 1) of searches by meaning: ``before`` and ``after`` for ``asked`` commit subjects,
    with the 95 % interval of the difference (``least``, ``most``), and for ``documented`` pieces of
    documentation.
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


def tune_embedding_model(app: App) -> ModelTuningResult:
    """Tune the built-in embedding model to this repository; use the result if it is better.

    Raises InvalidInput if another model is in use, and Unavailable.
    """
    store = app.store  # opening it makes the project's settings known
    embedder = text_vectors.configured_embedder(app)
    if embedder.provider != "builtin":
        raise InvalidInput(
            "Only the built-in model can be tuned.", "Go back to it: gitmem model use builtin"
        )
    now = app.settings.number(question_maps.SETTING)
    pieces = tuning_rows.chunks_with_vectors(store, app.worktree, base.model_identity(embedder))
    commits = _commit_pairs(app, pieces)
    held_out = commits[-min(len(commits) // 5, MAX_TESTED) :] if len(commits) >= 5 else []
    if len(held_out) < MIN_TESTED:
        return ModelTuningResult(
            now,
            f"{len(commits)} indexed commits tell which files of today they are about; "
            f"{5 * MIN_TESTED} are needed to know whether a tuned model is better",
        )
    documents = [*_documentation_pairs(app, pieces), *_heading_pairs(pieces)]
    held_back = documents[::5]
    learned = [*commits[: -len(held_out)], *(pair for at, pair in enumerate(documents) if at % 5)]
    made, result = _learn_and_judge(embedder, pieces, learned, held_out, held_back)
    if result.why:
        return replace(result, version=now)
    version = _save(app, made.to_bytes())
    settings_file.save_and_apply_setting(app, question_maps.SETTING, version)
    return replace(result, version=version)


def use_previous_tuned_model(app: App, *, use_untuned_model: bool) -> ModelTuningResult:
    """Go back to the tuned version before the current one, or with ``use_untuned_model`` to none.

    Raises NotFound if no tuned version is in use.
    """
    app.store  # noqa: B018 - opening it makes the project's settings known
    now = app.settings.number(question_maps.SETTING)
    if not now:
        raise NotFound("No tuned model is in use.", "Make one: gitmem model tune")
    older = [version for version in tuned_model_versions(app) if version < now]
    version = 0 if use_untuned_model or not older else max(older)
    settings_file.save_and_apply_setting(app, question_maps.SETTING, version or None)
    return ModelTuningResult(version)


def tuned_model_versions(app: App) -> list[int]:
    """Return the version numbers of the tuned models of this repository, oldest first."""
    with suppress(OSError):
        names = os.listdir(question_maps.question_maps_folder_path(app))
        return sorted(
            int(name[:-4]) for name in names if name[:-4].isdigit() and name[-4:] == ".map"
        )
    return []


def _save(app: App, content: bytes) -> int:
    version = max([0, *tuned_model_versions(app)]) + 1
    os.makedirs(question_maps.question_maps_folder_path(app), exist_ok=True)
    atomic_write.replace_file(question_maps.question_map_path(app, version), content)
    question_maps.save_question_map_checksum(app, version, content)
    return version


def _commit_pairs(app: App, pieces: list[ChunkVector]) -> list[_Pair]:
    """Pairs of a commit's subject and the pieces of its files, oldest first.

    Without tests, changelogs and manifests: learned from these too, the newest commits found more,
    but later questions did not (docs/benchmarks.md).
    """
    of_path: dict[str, list[int]] = {}
    for at, piece in enumerate(pieces):
        if piece.language not in PROSE and not file_kinds.kinds_of_file(piece.path, piece.language):
            of_path.setdefault(piece.path, []).append(at)
    pairs = []
    for subject, paths in tuning_rows.commit_subjects(app.store)[-MAX_COMMITS:]:
        present_paths = [path for path in paths if path in of_path]
        words = subject.split()
        if 1 <= len(present_paths) <= len(paths) <= MAX_FILES and len(words) >= MIN_WORDS:
            answers = tuple(at for path in present_paths for at in of_path[path])
            pairs.append(_Pair("commits", subject, answers))
    return pairs


def _documentation_pairs(app: App, pieces: list[ChunkVector]) -> list[_Pair]:
    """Pairs of a definition's documentation and the piece that it begins in."""
    of_blob: dict[int, list[int]] = {}
    for at, piece in enumerate(pieces):
        of_blob.setdefault(piece.blob, []).append(at)
    pairs = []
    for blob, line, text in tuning_rows.documented_definitions(app.store, app.worktree):
        first = text.strip().partition("\n\n")[0][:_MAX_CHARACTERS]
        if len(first.split()) < MIN_WORDS:
            continue
        there = [
            at_piece
            for at_piece in of_blob.get(blob, ())
            if pieces[at_piece].start_line <= line <= pieces[at_piece].end_line
        ]
        pairs += [_Pair("documentation", first, (at,)) for at in there[:1]]
    return pairs


def _heading_pairs(pieces: list[ChunkVector]) -> list[_Pair]:
    return [
        _Pair("headings", piece.context[:_MAX_CHARACTERS], (at,))
        for at, piece in enumerate(pieces)
        if piece.language in PROSE and len(piece.context.split()) >= MIN_WORDS
    ]


def _learn_and_judge(
    embedder: Embedder,
    pieces: list[ChunkVector],
    learned: list[_Pair],
    held_out: list[_Pair],
    held_back: list[_Pair],
) -> tuple[QuestionMap, ModelTuningResult]:
    """The learned map, and its scores on held-out questions."""
    units = tuning.unit_vectors([piece.vector for piece in pieces])
    questions = tuning.unit_vectors(embedder.embed([pair.text for pair in learned], is_query=True))
    # Of the pieces that a commit changed, the one that is most similar already.
    right = [
        pair.answers[int((units[list(pair.answers)] @ questions[at]).argmax())]
        for at, pair in enumerate(learned)
    ]
    learnt = tuning.learn_question_map(questions, units[right], units)
    question_map = tuning.make_question_map(learnt, base.model_identity(embedder), questions, units)
    owners = _number_paths([piece.path for piece in pieces])

    def ndcg_before_and_after(pairs: list[_Pair]) -> tuple[tuning.Matrix, tuning.Matrix]:
        plain = embedder.embed([pair.text for pair in pairs], is_query=True)
        relevant = [{owners[at] for at in pair.answers} for pair in pairs]
        before, after = (
            tuning.scores_by_question(tuning.unit_vectors(some), units, owners, relevant)
            for some in (plain, [question_map.map_vector(vector) for vector in plain])
        )
        return before, after

    before, after = ndcg_before_and_after(held_out)
    least, most = tuning.bootstrap_confidence_interval(after - before)
    why = "" if least > 0 else "the newest commits do not surely find their files better"
    documented = held_back[:MAX_TESTED]
    docs = (0.0, 0.0)
    if documented:
        plain, mapped = ndcg_before_and_after(documented)
        docs = float(plain.mean()), float(mapped.mean())
        if tuning.bootstrap_confidence_interval(mapped - plain)[1] < 0:
            why = why or "documentation finds its definitions less well"
    count = {source: sum(pair.source == source for pair in learned) for source in _SOURCES}
    return question_map, ModelTuningResult(
        version=0,
        why=why,
        learned=count,
        asked=len(held_out),
        before=float(before.mean()),
        after=float(after.mean()),
        least=least,
        most=most,
        documented=len(documented),
        documented_before=docs[0],
        documented_after=docs[1],
    )


_SOURCES = ("commits", "documentation", "headings")


def _number_paths(paths: list[str]) -> list[int]:
    """A number for each path; equal paths, which are neighbours, get the same one."""
    numbers = [0]
    for path, following in pairwise(paths):
        numbers.append(numbers[-1] + (path != following))
    return numbers
