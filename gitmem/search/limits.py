"""How long a question may be, and how many hits are looked for."""

from __future__ import annotations

LONGEST = 200_000


# From this many characters on a question is something pasted.
LONG = 2000

# Hits of the first list of a search: whoever wants no more does not pay for a longer one.
FIRST = 10
# Hits asked of each source for the longer list, which is the same for every page.
DEEP = 100
