"""A shop."""
from __future__ import annotations

import os, json as j
from a.b import c, d as e
from . import f
from .g import *

__all__ = ["Shop", "LIMIT"]
LIMIT = 10
count: int = 0


# How things are sold.
# In two lines.
@register("x")
@dataclasses.dataclass(frozen=True)
class Shop(Base, abc.ABC, Generic[T]):
    """Sells things.

    For money.
    """

    name: str
    price = 1  #: no documentation

    @property
    def open(
        self,
        hour: int = 8,
    ) -> Hours | None:
        """Whether it is open."""

        def inner():
            return helper()

        return self.clock.ask(hour)

    class Meta:
        x = 1

    async def _close(self): ...


type Pair[T] = tuple[T, T]


def free(): return LIMIT


if True:
    fallback = 1
