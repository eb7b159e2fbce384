"""A summary of the project, a folder or a file."""

from gitmem.app import App
from gitmem.assembly import file_context, project_summary, query_context
from gitmem.assembly.project_summary import ProjectPart
from gitmem.errors import GitmemError
from gitmem.maintenance import usage
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations.registry import READ, Annotated, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view
from gitmem.store.code import indexed_files
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

# Files of a folder that are summarised one by one.
MOST_FILES = 20
# Tokens for each of them.
OF_EACH = 150
_WIDTH = 160


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """Arguments of `gitmem summary`: a file or folder to describe; empty: the project."""

    path: Annotated[
        str, positional_arg("A file or folder (default: the project)", path_kind="path")
    ] = ""


@dataclass(frozen=True, slots=True)
class ManifestItem:
    """A file of a package manager, such as package.json: the name in it, and its dependencies."""

    path: str
    name: str
    dependencies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileSummaryItem:
    """The summary of a file, and how many tokens it has less than the file."""

    path: str
    summary: str
    tokens_saved: int


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """The summary of the project, a folder or a file.

    ``files`` are those of the folder, or the requested file. ``languages`` and ``folders`` have
    counts of files, lines and bytes. ``architecture`` are memories with the tag architecture:
    ``remember --tag architecture`` adds such a memory, ``revise`` changes it. ``symbols`` counts
    the definitions of a project or folder.
    """

    name: str
    description: str
    total: ProjectPart
    languages: tuple[ProjectPart, ...]
    folders: tuple[ProjectPart, ...]
    manifests: tuple[ManifestItem, ...]
    entry_points: tuple[str, ...]
    architecture: tuple[memory_view.MemoryItem, ...]
    decisions: tuple[memory_view.MemoryItem, ...]
    files: tuple[FileSummaryItem, ...]
    tokens_saved: int
    symbols: int = 0
    test_frameworks: tuple[str, ...] = ()


def summarize_project_or_path(app: App, request: SummaryRequest) -> SummaryResult:
    """Summarise the project, a folder or a file.

    Name, description, languages, sizes, folders, dependencies, entry points, notes on the
    architecture and recent decisions; for files their definitions, in a tenth of their tokens.
    """
    path = "" if request.path == "." else request.path.rstrip("/")
    below = indexed_files.file_sizes(app.store, app.worktree, path)
    if path and not below:
        files = [_file(app, path)]
        part, saved = ProjectPart(path, 1, 0, 0), _count_saved(app, files)
        return SummaryResult(path, "", part, (), (), (), (), (), (), tuple(files), saved)
    project = project_summary.summarise_project(app, path)
    if not path:
        project_summary.save_summary_lines(app)
    paths = [row[0] for row in sorted(below, key=lambda row: (row[0].count("/"), -row[2], row[0]))]
    files = [
        _file(app, name, OF_EACH) for name in paths[:MOST_FILES] if path and _is_shown(app, name)
    ]
    return copy_fields(
        SummaryResult,
        project,
        manifests=tuple(copy_fields(ManifestItem, manifest) for manifest in project.manifests),
        entry_points=project.entries,
        architecture=tuple(
            annotate.make_memory_items(app, [(note, app.store) for note in project.notes])
        ),
        decisions=tuple(
            annotate.make_memory_items(
                app, [(decision, app.store) for decision in project.decisions]
            )
        ),
        files=tuple(files),
        tokens_saved=_count_saved(app, files),
        symbols=indexed_files.count_definitions(app.store, app.worktree, path),
    )


def _file(app: App, path: str, most: int = 0) -> FileSummaryItem:
    count, _ = query_context.configured_token_counter(app)
    summed, saved = file_context.summarise_file(app, path, count, most)
    return FileSummaryItem(path, summed, saved)


def _is_shown(app: App, path: str) -> bool:
    try:
        file_context.read_redacted_file(app, path)
    except GitmemError:
        return False
    return True


def _count_saved(app: App, files: list[FileSummaryItem]) -> int:
    saved = sum(file.tokens_saved for file in files)
    usage.record_usage_event(app, "tool_call", times=0, saved_tokens=saved)
    return saved


def describe_project(app: App) -> str:
    """Return a description of the project as text, without its memories; empty without an index."""
    project = project_summary.summarise_project(app)
    return "\n".join(_describe(project)) if project.languages else ""


def view(result: SummaryResult) -> str:
    """Return the text to print: the summary in sections, or the requested files."""
    lines = []
    if result.languages:
        lines += _head(result)
    for file in result.files:
        lines += [file.path, *(f"  {line}" for line in file.summary.split("\n") if line)]
    return "\n".join(lines) or "Nothing is indexed here yet: run `gitmem index`."


def _head(result: SummaryResult) -> list[str]:
    lines = _describe(result)
    for heading, items in (("Architecture", result.architecture), ("Decisions", result.decisions)):
        if items:
            lines += [f"{heading}:", *(memory_view.format_memory(item, 0) for item in items)]
    return lines


def _describe(result: SummaryResult | project_summary.ProjectSummary) -> list[str]:
    name = f"{result.name}: {result.description}" if result.description else result.name
    lines = [one_line(name, 2 * _WIDTH), _size(result.total)]
    for heading, parts in (("Languages", result.languages), ("Folders", result.folders)):
        parts_ = "; ".join(f"{part.name} {_size(part)}" for part in parts)
        lines.append(one_line(f"{heading}: {parts_}", 3 * _WIDTH))
    starts = result.entry_points if isinstance(result, SummaryResult) else result.entries
    if starts:
        lines.append(one_line(f"Starts at: {', '.join(starts)}", 2 * _WIDTH))
    if result.test_frameworks:
        lines.append(f"Tests: {', '.join(result.test_frameworks)}")
    for manifest in result.manifests:
        if manifest.dependencies:
            needs = ", ".join(manifest.dependencies)
            lines.append(one_line(f"{manifest.path} needs: {needs}", 2 * _WIDTH))
    return lines


def _size(part: project_summary.ProjectPart) -> str:
    return f"{quantity(part.files, 'file')}, {quantity(part.lines, 'line')}"


SUMMARY = Operation(
    "summary", summarize_project_or_path, view, READ, "src", tool="summary", shows_times=True
)
