"""Four walks through the program, each room with its module: a test holds them against the code."""

from __future__ import annotations

from dataclasses import dataclass

PACKAGE = "gitmem"
# How the caller of a step comes to it: an import anywhere in its text, the table of operations, or
# a command line in a script that git or a host runs.
IMPORT, TABLE, COMMAND = "import", "table", "command"


@dataclass(frozen=True, slots=True)
class Step:
    """A room of a walk. ``by`` is the earlier room that calls it, the one before if empty.

    ``where`` is a module without the name of the program in front, or a file from the root.
    """

    where: str
    does: str
    by: str = ""
    how: str = IMPORT
    # With COMMAND: the words in the caller's text that run the command.
    words: str = ""

    @property
    def module(self) -> str:
        """The whole dotted name, "" for a file."""
        return "" if "/" in self.where else f"{PACKAGE}.{self.where}"


@dataclass(frozen=True, slots=True)
class Walk:
    """From what happens to what comes of it."""

    title: str
    begins: str
    steps: tuple[Step, ...]


WALKS = (
    Walk(
        "One memory",
        '`gitmem remember "Sessions are signed" --path src/sessions.py`',
        (
            Step("cli.main", "reads the words without click, by way of `cli.quick`"),
            Step("cli.quick", "turns them into the request of the operation"),
            Step(
                "operations.remember.remember", "checks the request, settles the order", how=TABLE
            ),
            Step("capture.pipeline", "takes it through the steps; for `decide` and batches too"),
            Step(
                "memory.draft", "redacts it and says what a memory may be; pure", "capture.pipeline"
            ),
            Step(
                "capture.save",
                "strengthens what says the same, or writes it with its anchors",
                "capture.pipeline",
            ),
            Step(
                "capture.near_duplicates",
                "finds what says the same already, to strengthen, merge or suggest it",
                "capture.save",
            ),
            Step(
                "store.memory.memory_writes",
                "takes secrets out (`store.db.redaction_gate`), then inserts the row",
                "capture.save",
            ),
        ),
    ),
    Walk(
        "One query",
        '`gitmem search "where is the request context pushed"`',
        (
            Step("cli.quick", "turns the words into the request of the operation"),
            Step("operations.find.search", "says which sources are asked", how=TABLE),
            Step(
                "retrieval.repository_search",
                "asks each source, with words and with the question's vector",
                "operations.find.search",
            ),
            Step("search.question", "reads the question: words, names, numbers of issues; pure"),
            Step(
                "retrieval.file_candidates",
                "collects pieces of files, by words, meaning and what names them",
                "retrieval.repository_search",
            ),
            Step(
                "retrieval.commit_candidates",
                "collects commits; memories likewise",
                "retrieval.repository_search",
            ),
            Step("search.fusion", "joins and ranks; pure", "retrieval.repository_search"),
            Step(
                "retrieval.hit_view",
                "cuts the snippets and says why each hit is there",
                "operations.find.search",
            ),
        ),
    ),
    Walk(
        "One commit",
        "`git commit`, until `gitmem search` finds it",
        (
            Step("hooks/git/hook.sh", "appends one line to the spool and starts a drain, detached"),
            Step(
                "operations.internal.drain",
                "the hidden verb that it runs",
                how=COMMAND,
                words='"$@" drain -C',
            ),
            Step("background.follow", "waits for quiet, notes rewritten commits"),
            Step("spool.git_events", "gives the lines to the one process that holds the lease"),
            Step(
                "indexing.refresh",
                "brings the index of the work tree up to date",
                "background.follow",
            ),
            Step("indexing.pipeline", "reads changed files, cuts them along their syntax"),
            Step(
                "indexing.commit_history",
                "reads new commits: message, files, author",
                "indexing.refresh",
            ),
            Step("store.code.vectors", "keeps the vectors of both", "indexing.refresh"),
        ),
    ),
    Walk(
        "One session's start",
        "a host starts a session, until the model reads the orientation",
        (
            Step(
                "hooks/agents/claude-code.json", "what `gitmem setup` wrote; each host has its own"
            ),
            Step(
                "cli.hook",
                "answers in time or not at all, and always with status 0",
                how=COMMAND,
                words="gitmem hook claude-code session-start",
            ),
            Step("agents.events.hook_event", "reads the host's JSON into one form for all hosts"),
            Step(
                "agents.events.dispatch",
                "finds out what is told at this event, and whether it was told already",
                "cli.hook",
            ),
            Step("agents.events.session_start", "frames the orientation as data, within a cap"),
            Step("assembly.orientation", "puts it together, as for `gitmem orient`"),
            Step(
                "assembly.orientation_facts",
                "asks git and the store: last session, decisions, what changed",
            ),
            Step(
                "timeline.orientation_sections",
                "words the facts in the order of their worth; pure",
                "assembly.orientation",
            ),
        ),
    ),
)
