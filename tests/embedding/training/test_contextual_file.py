"""The contextual file made of a small teacher: few bits lose little, damage is said."""

from pathlib import Path

import numpy as np
import pytest

from gitmem.embedding.bert import BertEncoder
from gitmem.embedding.contextual import ContextualEmbedder
from gitmem.embedding.contextual_file import ContextualFile
from gitmem.errors import Unavailable
from tests.bench.training.contextual_file import pack
from tests.bench.training.encoder import Array, Encoder
from tests.bench.training.shrink import kept_tensors

WIDTH = 192
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "parse", "the", "date", "token", "##s", "cache"]
TEXTS = ["parse the date", "tokens", "the cache the tokens the date " * 5, "xyzzy", ""]


@pytest.fixture(scope="module")
def teacher() -> dict[str, Array]:
    chance = np.random.default_rng(3)

    def some(*shape: int) -> Array:
        return chance.normal(0, 0.08, shape).astype(np.float32)

    at = "encoder.layer.0."
    sizes = {
        **dict.fromkeys(
            [f"attention.self.{name}" for name in ("query", "key", "value")], (WIDTH, WIDTH)
        ),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (4 * WIDTH, WIDTH),
        "output.dense": (WIDTH, 4 * WIDTH),
    }
    made = {at + name + ".weight": some(*shape) for name, shape in sizes.items()}
    made |= {at + name + ".bias": some(shape[0]) for name, shape in sizes.items()}
    for name in ("embeddings.", at + "attention.output.", at + "output."):
        made |= {name + "LayerNorm.weight": 1 + some(WIDTH), name + "LayerNorm.bias": some(WIDTH)}
    made["embeddings.word_embeddings.weight"] = some(len(VOCABULARY), WIDTH)
    made["embeddings.position_embeddings.weight"] = some(300, WIDTH)
    made["embeddings.token_type_embeddings.weight"] = some(2, WIDTH)
    return made


def packed(teacher: dict[str, Array], bits: int = 4) -> bytes:
    return pack(kept_tensors(teacher, range(len(VOCABULARY))), VOCABULARY, bits)


def written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def test_texts_are_placed_as_the_teacher_places_them(
    teacher: dict[str, Array], tmp_path: Path
) -> None:
    for bits, least in ((8, 0.999), (4, 0.98)):
        model = BertEncoder(written(tmp_path / str(bits), packed(teacher, bits)))
        for text, found in zip(TEXTS, model.unit_vectors(TEXTS), strict=True):
            ids = np.array([model.token_ids(text)])
            assert (ids[0, 0], ids[0, -1]) == (2, 3)
            expected = Encoder(teacher).encode(ids)[0]
            assert found @ expected / np.linalg.norm(expected) > least, (bits, text)


def test_a_text_has_the_same_vector_alone_and_among_longer_ones(
    teacher: dict[str, Array], tmp_path: Path
) -> None:
    model = BertEncoder(written(tmp_path / "m", packed(teacher)))
    alone = np.concatenate([model.unit_vectors([text]) for text in TEXTS])
    assert np.allclose(model.unit_vectors(TEXTS), alone, atol=1e-5)


def test_a_long_text_is_cut(teacher: dict[str, Array], tmp_path: Path) -> None:
    model = BertEncoder(written(tmp_path / "m", packed(teacher)))
    assert len(model.token_ids("date " * 1000)) == 128


def test_a_damaged_file_is_refused_in_a_sentence(teacher: dict[str, Array], tmp_path: Path) -> None:
    whole = packed(teacher)
    damaged = (
        (b"", "is truncated"),
        (whole[:40], "is truncated"),
        (b"NOTAMODEL" + whole[9:], "not a model"),
        (whole[:8] + b"\x02" + whole[9:], "not a model"),
        (whole[:12] + b"\x09" + whole[13:], "damaged header"),
        (whole[:-1], "is damaged"),
        (whole[:2000], "is damaged"),
        (whole + b"x", "wrong length"),
    )
    for content, message in damaged:
        with pytest.raises(Unavailable, match=message):
            ContextualEmbedder(written(tmp_path / "bad", content)).embed(["a text"])
    with pytest.raises(Unavailable, match="cannot be read"):
        ContextualEmbedder(str(tmp_path / "absent"))


def test_a_flipped_bit_is_found_by_the_checksum(teacher: dict[str, Array], tmp_path: Path) -> None:
    whole = packed(teacher)
    assert ContextualFile(written(tmp_path / "m", whole)).is_checksum_valid()
    flipped = whole[:-1] + bytes([whole[-1] ^ 1])
    assert not ContextualFile(written(tmp_path / "m", flipped)).is_checksum_valid()
