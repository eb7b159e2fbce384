"""Answers as JSON, and the HTTP status of each error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from gitmem.errors import GitmemError

# By the code of an error. What the caller can change is 4xx, what may pass or was not the
# caller's doing is 5xx.
STATUS: dict[str, int] = {
    "invalid": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_ours": 403,
    "foreign_store": 403,
    "not_found": 404,
    "not_initialized": 404,
    "not_a_repository": 404,
    "method_not_allowed": 405,
    "timed_out": 408,
    "ambiguous": 409,
    "conflict": 409,
    "too_large": 413,
    "too_many": 429,
    "internal": 500,
    "unavailable": 503,
    "busy": 503,
    "read_only": 403,
    "shutting_down": 503,
    "damaged": 503,
    "memory_damaged": 503,
    "foreign_row": 503,
    "too_new": 503,
    "disk_full": 507,
}
# Seconds after which a request may be repeated, where time helps.
_LATER = {"busy": "1", "too_many": "1", "shutting_down": "5"}


class RequestRefused(GitmemError):
    """Raised to refuse an HTTP request; ``code`` is a key of ``STATUS``, which has the status."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.code = code


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An HTTP response with ``value`` as JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", "backslashreplace")
    return Response(body, status, dict(headers or {}), "application/json")


def error_response(error: GitmemError) -> Response:
    """An HTTP response with ``{"error": {"code", "message", "hint"}}`` and the code's status."""
    later = _LATER.get(error.code)
    headers = {"Retry-After": later} if later else {}
    if error.code == "unauthorized":
        headers["WWW-Authenticate"] = 'Bearer realm="gitmem"'
    return json_response({"error": error.as_json_object()}, STATUS.get(error.code, 500), headers)
