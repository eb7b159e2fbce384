"""Limits of a search: how long a question may be, how many hits are looked for."""

from __future__ import annotations

LONGEST = 200_000
# A longer question was pasted.
LONG = 2000
# Hits of the first, cheap list of a search, and of the longer one for further pages.
FIRST, DEEP = 10, 100
