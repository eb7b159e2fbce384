"""`gitmem model` (CF-57): which models there are, which is in use, changing it, never mixing two.

Models of the fastembed library are real: a tiny ONNX folder that the tests write.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from gitmem.errors import Conflict, InvalidInput, NotInitialized, Unavailable
from gitmem.operations.maintenance.model import EmbeddingModelSwitch
from gitmem.store.code import vectors
from tests.embedding import tiny_model
from tests.support.apps import Desk
from tests.support.cli import Program

ABSENT = "fastembed:BAAI/bge-small-en-v1.5"
HASHED = "hashed:words:256:1"
CAR, HOUSE = "The red car is in the garage", "A green house stands by the lake"
REASON = "the optional package fastembed is not installed"


@pytest.fixture
def full_desk(desk: Desk) -> Desk:
    """Three commits, a few files and two memories, all with vectors of the built-in model."""
    desk.run("remember", text=CAR, by="codex")
    desk.run("remember", text=HOUSE, by="codex")
    desk.run("index")
    return desk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("fastembed", reason=REASON)
    return tiny_model.make(tmp_path / "models" / "tiny")


def stored(desk: Desk) -> dict[str, int]:
    """Identity -> vectors."""
    app = desk.app()
    try:
        return vectors.vector_counts_by_model(app.store)
    finally:
        app.close()


def setting(desk: Desk) -> object:
    path = desk.settings_file
    return tomllib.loads(path.read_text("utf-8"))["model"] if path.exists() else None


def by_meaning(desk: Desk, query: str) -> list[str]:
    found = desk.run("search", query=query, mode="semantic", sources=("memories",))
    return [hit.snippet for hit in found.hits]


def similarities(desk: Desk, query: str) -> list[float | None]:
    """Of the commits that share a word with the query; None where nothing was compared.

    (Memories will not do: a search makes their missing vectors itself.)
    """
    found = desk.run("search", query=query, sources=("commits",))
    return [hit.similarity for hit in found.hits]


def use(desk: Desk, name: str, **values: bool) -> EmbeddingModelSwitch:
    used = desk.run("model use", name=name, **values)
    assert isinstance(used, EmbeddingModelSwitch)
    return used


def test_the_list_marks_the_model_in_use(desk: Desk) -> None:
    models = desk.run("model list").models
    assert [model.name for model in models[:3]] == ["builtin", "contextual", "hashed"]
    assert [model.name for model in models if model.in_use] == ["builtin"]
    use(desk, "hashed")
    assert [model.name for model in desk.run("model list").models if model.in_use] == ["hashed"]
    assert "\n* hashed " in desk.text("model list")


def test_the_list_is_shown_outside_a_repository(bare_desk: Desk) -> None:
    listed = bare_desk.at(bare_desk.home).run("model list")
    assert [model.name for model in listed.models if model.in_use] == ["builtin"]


def test_the_list_names_the_models_of_the_library(desk: Desk) -> None:
    pytest.importorskip("fastembed", reason=REASON)
    listed = desk.run("model list")
    assert listed.fastembed
    assert {model.name: model.dimension for model in listed.models}[ABSENT] == 384


def test_the_status_tells_the_model_and_its_vectors(full_desk: Desk) -> None:
    state = full_desk.run("model status")
    assert (state.name, state.source, state.provider, state.dimension) == (
        "builtin",
        "default",
        "builtin",
        256,
    )
    assert state.loads and not state.error
    assert state.identity == f"builtin:static:256:{state.checksum[:16]}"
    assert [(item.identity, item.in_use) for item in state.stored] == [(state.identity, True)]
    assert state.stored[0].vectors > 5
    assert state.waiting == 0


def test_the_status_counts_the_texts_that_wait(full_desk: Desk) -> None:
    full_desk.run("remember", text="A blue boat lies at the pier", by="codex")
    assert full_desk.run("model status").waiting == 1
    assert "1 texts: run `gitmem index`" in full_desk.text("model status")


def test_the_status_of_a_model_that_does_not_load_is_a_sentence(full_desk: Desk) -> None:
    full_desk.env["GITMEM_MODEL"] = "fastembed:/nowhere/at/all"
    state = full_desk.run("model status")
    assert not state.loads
    assert state.error == "/nowhere/at/all is not a folder with a tokenizer.json."
    assert state.hint
    assert (state.waiting, state.dimension, state.identity) == (None, None, "")
    assert [item.in_use for item in state.stored] == [False]
    assert "loads  no: /nowhere/at/all is not a folder" in full_desk.text("model status")


def test_another_model_replaces_every_vector_and_back(full_desk: Desk) -> None:
    before = stored(full_desk)
    count = sum(before.values())
    used = use(full_desk, "hashed")
    assert (used.embedded, used.dropped, used.waiting) == (count, count, 0)
    assert (used.name, used.previous, used.identity) == ("hashed", "builtin", HASHED)
    assert used.changed == str(full_desk.settings_file)
    assert setting(full_desk) == "hashed"
    assert stored(full_desk) == {HASHED: count}
    assert by_meaning(full_desk, CAR)[0] == CAR
    assert use(full_desk, "builtin").embedded == count
    assert stored(full_desk) == before
    assert by_meaning(full_desk, "an automobile in the garage")[0] == CAR


def test_vectors_of_another_model_are_never_compared(full_desk: Desk) -> None:
    """Both models have 256 dimensions: only the identity keeps their vectors apart."""
    count = sum(stored(full_desk).values())
    used = use(full_desk, "hashed", no_embed=True)
    assert (used.embedded, used.dropped, used.waiting) == (0, 0, count)
    assert HASHED not in stored(full_desk)
    assert similarities(full_desk, "Mend the cart") == [None, None]
    assert full_desk.run("index").vectors == count
    assert similarities(full_desk, "Mend the cart")[0] == pytest.approx(1, abs=0.01)
    assert set(stored(full_desk)) > {HASHED}
    assert use(full_desk, "hashed").dropped == count
    assert set(stored(full_desk)) == {HASHED}


def test_the_same_model_again_changes_nothing(full_desk: Desk) -> None:
    before = stored(full_desk)
    used = use(full_desk, "builtin")
    assert (used.embedded, used.dropped) == (0, 0)
    assert stored(full_desk) == before


@pytest.mark.parametrize("name", ["", "word2vec", "fastembed:", "fastembed", "a\x1b[31m"])
def test_a_name_of_no_model_changes_nothing(full_desk: Desk, name: str) -> None:
    before = stored(full_desk)
    for operation in ("model use", "model pull"):
        with pytest.raises(InvalidInput) as refused:
            full_desk.run(operation, name=name)
        assert refused.value.hint
        assert "\x1b" not in refused.value.message
    assert setting(full_desk) is None
    assert stored(full_desk) == before


def test_a_variable_that_wins_over_the_file_is_reported(full_desk: Desk) -> None:
    full_desk.env["GITMEM_MODEL"] = "builtin"
    with pytest.raises(Conflict, match="GITMEM_MODEL sets the model to builtin"):
        use(full_desk, "hashed")
    assert setting(full_desk) is None
    assert use(full_desk, "builtin").waiting == 0


def test_only_a_repository_that_is_set_up_has_a_model(bare_desk: Desk) -> None:
    for operation, values in (("model status", {}), ("model use", {"name": "hashed"})):
        with pytest.raises(NotInitialized):
            bare_desk.run(operation, **values)


def test_a_model_that_is_not_here_is_reported_in_a_sentence(
    program: Program, tmp_path: Path
) -> None:
    pytest.importorskip("fastembed", reason=REASON)
    program.env["FASTEMBED_CACHE_PATH"] = str(tmp_path / "models")
    error = program.refused(7, "unavailable", "model", "use", ABSENT)
    assert error.error["message"] == "The model BAAI/bge-small-en-v1.5 is not on this machine."
    assert f"gitmem model pull {ABSENT}" in error.error["hint"]
    assert not [*program.cwd.parent.glob("home/gitmem/stores/*/config.toml")]
    assert not any((tmp_path / "models").rglob("*.onnx"))


def test_pulling_without_a_network_is_reported_in_a_sentence(
    program: Program, tmp_path: Path
) -> None:
    pytest.importorskip("fastembed", reason=REASON)
    # The library's own word for no network; a dead proxy would be tried for 40 seconds.
    program.env |= {"FASTEMBED_CACHE_PATH": str(tmp_path / "models"), "HF_HUB_OFFLINE": "1"}
    error = program.refused(7, "unavailable", "model", "pull", ABSENT)
    assert error.error["message"] == "The model BAAI/bge-small-en-v1.5 could not be downloaded."


def test_a_model_of_the_wheel_needs_no_pull(bare_desk: Desk) -> None:
    pulled = bare_desk.at(bare_desk.home).run("model pull", name="builtin")
    assert (pulled.name, pulled.dimension) == ("builtin", 256)


def test_a_folder_is_used_and_kept_in_full(full_desk: Desk, folder: Path) -> None:
    count = sum(stored(full_desk).values())
    used = use(full_desk, "fastembed:../models/tiny")
    assert used.name == setting(full_desk) == f"fastembed:{folder}"
    assert (used.embedded, used.dropped) == (count, count)
    state = full_desk.run("model status")
    assert (state.loads, state.provider, state.dimension) == (
        True,
        "fastembed",
        tiny_model.DIMENSION,
    )
    assert stored(full_desk) == {state.identity: count}
    assert by_meaning(full_desk, HOUSE)[0] == HOUSE
    assert "from the settings" in full_desk.text("model list")


def test_a_folder_that_changed_is_another_model(full_desk: Desk, folder: Path) -> None:
    """The checksum is part of the identity: old vectors wait to be made again."""
    use(full_desk, f"fastembed:{folder}")
    tiny_model.make(folder, seed=2)
    state = full_desk.run("model status")
    assert state.waiting == sum(item.vectors for item in state.stored) > 0
    assert similarities(full_desk, "Mend the cart") == [None, None]
    used = use(full_desk, f"fastembed:{folder}")
    assert used.embedded == used.dropped == state.waiting


def test_a_folder_that_is_gone_leaves_the_words(full_desk: Desk, folder: Path) -> None:
    use(full_desk, f"fastembed:{folder}")
    (folder / "tokenizer.json").unlink()
    assert not full_desk.run("model status").loads
    with pytest.raises(Unavailable):
        full_desk.run("model pull", name=f"fastembed:{folder}")
    assert full_desk.run("search", query="red car", mode="keyword").hits


def test_the_command_line_says_what_became_of_the_vectors(program: Program) -> None:
    program("remember", CAR)
    program("index")
    out = program("model", "use", "hashed").out
    assert out.startswith("model: hashed (was builtin), written to ")
    assert program("model", "status", "--json").json["identity"] == HASHED
    assert (
        program("model", "use", "builtin", "--no-embed")
        .out.splitlines()[-1]
        .endswith("wait for a vector: run `gitmem index`")
    )
    assert "Models: list, status, use, pull" in program("model", "--help").out
