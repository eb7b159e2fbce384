"""What was asked, solved or mended before that is like this."""

from gitmem.app import App
from gitmem.assembly import deja_vu as past_work
from gitmem.capture.event_intake import subject_of
from gitmem.clock import iso
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import annotate
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class DejaVu:
    """What to look back from."""

    text: Annotated[
        str,
        Arg(
            "A question, or an error with its trace",
            positional=True,
            words=True,
            stdin=1,
        ),
    ]


@dataclass(frozen=True, slots=True)
class SeenItem:
    """Something of before: ``type`` is query, solution or fix; a query has no id.

    ``score`` orders: 0.7 of the ``similarity`` and 0.3 of how recent it is. ``commit`` is the one
    that was checked out then or, where ``sure``, the one that was told to have mended the error.
    """

    type: str
    id: str
    text: str
    at: str
    similarity: float
    score: float
    commit: str
    subject: str
    sure: bool = False


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """At most three, the best first."""

    items: tuple[SeenItem, ...]


def deja_vu(app: App, request: DejaVu) -> SeenBefore:
    """Show what was asked, solved or mended before that is like this.

    Of the last ninety days: questions that led somewhere, decisions and notes, and how an error
    was mended, each with its commit. An error is known whatever its paths, lines and versions.
    """
    found = past_work.find(app, request.text)
    annotate.count(app, app.store, [one.id for _, one in found if one.id])
    return SeenBefore(
        tuple(
            SeenItem(
                one.type,
                one.id,
                one.text,
                iso(one.at),
                one.similarity,
                round(score, 4),
                one.commit,
                subject_of(app, one.commit) if one.commit else "",
                one.sure,
            )
            for score, one in found
        )
    )


def view(result: SeenBefore) -> str:
    """Two lines for each."""
    if not result.items:
        return "Nothing like this was asked, solved or mended here in the last ninety days."
    lines = []
    for one in result.items:
        lines.append(f"{one.type:<8} {one.score:.2f}  {one_line(one.text, 300)}")
        by = "mended by" if one.sure else "at"
        commit = f"  {by} {one.commit[:10]} {one_line(one.subject, 100)}" if one.commit else ""
        lines.append(f"  {one.at[:10]}  {one.id}{commit}".rstrip())
    return "\n".join(lines)


DEJA_VU = Operation(
    name="deja-vu",
    run=deja_vu,
    view=view,
    effect=READ,
    sample='"how do we cache prices"',
    tool="deja_vu",
)
