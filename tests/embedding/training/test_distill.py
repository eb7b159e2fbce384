"""The whole script on a teacher of one layer and a repository of two files."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="training needs numpy")
pytest.importorskip("scipy", reason="training needs scipy")

from gitmem.embedding.builtin import BuiltinEmbedder  # noqa: E402
from gitmem.embedding.table import ModelTable  # noqa: E402
from gitmem.errors import InvalidInput  # noqa: E402
from tests.bench.training.distill import main  # noqa: E402
from tests.bench.training.encoder import read_safetensors  # noqa: E402
from tests.bench.training.pairs import from_file  # noqa: E402

HIDDEN = 16
WORDS = [
    "read",
    "write",
    "file",
    "the",
    "row",
    "every",
    "from",
    "delete",
    "store",
    "open",
    "cache",
    "path",
    "in",
    "of",
    "to",
    "a",
    "def",
    "self",
]
VOCABULARY = [*(f"[unused{n}]" for n in range(103)), *WORDS, "##s"]
PAGE = """# The store

Read the store from the file. Write every row to the cache in the path.

Delete the cache of the store. Open the file to read the rows from it.
"""
CODE = '''
def read(path):
    """Read every row from the file."""
    return open(path)


def delete(path):
    """Delete the file in the path."""
    cache(path)
'''


def tensors() -> dict[str, Any]:
    """A BERT of one layer with random weights."""
    chance = np.random.default_rng(1)
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), HIDDEN),
        "embeddings.position_embeddings.weight": (8, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    layer = "encoder.layer.0."
    linear = {"attention.self.query": 1, "attention.self.key": 1, "attention.self.value": 1,
              "attention.output.dense": 1, "intermediate.dense": 2}  # fmt: skip
    for name, wide in linear.items():
        shapes[f"{layer}{name}.weight"] = (wide * HIDDEN, HIDDEN)
        shapes[f"{layer}{name}.bias"] = (wide * HIDDEN,)  # type: ignore[assignment]
    shapes[f"{layer}output.dense.weight"] = (HIDDEN, 2 * HIDDEN)
    shapes[f"{layer}output.dense.bias"] = (HIDDEN,)  # type: ignore[assignment]
    for norm in ("embeddings.", f"{layer}attention.output.", f"{layer}output."):
        shapes[f"{norm}LayerNorm.weight"] = shapes[f"{norm}LayerNorm.bias"] = (HIDDEN,)  # type: ignore[assignment]
    return {name: chance.normal(size=shape).astype("<f4") for name, shape in shapes.items()}


def write_safetensors(path: Path, values: dict[str, Any]) -> None:
    head, body = {}, b""
    for name, value in values.items():
        raw = value.tobytes()
        place = [len(body), len(body) + len(raw)]
        head[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": place}
        body += raw
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


@pytest.fixture
def teacher(tmp_path: Path) -> Path:
    folder = tmp_path / "teacher"
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", tensors())
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    return folder


@pytest.fixture
def pairs(tmp_path: Path) -> list[Path]:
    """Three files with the same pairs, as of three repositories."""
    found = [*from_file("page.md", PAGE), *from_file("code.py", CODE)] * 8
    lines = "".join(json.dumps([kind, *pair]) + "\n" for kind, pair in found)
    files = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for file in files:
        file.write_text(lines, "utf-8")
    return files


def run(teacher: Path, pairs: list[Path], out: Path, *more: str) -> bytes:
    fixed = ["--heads", "2", "--dimension", "8", "--batch", "2", "--epochs", "2"]
    mined = ["--pairs", *map(str, pairs)]
    main([*fixed, "--teacher", str(teacher), *mined, "--out", str(out), *more])
    return out.read_bytes()


def test_the_script_writes_a_table_that_the_model_reads(
    teacher: Path, pairs: list[Path], tmp_path: Path
) -> None:
    run(teacher, pairs, tmp_path / "t.bin")
    table = ModelTable(tmp_path / "t.bin")
    table.verify_checksum()
    assert table.pieces == len(WORDS) + 2, "placeholders are left out, one word is added"
    assert table.find_piece_number(b"[unused1]") == -1
    assert BuiltinEmbedder(table).embed(["read the files"])[0] != bytes(8)


def test_the_same_seed_gives_the_same_file(
    teacher: Path, pairs: list[Path], tmp_path: Path
) -> None:
    item = run(teacher, pairs, tmp_path / "1.bin")
    assert run(teacher, pairs, tmp_path / "2.bin") == item
    assert run(teacher, pairs, tmp_path / "3.bin", "--epochs", "0") != item


def test_a_file_that_is_no_safetensors_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"\xff" * 100)
    with pytest.raises(InvalidInput, match="not a safetensors"):
        read_safetensors(path)
