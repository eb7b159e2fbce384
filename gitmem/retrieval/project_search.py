"""Searching the files of another project of this user, whose store is only read."""

from gitmem.app import App
from gitmem.branches import reading_app
from gitmem.retrieval import hit_view, repository_search
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import FileScope

_FILES = repository_search.SearchSources(FileScope(frozenset(("code", "notes"))), False, False)


def search_project(app: App, project_folder: str, question_text: str, limit: int) -> list[HitItem]:
    """The best hits among the files of another project, at most ``limit`` HitItem values.

    The settings of that project apply. Raises GitmemError if its store cannot be read.
    """

    def best_hits(there: App) -> list[HitItem]:
        question = repository_search.prepare_question(
            there, question_text, limit, mode="hybrid", embed_new_memories=False
        )
        method = there.settings.text("search.fusion")
        best = repository_search.rank_hits(
            there, question, _FILES, mode="hybrid", fusion_method=method
        )
        words, shown = question.parsed.words, hit_view.DisplayOptions()
        return [
            hit_view.make_displayed_hit(item, hit, words, shown, question_text)
            for hit, item in best[:limit]
        ]

    return reading_app.run_with_read_only_app(app, project_folder, best_hits)
