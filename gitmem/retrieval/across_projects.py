"""Asking several of the user's projects the same; the stores of others are only read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gitmem.app import App
from gitmem.branches import other_projects, reading_app
from gitmem.errors import GitmemError, InvalidInput
from gitmem.model.frozen import replace
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

T = TypeVar("T")
R = TypeVar("R", bound=Any)
H = TypeVar("H", HitItem, MemoryItem)
# Hits of each project, and characters of a note.
MOST, _WIDTH = 5, 1000


def run_in_projects(
    app: App, project_names: Sequence[str], action: Callable[[App], T]
) -> tuple[dict[str, T], tuple[str, ...]]:
    """(label -> what ``action`` returns in that project, a sentence on each project left out).

    ``project_names`` are the projects to run in, ``all`` stands for each; a label is a project's
    name, or its folder if several have that name. Raises NotFound or Conflict for a wrong name, and
    InvalidInput where no project accepts the request.
    """
    chosen, barred = other_projects.select_projects(app, project_names)
    here = other_projects.root_of_current_project(app)
    results: dict[str, T] = {}
    notes, refused = [], []
    for label, root in chosen.items():
        try:
            results[label] = (
                action(app)
                if root == here
                else reading_app.run_with_read_only_app(app, root, action)
            )
        except GitmemError as error:
            if isinstance(error, InvalidInput):
                refused.append(error)
            notes.append(one_line(f"{label} was left out: {error.as_sentences()}", _WIDTH))
    if refused and not results:
        raise refused[0]
    if barred:
        notes.append(f"{quantity(barred, 'project')} not asked. {other_projects.HOW}")
    if not chosen:
        notes.append("There is no project to ask: `gitmem init` sets one up.")
    return results, tuple(notes)


def limit_request_per_project(request: R) -> R:
    """The request as it is put to each of several projects: for at most five hits.

    Raises InvalidInput for --offset: pages of several lists do not fit together.
    """
    if request.offset:
        raise InvalidInput("--offset does not go with --projects.", "Ask one project: -P NAME.")
    return replace(request, projects=(), limit=min(request.limit or MOST, MOST))


def merge_hits_by_score(hits_by_project: Mapping[str, Sequence[H]]) -> tuple[H, ...]:
    """The hits of all projects in one list, each with its project's label, highest score first."""
    hits = [replace(hit, project=label) for label, some in hits_by_project.items() for hit in some]
    # Scores are comparable: each is 0 to about 1 by the words and cosines of one hit alone.
    return tuple(sorted(hits, key=lambda hit: -(hit.score or 0.0)))


def merge_result_notes(results: Mapping[str, Any]) -> tuple[str, ...]:
    """The ``notes`` (sentences for the user) of all projects' results, each once."""
    return tuple({note: None for made in results.values() for note in made.notes})
