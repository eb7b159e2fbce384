"""From which cosine two memories are merged, moved by what people made of suggestions (CT-26).

Where few are accepted the bound goes up, where nearly all are it comes down by half as much, and it
stays within 0.90 and 0.97. Pure.
"""

from __future__ import annotations

# Of fewer decisions the share says nothing.
ENOUGH = 20
LEAST, MOST = 0.90, 0.97
FEW, MANY = 0.35, 0.80
UP, DOWN = 0.01, 0.005


def tuned(current: float, accepted: int, rejected: int) -> float:
    """The bound that follows from so many decisions; as it was where they are too few."""
    total = accepted + rejected
    if total < ENOUGH:
        return current
    share = accepted / total
    moved = current + (UP if share < FEW else -DOWN if share > MANY else 0.0)
    if moved == current:
        return current
    return round(min(max(moved, LEAST), MOST), 4)
