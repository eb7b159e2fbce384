"""Performing a tool call, from its name and arguments to its answer.

Find the tool, read the arguments under any of their names, add the connection's defaults, run the
operation and shape the answer.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any

from gitmem import operations, setting_aliases
from gitmem.app import App
from gitmem.errors import Conflict, InvalidInput, NotARepository
from gitmem.maintenance import left_out, schedule, usage
from gitmem.mcp.compat import answer_template, argument_names
from gitmem.mcp.compat.emulated_tool import AdditionalOperation, ArgumentValuePath, EmulatedTool
from gitmem.mcp.tools import (
    call_arguments,
    catalogue,
    compact,
    defaults,
    tool_results,
    truncation,
)
from gitmem.mcp.tools.batch import BATCHED, BatchContext
from gitmem.mcp.tools.call_arguments import ParsedCallArguments
from gitmem.mcp.tools.compact import AnswerTextAndData
from gitmem.mcp.tools.defaults import SET_DEFAULTS, SessionState
from gitmem.mcp.tools.offer import OfferedTool, check_arguments, maximum_argument_value
from gitmem.mcp.tools.profiles import READONLY
from gitmem.memory import decision_wording
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, Operation, as_json_values, request_fields
from gitmem.text.fence import escape_data_for_model

# Reads after which upkeep is started if it is due.
_BEGINNINGS = ("orient", "recall", "search")
# The number of an item while a list is filtered, and the fields that filters may change.
_ROW = " row"
# Items of a list that has no limit of its own.
_MOST_ITEMS = 1000
_CHANGED = ("score", "snippet")


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """A successful call: its tool, its answer, and the defaults used, as text (``limit 5``).

    ``most`` is the limit in characters for the answer's text, and also for its data.
    """

    offer: OfferedTool
    shaped: AnswerTextAndData
    applied: str = ""
    most: int = truncation.MAX_CHARACTERS


def perform_tool_call(
    app: App,
    tool_name: str,
    arguments: Mapping[str, Any] | None,
    state: SessionState,
    profile: str = "default",
) -> tool_results.ToolAnswer:
    """Call a tool by its name and arguments; returns its answer, text and data.

    ``state`` has the connection's default arguments; ``profile`` names the set of tools on offer.
    Raises GitmemError: NotFound for a tool that is not offered, InvalidInput for its arguments, or
    what the tool raises. A batch reports to ``app.progress``; an error raised there ends it.
    """
    began = app.now
    app.reads_index = profile != READONLY
    outcome = _run(app, state, profile, tool_name, arguments or {})
    operation, shaped = outcome.offer.operation, outcome.shaped
    text = truncation.cut_text(shaped.text, outcome.most)
    data = truncation.cut_data_to_fit(shaped.data, outcome.most - tool_results.NOTICE_ROOM)
    if app.omitted_memory_reasons:
        text = f"{text}\n{left_out.describe_omitted_memories(app.omitted_memory_reasons)}"
        data = {**data, "left_out": left_out.first_omissions_as_json(app.omitted_memory_reasons)}
    source = (
        operation
        if outcome.offer.call is None
        else _quoting_operation(outcome.offer.call, operation)
    )
    answer = tool_results.successful_answer(app, source, tool_name, text, data, outcome.applied)
    if profile == READONLY:
        return answer
    tokens = usage.estimate_tokens_by_length(answer.text)
    saved = shaped.saved // usage.CHARACTERS_A_TOKEN
    usage.record_tool_call_usage(
        app, tokens=tokens, saved_tokens=saved, duration_ms=app.now - began
    )
    begins = outcome.offer.effect != READ or operation.name in _BEGINNINGS or app.refresh_wanted
    if begins and app.has_store:
        schedule.start_background_work_if_due(app)
    return answer


def _run(
    app: App, state: SessionState, profile: str, name: str, arguments: Mapping[str, Any]
) -> CallOutcome:
    offer, rest = catalogue.tool_for_action(catalogue.find_tool(name, profile), arguments)
    if offer.call is not None:
        return _run_documented(app, state, offer, offer.call, rest)
    given = argument_names.rename_to_own_fields(rest, offer.fields)
    operation = offer.operation
    applied = (
        {}
        if operation is SET_DEFAULTS
        else _defaults_for(
            state, offer, [name for name, value in given.items() if value is not None]
        )
    )
    names = {
        argument_names.field_for_argument(given_name, offer.fields): given_name
        for given_name in rest
    }
    request = check_arguments(offer, {**given, **applied}, names)
    if operation is BATCHED:
        return _run_batch(app, state, profile, offer, request)
    result = operation.run_request(state if operation is SET_DEFAULTS else app, request)
    state.record_answer_memory_ids(getattr(request, "query", ""), as_json_values(result))
    shape = compact.compact_answer if state.format == defaults.COMPACT else compact.full_answer
    words = f"defaults: {defaults.describe_defaults(applied)}" if applied else ""
    # An explicit budget raises the limit; twice its characters, since JSON escapes line ends.
    budget = (getattr(request, "budget", None) or 0) * usage.CHARACTERS_A_TOKEN * 2
    return CallOutcome(
        offer, shape(operation, result), words, max(truncation.MAX_CHARACTERS, budget)
    )


def _run_documented(
    app: App,
    state: SessionState,
    offer: OfferedTool,
    call: EmulatedTool,
    arguments: Mapping[str, Any],
) -> CallOutcome:
    """A call that another system documents, answered with its fields."""
    call = _with_set_limit(app, call)
    reading = call_arguments.convert_tool_arguments(call, arguments, offer.fields)
    context = _describe_call(app, state, reading.theirs)
    _take_steps(app, call.first, {}, context)
    # A default of the session counts more than one that a document names.
    applied = _defaults_for(state, offer, reading.given)
    values = {**_fixed_values(call, reading, context), **applied}
    request = check_arguments(offer, values, reading.names)
    limit = _MOST_ITEMS
    if "limit" in offer.fields:
        limit = getattr(request, "limit", 0) or app.settings.number("recall.limit")
    if call.page and "limit" in offer.fields:
        reach = _how_many(call, reading, limit, maximum_argument_value(offer, "limit"))
        request = replace(request, limit=reach)
    counts = app.counts_use
    # Of what a recall reads, only what passes the filters is shown, and counts as used.
    later = counts and bool(call.page) and offer.operation.name == "recall"
    app.counts_use = counts and not later
    try:
        result, data, before = _answer_documented(app, offer, call, reading, request, limit)
    finally:
        app.counts_use = counts
    if later:
        _count_shown(app, [item["id"] for item in data[call.page]])
    shaped = compact.compact_answer(offer.operation, result)
    if before and not data[call.page]:
        shaped = replace(shaped, text=f"Nothing passes the filters: {before} without them.")
    if call.answers is not None:
        state.record_answer_memory_ids(getattr(request, "query", ""), data)
        _take_steps(app, call.then, data, context)
        shaped_data = answer_template.fill_answer_template(call.answers, data, {**context, **data})
        text = str(shaped_data[call.text]) if call.text else shaped.text
        shaped = AnswerTextAndData(text, escape_data_for_model(shaped_data), shaped.saved)
    words = f"defaults: {defaults.describe_defaults(applied)}" if applied else ""
    return CallOutcome(offer, shaped, words)


def _with_set_limit(app: App, call: EmulatedTool) -> EmulatedTool:
    """The call with the setting ``recall.limit`` as its default limit, if it is set.

    Only where the default is a setting in the other system as well.
    """
    to = call.takes.get("limit")
    if to is None or not setting_aliases.is_documented_default(
        call.system, "recall.limit", to.default
    ):
        return call
    # Looking for the store reads the settings of the repository.
    if not app.has_store or app.settings.source("recall.limit") == "default":
        return call
    limit = app.settings.number("recall.limit")
    return replace(call, takes={**call.takes, "limit": replace(to, default=limit)})


def _answer_documented(
    app: App,
    offer: OfferedTool,
    call: EmulatedTool,
    reading: ParsedCallArguments,
    request: Any,
    limit: int,
) -> tuple[Any, dict[str, Any], int]:
    """The result and its data, with the items that pass the filters; and their number before."""
    result = offer.operation.run_request(app, request)
    if call.retry and not getattr(result, call.page):
        for field, (tried, other) in call.retry.items():
            if getattr(request, field) == tried:
                result = offer.operation.run_request(app, replace(request, **{field: other}))
    if call.page and "offset" in offer.fields:
        result = _read_on(app, offer, call, reading, request, result, limit)
    data = as_json_values(result)
    before = len(data[call.page]) if call.page else 0
    if call.page:
        data = _sift(call, reading, data, limit)
        result = _with_items(call.page, result, data[call.page])
        if before > data["found"] and hasattr(result, "total"):
            result = replace(result, total=result.total - before + data["found"])
    return result, data, before


def _count_shown(app: App, ids: list[str]) -> None:
    from gitmem.retrieval import annotate  # noqa: PLC0415 - only for a recall

    for store in app.stores():
        annotate.record_memory_access(app, store, ids)


def _defaults_for(state: SessionState, offer: OfferedTool, given: Container[str]) -> dict[str, Any]:
    return defaults.applicable_defaults(state, offer.fields, given, offer.effect)


def _run_batch(
    app: App, state: SessionState, profile: str, offer: OfferedTool, request: Any
) -> CallOutcome:
    saved = 0

    def call_batched_tool(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        nonlocal saved
        outcome = _run(app, state, profile, name, arguments)
        saved += outcome.shaped.saved
        note = f"({outcome.applied})\n" if outcome.applied else ""
        return note + outcome.shaped.text, outcome.shaped.data

    asker = BatchContext(app, call_batched_tool)
    # The answers in it are redacted and cut already.
    data = as_json_values(offer.operation.run(asker, request))
    return CallOutcome(offer, AnswerTextAndData("\n".join(asker.texts), data, saved))


# --- calls that another system documents ---------------------------------------------------------


def _fixed_values(
    call: EmulatedTool, reading: ParsedCallArguments, describe_call: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a call, with the fixed ones that the table looks up by a path."""
    looked_up = {
        name: _look_up(value, describe_call)
        for name, value in call.fixed.items()
        if isinstance(value, ArgumentValuePath) and reading.values.get(name, "") == ""
    }
    return {**reading.values, **looked_up}


