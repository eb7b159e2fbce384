"""Learning a map of question vectors from pairs of a question and its answer, in numpy.

Contrastive, as the table itself was trained: of a batch each question should be more like its own
answer than like the others' and many other pieces. The map stays near the identity, which is what
it began as. The same pairs give the same map on one machine.
"""

from __future__ import annotations

from array import array

from gitmem.embedding.base import limit_numpy_to_one_thread
from gitmem.embedding.question_map import QuestionMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

# Chosen on flask alone: with 300 steps as good, with commits alone .009 less.
STEPS, BATCH, OTHERS = 100, 256, 2048
RATE, TEMPERATURE, NEAR_IDENTITY = 1e-3, 0.05, 0.003
SEED = 7
DRAWS = 1000
# Questions that the stretch is measured on.
_STRETCHED = 100


def unit_vectors(vectors: list[bytes]) -> Matrix:
    """Stored vectors (signed bytes) as a float32 matrix with rows of unit length, or of zeros."""
    limit_numpy_to_one_thread()
    import numpy as np  # noqa: PLC0415 - 100 ms

    rows = np.frombuffer(b"".join(vectors), "i1").reshape(len(vectors), -1).astype("f4")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    found: Matrix = rows / lengths
    return found


def learn_question_map(questions: Matrix, answers: Matrix, other_chunks: Matrix) -> Matrix:
    """A square matrix that moves the vector of each question towards the answer in the same row.

    ``other_chunks`` are vectors of pieces of files that the questions should be less like.
    """
    import numpy as np  # noqa: PLC0415

    draw = np.random.default_rng(SEED)
    size = questions.shape[1]
    identity = np.eye(size, dtype="f4")
    found, mean, square = identity.copy(), np.zeros_like(identity), np.zeros_like(identity)
    for step in range(1, STEPS + 1):
        some = draw.choice(len(questions), min(BATCH, len(questions)), replace=False)
        rest = other_chunks[draw.integers(0, len(other_chunks), min(OTHERS, 4 * len(other_chunks)))]
        slope = _slope(found, questions[some], np.concatenate([answers[some], rest]))
        slope += NEAR_IDENTITY * (found - identity)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        root = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        found -= RATE * (mean / (1 - 0.9**step)) / root
    return found


def _slope(by: Matrix, questions: Matrix, answers: Matrix) -> Matrix:
    """How the loss changes with the map; the answer of a question is in its row of ``answers``."""
    import numpy as np  # noqa: PLC0415

    moved = questions @ by.T
    length = np.linalg.norm(moved, axis=1, keepdims=True) + 1e-9
    unit = moved / length
    likely = unit @ answers.T / TEMPERATURE
    likely = np.exp(likely - likely.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    at = np.arange(len(questions))
    likely[at, at] -= 1
    push = likely @ answers / TEMPERATURE / len(questions)
    push = (push - (push * unit).sum(axis=1, keepdims=True) * unit) / length
    slope: Matrix = push.T @ questions
    return slope


def make_question_map(
    matrix: Matrix, model_identity: str, questions: Matrix, chunks: Matrix
) -> QuestionMap:
    """A learned matrix as a ``QuestionMap`` to store; ``model_identity`` is the model's identity.

    ``questions`` and ``chunks`` (pieces of files) are vectors by which it is stretched: the ten
    chunks nearest to a question have, on average, the cosines that they had before.
    """
    import numpy as np  # noqa: PLC0415

    added = matrix - np.eye(len(matrix), dtype="f4")
    scales = np.abs(added).max(axis=1) / 127
    scales[scales == 0] = 1
    rows = np.rint(added / scales[:, None]).astype("i1")
    some = questions[:: max(len(questions) // _STRETCHED, 1)]
    moved = some @ matrix.T
    moved /= np.linalg.norm(moved, axis=1, keepdims=True) + 1e-9
    before, after = (np.sort(side @ chunks.T, axis=1)[:, -10:].mean() for side in (some, moved))
    stretch = float(before / after) if after > 0 else 1.0
    factors = array("f", scales.astype("<f4").tolist())
    return QuestionMap(model_identity, factors, rows.tobytes(), stretch)


def scores_by_question(
    questions: Matrix, chunks: Matrix, file_numbers: list[int], relevant_files: list[set[int]]
) -> Matrix:
    """How well files are ranked for each question: an array of NDCG@10 values (0 to 1).

    A file is as similar to a question as its most similar chunk (a piece of it). ``file_numbers``
    has the number of the file of each chunk, counted from 0 and rising; ``relevant_files`` those
    that answer each question.
    """
    import numpy as np  # noqa: PLC0415

    begins = np.flatnonzero(np.diff(np.array(file_numbers), prepend=-1))
    discounts = 1 / np.log2(np.arange(10) + 2)
    found = np.zeros(len(relevant_files), "f4")
    for at, relevant in enumerate(relevant_files):
        best = np.maximum.reduceat(chunks @ questions[at], begins)
        first = np.argsort(-best, kind="stable")[:10]
        held = np.array([int(file) in relevant for file in first])
        found[at] = (held * discounts[: len(held)]).sum() / discounts[: len(relevant)].sum()
    return found


def bootstrap_confidence_interval(differences: Matrix) -> tuple[float, float]:
    """(low, high) of the 95 % confidence interval of the mean of differences, by bootstrap."""
    import numpy as np  # noqa: PLC0415

    draw = np.random.default_rng(SEED)
    size = len(differences)
    means = [float(differences[draw.integers(0, size, size)].mean()) for _ in range(DRAWS)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
