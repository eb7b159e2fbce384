"""A bag of token vectors, trained so that paired texts lie close: numpy, scipy's sparse matrices.

A text's vector is ``sum over its pieces of exp(w) * f(count) * E`` made unit length. The loss is
the symmetric cross-entropy of each pair among the batch's others (van den Oord et al. 2018), the
optimiser Adam (Kingma and Ba 2015) on the rows that a batch touches.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

Array = NDArray[np.float32]
Ids = NDArray[np.int32]


class Bag:
    """Token vectors (V, D), log weights (V), and Adam's moments for both."""

    def __init__(self, vectors: Array, weights: Array) -> None:
        self.vectors = vectors.astype(np.float32)
        self.log_weights = np.log(np.maximum(weights, 1e-6)).astype(np.float32)
        self._moments = [np.zeros_like(self.vectors) for _ in range(2)]
        self._weight_moments = [np.zeros_like(self.log_weights) for _ in range(2)]

    def rows(self) -> Array:
        """What to add up for each token: weight times vector."""
        weighted: Array = np.exp(self.log_weights)[:, None] * self.vectors
        return weighted

    def step(
        self, query: csr_matrix, output: csr_matrix, rate: float, heat: float, at: int
    ) -> float:
        """One batch of pairs; returns the loss. ``at`` counts steps from 1 (Adam's correction).

        Both sides are damped counts, (pairs, tokens), as ``counted`` gives them.
        """
        both = vstack([query, output], format="csr")
        tokens, places = np.unique(both.indices, return_inverse=True)
        counts = csr_matrix((both.data, places, both.indptr), shape=(both.shape[0], len(tokens)))
        weights = np.exp(self.log_weights[tokens])[:, None]
        rows = weights * self.vectors[tokens]
        units, norms = _unit(counts @ rows)
        half = query.shape[0]
        loss, d_asked, d_told = _contrast(units[:half], units[half:], heat)
        d_rows = counts.T @ _through_unit(np.concatenate([d_asked, d_told]), units, norms)
        d_weights = (d_rows * rows).sum(axis=1)
        self._adam(self.vectors, self._moments, tokens, d_rows * weights, rate, at)
        self._adam(self.log_weights, self._weight_moments, tokens, d_weights, 4 * rate, at)
        return loss

    @staticmethod
    def _adam(
        values: Array, moments: list[Array], at: Ids, gradient: Array, rate: float, step: int
    ) -> None:
        # In place where it can be: these rows are most of what a step reads and writes.
        first, second = moments
        mean, spread = first[at], second[at]
        mean *= np.float32(0.9)
        mean += np.float32(0.1) * gradient
        first[at] = mean
        spread *= np.float32(0.999)
        spread += np.float32(0.001) * gradient**2
        second[at] = spread
        spread *= np.float32(1 / (1 - 0.999**step))
        np.sqrt(spread, out=spread)
        spread += np.float32(1e-8)
        mean *= np.float32(rate / (1 - 0.9**step))
        values[at] -= mean / spread


def train(
    bag: Bag,
    asked: csr_matrix,
    told: csr_matrix,
    *,
    epochs: int,
    batch: int,
    rate: float,
    heat: float,
    seed: int,
    run: int = 1,
) -> Iterator[float]:
    """Yields the mean loss of each epoch; the rate falls linearly to a tenth.

    ``asked`` and ``told`` are the two sides of the pairs, counted.

    ``run`` pairs that stand together come into one batch: the negatives of a pair are then also
    those of its own repository, which are harder to tell from it.
    """
    random = np.random.default_rng(seed)
    count = asked.shape[0]
    steps = max(1, count // batch)
    done = 0
    for _ in range(epochs):
        order = _order(count, run, random)
        losses = []
        for start in range(0, steps * batch, batch):
            chosen = order[start : start + batch]
            done += 1
            now = rate * (1 - 0.9 * done / (epochs * steps))
            losses.append(bag.step(asked[chosen], told[chosen], now, heat, done))
        yield float(np.mean(losses))


def _order(count: int, run: int, random: np.random.Generator) -> NDArray[np.intp]:
    """All numbers below ``count`` in a random order of runs."""
    starts = random.permutation(-(-count // run)) * run
    order: NDArray[np.intp] = (starts[:, None] + np.arange(run)).ravel()
    return order[order < count]


def counted(tokens: Ids, ends: NDArray[np.int64], count: int) -> csr_matrix:
    """(texts, tokens): the damped count of each token in each text; nearly all are zero.

    ``tokens`` are those of all texts in a row, ``ends`` where each text ends, ``count`` how many
    tokens there are.
    """
    begins = np.concatenate([[0], ends])
    ones = np.ones(len(tokens), np.float32)
    counts = csr_matrix((ones, tokens, begins), shape=(len(ends), count))
    counts.sum_duplicates()
    counts.data = damped(counts.data)
    return counts


def damped(counts: Array) -> Array:
    """How much a repeated token counts: the square root (chosen on the dev sets)."""
    root: Array = np.sqrt(counts)
    return root


def _unit(raw: Array) -> tuple[Array, Array]:
    norm = np.sqrt((raw**2).sum(axis=1, keepdims=True)) + np.float32(1e-9)
    return raw / norm, norm


def _through_unit(gradient: Array, unit: Array, norm: Array) -> Array:
    """The gradient before the division by the norm."""
    through: Array = (gradient - unit * (gradient * unit).sum(axis=1, keepdims=True)) / norm
    return through


def _contrast(a: Array, b: Array, heat: float) -> tuple[float, Array, Array]:
    """Symmetric cross-entropy over the batch, and its gradients to both sides."""
    logits: Array = (a @ b.T) / np.float32(heat)
    forward, backward = _softmax(logits), _softmax(logits.T).T
    own = np.arange(len(a))
    hit = np.log(forward[own, own] + 1e-9) + np.log(backward[own, own] + 1e-9)
    d_logits: Array = forward + backward
    d_logits[own, own] -= 2
    d_logits /= np.float32(2 * len(a) * heat)
    d_a: Array = d_logits @ b
    d_b: Array = d_logits.T @ a
    return float(-hit.mean() / 2), d_a, d_b


def _softmax(logits: Array) -> Array:
    grown = np.exp(logits - logits.max(axis=1, keepdims=True))
    share: Array = grown / grown.sum(axis=1, keepdims=True)
    return share
