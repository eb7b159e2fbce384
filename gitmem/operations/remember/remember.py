"""Saving a memory, or many of them given as JSON Lines."""

from gitmem.app import App
from gitmem.capture import near_duplicates, pipeline
from gitmem.capture.layer_choice import MemoryLayerChoice
from gitmem.capture.pipeline import BatchLineResult, SaveMemoryRequest
from gitmem.errors import InvalidInput
from gitmem.maintenance import usage
from gitmem.memory import decision_wording
from gitmem.memory.draft import AUTO, MemoryDraft
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, unquoted_words_arg
from gitmem.settings import agent_name_to_record
from gitmem.text.quantity import quantity

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

SHOWN = 20  # failed lines of a batch that are shown


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """Arguments of `gitmem remember`: the text to store as a memory, and what is known about it.

    ``importance`` and ``confidence`` are 0 to 1 (None: 0.5 and 0.8), ``weight`` 1 to 5 (None: 3),
    ``ttl`` is a time such as 7d after which it is archived (empty: never). ``metadata`` is a JSON
    object. ``duplicates`` says what happens if a memory says the same.
    """

    text: Annotated[str, unquoted_words_arg("What to remember", max_stdin_mb=64)]
    title: Annotated[str, Arg("A short title", short="-t")] = ""
    kind: Annotated[
        str, Arg("Its kind: note, convention, fix, problem, workflow, ...", short="-k")
    ] = "note"
    tag: shared.Tags = ()
    path: shared.Paths = ()
    anchor: shared.Anchors = ()
    weight: shared.Weight = None
    importance: Annotated[
        float | None, Arg("How important it is to keep (default: 0.5)", minimum=0, maximum=1)
    ] = None
    confidence: Annotated[
        float | None, Arg("How sure it is (default: 0.8)", minimum=0, maximum=1, mcp=False)
    ] = None
    ttl: Annotated[
        str,
        Arg(
            "Archive it after this time, such as 7d (default: never); auto: after a day, unless "
            "its importance is 0.8 or more"
        ),
    ] = ""
    fixed: Annotated[bool, Arg("With --ttl: use does not extend it", mcp=False)] = False
    pin: Annotated[bool, Arg("Pin it: it stays on top and never fades")] = False
    scope: shared.AppliesTo = "project"
    layer: Annotated[
        str,
        Arg(
            "working (this session, an hour), project or global (default: by its kind, tags and "
            "time to live)",
            choices=("working", "project", "global"),
            mcp=False,
        ),
    ] = ""
    project: shared.SubProject = ""
    valid_from: shared.ValidFrom = ""
    valid_until: shared.ValidUntil = ""
    session: shared.ItsSession = ""
    metadata: Annotated[str, Arg("Additional metadata, as a JSON object")] = ""
    origin: Annotated[
        Texts,
        Arg(
            "Where it is from: a web address, a pull request (#12) or a commit",
            flag="--from",
            mcp=False,
        ),
    ] = ()
    author: Annotated[str, Arg("Who said it, if not you", mcp=False)] = ""
    by: Annotated[str, Arg("The agent that wrote it, if not the client", cli=False, mcp=False)] = ""
    supersedes: Annotated[
        str, Arg("Id of the memory that it replaces", metavar="ID", mcp=False)
    ] = ""
    code: Annotated[str, Arg("Code that belongs to it, kept in its metadata", mcp=False)] = ""
    language: Annotated[str, Arg("The language of --code", mcp=False)] = ""
    duplicates: Annotated[
        str,
        Arg(
            "If a memory says the same already: strengthen it (skip), extend it (merge), keep both "
            "(allow), or smart: extend what agents wrote, else ask",
            choices=("smart", "skip", "merge", "allow"),
        ),
    ] = "smart"
    strategy: Annotated[
        str,
        Arg(
            "The text of a merged memory: each sentence once (smart_merge), the newer text "
            "(latest_wins), or both (append)",
            choices=("smart_merge", "latest_wins", "append"),
            mcp=False,
        ),
    ] = ""
    atomic: Annotated[bool, Arg("Save all lines of a batch or none", mcp=False)] = False
    piped: shared.Piped = False


