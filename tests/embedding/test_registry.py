"""Models by name (CF-57, CE-40)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gitmem.embedding.base import model_identity
from gitmem.embedding.registry import known_models, open_embedder
from gitmem.errors import InvalidInput, Unavailable
from tests.support.tables import table


@pytest.mark.parametrize("name", ["builtin", "contextual", "hashed"])
def test_a_name_opens_its_model(name: str) -> None:
    model = open_embedder(name)
    assert model_identity(model).startswith(f"{name}:")
    assert len(model.embed(["some text"])[0]) == model.dimension


@table("name", ["", "built-in", "fastembed", "openai:ada", "builtin:2"])
def test_an_unknown_name_is_refused_with_the_forms_that_exist(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_embedder(name)
    assert "builtin, contextual, hashed, or fastembed:" in caught.value.hint


def test_fastembed_without_a_model_is_refused() -> None:
    with pytest.raises(InvalidInput):
        open_embedder("fastembed:")


def test_known_lists_ours_first_and_the_hub_models_after() -> None:
    names = [model.name for model in known_models()]
    assert names[:3] == ["builtin", "contextual", "hashed"]
    pytest.importorskip("fastembed")
    assert "fastembed:BAAI/bge-small-en-v1.5" in names


def test_known_without_fastembed_lists_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    assert [model.name for model in known_models()] == ["builtin", "contextual", "hashed"]


def test_opening_a_fastembed_model_touches_nothing_yet(tmp_path: Path) -> None:
    model = open_embedder(f"fastembed:{tmp_path / 'nothing'}")
    with pytest.raises(Unavailable):
        model.embed(["text"])
