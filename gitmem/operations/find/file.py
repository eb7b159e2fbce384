"""Everything known of one file: content, symbols, memories, owners, history, tests, summary."""

from gitmem.app import App
from gitmem.assembly import file_context, query_context
from gitmem.clock import format_iso
from gitmem.maintenance import usage
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view
from gitmem.retrieval.memory_view import CommitItem
from gitmem.sessions import viewed_files
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.text.tokens import clip_to_tokens
from gitmem.timeline.co_change import CoChangedFile, FileOwner

MOST_COMMITS, MOST_SYMBOLS = 5, 200
MAX_TOKENS = 4000
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class DescribeFileRequest:
    """Arguments of `gitmem file`: a path, and the most tokens of content to show (0: none)."""

    path: Annotated[str, positional_arg("The file", path_kind="path")]
    max_tokens: Annotated[
        int,
        Arg("At most so many tokens of content; 0: none", short="-b", minimum=0, maximum=200_000),
    ] = MAX_TOKENS


@dataclass(frozen=True, slots=True)
class SymbolItem:
    """A definition in the file: its name and kind, and its first and last line, counted from 1."""

    name: str
    kind: str
    container: str
    signature: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class FileDetails:
    """A file as it is now, secrets masked, and what is known about it.

    ``content`` is cut after ``shown_lines`` of ``lines`` if it has more tokens than allowed.
    ``summary`` has about a tenth of the file's tokens; ``tokens_saved`` is the difference.
    ``commits`` counts the commits that changed the path, ``history`` holds the newest of them; the
    first and the last were made at ``first_changed`` and ``last_changed`` (ISO 8601 UTC, or empty).
    """

    path: str
    content: str
    language: str
    lines: int
    shown_lines: int
    summary: str
    tokens_saved: int
    symbols: tuple[SymbolItem, ...]
    decisions: tuple[memory_view.MemoryItem, ...]
    memories: tuple[memory_view.MemoryItem, ...]
    owners: tuple[FileOwner, ...]
    commits: int
    history: tuple[CommitItem, ...]
    changed_with: tuple[CoChangedFile, ...]
    tests: tuple[str, ...]
    first_changed: str = ""
    last_changed: str = ""


def describe_file(app: App, request: DescribeFileRequest) -> FileDetails:
    """Show what is known of a file, and its content.

    A summary, what it defines, the memories and decisions that cite it, who changed it and when,
    what changes with it, and its tests. In a running session it becomes the active file.
    """
    count, _ = query_context.configured_token_counter(app)
    facts = file_context.gather_file_context(app, request.path, count)
    content = _cut(facts.text, request.max_tokens, count)
    viewed_files.record_viewed_file(app, request.path)
    pairs = list(facts.memories)
    annotate.record_shown_memories(app, pairs)
    items = annotate.make_memory_items(app, pairs)
    # The summary stands for what was cut off: these are the tokens saved.
    spared = usage.estimate_tokens_by_length(facts.text) - usage.estimate_tokens_by_length(content)
    usage.record_usage_event(app, "tool_call", times=0, saved_tokens=max(0, spared))
    return copy_fields(
        FileDetails,
        facts,
        content=content,
        lines=len(facts.text.splitlines()),
        shown_lines=len(content.splitlines()),
        tokens_saved=facts.saved,
        symbols=tuple(copy_fields(SymbolItem, symbol) for symbol in facts.symbols[:MOST_SYMBOLS]),
        decisions=tuple(item for item in items if item.kind == "decision"),
        memories=tuple(item for item in items if item.kind != "decision"),
        commits=len(facts.commits),
        history=tuple(
            CommitItem(commit.sha, commit.author, format_iso(commit.at), commit.subject)
            for commit in facts.commits[:MOST_COMMITS]
        ),
        changed_with=facts.together,
        first_changed=format_iso(facts.commits[-1].at) if facts.commits else "",
        last_changed=format_iso(facts.commits[0].at) if facts.commits else "",
    )


def _cut(text: str, most: int, count: query_context.Count) -> str:
    """The first whole lines of the text with at most ``most`` tokens."""
    if count(text) <= most:
        return text
    lines = text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count("\n".join(lines[:middle])) <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    return "\n".join(lines[:low]) if low else clip_to_tokens(lines[0], most, count)


def view(result: FileDetails) -> str:
    """Return the text to print: the summary, a line for each known fact, the content at the end."""
    language = result.language or "no known language"
    head = f"{result.path}: {language}, {quantity(result.lines, 'line')}"
    lines = [one_line(head, _WIDTH), *map(_indented, result.summary.split("\n"))]
    if result.owners:
        owners = ", ".join(f"{owner.name} {owner.share:.0%}" for owner in result.owners)
        lines.append(one_line(f"Changed by {quantity(result.commits, 'commit')}: {owners}", _WIDTH))
    lines += [
        _indented(f"{commit.commit[:10]} {commit.at[:10]} {commit.author}: {commit.subject}")
        for commit in result.history
    ]
    if result.changed_with:
        owners = ", ".join(f"{file.path} {file.share:.0%}" for file in result.changed_with)
        lines.append(one_line(f"Changes with: {owners}", 2 * _WIDTH))
    if result.tests:
        lines.append(one_line(f"Tests: {', '.join(result.tests)}", 2 * _WIDTH))
    lines += [
        memory_view.format_memory(memory, 0) for memory in (*result.decisions, *result.memories)
    ]
    if result.content:
        part = f" (lines 1-{result.shown_lines} of {result.lines})"
        cut = part if result.shown_lines < result.lines else ""
        lines += ["", f"Content{cut}:", result.content.rstrip("\n")]
    return "\n".join(line for line in lines if line or line == "")


def _indented(line: str) -> str:
    return f"  {one_line(line, _WIDTH + 60)}" if line.strip() else ""


FILE = Operation(
    "file",
    describe_file,
    view,
    READ,
    "src/app.py --max-tokens 1000",
    tool="file_context",
    shows_times=True,
)
