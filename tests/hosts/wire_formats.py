"""One step of a script as a model's answer, in the formats that hosts speak.

A step is ``{"tool": NAME, "args": {...}}``, ``{"custom": NAME, "input": TEXT}`` (a free-form tool
of Codex's) or ``{"text": ...}``; ``usage`` is what it tells of input tokens. Each function gives
the whole answer as one object, or the events of a stream as pairs of name and data.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Step = dict[str, Any]
Events = list[tuple[str, Any]]
USAGE = 1_000  # input tokens, where a step does not say
OUTPUT = 20


def anthropic(body: dict[str, Any], step: Step, number: int) -> tuple[Any, Events]:
    """Anthropic Messages."""
    usage = {
        "input_tokens": step.get("usage", USAGE),
        "output_tokens": OUTPUT,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    block: dict[str, Any] = {"type": "text", "text": step.get("text", "")}
    begun: dict[str, Any]
    begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": step.get("text", "")}
    stop = "end_turn"
    if "tool" in step:
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": step["tool"]}
        begun = {**block, "input": {}}
        block |= {"input": step["args"]}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step["args"])}
        stop = "tool_use"
    message = {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    opened = {**message, "content": [], "stop_reason": None}
    ended = {"stop_reason": stop, "stop_sequence": None}
    return message, [
        ("message_start", {"type": "message_start", "message": opened}),
        *_named(
            {"type": "content_block_start", "index": 0, "content_block": begun},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": usage},
            {"type": "message_stop"},
        ),
    ]


def responses(body: dict[str, Any], step: Step, number: int) -> tuple[Any, Events]:
    """OpenAI Responses."""
    item = _item(step, number)
    used = step.get("usage", USAGE)
    answer = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model"),
        "output": [item],
        "usage": {
            "input_tokens": used,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": OUTPUT,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used + OUTPUT,
        },
    }
    where: dict[str, Any] = {"item_id": item["id"], "output_index": 0}
    middle: list[dict[str, Any]] = []
    if "tool" in step:
        kind = "response.function_call_arguments.done"
        middle = [{"type": kind, **where, "arguments": item["arguments"]}]
    elif "text" in step:
        kind = "response.output_text.delta"
        middle = [{"type": kind, **where, "content_index": 0, "delta": step["text"]}]
    begun = {**answer, "status": "in_progress", "output": []}
    added = {**item, "status": "in_progress"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": added},
        *middle,
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": answer},
    ]
    return answer, _named(*({**entry, "sequence_number": n} for n, entry in enumerate(events)))


def _item(step: Step, number: int) -> dict[str, Any]:
    ended = {"status": "completed"}
    called = {"call_id": f"call_{number}", **ended}
    if "custom" in step:
        kind = {"type": "custom_tool_call", "id": f"ctc_{number}"}
        return {**kind, **called, "name": step["custom"], "input": step["input"]}
    if "tool" in step:
        kind = {"type": "function_call", "id": f"fc_{number}"}
        there = {"namespace": step["namespace"]} if "namespace" in step else {}
        args = json.dumps(step["args"])
        return {**kind, **called, "name": step["tool"], "arguments": args, **there}
    message = {"type": "output_text", "text": step["text"], "annotations": []}
    kind = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
    return {**kind, **ended, "content": [message]}


def chat(body: dict[str, Any], step: Step, number: int) -> tuple[Any, Events]:
    """OpenAI Chat Completions."""
    used = step.get("usage", USAGE)
    usage = {"prompt_tokens": used, "completion_tokens": OUTPUT, "total_tokens": used + OUTPUT}
    base = {"id": f"chat_{number}", "created": 1, "model": body.get("model", "mock-model")}
    message: dict[str, Any] = {"role": "assistant", "content": step.get("text")}
    delta, reason = dict(message), "stop"
    if "tool" in step:
        function = {"name": step["tool"], "arguments": json.dumps(step["args"])}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        message |= {"tool_calls": [call]}
        delta = {"role": "assistant", "tool_calls": [{"index": 0, **call}]}
        reason = "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
    piece = {**base, "object": "chat.completion.chunk"}

    def choices(reported: dict[str, Any], ended: str | None) -> dict[str, Any]:
        return {**piece, "choices": [{"index": 0, "delta": reported, "finish_reason": ended}]}

    last = {**piece, "choices": [], "usage": usage}
    return whole, [
        ("", choices(delta, None)),
        ("", choices({}, reason)),
        ("", last),
        ("", "[DONE]"),
    ]


def gemini(body: dict[str, Any], step: Step, number: int) -> tuple[Any, Events]:
    """Gemini generateContent."""
    del body
    used = step.get("usage", USAGE)
    part: dict[str, Any] = {"text": step.get("text", "")}
    if "tool" in step:
        call = {"name": step["tool"], "args": step["args"], "id": f"c{number}"}
        part = {"functionCall": call}
    content = {"role": "model", "parts": [part]}
    answer = {
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": used,
            "candidatesTokenCount": OUTPUT,
            "totalTokenCount": used + OUTPUT,
        },
        "modelVersion": "mock",
        "responseId": f"r{number}",
    }
    return answer, [("", answer)]


def _named(*events: dict[str, Any]) -> Events:
    return [(event["type"], event) for event in events]


Format = Callable[[dict[str, Any], Step, int], tuple[Any, Events]]


def spoken(path: str) -> Format | None:
    """The format of a request to ``path``; None where no model is asked."""
    if path.endswith("/messages"):
        return anthropic
    if path.endswith("/responses"):
        return responses
    if path.endswith("/chat/completions"):
        return chat
    return gemini if "enerateContent" in path else None


def streams(path: str, body: dict[str, Any]) -> bool:
    """Whether the answer is wanted as a stream."""
    return bool(body.get("stream")) or "stream" in path
