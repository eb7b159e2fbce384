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
from gitmem.mcp.tools.offer import Offered, checked, most
from gitmem.mcp.tools.profiles import READONLY
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, plain
from gitmem.text.fence import inert_data

# Reads after which is looked whether anything is due in the background.
_BEGINNINGS = ("orient", "recall", "search")


@dataclass(frozen=True, slots=True)
class Done:
    """A call that went well: what it was, what it is answered, the defaults it was lent.

    ``most`` characters are for the text of the answer, and as many for its data.
    """

    offer: Offered
    shaped: Shaped
    lent: str = ""
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
    done = _done(app, state, profile, name, arguments or {})
    operation, shaped = done.offer.operation, done.shaped
    text = truncation.short(shaped.text, done.most)
    data = truncation.fitted(shaped.data, done.most - tool_results.NOTICE_ROOM)
    if app.left_out:
        text = f"{text}\n{left_out.sentence(app.left_out)}"
        data = {**data, "left_out": left_out.items(app.left_out)}
    told = operation if done.offer.call is None else documented.quoting(done.offer.call, operation)
    answer = tool_results.answer(app, told, name, text, data, done.lent)
    if profile == READONLY:
        return answer
    tokens = usage.tokens(answer.text)
    saved = shaped.saved // usage.CHARACTERS_A_TOKEN
    usage.note_call(app, tokens=tokens, saved=saved, ms=app.now - began)
    begins = done.offer.effect != READ or operation.name in _BEGINNINGS or app.refresh_wanted
    if begins and app.has_store:
        schedule.start_if_due(app)
    return answer


def _done(
    app: App, state: SessionState, profile: str, name: str, arguments: Mapping[str, Any]
) -> Done:
    offer, rest = catalogue.part_of(catalogue.find(name, profile), arguments)
    if offer.call is not None:
        return _documented(app, state, offer, offer.call, rest)
    said = argument_names.resolve(rest, offer.fields)
    operation = offer.operation
    lent = {} if operation is SET_DEFAULTS else _lent(state, offer, said)
    names = {argument_names.meaning(one, offer.fields): one for one in rest}
    request = checked(offer, {**said, **lent}, names)
    if operation is BATCHED:
        return _batch(app, state, profile, offer, request)
    result = operation.answer(state if operation is SET_DEFAULTS else app, request)
    shape = compact.compact if state.format == defaults.COMPACT else compact.full
    words = f"defaults: {defaults.in_words(lent)}" if lent else ""
    # A budget that was asked for is an answer's own measure; in JSON its line ends are longer.
    asked = (getattr(request, "budget", None) or 0) * usage.CHARACTERS_A_TOKEN * 2
    return Done(offer, shape(operation, result), words, max(truncation.MOST, asked))


def _documented(
    app: App, state: SessionState, offer: Offered, call: Call, arguments: Mapping[str, Any]
) -> Done:
    """A call that another system documents, answered with its fields."""
    reading = call_arguments.read(call, arguments, offer.fields)
    known = documented.around(app, reading.asked)
    documented.take_steps(app, call.first, {}, known)
    lent = _lent(state, offer, reading.values)
    values = {**documented.located(call, reading, known), **lent}
    request = checked(offer, values, reading.names)
    limit = getattr(request, "limit", 0) or app.settings.number("recall.limit")
    if call.page and "limit" in offer.fields:
        reach = documented.reach(call, reading, limit, most(offer, "limit"))
        request = replace(request, limit=reach)
    result = offer.operation.answer(app, request)
    shaped = compact.compact(offer.operation, result)
    if call.answers is not None:
        data = documented.sifted(call, reading, plain(result), limit)
        documented.take_steps(app, call.then, data, known)
        told = answer_shape.shaped(call.answers, data, {**known, **data})
        shaped = Shaped(shaped.text, inert_data(told), shaped.saved)
    words = f"defaults: {defaults.in_words(lent)}" if lent else ""
    return Done(offer, shaped, words)


def _lent(state: SessionState, offer: Offered, said: Mapping[str, Any]) -> dict[str, Any]:
    given = [name for name, value in said.items() if value is not None]
    return defaults.lent(state, offer.fields, given, offer.effect)


def _batch(app: App, state: SessionState, profile: str, offer: Offered, request: Any) -> Done:
    saved = 0

    def call(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        nonlocal saved
        one = _done(app, state, profile, name, arguments)
        saved += one.shaped.saved
        note = f"({one.lent})\n" if one.lent else ""
        return note + one.shaped.text, one.shaped.data

    asker = Asker(app, call)
    # Its parts are clean and short already.
    data = plain(offer.operation.run(asker, request))
    return Done(offer, Shaped("\n".join(asker.texts), data, saved))
