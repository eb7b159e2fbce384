"""Make the built-in table: ``python -m tests.training.distill --help``.

1. each vocabulary token through the teacher (a MiniLM folder: model.safetensors and vocab.txt);
2. principal components, ``--dimension`` of them;
3. weights ``a / (a + frequency)`` (Arora et al. 2017) counted over the mined pairs;
4. ``--epochs`` of contrastive training on the pairs (0: distilled only);
5. a blend of the distilled and the trained table, so that everyday words are not forgotten;
6. one signed byte for each value, a scale for each row, one file.

``--corpus`` names folders that each hold one repository: ``tree/`` (its files) and ``log.txt`` (see
``pairs``). Same input, seed, numpy and number of BLAS threads give the same file.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gitmem.embedding.wordpiece import pieces, words
from gitmem.text.identifiers import split
from tests.training.bag import Array, Bag, Ids, train
from tests.training.encoder import Encoder, read_safetensors, token_vectors
from tests.training.pairs import Pair, from_log, from_tree
from tests.training.table_file import pack

# At most so many pairs of a kind from one repository, so that no large one rules the table.
CAPS = {"code": 6000, "section": 1500, "sentence": 2500, "commit": 2500}
SMOOTH = 1e-3
HEAT = 0.05


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, make the table, write it."""
    options = _parser().parse_args(arguments)
    vocabulary = (options.teacher / "vocab.txt").read_text("utf-8").splitlines()
    tensors = read_safetensors(options.teacher / "model.safetensors")
    vectors = token_vectors(Encoder(tensors, options.heads), len(vocabulary))
    _say(f"{len(vocabulary)} tokens through the teacher")
    pairs = token_pairs(mine(options.corpus, options.seed), vocabulary)
    _say(f"{len(pairs)} pairs from {len(options.corpus)} repositories")
    bag = Bag(reduced(vectors, options.dimension), frequency_weights(pairs, len(vocabulary)))
    distilled = bag.rows()
    losses = train(
        bag, pairs, epochs=options.epochs, batch=options.batch, rate=options.rate, heat=HEAT,
        seed=options.seed,
    )  # fmt: skip
    for number, loss in enumerate(losses, 1):
        _say(f"epoch {number}: loss {loss:.3f}")
    rows = blended(distilled, bag.rows(), options.blend)
    options.out.write_bytes(packed(vocabulary, rows))


def mine(folders: Sequence[Path], seed: int) -> Iterator[Pair]:
    """Pairs of all repositories, capped by kind; of pairs with one question the last is kept."""
    for folder in sorted(folders):
        by_kind: dict[str, dict[str, Pair]] = defaultdict(dict)
        for kind, pair in [*from_tree(folder / "tree"), *_logged(folder / "log.txt")]:
            by_kind[kind][pair[0]] = pair
        chance = random.Random(seed)
        for kind in sorted(by_kind):
            pairs = list(by_kind[kind].values())
            chance.shuffle(pairs)
            yield from pairs[: CAPS[kind]]


def _logged(path: Path) -> Iterator[tuple[str, Pair]]:
    if path.exists():
        yield from from_log(path.read_text("utf-8", errors="replace"))


def token_pairs(pairs: Iterator[Pair], vocabulary: Sequence[str]) -> list[tuple[Ids, Ids]]:
    """Both sides as token numbers, in the way the built-in model reads text; empty sides go."""
    number = {token.encode(): at for at, token in enumerate(vocabulary)}
    known: dict[str, list[int]] = {}

    def tokens(text: str) -> Ids:
        found: list[int] = []
        for part in split(text):
            if part not in known:
                plain = words(part)
                known[part] = [
                    n for word in plain for n in pieces(word, lambda b: number.get(b, -1))
                ]
            found += known[part]
        return np.array(found, dtype=np.int32)

    both = [(tokens(asked), tokens(told)) for asked, told in pairs]
    return [(asked, told) for asked, told in both if len(asked) and len(told)]


def reduced(vectors: Array, dimension: int) -> Array:
    """Principal components, scaled so that the mean length is 1."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    short = centred @ axes[:, ::-1][:, :dimension]
    result: Array = (short / np.linalg.norm(short, axis=1).mean()).astype(np.float32)
    return result


def frequency_weights(pairs: Sequence[tuple[Ids, Ids]], count: int) -> Array:
    """``a / (a + p)`` for each token's share p of the corpus; 1 for all without a corpus."""
    if not pairs:
        return np.ones(count, dtype=np.float32)
    every: NDArray[np.int32] = np.concatenate([side for pair in pairs for side in pair])
    share = np.bincount(every, minlength=count) / len(every)
    weights: Array = (SMOOTH / (SMOOTH + share)).astype(np.float32)
    return weights


def blended(distilled: Array, trained: Array, share: float) -> Array:
    """Between the two tables (Wortsman et al. 2022): training on code forgets everyday words."""
    between: Array = share * trained + (1 - share) * distilled
    return between.astype(np.float32)


def packed(vocabulary: Sequence[str], rows: Array) -> bytes:
    """The table's file, without the vocabulary's placeholders ([CLS], [unused7])."""
    kept = [at for at, token in enumerate(vocabulary) if not (len(token) > 1 and token[0] == "[")]
    chosen = rows[kept]
    scales = np.maximum(np.abs(chosen).max(axis=1), 1e-12) / 127
    values = np.rint(chosen / scales[:, None]).astype(np.int8)
    names = [vocabulary[at].encode() for at in kept]
    return pack(names, scales.tolist(), values.tobytes(), rows.shape[1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.training.distill")
    parser.add_argument("--teacher", type=Path, required=True, help="MiniLM folder")
    parser.add_argument("--out", type=Path, required=True, help="the table to write")
    parser.add_argument("--corpus", type=Path, nargs="*", default=[], help="repository folders")
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--heads", type=int, default=12, help="attention heads of the teacher")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--blend", type=float, default=0.7, help="share of the trained table")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=7)
    return parser


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
