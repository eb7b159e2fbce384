"""A question as all sources of a search get it, and the files in scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import prod

from gitmem.languages.index import PROSE
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval.hit_view import HitItem
from gitmem.search import file_kinds, query
from gitmem.search.fusion import FusionCandidate
from gitmem.search.profiles import PROFILES, RankingProfile
from gitmem.search.question import ParsedQuestion

EVEN: Mapping[str, float] = {}
Within = Collection[int] | None
Candidates = list[tuple[FusionCandidate, HitItem]]
Similar = Callable[[str, list[int], Within], Mapping[int, float]]
# Factor -> its description on screens.
_WHY = {
    "past": "a commit where none is asked for",
    "verb": "does what is asked about",
    "age": "by its age",
    "weight": "by its weight",
    "profile": "by the profile",
    "standing": "by its standing",
    "turn": "by its turn in the talk",
    "feedback": "by feedback",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question prepared for a search, to be answered by words (``lexical``), ``meaning`` or both.

    ``similar(source, rows, within)`` gives row number -> cosine: of ``rows`` and of the rows
    nearest to the question, all from ``within`` (None: any); ``reaching(limit)`` makes such a
    function for another limit. ``limit`` is the number of hits, ``near`` the file the user is in,
    ``viewed`` are files beside those of the session, ``without`` are parts of the ranking to leave
    out, ``profile`` is a name in ``search.profiles``. ``per_path`` is the greatest number of hits
    of a file, ``shares`` the weight of the cosine by source. ``lacks`` says why meaning does not
    count although requested; ``model`` identifies the model, which took ``model_ms`` milliseconds.
    ``distant``: texts without a common word count too.
    """

    parsed: ParsedQuestion
    terms: tuple[query.QueryTerm, ...]
    similar: Similar
    limit: int
    lexical: bool
    meaning: bool
    near: str = ""
    profile: str = "default"
    without: frozenset[str] = frozenset()
    viewed: frozenset[str] = frozenset()
    reaching: Callable[[int], Similar] | None = None
    per_path: int = 1
    shares: Mapping[str, float] = EVEN
    lacks: str = ""
    model: str = ""
    model_ms: float = 0.0
    distant: bool = False

    def with_limit(self, limit: int) -> Question:
        """The same question, to be answered with ``limit`` hits."""
        similar = self.similar if self.reaching is None else self.reaching(limit)
        return replace(self, limit=limit, similar=similar)

    def cache_key(self, worktree_path: str, scope: FileScope) -> tuple[object, ...]:
        """A key for caching which files of the worktree match the question."""
        legs = (self.lexical, self.meaning, self.model, self.limit)
        return (worktree_path, self.parsed.text, legs, self.without, scope)

    @property
    def ranking_profile(self) -> RankingProfile:
        """The RankingProfile (weights of the ranking) that the question's ``profile`` names."""
        return PROFILES[self.profile]

    @property
    def file_kind_factors(self) -> dict[str, float]:
        """Kind of file (such as docs) -> the factor by which the question multiplies its rank."""
        return {**file_kinds.FACTORS, **dict(self.ranking_profile.factors)}

    def make_candidate(
        self,
        key: tuple[str, int],
        lexical_score: float,
        similarity: float | None,
        labels: Collection[str],
        factors: Mapping[str, float],
        notes: tuple[str, ...] = (),
    ) -> FusionCandidate:
        """A matching row as a candidate for ranking; ``key`` is its (source, row number).

        ``lexical_score`` is its score by words (0 to 1), ``similarity`` its cosine or None,
        ``labels`` the terms that match. ``factors`` maps names such as ``age`` to factors, whose
        product is its boost; its notes are ``notes``, and one for each factor other than 1.
        """
        raised = (f"{_WHY[name]} x{value:.2f}" for name, value in factors.items() if value != 1)
        held = {label.lower() for label in labels}
        phrases = {phrase.lower() for phrase in self.parsed.phrases}
        return FusionCandidate(
            key=key,
            lexical=lexical_score,
            similarity=similarity,
            boost=prod(factors.values()),
            cosine_weight=self.shares.get(key[0]),
            notes=(*notes, *raised),
            explicit=self.parsed.requires_phrases and bool(phrases) and phrases <= held,
        )


@dataclass(frozen=True, slots=True)
class FileScope:
    """Which files to search: ``kinds`` (code, notes or both), ``path`` (glob or folder), languages.

    ``only`` is source or a kind of ``search.file_kinds``; ``not_path`` are globs or folders to
    exclude, ``endings`` are endings of file names, in lower case with a dot. Empty: any.
    """

    kinds: frozenset[str]
    path: str = ""
    languages: frozenset[str] = frozenset()
    only: str = ""
    not_path: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()

    @property
    def excludes_files(self) -> bool:
        """Whether some files are excluded by name, path or language."""
        return bool(self.path or self.languages or self.only or self.not_path or self.endings)

    @property
    def is_unrestricted(self) -> bool:
        """Whether no filter is set, so that every file is in scope."""
        return {"code", "notes"} <= self.kinds and not self.excludes_files

    @property
    def has_several_kinds(self) -> bool:
        """Whether the scope has both code and notes, whose hits are then ranked together."""
        return {"code", "notes"} <= self.kinds and not self.only

    def matches_path(self, path: str) -> bool:
        """Whether a path matches the scope's filter ``path``."""
        return not self.path or _fits(path, self.path)

    def contains_file(self, path: str, language: str) -> bool:
        """Whether a file is in scope."""
        return (
            ("notes" if language in PROSE else "code") in self.kinds
            and (not self.languages or language in self.languages)
            and self.matches_path(path)
            and (not self.only or _is(path, language, self.only))
            and (not self.endings or path.lower().endswith(self.endings))
            and not any(_fits(path, pattern) for pattern in self.not_path)
        )


def _fits(path: str, pattern: str) -> bool:
    """Whether a path matches a glob, or literally: names may contain brackets."""
    from gitmem.text import globs  # noqa: PLC0415 - for whoever gives a pattern

    plain = pattern.rstrip("/")
    return path == plain or path.startswith(plain + "/") or globs.path_matches_glob(path, pattern)


def _is(path: str, language: str, only: str) -> bool:
    kinds = file_kinds.kinds_of_file(path, language)
    return only in kinds if only != "source" else not kinds
