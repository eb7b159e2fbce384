"""A bag of token vectors, trained so that paired texts lie close: numpy, and nothing hidden.

A text's vector is ``sum over its pieces of exp(w) * f(count) * E`` made unit length. The loss is
the symmetric cross-entropy of each pair among the batch's others (van den Oord et al. 2018), the
optimiser Adam (Kingma and Ba 2015) on the rows that a batch touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

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

    def step(self, asked: list[Ids], told: list[Ids], rate: float, heat: float, at: int) -> float:
        """One batch of pairs; returns the loss. ``at`` counts steps from 1 (Adam's correction)."""
        tokens = np.unique(np.concatenate([*asked, *told]))
        left, right = _counts(asked, tokens), _counts(told, tokens)
        weights = np.exp(self.log_weights[tokens])[:, None]
        vectors = self.vectors[tokens]
        rows = weights * vectors
        a, a_norm = _unit(left @ rows)
        b, b_norm = _unit(right @ rows)
        loss, d_a, d_b = _contrast(a, b, heat)
        d_rows = left.T @ _through_unit(d_a, a, a_norm) + right.T @ _through_unit(d_b, b, b_norm)
        d_weights = (d_rows * rows).sum(axis=1)
        self._adam(self.vectors, self._moments, tokens, d_rows * weights, rate, at)
        self._adam(self.log_weights, self._weight_moments, tokens, d_weights, 4 * rate, at)
        return loss

    @staticmethod
    def _adam(
        values: Array, moments: list[Array], at: Ids, gradient: Array, rate: float, step: int
    ) -> None:
        first, second = moments
        first[at] = 0.9 * first[at] + 0.1 * gradient
        second[at] = 0.999 * second[at] + 0.001 * gradient**2
        mean = first[at] / (1 - 0.9**step)
        spread = np.sqrt(second[at] / (1 - 0.999**step)) + 1e-8
        values[at] -= (rate * mean / spread).astype(np.float32)


def train(
    bag: Bag,
    pairs: Sequence[tuple[Ids, Ids]],
    *,
    epochs: int,
    batch: int,
    rate: float,
    heat: float,
    seed: int,
) -> Iterator[float]:
    """Yields the mean loss of each epoch; the rate falls linearly to a tenth."""
    random = np.random.default_rng(seed)
    steps = max(1, len(pairs) // batch)
    done = 0
    for _ in range(epochs):
        order = random.permutation(len(pairs))
        losses = []
        for start in range(0, steps * batch, batch):
            chosen = [pairs[i] for i in order[start : start + batch]]
            done += 1
            now = rate * (1 - 0.9 * done / (epochs * steps))
            asked, told = [one for one, _ in chosen], [two for _, two in chosen]
            losses.append(bag.step(asked, told, now, heat, done))
        yield float(np.mean(losses))


def _counts(texts: list[Ids], tokens: Ids) -> Array:
    """(texts, tokens): the damped count of each token in each text."""
    places = np.searchsorted(tokens, np.concatenate(texts))
    lines = np.repeat(np.arange(len(texts)), [len(ids) for ids in texts])
    flat = np.bincount(lines * len(tokens) + places, minlength=len(texts) * len(tokens))
    return damped(flat.reshape(len(texts), len(tokens)).astype(np.float32))


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
