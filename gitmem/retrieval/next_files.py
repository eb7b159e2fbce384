"""Predicting the files needed next, from views, questions, imports and common changes."""

from gitmem.app import App
from gitmem.code_relations import file_links
from gitmem.model.session import QUERY
from gitmem.search.question import parse_question
from gitmem.store.code import chunks, commits
from gitmem.store.session import sessions
from gitmem.text.stem import stem
from gitmem.timeline import co_change, prediction
from gitmem.timeline.prediction import PredictedFile

SESSIONS, QUESTIONS, COMMITS = 50, 300, 500


def predict_next_files(app: App, path: str, question: str = "") -> list[PredictedFile]:
    """The files likely needed next to ``path`` or for a question, best first (PredictedFile)."""
    store, tree = app.store, app.worktree
    known = [other for other, _ in chunks.paths_and_languages(store, tree)]
    views = [
        (session.id, other, at)
        for session in sessions.recent_sessions(store, SESSIONS)
        for other, at in sessions.files_viewed_since(store, session.id, 0, sessions.MOST_FILES)
    ]
    votes = {"viewed together": prediction.co_view_fractions(path, views)}
    if question:
        queries = [
            (event.session, _words(event.text), event.at)
            for event in sessions.events_in_period(store, types=(QUERY,), limit=QUESTIONS)
        ]
        votes["asked alike"] = prediction.files_viewed_after_similar_questions(
            _words(question), queries, views
        )
    if path:
        votes["imports"] = {link.path: 1.0 for link in file_links.imports_of_file(app, path)}
        log = commits.commits_of_path(store, path, COMMITS)
        votes["changed together"] = co_change.co_change_likelihoods(
            path, [commit.paths for commit in log]
        )
    return prediction.rank_predicted_files(votes, [other for other in known if other != path])


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(word.lower()) for word in parse_question(text).words)
