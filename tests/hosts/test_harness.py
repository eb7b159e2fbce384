"""The harness itself, without a host: what a model answers, and what stands in gitmem's place."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from tests.hosts import tap, wire_formats
from tests.hosts.model_server import ModelServer
from tests.hosts.reading import find, tools
from tests.hosts.workplace import ROOT

_CALL = {"tool": "recall", "args": {"query": "retries"}}
_PATHS = ("/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1beta/m:generateContent")


def _post(url: str, body: dict[str, Any]) -> str:
    query = Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urlopen(query, timeout=10) as answer:
        content: bytes = answer.read()
    return content.decode()


def test_every_format_calls_the_tool_and_then_is_done_whole_and_as_a_stream() -> None:
    with ModelServer([_CALL] * 8) as model:
        for stream in (False, True):
            for path in _PATHS:
                path = path.replace(":g", ":streamG") if stream else path
                message = _post(model.url + path, {"tools": [{"name": "x"}], "stream": stream})
                assert "recall" in message and "retries" in message, path
                assert message.startswith(("event:", "data:")) is stream
        assert "All done." in _post(model.url + _PATHS[0], {"tools": [{"name": "x"}]})
        assert [request.step for request in model.requests] == list(range(9))


def test_a_request_without_tools_takes_no_step() -> None:
    with ModelServer([_CALL]) as model:
        assert "title" in _post(model.url + "/v1/messages", {"messages": []})
        assert "input_tokens" in _post(model.url + "/v1/messages/count_tokens", {})
        assert "recall" in _post(model.url + "/v1/messages", {"tools": [{"name": "x"}]})
        assert [request.step for request in model.requests] == [-1, 0]


def test_a_server_that_stopped_refuses() -> None:
    with ModelServer([]) as model:
        url = model.url
    with pytest.raises(URLError):
        _post(url + "/v1/messages", {})


def test_tools_are_read_in_every_format() -> None:
    for output in (
        {"name": "recall"},
        {"type": "function", "function": {"name": "recall"}},
        {"functionDeclarations": [{"name": "recall"}]},
    ):
        assert tools({"tools": [output]}) == ["recall"]
    space = {"type": "namespace", "name": "mcp__gitmem", "tools": [{"name": "recall"}]}
    assert tools({"tools": [space, {"type": "web_search"}]}) == ["mcp__gitmem.recall", "web_search"]


def test_a_word_is_found_as_often_as_it_stands() -> None:
    assert find({"a": ["xx", {"b": "y"}], "x": 1}, "x") == [".a.0", ".a.0"]


def test_the_tap_answers_as_gitmem_does_and_keeps_what_it_was_reported(tmp_path: Path) -> None:
    place = tap.install(tmp_path, ROOT)
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    words = [str(place), "hook", "gemini", "prompt"]
    done = subprocess.run(
        words, input=b'{"prompt": "x"}', env=env, cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"{}"
    (call,) = tap.calls(tmp_path)
    assert (call.agent, call.event, call.status) == ("gemini", "prompt", 0)
    assert call.payload == {"prompt": "x"}
    subprocess.run(words, input=b"{}", env={**env, tap.OFF: "1"}, cwd=tmp_path, check=True)
    assert len(tap.calls(tmp_path)) == 1


def test_a_path_of_no_model_has_no_format() -> None:
    assert wire_formats.spoken("/v1/telemetry") is None
