"""A model at an endpoint in a repository: chosen, lost, back again; and who may have it asked.

CC-3, CE-40, CF-57. An address that is not the loopback one and still leads here is 0.0.0.0.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest

from gitmem.background import follow
from gitmem.embedding import endpoint
from gitmem.errors import Conflict, InvalidInput, Unavailable
from gitmem.indexing import endpoint_model
from gitmem.retrieval import search_notes
from gitmem.store.code import vectors
from gitmem.store.db import projects
from tests.mcp.peers import FULL, connected
from tests.support.apps import MINUTE, Desk
from tests.support.chat_server import Reply, Serving, serving
from tests.support.embedding_server import embeddings
from tests.support.repos import RepoBuilder

CAR, HOUSE = "The red car is in the garage", "A green house stands by the lake"
AWAY = "https://models.example.org/v1"


class Switched:
    """A server of both protocols that can be told to answer otherwise."""

    def __init__(self) -> None:
        self.instead: Reply | None = None
        self.texts_left = 10_000  # texts that get vectors before it fails
        self.seed = ""
        self.server: Serving

    def __call__(self, path: str, body: str) -> Reply:
        self.texts_left -= len(texts_in(body))
        out = Reply(b"", status=503) if texts_in(body) and self.texts_left < 0 else None
        return self.instead or out or embeddings(seed=self.seed)(path, body)

    @property
    def texts(self) -> list[str]:
        """All texts that were sent, without the sample that asks for the dimension."""
        return [text for body in self.server.bodies for text in texts_in(body)]


def texts_in(body: str) -> list[str]:
    """The texts of a request, without the sample that asks for the dimension."""
    return [text for text in json.loads(body)["input"] if text != "dimension"] if body else []


@pytest.fixture
def model() -> Iterator[Switched]:
    switched = Switched()
    with serving(switched) as switched.server:
        yield switched


@pytest.fixture(params=["ollama", "openai"])
def desk(desk: Desk, model: Switched, request: pytest.FixtureRequest) -> Desk:
    """A repository with two memories whose model is at the endpoint."""
    path = "" if request.param == "ollama" else "/v1"
    desk.run("remember", text=CAR)
    desk.run("remember", text=HOUSE)
    address = f"http://127.0.0.1:{model.server.port}{path}"
    desk.run("config", key="embedding.endpoint", value=address)
    desk.run("model use", name=f"{request.param}:small")
    desk.run("config", key="embedding.timeout", value="1")
    return desk


@pytest.fixture
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of an index run that no test needs."""
    monkeypatch.setattr(endpoint, "RETRIES", (0.01, 0.01))
    monkeypatch.setattr(endpoint, "PAUSE", 0.0)


def _take_time(desk: Desk) -> None:
    """Wait for the server where it answers: on a busy machine a second is not enough."""
    desk.run("config", key="embedding.timeout", value="60")


def stored(desk: Desk) -> dict[str, int]:
    app = desk.app()
    try:
        return vectors.vector_counts_by_model(app.store)
    finally:
        app.close()


def waits_since(desk: Desk) -> str:
    app = desk.app()
    try:
        return projects.get_meta(app.store, projects.VECTORS_FAILED_AT) or ""
    finally:
        app.close()


def test_all_texts_are_embedded_again_each_once_and_found_by_meaning(
    desk: Desk, model: Switched
) -> None:
    state = desk.run("model status")
    assert state.loads and state.waiting == 0 and state.dimension == 256
    assert set(stored(desk)) == {state.identity}
    assert len(model.texts) == len(set(model.texts)) == stored(desk)[state.identity]
    assert any(CAR in text for text in model.texts)
    found = desk.run("recall", query="the garage of a car", mode="semantic")
    assert found.memories[0].content == CAR
    hits = desk.run("search", query="mend the cart", mode="semantic", sources=("commits",)).hits
    assert hits[0].title == "Mend the cart" and hits[0].similarity > 0.5
    assert desk.run("index").vectors == 0
    desk.run("model use", name="builtin")
    assert [name.partition(":")[0] for name in stored(desk)] == ["builtin"]


