"""A real ONNX model of a few hundred bytes, and its tokenizer: written here, loaded by fastembed.

The model looks up a row for each token (Gather); the library averages them. ONNX files are protocol
buffers; the few fields that are needed are written by hand, so no package is needed for them.
"""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

WORDS = ["[PAD]", "[UNK]", "query", ":", "passage", "red", "green", "blue", "car", "boat", "house"]
DIMENSION = 16
_INT64, _FLOAT = 7, 1
# Kinds of attributes.
_INT, _INTS = 2, 7


def make(folder: Path, seed: int = 1, dimension: int = DIMENSION) -> Path:
    """Write model.onnx, tokenizer.json and tokenizer_config.json into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(seed, width=dimension))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 32, "pad_token": "[PAD]"}), "utf-8"
    )
    _tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def make_reranker(folder: Path, seed: int = 1) -> Path:
    """The same files with a cross-encoder: a text scores the mean of its words' weights."""
    make(folder, seed)
    (folder / "model.onnx").write_bytes(_model(seed, width=1, scores=True))
    return folder


def _tokenizer() -> Any:
    import tokenizers

    vocabulary = {word: number for number, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.enable_padding(pad_id=0, pad_token="[PAD]")
    return made


def rows(seed: int = 1) -> list[float]:
    """The model's table, flat: DIMENSION values for each word."""
    chance = random.Random(seed)
    return [chance.gauss(0, 1) for _ in range(len(WORDS) * DIMENSION)]


def weights(seed: int = 1) -> list[float]:
    """What each word counts for the cross-encoder."""
    return rows(seed)[: len(WORDS)]


def _model(seed: int, *, width: int, scores: bool = False) -> bytes:
    """Rows by word; with ``scores`` one value a word, and their mean over the text."""
    values = rows(seed)[: len(WORDS) * width]
    table = b"".join(
        [_number(1, len(WORDS)), _number(1, width), _number(2, _FLOAT), _text(8, "rows")]
    ) + _bytes(9, struct.pack(f"<{len(values)}f", *values))
    node = _text(1, "rows") + _text(1, "input_ids") + _text(2, "state") + _text(4, "Gather")
    graph = b"".join(
        [
            _bytes(1, node),
            *([_bytes(1, _mean())] if scores else []),
            _text(2, "tiny"),
            _bytes(5, table),
            _bytes(11, _value("input_ids", _INT64, ["b", "s"])),
            _bytes(11, _value("attention_mask", _INT64, ["b", "s"])),
            _bytes(12, _value("score", _FLOAT, ["b", 1]))
            if scores
            else _bytes(12, _value("state", _FLOAT, ["b", "s", width])),
        ]
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, 13))


def _mean() -> bytes:
    """ReduceMean over the words of a text, which leaves one value for each text."""
    axes = _text(1, "axes") + _number(8, 1) + _number(20, _INTS)
    keep = _text(1, "keepdims") + _number(3, 0) + _number(20, _INT)
    node = _text(1, "state") + _text(2, "score") + _text(4, "ReduceMean")
    return node + _bytes(5, axes) + _bytes(5, keep)


def _value(name: str, kind: int, shape: list[str | int]) -> bytes:
    dims = [_text(2, item) if isinstance(item, str) else _number(1, item) for item in shape]
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, dim) for dim in dims))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
