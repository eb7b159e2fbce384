"""Asking an endpoint: what is sent, and what comes of one that fails, hangs or lies."""

from __future__ import annotations

import json
import time

import pytest

from gitmem.assembly import model_endpoint
from gitmem.assembly.model_endpoint import LanguageModelEndpoint
from gitmem.errors import Unavailable
from tests.support.chat_server import Reply, completion, serving


def query(reply: Reply, *, path: str = "/v1", timeout: float = 5.0) -> str:
    with serving(reply) as server:
        endpoint = LanguageModelEndpoint(f"http://127.0.0.1:{server.port}{path}", "small")
        return model_endpoint.ask_language_model(endpoint, "Be short.", "Who?", timeout=timeout)


def test_one_request_with_instructions_question_and_model() -> None:
    for path in ("/v1", "/v1/", "/v1/chat/completions"):
        with serving(Reply(completion("Me."))) as server:
            endpoint = LanguageModelEndpoint(f"http://127.0.0.1:{server.port}{path}", "small")
            assert model_endpoint.ask_language_model(endpoint, "Be short.", "Who?") == "Me."
        assert server.paths == ["/v1/chat/completions"]
        sent = json.loads(server.bodies[0])
        assert [message["content"] for message in sent["messages"]] == ["Be short.", "Who?"]
        assert (sent["model"], sent["temperature"], sent["stream"]) == ("small", 0.3, False)


def test_whatever_goes_wrong_is_reported_in_a_few_words() -> None:
    for reply, why in (
        (Reply(b"", status=500), "status 500"),
        (Reply(b"", status=302, headers={"Location": "http://127.0.0.1:1/"}), "status 302"),
        (Reply(b"<html>"), "not a chat completion"),
        (Reply(b'{"choices": []}'), "not a chat completion"),
        (Reply(b'{"choices": [{"message": {"content": 7}}]}'), "not a chat completion"),
        (Reply(b"[" * 200_000), "not a chat completion"),
        (Reply(b"x" * 1_000_100), "too large"),
        (Reply(None), "could not be asked"),
    ):
        with pytest.raises(Unavailable, match=why):
            query(reply)


def test_nobody_waits_longer_than_requested_for_one_that_hangs_or_drips() -> None:
    for reply in (Reply(completion("Me."), wait=30.0), Reply(completion("Me."), drip=0.1)):
        began = time.monotonic()
        with pytest.raises(Unavailable, match="not answer"):
            query(reply, timeout=0.4)
        assert time.monotonic() - began < 3


def test_an_address_where_nothing_listens() -> None:
    with serving(Reply(b"")) as server:
        port = server.port
    with pytest.raises(Unavailable, match="nothing answers at its address"):
        model_endpoint.ask_language_model(
            LanguageModelEndpoint(f"http://127.0.0.1:{port}/v1", ""), "", "Who?", timeout=5
        )


def test_without_a_model_none_is_named() -> None:
    with serving(Reply(completion("Me."))) as server:
        model_endpoint.ask_language_model(
            LanguageModelEndpoint(f"http://127.0.0.1:{server.port}", ""), "", "Who?"
        )
    assert "model" not in json.loads(server.bodies[0])
    assert server.paths == ["/chat/completions"]


def test_a_key_goes_along_and_only_where_nobody_reads_it() -> None:
    """CE-11."""
    with serving(Reply(completion("Me."))) as server:
        address = f"http://127.0.0.1:{server.port}/v1"
        for key in ("", "k-1"):
            model_endpoint.ask_language_model(
                LanguageModelEndpoint(address, "", key, 0.9, 40), "", "Who?"
            )
    assert [headers.get("Authorization") for headers in server.headers] == [None, "Bearer k-1"]
    sent = json.loads(server.bodies[1])
    assert (sent["temperature"], sent["max_tokens"]) == (0.9, 40)
    with pytest.raises(Unavailable, match="over https only"):
        model_endpoint.ask_language_model(
            LanguageModelEndpoint("http://models.example/v1", "", "k-1"), "", "Who?"
        )
