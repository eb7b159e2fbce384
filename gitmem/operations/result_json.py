"""The result of a verb as the JSON that the command line prints and the server answers."""

from __future__ import annotations

from gitmem.operations.registry import Operation, as_json_values

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.app import App


def result_as_json(app: App, operation: Operation, result: Any, *, for_agent: bool) -> Any:
    """Return the result of an operation as JSON values.

    With ``for_agent`` a result that quotes memories gets a notice that they are data, and tags that
    a model might obey are broken up. If memories were left out since they cannot be trusted, the
    first ones are listed under ``left_out``.
    """
    data = as_json_values(result)
    if app.omitted_memory_reasons:
        from gitmem.maintenance import left_out  # noqa: PLC0415 - a damaged store only

        data = {**data, "left_out": left_out.first_omissions_as_json(app.omitted_memory_reasons)}
    if for_agent and operation.answer_quotes_stored_text:
        from gitmem.clock import format_iso  # noqa: PLC0415 - for agents
        from gitmem.text.fence import NOTICE, data_notice, escape_data_for_model  # noqa: PLC0415 - as above

        warning = data_notice(f"gitmem {operation.name}", format_iso(app.now))
        data = {NOTICE: warning, **escape_data_for_model(data)}
    return data
