"""A tool call, from its name and arguments to its answer.

One function for every surface that takes calls: it finds the tool, reads the arguments under
whatever name they come, lends them the connection's defaults, runs the operation and makes the
answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.app import App
from gitmem.maintenance import left_out, schedule, usage
from gitmem.mcp.compat import answer_shape, argument_names
from gitmem.mcp.compat.documented_call import Call
from gitmem.mcp.tools import (
    call_arguments,
    catalogue,
    compact,
    defaults,
    documented,
    tool_results,
    truncation,
)
from gitmem.mcp.tools.batch import BATCHED, Asker
from gitmem.mcp.tools.compact import Shaped
from gitmem.mcp.tools.defaults import SET_DEFAULTS, SessionState
from gitmem.mcp.tools.offer import Offered, check_arguments, most
from gitmem.mcp.tools.profiles import READONLY
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, plain
from gitmem.text.fence import inert_data

# Reads after which is looked whether anything is due in the background.
_BEGINNINGS = ("orient", "recall", "search")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that went well: what it was, what it is answered, the defaults it was lent.

    ``most`` characters are for the text of the answer, and as many for its data.
    """

    offer: Offered
    shaped: Shaped
    applied: str = ""
    most: int = truncation.MOST


def perform(
    app: App,
    name: str,
    arguments: Mapping[str, Any] | None,
    state: SessionState,
    profile: str = "default",
) -> tool_results.Answer:
    """The answer to a call. Raises GitmemError: NotFound for a tool the profile does not offer.

    ``app.progress`` is told how far a batch is, as any long work tells it; what it raises ends the
    batch.
    """
    began = app.now
    app.reads_index = profile != READONLY
    done = _run(app, state, profile, name, arguments or {})
    operation, shaped = done.offer.operation, done.shaped
    text = truncation.cut_text(shaped.text, done.most)
    data = truncation.fit(shaped.data, done.most - tool_results.NOTICE_ROOM)
    if app.left_out:
        text = f"{text}\n{left_out.sentence(app.left_out)}"
        data = {**data, "left_out": left_out.items(app.left_out)}
    source = (
        operation
        if done.offer.call is None
        else documented.quoting_operation(done.offer.call, operation)
    )
    answer = tool_results.answer(app, source, name, text, data, done.applied)
    if profile == READONLY:
        return answer
    tokens = usage.tokens(answer.text)
    saved = shaped.saved // usage.CHARACTERS_A_TOKEN
    usage.called(app, tokens=tokens, saved=saved, ms=app.now - began)
    begins = done.offer.effect != READ or operation.name in _BEGINNINGS or app.refresh_wanted
    if begins and app.has_store:
        schedule.start_if_due(app)
    return answer


def _run(
    app: App, state: SessionState, profile: str, name: str, arguments: Mapping[str, Any]
) -> Outcome:
    offer, rest = catalogue.part_of(catalogue.find(name, profile), arguments)
    if offer.call is not None:
        return _run_documented(app, state, offer, offer.call, rest)
    given = argument_names.resolve(rest, offer.fields)
    operation = offer.operation
    applied = {} if operation is SET_DEFAULTS else _defaults_for(state, offer, given)
    names = {argument_names.field_for(given_name, offer.fields): given_name for given_name in rest}
    request = check_arguments(offer, {**given, **applied}, names)
    if operation is BATCHED:
        return _run_batch(app, state, profile, offer, request)
    result = operation.answer(state if operation is SET_DEFAULTS else app, request)
    shape = compact.compact if state.format == defaults.COMPACT else compact.full
    words = f"defaults: {defaults.describe(applied)}" if applied else ""
    # A budget that was asked for is an answer's own measure; in JSON its line ends are longer.
    budget = (getattr(request, "budget", None) or 0) * usage.CHARACTERS_A_TOKEN * 2
    return Outcome(offer, shape(operation, result), words, max(truncation.MOST, budget))


def _run_documented(
    app: App, state: SessionState, offer: Offered, call: Call, arguments: Mapping[str, Any]
) -> Outcome:
    """A call that another system documents, answered with its fields."""
    reading = call_arguments.read(call, arguments, offer.fields)
    known = documented.describe_call(app, reading.asked)
    documented.take_steps(app, call.first, {}, known)
    applied = _defaults_for(state, offer, reading.values)
    values = {**documented.look_up_fixed(call, reading, known), **applied}
    request = check_arguments(offer, values, reading.names)
    limit = getattr(request, "limit", 0) or app.settings.number("recall.limit")
    if call.page and "limit" in offer.fields:
        reach = documented.how_many(call, reading, limit, most(offer, "limit"))
        request = replace(request, limit=reach)
    result = offer.operation.answer(app, request)
    shaped = compact.compact(offer.operation, result)
    if call.answers is not None:
        data = documented.sift(call, reading, plain(result), limit)
        documented.take_steps(app, call.then, data, known)
        shaped_data = answer_shape.apply(call.answers, data, {**known, **data})
        shaped = Shaped(shaped.text, inert_data(shaped_data), shaped.saved)
    words = f"defaults: {defaults.describe(applied)}" if applied else ""
    return Outcome(offer, shaped, words)


def _defaults_for(state: SessionState, offer: Offered, said: Mapping[str, Any]) -> dict[str, Any]:
    given = [name for name, value in said.items() if value is not None]
    return defaults.applicable(state, offer.fields, given, offer.effect)


def _run_batch(
    app: App, state: SessionState, profile: str, offer: Offered, request: Any
) -> Outcome:
    saved = 0

    def call(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        nonlocal saved
        done = _run(app, state, profile, name, arguments)
        saved += done.shaped.saved
        note = f"({done.applied})\n" if done.applied else ""
        return note + done.shaped.text, done.shaped.data

    asker = Asker(app, call)
    # Its parts are clean and short already.
    data = plain(offer.operation.run(asker, request))
    return Outcome(offer, Shaped("\n".join(asker.texts), data, saved))
