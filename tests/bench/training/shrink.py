"""Make the contextual model: the whole teacher in four bits a weight, with no training.

``python -m tests.bench.training.shrink --teacher FOLDER --out FILE``. Pieces that are no text
(``[unused7]``) and places that no text reaches are left out. The same teacher gives the same file.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gitmem.embedding.bert import LONGEST
from tests.bench.training.contextual_file import pack
from tests.bench.training.encoder import Array, read_safetensors

_LAYER = "encoder.layer."


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, write the file."""
    parser = argparse.ArgumentParser(description="The whole teacher in four bits a weight.")
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    vocabulary = (options.teacher / "vocab.txt").read_text("utf-8").splitlines()
    teacher = read_safetensors(options.teacher / "model.safetensors")
    saved = [at for at, piece in enumerate(vocabulary) if not piece.startswith("[unused")]
    options.out.write_bytes(pack(kept_tensors(teacher, saved), [vocabulary[at] for at in saved]))


def kept_tensors(teacher: dict[str, Array], saved: Sequence[int]) -> dict[str, Array]:
    """The teacher's tensors under the names of the file; of its word vectors those ``kept``."""
    places = teacher["embeddings.position_embeddings.weight"][:LONGEST]
    tensors = {
        "words": teacher["embeddings.word_embeddings.weight"][list(saved)],
        # Every text is of the first kind, so that kind's vector is added once.
        "places": places + teacher["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": teacher["embeddings.LayerNorm.weight"],
        "norm.bias": teacher["embeddings.LayerNorm.bias"],
    }
    for name, value in teacher.items():
        if name.startswith(_LAYER):
            tensors[name.removeprefix(_LAYER)] = value
    return tensors


if __name__ == "__main__":
    main()
