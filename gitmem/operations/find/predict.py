"""The files that are probably needed next, so that an agent reads them before it has to ask."""

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import next_files
from gitmem.sessions import viewed_files
from gitmem.sessions.current_session import current_session
from gitmem.text.fence import one_line
from gitmem.timeline.prediction import PredictedFile


@dataclass(frozen=True, slots=True)
class PredictFilesRequest:
    """Arguments of `gitmem predict`: the open file and a question (empty: the session's)."""

    path: Annotated[
        str, positional_arg("The file you are at (default: the session's)", path_kind="path")
    ] = ""
    query: Annotated[str, Arg("What you want to know (default: the session's last question)")] = ""


@dataclass(frozen=True, slots=True)
class PredictedFiles:
    """At most ten files, the likeliest first, and the ``path`` they were predicted from."""

    path: str
    query: str
    files: tuple[PredictedFile, ...]


def predict_next_files(app: App, request: PredictFilesRequest) -> PredictedFiles:
    """Predict which files are needed next.

    Listed are files that in earlier sessions were viewed within five minutes of the open file or
    after similar questions, files that it imports, and files that changed in the same commits.
    """
    running = current_session(app)
    path = request.path or (running.active_file if running else "")
    query = request.query or (viewed_files.last_session_question(app, running) if running else "")
    if not (path or query.strip()):
        raise InvalidInput("There is no file to start from.", "Give one: gitmem predict src/app.py")
    return PredictedFiles(path, query, tuple(next_files.predict_next_files(app, path, query)))


def view(result: PredictedFiles) -> str:
    """Return the text to print: a line for each predicted file."""
    if not result.files:
        return "Nothing to predict from: no session, commit or import names another file."
    width = max(len(file.path) for file in result.files)
    return "\n".join(
        f"{one_line(file.path, 100):<{min(width, 100)}}  {file.score:.2f}  {', '.join(file.why)}"
        for file in result.files
    )


PREDICT = Operation("predict", predict_next_files, view, READ, "src/app.py", tool="predict")
