"""Make the built-in table: ``python -m tests.bench.training.distill --help``.

1. each vocabulary token through the teacher (a MiniLM folder: model.safetensors and vocab.txt);
2. principal components, ``--dimension`` of them;
3. ``--words`` more tokens: frequent words of the pairs that the vocabulary has in pieces only
   (json, async, config); each begins as the sum of its pieces;
4. weights ``a / (a + frequency)`` (Arora et al. 2017) counted over the pairs;
5. ``--epochs`` of contrastive training on the pairs (0: distilled only);
6. a blend of the distilled and the trained table, so that everyday words are not forgotten;
7. one signed byte for each value, a scale for each row, one file.

``--pairs`` names files that ``tests.bench.training.mine`` wrote. Same input, seed, numpy, scipy and
number of BLAS threads give the same file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.bench.training.bag import Array, Bag, train
from tests.bench.training.encoder import Encoder, read_safetensors, token_vectors
from tests.bench.training.table_file import pack
from tests.bench.training.texts import Texts, cut

SMOOTH = 1e-3
HEAT = 0.05
# So many pairs of one file come into a batch together: harder negatives than any other.
RUN = 64


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, make the table, write it."""
    options = _parser().parse_args(arguments)
    vocabulary = (options.teacher / "vocab.txt").read_text("utf-8").splitlines()
    tensors = read_safetensors(options.teacher / "model.safetensors")
    vectors = token_vectors(Encoder(tensors, options.heads), len(vocabulary))
    _say(f"{len(vocabulary)} tokens through the teacher")
    texts = Texts(options.pairs)
    _say(f"{len(texts)} pairs from {len(options.pairs)} files")
    more = texts.whole(vocabulary, options.words)
    _say(f"{len(more)} more words")
    start = with_words(reduced(vectors, options.dimension), vocabulary, more)
    vocabulary += more
    bag = Bag(start, frequency_weights(texts.frequencies(vocabulary)))
    distilled = bag.rows()
    losses = train(
        bag, *texts.counts(vocabulary), epochs=options.epochs, batch=options.batch,
        rate=options.rate, heat=HEAT, seed=options.seed, run=RUN,
    )  # fmt: skip
    for number, loss in enumerate(losses, 1):
        _say(f"epoch {number}: loss {loss:.3f}")
    rows = blended(distilled, bag.rows(), options.blend)
    options.out.write_bytes(packed(vocabulary, rows))


def reduced(vectors: Array, dimension: int) -> Array:
    """Principal components, scaled so that the mean length is 1."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    short = centred @ axes[:, ::-1][:, :dimension]
    result: Array = (short / np.linalg.norm(short, axis=1).mean()).astype(np.float32)
    return result


def with_words(rows: Array, vocabulary: Sequence[str], more: Sequence[str]) -> Array:
    """The rows, and one of length 1 for each further word: the direction of its pieces' sum."""
    number = {token.encode(): at for at, token in enumerate(vocabulary)}
    sums = [rows[cut(word, number)].sum(axis=0) for word in more]
    if not sums:
        return rows
    added = np.array(sums)
    added /= np.linalg.norm(added, axis=1, keepdims=True)
    result: Array = np.concatenate([rows, added]).astype(np.float32)
    return result


def frequency_weights(shares: Array) -> Array:
    """``a / (a + p)`` for each token's share p of the corpus."""
    weights: Array = (SMOOTH / (SMOOTH + shares)).astype(np.float32)
    return weights


def blended(distilled: Array, trained: Array, share: float) -> Array:
    """Between the two tables (Wortsman et al. 2022): training on code forgets everyday words."""
    between: Array = share * trained + (1 - share) * distilled
    return between.astype(np.float32)


def packed(vocabulary: Sequence[str], rows: Array) -> bytes:
    """The table's file, without the vocabulary's placeholders ([CLS], [unused7])."""
    saved = [at for at, token in enumerate(vocabulary) if not (len(token) > 1 and token[0] == "[")]
    chosen = rows[saved]
    scales = np.maximum(np.abs(chosen).max(axis=1), 1e-12) / 127
    values = np.rint(chosen / scales[:, None]).astype(np.int8)
    names = [vocabulary[at].encode() for at in saved]
    return pack(names, scales.tolist(), values.tobytes(), rows.shape[1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.training.distill")
    parser.add_argument("--teacher", type=Path, required=True, help="MiniLM folder")
    parser.add_argument("--out", type=Path, required=True, help="the table to write")
    parser.add_argument("--pairs", type=Path, nargs="*", default=[], help="files of mined pairs")
    parser.add_argument("--words", type=int, default=30_000, help="more tokens, at most")
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--heads", type=int, default=12, help="attention heads of the teacher")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--blend", type=float, default=0.7, help="share of the trained table")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=7)
    return parser


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
