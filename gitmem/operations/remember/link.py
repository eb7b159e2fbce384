"""Linking two memories, or a memory to the commit that implements it."""

from gitmem.app import App
from gitmem.capture.provenance import check_may_supersede
from gitmem.capture.supersede import supersede_memory
from gitmem.errors import InvalidInput, NotFound
from gitmem.memory import relations
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import RELATIONS, require_one_of
from gitmem.model.memory import Link, Memory
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, memory_writes, short_ids

TO_A_COMMIT = "IMPLEMENTED_BY"


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """Arguments of `gitmem link`: the memories ``source`` and ``target``, and how they are related.

    ``relation`` is a word such as SOLVES; with IMPLEMENTED_BY the target is a commit. ``strength``
    is 0 to 1, ``context`` a comment.
    """

    source: Annotated[str, positional_arg("The memory the link starts from", metavar="A")]
    target: Annotated[
        str,
        positional_arg(
            f"The memory the link points to; with {TO_A_COMMIT} a commit: HEAD, a tag, an id",
            metavar="B",
        ),
    ]
    relation: Annotated[str, Arg(f"How A relates to B: {', '.join(RELATIONS)}", flag="--as")] = (
        "RELATED_TO"
    )
    strength: Annotated[float, Arg("How strongly", minimum=0, maximum=1)] = 0.5
    context: Annotated[str, Arg("Why, in a few words")] = ""


@dataclass(frozen=True, slots=True)
class LinkResult:
    """The link made between two memories, by ids; ``action`` is ``added`` or ``renewed``.

    The id of a commit is ``commit:`` and its hash. ``replaced`` is the id of the memory that is no
    longer active because of the link, or empty.
    """

    source: str
    target: str
    relation: str
    action: str
    replaced: str = ""


def link_memories(app: App, request: LinkRequest) -> LinkResult:
    """Link two memories: one SOLVES, CAUSES ... the other.

    With --as IMPLEMENTED_BY the second is a commit. With --as SUPERSEDES the second is no longer
    active. Linking the same two again updates strength and context.
    """
    relation = require_one_of("The relation", request.relation.upper().replace("-", "_"), RELATIONS)
    holder, source = short_ids.find_memory(app.stores(), request.source)
    if relation == TO_A_COMMIT:
        return _to_commit(app, request, holder, source)
    other, target = short_ids.find_memory(app.stores(), request.target)
    if holder is not other:
        raise InvalidInput(
            "One of the memories belongs to the project, the other is global.",
            "Link memories of the same scope.",
        )
    if source.id == target.id:
        raise InvalidInput("A memory cannot be linked to itself.", "Give two different ids.")
    with holder.write():
        new = not link_graph.has_link(holder, source.id, target.id, relation)
        if relation == "SUPERSEDES":
            check_may_supersede(app, source, target)
            strength, context = request.strength, request.context
            supersede_memory(
                app, holder, target, source.id, link_strength=strength, link_context=context
            )
        else:
            _add(app, holder, request, source.id, target.id, relation)
    replaced = target.id if relation == "SUPERSEDES" else ""
    return LinkResult(source.id, target.id, relation, "added" if new else "renewed", replaced)


def _to_commit(app: App, request: LinkRequest, holder: Database, source: Memory) -> LinkResult:
    if source.scope == "global":
        raise InvalidInput(
            "A global memory belongs to no repository, so no commit can implement it.",
            "Link a memory of this project.",
        )
    target = relations.COMMIT + _commit(app, request.target)
    with holder.write():
        new = _add(app, holder, request, source.id, target, TO_A_COMMIT)
    return LinkResult(source.id, target, TO_A_COMMIT, "added" if new else "renewed")


def _commit(app: App, revision: str) -> str:
    from gitmem.git import history  # noqa: PLC0415 - only links to commits ask git

    commit = history.resolve_commit(app.layout.cwd, revision)
    if commit is None:
        raise NotFound(
            f"There is no commit {revision[:60]!r} here.",
            f"{TO_A_COMMIT} links a memory to a commit: give HEAD, a tag or a commit's id.",
        )
    return commit


def _add(
    app: App, holder: Database, request: LinkRequest, source: str, target: str, relation: str
) -> bool:
    link = Link(app.new_id(), source, target, relation, request.strength, request.context, app.now)
    return memory_writes.add_link(holder, link)


def view(result: LinkResult) -> str:
    """Return the text to print: the link, in a line."""
    end = ", which is no longer active" if result.replaced else ""
    return f"{result.action}: {result.source} {result.relation} {result.target}{end}"


LINK = Operation("link", link_memories, view, WRITE, "01M6ZK3P 01M6ZJ8Q --as SOLVES", tool="link")
