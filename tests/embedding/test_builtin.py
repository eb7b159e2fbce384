"""The model in the wheel (CC-3, CE-40): same vectors everywhere, with and without numpy."""

from __future__ import annotations

import re
import subprocess
import sys
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding import builtin
from gitmem.embedding.base import cosine, model_identity
from gitmem.embedding.builtin import BuiltinEmbedder
from gitmem.embedding.table import ModelTable
from gitmem.errors import Unavailable
from tests.bench.training.table_file import pack

TEXTS = [
    "how do I parse a configuration file",
    "def read_settings(path):\n    return toml.load(path)",
    "HTTPServer listens on a port",
    "the cat sat on the mat the cat",
    "汉字 и слова",
    "",
    "!!! ???",
]


@pytest.fixture(scope="module")
def model() -> BuiltinEmbedder:
    return BuiltinEmbedder()


def values(vector: bytes) -> list[int]:
    return memoryview(vector).cast("b").tolist()


def test_one_by_one_and_many_at_once_give_the_same_vectors(model: BuiltinEmbedder) -> None:
    pytest.importorskip("numpy")
    together, alone = model.embed(TEXTS), [model.embed([text])[0] for text in TEXTS]
    for item, other in zip(together, alone, strict=True):
        # Single and double precision may round one step apart.
        assert max(abs(a - b) for a, b in zip(values(item), values(other), strict=True)) <= 1


@pytest.mark.parametrize(("count", "loaded"), [(1, False), (20, False), (500, True)])
def test_numpy_is_loaded_only_for_many_texts(count: int, loaded: bool) -> None:
    pytest.importorskip("numpy")
    code = (
        f"import sys; sys.path.insert(0, {ROOT!r})\n"
        "from gitmem.embedding.builtin import BuiltinEmbedder\n"
        f"BuiltinEmbedder().embed(['some words'] * {count}); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == str(loaded), done.stderr


def test_without_numpy_the_vectors_are_the_same(model: BuiltinEmbedder) -> None:
    code = (
        f"import sys; sys.path.insert(0, {ROOT!r}); sys.modules['numpy'] = None\n"
        "from gitmem.embedding.builtin import BuiltinEmbedder\n"
        f"print(*[v.hex() for v in BuiltinEmbedder().embed({TEXTS!r})], sep=',')"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    alone = [model.embed([text])[0].hex() for text in TEXTS]
    assert done.stdout.strip() == ",".join(alone), done.stderr


ROOT = str(Path(builtin.__file__).parents[2])


@pytest.mark.parametrize("text", TEXTS[:5])
def test_a_vector_has_unit_length(model: BuiltinEmbedder, text: str) -> None:
    norm = sqrt(sum(value * value for value in values(model.embed([text])[0])))
    assert abs(norm - 127) < 8


@pytest.mark.parametrize("text", ["", " \n", "!!! ???", "\u0378"])
def test_text_without_a_known_word_has_no_direction(model: BuiltinEmbedder, text: str) -> None:
    assert model.embed([text]) == [bytes(256)]


def test_a_question_is_closer_to_its_answer_than_to_other_code(model: BuiltinEmbedder) -> None:
    query, right, wrong = model.embed(
        [
            "delete a file from disk",
            "def remove(path):\n    os.unlink(path)",
            "def average(numbers):\n    return sum(numbers) / len(numbers)",
        ]
    )
    assert cosine(query, right) > cosine(query, wrong) + 0.1


def test_a_name_means_the_same_as_its_words(model: BuiltinEmbedder) -> None:
    name, plain = model.embed(["parseConfigFile", "parse_config_file"])
    assert cosine(name, plain) > 0.99
    assert model.token_ids("HTTPServer") == model.token_ids("http server")


def test_very_long_text_is_cut_and_takes_no_minutes(model: BuiltinEmbedder) -> None:
    begin = "word " * (builtin.LONGEST // 5)
    assert model.embed([begin + "other " * 1_000_000]) == model.embed([begin])
    assert len(model.embed(["x" * 50_000_000])[0]) == 256


def test_remembered_words_are_bounded(
    model: BuiltinEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtin, "_REMEMBERED", 3)
    fresh = BuiltinEmbedder(model.table)
    expected = model.embed(["a b c d e f g"])
    assert fresh.embed(["a b c d e f g"]) == expected
    assert len(fresh._known) <= 4


def test_the_checksum_of_the_table_is_in_the_identity(tmp_path: Path) -> None:
    path = tmp_path / "t.bin"
    path.write_bytes(pack([b"word"], [1.0], bytes([5] * 8), 8))
    other = BuiltinEmbedder(ModelTable(path))
    assert model_identity(other) == f"builtin:static:8:{other.table.checksum[:16]}"
    assert other.embed(["word"]) == [bytes([45] * 8)]


def test_a_damaged_table_is_reported_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.bin"
    path.write_bytes(Path(builtin.TABLE).read_bytes()[:1000])
    with pytest.raises(Unavailable, match="wrong length"):
        BuiltinEmbedder(ModelTable(path))


@given(st.text(max_size=300))
def test_any_text_has_a_vector(text: str) -> None:
    shared = BuiltinEmbedder()
    assert len(shared.embed([text])[0]) == 256
    shared.table.close()


def test_a_vector_gives_away_the_words_of_its_text() -> None:
    """ML-43: docs/your-data.md says so; whoever has the table can compare with a dictionary."""
    text = "Never write the customer's IBAN to the log."
    guide = Path(__file__).parents[2] / "docs" / "guide.md"
    known = sorted({*re.findall(r"[a-z]{3,}", f"{guide.read_text()} {text}".lower())})
    model = BuiltinEmbedder()
    (secret,) = model.embed([text])
    alike = zip((cosine(secret, vector) for vector in model.embed(known)), known, strict=True)
    nearest = [word for _, word in sorted(alike, reverse=True)[:4]]
    assert len(known) > 1_000
    assert set(nearest) <= {"iban", "log", "customer", "write", "never"}