def _look_up(value: Any, describe_call: Mapping[str, Any]) -> Any:
    if not isinstance(value, ArgumentValuePath):
        return value
    item = answer_template.value_at_dotted_path(value.at, describe_call, describe_call)
    if item is None and value.other:
        item = answer_template.value_at_dotted_path(value.other, describe_call, describe_call)
    if value.change is not None:
        return None if item is None else value.change(item)
    if value.each:
        return [item[value.each] for item in item or () if item[value.each]][: value.most]
    cut = value.most and isinstance(item, str)
    return decision_wording.decision_title(item, value.most) if cut else item


def _describe_call(app: App, state: SessionState, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The context for paths in templates.

    These are the arguments (``asked``), the project (``here``), and the ids of memories ``given``
    for the query.
    """
    here: dict[str, Any] = {}
    with suppress(NotARepository):
        here |= {"project": app.project_identity.key, "worktree": app.worktree}
    here["reranker"] = app.settings.text("search.rerank")
    given = state.answer_memory_ids(arguments.get("query") or arguments.get("content"))
    return {"asked": dict(arguments), "here": here, "given": given}


def _take_steps(
    app: App,
    steps: Mapping[str, AdditionalOperation],
    item: Mapping[str, Any],
    known: dict[str, Any],
) -> None:
    """Run additional operations of a call, and add their results to ``known`` by name."""
    for name, step in steps.items():
        look = {**known, **item}
        if step.where and not all(_holds(path, look) for path in step.where.split(" and ")):
            continue
        gives = {field: _look_up(value, look) for field, value in step.gives.items()}
        operation = operations.load_operation(step.operation)
        many = {field.name for field in request_fields(operation.request_class) if field.many}
        given = {
            field: (tuple(value) if isinstance(value, list | tuple) else (value,))
            if field in many
            else value
            for field, value in gives.items()
            if value is not None
        }
        # What a call shows of its own accord is no use of a memory.
        answer = operation.run_uncounted or operation.run_request
        result = answer(app, operation.request_class(**given))
        failed = [item.error for item in getattr(result, "items", ()) if item.error]
        if failed:
            raise Conflict(failed[0])
        known[name] = as_json_values(result)


def _holds(condition: str, look: Mapping[str, Any]) -> bool:
    """Whether there is a value at a path, or none after ``not``."""
    path = condition.removeprefix("not ")
    return bool(answer_template.value_at_dotted_path(path, look, look)) == (path == condition)


def _sift(
    call: EmulatedTool, reading: ParsedCallArguments, data: dict[str, Any], limit: int
) -> dict[str, Any]:
    """The result with its items filtered and cut; ``found`` is their number before the cut.

    Items are those of ``data``, with their ``_ROW`` there. ``has_more``: others follow them.
    """
    items = [{**item, _ROW: number} for number, item in enumerate(data[call.page])]
    for sift, value in (*call.sifts, *reading.sifts):
        try:
            items = sift(items, value)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"An argument has a value of the wrong type: {str(value)[:60]!r}.",
                "The list of tools says which type each argument takes.",
            ) from error
    end = reading.offset + limit
    more = len(items) > end or bool(data.get("has_more"))
    return {**data, call.page: items[reading.offset : end], "found": len(items), "has_more": more}


def _read_on(
    app: App,
    offer: OfferedTool,
    call: EmulatedTool,
    reading: ParsedCallArguments,
    request: Any,
    result: Any,
    limit: int,
) -> Any:
    """The result with its next pages, until enough of their items pass the filters."""
    end = reading.offset + limit
    while getattr(result, "has_more", False) and (request.offset or 0) < end + _MOST_ITEMS:
        if _sift(call, reading, as_json_values(result), limit)["found"] >= end:
            break
        request = replace(request, offset=(request.offset or 0) + request.limit)
        page = offer.operation.run_request(app, request)
        rows = (*getattr(result, call.page), *getattr(page, call.page))
        result = replace(page, **{call.page: rows})
    return result


def _with_items(page: str, result: Any, items: list[dict[str, Any]]) -> Any:
    """The result with only these items of a list, as filters left them."""
    rows = getattr(result, page)
    left = []
    for item in items:
        row = rows[item.pop(_ROW)]
        changed = {name: item[name] for name in _CHANGED if name in item}
        left.append(replace(row, **changed) if changed else row)
    return replace(result, **{page: tuple(left)})


def _how_many(call: EmulatedTool, reading: ParsedCallArguments, limit: int, most: int) -> int:
    """How many items to request, so that ``limit`` remain after filtering."""
    return most if call.sifts or reading.sifts else min(most, reading.offset + limit)


def _quoting_operation(call: EmulatedTool, operation: Operation) -> Operation:
    """The operation of a call that quotes memories, if any does, else the main one."""
    parts = (
        operations.load_operation(step.operation)
        for step in (*call.first.values(), *call.then.values())
    )
    return next(
        (candidate for candidate in (operation, *parts) if candidate.answer_quotes_stored_text),
        operation,
    )
