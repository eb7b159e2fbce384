"""The training step: its gradient is the loss's, and it learns what pairs belong together."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="training needs numpy")
pytest.importorskip("scipy", reason="training needs scipy")

from tests.bench.training.bag import Bag, counted, train  # noqa: E402


def made(seed: int = 3, tokens: int = 12, dimension: int = 8) -> Bag:
    chance = np.random.default_rng(seed)
    return Bag(chance.normal(size=(tokens, dimension)), np.full(tokens, 0.7))


def side(*texts: list[int]) -> Any:
    ends = np.cumsum([len(text) for text in texts])
    return counted(np.array([n for text in texts for n in text], dtype=np.int32), ends, 12)


QUESTIONS = side([0, 1], [2], [3, 4], [5])
ANSWERS = side([6, 7, 6], [8], [9, 1], [10, 11])


def loss_of(bag: Bag) -> float:
    copy = Bag(bag.vectors.copy(), np.exp(bag.log_weights))
    return copy.step(QUESTIONS, ANSWERS, 0.0, 0.5, 1)


@pytest.mark.parametrize(("token", "value"), [(0, 0), (1, 3), (6, 2), (10, 7)])
def test_one_small_step_goes_down_the_slope_of_the_loss(token: int, value: int) -> None:
    before, after, step = made(), made(), 1e-2
    up, down = made(), made()
    up.vectors[token, value] += step
    down.vectors[token, value] -= step
    slope = loss_of(up) - loss_of(down)
    after.step(QUESTIONS, ANSWERS, 1e-3, 0.5, 1)
    moved = after.vectors[token, value] - before.vectors[token, value]
    # Adam's first step is the gradient's sign times the rate.
    assert moved == pytest.approx(-1e-3 if slope > 0 else 1e-3, rel=0.02)


@pytest.mark.parametrize("token", [0, 1, 6, 10])
def test_the_weights_are_learned_too(token: int) -> None:
    before, after, step = made(), made(), 1e-2
    up, down = made(), made()
    up.log_weights[token] += step
    down.log_weights[token] -= step
    slope = loss_of(up) - loss_of(down)
    after.step(QUESTIONS, ANSWERS, 1e-3, 0.5, 1)
    moved = after.log_weights[token] - before.log_weights[token]
    # A text of one word does not depend on that word's weight.
    assert abs(slope) < 1e-6 or (moved > 0) == (slope < 0)


def test_training_brings_pairs_together_and_is_the_same_each_time() -> None:
    first, second = made(), made()
    settings: Any = {"epochs": 30, "batch": 4, "rate": 0.05, "heat": 0.1, "seed": 5}
    losses = list(train(first, QUESTIONS, ANSWERS, **settings))
    assert losses[-1] < losses[0] / 2
    assert list(train(second, QUESTIONS, ANSWERS, **settings)) == losses
    assert (first.rows() == second.rows()).all()
