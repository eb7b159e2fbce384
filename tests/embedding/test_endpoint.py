"""Models at an endpoint: what is sent, and what comes of servers that fail or lie.

CC-3, CE-40, CF-57.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from gitmem.embedding import base, endpoint
from gitmem.embedding.endpoint import EndpointEmbedder, EndpointUnavailable, ModelServer
from gitmem.embedding.registry import is_model_name, is_remote_model, open_embedder
from gitmem.errors import Unavailable
from tests.support.chat_server import Reply, Serving, serving
from tests.support.embedding_server import (
    DIMENSION,
    as_json,
    embeddings,
    of_vectors,
    vector,
)

PATHS = {"ollama": "", "openai": "/v1"}
BOTH = pytest.mark.parametrize("provider", sorted(PATHS))


def at(server: Serving, provider: str, **how: Any) -> EndpointEmbedder:
    address = f"http://127.0.0.1:{server.port}{PATHS[provider]}"
    return EndpointEmbedder(provider, "small", ModelServer(address, how.pop("seconds", 5.0), **how))


def sent(server: Serving) -> list[list[str]]:
    """The texts of each request for vectors, without that for the dimension."""
    return [json.loads(body)["input"] for body in server.bodies if body][1:]


@BOTH
def test_vectors_come_in_order_and_in_requests_of_bounded_size(provider: str) -> None:
    texts = [f"text number{number}" for number in range(70)]
    with serving(embeddings()) as server:
        made = at(server, provider).embed(texts)
    assert made == [base.quantise_vector(vector(text)) for text in texts]
    assert [len(some) for some in sent(server)] == [32, 32, 6]
    assert {json.loads(body)["model"] for body in server.bodies if body} == {"small"}
    assert set(server.paths) == (
        {"/api/tags", "/api/embed"} if provider == "ollama" else {"/v1/embeddings"}
    )


@BOTH
def test_its_identity_tells_models_apart(provider: str) -> None:
    identities = []
    for digest, dimension in (("a" * 64, 64), ("b" * 64, 64), ("b" * 64, 128)):
        with serving(embeddings(dimension, digest=digest)) as server:
            model = at(server, provider)
            assert base.model_identity(model) == base.model_identity(at(server, provider))
            assert base.model_identity(model).startswith(f"{provider}:small:{dimension}:")
        identities.append(base.model_identity(model))  # asked once: the server is gone
    assert len(set(identities)) == 3


@BOTH
def test_a_secret_is_not_sent_and_an_empty_text_is_like_nothing(provider: str) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with serving(embeddings()) as server:
        made = at(server, provider).embed([f"token {key} of the cart", "", " \n"], is_query=True)
    assert made[1:] == [bytes(DIMENSION)] * 2 and any(made[0])
    assert key not in "".join(server.bodies)
    assert "of the cart" in sent(server)[0][0]


def test_questions_and_passages_have_the_prefixes_of_the_family() -> None:
    with serving(embeddings(name="nomic-embed-text:latest")) as server:
        address = f"http://127.0.0.1:{server.port}"
        model = EndpointEmbedder("ollama", "nomic-embed-text", ModelServer(address, 5.0))
        model.embed(["a cart"], is_query=True)
        model.embed(["a cart"])
    assert sent(server) == [["search_query: a cart"], ["search_document: a cart"]]


@BOTH
def test_a_key_is_sent_as_a_bearer_token_and_not_in_clear_over_a_network(provider: str) -> None:
    with serving(embeddings()) as server:
        at(server, provider, api_key="k-1").embed(["a"])
        assert {headers["Authorization"] for headers in server.headers} == {"Bearer k-1"}
        away = ModelServer(f"http://0.0.0.0:{server.port}", 5.0, api_key="k-1")
        count = len(server.headers)
        with pytest.raises(Unavailable, match="over https only"):
            EndpointEmbedder(provider, "small", away).embed(["a"])
        assert len(server.headers) == count


NAN = float("nan")
# What a server may answer to a request for the vector of one text, and the reason given then.
WRONG: list[tuple[Callable[[str], Reply], str]] = [
    (lambda path: of_vectors(path, [vector("a", 128)]), "128 values where it gave 256"),
    (lambda path: of_vectors(path, [[NAN] * 256]), "no numbers"),
    (lambda path: of_vectors(path, [[float("inf")] * 256]), "no numbers"),
    (lambda path: of_vectors(path, [[10**400] * 256]), "no embeddings"),
    (lambda path: of_vectors(path, [["1"] * 256]), "no embeddings"),
    (lambda path: of_vectors(path, [[True] * 256]), "no embeddings"),
    (lambda path: of_vectors(path, [[]]), "no embeddings"),
    (lambda path: of_vectors(path, [None]), "no embeddings"),
    (lambda path: of_vectors(path, ["abc"]), "no embeddings"),
    (lambda path: of_vectors(path, []), "0 vectors for 1 texts"),
    (lambda path: of_vectors(path, [vector("a")] * 3), "3 vectors for 1 texts"),
    (lambda path: as_json([1]), "no embeddings"),
    (lambda path: as_json({"embeddings": 3, "data": 3}), "no embeddings"),
    (lambda path: as_json({"embeddings": {}, "data": [3]}), "no embeddings"),
    (lambda path: Reply(b"<html>"), "no embeddings"),
    (lambda path: Reply(b"[" * 60_000), "no embeddings"),
    (lambda path: Reply(b" " * 50_000_000), "too large"),
    (lambda path: Reply(b"", status=302, headers={"Location": "http://127.0.0.1:1/"}), "302"),
    (lambda path: Reply(b"", status=401), "401"),
    (lambda path: Reply(b"", status=500), "500"),
    (lambda path: Reply(None), "could not be asked"),
    (lambda path: Reply(b"{}", wait=30.0), "did not answer within"),
    (lambda path: Reply(b"{" * 1000, drip=0.05), "did not answer within"),
]


@BOTH
@pytest.mark.parametrize("place", range(len(WRONG)))
def test_a_wrong_answer_is_refused_in_a_sentence_and_the_next_one_is_taken(
    provider: str, place: int
) -> None:
    """Nothing of it is stored, and it does not take longer than allowed."""
    wrong, reason = WRONG[place]
    right = embeddings()
    bad = False

    def reply(path: str, body: str) -> Reply:
        return wrong(path) if bad and path != "/api/tags" else right(path, body)

    with serving(reply) as server:
        model = at(server, provider, seconds=0.5)
        model.load()
        bad = True
        begun = time.monotonic()
        with pytest.raises(EndpointUnavailable, match=reason) as output:
            model.embed(["a"], is_query=True)
        assert time.monotonic() - begun < 3
        assert "small" in output.value.message and output.value.hint
        bad = False
        assert at(server, provider).embed(["a"]) == [base.quantise_vector(vector("a"))]


def test_an_order_that_is_none_is_refused() -> None:
    for places in ([0, 0], [1, 2], [0, None], [0.0, 1], [True, 0]):
        rows = [{"index": place, "embedding": vector("a")} for place in places]
        answers = [as_json({"data": [{"embedding": vector("x")}]}), as_json({"data": rows})]
        with (
            serving(lambda _path, _body, answers=answers: answers.pop(0)) as server,
            pytest.raises(EndpointUnavailable, match="no embeddings"),
        ):
            at(server, "openai").embed(["a", "b"])


def test_a_model_that_the_server_lacks_or_that_cannot_be_stored() -> None:
    with serving(embeddings(name="large:latest")) as server:
        with pytest.raises(EndpointUnavailable, match="no such model") as output:
            at(server, "ollama").load()
        assert output.value.hint == "Download it with: ollama pull small"
    odd = "60, is not a multiple of 8"
    with serving(embeddings(60)) as server, pytest.raises(EndpointUnavailable, match=odd):
        at(server, "openai").load()


@BOTH
def test_after_a_failure_a_process_asks_no_more_for_a_while(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = embeddings()
    slow = True

    def reply(path: str, body: str) -> Reply:
        return Reply(b"{}", wait=10.0) if slow else right(path, body)

    with serving(reply) as server:
        model = at(server, provider, seconds=0.3)
        begun = time.monotonic()
        for _ in range(20):
            with pytest.raises(EndpointUnavailable, match="did not answer within"):
                model.embed(["a"], is_query=True)
        assert time.monotonic() - begun < 2 and len(server.paths) == 1
        slow = False
        monkeypatch.setattr(endpoint, "PAUSE", 0.0)
        again = at(server, provider)
        assert any(again.embed(["a"], is_query=True)[0])


@BOTH
def test_a_patient_run_tries_again_and_waits_as_long_as_requested(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "RETRIES", (0.05, 0.05))
    right = embeddings()
    failures = [
        Reply(b"", status=503, headers={"Retry-After": "1"}),
        Reply(b"", status=429),
    ]

    def reply(path: str, body: str) -> Reply:
        return failures.pop() if failures else right(path, body)

    begun = time.monotonic()
    with serving(reply) as server:
        assert at(server, provider, retry_failed=True).embed(["a"]) == [
            base.quantise_vector(vector("a"))
        ]
    assert time.monotonic() - begun >= 1
    # A question does not try again, and neither does a run for ever.
    for patient, count in ((False, 1), (True, 3)):
        with (
            serving(Reply(b"", status=503)) as server,
            pytest.raises(EndpointUnavailable, match="503"),
        ):
            at(server, provider, retry_failed=patient).embed(["a"])
        assert len(server.paths) == count


@BOTH
@pytest.mark.parametrize("status", [400, 413, 500])
def test_a_text_that_is_too_long_is_cut_and_one_that_cannot_be_read_left_out(
    provider: str, status: int
) -> None:
    """Each server has its own limit, and says so with its own status."""
    right = embeddings()

    def reply(path: str, body: str) -> Reply:
        texts = json.loads(body)["input"] if body else []
        if any(len(text) > 900 or "poison" in text for text in texts):
            return Reply(b"{}", status=status)
        return right(path, body)

    long = "word " * 1000
    with serving(reply) as server:
        made = at(server, provider, retry_failed=True).embed(["a", long, "poison", "b"])
    assert made[0] == base.quantise_vector(vector("a")) and made[3] == base.quantise_vector(
        vector("b")
    )
    assert made[1] == base.quantise_vector(vector("word "))
    assert made[2] == bytes(DIMENSION)


@BOTH
def test_where_a_server_takes_no_text_at_all_none_is_left_out(provider: str) -> None:
    """It is the server that fails, not the texts: they wait."""
    right = embeddings()
    bad = False
    with serving(lambda *sent: Reply(b"{}", status=500) if bad else right(*sent)) as server:
        model = at(server, provider, retry_failed=True)
        model.load()
        bad = True
        with pytest.raises(EndpointUnavailable, match="500"):
            model.embed(["a", "b"])


def test_where_nothing_listens() -> None:
    with serving(Reply(b"")) as server:
        port = server.port
    model = EndpointEmbedder("ollama", "small", ModelServer(f"http://127.0.0.1:{port}", 5.0))
    with pytest.raises(EndpointUnavailable, match="nothing answers at its address"):
        model.embed(["a"], is_query=True)


def test_a_name_opens_the_model_where_a_server_is_given() -> None:
    for name in ("ollama:small", "openai:text-embedding-3-small", "ollama:nomic-embed-text:v1.5"):
        assert is_model_name(name) and is_remote_model(name)
        model = open_embedder(name, server=ModelServer("http://127.0.0.1:1", 1.0))
        assert f"{model.provider}:{model.model}" == name
    assert not is_model_name("ollama:") and not is_remote_model("fastembed:ollama")