@dataclass(frozen=True, slots=True)
class RememberResult:
    """What was done with the memory: added, reinforced, merged or suggested (``action``).

    ``duplicate_of`` is the id of a memory that says the same, or nearly, ``similarity`` the cosine
    of the two. After ``added`` and ``suggested`` both memories exist, else ``id`` is that memory.
    After ``suggested``, `gitmem inbox` asks what to do; ``suggestion`` is ``merge`` or
    ``contradiction``. ``layer`` is where it was stored; ``advised`` is the layer that the router
    chose, ``advice_confidence`` (0 to 1) how certain that is, ``advice_reason`` why; these three
    are empty or null for a batch. ``superseded`` is the memory that it replaced. ``notes`` say what
    its writer should know, such as a cited file that does not exist. For a batch ``id`` is empty,
    ``action`` is ``batch`` and ``items`` has the outcome of each line. ``redacted`` names the kinds
    of secrets that were removed before anything was stored.
    """

    id: str
    action: str
    redacted: tuple[str, ...] = ()
    layer: str = ""
    notes: tuple[str, ...] = ()
    items: tuple[BatchLineResult, ...] = ()
    failed: int = 0
    duplicate_of: str = ""
    similarity: float | None = None
    advised: str = ""
    advice_confidence: float | None = None
    advice_reason: str = ""
    superseded: str = ""
    suggestion: str = ""


def remember(app: App, request: RememberRequest) -> RememberResult:
    """Remember a fact, convention, fix or anything else worth knowing.

    Saying the same again reinforces the existing memory. If an agent says it in more detail, that
    is merged into the memory of an agent (`gitmem inbox undo` reverts it); for the memory of a
    person merging is only suggested. If a number, a name, a path or a "not" differs, both are kept,
    and the answer says so. A memory never expires unless you give --ttl or use the working layer;
    with --ttl auto it ends as what gitmem captures does (decisions and conventions never);
    each use extends it by half of that time, and after the fifth use it stays for good, unless you
    give --fixed. A note that nobody uses for a month is archived (`gitmem decay --help`). --anchor
    src/app.py:40-60 or --anchor src/app.py#Server, or the same as --path with :: for #, ties it to
    that code: it is marked when the code changes. Secrets are replaced by visible placeholders
    before anything is stored. With - and JSON Lines on standard input ({"content": ..., "kind":
    ..., "tags": [...]}), each line becomes a memory; lines that cannot be saved are reported and
    the others stored, unless --atomic is given. Text in which two or more people take turns ("Ada:
    ...") is saved as a conversation, unless --kind is given.
    """
    _check_strategy(request)
    if request.piped and (many := _batch(app, request)):
        return many
    text = MemoryDraft(
        content=request.text,
        **_common_fields(request),
        ttl_ms=_ttl_ms(request),
        is_temporary=request.ttl == AUTO,
        metadata=_metadata(request),
    )
    first, last = _validity(app, request)
    addition = copy_fields(
        SaveMemoryRequest,
        request,
        draft=text,
        valid_from=first,
        valid_until=last,
        agent=agent_name_to_record(request.by),
    )
    saved = pipeline.save_memory(app, addition)
    usage.record_usage_event(app, "store")
    choice = saved.choice
    return copy_fields(
        RememberResult,
        saved,
        layer=choice.layer,
        notes=(*_layer_note(choice), *saved.notes, *_kind_note(request)),
        advised=choice.advice.layer,
        advice_confidence=choice.advice.confidence,
        advice_reason=choice.advice.reason,
    )


def _ttl_ms(request: RememberRequest) -> int | None:
    if not request.ttl:
        return None
    from gitmem.memory import jsonl_input  # noqa: PLC0415 - few memories expire

    return jsonl_input.parse_ttl_ms(request.ttl)


def _validity(app: App, request: RememberRequest) -> tuple[int | None, int | None]:
    """The period in which it is valid, in milliseconds; None: without an end there."""
    if not request.valid_from and not request.valid_until:
        return None, None
    from gitmem.retrieval import request_filters  # noqa: PLC0415 - most memories have no period

    return request_filters.validity_period(app, request.valid_from, request.valid_until)


def _metadata(request: RememberRequest) -> "dict[str, Any]":
    """The metadata given, with the origin and the code."""
    if not (request.metadata or request.origin or request.code or request.language):
        return {}
    from gitmem.memory import jsonl_input, provenance_facts  # noqa: PLC0415 - few have metadata

    facts = jsonl_input.parse_json_object(request.metadata)
    if request.origin:
        provenance = provenance_facts.check_provenance_object(facts.get(provenance_facts.KEY) or {})
        facts |= {
            provenance_facts.KEY: {
                **provenance,
                **provenance_facts.parse_provenance_sources(request.origin),
            }
        }
    return jsonl_input.metadata_with_code(facts, request.code, request.language)