@pytest.mark.parametrize(
    "instead",
    [Reply(b"", status=503), Reply(b"{}", wait=20.0), Reply(b"{}" * 99, drip=0.2), Reply(None)],
)
def test_without_the_server_words_serve_in_time_and_each_answer_says_so(
    desk: Desk, model: Switched, instead: Reply
) -> None:
    model.instead = instead
    begun = time.monotonic()
    for verb, values in (
        ("search", {"query": "red car"}),
        ("recall", {"query": "red car"}),
        ("ask", {"question": "where is the red car"}),
        ("context", {"query": "red car"}),
    ):
        text = desk.text(verb, **values)
        assert "garage" in text, text
        assert text.count("Only words were compared. The model small at") == 1, text
    desk.run("remember", text="A blue boat lies at the pier")
    assert "pier" in desk.text("recall", query="blue boat")
    with pytest.raises(Unavailable, match="was not used"):
        desk.run("recall", query="red car", mode="semantic")
    # One request of the whole process waited, for the second that is allowed.
    assert time.monotonic() - begun < 8


def test_a_search_that_waits_for_the_server_says_that_it_was_slow(
    desk: Desk, model: Switched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC-16."""
    monkeypatch.setattr(search_notes, "SLOW_MS", 500)
    model.instead = Reply(b"{}", wait=20.0)
    text = desk.text("search", query="red car")
    assert "of it the model that compares by meaning. Its server is slow" in text
    assert "This took" not in desk.text("search", query="red car"), "it is not asked again at once"


def test_an_index_run_without_the_server_finds_words_and_a_later_one_adds_meaning(
    desk: Desk, model: Switched, in_a_hurry: None
) -> None:
    repo = RepoBuilder(desk.place, init=False)
    model.instead = Reply(b"", status=503)
    before = stored(desk)
    repo.commit("Add a lighthouse", {"src/lamp.py": "def kindle_lamp():\n    return 'bright'\n"})
    done = desk.run("index")
    assert (done.added, done.commits, done.vectors) == (1, 1, 0)
    assert "503" in done.lacks and "vectors are missing: The model" in desk.text("index")
    assert desk.run("status").index.state == "current"
    assert desk.run("search", query="kindle_lamp").hits[0].path == "src/lamp.py"
    assert stored(desk) == before and waits_since(desk)
    # In the background it is not asked again at once, and then it is.
    assert work_off(desk) == 0
    desk.clock.advance(6 * MINUTE)
    assert work_off(desk) == 1 and stored(desk) == before
    model.instead = None
    assert work_off(desk) == 0
    desk.clock.advance(6 * MINUTE)
    assert work_off(desk) == 1
    assert sum(stored(desk).values()) > sum(before.values()) and not waits_since(desk)
    assert work_off(desk) == 0 and desk.run("model status").waiting == 0
    hits = desk.run("search", query="def kindle_lamp", mode="semantic", sources=("code",)).hits
    assert hits[0].path == "src/lamp.py"


def work_off(desk: Desk) -> int:
    """What a background run does for the worktrees; how many it worked on."""
    app = desk.app()
    try:
        return follow.update_worktrees(app)
    finally:
        app.close()


def test_a_model_that_was_exchanged_under_its_name_is_noticed(
    desk: Desk, model: Switched, in_a_hurry: None
) -> None:
    """Vectors of two models are never compared, not even where both have one name and dimension."""
    before = stored(desk)
    model.seed = "another"
    RepoBuilder(desk.place, init=False).commit("Add a lamp", {"src/lamp.py": "kindle_lamp = 1\n"})
    done = desk.run("index")
    assert "its vectors differ" in done.lacks and "model use builtin" in done.lacks
    assert stored(desk) == before
    name = desk.run("model status").name
    desk.run("model use", name="builtin")
    desk.run("model use", name=name)
    assert desk.run("recall", query="a car in the garage", mode="semantic").memories
    assert desk.run("index").lacks == "" and desk.run("model status").waiting == 0


def test_words_are_found_while_an_index_run_waits_for_the_server(
    desk: Desk, model: Switched, in_a_hurry: None
) -> None:
    """A commit, its hook and a search meanwhile wait for nothing."""
    desk.run("config", key="embedding.timeout", value="20")
    RepoBuilder(desk.place, init=False).commit("Add a lamp", {"src/lamp.py": "kindle_lamp = 1\n"})
    model.instead = Reply(b"{}", wait=5.0)
    run = threading.Thread(target=desk.run, args=("index",), daemon=True)
    run.start()
    begun = time.monotonic()
    while not desk.run("search", query="kindle_lamp", mode="keyword").hits:
        assert time.monotonic() - begun < 10 and run.is_alive()
        time.sleep(0.05)
    assert run.is_alive()
    desk.run("remember", text="The lamp is lit")
    assert time.monotonic() - begun < 12
    model.instead = None
    run.join()
    assert desk.run("model status").waiting <= 1


def test_a_question_waits_a_second_for_a_server_that_failed_the_last_run(
    desk: Desk, model: Switched, in_a_hurry: None
) -> None:
    desk.run("config", key="embedding.timeout", value="30")
    for failed, seconds in (("", 5.0), ("1", 1.0)):
        app = desk.app()
        with app.store.write():
            projects.set_meta(app.store, projects.VECTORS_FAILED_AT, failed)
        opened = endpoint_model.cached_endpoint_model(
            app, app.settings.text("model"), allow_long_wait=False
        )
        app.close()
        assert (
            isinstance(opened, endpoint.EndpointEmbedder)
            and opened.server.timeout_seconds == seconds
        )


def test_edits_that_were_indexed_without_the_server_get_their_vectors_later(
    desk: Desk, model: Switched, in_a_hurry: None
) -> None:
    _take_time(desk)
    model.instead = Reply(b"", status=503)
    (desk.place / "src" / "cart" / "cart.py").write_text("def weigh():\n    return 'heavy'\n")
    done = desk.run("index", path=("src/cart/cart.py",))
    assert done.lacks and desk.run("search", query="weigh").hits[0].path == "src/cart/cart.py"
    model.instead = None
    assert desk.run("index").vectors == 1 and desk.run("model status").waiting == 0


def test_a_run_that_is_stopped_in_between_loses_little(
    desk: Desk, model: Switched, in_a_hurry: None
) -> None:
    files = {f"src/part{n}.py": f"def part{n}():\n    return 'value{n}'\n" for n in range(300)}
    RepoBuilder(desk.place, init=False).commit("Add parts", files)
    before = sum(stored(desk).values())
    _take_time(desk)
    model.texts_left = 250
    assert "503" in desk.run("index").lacks
    made = sum(stored(desk).values()) - before
    assert made >= 128
    model.texts_left = 10_000
    assert desk.run("index").vectors <= 301 - made
    assert desk.run("model status").waiting == 0


def test_a_server_over_mcp_answers_by_words_while_its_model_hangs(
    desk: Desk, model: Switched
) -> None:
    with connected(desk.place, desk.env, options=FULL) as server:
        assert "similar" in str(server("recall", query="red car"))
        model.instead = Reply(b"{}", wait=20.0)
        begun = time.monotonic()
        for query in ("green house", "red garage", "lake"):
            text = str(server("recall", query=query).content)
            assert "Only words were compared" in text
        assert time.monotonic() - begun < 6


def test_an_address_off_the_machine_needs_a_persons_word(bare: Desk, model: Switched) -> None:
    address = f"http://0.0.0.0:{model.server.port}/v1"
    bare.run("config", key="embedding.endpoint", value=address)
    with pytest.raises(Unavailable, match="nobody has agreed yet") as output:
        bare.run("model use", name="openai:small")
    assert f"gitmem config embedding.endpoint --agree {address}" in output.value.message
    bare.env["GITMEM_MODEL"] = "openai:small"
    text = bare.text("recall", query="red car")
    assert "garage" in text and "no person has agreed" in text
    assert "no person has agreed" in bare.run("index").lacks
    assert not model.server.paths
    # Consent to what `ask` sends is no consent to this.
    bare.run("config", key="ask.endpoint", value=address)
    bare.run("config", key="ask.endpoint", agree=address)
    assert "no person has agreed" in bare.text("recall", query="red car")
    with pytest.raises(Conflict, match="only a person"):
        bare.run("config", by="codex", key="embedding.endpoint", agree=address)
    done = bare.run("config", key="embedding.endpoint", agree=address)
    assert any(address in note for note in done.notes)
    assert bare.run("index").vectors > 0 and model.texts
    bare.run("config", key="embedding.endpoint", unset=True)
    bare.env["GITMEM_EMBEDDING_ENDPOINT"] = address
    count = len(model.texts)
    assert "no person has agreed" in bare.text("recall", query="red car")
    assert len(model.texts) == count


@pytest.fixture
def bare(bare_desk: Desk) -> Desk:
    bare_desk.run("init", no_hooks=True, no_index=True)
    bare_desk.run("remember", text=CAR)
    return bare_desk


def test_a_person_at_a_terminal_is_asked_what_may_be_sent(bare: Desk, model: Switched) -> None:
    from gitmem.operations.maintenance.model import UseModelRequest, use_model

    address = f"http://0.0.0.0:{model.server.port}/v1"
    bare.run("config", key="embedding.endpoint", value=address)
    questions: list[str] = []

    def at_terminal(question: str, default: bool) -> bool:
        assert not default
        questions.append(question)
        return len(questions) > 1

    for agreed in (False, True):
        app = bare.app()
        app.ask = at_terminal
        try:
            if agreed:
                (bare.settings_file.parent / "embedding-endpoint").unlink()
                assert use_model(app, UseModelRequest("openai:small")).embedded > 0
            else:
                with pytest.raises(Unavailable, match="you did not agree"):
                    use_model(app, UseModelRequest("openai:small"))
        finally:
            app.close()
    assert all(address in question and "your memories" in question for question in questions)


def test_no_agent_and_no_repository_has_texts_sent(bare: Desk, model: Switched) -> None:
    address = f"http://127.0.0.1:{model.server.port}"
    for values in ({"key": "embedding.endpoint", "value": address},
                   {"key": "embedding.timeout", "value": "600"}):  # fmt: skip
        with pytest.raises(Conflict):
            bare.run("config", by="codex", **values)
    bare.run("config", key="embedding.endpoint", value=address)
    with pytest.raises(Conflict, match="only a person"):
        bare.run("model use", by="codex", name="ollama:small")
    (bare.place / ".gitmem.toml").write_text(
        'model = "openai:small"\n[embedding]\n'
        f'endpoint = "http://127.0.0.1:{model.server.port}/v1"\ntimeout = 600\n'
    )
    bare.run("index")
    assert bare.run("model status").name == "builtin" and not model.server.paths
    warned = " ".join(bare.run("config").warnings)
    for key in ("model", "embedding.endpoint", "embedding.timeout"):
        assert f"{key} is ignored in a file that comes with a repository" in warned


def test_the_key_is_from_a_variable_and_in_no_file(bare: Desk, model: Switched) -> None:
    bare.env["GITMEM_EMBEDDING_KEY"] = "k-123456"
    address = f"http://127.0.0.1:{model.server.port}/v1"
    bare.run("config", key="embedding.endpoint", value=address)
    bare.run("model use", name="openai:small")
    assert {headers["Authorization"] for headers in model.server.headers} == {"Bearer k-123456"}
    for path in [*bare.place.rglob("*"), *bare.home.rglob("*")]:
        assert not path.is_file() or b"k-123456" not in path.read_bytes(), path
    with pytest.raises(InvalidInput, match="no setting"):
        bare.run("config", key="embedding.key", value="k-123456")


def test_an_address_is_needed_and_has_to_be_one(bare: Desk) -> None:
    with pytest.raises(Unavailable, match="no address for the model openai:small") as output:
        bare.run("model use", name="openai:small")
    assert "gitmem config embedding.endpoint" in output.value.hint
    for value in ("localhost:11434", "ftp://a/v1", "https://user:secret@a/v1", "file:///etc"):
        with pytest.raises(InvalidInput):
            bare.run("config", key="embedding.endpoint", value=value)
    app = bare.app()
    assert endpoint_model.endpoint_address(app, "ollama:small") == "http://127.0.0.1:11434"
    app.close()
    for name in ("ollama:", "openai"):
        with pytest.raises(InvalidInput):
            bare.run("model use", name=name)
    with pytest.raises(InvalidInput, match="nothing can be downloaded"):
        bare.run("model pull", name="ollama:small")
