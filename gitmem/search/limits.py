"""How long a question may be, and from where on it is read as something pasted."""

from __future__ import annotations

LONGEST = 200_000


# From this many characters on a question is something pasted.
LONG = 2000