def _check_strategy(request: RememberRequest) -> None:
    """Raise InvalidInput for --strategy if --duplicates says that nothing is merged."""
    if request.strategy and request.duplicates in ("skip", "allow"):
        raise InvalidInput(
            f"With --duplicates {request.duplicates} nothing is merged: --strategy has no effect.",
            "Leave out --duplicates or --strategy.",
        )


def _common_fields(request: RememberRequest) -> "dict[str, Any]":
    """The fields that a memory and the defaults of a batch have in common."""
    return {
        "title": request.title,
        "kind": request.kind,
        "tags": request.tag,
        "paths": _paths(request),
        "weight": request.weight,
        "importance": request.importance,
        "confidence": request.confidence,
        "pinned": request.pin,
        "fixed": request.fixed,
        "scope": request.scope,
    }


def _paths(request: RememberRequest) -> tuple[str, ...]:
    if not (request.path or request.anchor):
        return ()
    from gitmem.memory import citations  # noqa: PLC0415 - many memories cite nothing

    return citations.unique_citations(request.path, request.anchor)


def _batch(app: App, request: RememberRequest) -> RememberResult | None:
    """The outcome of a text that is JSON Lines of memories; None for any other."""
    from gitmem.memory import jsonl_input  # noqa: PLC0415 - most memories come one by one

    if not jsonl_input.is_json_lines_batch(request.text):
        return None
    if request.supersedes or request.origin or request.author:
        raise InvalidInput(
            "--supersedes, --from and --author do not work for a batch.",
            "Save such memories one at a time, or put the values into a line's metadata.",
        )
    from gitmem.capture import batch  # noqa: PLC0415 - as above

    lines = batch.MemoryBatch(
        request.text,
        jsonl_input.DraftDefaults(**_common_fields(request), ttl=request.ttl),
        request.layer,
        request.session,
        request.atomic,
        near_duplicates.check_duplicates_mode(request.duplicates),
        request.strategy,
    )
    results, redacted = batch.save_memory_batch(app, lines)
    failed = sum(1 for result in results if result.error)
    usage.record_usage_event(app, "store", times=len(results) - failed)
    return RememberResult("", "batch", redacted, items=results, failed=failed)


def view(result: RememberResult) -> str:
    """Return the text to print: what was saved; for a batch the counts and the first failures."""
    out = []
    if result.items:
        done: dict[str, int] = {}
        for item in result.items:
            done[item.action or "failed"] = done.get(item.action or "failed", 0) + 1
        out.append(", ".join(f"{count} {action}" for action, count in sorted(done.items())))
        lines = [f"line {item.line}: {item.error}" for item in result.items if item.error]
        out += lines[:SHOWN]
        if more := len(lines[SHOWN:]):
            out.append(f"and {quantity(more, 'line')} more that cannot be saved")
    else:
        # The memory itself is stored; only merging it waits in the inbox.
        out.append(f"{'added' if result.action == 'suggested' else result.action} {result.id}")
        out += [f"supersedes {result.superseded}"] if result.superseded else []
        out += [f"note: {note}" for note in result.notes]
    if result.redacted:
        kinds = ", ".join(sorted(set(result.redacted)))
        out.append(f"secrets redacted before storing: {kinds}")
    return "\n".join(out)


def _layer_note(choice: MemoryLayerChoice) -> tuple[str, ...]:
    """A note on the layer, unless it is the usual one, the project."""
    if choice.layer == "project":
        return ()
    return (f"kept in the {choice.layer} layer: {choice.because}",)


def _kind_note(request: RememberRequest) -> tuple[str, ...]:
    """A note if a text without a kind is worded like a decision."""
    if request.kind != "note":
        return ()
    hint = decision_wording.hint_to_record_decision(request.text)
    return (hint,) if hint else ()


REMEMBER = Operation(
    "remember",
    remember,
    view,
    WRITE,
    '"Tests need Redis on port 6380" --kind convention',
    tool="remember",
    everyday=("title", "kind", "tag", "path", "anchor", "ttl", "pin", "scope"),
)
